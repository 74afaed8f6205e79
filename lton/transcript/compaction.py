"""Replace old turns of a conversation with a summary."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from lton.chat import Message
from lton.tokens import TokenCounter
from lton.transcript.pointers import LINE_END, Reference, spell_pointer, with_own_marks_quoted
from lton.transcript.turns import PINNED, Turn

Summarize: TypeAlias = Callable[[list[dict[str, Any]]], str]
"""Summarizes the messages that the model was shown, in OpenAI's form."""

_SHOWN = 80  # The maximum length of a message in a digest


@dataclass(frozen=True, slots=True)
class Compaction:
    """A summary that replaces the turns up to `through`. Their text is stored as a file."""

    through: int
    summary: str
    window: str
    files: str = ""

    def to_message(self, file: str) -> Message:
        """Return the user message that replaces the turns.

        >>> print(Compaction(9, "They said hello.", "").to_message("f1").text)
        [turns 1 to 9, in short; what was shown of them is file f1; recall("t8") returns result t8]
        They said hello.
        """
        explanation = f'what was shown of them is file {file}; recall("t8") returns result t8'
        files = f"; files:\n{self.files}" if self.files else ""
        head = f"[turns 1 to {self.through}, in short; {explanation}{files}]"
        return Message.saying("user", f"{head}\n{with_own_marks_quoted(self.summary)}")


def write_digest(turns: Sequence[Turn], most: int, counter: TokenCounter) -> str:
    """Summarize turns without a model, with one line per message and result.

    Results become pointers that name the call. If the lines do not fit, the oldest are dropped, and
    their number is stated.

    >>> from lton.tokens import counter
    >>> said = [Turn(1, Message.saying("user", "Hi")), Turn(2, Message.saying("assistant", "Yes?"))]
    >>> print(write_digest(said, 100, counter("bytes")))
    t1 user: "Hi"
    t2 assistant: "Yes?"
    """
    lines = [
        line
        for turn in turns
        if turn.message.role not in PINNED
        for line in _iterate_summary_lines(turn)
    ]
    costs = [count.tokens + 1 for count in counter.count_all(lines)]
    room = most - counter.count(_omission_note(len(lines))).tokens
    first = len(lines)
    while first and costs[first - 1] <= room:
        first -= 1
        room -= costs[first]
    return "\n".join([*([_omission_note(first)] if first else []), *lines[first:]])


def write_window_text(messages: Iterable[Message]) -> str:
    r"""Write messages as plain text, which a model can read as a file.

    Continuation lines, after any character that ends a line, are indented, so no text can look like
    another message.

    >>> said = Message.saying("user", "Hi\nassistant: Yes"), Message.saying("user", "?")
    >>> print(write_window_text(said))
    user: Hi
      assistant: Yes
    user: ?
    """
    lines = (line for message in messages for line in _iterate_message_lines(message))
    return "\n".join(LINE_END.sub(r"\g<0>  ", line) for line in lines)


def _iterate_message_lines(message: Message) -> Iterator[str]:
    if message.text:
        yield f"{message.role}: {message.text}"
    for call in message.calls:
        yield f"{message.role} calls {call.name} {call.written}"
    for result in message.results:
        yield f"result: {result.text}"


def _iterate_summary_lines(turn: Turn) -> Iterator[str]:
    if text := turn.message.text:
        short = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
        quoted = json.dumps(short, ensure_ascii=False)
        yield f"{Reference(turn.number)} {turn.message.role}: {quoted}"
    for number in range(1, len(turn.results) + 1):
        yield spell_pointer(turn.reference(number), turn.call_of(number))


def _omission_note(lines: int) -> str:
    return f"({lines} earlier lines are left out)"
