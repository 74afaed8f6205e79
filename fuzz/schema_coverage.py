"""Count the schemas that LTON supports, and the values that survive a round trip.

    python -m fuzz.schema_coverage [SUITE]

* BFCL: each distinct function, and each gold call that its own schema allows.
* MCP: each tool of the recorded servers, with values that hypothesis-jsonschema generates.
* SUITE, a folder with the JSON-Schema-Test-Suite: each instance of drafts 2020-12 and 7 that is not
  optional. A valid instance passes if every form is read back as the same value, types included.
  An invalid instance passes if the reader refuses it. Schemas in `remotes` are not given, because
  LTON never fetches schemas.

Every miss is listed. The exit status is 1 if a goal is missed.
"""

import json
import statistics
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jsonschema
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from fuzz.roundtrip import same
from lton import Call, DecodeError, EncodeError, LTONError, SchemaError, ToolSet, decode, encode
from lton.schema.jsonschema.tally import Handling
from lton_bench import bfcl
from lton_bench.internals import FORMS

MCP = Path(__file__).parents[1] / "benchmarks" / "lton_bench" / "mcp"
DRAFTS = {
    "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
    "draft7": "http://json-schema.org/draft-07/schema#",
}
VALUES = 20
"""Values that are generated for each MCP tool."""
ALL, MOST = 1.0, 0.95


@dataclass(slots=True)
class Row:
    """The results for the schemas of one source, and for their values."""

    name: str
    goal: float
    """The share of values that must pass. If it is 1, all schemas must compile, too."""
    schemas: int = 0
    compiled: int = 0
    checked: int = 0
    """Tools whose arguments have checks beyond the layout."""
    handlings: Counter[Handling] = field(default_factory=Counter)
    values: int = 0
    right: int = 0
    misses: list[str] = field(default_factory=list)

    @property
    def is_met(self) -> bool:
        is_whole = self.goal < ALL or self.compiled == self.schemas
        return is_whole and self.right >= self.goal * self.values

    def compile(self, definition: Any, label: str, *, standard: bool = False) -> ToolSet | None:
        """Return the compiled tool, or None if it is refused."""
        self.schemas += 1
        try:
            tools = ToolSet.from_tools([definition], standard=standard)
        except SchemaError as error:
            self.misses.append(f"{label}: {error}")
            return None
        self.compiled += 1
        self.checked += tools.tools[0].check is not None
        self.handlings.update(note.handling for note in tools.notes)
        return tools

    def judge(self, is_right: bool | str, label: str) -> None:
        """Count a value; `is_right` is True, or the reason of a failure."""
        self.values += 1
        if is_right is True:
            self.right += 1
        else:
            self.misses.append(f"{label}: {is_right or 'not the same'}")


def survives(call: Call, tools: ToolSet) -> bool | str:
    """Return whether a call is read back unchanged from every form, or why it was refused."""
    try:
        for form in FORMS:
            (found,) = decode(encode(call, tools, form=form), tools)
            if not same(dict(found.arguments), dict(call.arguments)):
                return False
    except LTONError as error:
        return str(error)
    return True


def is_refused(call: Call, tools: ToolSet) -> bool | str:
    """Return whether the reader refuses a call that was written without its schema."""
    try:
        decode(encode(call, form="tagged"), tools)
    except DecodeError:
        return True
    except EncodeError as error:
        return str(error)
    return "read, and not refused"


# --- sources ------------------------------------------------------------------------------------


def bfcl_functions() -> Row:
    """Compile each function of the data."""
    row = Row("BFCL functions, as found", ALL)
    for document in bfcl.documents():
        row.compile(document, document["name"])
    return row


def bfcl_calls() -> Row:
    """Write and read the gold calls of the normalised functions."""
    row = Row("BFCL gold calls", ALL)
    for function in bfcl.functions(bfcl.CATEGORIES):
        row.compile(function, function["function"]["name"])
    for case in bfcl.load():
        tools = ToolSet.from_tools(case.tools)
        for name, arguments in case.calls:
            call = Call(name, arguments)
            try:
                encode(call, tools)
            except EncodeError:
                continue  # it breaks its own schema: `make bench-roundtrip` shows that it does
            row.judge(survives(call, tools), case.id)
    return row


def mcp_tools() -> Iterator[Row]:
    """Compile the tools of each server, and try generated values."""
    for path in sorted(MCP.glob("*.json")):
        server = json.loads(path.read_text("utf-8"))
        row = Row(f"MCP {server['name']} {server['version']}", ALL)
        for tool in server["tools"]:
            label = f"{server['name']} {tool['name']}"
            if tools := row.compile(tool, label):
                for arguments in made_values(tool["inputSchema"]):
                    row.judge(survives(Call(tool["name"], arguments), tools), label)
        yield row


def made_values(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """Return some values of a schema, always the same."""
    from hypothesis_jsonschema import from_schema  # noqa: PLC0415 - only `make bench-coverage` has it

    formats = {
        "date-time": st.datetimes(timezones=st.just(UTC)).map(datetime.isoformat),
        "uri": st.from_regex(r"\Ahttps://[a-z]{1,9}\.example/[a-z]{0,9}\Z"),
        "uuid": st.uuids().map(str),
    }
    found: list[dict[str, Any]] = []

    @seed(0)
    @settings(
        max_examples=VALUES,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(from_schema(_closed(schema), custom_formats=formats).filter(_has_no_nul))
    def collect(value: dict[str, Any]) -> None:
        found.append(value)

    collect()
    return found


def _has_no_nul(value: Any) -> bool:
    """R-202: neither strings nor keys contain U+0000."""
    return "\\u0000" not in json.dumps(value)


def _closed(schema: Any) -> Any:
    """Close the objects that declare members, as LTON does (R-407)."""
    if isinstance(schema, list):
        return [_closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: _closed(part) for key, part in schema.items()}
    if isinstance(schema.get("properties"), dict):
        closed.setdefault("additionalProperties", False)
    return closed


def suite(folder: Path) -> Iterator[Row]:
    """Judge each mandatory instance of the test suite."""
    for draft, dialect in DRAFTS.items():
        row = Row(f"JSON-Schema-Test-Suite {draft}", MOST)
        for path in sorted((folder / "tests" / draft).glob("*.json")):
            for group in json.loads(path.read_text("utf-8")):
                label = f"{draft} {path.stem}: {group['description']}"
                definition = {"name": "f", "parameters": _embedded(group["schema"], dialect)}
                tools = row.compile(definition, label, standard=True)
                for test in group["tests"]:
                    call = Call("f", {"value": test["data"]})
                    place = f"{label}: {test['description']}"
                    if tools is None:
                        row.judge("its schema was refused", place)
                    else:
                        judge = survives if test["valid"] else is_refused
                        row.judge(judge(call, tools), place)
        yield row


def _embedded(schema: Any, dialect: str) -> dict[str, Any]:
    """Return the schema of an object with a property of this schema; references still work."""
    if isinstance(schema, dict):
        if "$ref" in schema and "draft-07" in dialect:  # which excludes other keywords
            names = {key: schema[key] for key in ("definitions", "$defs") if key in schema}
            schema = {**names, "allOf": [{"$ref": schema["$ref"]}]}
        schema = {"$id": "urn:lton:suite", **schema}
    properties = {"value": schema}
    return {"$schema": dialect, "type": "object", "properties": properties, "required": ["value"]}


# --- the program --------------------------------------------------------------------------------


def rows(folder: Path | None) -> Iterator[Row]:
    """Yield each row as soon as it is complete."""
    yield bfcl_functions()
    yield bfcl_calls()
    yield from mcp_tools()
    if folder is not None:
        yield from suite(folder)


def _print(row: Row) -> None:
    any_value, unchecked = row.handlings[Handling.ANYTHING], row.handlings[Handling.UNCHECKED]
    counts = (row.schemas, row.compiled, row.checked, any_value, unchecked, row.values, row.right)
    verdict = f"{row.goal:.0%} {'met' if row.is_met else 'missed'}"
    print(f"{row.name:<40}", *(f"{count:>11,}" for count in counts), f"  {verdict}", flush=True)


def compile_ratio() -> float:
    """Return the time to compile all servers' tools, relative to checking their schemas."""
    tools = [tool for path in sorted(MCP.glob("*.json")) for tool in _tools(path)]
    ratios = []
    for _ in range(5):
        start = time.perf_counter()
        for tool in tools:
            jsonschema.validators.validator_for(
                tool["inputSchema"], default=jsonschema.Draft202012Validator
            ).check_schema(tool["inputSchema"])
        middle = time.perf_counter()
        for tool in tools:
            ToolSet.from_tools([tool])
        ratios.append((time.perf_counter() - middle) / (middle - start))
    return statistics.median(ratios)


def _tools(path: Path) -> list[dict[str, Any]]:
    tools: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))["tools"]
    return tools


def _sum(found: list[Row], name: str) -> Row:
    total = Row(name, ALL)
    for row in found:
        total.schemas += row.schemas
        total.compiled += row.compiled
        total.checked += row.checked
        total.handlings += row.handlings
        total.values += row.values
        total.right += row.right
    return total


def main() -> int:
    """Print the table, then every miss."""
    warnings.simplefilter("ignore")  # hypothesis-jsonschema uses names that jsonschema renamed
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    heads = ("schemas", "compiled", "checked", "any value", "not checked", "values", "right")
    print(f"{'':<40}", *(f"{head:>11}" for head in heads), "  goal")
    found = []
    for row in rows(folder):
        found.append(row)
        _print(row)
    _print(_sum([row for row in found if row.name.startswith("MCP")], "MCP, all servers"))
    print(
        f"\nTo compile the tools of all servers takes {compile_ratio():.2f} of the time that"
        " jsonschema takes to check their schemas (goal: 1)."
    )
    for row in found:
        if row.misses:
            print(f"\n{row.name}: {len(row.misses)} misses")
        for miss in row.misses:
            print(f"  {miss}"[:160])
    return 0 if all(row.is_met for row in found) else 1


if __name__ == "__main__":
    sys.exit(main())
