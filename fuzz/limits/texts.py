"""Probes of texts that models write, and of results of tools."""

import json
from collections.abc import Callable
from typing import Any

from fuzz.limits.probe import Probe, ProbeError
from lton import Decoder, ToolSet, _syntax, decode, decode_lenient, results
from lton.chat import read as read_answer
from lton.lenient import mend_call
from tests.cases import F_ANY, F_INTS, F_NUM, F_STR, FREE_ARGS, WEATHER
from tests.hostile import NAMES


def _strict_probe(make: Callable[[int], str], tools: ToolSet | None, *more: Any) -> Probe:
    return Probe(make, lambda text: decode(text, tools), *more)


def _lenient_probe(make: Callable[[int], str], *more: Any) -> Probe:
    return Probe(make, lambda text: decode_lenient(text, WEATHER), *more)


def _read_after_errors(text: str) -> None:
    found = decode_lenient(f"{text}weather.v1 Oslo,3", WEATHER)
    if not (found.calls or found.uncertain):
        raise ProbeError("the rest of the text is not searched for calls")


def _mend_arguments(arguments: str) -> None:
    if mend_call("f", arguments, F_INTS) is None:
        raise ProbeError("the call is not mended")


def _decode_in_chunks(text: str) -> None:
    decoder = Decoder(F_STR)
    for char in text:
        decoder.feed(char)
        while decoder.next_event() is not None:
            pass


def _decode_one_call(text: str) -> None:
    decoder = Decoder(F_STR, max_call=_syntax.MAX_CALL)
    decoder.feed(text)
    while decoder.next_event() is not None:
        pass


def _shorten_json(text: str) -> None:
    if results.short_result(text) == text:
        raise ProbeError("the JSON is not changed")


def _join_pieces(piece: Callable[[int], str]) -> Callable[[int], str]:
    return lambda n: "".join(map(piece, range(n)))


def _make_result(count: int) -> list[Any]:
    """Return rows, wide rows, nested records, records by key, and records of different keys."""
    rows = [{"id": i, "name": f"user {i}"} for i in range(count)]
    nested = [{"id": i, "lines": [{"x": i, "y": "two words"}] * 2} for i in range(count)]
    wide = [{f"k{i}": i for i in range(count)}] * 3
    return [
        rows,
        nested,
        wide,
        {f"k{i}": row for i, row in enumerate(rows)},
        [*map(_make_single_member, rows)],
    ]


def _make_single_member(row: dict[str, Any]) -> dict[str, Any]:
    return {f"c{row['id']}": row["name"]}


def _write_large(value: Any) -> str:
    return results.write(value, for_models="large")


def _make_records(count: int) -> list[Any]:
    """Return records with strings, arrays and nested objects, and a record of many members."""
    rows = [{"id": i, f"k{i % 9}": "two words", "in": {"a": {"b": [i]}}} for i in range(count)]
    return [*rows, {f"k{i}": i for i in range(count)}]


def _write_small(value: Any) -> str:
    text = results.write(value, for_models="small")
    assert text.startswith(f"[{len(value)} by ")
    return text


def _nest_lists(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


PROBES: dict[str, Probe] = {
    # --- texts of models
    "characters of an output": _strict_probe(lambda n: "f '" + "x y" * n + "'", F_STR, 10_000),
    "calls in an output": _strict_probe(lambda n: "f x\n" * n, F_STR),
    "bytes of a call that is read in chunks": Probe(
        lambda n: "f " + "x" * n, _decode_one_call, 10_000
    ),
    "chunks of an output": Probe(lambda n: "f '" + "x " * n, _decode_in_chunks),
    "characters of an unknown name": _strict_probe(lambda n: "n" * n + " 1", NAMES, 10_000),
    "blank lines before a call": Probe(
        lambda n: "a" + "\n" * n + "!call weather.v1 Oslo,3",
        lambda text: read_answer(text, WEATHER),
        2_000,
    ),
    "arguments of a call": _strict_probe(
        _join_pieces(lambda i: f"{'' if i else 'm'} k{i}=1"), FREE_ARGS
    ),
    "elements of an array": _strict_probe(lambda n: f"f [{'1 ' * n}]", F_INTS, 5_000),
    "rows of a table": _strict_probe(
        lambda n: f"f [{n}(a b)\n" + "1 2\n" * (n - 1) + "1 2]", F_ANY
    ),
    "nesting levels of a value": _strict_probe(lambda n: "f " + "[" * n + "]" * n, F_ANY, 30),
    "digits of a number": _strict_probe(lambda n: "f " + "1" * n, F_NUM, 2_000),
    "digits of a length": _strict_probe(lambda n: f"f s1{'0' * (n - 1)}:x", F_STR, 7),
    # --- results of tools
    "values of a result to be written": Probe(_make_result, _write_large),
    "characters of a string in a result": Probe(lambda n: ["'x\n```\"" * n], _write_large, 10_000),
    "nesting levels of a result": Probe(_nest_lists, _write_large, 30),
    "characters of a result to be read": Probe(
        lambda n: _write_large(_make_result(n)), results.read
    ),
    "records of a result for small models": Probe(_make_records, _write_small),
    "members of such records to be read": Probe(
        lambda n: _write_small(_make_records(n)), results.read
    ),
    "objects in the path of such a member": Probe(
        lambda n: f"[1 by a\n1 b{'.b' * n}:1]", results.read, 30
    ),
    "characters of JSON to be shortened": Probe(
        lambda n: json.dumps(_make_result(n // 200)), _shorten_json, 50_000
    ),
    # --- texts that are read leniently
    "open elements in an output": _lenient_probe(lambda n: "<a>\n" * n),
    "attributes of an element": _lenient_probe(lambda n: "<x" + ' a="b"' * n + ">"),
    "quotation marks in an output": _lenient_probe(lambda n: "f “a”b”\n" * n),
    "blank lines in an output": _lenient_probe(lambda n: "a" + "\n \n" * n + "weather.v1 Oslo,3"),
    "errors in an output": Probe(lambda n: "weather.v1(x=1)\n" * n, _read_after_errors, 40),
    "characters of arguments to be mended": Probe(
        lambda n: json.dumps({"x": ["1"] * (n // 5)}), _mend_arguments, 2_000
    ),
}
