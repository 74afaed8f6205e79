"""What a model answers to the questions of HotpotQA, with all of the text and with what is left.

    python -m lton_bench.compress_answers --hotpot FILE --peers FILE OUTPUT

It needs xllamacpp and a model, which is shown one example by hand: Gemma 3 270M, or the file that
`--model` names, called what `--called` says. Each answer is a line of the output; one that is there
is not asked for again. The unseen questions come first, of
which LLMLingua was asked some, and each is asked in every way before the next.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from lton.tokens import counter
from lton_bench.compress_data import Question, read_questions, unseen
from lton_bench.compress_ways import WAYS, untitled
from lton_bench.study import models

Answerer: TypeAlias = Callable[[str], str]
"""Continues a prompt."""
RATE = 0.2
CONTEXT, LONGEST = 4096, 24
_WORD = re.compile(r"\w+")
PROMPT = """Text:
The Rhine flows through Basel and Cologne. It ends in the North Sea.

Question: Into which sea does the river flow that passes Basel?
Answer: North Sea

Text:
{text}

Question: {question}
Answer:"""


def shown(question: Question, peers: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Get by way what a model is shown."""
    counts: Any = counter("o200k")
    whole = untitled(question.documents)
    budget = int(RATE * counts.count(whole).tokens)
    for name, way in WAYS.items():
        yield name, way(question, budget, counts).text
    yield from peers.items()
    yield "all of the text", whole
    yield "no text", ""


def serving(model: str) -> Answerer:
    """Start a model; get what continues a text with it."""
    import xllamacpp  # noqa: PLC0415 - reports need no server

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(models.path(model))
    parameters.n_ctx, parameters.n_parallel, parameters.port = CONTEXT, 1, 0
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    parameters.verbosity = -1
    server = xllamacpp.Server(parameters)
    options = {"n_predict": LONGEST, "temperature": 0, "stop": ["\n"], "cache_prompt": False}

    def answer(prompt: str) -> str:
        said: str = server.handle_completions({"prompt": prompt, **options})["choices"][0]["text"]
        return said.strip()

    return answer


def exact(said: str, right: str) -> bool:
    """Say whether an answer is the right one, but for case, punctuation and articles.

    >>> exact("The North Sea.", "north sea"), exact("the sea", "North Sea")
    (True, False)
    """
    return _words(said) == _words(right)


def overlap(said: str, right: str) -> float:
    """Get the F1 of the words of an answer: the harmonic mean of precision and recall.

    >>> overlap("the cold North Sea", "North Sea")
    0.8
    """
    ours, theirs = Counter(_words(said)), Counter(_words(right))
    both = sum((ours & theirs).values())
    return 2 * both / (sum(ours.values()) + sum(theirs.values())) if both else 0.0


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text.lower()) if word not in ("a", "an", "the")]


def main(
    arguments: Sequence[str] | None = None,
    start: Callable[[str], Answerer] = serving,
) -> None:
    """Ask, and write what came."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--hotpot", type=Path, required=True)
    parser.add_argument("--peers", type=Path, required=True)
    parser.add_argument("--model", default="gemma3")
    parser.add_argument("--called", help="the model's name in the report")
    parser.add_argument("output", type=Path)
    options = parser.parse_args(arguments)
    peers: dict[str, dict[str, str]] = {}
    for each in map(json.loads, options.peers.read_text().splitlines()):
        if each["rate"] == RATE and "text" in each:
            peers.setdefault(each["case"], {})[each["engine"]] = each["text"]
    known = options.output.read_text().splitlines() if options.output.exists() else []
    done = {(each["id"], each["way"]) for each in map(json.loads, known)}
    questions = sorted(read_questions(options.hotpot), key=lambda each: not unseen(each.id))
    answer = start(options.model)
    called = options.called or models.name(options.model)
    with options.output.open("a") as output:
        for question in questions:
            for way, text in shown(question, peers.get(question.id, {})):
                if (question.id, way) not in done:
                    said = answer(PROMPT.format(text=text, question=question.question))
                    line = {"id": question.id, "way": way, "said": said, "model": called}
                    output.write(json.dumps(line, ensure_ascii=False) + "\n")
                    output.flush()


if __name__ == "__main__":
    main()
