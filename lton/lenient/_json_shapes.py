"""Calls in the notations of others: the shapes they have in JSON, and in elements with tags."""

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, replace
from functools import partial
from html import unescape
from itertools import islice

from lton._patterns import compiled_when_used
from lton.lenient._tree import Bracketed, Entry, Leaf, Tree

_NAMES = ("name", "tool", "tool_name", "function_name", "function", "action")
_ARGUMENTS = (
    "arguments parameters args input params kwargs tool_input action_input tool_args".split()
)
_ENVELOPES = ("tool_calls", "function_calls", "calls", "tool_call", "function_call", "function")
_MAX_ENVELOPES = 6
_TELLING = frozenset([*_NAMES, *_ARGUMENTS])
NAMED = compiled_when_used(
    rf"""["']?(?:{"|".join(_NAMES)})["']?\s*[:=]\s*["']([^"'\n]{{1,200}})["']"""
)
"""The name of a tool in what may be a call in JSON that cannot be read."""

_PREFIX = r"(?:\uff5cDSML\uff5c ?|\w{1,20}:)?"
"""What comes before the name of an element, as in `<steptml:invoke>`; DeepSeek's has bars."""
_SUFFIX = r"(?::\w{1,20})?"
"""What comes after it: `<arg_key:opensource>`."""
_GAP = r"(?>(?:\s|\\n)*)"
"""Space between elements; where all text was escaped, a line end is a backslash and an `n`."""
ELEMENT = compiled_when_used(
    rf"<{_PREFIX}(?:function=|(?:invoke|function|call|tool_call)\s+(?:name|tool)=[\"'])"
    r"([^\"'<>\n]{1,200}?)[\"']?\s*(/)?>\s*"
    r"|<\|open\|>call\s+tool=\"([^\"<>\n]{1,200})\"[^<>\n]{0,80}<\|sep\|>\s*"
)
"""`<function=get_weather>`, `<invoke name="get_weather">`, and what Kimi K3 writes."""
ELEMENT_END = compiled_when_used(
    rf"</{_PREFIX}(?:function|invoke|call|tool_call)>|<\|close\|>call<\|sep\|>"
)
INVOKES = compiled_when_used(r"([\w./-]{1,200})<\|content_invoke_tool_json\|>\s*")
"""A name that the JSON after it says again (Inkling)."""
_PARAMETER = compiled_when_used(
    rf"<({_PREFIX})(?:parameter=|param(?:eter)?\s+name=[\"'])([^\"'<>\n]{{1,200}})[\"']?"
    r"(?:\s+string=\"(true|false)\")?[^<>\n]{0,80}>"
    rf"|<arg_key{_SUFFIX}>([^<>\n]{{1,200}})</arg_key{_SUFFIX}>{_GAP}<arg_value{_SUFFIX}>"
    r"|<\|open\|>argument\s+key=\"([^\"<>\n]{1,200})\"(?:\s+type=\"(\w{1,20})\")?[^<>\n]{0,80}<\|sep\|>"
)
"""The beginning of a parameter, in each of three syntaxes."""
_FOLLOWS = rf"(?={_GAP}(?:{_PARAMETER.pattern}|{ELEMENT_END.pattern}|\Z))"
_ENDS = {
    2: rf"</{_PREFIX}param(?:eter)?>|(?<=\n)</parameter\w{{0,20}}>?{_FOLLOWS}",
    4: rf"</arg_value{_SUFFIX}>",
    5: r"<\|close\|>argument<\|sep\|>",
}
_CLOSING = {
    key: compiled_when_used(f"(?:{end})(?P<more>{_FOLLOWS})?") for key, end in _ENDS.items()
}
"""The end of a parameter, by the group of its name; the text may hold the same mark."""
_SAYS_STRING = ("true", "string")
"""What says of a value that it is a string: `string="true"`, `type="string"`."""
_MAX_CLOSINGS = 20
"""Marks in a text that are looked at for the one that ends it."""
_CDATA = compiled_when_used(r"\s*<!\[CDATA\[(.*?)\]\]>\s*", re.DOTALL)
_SPACE = compiled_when_used(_GAP)
_FIRST_KEY = compiled_when_used(rf"(?>(?:{_GAP}<tool_sep>)?{_GAP})(?=<arg_key{_SUFFIX}>)")


@dataclass(frozen=True, slots=True)
class CallShape:
    """What has the shape of a call: a name, where it is, and arguments."""

    pos: int
    name: str
    name_pos: int
    arguments: Tree
    second: int | None = None
    """Where the name or the arguments are given again, differently."""


def json_calls(
    node: Tree, tools: Container[str], bare: Container[str] = (), depth: int = 0
) -> list[CallShape]:
    """Get the calls in a JSON value, by the keys that models and their interfaces use.

    An object whose every key is the name of a tool holds one call a key. One that has a name of
    `bare`, and no arguments, is a call too. Only known envelopes are opened: a call that is quoted
    somewhere in other data is no call.
    """
    if isinstance(node, Leaf) or depth > _MAX_ENVELOPES or _is_chat(node):
        return []
    inner = partial(json_calls, tools=tools, bare=bare, depth=depth + 1)
    if node.opener == "[":
        return [shape for entry in node.entries for shape in inner(entry.value)]
    fields = {entry.key: entry.value for entry in reversed(node.entries)}  # the first ones
    opened = (inner(fields[key]) for key in _ENVELOPES if key in fields)
    if found := next(filter(None, opened), None):
        return found
    if shape := _named_call(node, fields, tools, bare):
        return [shape]
    if all(entry.key in tools and isinstance(entry.value, Bracketed) for entry in node.entries):
        return [CallShape(e.start, e.key or "", e.start, e.value) for e in node.entries]
    return []


def _named_call(
    node: Bracketed,
    fields: Mapping[str | None, Tree],
    tools: Container[str],
    bare: Container[str],
) -> CallShape | None:
    """Get the call that an object with a name and arguments is."""
    names = [fields[key] for key in _NAMES if key in fields]
    arguments = [fields[key] for key in _ARGUMENTS if key in fields]
    if not names or not isinstance(names[0], Leaf):
        return None
    if not arguments and len(node.entries) == 1:
        arguments = _no_arguments(names[0], bare)
    if len(arguments) != 1:
        return None
    name, second = names[0], _second(node, names[0], names[1:], tools)
    return CallShape(node.start, name.text, name.start, _group(arguments[0]), second)


def _no_arguments(name: Leaf, bare: Container[str]) -> list[Tree]:
    """Get empty arguments for a tool that takes none; nothing for another."""
    return [Bracketed(name.end, name.end, "{", (), json=True)] * (name.text in bare)


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


def element_call(src: str, pos: int, arguments: Bracketed | None) -> tuple[int, CallShape] | None:
    """Get the call that an element holds, from its opening tag on; None if it is not closed.

    Its `arguments` are those in JSON after the tag, or else the parameters there.
    """
    match = ELEMENT.match(src, pos)
    assert match is not None  # the caller has found it
    name, start = (match[1], match.start(1)) if match[1] else (unescape(match[3]), match.start(3))
    end, group = (arguments.end, arguments) if arguments else parameters(src, match.end())
    shape = CallShape(pos, name.strip(), start, group)
    if match[2]:
        return match.end(), replace(shape, arguments=Bracketed(end, end, "{", (), json=True))
    close = ELEMENT_END.match(src, _skip_space(src, end))
    return (close.end(), shape) if close else None


def _skip_space(src: str, pos: int) -> int:
    match = _SPACE.match(src, pos)
    assert match is not None  # it matches nothing, too
    return match.end()


def parameters(src: str, pos: int) -> tuple[int, Bracketed]:
    """Get the parameters that are here as elements, as a group of keyed values."""
    entries: list[Entry] = []
    end = pos
    while match := _PARAMETER.match(src, end):
        kind = next(group for group in _CLOSING if match[group])
        close = _closing(src, match.end(), _CLOSING[kind])
        if close is None or _has_unended(src[match.end() : close.start()], kind):
            break
        leaf = Leaf(match.end(), close.start(), *_value(match, src[match.end() : close.start()]))
        key = unescape(match[kind]) if kind == 5 else match[kind].strip()
        entries.append(Entry(match.start(), key, leaf))
        end = _skip_space(src, close.end())
    return end, Bracketed(pos, end, "{", tuple(entries), json=True)


def _closing(src: str, pos: int, pattern: re.Pattern[str]) -> re.Match[str] | None:
    """Get the first closing mark that a parameter or an end follows; else the first of all."""
    first = None
    for match in islice(pattern.finditer(src, pos), _MAX_CLOSINGS):
        if match["more"] is not None:
            return match
        first = first or match
    return first


def _has_unended(text: str, kind: int) -> bool:
    """Say whether a parameter begins in the text of another and does not end there.

    Then that text has perhaps lost its end, and where it ends is unknown.
    """
    begun = sum(1 for match in islice(_PARAMETER.finditer(text), _MAX_CLOSINGS) if match[kind])
    return begun > sum(1 for _ in islice(_CLOSING[kind].finditer(text), _MAX_CLOSINGS))


def _value(match: re.Match[str], text: str) -> tuple[str, str]:
    """Get the kind and the text of a parameter's value, without what belongs to its layout."""
    if found := _CDATA.fullmatch(text):
        return "text", found[1]
    said = match[3] or match[6]
    kind = "raw" if said is None else "text" if said in _SAYS_STRING else "json"
    if (match[1] or "").startswith("\uff5c") or match[5]:
        return kind, text
    value = text.removeprefix("\n")
    if match[2] or value != text:
        value = value.removesuffix("\n")
    return kind, value


def first_key(src: str, pos: int) -> int | None:
    """Get the position of the key in an element that follows a name, if one does."""
    match = _FIRST_KEY.match(src, pos)
    return match.end() if match else None
