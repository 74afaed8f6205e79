"""Write and read each gold call of BFCL in each form, and count the calls that are unchanged.

    python -m fuzz.roundtrip

A call passes if each form decodes to the same value, types included. A call that LTON refuses to
write is checked against its own JSON Schema by an independent validator (`jsonschema`). The column
`no schema` is the map form and the tagged form without tools, which take any value.
The exit status is 0 if each call passes, or breaks its own schema and passes without the schema.
Then the tokens of the passed calls are counted (o200k), and compared with the shortest JSON.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import bpe_openai
import jsonschema

from lton import Call, EncodeError, ToolSet, decode, encode
from lton_bench import bfcl
from lton_bench.demo import json_array
from lton_bench.internals import FORMS, Form, minified

FREE = "no schema"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result of one gold call: the forms in which it passed, and the reason of a refusal."""

    category: str
    id: str
    passed: tuple[str, ...] = ()
    refusal: EncodeError | None = None
    breaks_schema: str | None = None
    texts: tuple[str, ...] = ()


def outcomes() -> Iterator[Outcome]:
    """Try each gold call in each form."""
    for case in bfcl.load():
        tools = ToolSet.from_tools(case.tools)
        schemas = {tool["function"]["name"]: tool["function"]["parameters"] for tool in case.tools}
        for name, arguments in case.calls:
            call = Call(name, arguments)
            free: tuple[Form, ...] = ("wire", "tagged")
            passed = [FREE] if all(_survives(call, None, form) for form in free) else []
            refusal, problem = None, None
            try:
                passed += [form for form in FORMS if _survives(call, tools, form)]
            except EncodeError as error:
                refusal, problem = error, _own_schema_problem(arguments, schemas[name])
            yield Outcome(
                category=case.category,
                id=case.id,
                passed=tuple(passed),
                refusal=refusal,
                breaks_schema=problem,
                texts=() if refusal else tuple(_texts(call, tools)),
            )


def same(one: Any, other: Any) -> bool:
    """Return whether two JSON values are the same, types included: 1 is not 1.0 and not true."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and repr(one) == repr(other)


def _survives(call: Call, tools: ToolSet | None, form: Form) -> bool:
    (found,) = decode(encode(call, tools, form=form), tools)
    return found.name == call.name and same(found.arguments, call.arguments)


def _texts(call: Call, tools: ToolSet) -> Iterator[str]:
    """Yield the call as JSON, as a JSON array by position (null for gaps), and in each form."""
    yield minified({"name": call.name, "arguments": call.arguments})
    yield minified(json_array(call, tools))
    yield from (encode(call, tools, form=form) for form in FORMS)
    short = tools.with_aliases()
    text = encode(call, short)
    if not same(dict(decode(text, short)[0].arguments), call.arguments):
        raise AssertionError(f"{text!r} does not come back the same")
    yield text


def _own_schema_problem(arguments: dict[str, Any], schema: dict[str, Any]) -> str | None:
    """Return the error of JSON Schema for the arguments, or a message if some are not declared."""
    for candidate in (schema, _closed(schema) | {"additionalProperties": False}):
        validator = jsonschema.Draft202012Validator(candidate)
        if error := jsonschema.exceptions.best_match(validator.iter_errors(arguments)):
            return f"{error.json_path}: {error.message}"
    return None


def _closed(schema: dict[str, Any]) -> dict[str, Any]:
    """Close the objects of a schema that declare properties, as LTON does (R-407)."""
    closed = {
        key: _closed(value) if key == "items" and isinstance(value, dict) else value
        for key, value in schema.items()
    }
    if "properties" in schema:
        closed["properties"] = {n: _closed(part) for n, part in schema["properties"].items()}
        closed.setdefault("additionalProperties", False)
    return closed


def main() -> int:
    """Print the table, the refused calls and the verdict."""
    found = list(outcomes())
    forms = (*FORMS, FREE)
    print(f"{'category':<24}{'calls':>7}", *(f"{form:>11}" for form in forms), f"{'refused':>9}")
    for row in (*bfcl.CATEGORIES, "all"):
        chosen = [outcome for outcome in found if row in (outcome.category, "all")]
        passed = Counter(form for outcome in chosen for form in outcome.passed)
        counts = (f"{passed[form]:>11,}" for form in forms)
        print(f"{row:<24}{len(chosen):>7,}", *counts, f"{sum(map(_refused, chosen)):>9,}")
    refused = list(filter(_refused, found))
    print(f"\nRefused, because the gold call breaks its own schema ({len(refused)}):")
    for outcome in refused:
        print(f"  {outcome.id}: {outcome.refusal}")
    wrong = [outcome for outcome in found if not _is_well(outcome)]
    for outcome in wrong:
        print(f"WRONG {outcome.id}: passed {outcome.passed}, refused {outcome.refusal}")
    fitting = len(found) - len(refused)
    print(
        f"\n{fitting - len(wrong):,} of {fitting:,} calls that fit their schema came back the same"
    )
    print(f"in all {len(FORMS)} forms; {len(refused)} calls break their schema and were refused.")
    _print_tokens([outcome.texts for outcome in found if outcome.texts])
    return 1 if wrong else 0


def _print_tokens(calls: list[tuple[str, ...]]) -> None:
    """Print tokens relative to JSON: of all calls together, and as the mean of the calls."""
    tokenizer = bpe_openai.get_encoding("o200k_base")
    counts = [[len(tokenizer.encode(text)) for text in texts] for texts in calls]
    totals = [sum(column) for column in zip(*counts, strict=True)]
    print(f"\n{'tokens of these calls':<24}{'o200k':>9}{'a call':>8}{'of JSON':>9}{'mean':>7}")
    names = ("JSON", "JSON array", *FORMS, "wire, aliases")
    for index, (name, total) in enumerate(zip(names, totals, strict=True)):
        mean = sum(row[index] / row[0] for row in counts) / len(counts)
        ratio = f"{total / totals[0]:>9.2f}{mean:>7.2f}"
        print(f"{name:<24}{total:>9,}{total / len(calls):>8.1f}{ratio}")


def _refused(outcome: Outcome) -> bool:
    return outcome.refusal is not None


def _is_well(outcome: Outcome) -> bool:
    """Return whether the call passed in each form, or breaks its schema and passed without it."""
    if outcome.refusal:
        return outcome.breaks_schema is not None and outcome.passed == (FREE,)
    return outcome.passed == (FREE, *FORMS)


if __name__ == "__main__":
    sys.exit(main())
