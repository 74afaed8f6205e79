"""Define the view of a conversation: the messages for the model, and the decisions behind them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from lton._json import minified
from lton.chat import Message, Text, to_anthropic, to_openai, to_responses
from lton.errors import ConversionError
from lton.transcript.pointers import PointerStyle, looks_like_pointer, with_own_marks_quoted

TurnAction: TypeAlias = Literal[
    "kept", "short", "repeat", "file", "pointer", "cleared", "compacted"
]


@dataclass(frozen=True, slots=True)
class TurnDecision:
    """The decision about a result or message: the action, the reason, and the tokens.

    `reference` recalls the text: `t42.2`, or the file of the window before a compaction. `short`,
    `repeat` and `file` are decided when a result is first shown. `pointer` follows from a clearing,
    whose own decision is `cleared` and states the costs.
    """

    reference: str
    action: TurnAction
    reason: str
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Shown:
    """A message for the model, with the decision and any content that a pointer replaces."""

    turn: int
    message: Message
    decision: TurnDecision | None = None
    pointer: tuple[str, bytes] | None = None


def with_text(message: Message, text: str) -> Message:
    """Replace the text of a message, or of a result.

    >>> with_text(Message.saying("user", "Hi"), "Hello").text
    'Hello'
    """
    if message.results:
        result = message.results[0]
        return replace(
            message, parts=(replace(result, parts=_make_parts_with_one_text(text, result.parts)),)
        )
    return replace(message, parts=_make_parts_with_one_text(text, message.parts))


def _make_parts_with_one_text(text: str, parts: Sequence[Any]) -> tuple[Any, ...]:
    """Replace all text in a message with one string."""
    extra = next((part.extra for part in reversed(parts) if isinstance(part, Text)), {})
    other_fields = {key: value for key, value in extra.items() if key != "type"}
    return (Text(text, other_fields), *(part for part in parts if not isinstance(part, Text)))


def with_note(message: Message, note: str) -> Message:
    r"""Return a message with a note appended to its text.

    >>> with_note(Message.saying("user", "Go on."), "[context: 3 tokens used, 7 free]").text
    'Go on.\n\n[context: 3 tokens used, 7 free]'
    """
    text = message.results[0].text if message.results else message.text
    return with_text(message, f"{text}\n\n{note}".lstrip())


def with_notes_quoted(message: Message) -> Message:
    """Quote lines in results and user messages that look like notes of this library."""
    results = message.results
    text = results[0].text if results else message.text
    is_pointer = bool(results) and looks_like_pointer(text.strip())
    quoted = minified(text) if is_pointer else with_own_marks_quoted(text)
    return message if quoted == text else with_text(message, quoted)


def write_messages_for_wire(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Convert messages to OpenAI's chat format or, if it cannot express them, to another API's."""
    messages = list(messages)
    try:
        return to_openai(messages)
    except ConversionError:
        pass
    with suppress(ConversionError):
        request = to_anthropic(messages)
        system = [{"role": "system", "content": item} for item in [request.get("system")] if item]
        return [*system, *request["messages"]]
    items = to_responses(messages)["input"]
    return [{"role": "user", "content": item.get("output"), **item} for item in items]


@dataclass(frozen=True, slots=True)
class View:
    """The messages to send to the model.

    `tokens` is the count of the messages, at most `room`. `full` estimates the count if nothing
    were omitted. `cached` estimates the tokens of the start that the previous view shares, which is
    in a prompt cache. It is 0 in the first view of a process.
    """

    shown: tuple[Shown, ...]
    tokens: int
    room: int
    full: int
    of_all: tuple[TurnDecision, ...]
    """Decisions about the whole conversation, such as a clearing or a failed compaction."""
    style: PointerStyle
    cached: int = field(compare=False)
    note: str = ""
    """The note about files and room, which follows the newest message so that caches work."""

    @property
    def chat(self) -> tuple[Message, ...]:
        """The messages as records, for use with any API."""
        messages = [item.message for item in self.shown]
        return (
            (*messages[:-1], with_note(messages[-1], self.note)) if self.note else tuple(messages)
        )

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages in the format of OpenAI's API."""
        return to_openai(self.chat)

    @property
    def decisions(self) -> tuple[TurnDecision, ...]:
        """The decisions about all messages and results, and about the whole conversation."""
        return (*(item.decision for item in self.shown if item.decision), *self.of_all)

    @property
    def is_partial(self) -> bool:
        """Whether the view omits content that a model can read with tools."""
        actions = {item.decision.action for item in self.shown if item.decision}
        return not actions.isdisjoint({"file", "pointer", "compacted"})

    @property
    def pointers(self) -> Mapping[str, bytes]:
        """The content that each pointer replaces."""
        return dict(item.pointer for item in self.shown if item.pointer)

    def report(self) -> dict[str, Any]:
        """Return the token counts, and the number of decisions of each kind, as JSON."""
        short = [decision.after for decision in self.decisions if decision.action == "pointer"]
        counts = Counter(f"{decision.action}: {decision.reason}" for decision in self.decisions)
        sizes = {"tokens": self.tokens, "room": self.room, "full": self.full}
        return {
            **sizes,
            "saved": self.full - self.tokens,
            "pointers": len(short),
            "pointer_style": self.style,
            "tokens_a_pointer": sum(short) / len(short) if short else None,
            "decisions": dict(sorted(counts.items())),
            "cache": {"hit": self.cached, "written": self.tokens - self.cached},
        }
