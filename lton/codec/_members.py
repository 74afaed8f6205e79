"""What holds for members and items in every form (§4): written once, here.

Each form brings its own reader of a value, `read(src, pos, node, depth) -> (pos, value)`.
"""

from collections.abc import Callable, Container
from typing import TypeAlias

from lton._syntax import MAX_DEPTH, MAX_DIGITS, SKIP, WORD
from lton.codec._scan import ends, lexeme_end, scan_name, scan_separator, unexpected, unknown
from lton.errors import Code, DecodeError
from lton.schema.compile import escape
from lton.schema.types import JSON, Object, Param, Type

ReadValue: TypeAlias = Callable[[str, int, Type, int], tuple[int, JSON]]


def by_position(src: str, pos: int, members: Object, index: int, *, keyed: bool) -> Param:
    """R-14: the parameter of the next positional argument; none behind a keyed argument."""
    if pos == len(src):
        raise unexpected(src, pos, "an argument")
    found = src[pos : lexeme_end(src, pos)]
    if keyed:
        msg = f"expected a keyed argument behind a keyed one, found {found!r}"
        raise DecodeError(Code.ORDER, msg, doc=src, pos=pos)
    if index >= len(members.params):
        msg = f"expected at most {len(members.params)} positional arguments, found {found!r}"
        raise DecodeError(Code.SURPLUS, msg, doc=src, pos=pos)
    return members.params[index]


def by_key(src: str, pos: int, members: Object, key: str, given: Container[str]) -> Type:
    """R-13, R-14: the type of a keyed argument: declared or allowed, and not given before."""
    if key in given:
        raise DecodeError(Code.DUPLICATE, f"{key!r} is given twice", doc=src, pos=pos)
    node = members.type_of(key)
    if node is None:
        raise unknown(Code.PARAMETER, "parameter", key, members.by_name, src, pos)
    return node


def skips(src: str, pos: int, param: Param) -> bool:
    """R-15: say whether `_` stands for this argument; only an optional one may be skipped."""
    if not src.startswith(SKIP, pos) or WORD.match(src, pos + 1):
        return False
    if param.required:
        msg = f"expected {param.type.noun}, found `_`: {param.name!r} is required"
        raise DecodeError(Code.SKIP, msg, doc=src, pos=pos)
    return True


def require_all(src: str, pos: int, members: Object, given: Container[str]) -> None:
    """R-18: every required argument is there."""
    for param in members.params:
        if param.required and param.name not in given:
            expected = f"expected {param.type.noun} for {param.name!r}"
            msg = f"{expected}, found the end of the arguments"
            raise DecodeError(Code.MISSING, msg, doc=src, pos=pos)


def read_at(
    read: ReadValue, src: str, pos: int, node: Type, depth: int, step: str | int
) -> tuple[int, JSON]:
    """Read the value of a member or an item; an error on its way out learns where it was."""
    try:
        return read(src, pos, node, depth)
    except DecodeError as error:
        error.path = f"/{escape(str(step))}{error.path}"
        raise


def read_items(
    read: ReadValue, src: str, pos: int, node: Type, depth: int
) -> tuple[int, list[JSON]]:
    """R-28: the values of an array, from behind its bracket to behind the closing one."""
    items: list[JSON] = []
    while not ends(src, pos, "]"):
        start = pos
        pos, item = read_at(read, src, pos, node, depth, len(items))
        items.append(item)
        pos = to_next(src, pos, "]", start, len(items) - 1)
    return pos + 1, items


def read_pairs(
    read: ReadValue, src: str, pos: int, members: Object, depth: int
) -> tuple[int, dict[str, JSON]]:
    """R-29: keys and values in turn, from behind the brace to behind the closing one."""
    values: dict[str, JSON] = {}
    while not ends(src, pos, "}"):
        pos, start, key = read_pair(read, src, pos, members, values, depth)
        pos = to_next(src, pos, "}", start, key)
    require_all(src, pos, members, values)
    return pos + 1, values


def read_pair(
    read: ReadValue, src: str, pos: int, members: Object, values: dict[str, JSON], depth: int
) -> tuple[int, int, str]:
    """Read a key, a space and a value into `values`: (position behind, start of value, key)."""
    key_start = pos
    pos, key = scan_name(src, pos, "a key")
    node = by_key(src, key_start, members, key, values)
    if not src.startswith(" ", pos):
        raise unexpected(src, pos, "a space behind the key")
    start = pos + 1
    pos, values[key] = read_at(read, src, start, node, depth, key)
    return pos, start, key


def to_next(src: str, pos: int, closer: str, value_start: int, step: str | int) -> int:
    """Get the position of the next value, or of the closer (R-11: none stands before a closer)."""
    if ends(src, pos, closer):
        return pos
    pos = scan_separator(src, pos, closer, value_start, step)
    if ends(src, pos, closer):
        raise unexpected(src, pos, "another value behind the separator")
    return pos


def check_depth(src: str, pos: int, depth: int) -> None:
    """R-61: groups nest so deep and no deeper."""
    if depth >= MAX_DEPTH:
        raise DecodeError(Code.DEPTH, f"nested deeper than {MAX_DEPTH}", doc=src, pos=pos)


def check_digits(src: str, pos: int, lexeme: str) -> None:
    """R-62: a number has so many characters and no more."""
    if len(lexeme) > MAX_DIGITS:
        msg = f"a number of more than {MAX_DIGITS} characters"
        raise DecodeError(Code.DIGITS, msg, doc=src, pos=pos)
