"""Compare the TypeScript package with the library: `python -m fuzz.javascript --count 200000`.

Schemas, values and texts are generated. Each side reads the calls that the other side writes.
Damaged texts are read by both, whole and in chunks. Signatures, texts, values, codes, positions,
paths and events have to be equal. Each difference is printed, and then the exit status is 1.
"""

import argparse
import json
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lton import Call, DecodeError, Decoder, LTONError, ToolSet, decode, encode, events
from lton._syntax import FORMS
from lton.results import ForModels, read, write
from lton.schema.shown.signature import write_signature

SCRIPT = Path(__file__).parent.parent / "js" / "test" / "fuzz.mjs"
BATCH = 5_000
MODELS: tuple[ForModels, ...] = ("any", "small", "large")
MOST_SHOWN = 20
WORDS = (
    "a b key San n _ s s3 s3:x s1:abc u1:7 7 -0 0.5 1e5 true false null str any & !call a=b it's"
    ' say"hi" \\ \\n ``` ` \'" \'"` é 😀 😀é ZZ __proto__ constructor toString 10 2 a/b a.b a:b *'
).split()
TEXTS = [
    *WORDS,
    "",
    " ",
    "a b",
    "a\nb",
    "\n",
    "\r",
    "a\r\nb\n",
    "```\nx",
    "x\n````\ny\n",
    "\u2028``",
]
NUMBERS = [0, 1, -1, 7, 10**15, 2**53 + 1, -(10**30), 0.0, -0.0, 1.0, 0.1, 1e22, 1e-7, 1e16, 5e-324]
PIECES = [
    *" ,;()[]{}=\"'`&!#_\n\r\0:+-.",
    *TEXTS,
    "s2:",
    "u1:7",
    "e1:",
    "f3:1.0",
    "b4:true",
    "[(a b)",
]
PIECES += ["!call ", "!result ", "!error: ", "\n(", "null", "true", "1e999", "9" * 20, "\ud800"]


class Made:
    """The schemas, values and texts of a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def text(self) -> str:
        pick = self.random
        if pick.random() < 0.8:
            return pick.choice(TEXTS)
        return "".join(pick.choice(TEXTS) for _ in range(pick.randrange(4)))

    def label(self) -> Any:
        return self.random.choice([self.text(), self.random.choice(NUMBERS), None, True, False])

    def schema(  # noqa: C901, PLR0911 - a line for each kind
        self, depth: int = 0
    ) -> Any:
        pick = self.random
        kind = pick.randrange(9 if depth > 2 else 16)
        if kind < 3:
            return {
                "type": "string",
                **self.some({"minLength": 1, "maxLength": 3, "pattern": "a|b"}),
            }
        if kind == 3:
            bounds = {"minimum": 0, "maximum": 100.5, "exclusiveMinimum": -5, "multipleOf": 0.5}
            return {"type": pick.choice(["integer", "number"]), **self.some(bounds)}
        if kind == 4:
            return {"enum": [self.label() for _ in range(pick.randrange(1, 5))]}
        if kind == 5:
            return {
                "type": pick.choice(["boolean", "null", ["string", "null"], ["integer", "string"]])
            }
        if kind == 6:
            return pick.choice([{}, True, {"type": "object"}, {"type": "array"}])
        if kind in (7, 8):
            return {"type": pick.choice(["integer", "number", "string"])}
        if kind == 9:
            bounds = {"minItems": 1, "maxItems": 3, "uniqueItems": True}
            return {"type": "array", "items": self.schema(depth + 1), **self.some(bounds)}
        if kind == 10:
            return {"type": "object", "additionalProperties": self.schema(depth + 1)}
        if kind == 11:
            word = pick.choice(["anyOf", "oneOf", "allOf"])
            return {word: [self.schema(depth + 1) for _ in range(pick.randrange(1, 4))]}
        if kind in (12, 13):
            return self.labelled(depth + 1)
        return self.members(depth + 1)

    def labelled(self, depth: int) -> dict[str, Any]:
        """Make a union of objects between which a member may decide."""
        pick = self.random
        name = self.text()
        labels = dict.fromkeys(self.text() for _ in range(3))
        parts = []
        for number, label in enumerate(labels):
            part = self.members(max(depth, 2))
            part["properties"][name] = pick.choice([{"const": label}, {"enum": [label, number]}])
            if pick.random() < 0.97:
                part["required"].append(name)
            parts.append(part)
        if pick.random() < 0.2:
            parts[0] = self.labelled(depth + 1)
        schema: dict[str, Any] = {pick.choice(["anyOf", "oneOf"]): parts}
        if pick.random() < 0.2:
            schema["discriminator"] = {"propertyName": name}
        if pick.random() < 0.2:
            schema["properties"] = {self.text(): self.schema(depth)}
        return schema

    def some(self, bounds: dict[str, Any]) -> dict[str, Any]:
        return {name: bound for name, bound in bounds.items() if self.random.random() < 0.15}

    def members(self, depth: int = 0) -> dict[str, Any]:
        pick = self.random
        names = list(dict.fromkeys(self.text() for _ in range(pick.randrange(5))))
        properties = {name: self.schema(depth) for name in names}
        for part in properties.values():
            if isinstance(part, dict) and pick.random() < 0.1:
                part["default"] = self.value(1)
            if isinstance(part, dict) and pick.random() < 0.2:
                part["description"] = f"{self.text()} {self.text()}"
        schema: dict[str, Any] = {"type": "object", "properties": properties}
        schema["required"] = [name for name in names if pick.random() < 0.5]
        if pick.random() < 0.3:
            schema["additionalProperties"] = pick.choice([True, False, {"type": "integer"}])
        return schema

    def value(self, depth: int = 0) -> Any:
        pick = self.random
        kind = pick.randrange(4 if depth > 3 else 7)
        if kind < 2:
            return self.text()
        if kind == 2:
            return pick.choice(NUMBERS)
        if kind == 3:
            return pick.choice([None, True, False])
        if kind == 4:
            return [self.value(depth + 1) for _ in range(pick.randrange(4))]
        if kind == 5:
            keys = list(dict.fromkeys(self.text() for _ in range(pick.randrange(1, 4))))
            return [{key: self.value(depth + 1) for key in keys} for _ in range(pick.randrange(4))]
        return {self.text(): self.value(depth + 1) for _ in range(pick.randrange(4))}

    def records(self) -> list[Any]:
        """Make records that share some of their keys, of which none looks like an index."""
        pick = self.random
        keys = [key for key in dict.fromkeys([*TEXTS, *"abcdefg"]) if not key.isdigit()]
        keys = pick.sample(keys, pick.randrange(1, 12))
        return [
            {key: self.value(pick.randrange(1, 5)) for key in keys if pick.random() < 0.8}
            for _ in range(pick.randrange(1, 5))
        ]

    def fitting(  # noqa: C901, PLR0911 - a line for each kind
        self, schema: Any, depth: int = 0
    ) -> Any:
        """Return a value that may fit a schema."""
        pick = self.random
        if not isinstance(schema, dict) or pick.random() < 0.03:
            return self.value(depth)
        if "enum" in schema:
            return pick.choice(schema["enum"])
        if "const" in schema:
            return schema["const"]
        for word in ("anyOf", "oneOf", "allOf"):
            if word in schema:
                return self.fitting(pick.choice(schema[word]), depth)
        kind = schema.get("type")
        kind = pick.choice(kind) if isinstance(kind, list) else kind
        if kind == "string":
            return self.text()
        if kind == "integer":
            return pick.choice([number for number in NUMBERS if isinstance(number, int)])
        if kind == "number":
            return pick.choice(NUMBERS)
        if kind == "boolean":
            return pick.random() < 0.5
        if kind == "array":
            return [self.fitting(schema.get("items"), depth + 1) for _ in range(pick.randrange(4))]
        if kind == "object":
            return self.arguments(schema, depth)
        return None if kind == "null" else self.value(depth)

    def arguments(self, schema: dict[str, Any], depth: int = 0) -> dict[str, Any]:
        pick = self.random
        needed = schema.get("required", ())
        given = {
            name: self.fitting(part, depth + 1)
            for name, part in schema.get("properties", {}).items()
            if name in needed or pick.random() < 0.6
        }
        if schema.get("additionalProperties") or "properties" not in schema:
            for _ in range(pick.randrange(3)):
                given[self.text()] = self.fitting(schema.get("additionalProperties"), depth + 1)
        return given

    def wrong(self, text: str) -> str:
        """Return a text with a few changes."""
        pick = self.random
        for _ in range(pick.randrange(1, 4)):
            at = pick.randrange(len(text) + 1)
            end = min(len(text), at + pick.choice([0, 0, 1, 1, 2, 5]))
            text = text[:at] + pick.choice([*PIECES, ""]) + text[end:]
        return text

    def cut(self, text: str) -> list[str]:
        chunks = []
        while text:
            size = self.random.randrange(1, self.random.choice([2, 4, 30]))
            chunks.append(text[:size])
            text = text[size:]
        return chunks


# --- what the library says ------------------------------------------------------------------------


def ours(asked: dict[str, Any], tools: ToolSet | None) -> dict[str, Any]:
    """Return the library's answer to a question, in the form of the package."""
    try:
        if "text" in asked:
            return {"calls": [_call(call) for call in decode(asked["text"], tools)]}
        if "chunks" in asked:
            return _streamed(asked, tools)
        calls = [Call(**call) for call in json.loads(asked["calls"])]
        return {"text": encode(calls, tools, form=asked["form"])}
    except LTONError as error:
        return {"error": _placed(error)}


def _call(call: Call) -> dict[str, Any]:
    return {"name": call.name, "arguments": call.arguments}


def _placed(error: LTONError) -> dict[str, Any]:
    pos = {"pos": error.pos} if isinstance(error, DecodeError) else {}
    return {"code": error.code, **pos, "path": getattr(error, "path", None)}


def _streamed(asked: dict[str, Any], tools: ToolSet | None) -> dict[str, Any]:
    decoder = Decoder(tools, deltas=asked["deltas"])
    told: list[list[Any]] = []
    try:
        for chunk in asked["chunks"]:
            decoder.feed(chunk)
            _tell(decoder, told)
        decoder.close()
        _tell(decoder, told)
    except DecodeError as error:
        return {"events": told, "error": _placed(error)}
    return {"events": told}


def _tell(decoder: Decoder, told: list[list[Any]]) -> None:
    while (event := decoder.next_event()) is not None:
        match event:
            case events.ArgumentDelta(path, text):
                steps = "/".join(map(str, path))
                if told and told[-1][:2] == ["delta", steps]:
                    told[-1][2] += text
                else:
                    told.append(["delta", steps, text])
            case events.CallStart(name):
                told.append(["start", name])
            case events.Argument(name, value):
                told.append(["argument", name, value])
            case events.CallEnd(call):
                told.append(["end", call.name, call.arguments])
            case events.Answer(result):
                told.append(["result", result.name, result.value, result.is_error])


# --- both -----------------------------------------------------------------------------------------


Question = tuple[str, dict[str, Any], dict[str, Any]]
"""What is compared, what is asked, and what the library says."""


def questions(made: Made) -> Iterator[Question]:
    """Yield questions about a toolset, endlessly."""
    pick = made.random
    while True:
        schema = made.members()
        name = pick.choice(["f", "g.v1", "a b", "get_x"])
        definitions = [{"name": name, "parameters": schema}, {"name": "stop", "parameters": {}}]
        tools: ToolSet | None = None
        asked: dict[str, Any] = {"definitions": None}
        answer: Any = None
        if pick.random() < 0.85:
            about = pick.random() < 0.5
            asked = {"definitions": json.dumps(definitions), "descriptions": about}
            try:
                tools = ToolSet.from_tools(definitions)
                answer = {
                    "signatures": list(map(write_signature, tools)),
                    "fingerprint": tools.fingerprint,
                    "prompt": tools.prompt(descriptions=about),
                }
            except LTONError as error:
                answer = {"error": {"code": error.code, "path": None}}
        yield "layout", asked, answer
        yield from _of_results(made)
        if asked["definitions"] is not None and tools is None:
            continue
        yield from _of_tools(made, tools, name, schema)


def _of_results(made: Made) -> Iterator[Question]:
    value = made.records() if made.random.random() < 0.8 else made.value()
    if INDEX.search(json.dumps(value)):  # in JavaScript the members would have another order
        return
    for models in MODELS:
        text = write(value, for_models=models)
        yield "results", {"result": json.dumps(value), "models": models}, {"text": text}
        yield "results read", {"shown": text}, {"value": value}
        wrong = made.wrong(text)
        if MINUS_ZERO.search(wrong):  # in JSON, this is 0 in Python and -0.0 in JavaScript
            continue
        try:
            answer: dict[str, Any] = {"value": read(wrong)}
        except LTONError:  # the package has fewer codes for results
            answer = {"error": {"code": None}}
        yield "results wrong", {"shown": wrong}, answer


def _of_tools(made: Made, tools: ToolSet | None, name: str, schema: Any) -> Iterator[Question]:
    pick = made.random
    for _ in range(6):
        arguments = made.arguments(schema) if tools else made.value()
        calls = [{"name": name, "arguments": arguments if isinstance(arguments, dict) else {}}]
        calls *= pick.randrange(1, 3)
        form = pick.choice(FORMS)
        asked = {"calls": json.dumps(calls), "form": form}
        written = ours(asked, tools)
        yield "written", asked, written
        text = written.get("text") or f"{name} {made.text()} {made.text()}"
        for kind, each in [
            ("read", text),
            ("wrong", made.wrong(text)),
            ("wrong", made.wrong(text)),
        ]:
            yield kind, (one := {"text": each}), ours(one, tools)
        chunks = made.cut(made.wrong(text) if pick.random() < 0.6 else text)
        one = {"chunks": chunks, "deltas": pick.random() < 0.5}
        yield "chunks", one, ours(one, tools)


def spelled(value: Any) -> str:
    """Return an answer for comparison: 1 and 1.0 differ, and the order of members has no meaning.

    The part of a string that is reported before an error may depend on where the text was cut
    (R-801).
    """
    if isinstance(value, dict) and "error" in value and "events" in value:
        told = list(value["events"])
        while told and told[-1][0] == "delta":
            told.pop()
        value = {**value, "events": told}
    return json.dumps(value, sort_keys=True)


MINUS_ZERO = re.compile(r"-0(?![.0-9eE])")
INDEX = re.compile(r'"(?:0|[1-9][0-9]*)\\?":')
"""A key that JavaScript takes for an index, and puts before the others of its object."""


def is_known(asked: dict[str, Any], definitions: Any, ours: Any, theirs: Any) -> bool:
    """Return whether a difference is the allowed one.

    If the schema refuses several values, either may be named (R-901): the first one in the order of
    the object, which JavaScript changes for keys of digits.
    """
    errors = [isinstance(one, dict) and one.get("error", {}) for one in (ours, theirs)]
    is_value = all(error and error["code"] == "E214" for error in errors)
    return is_value and INDEX.search(json.dumps([asked, definitions])) is not None


def main() -> int:
    """Ask the given number of questions, and print the differences."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    found = questions(Made(options.seed))
    counts: Counter[str] = Counter()
    differ = known = 0
    definitions: Question = next(found)
    for start in range(0, options.count, BATCH):
        # Each batch begins with the definitions that hold there.
        batch = [definitions, *(next(found) for _ in range(min(BATCH, options.count - start)))]
        lines = "".join(json.dumps(asked) + "\n" for _, asked, _ in batch)
        command = ["node", str(SCRIPT)]
        run = subprocess.run(command, input=lines, capture_output=True, text=True, check=False)  # noqa: S603
        answers = [json.loads(line) for line in run.stdout.split("\n")[:-1]]
        if len(answers) < len(batch):
            print(f"node ended: {run.stderr}\n{batch[len(answers)][1]}")
            return 1
        for (kind, asked, expected), answer in zip(batch, answers, strict=True):
            counts[kind] += 1
            if kind == "layout":
                definitions = (kind, asked, expected)
            if spelled(answer) == spelled(expected):
                continue
            if is_known(asked, definitions[1], expected, answer):
                known += 1
            else:
                differ += 1
                if differ <= MOST_SHOWN:
                    print(f"{kind}: {asked}\n  tools    {definitions[1]}")
                    print(f"  library  {spelled(expected)}\n  package  {spelled(answer)}")
    parts = ", ".join(f"{count:,} {kind}" for kind, count in sorted(counts.items()))
    print(f"{sum(counts.values()):,} compared ({parts}): {differ:,} differ, {known:,} as is known")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
