"""Calls in the notations of others: the shapes they have in JSON, and in elements with tags."""

import re
from collections.abc import Container
from dataclasses import dataclass

from lton.lenient._loose import Bracketed, Entry, Leaf, Tree

_NAMES = ("name", "tool", "tool_name", "function_name", "function", "action")
_ARGUMENTS = (
    "arguments parameters args input params kwargs tool_input action_input tool_args".split()
)
_ENVELOPES = ("tool_calls", "function_calls", "calls", "tool_call", "function_call", "function")
_MAX_ENVELOPES = 6
_TELLING = frozenset([*_NAMES, *_ARGUMENTS])
NAMED = re.compile(rf"""["']?(?:{"|".join(_NAMES)})["']?\s*[:=]\s*["']([^"'\n]{{1,200}})["']""")
"""The name of a tool in what may be a call in JSON that cannot be read."""

_DSML = r"(?:\uff5cDSML\uff5c)?"
ELEMENT = re.compile(
    rf"<{_DSML}(?:function=|(?:invoke|function|call|tool_call)\s+(?:name|tool)=[\"'])"
    rf"([^\"'<>\n]{{1,200}})[\"']?\s*>\s*"
)
"""`<function=get_weather>`, `<invoke name="get_weather">`."""
ELEMENT_END = re.compile(rf"</{_DSML}(?:function|invoke|call|tool_call)>")
_PARAMETER = re.compile(
    rf"<{_DSML}(?:parameter=|param(?:eter)?\s+name=[\"'])([^\"'<>\n]{{1,200}})[\"']?"
    rf"(\s+string=\"true\")?[^<>\n]{{0,80}}>(.*?)</{_DSML}param(?:eter)?>\s*"
    r"|<arg_key>([^<>\n]{1,200})</arg_key>\s*<arg_value>(.*?)</arg_value>\s*",
    re.DOTALL,
)
_FIRST_KEY = re.compile(r"\s*(?=<arg_key>)")


@dataclass(frozen=True, slots=True)
class CallShape:
    """What has the shape of a call: a name, where it is, and arguments."""

    pos: int
    name: str
    name_pos: int
    arguments: Tree
    second: int | None = None
    """Where the name or the arguments are given again, differently."""


def json_calls(node: Tree, tools: Container[str], depth: int = 0) -> list[CallShape]:
    """Get the calls in a JSON value, by the keys that models and their interfaces use.

    An object whose every key is the name of a tool holds one call a key. Only known envelopes
    are opened: a call that is quoted somewhere in other data is no call.
    """
    if isinstance(node, Leaf) or depth > _MAX_ENVELOPES or _is_chat(node):
        return []
    if node.opener == "[":
        return [shape for e in node.entries for shape in json_calls(e.value, tools, depth + 1)]
    fields = {entry.key: entry.value for entry in reversed(node.entries)}  # the first ones
    for key in _ENVELOPES:
        if found := json_calls(fields[key], tools, depth + 1) if key in fields else []:
            return found
    names = [fields[key] for key in _NAMES if key in fields]
    arguments = [fields[key] for key in _ARGUMENTS if key in fields]
    if names and isinstance(names[0], Leaf) and len(arguments) == 1:
        name, second = names[0], _second(node, names[0], names[1:], tools)
        return [CallShape(node.start, name.text, name.start, _group(arguments[0]), second)]
    if node.entries and all(
        e.key in tools and isinstance(e.value, Bracketed) for e in node.entries
    ):
        return [CallShape(e.start, e.key or "", e.start, e.value) for e in node.entries]
    return []


def _is_chat(node: Bracketed) -> bool:
    """Say whether this is a list of messages, in which another than the assistant speaks."""
    members = (
        member
        for entry in node.entries
        if node.opener == "[" and isinstance(entry.value, Bracketed)
        for member in entry.value.entries
    )
    return any(
        member.key == "role" and isinstance(member.value, Leaf) and member.value.text != "assistant"
        for member in members
    )


def _second(node: Bracketed, name: Leaf, others: list[Tree], tools: Container[str]) -> int | None:
    """Get the position of another tool's name, or of a second name or a second arguments."""
    for other in others:
        if isinstance(other, Leaf) and other.text != name.text and other.text in tools:
            return other.start
    seen = set()
    for entry in node.entries:
        if entry.key in seen and entry.key in _TELLING:
            return entry.start
        seen.add(entry.key)
    return None


def _group(node: Tree) -> Tree:
    """Get arguments that are nothing, as null or an empty string, as no arguments."""
    if isinstance(node, Leaf) and node.text.strip().lower() in ("", "null", "none"):
        return Bracketed(node.start, node.end, "{", (), json=True)
    return node


def element_call(src: str, pos: int) -> tuple[int, CallShape] | None:
    """Get the call that an element holds, from its opening tag on; None if it is not closed."""
    match = ELEMENT.match(src, pos)
    assert match is not None  # the caller has found it
    end, group = parameters(src, match.end())
    close = ELEMENT_END.match(src, end)
    return (close.end(), CallShape(pos, match[1].strip(), match.start(1), group)) if close else None


def parameters(src: str, pos: int) -> tuple[int, Bracketed]:
    """Get the parameters that are here as elements, as a group of keyed values."""
    entries: list[Entry] = []
    end = pos
    while match := _PARAMETER.match(src, end):
        key, is_text, text, other_key, other_text = match.groups()
        start = match.start(3 if key else 5)
        raw = text if key else other_text
        value = raw.removeprefix("\n").removesuffix("\n")
        leaf = Leaf(start, start + len(raw), "text" if is_text else "raw", value)
        entries.append(Entry(match.start(), (key or other_key).strip(), leaf))
        end = match.end()
    return end, Bracketed(pos, end, "{", tuple(entries), json=True)


def first_key(src: str, pos: int) -> int | None:
    """Get the position of the key in an element that follows a name, if one does."""
    match = _FIRST_KEY.match(src, pos)
    return match.end() if match else None
