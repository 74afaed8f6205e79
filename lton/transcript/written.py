"""A turn of the history in LTON: its calls as the model writes them, its results as frames."""

from collections.abc import Sequence
from dataclasses import replace

from lton._syntax import Form
from lton.chat import Message, Text, ToolCall
from lton.chat.rendering import Renderer
from lton.chat.writing import Writer
from lton.errors import ConversionError, EncodeError
from lton.schema import ToolSet
from lton.transcript.turns import Turn, is_error


def in_lton(
    turn: Turn, answers: Sequence[tuple[str, bool]], form: Form, tools: ToolSet | None
) -> tuple[Message, Message] | None:
    r"""Get the calls of a turn as a message, and what is shown of its results as the next.

    `answers` are the texts, and whether each is a pointer, which stays one; others become frames,
    JSON as its value. They are in the order of the calls. None if the turn has what cannot be said
    so: thoughts, images, prose that would read as a call, calls that the tools do not take.

    >>> from lton.chat import ToolResult
    >>> wait = ToolCall("wait", '{"minutes": 5}', "1")
    >>> done = Message("tool", (ToolResult((Text('{"ok": true}'),), "1"),))
    >>> turn = Turn(2, Message("assistant", (wait,)), (done,))
    >>> tools = ToolSet.from_prompt("wait(minutes:int)")
    >>> [each.text for each in in_lton(turn, [(done.results[0].text, False)], "keyed", tools)]
    ['wait minutes=5', '!result wait {ok true}']
    """
    results = [turn.result(number) for number in range(1, len(answers) + 1)]
    parts = (*turn.message.parts, *(part for result in results for part in result.parts))
    if not all(isinstance(part, Text | ToolCall) for part in parts):
        return None
    renderer = Renderer(Writer(tools, form, sigil=False), strict=True)
    frames: dict[int, str] = {}
    try:
        said = renderer.turn(turn.message, "")
        for at, (text, is_pointer) in enumerate(answers):
            shown = replace(results[at], parts=(Text(text),), is_error=is_error(results[at]))
            name = turn.call_of(at + 1).name
            frames[at] = text if is_pointer else renderer.frame(name, shown, "")
    except (ConversionError, EncodeError):
        return None
    ordered = [frames[at] for at in sorted(frames, key=lambda at: turn.places[at] or 0)]
    return Message.saying("assistant", said), Message.saying("user", "\n".join(ordered))
