"""The tagged form (§5), read and written: every atom says its kind and its length.

    !call weather.v1
    (s11:San Leandro u1:7 e1:C)
    (note s4:mild)

The first group may hold arguments by position; every other holds one key and its value. Without
a schema only keys can be read, so that is what is written then.
"""

from collections.abc import Mapping
from math import isfinite

from lton._syntax import (
    ATOM,
    NULL_ATOM,
    NUMBER,
    SKIP,
    counted,
    read_number,
    spell_number,
    spell_tagged_key,
)
from lton.codec._members import (
    by_position,
    check_depth,
    check_digits,
    read_at,
    read_items,
    read_pair,
    read_pairs,
    require_all,
    skips,
    to_next,
)
from lton.codec._scan import ends, refused, scan_atom, scan_separator, unexpected
from lton.errors import Code, DecodeError
from lton.schema.types import ANY, JSON, Object, Type

FREE = Object(extra=ANY)
"""The members of an object that has no schema."""


# --- writing ------------------------------------------------------------------------------------


def write_tagged(arguments: Mapping[str, JSON], members: Object | None) -> str:
    """Get the groups of a call; the arguments have been checked (R-50)."""
    positional, keyed = members.arrange(arguments) if members else ([], sorted(arguments))
    row = [write_atom(arguments[p.name], p.type) if p else SKIP for p in positional]
    groups = [f"({' '.join(row)})"] if row or not keyed else []
    for name in keyed:
        node = (members or FREE).type_of(name) or ANY
        groups.append(f"({spell_tagged_key(name)} {write_atom(arguments[name], node)})")
    return "\n".join(groups)


def write_atom(value: JSON, node: Type) -> str:
    """Get a value as the tagged form writes it: `e` for a label, `u` for what has no sign."""
    if isinstance(value, str):
        return counted(value, "e" if node.has_labels else "s")
    if value is None:
        return NULL_ATOM
    if isinstance(value, bool):
        return counted(str(value).lower(), "b")
    if isinstance(value, int | float):
        tag = "f" if isinstance(value, float) else "u" if value >= 0 else "i"
        return counted(spell_number(value), tag)
    if isinstance(value, Mapping):
        members = node.object or FREE
        pairs = (
            f"{spell_tagged_key(key)} {write_atom(value[key], members.type_of(key) or ANY)}"
            for key in members.in_order(value)
        )
        return f"{{{' '.join(pairs)}}}"
    items = node.array.items if node.array else ANY
    return f"[{' '.join(write_atom(item, items) for item in value)}]"


# --- reading ------------------------------------------------------------------------------------


def read_tagged(src: str, pos: int, members: Object | None) -> tuple[int, dict[str, JSON]]:
    """R-50: the groups of a call, from the first parenthesis on."""
    values: dict[str, JSON] = {}
    if ends(src, pos + 1, ")") or _is_value(src, pos + 1):
        pos = _read_positional(src, pos + 1, members, values)
    else:
        pos = _read_keyed(src, pos + 1, members or FREE, values)
    while src.startswith("\n(", pos):
        pos = _read_keyed(src, pos + 2, members or FREE, values)
    require_all(src, pos, members or FREE, values)
    return pos, values


def _is_value(src: str, pos: int) -> bool:
    """R-53: what begins like a value is one; a key that does is quoted."""
    first = src[pos : pos + 1]
    is_lone = first in (NULL_ATOM, SKIP) and src[pos + 1 : pos + 2] in (" ", ",", ")")
    match = ATOM.match(src, pos)
    return is_lone or first in ("[", "{") or bool(match and match[3])


def _read_positional(src: str, pos: int, members: Object | None, values: dict[str, JSON]) -> int:
    index = 0
    while not ends(src, pos, ")"):
        if members is None:
            msg = "without tools, only arguments with keys can be read"
            raise DecodeError(Code.SCHEMALESS, msg, doc=src, pos=pos)
        param = by_position(src, pos, members, index, keyed=False)
        index += 1
        start = pos
        if skips(src, pos, param):
            pos += 1
        else:
            pos, values[param.name] = read_at(_read_value, src, pos, param.type, 0, param.name)
        pos = to_next(src, pos, ")", start, param.name)
    return pos + 1


def _read_keyed(src: str, pos: int, members: Object, values: dict[str, JSON]) -> int:
    pos, start, key = read_pair(_read_value, src, pos, members, values, 0)
    if not ends(src, pos, ")"):
        scan_separator(src, pos, ")", start, key)
        raise unexpected(src, pos, "')': a group holds one key and its value")
    return pos + 1


def _read_value(src: str, pos: int, node: Type, depth: int) -> tuple[int, JSON]:
    value: JSON
    if src.startswith(("[", "{"), pos):
        check_depth(src, pos, depth)
        if src[pos] == "[" and node.array:
            end, value = read_items(_read_value, src, pos + 1, node.array.items, depth + 1)
        elif src[pos] == "{" and node.object:
            end, value = read_pairs(_read_value, src, pos + 1, node.object, depth + 1)
        else:
            raise refused(src, pos, pos + 1, (Code.TYPE, node.noun))
    else:
        end, value = _read_atom(src, pos, node)
    if refusal := node.refuse(value):
        raise refused(src, pos, end, refusal)
    return end, value


def _read_atom(src: str, pos: int, node: Type) -> tuple[int, JSON]:
    end, letter, payload = scan_atom(src, pos)
    if letter == "e" and not (node.has_labels or node == ANY):
        raise refused(src, pos, end, (Code.TYPE, node.noun))
    if letter in "uif":
        check_digits(src, pos, payload)
    try:
        return end, _payload(letter, payload)
    except ValueError:
        expected = f"a payload that the tag {letter!r} allows"
        raise refused(src, pos, end, (Code.PAYLOAD, expected)) from None


def _payload(letter: str, payload: str) -> JSON:
    """R-51: the value of an atom; ValueError where its letter does not allow the payload."""
    if letter in "se":
        return payload
    if letter == NULL_ATOM:
        return None
    if letter == "b":
        return ("false", "true").index(payload) == 1
    match = NUMBER.fullmatch(payload)
    if match is None or (letter != "f" and (match[1] or match[2])):
        raise ValueError
    number = float(payload) if letter == "f" else read_number(payload)
    is_infinite = isinstance(number, float) and not isfinite(number)
    if number is None or is_infinite or (letter == "u" and payload.startswith("-")):
        raise ValueError
    return number
