"""What comes of asking a model: the calls, the text, and the tokens that they took."""

from dataclasses import dataclass, field

from lton._syntax import Thoughts
from lton.codec._decode import decode
from lton.codec.decoder import Decoder
from lton.errors import Code, IncompleteError
from lton.events import CallEnd
from lton.grammar.build import PROSE, ToolChoice
from lton.schema.toolset import ToolSet
from lton.schema.types import Call


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """The tokens of an answer: of the prompt, sampled, and read because they were written for it.

    `sampled` counts each token that the model was asked for, the end of its turn included.
    `prefilled` counts what the engine read between two samples, so it includes what it had to read
    again after a cut.
    """

    prompt: int = 0
    sampled: int = 0
    prefilled: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """What came of a question: the calls, the text that the model saw of them, and the tokens.

    `prose` is what it said where it called nothing, in a conversation.
    `exhausted` says that the budget ended it, or that the model repeated itself: each call is
    complete and valid, but an optional argument, or another call, may be missing. `why` says which
    of these it was, and `lost` is what the model had sampled of a value that has no end. `thought`
    is what the model said before the text, if it was to think.

    `confidence` says how sure the model is of the tools it chose, or of calling none, from 0 to 1.
    It says nothing about the arguments, and is None where no choice was weighed. Where a call was
    too doubtful to make, it is that of the call.
    """

    calls: list[Call]
    text: str = ""
    prose: str = ""
    thought: str = ""
    spent: Spent = field(default_factory=Spent)
    exhausted: bool = False
    why: str = ""
    lost: str = ""
    confidence: float | None = None


def read_completion(
    text: str,
    tools: ToolSet,
    *,
    cut: bool,
    tool_choice: ToolChoice = "required",
    thoughts: Thoughts = False,
) -> list[Call]:
    """Get the calls of a completion. It is never trusted because a grammar held it.

    Where the choice lets prose in, the calls are those on lines that begin with a sigil (R-429).
    No call is read in a thought.
    `cut` says that the token limit ended it: what is left may well decode (`wait 1` of `wait 15`)
    and be wrong, so it is an `IncompleteError`. Raises `DecodeError` as `decode` does.
    """
    if cut:
        msg = "the token limit cut the completion off"
        raise IncompleteError(Code.INCOMPLETE, msg, doc=text, pos=len(text))
    if tool_choice not in PROSE:
        return decode(text, tools, thoughts=thoughts)
    decoder = Decoder(tools, prose=True, thoughts=thoughts)
    decoder.feed(text)
    decoder.close()
    return [event.call for event in decoder if isinstance(event, CallEnd)]
