"""What the grammars of LTON cost in three engines, beside each engine's own JSON Schema.

    python -m lton_bench.grammars            all of it; writes benchmarks/results/grammars.json, .md
    python -m lton_bench.grammars --quick    a small part, printed only
    python -m lton_bench.grammars --render   writes grammars.md again from grammars.json
    python -m lton_bench.grammars --into P   writes the table of a page, too

Theory of operation. The tools and their calls are BFCL's, but for 72 tools of MCP servers, whose
calls are those that `lton probe` asks for. Both sides get the same tools, as
strictly as they can: the JSON side a schema of one call without free whitespace, the LTON side an
emitted grammar. Every gold call is written in both notations, cut into tokens, and masked token
after token to its end; a call that one side does not accept is counted, and timed for none. The
sides take turns, call by call, and a ratio is one side's figure to the JSON's of the same run.
Times are CPU time. Each engine runs in a process of its own, because it can take its process down.

The exit status is 1 if a text of LTON is not accepted. A missed goal is a result, not a failure.
"""

import argparse
import gc
import json
import os
import platform
import random
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib.metadata import version
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean, median, quantiles
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from lton import Call, EncodeError, ToolSet, decode, encode
from lton._syntax import BARE, Form
from lton.grammar import to_ebnf, to_gbnf, to_lark
from lton.probe.questions import about
from lton_bench import bfcl, grammars_report, mcp_data, speed_report
from lton_bench.grammar_engines import (
    COMPACT,
    ENGINES,
    O200K,
    SMOLLM2,
    VOCABULARIES,
    Engine,
    RefusedError,
)
from lton_bench.grammars_report import BY_DEFAULT, FORM_NAMES, UNBOUNDED, fair
from lton_bench.mcp_proxy import SEVEN
from lton_bench.tokens.report import update_page

RESULTS = Path(__file__).parents[1] / "results"
PACKAGES = ("llama-cpp-python", "llguidance", "xgrammar")
PAIRS = (
    ("llguidance", O200K),
    ("llguidance", SMOLLM2),
    ("xgrammar", O200K),
    ("xgrammar", SMOLLM2),
    ("llama.cpp", SMOLLM2),
)
SIZES = (1, 20, 100)
MAX_LENGTH = 999
SEED = 1
PRINTERS: dict[str, Callable[..., str]] = {"lark": to_lark, "ebnf": to_ebnf, "gbnf": to_gbnf}
JSON_SCHEMA = "JSON Schema"
_MARK = 0xF0000
"""A string whose first character is further on by this is no bare word."""
WRITE_FILE = {
    "type": "function",
    "function": {
        "name": "write_file",
        "parameters": {
            "type": "object",
            "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
            "required": ["path", "content"],
        },
    },
}
WRITING = Call(
    "write_file", {"path": "a.py", "content": Path(json.__file__).read_text("utf-8")[:900]}
)
"""Of source code LTON counts the characters, or fences its lines."""
PATIENCE = 1_000_000_000
"""What takes so many nanoseconds to compile is compiled once only."""

Figures = dict[str, Any]
Definition = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How much is measured: how many toolsets of one tool, how many calls, at most, of each size
    (llama.cpp takes milliseconds for a mask), and how often is compiled what is not fast.
    """

    sizes: Sequence[int]
    singles: int
    calls: int
    slow_calls: int
    compiles: int
    pairs: Sequence[tuple[str, str]]
    counted: Sequence[int]


FULL = Plan(
    sizes=SIZES, singles=5, calls=100, slow_calls=10, compiles=5, pairs=PAIRS, counted=(999, 9_999)
)
QUICK = Plan(
    sizes=SIZES[:2],
    singles=1,
    calls=10,
    slow_calls=3,
    compiles=1,
    pairs=(PAIRS[0], PAIRS[2], PAIRS[4]),
    counted=(),
)


# --- tools, calls and their texts -----------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Known:
    """A tool and the gold calls of it."""

    tool: Definition
    calls: list[Call] = field(default_factory=list)

    @property
    def name(self) -> str:
        name: str = self.tool["function"]["name"]
        return name

    @property
    def parameters(self) -> dict[str, Any]:
        parameters: dict[str, Any] = self.tool["function"]["parameters"]
        return parameters


@cache
def gold() -> list[Known]:
    """Return tools of BFCL with the gold calls that fit them, shuffled in a way that never changes.

    As many as the largest toolset has; each takes a string somewhere, so that `maxLength` says
    something; of the tools that share a name, the first.
    """
    known: dict[str, Known] = {}
    for case in bfcl.load():
        by_name = {tool["function"]["name"]: tool for tool in case.tools}
        for name, arguments in case.calls:
            entry = known.setdefault(name, Known(by_name[name]))
            if entry.tool == by_name[name]:
                entry.calls.append(Call(name, arguments))
    names = sorted(known)
    random.Random(SEED).shuffle(names)  # noqa: S311 - no secret
    texts = (known[name] for name in names if _takes_string(known[name].parameters))
    fitting = (Known(entry.tool, list(_fitting(entry))) for entry in texts)
    return list(islice((entry for entry in fitting if entry.calls), SIZES[-1]))


@cache
def of_servers() -> list[Known]:
    """Return the 72 tools of seven MCP servers, with a call of each that takes simple values."""
    tools: list[Definition] = [
        {
            "type": "function",
            "function": {"name": tool["name"], "parameters": tool.get("inputSchema", {})},
        }
        for tool in mcp_data.as_one(SEVEN)
    ]
    asked = about(ToolSet.from_tools(tools), len(tools))
    calls = {each.call.name: [each.call] for each in asked if each.call}
    return [Known(tool, calls.get(tool["function"]["name"], [])) for tool in tools]


def _takes_string(schema: Any) -> bool:
    return bool(closed(schema, MAX_LENGTH) != closed(schema, None))


def _fitting(known: Known) -> Iterator[Call]:
    tools = ToolSet.from_tools([known.tool])
    for call in known.calls:
        try:
            encode(call, tools)
        except EncodeError:
            continue
        yield call


_SAYS_NOTHING = {"default", "deprecated", "description", "examples", "title"}
_SCHEMAS = {"additionalProperties", "items", "not"}
_LISTS = {"allOf", "anyOf", "oneOf", "prefixItems"}


def closed(schema: Any, max_length: int | None) -> Any:
    """Return a schema without annotations, in which each object says whether it is open.

    Those that declare something take nothing else, as in LTON. `max_length` goes on each string.

    >>> closed({"type": "object", "properties": {"a": {"type": "string"}}}, 9)["properties"]
    {'a': {'type': 'string', 'maxLength': 9}}
    """
    if not isinstance(schema, dict):
        return schema
    new: dict[str, Any] = {}
    for keyword, value in schema.items():
        if keyword == "properties":
            new[keyword] = {name: closed(member, max_length) for name, member in value.items()}
        elif keyword in _SCHEMAS:
            new[keyword] = closed(value, max_length)
        elif keyword in _LISTS:
            new[keyword] = [closed(member, max_length) for member in value]
        elif keyword not in _SAYS_NOTHING:
            new[keyword] = value
    if new.get("type") == "object":
        new.setdefault("additionalProperties", not new.get("properties"))
    elif new.get("type") == "array" and "prefixItems" not in new:
        new.setdefault("items", {})
    elif new.get("type") == "string" and max_length is not None and "enum" not in new:
        new["maxLength"] = max_length
    return new


def arranged(value: Any, schema: Any) -> Any:
    """Return a value with the members of its objects in the order of their schema."""
    if isinstance(value, list):
        items = schema.get("items", {})
        return [arranged(item, items) for item in value]
    if not isinstance(value, dict):
        return value
    members = schema.get("properties", {})
    order = [name for name in (*members, *(value.keys() - members.keys())) if name in value]
    return {name: arranged(value[name], members.get(name, {})) for name in order}


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Tools that are in one grammar, some calls of them, and what LTON is to be written in."""

    tools: Sequence[Definition]
    calls: Sequence[Call]
    max_length: int | None
    forms: Sequence[Form]
    counted: Sequence[int]

    @classmethod
    def of(
        cls,
        known: Sequence[Known],
        most: int,
        max_length: int | None,
        *,
        forms: Sequence[Form] = FORM_NAMES,
        counted: Sequence[int] = (),
    ) -> "Group":
        """Return some tools and up to `most` of their calls, taken from each tool in turn."""
        tools = [
            {
                "type": "function",
                "function": {
                    "name": entry.name,
                    "parameters": closed(entry.parameters, max_length),
                },
            }
            for entry in known
        ]
        deepest = max(len(entry.calls) for entry in known)
        calls = [e.calls[i] for i in range(deepest) for e in known if i < len(e.calls)]
        return cls(
            tools=tools, calls=calls[:most], max_length=max_length, forms=forms, counted=counted
        )

    @property
    def schema(self) -> str:
        """The JSON Schema of one call."""
        options = [
            {
                "type": "object",
                "properties": {"name": {"const": name}, "arguments": parameters},
                "required": ["name", "arguments"],
                "additionalProperties": False,
            }
            for name, parameters in self.parameters.items()
        ]
        schema = options[0] if len(options) == 1 else {"anyOf": options}
        return json.dumps(schema, separators=COMPACT, ensure_ascii=False)

    @property
    def parameters(self) -> dict[str, Any]:
        return {tool["function"]["name"]: tool["function"]["parameters"] for tool in self.tools}

    def as_json(self, *, required_first: bool) -> list[str]:
        """Return each call as JSON without whitespace, its members in the order of the schema."""
        tools, parameters = ToolSet.from_tools(self.tools), self.parameters
        texts = []
        for call in self.calls:
            arguments = (
                decode(encode(call, tools), tools)[0].arguments  # the order of the layout
                if required_first
                else arranged(call.arguments, parameters[call.name])
            )
            value = {"name": call.name, "arguments": arguments}
            texts.append(json.dumps(value, separators=COMPACT, ensure_ascii=False))
        return texts


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A grammar, or a JSON Schema, and the texts of the calls."""

    name: str
    grammar: str
    texts: Sequence[str]
    is_schema: bool = False


def quoted(call: Call, tools: ToolSet, form: Form) -> str:
    """Return the text of a call in which no string is a bare word, but for those that a type lists.

    >>> tools = ToolSet.from_prompt("go(to unit:C|F)")
    >>> quoted(Call("go", {"to": "Paris", "unit": "C"}), tools, "wire")
    'go "Paris" C'
    """
    marked: dict[str, Any] = deepcopy(dict(call.arguments))
    for place, key in [*_words(marked)]:
        word = place[key]
        place[key] = chr(_MARK + ord(word[0])) + word[1:]
        try:
            encode(Call(call.name, marked), tools)
        except EncodeError:  # a type that lists its strings, or has a pattern
            place[key] = word
    text = encode(Call(call.name, marked), tools, form=form)
    return "".join(chr(ord(char) - _MARK) if ord(char) > _MARK else char for char in text)


def _words(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield where in a value there are strings that may be bare words: in what, and the key."""
    members = value.items() if isinstance(value, dict) else enumerate(value)
    for key, member in members:
        if isinstance(member, dict | list):
            yield from _words(member)
        elif isinstance(member, str) and BARE.fullmatch(member):
            yield value, key


def sides(engine: Engine, group: Group) -> tuple[list[Side], dict[str, str]]:
    """Return all that are compared, JSON Schema first, and why the others are not there.

    LTON's grammars have bounds, and none. The texts are canonical, so they have bare words; Lark
    has none by default, and texts to match.
    """
    found, refused = [], {}
    try:
        given = engine.given(group.schema)
        texts = group.as_json(required_first=engine.required_first)
        found.append(Side(name=JSON_SCHEMA, grammar=given, texts=texts, is_schema=True))
    except RefusedError as error:
        refused[JSON_SCHEMA] = str(error)
    tools = ToolSet.from_tools(group.tools)
    emit = PRINTERS[engine.dialect]
    bounded = "quoted" if engine.dialect == "lark" else True

    def add(name: str, form: Form, **options: Any) -> None:
        texts = [encode(call, tools, form=form) for call in group.calls]
        grammar = emit(tools, form=form, bare=True, **options)
        found.append(Side(name=name, grammar=grammar, texts=texts))

    for form in group.forms:
        if engine.dialect == "lark":
            texts = [quoted(call, tools, form) for call in group.calls]
            name = f"{form}, {BY_DEFAULT}"
            found.append(Side(name=name, grammar=emit(tools, form=form), texts=texts))
        if engine.dialect != "ebnf":
            add(form, form, bounded=bounded)
        if engine.dialect == "ebnf" or group.max_length is None:
            add(f"{form}, {UNBOUNDED}", form, bounded=False)
    for most in group.counted:
        options = {} if engine.dialect == "ebnf" else {"bounded": bounded}
        add(f"wire, counted {most:,}", "wire", counted=most, **options)
    return found, refused


# --- measuring, in the engine's process -----------------------------------------------------------
_engine: list[Engine] = []


def begin(engine: str, vocabulary: str) -> None:
    """Make the engine of a process, which has no say on the terminal: llama.cpp prints much."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
    _engine[:] = [ENGINES[engine](VOCABULARIES[vocabulary]())]


@dataclass(slots=True)
class Tally:
    """What one side has come to."""

    characters: list[int] = field(default_factory=list)
    compiled: list[int] = field(default_factory=list)
    masks: list[list[int]] = field(default_factory=list)
    lost: int = 0
    refused: str = ""


def measure(groups: Sequence[Group], compiles: int) -> list[Figures]:
    """Return a row of figures for each side, over all groups."""
    (engine,) = _engine
    tallies: dict[str, Tally] = {}
    gc.disable()
    for group in groups:
        found, refused = sides(engine, group)
        for side in found:
            tallies.setdefault(side.name, Tally()).characters.append(len(side.grammar))
        for name, reason in refused.items():
            tallies.setdefault(name, Tally()).refused = reason
        ready = _compile_all(engine, found, compiles, tallies)
        _mask_all(engine, [side for side in found if side.name in ready], ready, tallies)
        gc.collect()
    return [_row(name, tally) for name, tally in tallies.items()]


def _compile_all(
    engine: Engine, found: Sequence[Side], times: int, tallies: Mapping[str, Tally]
) -> dict[str, Any]:
    """Compile all to warm up, and what is fast so many times more, in turns.

    With a lazy engine, each call will do the latter.
    """
    ready: dict[str, Any] = {}
    again = []
    for side in found:
        try:
            ready[side.name], took = engine.compile_timed(side.grammar, schema=side.is_schema)
        except RefusedError as error:
            tallies[side.name].refused = str(error)
            continue
        if took > PATIENCE:
            tallies[side.name].compiled.append(took)
        elif not engine.is_lazy:
            again.append(side)
    for side in again * times:
        _, took = engine.compile_timed(side.grammar, schema=side.is_schema)
        tallies[side.name].compiled.append(took)
    return ready


def _mask_all(
    engine: Engine, found: Sequence[Side], ready: Mapping[str, Any], tallies: Mapping[str, Tally]
) -> None:
    """Mask each call in all notations, in turns that begin with another one each time.

    A call counts if all accept it, but for those that accept none.
    """
    accepted: dict[str, dict[int, list[int]]] = {side.name: {} for side in found}
    for number in range(len(found[0].texts)):
        turn = number % len(found)
        for side in (*found[turn:], *found[:turn]):
            tally, compiled = tallies[side.name], ready[side.name]
            if engine.is_lazy:
                compiled, took = engine.compile_timed(side.grammar, schema=side.is_schema)
                tally.compiled.append(took)
            masks = engine.masks(compiled, engine.vocabulary.encode(side.texts[number]))
            if masks is None:
                tally.lost += 1
            else:
                accepted[side.name][number] = masks
    some = {name: times for name, times in accepted.items() if times}
    common = set.intersection(*map(set, some.values())) if some else set()
    for name, times in some.items():
        tallies[name].masks += [times[number] for number in sorted(common)]


def _row(name: str, tally: Tally) -> Figures:
    row: Figures = {"name": name, "lost": tally.lost, "refused": tally.refused}
    if not tally.refused:
        row["characters"] = round(fmean(tally.characters))
        row["compile"] = median(tally.compiled)
    if tally.masks:
        masks = [mask for call in tally.masks for mask in call]
        row["tokens"] = round(len(masks) / len(tally.masks), 1)
        row["p50"] = median(masks)
        row["p99"] = quantiles(masks, n=100, method="inclusive")[98]
        row["call"] = fmean(map(sum, tally.masks))
    return row


# --- the cells of the table -----------------------------------------------------------------------
class Worker:
    """The process of one engine, begun again when it has crashed."""

    def __init__(self, engine: str, vocabulary: str) -> None:
        self.arguments = (engine, vocabulary)
        self.pool: ProcessPoolExecutor | None = None

    def rows(self, *arguments: Any) -> list[Figures]:
        self.pool = self.pool or ProcessPoolExecutor(
            1, get_context("spawn"), initializer=begin, initargs=self.arguments
        )
        try:
            return self.pool.submit(measure, *arguments).result()
        except BrokenProcessPool:
            self.end()
            return [{"name": "all", "lost": 0, "refused": "the process of the engine crashed"}]

    def end(self) -> None:
        if self.pool:
            self.pool.shutdown()
        self.pool = None


MEASURES = ("characters", "compile", "p50", "p99", "call")


def _with_ratios(rows: list[Figures]) -> list[Figures]:
    against = next((row for row in rows if row["name"] == JSON_SCHEMA), {})
    for row in rows:
        row["ratios"] = {
            measure: float(f"{row[measure] / against[measure]:.3g}")
            for measure in MEASURES
            if measure in row and measure in against
        }
    return rows


def cells(plan: Plan, engine: str) -> Iterator[tuple[str, int, int | None, list[Group]]]:
    """Yield what is measured with an engine: a title, how many tools, their bound, the groups."""
    most = plan.slow_calls if engine == "llama.cpp" else plan.calls
    for max_length in (None, MAX_LENGTH):
        for size in plan.sizes:
            counted = plan.counted if size == SIZES[1] and max_length is None else ()
            known = gold()[:size] if size > 1 else gold()[: plan.singles]
            together = [known] if size > 1 else [[one] for one in known]
            groups = [
                Group.of(entries, most // len(together), max_length, counted=counted)
                for entries in together
            ]
            yield "tools", size, max_length, groups
    yield "servers", len(of_servers()), None, [Group.of(of_servers(), most, None)]
    known = [Known(WRITE_FILE, [WRITING] * 5)]
    for max_length in (None, MAX_LENGTH) if plan.counted else ():
        file = Group.of(known, 5, max_length, forms=["punctuated"], counted=plan.counted)
        yield "file", 1, max_length, [file]


def emission(times: int) -> Figures:
    """Measure emitting the grammars of 1,000 tools, compared with reading the definitions."""
    known = gold()[:100]
    tools = [
        {"type": "function", "function": {**entry.tool["function"], "name": f"{entry.name}_{n}"}}
        for n in range(10)
        for entry in known
    ]
    work: dict[str, Callable[[], object]] = {
        "ToolSet.from_tools": lambda: ToolSet.from_tools(tools)
    }
    few, many = ToolSet.from_tools(tools[:100]), ToolSet.from_tools(tools)
    rows: list[Figures] = []
    for printer in PRINTERS.values():
        for form in FORM_NAMES:
            name = f"{printer.__name__}, {form}"
            work[name] = partial(printer, many, form=form)
            rows.append(
                {
                    "name": name,
                    "of 100": len(printer(few, form=form)),
                    "of 1,000": len(printer(many, form=form)),
                }
            )
    taken: dict[str, list[int]] = {name: [] for name in work}
    for _ in range(times):
        for name, run in work.items():
            gc.collect()
            start = time.process_time_ns()
            run()
            taken[name].append(time.process_time_ns() - start)
    baseline = taken["ToolSet.from_tools"]
    for row in rows:
        row["ns"] = median(taken[row["name"]])
        pairs = zip(taken[row["name"]], baseline, strict=True)
        row["ratio"] = float(f"{median(mine / its for mine, its in pairs):.3g}")
        row["growth"] = float(f"{row['of 1,000'] / row['of 100'] / 10:.3g}")
    return {"from_tools": median(baseline), "rows": rows}


# --- goals ----------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """A ratio to JSON Schema that some rows are to have at most."""

    measure: str
    at_most: float
    engines: Iterable[str] = tuple(ENGINES)
    forms: Sequence[Form] = FORM_NAMES
    bounds: Sequence[int | None] = (None, MAX_LENGTH)


GOALS = (
    Goal(measure="characters", at_most=1.0),
    Goal(measure="compile", at_most=1.0, engines=("llguidance", "xgrammar"), forms=FORM_NAMES[:2]),
    Goal(measure="compile", at_most=0.01, engines=("xgrammar",), bounds=(MAX_LENGTH,)),
    Goal(measure="p50", at_most=1.0, engines=("llguidance",)),
    Goal(measure="p99", at_most=1.0, engines=("llguidance",)),
    Goal(measure="call", at_most=1.0),
)


def judge(sections: Sequence[Figures]) -> Iterator[Figures]:
    """Yield each goal in each engine. Strings have bounds only if those of the schema have."""
    for goal in GOALS:
        for engine, vocabulary in PAIRS:
            for bound in goal.bounds if engine in goal.engines else ():
                for form in goal.forms:
                    rows = {
                        str(section["size"]): row["ratios"].get(goal.measure)
                        for section in sections
                        if section["what"] == "tools"
                        and (section["engine"], section["vocabulary"]) == (engine, vocabulary)
                        and section["max_length"] == bound
                        and (row := fair(section, form))
                    }
                    if rows:
                        yield {
                            "measure": goal.measure,
                            "engine": engine,
                            "vocabulary": vocabulary,
                            "form": form,
                            "max_length": bound,
                            "at_most": goal.at_most,
                            "found": rows,
                        }


# --- all of it ------------------------------------------------------------------------------------
def run(plan: Plan, progress: Progress, only: Collection[str] = (), known: Any = None) -> Figures:
    """Return every figure of the benchmark; with `only`, the others are those of a `known` run."""
    sections: list[Figures] = []
    earlier = {_key(section): section for section in known["sections"]} if known else {}
    for engine, vocabulary in plan.pairs:
        todo = list(cells(plan, engine))
        task = progress.add_task(f"{engine}, {vocabulary}", total=len(todo))
        worker = Worker(engine, vocabulary)
        for what, size, max_length, groups in todo:
            section = {
                "what": what,
                "engine": engine,
                "vocabulary": vocabulary,
                "size": size,
                "max_length": max_length,
                "calls": sum(len(group.calls) for group in groups),
            }
            if only and what not in only:
                sections += [earlier[_key(section)]] if _key(section) in earlier else []
            else:
                rows = worker.rows(groups, plan.compiles)
                sections.append({**section, "rows": _with_ratios(rows)})
            progress.advance(task)
        worker.end()
    task = progress.add_task("emission", total=1)
    emitted = known["emission"] if known else emission(plan.compiles)
    progress.advance(task)
    return {
        "versions": {
            "lton": version("lton"),
            "python": platform.python_version(),
            **{package: version(package) for package in PACKAGES},
        },
        "platform": f"{platform.python_implementation()}, {platform.system()} {platform.machine()}",
        "goals": list(judge(sections)),
        "sections": sections,
        "emission": emitted,
    }


def _key(section: Figures) -> tuple[object, ...]:
    return tuple(section[name] for name in ("what", "engine", "vocabulary", "size", "max_length"))


def lost(figures: Figures) -> int:
    """Count the texts of LTON that an engine did not accept."""
    return sum(
        row["lost"] + bool(row["refused"])
        for section in figures["sections"]
        for row in section["rows"]
        if row["name"] != JSON_SCHEMA
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and write the results; or only render them."""
    parser = argparse.ArgumentParser(prog="python -m lton_bench.grammars")
    parser.add_argument("--quick", action="store_true", help="a small part, printed only")
    parser.add_argument(
        "--only",
        action="append",
        choices=("tools", "servers", "file"),
        default=[],
        help="measure these, and keep the other figures of grammars.json",
    )
    parser.add_argument("--calls", type=int, default=FULL.calls, help="of each size, at most")
    parser.add_argument("--render", action="store_true", help="write grammars.md from its .json")
    parser.add_argument(
        "--into", type=Path, metavar="FILE", help="write the table of this page anew"
    )
    options = parser.parse_args(arguments)
    if options.render:
        speed_report.render(RESULTS / "grammars", grammars_report.markdown)
        _update(options.into)
        return 0
    console = Console(width=132)
    columns = (TextColumn("{task.description:<24}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        plan = QUICK if options.quick else replace(FULL, calls=options.calls)
        known = json.loads((RESULTS / "grammars.json").read_text("utf-8")) if options.only else None
        figures = run(plan, progress, options.only, known)
    if not options.quick:
        speed_report.save(RESULTS / "grammars", figures, grammars_report.markdown)
        _update(options.into)
    grammars_report.show(figures, console)
    return 1 if lost(figures) else 0


def _update(page: Path | None) -> None:
    if page:
        figures = json.loads((RESULTS / "grammars.json").read_text("utf-8"))
        update_page(page, grammars_report.summary_table(figures))


if __name__ == "__main__":
    sys.exit(main())
