"""Read calls quickly if they are spelled as the encoder would spell them.

One pattern splits a line of atoms into lexemes, and a function for each parameter reads its lexeme.
All other lines (with keys, parentheses, groups, a sigil, or strings of several lines) are split
into tokens, which the functions for groups read in order. Unusual and invalid input is left to the
reader in `_frames.py`, because only that reader supports the whole format and reports errors.
"""

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import chain
from sys import intern
from typing import Any, TypeAlias

from lton._patterns import compiled_when_used
from lton._syntax import (
    AFTER_FENCE,
    BARE,
    HEX_CLASS,
    MAX_DEPTH,
    NAME,
    NAME_CLASS,
    QUOTES,
    REPEAT,
    SIGIL,
    SKIP,
    SPACED_AFTER_FENCE,
    WORD_CLASS,
    fence_end,
    is_allowed,
    last_fence,
    may_be_length,
)
from lton.codec._fast_atoms import (
    BETWEEN,
    FLAT,
    MAP,
    MAPS,
    QUOTED,
    UNUSUAL,
    make_lexeme_reader,
    rows_to_objects,
)
from lton.codec._stops import ABSENT
from lton.schema.toolset import ToolSet
from lton.schema.types import ANY, JSON, Call, Object, Type

_LEXEMES = compiled_when_used(rf"{BETWEEN}({BARE.pattern}|{QUOTED}|{FLAT}|{SKIP})|.+", re.DOTALL)
"""Values, each after a space, a comma or both. The first mismatch gives an empty match."""
_BEFORE = rf"(?:(, ?| )|(?<=[\[({{;)])|(?=[(\])}};]))(?:([{NAME_CLASS}]++)=)?"
_TOKENS = compiled_when_used(
    rf"{_BEFORE}(?:({QUOTED}|(?>{BARE.pattern})(?![={WORD_CLASS}])|{FLAT}|{MAPS}|{MAP}|[\[({{])"
    rf"|((?!s[0-9]++:)[{WORD_CLASS}]++(?!=)|[\])}};]))|.+",
    re.DOTALL,
)
"""A separator, a key with `=`, and a value. The value may be replaced by another token: a closer,
`;`, `_`, or a word that can only be a key. The first mismatch gives `_REST`."""
_REST = ("", "", "", "")
_TEXT = compiled_when_used(rf"{_BEFORE}(?:s([0-9]++):|(`{{3,}})(\+?)\n)")
"""The start of a counted or fenced string, with the separator and the key before it."""
_LENGTH = compiled_when_used(" s([0-9]++):")
"""The start of a counted string after a space."""
_HEAD = compiled_when_used(
    rf"({SIGIL})?(?:([{NAME_CLASS}]++)(?:#([{HEX_CLASS}]{{8}}))?|{REPEAT})(?:([ (])|\Z)"
)
_AFTER_FENCE = compiled_when_used(f"{AFTER_FENCE.pattern}|{SPACED_AFTER_FENCE.pattern}")
_OPENERS = frozenset("[({")
_LEVELS = MAX_DEPTH // 4  # the maximum depth of groups that are read here, to limit the stack
_Token: TypeAlias = tuple[str, str, str, str]
_Tokens: TypeAlias = Iterator[_Token]

# --- lines --------------------------------------------------------------------------------------

_Row: TypeAlias = tuple[Any, ...]
"""The number of required arguments, the tool's name, and for each parameter its name and the
function that reads its lexeme: a single tuple, because cache misses cost most here."""


def read_lines(text: str, pos: int, stop: int, calls: list[Call], tools: ToolSet) -> int:
    """Read calls up to `stop` or to the first unusual call and return the position reached.

    `stop` is the end of a line.
    """
    rows = tools._derived.rows
    checks = tools._derived.checks
    find = text.find
    cut = _LEXEMES.findall
    while pos < stop:
        end = find("\n", pos, stop)
        if end < 0:
            end = stop
        space = find(" ", pos, end)
        if space < 0:
            space = end
        name = text[pos:space]
        try:
            row = rows.get(name) or ("(" not in name and _find_row_readers(name, calls, tools))
            if not row:
                call, end = _read_call(text, pos, end, stop, calls, tools)
            elif (lexemes := cut(text, space, end)) and not lexemes[-1]:
                call, end = _try_read_call_with_text(
                    row, text, space, end, stop, tools
                ) or _read_call(text, pos, end, stop, calls, tools)
            else:
                call = _new(Call)  # `Call(…)` takes twice as long
                call.name = row[1]
                call.arguments = _read_row(row, lexemes)
                if checks and (check := checks.get(call.name)) and check(call.arguments):
                    raise ValueError
        except UNUSUAL:
            return pos
        calls.append(call)
        pos = end + 1
    return pos


def _try_read_call_with_text(
    row: _Row, text: str, pos: int, end: int, stop: int, tools: ToolSet
) -> tuple[Call, int] | None:
    """Read a call whose last argument is a counted string, which may have several lines.

    Returns None for any other call.
    """
    header = _LENGTH.search(text, pos, end)
    if header is None or not may_be_length(header[1]):
        return None
    lexemes = _LEXEMES.findall(text, pos, header.start())
    start = header.end()
    close = start + int(header[1])
    is_last = close == stop or (close < stop and text[close] == "\n")
    if not is_last or (lexemes and not lexemes[-1]) or not is_allowed(text[start:close]):
        return None
    lexemes.append(_Text(text[start:close]))
    arguments = _read_row(row, lexemes)
    check = tools._derived.checks.get(row[1])
    if check and check(arguments):
        raise ValueError
    return Call(row[1], arguments), close


def _read_row(row: _Row, lexemes: list[str]) -> dict[str, JSON]:
    count = len(lexemes)
    if len(row) != 2 * count + 2:
        if not row[0] <= count < len(row) // 2:
            raise ValueError
        row = row[: 2 * count + 2]
    if SKIP in lexemes:
        if SKIP in lexemes[: row[0]]:
            raise ValueError
    elif count == 1:
        _, _, a, read_a = row
        return {a: read_a(lexemes[0])}
    elif count == 2:
        _, _, a, read_a, b, read_b = row
        return {a: read_a(lexemes[0]), b: read_b(lexemes[1])}
    elif count == 3:
        _, _, a, read_a, b, read_b, c, read_c = row
        return {a: read_a(lexemes[0]), b: read_b(lexemes[1]), c: read_c(lexemes[2])}
    turns = iter(row[2:])
    steps = zip(turns, turns, lexemes)  # noqa: B905 - equally long
    return {name: read(lexeme) for name, read, lexeme in steps if lexeme != SKIP}


def _find_row_readers(name: str, calls: list[Call], tools: ToolSet) -> _Row | None:
    """Return the functions that read a tool's arguments (see `_Row`), or None."""
    tool = tools.by_text.get(name)
    if name == REPEAT and calls:
        tool = tools.by_name.get(calls[-1].name)
        name = tool.alias or tool.name if tool else name
    row: _Row | None = tools._derived.rows.get(name)
    if row is None and tool and NAME.fullmatch(name):
        params = tool.args.params
        turns = (
            (intern(str.__str__(param.name)), make_lexeme_reader(param.type)) for param in params
        )
        required = sum(param.required for param in params)
        row = (required, tool.name, *chain.from_iterable(turns))
        tools._derived.rows[name] = row
        if tool.check:
            tools._derived.checks[tool.name] = tool.check
    return row


def _read_call(
    text: str, pos: int, end: int, stop: int, calls: list[Call], tools: ToolSet
) -> tuple[Call, int]:
    head = _HEAD.match(text, pos, end)
    if head is None:
        raise ValueError
    sigil, name, digits, after = head.groups()
    if sigil and (name is None or after is None):
        raise ValueError  # a tagged call has a group on the next line
    tool = tools.by_text[name] if name else tools.by_name[calls[-1].name]
    if digits and digits != tools.fingerprint_of(tool):
        raise ValueError
    in_call = after == "("
    start = head.end() - 1 if after == " " else head.end()
    tokens, end = _split_tokens(text, start, end, stop, in_call=in_call)
    layout = tools._derived.members.get(tool.name)
    if layout is None:
        layout = tools._derived.members[tool.name] = _Layout(tool.args)
    turns = iter(tokens)
    arguments = _read_record(turns, layout, ")" if in_call else "", 0)
    if next(turns, None) is not None or (tool.check and tool.check(arguments)):
        raise ValueError
    return Call(tool.name, arguments), end


def _split_tokens(
    text: str, pos: int, end: int, stop: int, *, in_call: bool
) -> tuple[list[_Token], int]:
    """Split a line into tokens. Return them and the end of the line, which strings may extend."""
    cut = _TOKENS.findall
    parts: list[_Token] = cut(text, pos, end)
    if not parts or parts[-1] != _REST:  # the usual case
        return parts, end
    tokens: list[_Token] = []
    while parts and parts[-1] == _REST:
        parts.pop()
        tokens += parts
        pos += sum(map(len, chain.from_iterable(parts))) + sum(bool(token[1]) for token in parts)
        match = _TEXT.match(text, pos, stop)
        if match is None:
            raise ValueError
        before, key, size, fence, plus = match.groups("")
        at = match.end()
        if size:
            close = pos = at + int(size if may_be_length(size) else "")
        else:
            # Without a key, this may be a name, and the fence of a name may end elsewhere.
            close = last_fence(text, fence, at, stop, _AFTER_FENCE if in_call else None)
            pos = close + len(fence)
            if close < 0 or (in_call and not (key or text.index(fence, at, stop) == close)):
                raise ValueError
            if in_call and not AFTER_FENCE.match(text, pos):
                raise ValueError  # the fence may be the end of an earlier call
            close = fence_end(text, at, close, keeps=bool(plus))
        inside = text[at:close]
        if pos > stop or not is_allowed(inside):
            raise ValueError
        tokens.append((before, key, _Text(inside), ""))  # type: ignore[arg-type]
        if pos > end:
            end = text.find("\n", pos, stop)
            if end < 0:
                end = stop
        parts = cut(text, pos, end)
    return tokens + parts, end


# --- groups -------------------------------------------------------------------------------------


class _Shape:
    """The functions that read the values of a type."""

    def __init__(self, node: Type) -> None:
        self.atom = make_lexeme_reader(node)
        self.array = node.array
        self.object = node.object

    @cached_property
    def items(self) -> "_Shape | None":
        return _shape_of(self.array.items) if self.array else None

    @cached_property
    def extra(self) -> "_Shape | None":
        is_map = self.object is not None and self.object.is_map
        return _shape_of(self.object.extra or ANY) if self.object and is_map else None

    @cached_property
    def layout(self) -> "_Layout | None":
        if self.object is None or self.object.is_map or self.object.branches:
            return None
        return _Layout(self.object)


@lru_cache(maxsize=1024)
def _shape_of(node: Type) -> _Shape:
    return _Shape(node)


class _Layout:
    """The functions that read the members of an object, by position and by key."""

    def __init__(self, members: Object) -> None:
        self.turns = [(param.name, _shape_of(param.type)) for param in members.params]
        self.by_name = dict(self.turns)
        self.extra = None if members.extra is None else _shape_of(members.extra)
        self.required = {param.name for param in members.params if param.required}


def _read_group(opener: str, tokens: _Tokens, shape: _Shape, level: int) -> JSON:
    if level >= _LEVELS:
        raise ValueError
    if opener == "[":
        if shape.items is None or shape.array is None:
            raise ValueError
        items = _read_items(tokens, shape.items, level + 1)
        if shape.array.find_refusal(items) is not None:
            raise ValueError
        return items
    if opener == "{":
        if shape.extra is None:
            raise ValueError
        return _read_map(tokens, shape.extra, level + 1)
    if shape.layout is None:
        raise ValueError
    return _read_record(tokens, shape.layout, ")", level + 1)


def _read_items(tokens: _Tokens, shape: _Shape, level: int) -> list[JSON]:
    items: list[JSON] = []
    read = shape.atom
    for before, key, lexeme, other in tokens:
        if other or key:
            if other != "]" or key or before:
                raise ValueError
            return items
        if not before and lexeme == "(" and shape.extra is not None and not items:
            return _read_table(tokens, shape.extra, level)  # type: ignore[no-any-return]
        if (not before) == bool(items):
            raise ValueError
        items.append(
            _read_group(lexeme, tokens, shape, level) if lexeme in _OPENERS else read(lexeme)
        )
    raise ValueError


def _read_map(tokens: _Tokens, shape: _Shape, level: int) -> dict[str, JSON]:
    values: dict[str, JSON] = {}
    read = shape.atom
    for before, key, lexeme, other in tokens:
        if other == "}" and not key and not before:
            return values
        if key or (not before) == bool(values):
            raise ValueError
        if lexeme == "(" and shape.extra is not None and not values:
            return _read_table(tokens, shape.extra, level, "}")  # type: ignore[no-any-return]
        name = lexeme if lexeme.isidentifier() else _read_name(lexeme, other)
        before, key, lexeme, other = next(tokens)  # noqa: PLW2901 - the value of the key
        if before != " " or key or other or name in values:
            raise ValueError
        values[name] = (
            read(lexeme) if lexeme not in _OPENERS else _read_group(lexeme, tokens, shape, level)
        )
    raise ValueError


def _read_record(  # noqa: C901 - what a token can be
    tokens: _Tokens, layout: _Layout, closer: str, level: int
) -> dict[str, JSON]:
    """Read members by position and then by key (R-410), up to the closing bracket."""
    values: dict[str, JSON] = {}
    turns = iter(layout.turns)
    begins = closer == ")"
    for before, key, lexeme, other in tokens:
        if other == closer and not before and not key:
            if other:
                break
        elif other and (other != SKIP or key):
            raise ValueError
        if (not before) != begins:
            raise ValueError
        begins = False
        if key:
            shape = layout.by_name.get(key) or layout.extra
            if shape is None or key in values:
                raise ValueError
            turns = _NO_TURN
        else:
            key, shape = next(turns)  # noqa: PLW2901 - the next parameter
            if other:
                continue
        values[key] = (
            shape.atom(lexeme)
            if lexeme not in _OPENERS
            else _read_group(lexeme, tokens, shape, level)
        )
    else:
        if closer:
            raise ValueError
    is_sure = layout.extra is None and len(values) == len(layout.turns)
    if not is_sure and not values.keys() >= layout.required:
        raise ValueError
    return values


class _Text:
    """A counted or fenced string that can be indexed like a quoted string."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __getitem__(self, at: int | slice) -> str:
        return '"' if at == 0 else self.text


def _read_name(lexeme: "str | _Text", other: str = "") -> str:
    if isinstance(lexeme, _Text):  # a counted string cannot be a key
        raise ValueError
    if lexeme and lexeme[0] in QUOTES:
        return lexeme[1:-1]
    if NAME.fullmatch(lexeme or other) is None:
        raise ValueError
    return lexeme or other


# --- tables -------------------------------------------------------------------------------------


def _read_table(  # noqa: C901 - what a token can be
    tokens: _Tokens, shape: _Shape, level: int, closer: str = "]"
) -> Any:
    cells = list(_iterate_header_columns(tokens, shape, level + 1))
    reads = [(of.atom, of, level + len(path)) for path, of in cells]
    has_keys = closer == "}"
    if has_keys:
        reads.insert(0, (_read_name, _shape_of(Type()), 0))
    row: list[Any] = []
    rows = [row]
    for before, key, lexeme, other in tokens:
        if key or (not other and (not before) == bool(row)):
            raise ValueError
        if not other:
            read, of, below = reads[len(row)]
            row.append(
                read(lexeme) if lexeme not in _OPENERS else _read_group(lexeme, tokens, of, below)
            )
        elif other == SKIP or (has_keys and not row and other not in _ROW_ENDS):
            if (not before) == bool(row) or len(row) == len(reads):
                raise ValueError
            row.append(ABSENT if row or not has_keys else _read_name("", other))
        elif before or other not in _ROW_ENDS:
            raise ValueError
        elif other == ";":
            row = []
            rows.append(row)
        elif other == closer and (row or len(rows) > 1):
            break
        else:
            raise ValueError
    else:
        raise ValueError
    keys = [row.pop(0) for row in rows] if has_keys else []
    objects = rows_to_objects(rows, [path for path, _ in cells])
    if len(set(keys)) < len(keys):
        raise ValueError
    return dict(zip(keys, objects, strict=True)) if has_keys else objects


_ROW_ENDS = frozenset(";]})")


def _iterate_header_columns(
    tokens: _Tokens, shape: _Shape, level: int, above: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], _Shape]]:
    """Read the header of a table and yield the keys and the shape of each column."""
    names: set[str] = set()
    last = ""
    for before, key, lexeme, other in tokens:
        if key or level >= _LEVELS:
            raise ValueError
        if lexeme == "(" and last and not before and shape.extra is not None:
            yield from _iterate_header_columns(tokens, shape.extra, level + 1, (*above, last))
            last = ""
            continue
        if last:
            yield (*above, last), shape
            last = ""
        if other == ")" and not before:
            break
        if bool(before) == (not names):
            raise ValueError
        last = _read_name(lexeme, other)
        if last in names:
            raise ValueError
        names.add(last)
    else:
        raise ValueError
    if len(names) <= bool(above):
        raise ValueError


_NO_TURN: Iterator[tuple[str, _Shape]] = iter(())
_new = Call.__new__
