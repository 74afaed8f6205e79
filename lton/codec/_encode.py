"""Encode calls as text (§6). Every value is checked."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Protocol, overload

from lton._syntax import (
    ERROR,
    NO_CALL,
    REPEAT,
    RESULT,
    SIGIL,
    SKIP,
    Form,
    spell_name,
    spell_number,
    spell_text,
)
from lton.codec._checks import check_members, check_name, check_value
from lton.codec._fast_writer import (
    Style,
    try_write_pairs,
    try_write_untyped,
    write_lines_and_iterate_rest,
)
from lton.codec._given import Given, frames_of
from lton.codec._stops import suggest_name
from lton.codec._tables import cell_types, try_write_table
from lton.codec.tagged import write_atom, write_tagged
from lton.errors import Code, EncodeError, pointer
from lton.schema.toolset import ToolSet, check_tools
from lton.schema.types import ANY, FREE, JSON, Call, Object, Result, Tool, Type

_NUMBERS = (int, float)
_ARRAYS = (list, tuple)
_WIRE = Style("wire")
_LINES = Style("wire", lines=True)
_STYLES: dict[Form, Style] = {
    "wire": _WIRE,
    "keyed": Style("keyed", keyed=True),
    "punctuated": Style("punctuated", keyed=True, punctuated=True, joined=", ".join),
    "tagged": Style("tagged"),
}


class InstanceTools(Protocol):
    """Tools that are made from classes, such as a `Toolbox`."""

    @property
    def bindings(self) -> Mapping[str, object]: ...


@overload
def encode(
    calls: Given | Iterable[Given],
    tools: ToolSet | None = None,
    *,
    form: Form = "wire",
    fingerprint: bool = False,
    sigil: bool | None = None,
    lines: bool = False,
) -> str: ...
@overload
def encode(
    calls: object,
    tools: InstanceTools,
    *,
    form: Form = "wire",
    fingerprint: bool = False,
    sigil: bool | None = None,
    lines: bool = False,
) -> str: ...
def encode(
    calls: object,
    tools: Any = None,
    *,
    form: Form = "wire",
    fingerprint: bool = False,
    sigil: bool | None = None,
    lines: bool = False,
) -> str:
    """Encode calls and results as text, one per line.

    A call is a `Call`, or the JSON of an API: `{"name": …, "arguments": {…}}`, a call of OpenAI's
    chat or responses API (whose arguments are a JSON string), or a `tool_use` block of Anthropic's
    API. If `tools` is a `Toolbox`, a call may also be what its `decode` returns: an instance of a
    class, or a `partial` of a function. Any other object raises a `TypeError`.

    `form` is "wire" (by position, the shortest), "keyed", "punctuated" (the form that models write
    best: keys, parentheses, commas, quoted strings, and fences for strings of several lines) or
    "tagged" (with kinds and lengths). Without `tools`, the wire form is a name and a map. It can
    be read without tools (R-431), and so can the tagged form.

    `fingerprint` adds the fingerprint of the layout to each name (R-406). `sigil` begins each line
    with `!call `, which is required if the text may also contain prose (R-429). Answers and the
    tagged form always have a sigil. Grammars have the same option: if any turn of a conversation
    may contain prose, pass True for all turns. `lines` writes answers in the form that models read
    best: each row on its own line, and members in their given order (R-317).

    Raises `EncodeError` for an unknown tool or parameter, a missing argument, a value that its
    schema does not allow, and a value outside the data model (NaN, NUL, a lone surrogate, an
    object of another type).

    >>> from lton.schema.toolset import ToolSet
    >>> tools = ToolSet.from_tools([{"name": "wait", "parameters": {"type": "object",
    ...     "properties": {"minutes": {"type": "integer"}, "why": {"type": "string"}}}}])
    >>> call = Call("wait", {"minutes": 5, "why": "tea time"})
    >>> encode(call, tools), encode(call, tools, form="punctuated")
    ('wait 5 "tea time"', 'wait(minutes=5, why="tea time")')
    >>> encode({"type": "tool_use", "id": "a", "name": "wait", "input": {"minutes": 5}}, tools)
    'wait 5'
    >>> encode(call)
    'wait{minutes 5 why "tea time"}'
    >>> print(encode(call, form="tagged"))
    !call wait
    (minutes u1:5)
    (why s8:tea time)
    """
    check_tools(tools)
    frames = frames_of(calls, tools)
    style = _STYLES.get(form)
    if style is None:
        raise ValueError(f"expected one of the forms {', '.join(_STYLES)}, found {form!r}")
    mark = SIGIL if sigil and form != "tagged" else ""
    texts: list[str] = []
    plain_tools = None if form == "tagged" or fingerprint else tools
    for frame, above in write_lines_and_iterate_rest(frames, texts, plain_tools, style, mark):
        if isinstance(frame, Result):
            line = _write_result(frame, tools, _LINES if lines else _WIRE)
        else:
            repeated = None if sigil else above
            line = mark + _write_call(frame, tools, form, style, repeated, fingerprint=fingerprint)
        texts.append(line)
    return "\n".join(texts)


def write_value(value: JSON, node: Type, form: Form) -> str:
    """Write a value in a given form. Raises `EncodeError` if the type does not allow the value."""
    check_value(value, node)
    return write_atom(value, node) if form == "tagged" else _write_value(value, node, _STYLES[form])


def _write_call(
    call: Call,
    tools: ToolSet | None,
    form: Form,
    style: Style,
    above: str | None,
    *,
    fingerprint: bool,
) -> str:
    if tools is None and form not in ("wire", "tagged"):
        msg = f"without tools, the {form} form cannot be written"
        raise EncodeError(Code.SCHEMALESS, msg)
    tool = _find_tool(call.name, tools)
    if (
        tool is None
        and form == "wire"
        and (pairs := try_write_pairs(call.arguments, style)) is not None
    ):
        return f"{spell_name(call.name)}{{{pairs}}}"
    check_members(call.arguments, tool.args if tool else FREE)
    if tool and tool.check and (breach := tool.check(call.arguments)):
        raise EncodeError(breach.code, breach.msg, path=pointer(breach.path))
    name = _spell_called_name(call, tool) + (
        f"#{tools.fingerprint_of(tool)}" if fingerprint and tools and tool else ""
    )
    if form == "tagged":
        return f"{SIGIL}{name}\n{write_tagged(call.arguments, tool.args if tool else None)}"
    if tool is None:
        return f"{name}{{{style.joined(_iterate_written_pairs(call.arguments, ANY, style))}}}"
    words = _write_members(call.arguments, tool.args, style)
    if style.punctuated:
        return f"{name}({style.joined(words)})"
    # the wire form does not repeat a name, but a keyed line must be readable on its own.
    head = REPEAT if form == "wire" and call.name == above else name
    return f"{head} {style.joined(words)}" if words else head


def _write_result(result: Result, tools: ToolSet | None, style: Style) -> str:
    if result.says_no_call:
        head = NO_CALL
    else:
        name = _spell_called_name(result, _find_tool(result.name, tools))
        head = f"{ERROR if result.is_error else RESULT}{name} "
    if not style.lines and (text := try_write_untyped(result.value, style)) is not None:
        return head + text
    check_value(result.value, ANY)
    return head + _write_value(result.value, ANY, style)


def _spell_called_name(frame: Call | Result, tool: Tool | None) -> str:
    return spell_name((tool and tool.alias) or frame.name)


def _find_tool(name: str, tools: ToolSet | None) -> Tool | None:
    if tools is None:
        if not name:
            raise EncodeError(Code.VALUE, "a name cannot be empty")
        check_name(name)
        return None
    if tool := tools.by_name.get(name):
        return tool
    raise EncodeError(
        Code.TOOL, f"no tool {name!r}", hint=partial(suggest_name, str(name), tools.by_name)
    )


def _write_members(values: Mapping[str, JSON], members: Object, style: Style) -> list[str]:
    """Write arguments canonically: by position as far as possible, then by key (R-413)."""
    members = members.branch_of(values)
    positional, keyed = (
        ([], members.names_in_order(values)) if style.keyed else members.arrange_in_row(values)
    )
    words = [_write_value(values[p.name], p.type, style) if p else SKIP for p in positional]
    for name in keyed:
        node = members.find_type(name) or ANY
        words.append(f"{spell_name(name)}={_write_value(values[name], node, style)}")
    return words


def _write_value(value: JSON, node: Type, style: Style) -> str:
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    if isinstance(value, str):
        bare = node.takes_bare(value) and (node.has_labels or not style.punctuated)
        return spell_text(value, bare=bare, punctuated=style.punctuated)
    if isinstance(value, _NUMBERS):
        return spell_number(value)
    inner = _WIRE if style.lines else style  # a row contains no lines
    if isinstance(value, _ARRAYS):
        items = node.item_type
        table = _try_write_table(value, items, style)
        return f"[{table or style.joined(_write_values(items, value, style=inner))}]"
    members = node.object or FREE
    if not members.is_map:
        return f"({style.joined(_write_members(value, members, style))})"
    extra = members.extra or ANY
    table = None
    if not style.lines:
        keys = sorted(value)
        table = _try_write_table(
            [value[key] for key in keys], extra, style, list(map(spell_name, keys))
        )
    return f"{{{table or style.joined(_iterate_written_pairs(value, extra, style))}}}"


def _write_values(node: Type, values: Iterable[JSON], *, style: Style) -> list[str]:
    return [_write_value(value, node, style) for value in values]


def _try_write_table(
    rows: Sequence[JSON], node: Type, style: Style, keys: list[str] | None = None
) -> str | None:
    if style.punctuated:
        return None
    cells = partial(_write_values, style=_WIRE if style.lines else style)
    return try_write_table(rows, cell_types(node), cells, keys, on_lines=style.lines)


def _iterate_written_pairs(values: Mapping[str, JSON], node: Type, style: Style) -> Iterator[str]:
    keys = values if style.lines else sorted(values)
    return (f"{spell_name(key)} {_write_value(values[key], node, style)}" for key in keys)
