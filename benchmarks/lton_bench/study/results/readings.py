"""Compare how well models read tools' answers in LTON and JSON, by questions about made-up records.

    python -m lton_bench.study.results.readings --model gemma3 --out benchmarks/results

Each set of records is written in each format, with four questions: look up a value, count the
records, count records with a value, and compare two records. Records with three answers come first.
The answer is the model's first line, greedy. It is right if it equals the value, ignoring marks at
the end of a turn. With `--about columns` the formats differ in the order of columns, and the
records are different.
"""

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice, product
from pathlib import Path
from random import Random
from typing import TypeAlias, cast

from lton import ToolSet
from lton.chat import Message
from lton.generate import ask as ask_guided
from lton.schema.types import JSON
from lton_bench.internals import minified
from lton_bench.study.figures import accuracy, compare
from lton_bench.study.models import served
from lton_bench.study.packed import content, unpack
from lton_bench.tokens.answers import ANSWER_FORMATS
from lton_bench.tokens.pieces import Answer as Written

Record: TypeAlias = dict[str, JSON]
Writer: TypeAlias = Callable[[Written], str | None]
KINDS = ("look up", "count", "filter", "compare")
SHAPES = ("rows", "nested")
BASELINE = "JSON minified"
ROOM = 4096
_NAMES = (
    "Ada Ben Cleo Dan Eva Finn Gina Hugo Ines Jack Kira Liam Mona Nils Olga Paul Rosa Sven Tara Udo"
).split()
_CITIES = ("Oslo", "Lima", "Rome", "Cairo")
_TEAMS = ("red", "blue", "green")


@dataclass(frozen=True, slots=True)
class Question:
    """A question about records, and the answer."""

    kind: str
    text: str
    answer: str


@dataclass(frozen=True, slots=True)
class Reading:
    """A model's answer."""

    model: str
    format: str
    shape: str
    number: int
    kind: str
    wanted: str
    said: str
    prompt: int
    """The tokens of the prompt."""

    @property
    def right(self) -> bool:
        return self.said.partition("<|")[0].strip(" .").casefold() == self.wanted.casefold()


def records(shape: str, number: int | str) -> list[Record]:
    """Return 6 to 10 made-up records, flat or nested."""
    random = Random(f"{shape} {number}")  # noqa: S311 - made-up data
    found: list[Record] = []
    for name in random.sample(_NAMES, random.randint(6, 10)):
        city, team = random.choice(_CITIES), random.choice(_TEAMS)
        age, score = random.randint(20, 69), random.randint(100, 999)
        if shape == "rows":
            found.append({"name": name, "city": city, "age": age, "team": team, "score": score})
        else:
            home: JSON = {"city": city, "zip": str(random.randint(10_000, 99_999))}
            tags: list[JSON] = random.sample(["new", "vip", "late", "paid"], random.randint(1, 3))
            found.append({"name": name, "age": age, "home": home, "team": team, "tags": tags})
    return found


def questions(shape: str, number: int | str) -> list[Question]:
    """Return a question of each kind."""
    random = Random(f"questions {shape} {number}")  # noqa: S311 - made-up data
    every = records(shape, number)
    one, other = random.sample(every, 2)
    while one["age"] == other["age"]:
        one, other = random.sample(every, 2)
    team = one["team"]
    home = one.get("home")
    looked = home["zip"] if isinstance(home, dict) else one["score"]
    what = "zip" if isinstance(home, dict) else "score"
    older = max(one, other, key=lambda each: str(each["age"]))  # all have two digits
    return [
        Question("look up", f"What is the {what} of {one['name']}?", str(looked)),
        Question("count", "How many records are there?", str(len(every))),
        Question(
            "filter",
            f"How many records have the team {team}?",
            str(sum(each["team"] == team for each in every)),
        ),
        Question("compare", f"Who is older, {one['name']} or {other['name']}?", str(older["name"])),
    ]


@dataclass(frozen=True, slots=True)
class Asked:
    """The questions of a run: the formats, the shapes of records, and the first number.

    Each format is compared with its format in `beside`.
    """

    formats: Mapping[str, Writer]
    shapes: Sequence[str] = SHAPES
    first: int = 0
    beside: Sequence[str] = (BASELINE,)


def _lton(written: Written) -> str | None:
    frame = _WRITE["LTON result"](written)
    return frame.removeprefix(f"!result {written.tool} ") if frame else None


def _markdown(written: Written) -> str | None:
    table = _WRITE["CSV"](written)
    if table is None:
        return None
    head, *rows = (f"| {line.replace(',', ' | ')} |" for line in table.split("\n"))
    return "\n".join([head, "|" + "---|" * (head.count("|") - 1), *rows])


def _as_they_come(written: Written) -> str | None:
    """Return rows in LTON, with columns in the order of the first record's keys."""
    head, *lines = _rows(written)
    return f"[({' '.join(map(str, head))}){';'.join(' '.join(map(str, line)) for line in lines)}]"


def _maps(written: Written) -> str | None:
    """Return rows in LTON as maps with keys, in the original order."""
    keys, *lines = _rows(written)
    pairs = (
        " ".join(f"{key} {value}" for key, value in zip(keys, line, strict=True)) for line in lines
    )
    return f"[{' '.join(f'{{{each}}}' for each in pairs)}]"


def _arrays(written: Written) -> str | None:
    return minified(_rows(written))


def _like_lton(written: Written) -> str | None:
    """Return CSV with the columns in LTON's order."""
    head, _, _ = (_lton(written) or "").removeprefix("[(").partition(")")
    order = [_rows(written)[0].index(key) for key in head.split()]
    return "\n".join(",".join(str(line[at]) for at in order) for line in _rows(written))


def _rows(written: Written) -> list[list[JSON]]:
    """Return the keys of the first record, and the values of all records in that order."""
    every = cast("list[Record]", written.value)
    return [[*every[0]], *([*row.values()] for row in every)]


_WRITE = {each.name: each.write for each in ANSWER_FORMATS}
FORMATS: Mapping[str, Writer] = {
    "LTON": _lton,
    "JSON minified": _WRITE["JSON minified"],
    "JSON spaced": _WRITE["JSON spaced"],
    "TOON": _WRITE["TOON"],
    "YAML": _WRITE["YAML"],
    "CSV": _WRITE["CSV"],
    "Markdown table": _markdown,
}
COLUMNS: Mapping[str, Writer] = {
    "LTON": _lton,
    "LTON, columns as they come": _as_they_come,
    "LTON, keys in each row": _maps,
    BASELINE: _WRITE[BASELINE],
    "JSON arrays, keys first": _arrays,
    "CSV": _WRITE["CSV"],
    "CSV, columns as in LTON": _like_lton,
}
ABOUT = {
    "readings": Asked(FORMATS),
    "columns": Asked(COLUMNS, SHAPES[:1], first=1000, beside=(BASELINE, "LTON")),
}
"""The runs by the names of their result files."""


def written(shape: str, number: int | str, write: Writer) -> str | None:
    """Return records in a format, or None if the format cannot write them."""
    return write(Written("records", list(records(shape, number)), {}))


def prompt(shape: str, number: int, write: Writer, question: Question) -> list[Message] | None:
    """Return the messages of a question: an example with three answers, then the records."""
    shown, example = written(shape, number, write), written(shape, "example", write)
    if shown is None or example is None:
        return None
    asked = questions(shape, "example")
    return [
        Message.saying("system", "Answer each question about the records with the value alone."),
        Message.saying("user", f"Records:\n{example}\n\n{asked[0].text}"),
        Message.saying("assistant", asked[0].answer),
        Message.saying("user", asked[3].text),
        Message.saying("assistant", asked[3].answer),
        Message.saying("user", asked[2].text),
        Message.saying("assistant", asked[2].answer),
        Message.saying("user", f"Records:\n{shown}\n\n{question.text}"),
    ]


def cases(about: Asked, sets: int) -> Iterator[tuple[str, str, int, Question]]:
    """Yield the questions in an order that reuses the cache."""
    for name, shape, number in product(about.formats, about.shapes, range(sets)):
        for question in questions(shape, about.first + number):
            yield name, shape, about.first + number, question


def table(readings: Sequence[Reading], about: Asked) -> Iterator[str]:
    """Yield the lines of a table: right answers with Wilson's intervals, and comparisons."""
    less = [f"difference from {name}" for name in about.beside]
    names = "model", "records", "format", "right", *KINDS, *less, "tokens of a prompt"
    yield f"| {' | '.join(names)} |"
    yield "|---|---|---|" + "---:|" * (len(names) - 3)
    for model in dict.fromkeys(each.model for each in readings):
        for shape in SHAPES:
            groups = {
                name: sorted(
                    (r for r in readings if (r.model, r.shape, r.format) == (model, shape, name)),
                    key=lambda each: (each.number, each.kind),
                )
                for name in about.formats
            }
            beside = [[each.right for each in groups[name]] for name in about.beside]
            for name, group in groups.items():
                if group:
                    yield f"| {model} | {shape} | {name} | {_cells(group, beside)} |"


def _cells(group: Sequence[Reading], beside: Sequence[Sequence[bool]]) -> str:
    right = [each.right for each in group]
    share = accuracy(right)
    cells = [f"{share.value:.2f} [{share.low:.2f}, {share.high:.2f}]"]
    for kind in KINDS:
        of_kind = [each.right for each in group if each.kind == kind]
        cells.append(f"{sum(of_kind) / len(of_kind):.2f}")
    for others in beside:
        cells.append("")
        if len(right) == len(others):
            less = compare(right, others).difference
            cells[-1] = f"{less.value:+.2f} [{less.low:+.2f}, {less.high:+.2f}]"
    cells.append(f"{sum(each.prompt for each in group) / len(group):.0f}")
    return " | ".join(cells)


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask the remaining questions, and write the answers and the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", action="append", required=True)
    parser.add_argument("--about", choices=ABOUT, default="readings")
    parser.add_argument("--sets", type=int, default=25, help="sets of records, of each shape")
    parser.add_argument("--out", type=Path, required=True, help="the folder of the results")
    options = parser.parse_args(arguments)
    about = ABOUT[options.about]
    file = options.out / "study" / f"{options.about}.jsonl"
    lines = content(file).splitlines()
    unpack(file)
    readings = [Reading(**json.loads(line)) for line in lines]
    known = {(r.model, r.format, r.shape, r.number, r.kind) for r in readings}
    for name in options.model:
        with served(name, ROOM) as model, file.open("a") as output:
            for form, shape, number, question in cases(about, options.sets):
                messages = prompt(shape, number, about.formats[form], question)
                if messages is None or (name, form, shape, number, question.kind) in known:
                    continue
                answer = ask_guided(
                    model, messages, ToolSet(()), retries=0, tool_choice="none", max_tokens=12
                )
                said = next(islice(answer.prose.strip().splitlines(), 1), "")
                spent, wanted = answer.spent.prompt, question.answer
                readings.append(
                    Reading(name, form, shape, number, question.kind, wanted, said, spent)
                )
                print(minified(asdict(readings[-1])), file=output, flush=True)
        print(f"{name}: {sum(each.model == name for each in readings)} answers", flush=True)
    text = "\n".join(table(readings, about)) + "\n"
    (options.out / f"{options.about}.md").write_text(text)


if __name__ == "__main__":
    main()
