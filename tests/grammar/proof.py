"""Prove that each grammar allows exactly what the decoder reads, except for §13.

    python -m tests.grammar.proof [--engine NAME] [--share 1/10] [--seed 0]

The proof covers the tools of every question of BFCL, all its other functions, every tool of the
recorded MCP servers and every server as a whole, in each form, for one call and for several. It
checks six kinds of texts: texts of gold calls (*gold*) and of values made up from the layout
(*drawn*); these texts without their last character or with a surplus `)` (*cut*); texts drawn from
the grammar (*sampled*), and the canonical texts of their calls (*canonical*); and all of them with
one or two edits (*mutated*). For each text it checks that

* the engine and our own recogniser agree whether the text is in the language;

* a text in the language decodes, or fails with an error that `Limits.is_beyond` knows;

* a canonical text that decodes is in the language exactly if `Limits.left_out` has no reason.

A fault is printed with the shortest text found that shows it, and the exit status is 1.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, partial
from multiprocessing import get_context
from os import cpu_count
from pathlib import Path
from random import Random
from typing import Any

from lton import Call, DecodeError, EncodeError, ToolSet, decode, encode
from lton._syntax import FORMS, Form
from lton.grammar import to_ebnf, to_gbnf, to_lark
from lton.grammar.build import Options, build
from lton_bench import bfcl
from spec.conformance.run import read_toolsets
from tests.cases import outcome
from tests.grammar.engines import ENGINES, Compile
from tests.grammar.languages import Limits, is_open
from tests.grammar.recogniser import recogniser
from tests.grammar.sampling import Sampler, arguments, literals, mutated

MCP = Path(bfcl.__file__).parent / "mcp"
PRINTERS: dict[str, Any] = {"lark": to_lark, "gbnf": to_gbnf, "ebnf": to_ebnf}
COUNTED = {
    "wire": (0, 9, 99, 999),
    "keyed": (0, 9, 99, 999),
    "punctuated": (0,),
    "tagged": (9, 99, 999),
}
"""Largest lengths of counted strings, by turns."""
BOUNDED: dict[str, Any] = {"gbnf": True, "lark": "schema", "ebnf": False}
"""What each emitter bounds."""
DRAWN, SAMPLED, MUTATED = 2, 6, 12
"""Texts for each tool of a grammar, and for at most `TOOLS` of them."""
TOOLS = 10
CHUNK = 20


@dataclass(frozen=True, slots=True)
class Subject:
    """Tools, and the gold calls of each question about them."""

    name: str
    definitions: list[dict[str, Any]]
    gold: list[list[Call]] = field(default_factory=list)


@cache
def subjects() -> list[Subject]:
    """Return all subjects, always in the same order."""
    by_key: dict[str, Subject] = {}
    for case in bfcl.load():
        subject = by_key.setdefault(_key(case.tools), Subject(f"BFCL {case.id}", case.tools))
        subject.gold.append([Call(name, values) for name, values in case.calls])
    keys = {_key(tool) for subject in by_key.values() for tool in subject.definitions}
    for tool in bfcl.functions():
        if _key(tool) not in keys:
            by_key[_key(tool)] = Subject(f"BFCL {tool['function']['name']}", [tool])
    for path in sorted(MCP.glob("*.json")):
        tools = json.loads(path.read_text("utf-8"))["tools"]
        by_key[path.stem] = Subject(f"MCP {path.stem}", tools)
        by_key |= {_key(t): Subject(f"MCP {path.stem} {t['name']}", [t]) for t in tools}
    cases = read_toolsets().items()
    return [*by_key.values(), *(Subject(f"case {name}", [*tools]) for name, tools in cases)]


def _key(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


# --- one grammar ---------------------------------------------------------------------------------


@dataclass(slots=True)
class Verdict:
    """The judgements of the recogniser, the engine and the decoder about a text, and the fault, if
    any.
    """

    expected: bool
    accepted: bool | None
    code: str = ""
    """Of the error of a text in the language."""
    decoded: bool = False
    reasons: Iterable[str] = ()
    """Why the canonical text is left out of the language."""
    fault: str = ""


class Language:
    """The language of a grammar, as the engine, the recogniser and the decoder see it."""

    def __init__(
        self, tools: ToolSet, form: Form, *, parallel: bool, counted: int, engine: str
    ) -> None:
        dialect = ENGINES[engine].dialect
        self.tools = tools
        self.limits = Limits(form, parallel, counted, bounded=BOUNDED[dialect])
        options: Options = {
            "form": form,
            "parallel": parallel,
            "counted": counted,
            "bare": True,
            "bounded": self.limits.bounded,
        }
        self.grammar = build(tools, **options)
        self.accepts = _compiler(engine)(PRINTERS[dialect](tools, **options))
        reference = PRINTERS["gbnf" if dialect == "lark" else dialect]
        self.expects = recogniser(reference(tools, **options))

    def texts(self, gold: Iterable[list[Call]], choose: Random) -> Iterator[tuple[str, str]]:
        """Yield the texts to check, each with its kind."""
        sampler, pieces = Sampler(self.grammar), literals(self.grammar)
        times = min(len(self.tools), TOOLS)
        samples: Iterable[list[Call]] = [self._draw_calls(choose) for _ in range(DRAWN * times)]
        if not self.limits.parallel:
            gold, samples = (
                [[call] for calls in some for call in calls] for some in (gold, samples)
            )
        kinds_and_texts = [*self._write_calls("gold", gold), *self._write_calls("drawn", samples)]
        cuts = [("cut", cut) for _, text in kinds_and_texts for cut in (text[:-1], f"{text})")]
        for _ in range(SAMPLED * times):
            text = sampler.text(choose)
            kinds_and_texts.append(("sampled", text))
            with suppress(DecodeError):
                kinds_and_texts.append(("canonical", self._write(decode(text, self.tools))))
        yield from (*kinds_and_texts, *cuts)
        for _ in range(MUTATED * times):
            yield "mutated", mutated(choose.choice(kinds_and_texts)[1], pieces, choose)

    def _draw_calls(self, choose: Random) -> list[Call]:
        tools = choose.choices(self.tools.tools, k=choose.choice((1, 1, 2, 3)))
        return [Call(tool.name, arguments(tool.args, choose)) for tool in tools]

    def _write_calls(self, kind: str, some: Iterable[list[Call]]) -> Iterator[tuple[str, str]]:
        for calls in some:
            with suppress(EncodeError):  # the values break their own schema
                yield kind, self._write(calls)

    def _write(self, calls: list[Call]) -> str:
        return encode(calls, self.tools, form=self.limits.form)

    def judge(self, text: str) -> Verdict:
        """Ask all judges about a text."""
        verdict = Verdict(self.expects(text), self.accepts(text))
        result = outcome(text, self.tools)
        if verdict.accepted not in (verdict.expected, None):
            verdict.fault = f"the engine {'accepts' if verdict.accepted else 'refuses'} it"
        elif isinstance(result, DecodeError):
            verdict.code = result.code if verdict.expected else ""
            if verdict.expected and not self.limits.is_beyond(result, self.tools):
                verdict.fault = f"it is in the language, and the decoder refuses it: {result.code}"
        else:
            verdict.decoded = True
            if self._write(result) == text:
                self._judge_canonical(result, verdict)
        return verdict

    def _judge_canonical(self, calls: list[Call], verdict: Verdict) -> None:
        verdict.reasons = self.limits.left_out(calls, self.tools)
        if verdict.expected and verdict.reasons and not is_open(self.tools):
            verdict.fault = f"it is in the language, and left out for {', '.join(verdict.reasons)}"
        elif not verdict.expected and not verdict.reasons:
            verdict.fault = "it is canonical, and not in the language"

    def shortest(self, text: str, fault: str) -> str:
        """Return a text with the same fault from which no part can be removed."""
        size = len(text) // 2
        while size:
            parts = (text[:at] + text[at + size :] for at in range(0, len(text), size))
            shorter = next((part for part in parts if self.judge(part).fault == fault), None)
            if shorter is None:
                size //= 2
            else:
                text = shorter
        return text


@cache
def _compiler(engine: str) -> Compile:
    return ENGINES[engine].load()


# --- all of them ---------------------------------------------------------------------------------


@dataclass(slots=True)
class Tally:
    """The number of checked texts, and the faults."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By language or by kind of text, and by what is counted."""
    codes: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    """Why there is no grammar."""
    faults: list[str] = field(default_factory=list)

    def count(self, language: str, kind: str, verdict: Verdict) -> None:
        for row in (language, kind, "all"):
            self.counts[row, "checks"] += 1
            self.counts[row, "in language"] += verdict.expected
            self.counts[row, "decoded"] += verdict.decoded
            self.counts[row, "not asked"] += verdict.accepted is None
            self.counts[row, "faults"] += bool(verdict.fault)
        self.codes[verdict.code] += bool(verdict.code)
        self.reasons.update(verdict.reasons)

    def add(self, other: "Tally") -> None:
        self.counts.update(other.counts)
        self.codes.update(other.codes)
        self.reasons.update(other.reasons)
        self.refusals.update(other.refusals)
        self.faults += other.faults


COLUMNS = ("checks", "in language", "decoded", "not asked", "faults")


def check(engine: str, seed: int, indexes: Iterable[int]) -> Tally:
    """Check some subjects; the texts depend on the seed and the subject, not on the engine."""
    tally = Tally()
    for index in indexes:
        subject = subjects()[index]
        tools = ToolSet.from_tools(subject.definitions)
        for form in FORMS:
            counted = COUNTED[form][index % len(COUNTED[form])]
            for parallel in (False, True):
                name = f"{form}, {'more calls' if parallel else 'one call'}"
                try:
                    language = Language(
                        tools, form, parallel=parallel, counted=counted, engine=engine
                    )
                except ValueError as error:
                    if not str(error).startswith("no grammar"):
                        raise
                    tally.refusals[str(error)] += 1
                    continue
                choose = Random(f"{seed} {subject.name} {name}")
                for kind, text in language.texts(subject.gold, choose):
                    verdict = language.judge(text)
                    if kind == "sampled" and not verdict.expected:
                        verdict.fault = "it is drawn from the grammar, and not in the language"
                    tally.count(name, kind, verdict)
                    if verdict.fault:
                        shortest = language.shortest(text, verdict.fault)
                        location = f"{subject.name}, {name}, counted={counted}, {kind}"
                        tally.faults.append(f"{location}: {verdict.fault}: {shortest!r}")
    return tally


def run(engine: str, share: Fraction, seed: int = 0) -> Iterator[tuple[float, Tally]]:
    """Check a share of the subjects, and yield the progress and all faults."""
    subject_indexes = [
        i for i in range(len(subjects())) if (i + seed) % share.denominator < share.numerator
    ]
    chunks = [
        subject_indexes[start : start + CHUNK] for start in range(0, len(subject_indexes), CHUNK)
    ]
    total = Tally()
    with ProcessPoolExecutor(cpu_count(), get_context("spawn")) as pool:
        for finished, tally in enumerate(pool.map(partial(check, engine, seed), chunks), 1):
            total.add(tally)
            yield finished / len(chunks), total


def report(tally: Tally) -> str:
    """Return the table, and every fault."""
    rows = list(dict.fromkeys(row for row, _ in tally.counts))
    rows.sort(key=lambda row: ("," not in row, row == "all"))
    lines = [f"{'':<24}" + "".join(f"{column:>13}" for column in COLUMNS)]
    lines += [
        f"{row:<24}" + "".join(f"{tally.counts[row, column]:>13,}" for column in COLUMNS)
        for row in rows
    ]
    for title, counts in (
        ("In a language, and not decoded", tally.codes),
        ("Decoded, and left out of a language", tally.reasons),
        ("No grammar", tally.refusals),
    ):
        lines += [f"{title}: {n:,} {what}" for what, n in counts.most_common() if n]
    return "\n".join([*lines, *(f"FAULT {fault}" for fault in tally.faults)])


def main() -> int:
    """Read the options, check, show the progress, and print the table."""
    from rich.progress import Progress

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--engine", choices=ENGINES, default="llguidance")
    parser.add_argument("--share", type=Fraction, default=Fraction(1))
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    try:
        ENGINES[options.engine].load()
    except ImportError as error:
        print(f"{options.engine} is not available: {error}", file=sys.stderr)
        return 2
    tally = Tally()
    with Progress() as progress:
        bar = progress.add_task(options.engine, total=1)
        for fraction, tally in run(options.engine, options.share, options.seed):
            text = f"{options.engine}, {len(tally.faults)} faults"
            progress.update(bar, completed=fraction, description=text)
    print(report(tally))
    return 1 if tally.faults else 0


if __name__ == "__main__":
    sys.exit(main())
