"""What is shown of a conversation, and what was decided for it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from lton.chat import Message, to_openai
from lton.transcript.pointers import PointerStyle

TurnAction: TypeAlias = Literal["kept", "pointer", "file", "lton", "compacted"]


@dataclass(frozen=True, slots=True)
class TurnDecision:
    """What became of a result or a message, why, and its tokens before and after.

    `reference` is how it is had back: `t42.2`, or the file of the window before a compaction.
    """

    reference: str
    action: TurnAction
    reason: str
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class View:
    """What to send. `chat` are the neutral messages, for other APIs than OpenAI's chat.

    `tokens` are those of the messages; there is `room` for so many. `full` is about what they
    would be with nothing left out. `pointers` are the spelling of each pointer and what it stands
    for. `cached` are about the tokens that begin the view as they began the one before, so that a
    cache of prompts has them; 0 for the first view of a process.
    """

    chat: tuple[Message, ...]
    tokens: int
    room: int
    full: int
    decisions: tuple[TurnDecision, ...]
    pointers: Mapping[str, bytes]
    style: PointerStyle
    cached: int = field(compare=False)

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages for OpenAI's chat API. Raises `ConversionError` for another API's images."""
        return to_openai(self.chat)

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
