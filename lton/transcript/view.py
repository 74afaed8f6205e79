"""What is shown of a conversation, and what was decided for it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from lton.chat import Message, Text, to_openai
from lton.transcript.pointers import PointerStyle

TurnAction: TypeAlias = Literal[
    "kept", "short", "repeat", "file", "pointer", "cleared", "compacted"
]


@dataclass(frozen=True, slots=True)
class TurnDecision:
    """What became of a result or a message, why, and its tokens before and after.

    `reference` is how it is had back: `t42.2`, or the file of the window before a compaction.
    A result is `short` or has notes of what is a `repeat` from when it is first shown; so is the
    beginning of a `file`. It is a `pointer` once results were `cleared`: that decision has the sum.
    """

    reference: str
    action: TurnAction
    reason: str
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Shown:
    """A message as it is shown, what was decided, and the pointer in it with its content."""

    turn: int
    message: Message
    decision: TurnDecision | None = None
    pointer: tuple[str, bytes] | None = None


def with_text(message: Message, text: str) -> Message:
    """Return a message, or that of a result, with another text before its other parts.

    >>> with_text(Message.saying("user", "Hi"), "Hello").text
    'Hello'
    """
    if message.results:
        result = message.results[0]
        others = (part for part in result.parts if not isinstance(part, Text))
        return replace(message, parts=(replace(result, parts=(Text(text), *others)),))
    rest = (part for part in message.parts if not isinstance(part, Text))
    return replace(message, parts=(Text(text), *rest))


def noted(message: Message, note: str) -> Message:
    r"""Return a message with a note after its text.

    >>> noted(Message.saying("user", "Go on."), "[context: 3 tokens used, 7 free]").text
    'Go on.\n\n[context: 3 tokens used, 7 free]'
    """
    text = message.results[0].text if message.results else message.text
    return with_text(message, f"{text}\n\n{note}".lstrip())


@dataclass(frozen=True, slots=True)
class View:
    """What to send.

    `tokens` are those of the messages; there is `room` for so many. `full` is about what they
    would be with nothing left out. `cached` are about the tokens that begin the view as they began
    the one before, so that a cache of prompts has them; 0 for the first view of a process.
    """

    shown: tuple[Shown, ...]
    tokens: int
    room: int
    full: int
    of_all: tuple[TurnDecision, ...]
    """Decisions that are of no message: of a clearing, and of a compaction that failed."""
    style: PointerStyle
    cached: int = field(compare=False)
    note: str = ""
    """What the model is told of its files and its room, after the newest message, and only there:
    so a cache of prompts has all that is before that message."""

    @property
    def chat(self) -> tuple[Message, ...]:
        """The neutral messages, for other APIs than OpenAI's chat."""
        found = [each.message for each in self.shown]
        return (*found[:-1], noted(found[-1], self.note)) if self.note else tuple(found)

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages for OpenAI's chat API. Raises `ConversionError` for another API's images."""
        return to_openai(self.chat)

    @property
    def decisions(self) -> tuple[TurnDecision, ...]:
        """What was decided for results and messages, and for all of them."""
        return (*(each.decision for each in self.shown if each.decision), *self.of_all)

    @property
    def is_partial(self) -> bool:
        """Whether something is not shown that tools read."""
        actions = {each.decision.action for each in self.shown if each.decision}
        return not actions.isdisjoint({"file", "pointer", "compacted"})

    @property
    def pointers(self) -> Mapping[str, bytes]:
        """The spelling of each pointer, and what it stands for."""
        return dict(each.pointer for each in self.shown if each.pointer)

    def report(self) -> dict[str, Any]:
        """Get what was done, as values of JSON: sums of tokens, and how often what was decided."""
        short = [each.after for each in self.decisions if each.action == "pointer"]
        counts = Counter(f"{each.action}: {each.reason}" for each in self.decisions)
        return {
            "tokens": self.tokens,
            "room": self.room,
            "full": self.full,
            "saved": self.full - self.tokens,
            "pointers": len(short),
            "pointer_style": self.style,
            "tokens_a_pointer": sum(short) / len(short) if short else None,
            "decisions": dict(sorted(counts.items())),
            "cache": {"hit": self.cached, "written": self.tokens - self.cached},
        }
