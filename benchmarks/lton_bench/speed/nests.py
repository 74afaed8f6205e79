"""Contestants that read invalid calls, and deeply nested calls."""

import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from lton import Call, decode, encode
from lton_bench.speed import contestants
from lton_bench.speed.calls import function_tool
from lton_bench.speed.contestants import Batch, Contestant

LEVELS = 62
"""Levels of nested values: a little below the limit (R-1101)."""
BROKEN = '{"name":"weather.v1","arguments":{"city":"Paris","days":x,"unit":"C"}}'
ERRORS = {
    "a type": "weather.v1 Paris x C",
    "a label": "weather.v1 Paris 7 K",
    "an item": "add [1 2 x 4]",
    "none at its end": "weather.v1 Paris 7",
    "one too many": "weather.v1 Paris 7 C 8",
    "a quote": 'weather.v1 "Paris 7 C',
    "a key": "weather.v1 Paris 7 unti=C",
    "a tool": "weathr Paris 7 C",
}


def reading_error(read: Callable[..., Any], *inputs: Any) -> ValueError | None:
    """Return the error of reading, or None if the input is valid."""
    try:
        read(*inputs)
    except ValueError as error:
        return error
    return None


def errors(batches: Sequence[Batch]) -> list[Contestant]:
    """Return contestants that read invalid JSON, and each kind of invalid LTON."""
    make = partial(Contestant, units=1, to_value=lambda error, batch: error and batch.value)
    read = partial(reading_error, decode)
    return [
        make(
            name="json.loads, no value",
            work=partial(reading_error, json.loads),
            columns=([BROKEN],),
        ),
        *(
            make(name=f"LTON decode, {kind}", work=read, columns=([text], [batches[0].tools]))
            for kind, text in ERRORS.items()
        ),
    ]


NESTS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "arrays": (lambda inside: {"type": "array", "items": inside}, lambda inside: [inside]),
    "records": (
        lambda inside: {"type": "object", "properties": {"a": inside}, "required": ["a"]},
        lambda inside: {"a": inside},
    ),
    "maps": (
        lambda inside: {"type": "object", "additionalProperties": inside},
        lambda inside: {"a": inside},
    ),
}
"""Functions that wrap a schema, and a value, in one more level."""


def nest(kind: str) -> Batch:
    """Return a call with an argument of `LEVELS` levels."""
    around, value_around = NESTS[kind]
    schema: Any = {"type": "integer"}
    value: Any = 1
    for _ in range(LEVELS):
        schema, value = around(schema), value_around(value)
    return Batch(calls=[Call("nest", {"x": value})], definitions=[function_tool("nest", x=schema)])


def nests(batches: Sequence[Batch]) -> list[Contestant]:
    """Return contestants that read single calls, and nested calls of each kind."""
    readers = []
    for name, work_on in ((FLAT, batches), *((kind, [nest(kind)] * 100) for kind in NESTS)):
        texts = [encode(batch.calls, batch.tools) for batch in work_on]
        one = Contestant(
            name=f"LTON decode, {name}",
            work=decode,
            columns=(texts, [batch.tools for batch in work_on]),
            to_value=contestants.from_calls,
            units=sum(map(len, texts)),
            batches=work_on,
        )
        readers.append(one)
    return readers


FLAT = "calls"
