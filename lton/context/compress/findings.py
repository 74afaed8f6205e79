"""Find the lines of tool output that belong to a message: the quoted source, and the pointer below.

A *finding* is a message with the lines that explain it. If there is no room for all of them, the
message is kept, because its source and its pointer say nothing without it.
"""

from collections.abc import Callable, Sequence

from lton._patterns import compiled_when_used

_LABEL = compiled_when_used(r"\s*\[[A-Za-z]{3,8}\] ?")
"""A label before each line of a message and of its source, as in Maven's logs."""
_POINTER = compiled_when_used(r"[^\w^~]*+(?:\^[\^~]*+(?!\w)|~++\s*+$)")
"""A line that points at a place in the line above, perhaps with a remark."""
_QUOTED = compiled_when_used(r"\s*+(?:>\s*+)?(?:\d++ ?[|│]|[|│](?!\S)|-->|╭[─▸]|╰[─▸]|help: |= )")
"""A numbered line of a program, or a line around such lines."""
_FARTHEST = 8
"""The greatest distance between a message and a line of the same finding."""
_OTHER_LINES = 2
"""The most lines between a message and its pointer that do not explain it by their form."""


def find_messages_of_lines(
    bodies: Sequence[str], is_diagnostic_line: Callable[[str], bool]
) -> list[int | None]:
    """Return for each line the place of the message that the line explains, or None.

    >>> lines = ["a.c:3: error: no such name", "x = y;", "    ^", "done"]
    >>> find_messages_of_lines(lines, lambda line: "error" in line)
    [None, 0, 0, None]
    """
    messages: list[int | None] = [None] * len(bodies)
    for at, body in enumerate(bodies):
        if not _explains_message(body):
            continue
        message = _find_message_before(at, bodies, messages, is_diagnostic_line)
        if message is None:
            continue
        messages[at] = message
        if _POINTER.match(_without_label(body)):
            messages[message + 1 : at] = [message] * (at - message - 1)
    return messages


def _find_message_before(
    at: int,
    bodies: Sequence[str],
    messages: Sequence[int | None],
    is_diagnostic_line: Callable[[str], bool],
) -> int | None:
    others = 0
    for index in range(at - 1, max(-1, at - 1 - _FARTHEST), -1):
        if messages[index] is not None:
            return messages[index]
        if _explains_message(bodies[index]):
            continue
        if is_diagnostic_line(_without_label(bodies[index])):
            return index
        others += 1
        if others > _OTHER_LINES:
            return None
    return None


def _explains_message(body: str) -> bool:
    return bool(_QUOTED.match(body) or _POINTER.match(_without_label(body)))


def _without_label(body: str) -> str:
    label = _LABEL.match(body)
    return body[label.end() :] if label else body
