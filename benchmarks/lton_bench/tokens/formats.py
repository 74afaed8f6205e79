"""The formats of the benchmark: all ways to write the calls of a turn."""

from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import islice, product
from string import ascii_lowercase

from lton.schema import Call, ToolSet
from lton.schema.types import JSON
from lton_bench.internals import minified, require
from lton_bench.tokens import rivals
from lton_bench.tokens.notation import Notation
from lton_bench.tokens.pieces import (
    MINIFIED,
    SPACED,
    Format,
    JSONStyle,
    Piece,
    Pieces,
    between,
    key,
    listed,
    mark,
    merged,
    name,
    value,
)
from lton_bench.tokens.positions import by_position
from lton_bench.tokens.rivals import EXTRA, one_or_all, plain

Write = Callable[[Sequence[Call], ToolSet], Pieces]
BASELINE = "JSON minified"


# --- LTON ---------------------------------------------------------------------------------------
@lru_cache(maxsize=4096)
def aliased(tools: ToolSet) -> ToolSet:
    """Return the tools with one word of each name as the alias."""
    return tools.with_aliases()


@lru_cache(maxsize=4096)
def lettered(tools: ToolSet) -> ToolSet:
    """Return the tools with letters as aliases, the shortest names."""
    renamed = map(lambda tool, alias: replace(tool, alias=alias), tools, _letters(len(tools)))
    return ToolSet(tuple(renamed), tools.notes)


def _aliased(calls: Sequence[Call], tools: ToolSet) -> list[Piece]:
    return Notation().write(calls, aliased(tools))


def _lettered(calls: Sequence[Call], tools: ToolSet) -> list[Piece]:
    return Notation().write(calls, lettered(tools))


def _letters(count: int) -> Iterator[str]:
    """Return `count` names of the same length, as short as possible."""
    length = 1
    while len(ascii_lowercase) ** length < count:
        length += 1
    names = product(ascii_lowercase, repeat=length)
    return map("".join, islice(names, count))


# --- JSON ---------------------------------------------------------------------------------------
def _json(style: JSONStyle, calls: Sequence[Call], _: ToolSet) -> Pieces:
    yield from listed(style, [style.call(call) for call in calls])


def _arguments_only(calls: Sequence[Call], _: ToolSet) -> Pieces:
    yield from listed(MINIFIED, [MINIFIED.write(dict(call.arguments)) for call in calls])


def _double_encoded(calls: Sequence[Call], _: ToolSet) -> Pieces:
    yield from listed(MINIFIED, [_doubled(call) for call in calls])


def _doubled(call: Call) -> Pieces:
    yield from (mark('{"'), key("name"), mark('":'))
    yield from MINIFIED.quoted(call.name, "name")
    yield from (mark(',"'), key("arguments"), mark('":"'))
    for text, role in MINIFIED.write(dict(call.arguments)):
        yield Piece(minified(text)[1:-1], role)
    yield mark('"}')


def _array(calls: Sequence[Call], tools: ToolSet) -> Pieces:
    yield from listed(MINIFIED, [_row(call, tools) for call in calls])


def _row(call: Call, tools: ToolSet) -> Pieces:
    row = by_position(call, tools)
    if row is None:
        yield from MINIFIED.call(call)
    else:
        yield mark("[")
        yield from MINIFIED.quoted(call.name, "name")
        yield mark("," if row else "")
        yield from between(",", map(MINIFIED.write, row))
        yield mark("]")


def _name_and_array(brackets: str, calls: Sequence[Call], tools: ToolSet) -> Pieces:
    for index, call in enumerate(calls):
        yield mark("\n" if index else "")
        row = by_position(call, tools)
        if row is None:
            yield from MINIFIED.call(call)
        else:
            yield name(call.name)
            yield mark(brackets[0])
            yield from between(",", map(MINIFIED.write, row))
            yield mark(brackets[1])


# --- binary -------------------------------------------------------------------------------------
def _binary(library: str, function: str, positional: bool) -> Write:
    def write(calls: Sequence[Call], tools: ToolSet) -> Pieces:
        dump = getattr(require(library, EXTRA), function)
        values = [_plain_row(call, tools) if positional else plain(call) for call in calls]
        yield value(b64encode(dump(one_or_all(values))).decode())

    return write


def _plain_row(call: Call, tools: ToolSet) -> JSON:
    row = by_position(call, tools)
    return plain(call) if row is None else [call.name, *row]


# --- the floor ----------------------------------------------------------------------------------
def _floor(has_name: bool, calls: Sequence[Call], _: ToolSet) -> Pieces:
    for index, call in enumerate(calls):
        yield mark("\n" if index else "")
        head = [name(call.name)] if has_name else []
        leaves = [value(leaf) for leaf in _leaves(dict(call.arguments))]
        yield from between(" ", ([piece] for piece in (*head, *leaves)))


def _leaves(whole: JSON) -> Iterator[str]:
    if isinstance(whole, dict):
        for part in whole.values():
            yield from _leaves(part)
    elif isinstance(whole, list | tuple):
        for part in whole:
            yield from _leaves(part)
    else:
        yield whole if isinstance(whole, str) else minified(whole)


def _whole(write: Write) -> Callable[[Sequence[Call], ToolSet], list[Piece]]:
    return lambda calls, tools: merged(write(calls, tools))


_BROKEN = "calls that break their own schema in the map form"
_GAPS = "null for a gap: a null that is an argument reads as a gap"
_UNTYPED = "types are the schema's to know"

FORMATS: tuple[Format, ...] = (
    Format("LTON wire", "LTON", Notation().write, f"canonical; {_BROKEN}"),
    Format("LTON keyed", "LTON", Notation("keyed").write),
    Format("LTON punctuated", "LTON", Notation("punctuated").write, "what models write"),
    Format("LTON map", "LTON", Notation().without_tools, "a name and a map, as without tools"),
    Format("LTON tagged", "LTON", Notation("tagged").write, "the form of the seed"),
    Format("LTON wire, aliases", "LTON", _aliased, "`ToolSet.with_aliases`: a word of each name"),
    Format("LTON wire, letters", "LTON", _lettered, "aliases a, b, … in the order of the tools"),
    Format("LTON wire, sigil", "LTON", Notation(sigil=True).write, "as between lines of prose"),
    *(
        Format(name, "JSON", _whole(write), note)
        for name, write, note in (
            (BASELINE, partial(_json, MINIFIED), "the baseline; several calls as an array"),
            ("JSON spaced", partial(_json, SPACED), "as most templates print it"),
            ("JSON arguments only", _arguments_only, "without the name of the tool"),
            ("JSON double-encoded", _double_encoded, "as the APIs of vendors carry it"),
            ("JSON array", _array, f'by position, `["f",…]`; {_GAPS}'),
            ("JSON name and array", partial(_name_and_array, "[]"), f"`f[…]`; {_GAPS}"),
        )
    ),
    *(
        Format(name, "rival", _whole(write), note)
        for name, write, note in (
            ("TOON", rivals.toon, "toon-format, of the same object as JSON; 1.0 as 1"),
            ("TOON by name", rivals.toon_by_name, "toon-format, of {name: arguments}; 1.0 as 1"),
            ("TRON-like", partial(_name_and_array, "()"), f"`f(…)` of JSON literals; {_GAPS}"),
            ("YAML", rivals.yaml_block, "PyYAML, block style"),
            ("XML", rivals.xml, f"an element an argument; {_UNTYPED}"),
            ("CSV", rivals.csv, f"a row a call, by position; {_UNTYPED}"),
            ("Python call", rivals.python, "keywords, Python's literals"),
            ("GLYPH-like", rivals.glyph, "`f{k=v}`, bare or quoted"),
        )
    ),
    *(
        Format(f"{name}, base64", "binary", _whole(_binary(*options)))
        for name, options in (
            ("MessagePack", ("msgpack", "packb", False)),
            ("MessagePack array", ("msgpack", "packb", True)),
            ("CBOR", ("cbor2", "dumps", False)),
            ("CBOR array", ("cbor2", "dumps", True)),
        )
    ),
    Format("values and name", "floor", _whole(partial(_floor, True)), "cannot be read back"),
    Format("values", "floor", _whole(partial(_floor, False)), "cannot be read back"),
)
