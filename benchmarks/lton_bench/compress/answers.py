"""Ask a model questions about whole documents and about shortened documents.

    python -m lton_bench.compress.answers --hotpot FILE --peers FILE OUTPUT
    python -m lton_bench.compress.answers --outputs FILE --model FILE --called NAME OUTPUT

The first command asks the questions of HotpotQA. The second asks questions that rules derive from
the output of tools (`asked_of`), which is shortened with the agent's last words as the query.
The command needs xllamacpp and a model: Gemma 3 270M, or the file of `--model`, with the name in
`--called`. The prompt has one example. Each answer is a line of OUTPUT, and answered questions are
not asked again. The unseen questions come first, because LLMLingua was asked some of them. Each
question is asked in each way, or in the ways of `--way`, before the next question. Answers to
several shares of the text (`--rate`) are for `lton_bench.compress.curve`.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

from lton.context.compress import compress
from lton_bench.compress import outputs
from lton_bench.compress.data import Question, _lines, read_questions, unseen, vocabulary
from lton_bench.compress.ways import WAYS, untitled
from lton_bench.study import models
from lton_bench.study.packed import content, unpack

Answerer: TypeAlias = Callable[[str], str]
"""A function that continues a prompt."""
RATE = 0.2
EVERYTHING = "all of the text"
"""The way that shows the whole document."""
NOTHING = "no text"
"""The way that shows only the question."""
_ALIKE = 2
SHORT = 1_500
"""The most tokens of an output: a model reads about 60 tokens per second here."""
CONTEXT, LONGEST = 4096, 24
PROMPT = """Text:
The Rhine flows through Basel and Cologne. It ends in the North Sea.

Question: Into which sea does the river flow that passes Basel?
Answer: North Sea

Text:
{text}

Question: {question}
Answer:"""


OUTPUT_PROMPT = """$ cat /etc/app.conf
name = shop
port = 8080
[...]

Question: On which port does it listen?
Answer: 8080

$ {command}
{text}

Question: {question}
Answer:"""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, its answer, and the prompt of each way."""

    id: str
    answer: str
    shown: Callable[[float], Iterable[tuple[str, str]]]
    """A function from the share of the document to the prompt of each way."""


_NAMED = r"(?:[a-z_]\w*\.)*([A-Z]\w*(?:Error|Exception))\b"
_RULES = (
    ("How many tests failed?", r"^=* ?(\d+) failed\b.* in [\d.]+s"),
    ("How many tests were run?", r"^Ran (\d+) tests? in"),
    ("How many seconds did the tests take?", r"^(?:=+ .*|Ran .*) in ([\d.]+)s"),
    ("Which test is the first that failed?", r"^(?:FAILED \S+::|FAIL: |ERROR: )(test\w+)"),
    ("Which exception was raised last?", rf"\A(?s:.*)^(?:E +)?{_NAMED}"),
    ("In which line is the first error?", r"^[\w./-]+:(\d+):\d+: (?:fatal )?error: "),
    ("How many errors were found?", r"^Found (\d+) errors?\b"),
    ("What is the code of the error?", r"^npm error code (\w+)$"),
    ("How many files were changed?", r"\A(?: .*\n)+ (\d+) files changed, "),
    ("Which branch is it?", r"^On branch (\S+)"),
    ("Which version is it?", r'^ +"version": "([^"]+)"'),
)


def asked_of(text: str) -> list[tuple[str, str]]:
    """Return questions that rules derive from an output, with their answers.

    >>> asked_of("Ran 17 tests in 0.1s")
    [('How many tests were run?', '17'), ('How many seconds did the tests take?', '0.1')]
    """
    found = [
        (question, answer[1])
        for question, rule in _RULES
        if (answer := re.search(f"(?m){rule}", text))
    ]
    first = len(text) % max(1, len(found))
    return found[first:] + found[:first]


def of_outputs(rows: Iterable[Mapping[str, Any]]) -> Iterator[Asked]:
    """Yield questions about short outputs of tools, with each answer at most twice.

    The first questions about all outputs come before the second questions.
    """
    known: Counter[tuple[str, str]] = Counter()
    short = [
        (each, asked_of(each["text"]))
        for each in rows
        if vocabulary().count(each["text"]).tokens <= SHORT
    ]
    for number in range(len(_RULES)):
        for each, found in short:
            for asked in found[number : number + 1]:
                known[asked] += 1
                if known[asked] <= _ALIKE:
                    name = f"{each['id']}-{number + 1}" if number else each["id"]
                    yield Asked(name, asked[1], partial(_of_output, each, asked[0]))


def _of_output(each: Mapping[str, Any], question: str, rate: float) -> Iterator[tuple[str, str]]:
    text, query = each["text"], each["query"]
    budget = int(rate * vocabulary().count(text).tokens)
    left = {"LTON": compress(text, budget=budget, counter=vocabulary(), query=query).text}
    for way in ("lines by BM25", "head and tail", "grep -C 2"):
        taken = outputs.WAYS[way](text, query, budget)
        lines = text.split("\n")
        left[way] = "\n".join(line for number, line in enumerate(lines) if number in taken)
    for way, shown in (left | {EVERYTHING: text, NOTHING: ""}).items():
        yield way, OUTPUT_PROMPT.format(command=each["command"], text=shown, question=question)


def of_hotpot(path: Path, peers: Mapping[str, Mapping[str, str]]) -> Iterator[Asked]:
    """Yield the questions about HotpotQA's documents."""
    for question in read_questions(path):
        yield Asked(
            question.id,
            question.answer,
            partial(_of_question, question, peers.get(question.id, {})),
        )


def _of_question(
    question: Question, peers: Mapping[str, str], rate: float
) -> Iterator[tuple[str, str]]:
    for way, text in shown(question, peers, rate):
        yield way, PROMPT.format(text=text, question=question.question)


def shown(
    question: Question, peers: Mapping[str, str], rate: float = RATE
) -> Iterator[tuple[str, str]]:
    """Yield each way with its prompt."""
    counts = vocabulary()
    whole = untitled(question.documents)
    budget = int(rate * counts.count(whole).tokens)
    for name, way in WAYS.items():
        yield name, way(question, budget, counts).text
    yield from peers.items()
    yield EVERYTHING, whole
    yield NOTHING, ""


def serving(model: str, threads: int = 1) -> Answerer:
    """Start a model, and return a function that continues a prompt."""
    import xllamacpp  # noqa: PLC0415 - reports need no server

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(models.path(model))
    parameters.n_ctx, parameters.n_parallel, parameters.port = CONTEXT, 1, 0
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads
    parameters.verbosity = -1
    server = xllamacpp.Server(parameters)
    options = {"n_predict": LONGEST, "temperature": 0, "stop": ["\n"], "cache_prompt": False}

    def answer(prompt: str) -> str:
        said: str = server.handle_completions({"prompt": prompt, **options})["choices"][0]["text"]
        return said.strip()

    return answer


def main(
    arguments: Sequence[str] | None = None,
    start: Callable[[str, int], Answerer] = serving,
) -> None:
    """Ask, and write the answers."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--hotpot", type=Path)
    parser.add_argument("--outputs", type=Path)
    parser.add_argument("--peers", type=Path)
    parser.add_argument("--model", default="gemma3")
    parser.add_argument("--called", help="the model's name in the report")
    parser.add_argument("--most", type=int, help="the questions that are asked, at most")
    parser.add_argument("--way", action="append", help="ask in this way alone")
    parser.add_argument(
        "--rate", type=float, action="append", help="the share of the text that a way leaves"
    )
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("output", type=Path)
    options = parser.parse_args(arguments)
    peers: dict[str, dict[str, str]] = {}
    for each in _lines(options.peers) if options.peers else ():
        if each["rate"] == RATE and "text" in each:
            peers.setdefault(each["case"], {})[each["engine"]] = each["text"]
    asked = list(of_hotpot(options.hotpot, peers)) if options.hotpot else []
    asked += of_outputs(_lines(options.outputs)) if options.outputs else ()
    asked = sorted(asked, key=lambda each: not unseen(each.id))[: options.most]
    called = options.called or models.name(options.model)
    known = map(json.loads, content(options.output).splitlines())
    done = {(each["id"], each["way"], each["model"], each.get("rate")) for each in known}
    answer = start(options.model, options.threads)
    unpack(options.output)
    with options.output.open("a") as output:
        for each, rate in product(asked, options.rate or [None]):
            for way, prompt in each.shown(rate or RATE):
                of = None if way in (EVERYTHING, NOTHING) else rate
                if (each.id, way, called, of) not in done and way in (options.way or [way]):
                    done.add((each.id, way, called, of))
                    line = {"id": each.id, "way": way, "said": answer(prompt), "model": called}
                    line |= {"rate": of} if of else {}
                    output.write(json.dumps(line, ensure_ascii=False) + "\n")
                    output.flush()


if __name__ == "__main__":
    main()
