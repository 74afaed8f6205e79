"""Group messages into numbered turns. A turn is a message with the results of its calls."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from lton._json import read_json
from lton.chat import Message, Text, ToolCall, ToolResult
from lton.chat.pairs import pair_calls_with_results
from lton.errors import Code, TranscriptError
from lton.transcript.pointers import Reference

PINNED = ("system", "developer")  # The roles whose messages are always shown
_ERRORS = ("error", "!error", "traceback (most recent call last)")


@dataclass(frozen=True, slots=True)
class Turn:
    """A message and the results of its calls; each result is a message of its own."""

    number: int
    message: Message
    results: tuple[Message, ...] = ()
    places: tuple[int | None, ...] = field(init=False, repr=False, compare=False)
    """The index of the call that each result answers. None occurs only in refused turns."""
    calls: tuple[ToolCall, ...] = field(init=False, repr=False, compare=False)
    answers: tuple[ToolResult, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        calls = self.message.calls
        answers: tuple[ToolResult, ...] = ()
        places: tuple[int | None, ...] = ()
        if self.results:
            answers = tuple([result.results[0] for result in self.results])
            places = tuple(pair_calls_with_results(calls, answers))
        object.__setattr__(self, "calls", calls)
        object.__setattr__(self, "answers", answers)
        object.__setattr__(self, "places", places)

    @property
    def messages(self) -> tuple[Message, ...]:
        return (self.message, *self.results)

    @property
    def open_calls(self) -> tuple[ToolCall, ...]:
        if not self.calls:
            return ()
        answered = set(self.places)
        return tuple(call for at, call in enumerate(self.calls) if at not in answered)

    def call_of(self, result: int) -> ToolCall:
        """Return the call that a result answers. Results are numbered from 1."""
        at = self.places[result - 1]
        assert at is not None  # a result without a call is not added
        return self.calls[at]

    def result(self, number: int) -> ToolResult:
        return self.answers[number - 1]

    def reference(self, result: int) -> Reference:
        return Reference(self.number, result if len(self.calls) > 1 else None)


def add_message(turns: list[Turn], message: Message) -> None:
    """Add a message to the turns. Raises `TranscriptError` like `extend_turns`, and adds nothing.

    >>> turns = []
    >>> add_message(turns, Message.saying("user", "Hi"))
    >>> [turn.number for turn in turns]
    [1]
    """
    turns[-1:] = extend_turns(turns[-1:], message)


def extend_turns(last: Sequence[Turn], message: Message) -> list[Turn]:
    """Return the turns that replace the last turn, if there is one, when a message is added.

    Results join the turn of their calls. Raises `TranscriptError` (E710) for a result without an
    open call in the last turn, and for another message while a call waits.

    >>> [turn.number for turn in extend_turns([], Message.saying("user", "Hi"))]
    [1]
    """
    turns = [*last]
    for part in _split_results(message):
        if part.results:
            turns[-1:] = [_add_result(turns, part)]
        else:
            check_answered(turns)
            number = turns[-1].number + 1 if turns else 1
            turns.append(Turn(number, part))
    return turns


def _add_result(turns: Sequence[Turn], result: Message) -> Turn:
    """Return the last turn with a result."""
    if turns:
        last = turns[-1]
        turn = Turn(last.number, last.message, (*last.results, result))
        if None not in turn.places:
            return turn
    call_id = result.results[0].call_id
    raise TranscriptError(Code.PAIRING, f"the result of {call_id!r} answers no open call")


def check_answered(turns: Iterable[Turn]) -> None:
    """Raise `TranscriptError` (E710) if a call has no result."""
    for turn in turns:
        if waiting := turn.open_calls:
            names = ", ".join(f"{call.name} ({call.id})" for call in waiting)
            raise TranscriptError(Code.PAIRING, f"no result yet of {names}, in turn {turn.number}")


def is_error(result: ToolResult, text: str | None = None) -> bool:
    """Return whether a result reports a failed call. `text` is its text, if this is known.

    Anthropic's results have a flag. Another result is an error if it begins with "error" (like
    LTON's `!error`), is a traceback, or is a JSON object whose `error` is not empty.

    >>> [is_error(ToolResult((Text(text),))) for text in ('{"error": "no such file"}', "2 errors")]
    [True, False]
    """
    text = (result.text if text is None else text).lstrip()
    if result.is_error or text[:40].lower().startswith(_ERRORS):
        return True
    if not text.startswith("{") or '"error"' not in text:
        return False
    try:
        content = read_json(text)
    except ValueError:
        return False
    return bool(content.get("error"))


def is_text(result: ToolResult) -> bool:
    """Return whether a result is a single `Text`, which a model can recall."""
    return len(result.parts) == 1 and isinstance(result.parts[0], Text)


def _is_plain_result(message: Message) -> bool:
    """Return whether a message is one result, with no fields of its own."""
    return (
        len(message.parts) == 1
        and message.role == "tool"
        and message.name is None
        and not message.extra
    )


def _split_results(message: Message) -> list[Message]:
    """Return a message for each result, and the message without its results if more remains."""
    if not message.results or _is_plain_result(message):
        return [message]
    messages = [Message("tool", (result,), api=message.api) for result in message.results]
    if len(message.results) < len(message.parts):
        others = [part for part in message.parts if not isinstance(part, ToolResult)]
        messages.append(replace(message, parts=tuple(others)))
    return messages
