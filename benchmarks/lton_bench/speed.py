"""How fast calls are written and read, beside JSON, its validators, TOON and two C libraries.

    python -m lton_bench.speed            all of it; writes benchmarks/results/speed.json and .md
    python -m lton_bench.speed --quick    a small part, printed only
    python -m lton_bench.speed --render   writes speed.md again from speed.json

Theory of operation. A race has rounds; in each round every contestant does the same work once, so
what else the machine does hits all of them. A ratio is taken within a round, and the median and
quartiles are over the rounds. Times are the CPU time of this process: waiting for a core is not
counted. The cyclic garbage collector is off while a contestant works. Before anything is timed,
every answer is compared with the calls that went in.

The exit status is 1 if an answer of LTON is wrong. A missed goal is a result, not a failure.
"""

import argparse
import gc
import json
import platform
import sys
import sysconfig
import time
import tracemalloc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, partial
from importlib.metadata import version
from itertools import cycle, islice
from pathlib import Path
from statistics import quantiles
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from lton import Call, Decoder, EncodeError, ToolSet, decode, encode
from lton._syntax import Form
from lton_bench import bfcl, contestants, speed_report, tau2
from lton_bench.contestants import BARE, COMPACT, TOON, VALIDATED, WIRE, Batch, Contestant

RESULTS = Path(__file__).parents[1] / "results"
PACKAGES = (
    *("fastjsonschema", "jsonschema-rs", "msgspec", "orjson"),
    *("pydantic", "pydantic-core", "toon-format"),
)
CHUNKS = (16, 256, 4_096, 65_536)
SIZES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
BASE = 10_000
STEADY = 8
"""One call in so many is written and read ten times over: an agent's tools stay the same."""
GROWTH = 2.0
"""A character of the largest text may cost so many times one of the base: caches are finite."""

Figures = dict[str, Any]
Rounds = list[dict[str, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """One contestant takes at most so many times as long as another."""

    name: str
    against: str
    at_most: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How long it may take. `patience` is the longest single run that is repeated, in seconds."""

    scale: float
    stride: int
    sizes: Sequence[int]
    patience: float
    least_rounds: int


FULL = Plan(scale=1.0, stride=1, sizes=SIZES, patience=3.0, least_rounds=3)
QUICK = Plan(scale=0.03, stride=16, sizes=SIZES[:3], patience=0.2, least_rounds=2)


# --- timing -------------------------------------------------------------------------------------
def elapsed(contestant: Contestant) -> float:
    """Return the nanoseconds of CPU time that one run takes, for each unit."""
    start = time.process_time_ns()
    contestant.run()
    return (time.process_time_ns() - start) / contestant.units


def race(
    runners: Sequence[Contestant], seconds: float, least: int, tick: Callable[[], None]
) -> Rounds:
    """Run all of them in turn, round after round, until the time is over; at least some rounds.

    Each round begins with another one, so that none always follows the same neighbour.
    """
    rounds: Rounds = []
    gc.collect()
    gc.freeze()  # so that the collections between the rounds pass over all that is kept
    deadline = time.monotonic() + seconds
    while len(rounds) < least or time.monotonic() < deadline:
        turn = len(rounds) % len(runners)
        order = [*runners[turn:], *runners[:turn]]
        rounds.append({runner.name: elapsed(runner) for runner in order})
        gc.collect()
        tick()
    return rounds


def spread(values: Iterable[float]) -> dict[str, float]:
    """Return the median and the quartiles, to four digits."""
    ordered = list(values)
    low, middle, high = quantiles(ordered, n=4, method="inclusive")
    return {
        name: float(f"{value:.4g}")
        for name, value in (("q1", low), ("median", middle), ("q3", high))
    }


def ratio(rounds: Rounds, name: str, against: str) -> dict[str, float]:
    """Return how many times as long one takes as another, each in the same round."""
    return spread(times[name] / times[against] for times in rounds)


def judge(rounds: Rounds, goals: Iterable[Goal]) -> Iterator[Figures]:
    """Yield each goal with its ratio; the median decides. None where one of the two did not run."""
    for goal in goals:
        ran = {goal.name, goal.against} <= rounds[0].keys()
        found = ratio(rounds, goal.name, goal.against) if ran else None
        yield {**asdict(goal), "ratio": found, "met": found and found["median"] <= goal.at_most}


@dataclass(slots=True)
class Clock:
    """The sections done so far, the plan, and the bar on the screen."""

    plan: Plan
    progress: Progress

    def section(
        self,
        title: str,
        unit: str,
        entered: tuple[Sequence[Batch], Sequence[Contestant]],
        seconds: float,
        goals: Iterable[Goal],
        times: int = 1,
    ) -> Figures:
        """Check every answer, run the race, and get its figures. The first is the baseline.

        Each piece of work is done so many `times` running.
        """
        batches, runners = entered
        seconds *= self.plan.scale
        task = self.progress.add_task(title, total=seconds)
        self.progress.refresh()
        verdicts = {runner.name: runner.count_wrong(batches) for runner in runners}
        fit = [runner.again(times) for runner in runners if not verdicts[runner.name][1]]
        start = time.monotonic()

        def tick() -> None:
            self.progress.update(task, completed=min(seconds, time.monotonic() - start))
            self.progress.refresh()

        rounds = race(fit, seconds, self.plan.least_rounds, tick)
        self.progress.update(task, completed=seconds)
        baseline = runners[0].name
        rows = []
        for runner in runners:
            wrong, raised = verdicts[runner.name]
            row: Figures = {"name": runner.name, "wrong": wrong, "raised": raised}
            if not raised:
                row["ns"] = spread(times[runner.name] for times in rounds)
                row["ratio"] = ratio(rounds, runner.name, baseline)
            rows.append(row)
        return {
            "title": title,
            "unit": unit,
            "units": runners[0].units,
            "calls": sum(len(batch.calls) for batch in batches),
            "rounds": len(rounds),
            "baseline": baseline,
            "rows": rows,
            "goals": list(judge(rounds, goals)),
        }


# --- what is written and read ---------------------------------------------------------------------
def one_a_text(stride: int = 1) -> list[Batch]:
    """BFCL's gold calls that fit their schema, one a text, with the tools of their entry."""
    return [
        Batch(calls=[call], definitions=case.tools)
        for case in bfcl.load()[::stride]
        for call in _fitting(case)
    ]


def one_a_toolset(stride: int = 1) -> list[Batch]:
    """The same calls in as few texts as their tools allow: all of a category, if no names clash."""
    groups: dict[str, list[tuple[dict[str, Any], list[Call]]]] = {}
    for case in bfcl.load()[::stride]:
        tools = {definition["function"]["name"]: definition for definition in case.tools}
        of_category = groups.setdefault(case.category, [])
        for known, calls in of_category:
            if all(known.get(name, tool) == tool for name, tool in tools.items()):
                known.update(tools)
                calls.extend(_fitting(case))
                break
        else:
            of_category.append((tools, _fitting(case)))
    return [
        Batch(calls=calls, definitions=list(tools.values()), many=True)
        for of_category in groups.values()
        for tools, calls in of_category
        if calls
    ]


def _fitting(case: bfcl.Case) -> list[Call]:
    tools = ToolSet.from_tools(case.tools)
    fitting = []
    for name, arguments in case.calls:
        call = Call(name, arguments)
        try:
            encode(call, tools)
        except EncodeError:
            continue
        fitting.append(call)
    return fitting


def of_tau2(stride: int = 1) -> list[Batch]:
    """tau2's gold calls, one a text, with all tools of their domain; some take any objects."""
    return [
        Batch(calls=[call], definitions=tools)
        for tools, calls in map(tau2.load, tau2.DOMAINS)
        for call in calls[::stride]
    ]


def page_of_rows(count: int = 10_000) -> list[Batch]:
    """Return a call with rows that its schema says nothing of, as answers of databases are."""
    rows = [
        {
            "id": i,
            "name": f"user {i}",
            "mail": f"u{i}@x.org",
            "price": i * 1.25,
            "paid": i % 3 == 0,
        }
        for i in range(count)
    ]
    schema = {"type": "array", "items": {"type": "object"}}
    return [
        Batch(calls=[Call("load", {"rows": rows})], definitions=[_definition("load", rows=schema)])
    ]


@cache
def source(size: int, *, ascii_only: bool) -> str:
    """The sources of Python's standard library, in a row: those in ASCII, or those that are not.

    The text depends on the version of Python, and on nothing else.
    """
    library = Path(sysconfig.get_path("stdlib"))
    foreign = {"site-packages", "dist-packages", "test", "tests"}
    parts: list[str] = []
    for path in sorted(library.rglob("*.py")):
        if sum(map(len, parts)) >= size:
            break
        if foreign.isdisjoint(path.relative_to(library).parts):
            text = path.read_bytes().decode("utf-8", "replace")
            if text.isascii() == ascii_only and "\0" not in text:
                parts.append(text)
    return _repeated("".join(parts), size)


def _repeated(text: str, size: int) -> str:
    return (text * (size // len(text) + 1))[:size]


def _definition(name: str, **properties: Mapping[str, Any]) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {
        "type": "function",
        "function": {"name": name, "description": "", "parameters": schema},
    }


_STRING = {"type": "string"}
TOOLS = [
    _definition("write_file", path=_STRING, content=_STRING),
    _definition("note", text=_STRING),
    _definition("weather.v1", city=_STRING, days={"type": "integer"}, unit={"enum": ["C", "F"]}),
    _definition("add", numbers={"type": "array", "items": {"type": "integer"}}),
    _definition("tag", words={"type": "array", "items": _STRING}),
]


def file_of(text: str) -> Batch:
    """Return the call that writes a file with this text."""
    return Batch(calls=[Call("write_file", {"path": "a.py", "content": text})], definitions=TOOLS)


def _counted(size: int) -> list[Call]:
    return [
        Call(
            "write_file",
            {"path": "a.py", "content": _repeated(source(1_000_000, ascii_only=True), size)},
        )
    ]


def _quoted(size: int) -> list[Call]:
    return [Call("note", {"text": _repeated("Nothing here needs an escape. ", size)})]


def _calls(size: int) -> list[Call]:
    cities = islice(cycle(("San Leandro", "Paris", "Brno", "Rio de Janeiro")), size // 18)
    return [
        Call("weather.v1", {"city": city, "days": index % 15, "unit": "CF"[index % 2]})
        for index, city in enumerate(cities)
    ]


def _numbers(size: int) -> list[Call]:
    return [Call("add", {"numbers": [index * 7_919 % 99_991 for index in range(size // 6)]})]


def _words(size: int) -> list[Call]:
    words = islice(cycle(("urgent", "type-bug", "two words", "3.13", "é")), size * 10 // 81)
    return [Call("tag", {"words": list(words)})]


SHAPES: dict[str, Callable[[int], list[Call]]] = {
    "counted string": _counted,
    "quoted string": _quoted,
    "many calls": _calls,
    "integers": _numbers,
    "short strings": _words,
}


# --- streams --------------------------------------------------------------------------------------


def stream(chunks: Sequence[str], tools: ToolSet) -> list[Any]:
    """Feed the chunks one after the other, and take every event as soon as it is there.

    It reads as the gateway does: calls among prose, and strings as they come.
    """
    decoder = Decoder(tools, prose=True, deltas=True)
    events = []
    for chunk in chunks:
        decoder.feed(chunk)
        while (event := decoder.next_event()) is not None:
            events.append(event)
    decoder.close()
    while (event := decoder.next_event()) is not None:
        events.append(event)
    return events


def called(events: Iterable[Any], batch: Batch) -> Any:
    """The calls that a stream ended, as the value of a batch."""
    calls = [event.call for event in events if type(event).__name__ == "CallEnd"]
    return contestants.from_calls(calls, batch)


def cut(text: str, size: int) -> list[str]:
    """Return the text in chunks of so many characters."""
    return [text[start : start + size] for start in range(0, len(text), size)]


def streams(batches: Sequence[Batch], form: Form) -> list[Contestant]:
    """Return whole decoding, and decoding in chunks of several sizes."""
    texts = [encode(batch.calls, batch.tools, form=form, sigil=True) for batch in batches]
    tools = [batch.tools for batch in batches]
    make = partial(Contestant, units=sum(map(len, texts)))
    return [
        make(name=WHOLE, work=decode, columns=(texts, tools), to_value=contestants.from_calls),
        *(
            make(
                name=chunked(size),
                work=stream,
                columns=([cut(text, size) for text in texts], tools),
                to_value=called,
            )
            for size in CHUNKS
        ),
    ]


WHOLE = "LTON decode"
DECODER = "LTON prose and deltas"


def chunked(size: int) -> str:
    """Name the contestant that reads in such chunks."""
    return f"{DECODER}, chunks of {size:,}"


# --- errors and nests ---------------------------------------------------------------------------
LEVELS = 62
"""Of values in values: little less than the limit (R-1101)."""
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


def refused(read: Callable[..., Any], *inputs: Any) -> ValueError | None:
    """Return the error that ends reading; None if nothing is wrong."""
    try:
        read(*inputs)
    except ValueError as error:
        return error
    return None


def errors(batches: Sequence[Batch]) -> list[Contestant]:
    """Return a reader of broken JSON, and one of LTON for each kind of error."""
    make = partial(Contestant, units=1, to_value=lambda error, batch: error and batch.value)
    read = partial(refused, decode)
    return [
        make(name="json.loads, no value", work=partial(refused, json.loads), columns=([BROKEN],)),
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
"""How the schema of a value becomes that of one around it, and how the value does."""


def nest(kind: str) -> Batch:
    """Return a call whose argument is nested as deep as may be."""
    around, value_around = NESTS[kind]
    schema: Any = {"type": "integer"}
    value: Any = 1
    for _ in range(LEVELS):
        schema, value = around(schema), value_around(value)
    return Batch(calls=[Call("nest", {"x": value})], definitions=[_definition("nest", x=schema)])


def nests(batches: Sequence[Batch]) -> list[Contestant]:
    """Return what reads calls, a text each, and what reads nests of every kind as often."""
    found = []
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
        found.append(one)
    return found


FLAT = "calls"


# --- growth ---------------------------------------------------------------------------------------
def ladder(shape: str, plan: Plan) -> tuple[dict[int, Batch], list[tuple[str, int, Contestant]]]:
    """Return every operation on one shape in every size; small texts are worked on many times."""
    batches: dict[int, Batch] = {}
    rungs = []
    for size in plan.sizes:
        batch = Batch(calls=SHAPES[shape](size), definitions=TOOLS, many=True)
        batches[size] = batch
        text = encode(batch.calls, batch.tools)
        plain = json.dumps(batch.value, separators=(",", ":"))
        times = max(1, 100_000 // size)
        operations: dict[str, tuple[Callable[..., Any], tuple[Any, ...], Any]] = {
            "json.dumps": (json.dumps, (batch.value,), contestants.from_json),
            "LTON encode": (encode, (batch.calls, batch.tools), contestants.from_text),
            "json.loads": (json.loads, (plain,), contestants.as_it_is),
            "LTON decode": (decode, (text, batch.tools), contestants.from_calls),
        }
        marked = encode(batch.calls, batch.tools, sigil=True)
        operations[DECODER] = (stream, (cut(marked, 4_096), batch.tools), called)
        for name, (work, inputs, to_value) in operations.items():
            rung = Contestant(
                name=_rung(name, size),
                work=work,
                columns=tuple([column] * times for column in inputs),
                to_value=to_value,
                units=len(text) * times,
            )
            rungs.append((name, size, rung))
    return batches, rungs


def _rung(name: str, size: int) -> str:
    return f"{name} {speed_report.size_words(size)}"


def peak(rung: Contestant) -> float:
    """Return the bytes that are allocated at the worst moment of one run, for each character."""
    work, inputs = rung.work, [column[0] for column in rung.columns]
    gc.collect()
    tracemalloc.start()
    try:
        answer = work(*inputs)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    del answer
    return most * len(rung.columns[0]) / rung.units


def growth(shape: str, seconds: float, clock: Clock) -> Figures:
    """Return time and memory for each character, in every size, and how they grow."""
    plan = clock.plan
    task = clock.progress.add_task(f"Growth: {shape}", total=None)
    clock.progress.refresh()
    batches, rungs = ladder(shape, plan)
    once: dict[tuple[str, int], float] = {}
    wrong = 0
    entered: list[tuple[str, int, Contestant]] = []
    for name, size, rung in rungs:
        smaller = once.get((name, size // 10), 0.0)
        if smaller * 10 > plan.patience:
            continue  # it would take too long to repeat: the table says so
        bad, raised = _check(rung, batches[size])
        wrong += bad if name.startswith("LTON") else 0
        if not raised:
            entered.append((name, size, rung))
            once[name, size] = elapsed(rung) * rung.units / len(rung.columns[0]) / 1e9
            clock.progress.refresh()
    runners = [rung for *_, rung in entered]
    rounds = race(runners, seconds * plan.scale, plan.least_rounds, clock.progress.refresh)
    rows = []
    for name, size, rung in entered:
        row: Figures = {
            "name": name,
            "size": size,
            "ns": spread(times[rung.name] for times in rounds),
            "growth": ratio(rounds, rung.name, _rung(name, BASE)),
        }
        if once[name, size] * 2 < plan.patience:
            row["peak"] = float(f"{peak(rung):.4g}")
            clock.progress.refresh()
        rows.append(row)
    largest = plan.sizes[-1]
    goals = [
        Goal(name=_rung(name, largest), against=_rung(name, BASE), at_most=GROWTH)
        for name in dict.fromkeys(name for name, *_ in rungs)
        if name.startswith("LTON")
    ]
    clock.progress.update(task, total=1, completed=1)
    return {
        "title": f"Growth: {shape}",
        "rounds": len(rounds),
        "sizes": list(plan.sizes),
        "wrong": wrong,
        "rows": rows,
        "goals": list(judge(rounds, goals)),
    }


def _check(rung: Contestant, batch: Batch) -> tuple[int, bool]:
    """Check one of the equal runs of a rung."""
    once = tuple(column[:1] for column in rung.columns)
    single = Contestant(
        name=rung.name, work=rung.work, columns=once, to_value=rung.to_value, units=1
    )
    return single.count_wrong([batch])


# --- all of it ------------------------------------------------------------------------------------
ENCODE_GOALS = (
    Goal(name=WIRE, against=COMPACT, at_most=1.0),
    Goal(name=WIRE, against=TOON, at_most=0.1),
)
DECODE_GOALS = (
    Goal(name=WIRE, against=VALIDATED, at_most=1.0),
    Goal(name=WIRE, against=BARE, at_most=2.5),
    Goal(name=WIRE, against=TOON, at_most=0.1),
)
ROWS_GOALS = (Goal(name=WIRE, against=BARE, at_most=5.0),)
SOURCE_GOALS = (Goal(name=WIRE, against=BARE, at_most=1.0),)
STREAM_GOALS = tuple(Goal(name=chunked(size), against=WHOLE, at_most=2.0) for size in CHUNKS)
NEST_GOALS = tuple(
    Goal(name=f"LTON decode, {kind}", against=f"LTON decode, {FLAT}", at_most=10.0)
    for kind in NESTS
)


def measure(plan: Plan, progress: Progress) -> Figures:
    """Return every figure of the benchmark."""
    gc.disable()
    clock = Clock(plan, progress)
    single, many = one_a_text(plan.stride), one_a_toolset(plan.stride)
    plain = [file_of(source(1_000_000, ascii_only=True))]
    accented = [file_of(source(1_000_000, ascii_only=False))]
    races: list[Figures] = []
    for what, unit, batches, times, seconds, read_goals in (
        ("Calls ten times over", "call", single[::STEADY], 10, 16.0, DECODE_GOALS),
        ("Calls of new tools each", "call", single, 1, 16.0, DECODE_GOALS),
        (f"Calls in {len(many)} texts", "call", many, 1, 12.0, DECODE_GOALS),
        ("tau2's calls, each once", "call", of_tau2(plan.stride), 1, 16.0, DECODE_GOALS),
        ("10,000 rows of objects", "text", page_of_rows(), 1, 8.0, ROWS_GOALS),
        ("1 MB of ASCII", "text", plain, 1, 4.0, SOURCE_GOALS),
        ("1 MB not ASCII", "text", accented, 1, 4.0, SOURCE_GOALS),
    ):
        write_goals = ENCODE_GOALS if unit == "call" else ()
        written = (batches, contestants.encoders(batches))
        races.append(clock.section(f"{what}: encode", unit, written, seconds, write_goals, times))
        read = (batches, contestants.decoders(batches))
        races.append(clock.section(f"{what}: decode", unit, read, seconds, read_goals, times))
    streamed: tuple[tuple[str, list[Batch], Form], ...] = (
        (f"Calls in {len(many)} texts", many, "wire"),
        ("1 MB counted", plain, "wire"),
        ("1 MB fenced", plain, "punctuated"),
    )
    for what, batches, form in streamed:
        chunks = (batches, streams(batches, form))
        races.append(clock.section(f"{what}: stream", "character", chunks, 5.0, STREAM_GOALS))
    few = [Batch(calls=_calls(18), definitions=TOOLS)]
    races.append(clock.section("Errors: decode", "text", (few, errors(few)), 4.0, (), 1_000))
    nested = (single, nests(single))
    races.append(clock.section("Nests: decode", "character", nested, 8.0, NEST_GOALS))
    return {
        "versions": {
            "lton": version("lton"),
            "python": platform.python_version(),
            **{package: version(package) for package in PACKAGES},
        },
        "platform": f"{platform.python_implementation()}, {platform.system()} {platform.machine()}",
        "races": races,
        "growth": [growth(shape, 5.0, clock) for shape in SHAPES],
    }


def wrong(figures: Figures) -> int:
    """Count the answers of LTON that were wrong."""
    rows = [row for section in figures["races"] for row in section["rows"]]
    in_races: int = sum(row["wrong"] for row in rows if row["name"].startswith("LTON"))
    return in_races + sum(int(section["wrong"]) for section in figures["growth"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and write the results; or only render them."""
    parser = argparse.ArgumentParser(prog="python -m lton_bench.speed")
    parser.add_argument("--quick", action="store_true", help="a small part, printed only")
    parser.add_argument("--render", action="store_true", help="write speed.md from speed.json")
    options = parser.parse_args(arguments)
    if options.render:
        speed_report.render(RESULTS / "speed", speed_report.markdown)
        return 0
    console = Console(width=100)
    columns = (TextColumn("{task.description:<44}"), BarColumn(), TimeElapsedColumn())
    # No refreshing by a thread: it would take its time from whoever runs.
    with Progress(*columns, console=console, auto_refresh=False, transient=True) as progress:
        figures = measure(QUICK if options.quick else FULL, progress)
    if not options.quick:
        speed_report.save(RESULTS / "speed", figures, speed_report.markdown)
    speed_report.show(figures, console)
    return 1 if wrong(figures) else 0


if __name__ == "__main__":
    sys.exit(main())
