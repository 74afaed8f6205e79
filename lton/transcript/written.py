"""A turn of the history in LTON: its calls as the model writes them, its results as frames."""

from collections.abc import Sequence

from lton._json import read_value
from lton._syntax import Form
from lton.chat import Message, Text, ToolCall, ToolResult
from lton.chat.writing import is_like_frame, write_answer, write_turn
from lton.errors import ConversionError, EncodeError
from lton.schema import ToolSet
from lton.transcript.turns import Turn, is_error


def in_lton(
    turn: Turn, answers: Sequence[tuple[str, bool]], form: Form, tools: ToolSet | None
) -> tuple[Message, Message] | None:
    r"""Get the calls of a turn as a message, and what is shown of its results as the next.

    `answers` are the texts, and whether each is a pointer, which stays one; others become frames,
    JSON as its value. None if the turn has what cannot be said so: thoughts, images, prose that
    would read as a call, calls that the tools do not take.

    >>> wait = ToolCall("wait", '{"minutes": 5}', "1")
    >>> done = Message("tool", (ToolResult((Text('{"ok": true}'),), "1"),))
    >>> turn = Turn(2, Message("assistant", (wait,)), (done,))
    >>> tools = ToolSet.from_prompt("wait(minutes:int)")
    >>> [each.text for each in in_lton(turn, [(done.results[0].text, False)], "keyed", tools)]
    ['wait minutes=5', '!result wait {ok true}']
    """
    message = turn.message
    if not all(isinstance(part, Text | ToolCall) for part in message.parts):
        return None
    if is_like_frame(message.text):
        return None
    try:
        calls = [turn.call_of(number).call for number in range(1, len(answers) + 1)]
        prose = message.text.rstrip("\n")
        said = write_turn(prose, calls, tools, form=form, sigil=bool(message.text))
        frames = [
            text if is_pointer else _answer(calls[at].name, text, turn.result(at + 1))
            for at, (text, is_pointer) in enumerate(answers)
        ]
    except (ConversionError, EncodeError):
        return None
    return Message.saying("assistant", said), Message.saying("user", "\n".join(frames))


def _answer(name: str, text: str, result: ToolResult) -> str:
    """Get the frame of a result: of JSON its value, of an error and other text the text itself."""
    if is_error(result):
        return write_answer(name, text, is_error=True)
    return write_answer(name, read_value(text))
