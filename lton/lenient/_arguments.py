"""Find the start of a call's arguments after its name."""

from lton._patterns import compiled_when_used
from lton.lenient._call_elements import find_key_after_name
from lton.lenient._tree import JSON_OBJECT

_MARK_BETWEEN = (
    r"<[|\uff5c][\w\u2581]*(?:sep|argument|constrain|message)[\w\u2581]*[|\uff5c]>(?:json\b)?"
    r"|<\|channel\|>(?:commentary|analysis)\b|\[ARGS\]|\[CALL_ID\]\w{1,40}"
)
"""A special token after a tool's name that announces arguments."""
INPUT = r"(?i:(?:action|tool|function|call)?[ _]?(?:input|arguments?|args|param(?:eter)?s|kwargs))"
"""A label that announces arguments."""
_JOINT = compiled_when_used(
    rf"(?>(?:\([ \t]*\)(?=[ \t]*\r?\n)|`{{1,2}}(?=\s))?)(?>(?:[ \t]*:[ \t]*(?=\{{)|:\d{{1,9}}|\s+"
    rf"|{_MARK_BETWEEN}|\w{{1,30}}(?=[ \t]*<\|message\|>)|<{INPUT}>|```(?:json)?[ \t]*\r?\n"
    rf"|(?:(?<=\n)|[,;][ \t]*|(?<=[ \t]))(?:\*\*)?{INPUT}(?:\*\*)?[ \t]*[:=](?:\*\*)?)"
    r"{0,20})(?=\{)"  # a limit, because the text may repeat such marks after each of many names
)
"""The text between a name and its arguments in JSON: marks, and labels for arguments."""
_GOES_ON = compiled_when_used(
    rf"(?::\d{{1,9}})?\s*(?:{_MARK_BETWEEN}|<\|(?:channel|content_\w{{1,40}})\|>)"
)
"""Marks after a name that announce arguments."""
_EMPTY = compiled_when_used(r"\{\s*\}")


def find_body_after(src: str, pos: int) -> int | None:
    """Return the position after the marks between a name and its arguments, or None.

    If announced arguments cannot be read, the call must not be read as one without arguments.
    """
    joint = _JOINT.match(src, pos)
    if joint and joint[0].strip(" \t\r\n:") and find_json_start(src, pos) is not None:
        return joint.end()
    if (keys := find_key_after_name(src, pos)) is not None:
        return keys
    match = _GOES_ON.match(src, pos)
    return match.end() if match else None


def is_shaped(src: str, pos: int) -> bool:
    """Return whether the text after a name can only be arguments."""
    return (
        src.startswith("(", pos)
        or (find_json_start(src, pos) or find_key_after_name(src, pos)) is not None
    )


def find_json_start(src: str, pos: int) -> int | None:
    """Return the position of the JSON object after a name, or None."""
    joint = _JOINT.match(src, pos)
    if joint and (JSON_OBJECT.match(src, joint.end()) or _EMPTY.match(src, joint.end())):
        return joint.end()
    return None
