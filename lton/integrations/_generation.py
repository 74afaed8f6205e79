"""What every integration gives back, and how a completion becomes calls: by decoding it."""

from dataclasses import dataclass

from lton.codec._decode import decode
from lton.codec.decoder import Decoder
from lton.errors import Code, IncompleteError
from lton.events import CallEnd
from lton.grammar.build import PROSE, ToolChoice
from lton.schema.toolset import ToolSet
from lton.schema.types import Call


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """What a model wrote: the text as it came, the calls in it, and the tokens it took.

    `sampled_tokens` counts each token that the model was asked for, the end of its turn included.
    """

    text: str
    calls: list[Call]
    sampled_tokens: int


def read_completion(
    text: str, tools: ToolSet, *, cut: bool, tool_choice: ToolChoice = "required"
) -> list[Call]:
    """Get the calls of a completion. It is never trusted because a grammar held it.

    Where the choice lets prose in, the calls are those on lines that begin with a sigil (R-45).
    `cut` says that the token limit ended it: what is left may well decode (`wait 1` of `wait 15`)
    and be wrong, so it is an `IncompleteError`. Raises `DecodeError` as `decode` does.
    """
    if cut:
        msg = "the token limit cut the completion off"
        raise IncompleteError(Code.INCOMPLETE, msg, doc=text, pos=len(text))
    if tool_choice not in PROSE:
        return decode(text, tools)
    decoder = Decoder(tools, prose=True)
    decoder.feed(text)
    decoder.close()
    return [event.call for event in decoder if isinstance(event, CallEnd)]
