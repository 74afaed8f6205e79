"""Find the names and arguments of calls written as XML-like elements."""

import re
from collections.abc import Container, Iterable
from dataclasses import dataclass, replace
from html import unescape
from itertools import islice
from typing import Literal

from lton._patterns import compiled_when_used
from lton.errors import RepairCode
from lton.lenient._tree import Bracketed, Entry, Leaf, Tree
from lton.lenient.syntaxes import (
    FIRST_KEY,
    GAP,
    OWN_PREFIX,
    PARAMETERS,
    PREFIX,
    ArgumentsForm,
    pattern_of_column,
)

MAX_ENVELOPES = 6

_CALL = r"(?:invoke|invocation|function|call|(?:tool|function)_(?:call|use|invocation))"
_KEY_OF_ATTRIBUTE = r"[A-Za-z_][\w:.-]{0,63}\s{0,4}="
_NAME_KEY = r"(?:(?:tool|function)_)?(?:name|tool|function)\s{0,4}=\s{0,4}[\"']?"
ELEMENT = compiled_when_used(
    rf"<{PREFIX}(?:function=[\"']?"
    rf"|{_CALL}\s+(?P<before>{_KEY_OF_ATTRIBUTE}[^<>]{{0,200}}?\s)??{_NAME_KEY})"
    rf"(?P<name>[^\"'<>{{\n]{{1,200}}?)[\"']?(?P<after>\s+{_KEY_OF_ATTRIBUTE}[^<>]{{0,1000}}?)?"
    r"\s*(?:(?P<closed>/)?>\s*|(?=\{))"
    rf"|{pattern_of_column('call_element')}"
)
"""`<function=get_weather>`, `<invoke name="get_weather">` with attributes, and Kimi K3's."""
ELEMENT_END = compiled_when_used(rf"</{PREFIX}({_CALL})>|{pattern_of_column('call_end')}")
_ATTRIBUTE = compiled_when_used(
    r"\s*+([A-Za-z_][\w:.-]*+)\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)')(?=\s|\Z)"
)
INVOKES = compiled_when_used(rf"([\w./-]{{1,200}})(?:{pattern_of_column('after_name')})\s*")
"""A name that the JSON after it repeats (Inkling)."""
_PARAMETER = compiled_when_used("|".join(form.opening for form in PARAMETERS))
"""The start of a parameter, in any form."""
_UNNAMED = re.sub(r"\(\?P<\w+>", "(?:", _PARAMETER.pattern)
_LAST = rf"{ELEMENT_END.pattern}|</{OWN_PREFIX}tool_call>"
_FOLLOWS = rf"(?={GAP}(?:{_UNNAMED}|{_LAST}|\Z))"
_ENDS = {
    form.name: f"{form.closing}|{form.damaged}{_FOLLOWS}" if form.damaged else form.closing
    for form in PARAMETERS
}
_CLOSING = {
    name: compiled_when_used(f"(?:{end})(?P<more>{_FOLLOWS})?") for name, end in _ENDS.items()
}
"""The closing mark of a parameter, by form. The parameter's text may also contain this mark."""
_INNER = {form.name: compiled_when_used(form.inner) for form in PARAMETERS}
"""Marks that may occur in pairs in a parameter, by form. Group 1 matches a closing mark."""
_SAYS_STRING = ("true", "string")  # declares a string: `string="true"`, `type="string"`
_MAX_CLOSINGS = 20  # the number of marks that are examined to find a parameter's end
_CDATA = compiled_when_used(r"\s*<!\[CDATA\[(.*?)\]\]>\s*", re.DOTALL)
_LAID_OUT = compiled_when_used(r"(\r?\n)(.*)\1", re.DOTALL)
"""A value between a line break after its opening mark and one before its closing mark."""


def _pattern_of_forms_column(column: Literal["laid_out", "inline_in", "may_be_cdata"]) -> str:
    return "|".join(pattern for form in PARAMETERS if (pattern := getattr(form, column)))


_HAS_LAYOUT = compiled_when_used(_pattern_of_forms_column("laid_out"))
_MAY_BE_CDATA = compiled_when_used(_pattern_of_forms_column("may_be_cdata"))
_WRITES_INLINE = compiled_when_used(rf"(?:{_pattern_of_forms_column('inline_in')})\s*\Z")
_SPACE = compiled_when_used(GAP)
_ANY_END = compiled_when_used("|".join(_ENDS.values()))
_OPENS_KEY = compiled_when_used(
    r"[\s`\"'.,;:!?)\]}]*+(?:<?/?[\w:.|\uff5c-]{0,40}(?:=|\s++(?:name|key)=|>)\s*+)?"
    r"[\"']?([\w.-]{1,64})[\"']?\s*+(?:[>=:]|</|string=)"
)
"""The start of a parameter, complete or damaged: `<parameter=k`, `parameter=k>`, `k</arg_key>`."""
_DAMAGED = compiled_when_used(
    r"(?:(?:</|<\|close\|>)[^<>\n]{0,80}?=[\"']?"
    r"|(?<![<\w\uff5c|: ])[\w:\uff5c|]{0,12}[ ]?(?:eter=|(?:name|key)=[\"']))"
    r"([\w.-]{1,64})[\"']?[^<>\n]{0,40}(?:>|<\|sep)"
)
"""The end of such a mark without its start, or in a closing tag: `</paramer name="k">`."""
_MENTIONED = compiled_when_used(r"[ \t]+[^\W\d_]|[`\"'.,;:!?)\]}]")
"""The text after a mark that shows that the text only mentions the mark."""
_TYPED = compiled_when_used(
    r"<cofl:value(?:\s+name=\"([^\"<>\n]{1,200})\")?\s+type=\"(raw|json|dict|list)\">"
)
_TYPED_END = "</cofl:value>"
_TYPED_PIECE = compiled_when_used(r"cofl:|type=\"(?:raw|json|dict|list)\">")
TOOL_ELEMENT = compiled_when_used(
    rf"<(?P<name>[A-Za-z_][\w.-]{{0,63}})(?P<after>\s+{_KEY_OF_ATTRIBUTE}[^<>]{{0,1000}}?)?"
    r"[ \t]*(?P<closed>/)?>\s*"
)
"""An element that may be named after a tool, as in Cline and Kilo Code, perhaps with attributes."""
_FIRST_KEY = compiled_when_used(rf"(?>(?:{GAP}<tool_sep>)?{GAP})(?={FIRST_KEY})")


@dataclass(frozen=True, slots=True)
class CallShape:
    """The name, the position and the arguments of a call in JSON or in an element."""

    pos: int
    name: str
    name_pos: int
    arguments: Tree
    second: int | None = None  # the position of a second name or of second arguments
    other_keys: tuple[str | None, ...] = ()  # the other keys of the object
    attributes: tuple[Entry, ...] = ()  # of the element, besides the name


def empty_group(start: int, end: int | None = None) -> Bracketed:
    """Return an empty group of arguments, at a position or instead of a text."""
    return Bracketed(start, start if end is None else end, "{", (), json=True)


def try_read_element_call(
    src: str, pos: int, arguments: Bracketed | None
) -> tuple[int, CallShape] | None:
    """Return the end of the element at a position, and the call in the element."""
    match = ELEMENT.match(src, pos)
    assert match is not None  # the caller has found it
    group_of_name = next(group for group in _iterate_name_groups(match) if match[group])
    name = match[group_of_name]
    if group_of_name != "name":
        name = unescape(name)
    attributes = find_attributes(match)
    if attributes is None:
        return None
    is_inline = _WRITES_INLINE.search(src, max(0, pos - 80), pos) is not None
    if arguments:
        end = arguments.end
        group = arguments
    else:
        end, group = read_parameters(src, match.end(), is_inline=is_inline)
    if typed := try_read_typed_elements(src, end) if end == match.end() else None:
        end = typed[0]
        group = replace(group, end=typed[0], entries=typed[1])
    shape = CallShape(pos, name.strip(), match.start(group_of_name), group, attributes=attributes)
    if match["closed"]:
        return match.end(), replace(shape, arguments=empty_group(end))
    close = ELEMENT_END.match(src, _skip_space(src, end))
    if close is None:
        return None
    again = ELEMENT_END.match(src, _skip_space(src, close.end()))
    is_repeated = again is not None and again[1] == close[1] and again[0] != close[0]
    return (again.end() if again and is_repeated else close.end()), shape


def _iterate_name_groups(match: re.Match[str]) -> Iterable[str]:
    """Yield the groups of `ELEMENT` that may have the name: `name`, and `own` of each row."""
    return (group for group in match.groupdict() if group == "name" or group.startswith("own"))


def find_attributes(match: re.Match[str]) -> tuple[Entry, ...] | None:
    """Return the attributes of an element besides its name, or None if they cannot be read."""
    entries = []
    for group in match.groupdict().keys() & {"before", "after"}:
        text = match[group] or ""
        start = match.start(group)
        pos = 0
        while attribute := _ATTRIBUTE.match(text, pos):
            value = attribute[2] if attribute[3] is None else attribute[3]
            value_start = start + attribute.start(2 if attribute[3] is None else 3)
            leaf = Leaf(value_start, value_start + len(value), "raw", value)
            entries.append(Entry(start + attribute.start(1), attribute[1], leaf))
            pos = attribute.end()
        if text[pos:].strip():
            return None
    return tuple(sorted(entries, key=lambda entry: entry.start))


def has_entity(value: Tree) -> bool:
    """Return whether an attribute's text may be escaped, so that it has two readings."""
    return isinstance(value, Leaf) and "&" in value.text and unescape(value.text) != value.text


def _skip_space(src: str, pos: int) -> int:
    match = _SPACE.match(src, pos)
    assert match is not None  # the pattern also matches an empty string
    return match.end()


def read_parameters(src: str, pos: int, *, is_inline: bool = False) -> tuple[int, Bracketed]:
    """Read the parameters that are written as elements at a position.

    With `is_inline`, no line break around a value is layout.
    """
    texts = _Texts(src)
    end = pos
    while match := _PARAMETER.match(src, end):
        kind = next(group for group in _CLOSING if match[group])
        text = texts.read_text(match.end(), _INNER[kind], _CLOSING[kind])
        if text is None or _has_unended(text[0], kind):
            break
        leaf = Leaf(
            match.end(),
            match.end() + len(text[0]),
            *_read_value(match, text[0], is_inline=is_inline),
        )
        key = unescape(match[kind]) if kind == "argument" else match[kind].strip()
        texts.entries.append(Entry(match.start(), key, leaf))
        end = _skip_space(src, text[1])
    return end, texts.to_group(pos, end)


def read_member_elements(
    src: str, pos: int, name: str, keys: Iterable[str]
) -> tuple[int, Bracketed]:
    """Read the parameters in an element that is named after a tool.

    Cline writes long values between line breaks, as Qwen does.
    """
    texts = _Texts(src)
    one = "|".join(map(re.escape, keys)) or r"(?!)"
    opening = re.compile(rf"<({one})>")
    follows = rf"(?P<more>(?=\s*(?:<(?:{one})>|</{re.escape(name)}>)))?"
    end = pos
    while match := opening.match(src, end):
        own = re.escape(match[1])
        text = texts.read_text(
            match.end(), re.compile(f"<(/)?{own}>"), re.compile(f"</{own}>{follows}")
        )
        if text is None:
            break
        leaf = Leaf(match.end(), match.end() + len(text[0]), "raw", _without_layout(text[0]))
        texts.entries.append(Entry(match.start(), match[1], leaf))
        end = _skip_space(src, text[1])
    return end, texts.to_group(pos, end)


class _Texts:
    """Reads the text of each parameter of a call, and records what is irregular about it."""

    def __init__(self, src: str) -> None:
        self.src = src
        self.entries: list[Entry] = []
        self.notes: list[tuple[int, RepairCode]] = []
        self.is_torn = False

    def to_group(self, pos: int, end: int) -> Bracketed:
        group = Bracketed(pos, end, "{", tuple(self.entries), json=True)
        return replace(group, notes=tuple(self.notes), has_tags=True, is_torn=self.is_torn)

    def read_text(
        self, pos: int, marks: re.Pattern[str], closing: re.Pattern[str]
    ) -> tuple[str, int] | None:
        """Return the text of a parameter, and the position after the parameter.

        The text ends at the first closing mark before a parameter or the end of the call. If no
        mark is in such a place, or if the mark is repeated, the text ends at the first mark.
        """
        closings = list(islice(closing.finditer(self.src, pos), _MAX_CLOSINGS))
        if not closings:
            return None
        first = closings[0]
        close = next((match for match in closings if match["more"] is not None), first)
        text = self.src[pos : first.start()]
        between = closing.sub("", self.src[first.start() : close.start()])
        is_repeated = first is not close and text.strip() != "" and not between.strip()
        if is_repeated and text.endswith("\n") == (self.src[close.start() - 1] == "\n"):
            self.notes.append((close.start(), RepairCode.FRAME))
        else:
            text = self.src[pos : close.start()]
        self.is_torn = self.is_torn or _is_torn(text, marks)
        return text, close.end()


def _is_torn(text: str, marks: re.Pattern[str]) -> bool:
    """Return whether a parameter contains a closing mark without an opening mark.

    If keys have marks of their own, an opening mark without a closing mark counts, too. A mark in
    the middle of a sentence is ignored: "`</parameter>` ends it".
    """
    depth = [0, 0]
    has_opening = False
    for match in marks.finditer(text):
        is_key = "arg_key" in match[0]
        depth[is_key] += -1 if match[1] else 1
        is_mentioned = _MENTIONED.match(text, match.end()) is not None
        if depth[is_key] < 0 and not is_mentioned:
            return True
        has_opening = has_opening or ("arg_" in match[0] and not (match[1] or is_mentioned))
    return has_opening and max(depth) > 0


def opens_key(text: str, keys: Container[str]) -> bool:
    """Return whether a string contains the (possibly damaged) start of a parameter in `keys`."""
    for close in _ANY_END.finditer(text):
        opened = _OPENS_KEY.match(text, close.end())
        if opened and opened[1] in keys:
            return True
    return any(match[1] in keys for match in _DAMAGED.finditer(text))


def _has_unended(text: str, kind: ArgumentsForm) -> bool:
    """Return whether a parameter contains the start of another one. Its end may be missing."""
    openings = islice(_PARAMETER.finditer(text), _MAX_CLOSINGS)
    count = sum(1 for match in openings if match[kind])
    return count > sum(1 for _ in islice(_CLOSING[kind].finditer(text), _MAX_CLOSINGS))


def try_read_typed_elements(
    src: str, pos: int, depth: int = 0
) -> tuple[int, tuple[Entry, ...]] | None:
    """Read nested values in Cohere's format, in which each element states its type."""
    entries: list[Entry] = []
    while match := _TYPED.match(src, pos):
        start = match.end()
        if match[2] in ("dict", "list"):
            inner = (
                try_read_typed_elements(src, start, depth + 1) if depth < MAX_ENVELOPES else None
            )
            if inner is None:
                return None
            end, items = inner
            opener = "{" if match[2] == "dict" else "["
            value: Tree = Bracketed(start, end, opener, items, json=True)
        else:
            end = src.find(_TYPED_END, start)
            value = Leaf(start, end, "text" if match[2] == "raw" else "json", src[start:end])
        is_torn = isinstance(value, Leaf) and _TYPED_PIECE.search(value.text) is not None
        if is_torn or not src.startswith(_TYPED_END, end):
            return None
        entries.append(Entry(match.start(), unescape(match[1]) if match[1] else None, value))
        pos = _skip_space(src, end + len(_TYPED_END))
    return pos, tuple(entries)


def _read_value(match: re.Match[str], text: str, *, is_inline: bool) -> tuple[str, str]:
    """Return the kind of a parameter's value, and its text without layout."""
    if _MAY_BE_CDATA.match(match[0]) and (cdata := _CDATA.fullmatch(text)):
        return "text", cdata[1]
    type_name = match["string"] or match["type"]
    if type_name is None:
        kind = "raw"
    elif type_name in _SAYS_STRING:
        kind = "text"
    else:
        kind = "json"
    has_layout = _HAS_LAYOUT.match(match[0]) is not None and not is_inline
    return kind, _without_layout(text) if has_layout else text


def _without_layout(text: str) -> str:
    laid_out = _LAID_OUT.fullmatch(text)
    return laid_out[2] if laid_out else text


def find_key_after_name(src: str, pos: int) -> int | None:
    """Return the position of the key in the element after a name, or None."""
    match = _FIRST_KEY.match(src, pos)
    return match.end() if match else None
