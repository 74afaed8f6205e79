"""Mend a call that a server has already parsed, but whose arguments do not fit the tool's schema.

A server that parses calls decides where a call begins and ends, and which tool it names. So only
the values remain to be read: the arguments are read as `decode_lenient` reads JSON, and the schema
decides what they mean. A call is mended only if one reading fits, and only if the call as written
does not fit. Arguments without their end are never mended, because nobody knows what is missing.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from lton._json import minified, read_json
from lton._patterns import compiled_when_used
from lton.codec import encode
from lton.codec._given import check_text
from lton.errors import LTONError, RepairCode
from lton.lenient._candidates import CallReader, Candidate
from lton.lenient._doubt import Doubt
from lton.lenient._effort import Effort
from lton.lenient._json_calls import JSONReader
from lton.lenient._names import Names
from lton.lenient._results import Repair
from lton.lenient._spans import Spans
from lton.lenient._strings import Strings
from lton.lenient._tree import Bracketed, Leaf, Loose, Repairs, Tree, Unreadable
from lton.schema.toolset import ToolSet, check_tools
from lton.schema.types import Call

MAX_ARGUMENTS = 256 * 1024  # characters; longer arguments are not mended
_FENCE = "```"
_OPENS_FENCE = compiled_when_used(r"```[ \t]*+(?:\w{1,20}[ \t]*+)?\r?\n")
_MAX_ENCODED = 8  # how often arguments may have been encoded as a string
_ENDS_NAME = compiled_when_used(r"(?::\d{1,9})?\s*")
"""The rest of a name: the number of Kimi's ids, `functions.f:0`."""
_NO_VALUES = frozenset(["NaN", "Infinity", "-Infinity", "undefined"])
"""Words for a missing value in JavaScript, which are not strings without quotes."""


@dataclass(frozen=True, slots=True)
class Mended:
    """A call that fits its schema after these repairs.

    `arguments` is the JSON of the call's arguments. If only the name was mended, this is the
    original text. The position of a repair is in the original arguments, and 0 for a name.
    """

    call: Call
    arguments: str
    repairs: tuple[Repair, ...]


def mend_call(name: str, arguments: str, tools: ToolSet) -> Mended | None:
    r"""Return the only call that fits the tools, or None if there is nothing to mend.

    `name` and `arguments` are a call as a server returned it, with the arguments as text. Values,
    quotes, commas, fences and names are repaired by the rules of `decode_lenient`. None means that
    the call already fits, that it cannot be read, or that the end of its arguments is missing.

    >>> tools = ToolSet.from_prompt("wait(minutes:int)")
    >>> mended = mend_call("functions.wait", '{"minutes": "5",}', tools)
    >>> mended.call, [repair.code.name for repair in mended.repairs]
    (Call(name='wait', arguments={'minutes': 5}), ['SIGIL', 'KIND', 'SEPARATOR'])
    >>> mend_call("wait", '{"minutes": 5}', tools) is mend_call("wait", '{"minu', tools) is None
    True
    """
    check_text(name)
    check_text(arguments)
    check_tools(tools)
    if len(arguments) > MAX_ARGUMENTS or fits_schema(name, arguments, tools):
        return None
    names = Names(name, tools.under_aliases, Spans(Doubt(name)))
    head = names.try_read_head(len(name) - len(name.lstrip()))
    if head is None or not _ENDS_NAME.fullmatch(name, head.end):
        return None
    own_name = tools.own_name(head.name)
    codes = [code for _, code in head.notes]
    if own_name == name:
        codes = []
    elif not codes:
        codes = [RepairCode.NAME]
    if fits_schema(own_name, arguments, tools):
        call = Call(own_name, read_json(arguments or "{}"))
        return Mended(call, arguments, tuple(_iterate_repairs_of_name(codes)))
    candidate = _try_read_arguments(head.name, arguments, names)
    if candidate is None:
        return None
    call = Call(own_name, candidate.call.arguments)
    repairs = (Repair(code, pos, code.msg, 0) for pos, code in sorted(candidate.repairs))
    text = minified(dict(call.arguments))
    return Mended(call, text, (*_iterate_repairs_of_name(codes), *repairs))


def fits_schema(name: str, arguments: str, tools: ToolSet) -> bool:
    """Return whether the arguments of a call are a JSON object that the tool's schema allows."""
    try:
        values = read_json(arguments or "{}")
        if not isinstance(values, dict):
            return False
        encode(Call(name, values), tools)
    except (LTONError, ValueError):
        return False
    return True


def _iterate_repairs_of_name(codes: list[RepairCode]) -> Iterator[Repair]:
    return (Repair(code, 0, code.msg, 0) for code in codes)


def _find_content_of_fence(text: str) -> tuple[int, int] | None:
    """Return the span of an object or a string that a fence encloses, or None."""
    start = len(text) - len(text.lstrip())
    end = len(text.rstrip()) - len(_FENCE)
    opening = _OPENS_FENCE.match(text, start)
    if opening is None or opening.end() > end or not text.startswith(_FENCE, end):
        return None
    first = text[opening.end() : end].lstrip()[:1]
    return (opening.end(), end) if first in ("{", '"', "'") else None


def _try_read_arguments(name: str, text: str, names: Names, depth: int = 0) -> Candidate | None:
    """Read arguments in the only way that fits the tool, or return None."""
    start = 0
    end = len(text)
    repairs: Repairs = {}
    if fenced := _find_content_of_fence(text):
        start, end = fenced
        repairs[0, RepairCode.FRAME] = None
    while start < end and text[start].isspace():
        start += 1
    strings = Strings(text)
    loose = Loose(strings, end)
    try:
        tree = loose.read_value(start, json=True)
    except Unreadable:
        return None
    if text[tree.end : end].strip():
        return None
    repairs |= loose.repairs
    if isinstance(tree, Leaf):
        inner = tree.kind == "text" and depth < _MAX_ENCODED
        candidate = _try_read_arguments(name, tree.text, names, depth + 1) if inner else None
        return candidate and _with_repairs_at(
            candidate, start, {**repairs, (start, RepairCode.KIND): None}
        )
    reader = CallReader(strings, names.tools, Effort(len(text)), lambda _: False)
    readings = [_try_interpret_tree(reader, name, tree, repairs)]
    if arguments := _find_arguments(tree, name, names):
        framed = {**repairs, (start, RepairCode.FRAME): None}
        readings.append(_try_interpret_tree(reader, name, arguments, framed))
    found_readings = [reading for reading in readings if reading is not None]
    return found_readings[0] if len(found_readings) == 1 else None


def _with_repairs_at(candidate: Candidate, pos: int, repairs: Repairs) -> Candidate:
    """Give all repairs of a string's text the position of the string, after its own repairs."""
    inner = dict.fromkeys((pos, code) for _, code in candidate.repairs)
    return replace(candidate, repairs={**repairs, **inner})


def _find_arguments(tree: Tree, name: str, names: Names) -> Tree | None:
    """Return the arguments if the tree is a whole call to this tool, with its name."""
    calls = JSONReader(names.by_name, (), lambda *_: False).find_calls(tree)
    if len(calls.shapes) != 1 or calls.leftover:
        return None
    (shape,) = calls.shapes
    is_own = shape.second is None and names.find_tool(shape.name) == name
    return shape.arguments if is_own else None


def _try_interpret_tree(
    reader: CallReader, name: str, tree: Tree, repairs: Repairs
) -> Candidate | None:
    """Read a tree as arguments, or return None if it does not fit or may be cut off."""
    if not (isinstance(tree, Bracketed) and tree.opener == "{") or _lacks_value(tree):
        return None
    try:
        candidate = reader.interpret_tree(name, tree, tree.end, repairs)
    except Unreadable:
        return None
    if any(code is RepairCode.CLOSER for _, code in candidate.repairs):
        return None  # the end is missing
    candidate.repairs.update(dict.fromkeys(_iterate_departures_from_json(reader.src, tree)))
    return candidate


def _lacks_value(tree: Tree) -> bool:
    if isinstance(tree, Leaf):
        return tree.kind == "literal" and tree.text in _NO_VALUES
    return any(_lacks_value(entry.value) for entry in tree.entries)


def _iterate_departures_from_json(src: str, tree: Tree) -> Iterator[tuple[int, RepairCode]]:
    """Yield a repair for each string or key without double quotes, which LTON itself allows."""
    if isinstance(tree, Leaf):
        if tree.kind == "text" and src[tree.start] != '"':
            yield tree.start, RepairCode.QUOTES
        return
    for entry in tree.entries:
        if entry.key is not None and src[entry.start] != '"':
            is_quoted = src[entry.start] in "'`\u201c"
            yield entry.start, RepairCode.QUOTES if is_quoted else RepairCode.BARE
        yield from _iterate_departures_from_json(src, entry.value)
