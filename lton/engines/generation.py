"""Define the result of a generation: the calls, the text, and the token counts."""

from dataclasses import dataclass, field
from typing import Any

from lton._syntax import Thoughts
from lton.codec._decode import decode
from lton.codec._thoughts import first_thought
from lton.codec.decoder import Decoder
from lton.errors import Code, IncompleteError
from lton.events import CallEnd
from lton.grammar.build import PROSE, ToolChoice
from lton.schema.toolset import ToolSet
from lton.schema.types import Call


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """The token counts of an answer.

    `sampled` counts every sampled token, including the end of the turn. `prefilled` counts the
    tokens that the engine read between two samples, including tokens that it read again after a
    cut.
    """

    prompt: int = 0
    sampled: int = 0
    prefilled: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """A model's answer: its calls, its text, and its token counts.

    In a conversation, `prose` is the model's answer if it made no call. `exhausted` means that the
    budget ended the answer, or that the model repeated itself. Each call is complete and valid, but
    an optional argument or another call may be missing. `why` is the reason, and `lost` is the
    sampled text of a value without an end. `thought` is the thought before the answer, if the model
    had to think.

    `confidence`, from 0 to 1, is the probability of the chosen tools, or of making no call. It does
    not include the arguments, and is None if no choice was weighed. If a call was not made because
    it was too uncertain, `confidence` is that of the call.
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
    """Decode the calls in a completion.

    If the choice allows prose, the calls are on lines that begin with a sigil (R-429). Calls in a
    thought are not read. `cut` means that the token limit ended the completion. Then the truncated
    text may be valid but wrong (`wait 1` of `wait 15`), so the function raises `IncompleteError`.
    Raises `DecodeError` like `decode`.
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


def read_generation(
    text: str, tools: ToolSet, spent: Spent, *, cut: bool, **options: Any
) -> Generation:
    """Return the `Generation` for a completion. `options` are those of its grammar."""
    choice = options.get("tool_choice", "required")
    thoughts = options.get("thoughts", False)
    calls = read_completion(text, tools, cut=cut, tool_choice=choice, thoughts=thoughts)
    thought, at = first_thought(text, thoughts)
    return Generation(text=text[at:], thought=thought, calls=calls, spent=spent)
