"""Measure whether models write valid instances of nested classes, unions, and lists of classes.

Each question has one class. The model answers in JSON constrained by the class's schema, in LTON
constrained by a grammar, and with guided generation. An answer is *valid* if it is an instance of
the class, and *right* if it is the expected instance, apart from capitals.
"""

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import BaseModel, ValidationError

import lton
from lton.chat import instructions
from lton.engines import llamacpp, outlines, server, vllm
from lton.errors import LTONError
from lton.generate import ask as ask_guided
from lton_bench.study import vllm_server
from lton_bench.study.calls.classes_cases import KINDS, Question, questions
from lton_bench.study.gateways import post
from lton_bench.study.models import MODELS, path, serve_model
from lton_bench.study.models import name as full_name
from lton_bench.study.packed import content, unpack

__all__ = ["WAYS", "is_right", "record", "table"]

Way = Literal["json", "json, schema shown", "grammar", "guided"]
Engine = Literal["in process", "server", "vLLM", "Outlines"]
WAYS: tuple[Way, ...] = get_args(Way)
ENGINES: tuple[Engine, ...] = get_args(Engine)
ELSEWHERE: frozenset[Engine] = frozenset({"vLLM"})
"""Engines that have their own environment, and are asked only by name."""
MOST = 200
"""The maximum number of sampled tokens of an answer."""
_CONTEXT = 2048
_HEAD = """\
`make study-classes` writes this table. All answers are at temperature 0, with at most 200 sampled
tokens. *json* is the engine's own mode for JSON Schemas (`response_format`). Tokens are sampled
tokens per question, on average. The last column is their ratio to the better of the two ways in
JSON: the one with more right answers. A question counts if it was asked in every way of its model
and engine.

| model | engine | way | questions | valid | right | {kinds} | tokens | of JSON's |
|---|---|---|---:|---:|---:|{columns}---:|---:|
"""


def is_right(question: Question, instance: BaseModel) -> bool:
    """Return whether an instance is the expected one, apart from capitals."""
    expected = question.tool(**question.right)
    return bool(_fold(instance.model_dump()) == _fold(expected.model_dump()))


def _fold(value: Any) -> Any:
    match value:
        case str():
            return value.casefold().strip(" .")
        case dict():
            return {key: _fold(member) for key, member in value.items()}
        case list():
            return [_fold(item) for item in value]
    return value


def _read(question: Question, text: str, way: Way) -> BaseModel | None:
    """Return the instance in an answer, or None if the answer is not valid."""
    try:
        if way.startswith("json"):
            return question.tool.model_validate_json(text)
        [instance] = lton.Toolbox(question.tool).decode(text)
    except (LTONError, ValidationError, ValueError):
        return None
    return instance


def record(
    question: Question, text: str, sampled: int, way: Way, *, instance: BaseModel | None = None
) -> dict[str, Any]:
    """Return the line of a result file for an answer."""
    read_instance = instance or _read(question, text, way)
    return {
        "kind": question.kind,
        "question": question.text,
        "way": way,
        "valid": read_instance is not None,
        "right": read_instance is not None and is_right(question, read_instance),
        "sampled": sampled,
        "text": text,
    }


def _messages(question: Question, way: Way) -> list[dict[str, str]]:
    tools = lton.Toolbox(question.tool)
    schema = json.dumps(question.tool.model_json_schema(), separators=(",", ":"))
    system_prompts = {
        "json": "Answer in JSON.",
        "json, schema shown": f"Answer in JSON of this schema:\n{schema}",
        "grammar": instructions(tools, sigil=False),
    }
    return [
        {"role": "system", "content": system_prompts[way]},
        {"role": "user", "content": question.text},
    ]


def _answer_in_process(llm: Any, question: Question, way: Way) -> tuple[str, int]:
    llama_cpp: Any = __import__("llama_cpp")
    if way == "grammar":
        grammar = llamacpp.constraint(lton.Toolbox(question.tool), llm)
    else:
        schema = json.dumps(question.tool.model_json_schema())
        grammar = llama_cpp.LlamaGrammar.from_json_schema(schema, verbose=False)
    prompt = llamacpp.LlamaEngine(llm).prompt(_messages(question, way))
    completion = llm.create_completion(
        prompt, grammar=grammar, max_tokens=MOST, temperature=0, seed=0
    )
    ended = completion["choices"][0]["finish_reason"] == "stop"
    return completion["choices"][0]["text"], completion["usage"]["completion_tokens"] + ended


def _answer_by_server(engine: server.ServerEngine, question: Question, way: Way) -> tuple[str, int]:
    grammar_of = lton.grammar.for_engine
    is_vllm = isinstance(engine, vllm.VllmEngine)
    body: dict[str, Any] = {"temperature": 0, "seed": 0, "max_tokens": MOST}
    if is_vllm:
        body["model"] = vllm_server.NAME
    if way == "grammar":
        body |= grammar_of("vllm" if is_vllm else "llama-server", lton.Toolbox(question.tool))
    else:
        shape = {"name": question.tool.__name__, "schema": question.tool.model_json_schema()}
        body["response_format"] = {"type": "json_schema", "json_schema": shape}
    body["messages"] = _messages(question, way)
    completion = post(f"{engine.base}/v1/chat/completions", body)
    text = completion["choices"][0]["message"]["content"] or ""
    return str(text), completion["usage"]["completion_tokens"]


def _answer_by_outlines(model: Any, question: Question, way: Way) -> tuple[str, int]:
    library: Any = __import__("outlines")
    if way == "grammar":
        constraint = outlines.constraint(lton.Toolbox(question.tool))
    else:
        constraint = library.types.JsonSchema(question.tool.model_json_schema())
    generator = library.Generator(model, constraint, backend="llguidance")
    watched = generator.logits_processor = outlines.Watched(generator.logits_processor)
    chat = library.inputs.Chat(_messages(question, way))
    text = generator(chat, max_tokens=MOST, temperature=0, seed=0)
    watched.check()
    return str(text), watched.spent.sampled


def _ask(model: Any, answer: Callable[..., tuple[str, int]], question: Question, way: Way) -> Any:
    """Ask a model a question in one of the ways, and return the line of the result file."""
    if way != "guided":
        return record(question, *answer(model, question, way), way)
    tools = lton.Toolbox(question.tool)
    try:
        generation = ask_guided(model, question.text, tools, retries=0, max_tokens=MOST)
    except LTONError as error:
        return record(question, str(error), MOST, way)
    instance = tools.instance(generation.calls[0])
    return record(question, generation.text, generation.spent.sampled, way, instance=instance)


@contextmanager
def _load_asker(model: str, engine: Engine) -> Iterator[Callable[[Question, Way], dict[str, Any]]]:
    if engine == "server":
        with serve_model(model, _CONTEXT) as served_engine:
            yield partial(_ask, served_engine, _answer_by_server)
    elif engine == "vLLM":
        with vllm_server.serving() as address:
            yield partial(_ask, vllm.load(address), _answer_by_server)
    elif engine == "Outlines":
        loaded = outlines.load(path(model), context=_CONTEXT)
        yield partial(_ask, loaded, _answer_by_outlines)
    else:
        llm = llamacpp.load(path(model), context=_CONTEXT)
        yield partial(_ask, llm, _answer_in_process)


def _rows(records: Sequence[Mapping[str, Any]]) -> Iterator[list[object]]:
    """Yield the rows of the table, those of one model and engine after each other."""
    groups = defaultdict[tuple[str, str], dict[str, list[Mapping[str, Any]]]](dict)
    for line in records:
        groups[line["model"], line["engine"]].setdefault(line["way"], []).append(line)
    for (model, engine), answers in groups.items():
        ways = _keep_common(answers)
        in_json = [lines for way, lines in ways.items() if way.startswith("json")]
        best = max(in_json, key=lambda lines: sum(line["right"] for line in lines), default=[])
        for way in WAYS:
            lines = ways.get(way, [])
            if lines:
                tokens = _mean(lines)
                share = f"{tokens / _mean(best):.2f}" if best else ""
                counts = [sum(line[name] for line in lines) for name in ("valid", "right")]
                kinds = Counter(line["kind"] for line in lines if line["right"])
                by_kind = [kinds[kind] for kind in KINDS]
                yield [model, engine, way, len(lines), *counts, *by_kind, f"{tokens:.1f}", share]


def _keep_common(
    ways: Mapping[str, Sequence[Mapping[str, Any]]],
) -> dict[str, list[Mapping[str, Any]]]:
    """Keep the answers to the questions that were asked in every way."""
    question_sets = [{line["question"] for line in lines} for lines in ways.values()]
    common = set.intersection(*question_sets)
    return {
        way: [line for line in lines if line["question"] in common] for way, lines in ways.items()
    }


def _mean(lines: Sequence[Mapping[str, Any]]) -> float:
    return float(sum(line["sampled"] for line in lines)) / len(lines)


def table(records: Sequence[Mapping[str, Any]]) -> str:
    """Return the table of the results.

    >>> lines = [
    ...     {"model": "m", "engine": "server", "way": way, "kind": "list", "valid": True,
    ...      "question": question, "right": way == "guided", "sampled": sampled}
    ...     for way, question, sampled in (("json", "a", 40), ("guided", "a", 20), ("json", "b", 9))
    ... ]
    >>> for line in table(lines).splitlines()[-2:]:
    ...     print(line)
    | m | server | json | 1 | 1 | 0 | 0 | 0 | 0 | 40.0 | 1.00 |
    | m | server | guided | 1 | 1 | 1 | 0 | 0 | 1 | 20.0 | 0.50 |
    """
    kinds = " | ".join(f"right, {kind}" for kind in KINDS)
    head = _HEAD.format(kinds=kinds, columns="---:|" * len(KINDS))
    return head + "".join(f"| {' | '.join(map(str, row))} |\n" for row in _rows(records))


def _load_lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in content(file).splitlines()]


def _identify(line: Mapping[str, Any]) -> tuple[str, ...]:
    return (line["model"], line["engine"], line["way"], line["question"])


def _missing(
    model: str,
    engine: Engine,
    all_questions: Iterable[Question],
    ways: Sequence[Way],
    answered: set[Any],
) -> Iterator[tuple[Question, Way]]:
    """Yield what was not asked yet. Questions of a class follow each other, so that an engine reads
    their prompt once.
    """
    by_class = sorted(all_questions, key=lambda question: question.tool.__name__)
    for way in ways:
        for question in by_class:
            if (full_name(model), engine, way, question.text) not in answered:
                yield question, way


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask what the result file lacks, and write the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", action="append")
    parser.add_argument("--engine", action="append", choices=ENGINES)
    parser.add_argument("--way", action="append", choices=WAYS)
    parser.add_argument("--questions", type=int, default=len(questions()))
    parser.add_argument("--out", type=Path, default=Path("build/study"))
    options = parser.parse_args(arguments)
    file = options.out / "study" / "classes.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    answered = {_identify(line) for line in _load_lines(file)}
    all_questions = questions()[: options.questions]
    for model in options.model or MODELS:
        for engine in options.engine or [name for name in ENGINES if name not in ELSEWHERE]:
            missing = [*_missing(model, engine, all_questions, options.way or WAYS, answered)]
            if missing:
                unpack(file)
                with _load_asker(model, engine) as ask, file.open("a", encoding="utf-8") as lines:
                    for question, way in missing:
                        line = {"model": full_name(model), "engine": engine, **ask(question, way)}
                        print(json.dumps(line), file=lines, flush=True)
    page = table(_load_lines(file))
    (options.out / "classes.md").write_text(page, "utf-8")
    print(page)


if __name__ == "__main__":
    main()
