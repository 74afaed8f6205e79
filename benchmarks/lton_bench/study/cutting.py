"""Test whether an agent solves as many tasks if long results are cut. `python -m
lton_bench.study.cutting`.

A model works on each task of `cutting_tasks` in a loop with the tools `bash` and `edit`, twice:
through `lton serve --calls native`, and through the same with `--results-folder`, as `lton wrap`
sets it. There, outputs of more than 2,000 tokens are cut, and the note at their end names the file
that has the whole output. The first call, of the command that the task names, is given, because
small models often answer without it. The model is asked at temperature 0. `bash` returns what a
command prints, without its exit status: `lton wrap` does not cut an output whose head says that the
command failed.
"""

import argparse
import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import numpy as np

from lton._json import minified
from lton.gateway import command as serve
from lton.gateway.native.long_results import ResultFolder, cut, query_of
from lton_bench.demo import start_server
from lton_bench.study import models
from lton_bench.study.cutting_tasks import Task, tasks
from lton_bench.study.figures import Estimate, accuracy, compare
from lton_bench.study.packed import content, unpack
from lton_bench.study.report import head, interval, row
from lton_bench.study.sandbox import run

__all__ = ["TOOLS", "WAYS", "Work", "kept", "lay_out", "main", "markdown", "solve"]

_CONTEXT = 8_192
_TURNS, _TOKENS, _CALLS = 8, 300, 4
"""Requests of a task, tokens of an answer, and calls of an answer, at most."""
WHOLE, CUT = WAYS = ("whole", "cut")
_SYSTEM = (
    "You are a coding agent in the folder of a project. Use the tools to do the task, one call at a"
    " time. When the task is done, answer in words, without a call."
)


def _tool(name: str, about: str, **parameters: str) -> dict[str, Any]:
    properties = {key: {"type": "string", "description": text} for key, text in parameters.items()}
    schema = {"type": "object", "properties": properties, "required": [*parameters]}
    return {
        "type": "function",
        "function": {"name": name, "description": about, "parameters": schema},
    }


TOOLS = (
    _tool("bash", "Run a command and return what it prints.", command="the command"),
    _tool(
        "edit",
        "Replace a piece of a file's text.",
        path="the file",
        old="the exact text that is in the file once",
        new="the text in its place",
    ),
)


@dataclass(frozen=True, slots=True)
class Work:
    """The actions of a model for a task."""

    model: str
    task: str
    kind: str
    way: str
    is_solved: bool
    requests: int
    prompt: int
    """Tokens of all prompts together."""
    sampled: int
    cuts: int
    """The results that were cut."""
    read_again: int
    """The results that came out of the folder of whole results."""
    seconds: float
    said: tuple[str, ...]
    """The calls, and the last words."""


def _called(number: int, name: str, **arguments: str) -> Mapping[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"id": f"call-{number}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _result_of(number: int, text: str) -> Mapping[str, Any]:
    return {"role": "tool", "tool_call_id": f"call-{number}", "content": text}


_SHOTS: Sequence[Mapping[str, Any]] = (
    {"role": "user", "content": "Run `make`. Fix the error, so that the build succeeds."},
    _called(1, "bash", command="make"),
    _result_of(1, "size.c:7:12: error: 'sise' undeclared\n    7 |     return sise + 1;\n"),
    _called(2, "edit", path="size.c", old="return sise + 1;", new="return size + 1;"),
    _result_of(2, "done"),
    {"role": "assistant", "content": "The variable was misspelled. I fixed it."},
    {
        "role": "user",
        "content": "`./ci-log` prints what `pip check` printed in CI. Run it. How many"
        " packages are broken? Reply with the answer only.",
    },
    _called(3, "bash", command="./ci-log"),
    _result_of(3, "4 packages are broken\n"),
    {"role": "assistant", "content": "4"},
)
"""Two tasks that are solved, for each model to see: small models repeat a call otherwise."""

Ask = Callable[[Sequence[Mapping[str, Any]]], Mapping[str, Any]]


def solve(ask: Ask, task: Task, folder: Path) -> tuple[bool, list[Mapping[str, Any]], list[str]]:
    """Let a model work on a task. Return whether it is solved, the usages, and the actions."""
    lay_out(task, folder)
    chat: list[Mapping[str, Any]] = [
        {"role": "system", "content": _SYSTEM},
        *_SHOTS,
        {"role": "user", "content": task.prompt},
    ]
    called = _called(len(chat), "bash", command=task.command)
    chat += called, _result_of(len(chat), _result(called["tool_calls"][0]["function"], folder))
    usages, done, words = list[Mapping[str, Any]](), list[str](), ""
    before: list[tuple[str, str]] = []
    for _ in range(_TURNS):
        try:
            reply = ask(chat)
        except HTTPError as error:
            done.append(f"status {error.code}: {error.read(200).decode(errors='replace')}")
            break
        usages.append(reply["usage"])
        message = reply["choices"][0]["message"]
        calls, words = (message.get("tool_calls") or [])[:_CALLS], message.get("content") or ""
        if not calls:
            break
        chat.append({"role": "assistant", "content": words or None, "tool_calls": calls})
        made = []
        for call in calls:
            function = call["function"]
            made.append((f"{function['name']} {function['arguments']}", _result(function, folder)))
            chat.append({"role": "tool", "tool_call_id": call["id"], "content": made[-1][1]})
        done += [name for name, _ in made]
        if made == before:  # a model that repeats itself does not stop
            break
        before = made
    done.append(words)
    return _is_solved(task, folder, words), usages, done


def lay_out(task: Task, folder: Path) -> None:
    """Write the files of a task."""
    for name, text in task.files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
        path.chmod(0o755)


def _result(function: Mapping[str, str], folder: Path) -> str:
    try:
        given = json.loads(function["arguments"])
        match function["name"], given:
            case "bash", {"command": str(command)}:
                return run(command, folder)[0]
            case "edit", {"path": str(path), "old": str(old), "new": str(new)}:
                return _edit(folder / path, old, new, folder)
    except (ValueError, OSError) as error:
        return f"error: {error}"
    return "error: expected a call of bash or edit with all arguments"


def _edit(path: Path, old: str, new: str, folder: Path) -> str:
    if not path.resolve().is_relative_to(folder.resolve()):
        return "error: the path is outside the project"
    text = path.read_text("utf-8")
    if not old or (found := text.count(old)) != 1:
        return (
            f"error: expected the old text once in the file, found it {found if old else 0} times"
        )
    path.write_text(text.replace(old, new), "utf-8")
    return "done"


def _is_solved(task: Task, folder: Path, words: str) -> bool:
    if task.answer:
        return task.is_answered(words)
    for name in task.fixed:
        (folder / name).write_text(task.files[name], "utf-8")
    return run(task.command, folder)[1] == 0


def kept(asked: Sequence[Task]) -> Iterator[tuple[str, int, int]]:
    """Yield each kind, its tasks, and those whose cut output has what the task needs."""
    shown: dict[str, list[bool]] = {}
    for task in asked:
        with tempfile.TemporaryDirectory() as name, tempfile.TemporaryDirectory() as results:
            lay_out(task, Path(name))
            text, _ = run(task.command, Path(name))
            short = cut(text, query_of("", {"command": task.command}), ResultFolder(results))
        assert short != text, task.name
        shown.setdefault(task.kind, []).append(task.is_shown(short))
    for kind, found in shown.items():
        yield kind, len(found), sum(found)


def worked(url: str, model: str, task: Task, way: str, results: ResultFolder) -> Work:
    """Let a model work on a task behind a gateway."""
    used: list[float] = []

    def ask(chat: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        body = {"model": model, "messages": chat, "tools": TOOLS, "temperature": 0, "seed": 0}
        data = json.dumps(body | {"max_tokens": _TOKENS}).encode()
        asked = Request(f"{url}/v1/chat/completions", data, {"Content-Type": "application/json"})  # noqa: S310
        began = perf_counter()
        with urlopen(asked, timeout=900) as answer:  # noqa: S310 - a server that was started here
            found: Mapping[str, Any] = json.load(answer)
        used.append(perf_counter() - began)
        return found

    before = len(results.left_out), len(results.read_again)
    with tempfile.TemporaryDirectory() as name:
        is_solved, usages, said = solve(ask, task, Path(name))
    return Work(
        model=model,
        task=task.name,
        kind=task.kind,
        way=way,
        is_solved=is_solved,
        requests=len(usages),
        prompt=sum(each["prompt_tokens"] for each in usages),
        sampled=sum(each["completion_tokens"] for each in usages),
        cuts=len(results.left_out) - before[0],
        read_again=len(results.read_again) - before[1],
        seconds=round(sum(used), 1),
        said=tuple(said),
    )


# --- the page ------------------------------------------------------------------------------------


def _ratio(ours: Sequence[int], theirs: Sequence[int]) -> Estimate:
    """Return the ratio of two sums, with a bootstrap interval over pairs."""
    pairs = np.array([ours, theirs], dtype=float)
    drawn = np.random.default_rng(0).integers(len(ours), size=(10_000, len(ours)))
    sums = pairs[:, drawn].sum(axis=2)
    low, high = np.quantile(sums[0] / sums[1], [0.025, 0.975])
    return Estimate(float(pairs[0].sum() / pairs[1].sum()), float(low), float(high))


def markdown(found: Sequence[Work], shown: Iterable[tuple[str, int, int]]) -> str:
    """Return the tables of each model, and what the cut outputs still have."""
    lines = ["# Tasks solved with and without cut results", "", (__doc__ or "").split("\n\n", 1)[1]]
    lines += [
        "*Has it*: the cut output of the task's command has the answer, the error of the build"
    ]
    lines += ["or the failed assertion of a test.", "", *head("tasks", "number", "has it")]
    lines += [*(row(*map(str, cells)) for cells in shown), ""]
    by_model: dict[str, dict[str, dict[str, Work]]] = {}
    for each in found:
        by_model.setdefault(each.model, {}).setdefault(each.task, {})[each.way] = each
    for model, by_task in by_model.items():
        pairs = [(each[WHOLE], each[CUT]) for each in by_task.values() if len(each) == len(WAYS)]
        if pairs:
            lines += [f"## {model}: {len(pairs)} tasks", "", *_tables(pairs)]
    return "\n".join(lines)


def _tables(pairs: Sequence[tuple[Work, Work]]) -> Iterator[str]:
    yield from head("", "solved", "requests", "prompt tokens", "sampled tokens", "seconds")
    for way, works in zip(WAYS, zip(*pairs, strict=True), strict=True):
        share = interval(asdict(accuracy([each.is_solved for each in works])))
        means = [
            np.mean([getattr(each, key) for each in works])
            for key in ("requests", "prompt", "sampled", "seconds")
        ]
        count = sum(each.is_solved for each in works)
        cells = f"{means[0]:.1f}", *(f"{mean:,.0f}" for mean in means[1:])
        yield row(way, f"{count}: {share}", *cells)
    solved = [[each.is_solved for each in works] for works in zip(*pairs, strict=True)]
    both = compare(solved[1], solved[0])
    yield ""
    yield (
        f"Cut less whole: {both.difference.value:+.3f} [{both.difference.low:+.3f},"
        f" {both.difference.high:+.3f}] solved; {both.only_ours} only with cut results,"
        f" {both.only_theirs} only with whole ones; p = {both.p:.2f} (McNemar)."
    )
    for key, name in (("prompt", "prompt"), ("sampled", "sampled")):
        ratio = _ratio([getattr(b, key) for _, b in pairs], [getattr(a, key) for a, _ in pairs])
        yield f"Cut to whole, {name} tokens: {ratio.value:.2f} [{ratio.low:.2f}, {ratio.high:.2f}]."
    cut = [b for _, b in pairs if b.cuts]
    again = sum(bool(b.read_again) for b in cut)
    yield f"A result was cut in {len(cut)} tasks, and the whole of one was read again in {again}."
    yield ""
    yield from head("solved", *WAYS, "both", "tasks")
    for kind in dict.fromkeys(each.kind for each, _ in pairs):
        of = [(a.is_solved, b.is_solved) for a, b in pairs if a.kind == kind]
        sums = sum(a for a, _ in of), sum(b for _, b in of), sum(a and b for a, b in of)
        yield row(kind, *map(str, sums), str(len(of)))
    yield ""


def main(arguments: Sequence[str] | None = None) -> None:
    """Let a model work on the tasks that it has not worked on, and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", action="append", default=[], help="default: only cut outputs")
    parser.add_argument("--outputs", type=Path, required=True, help="the recorded outputs")
    parser.add_argument("--most", type=int, help="only the first tasks")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True, help="the folder of the results")
    options = parser.parse_args(arguments)
    file = options.out / "study" / "cutting.jsonl"
    unpack(file)
    found = [Work(**json.loads(line)) for line in content(file).splitlines()]
    known = {(each.model, each.task, each.way) for each in found}
    for model in options.model:
        asked = tasks(options.outputs)[: options.most]
        missing = [
            (task, way) for task in asked for way in WAYS if (model, task.name, way) not in known
        ]
        if not missing:
            continue
        server = start_server(_CONTEXT, models.path(model), threads=options.threads)
        with tempfile.TemporaryDirectory() as name, file.open("a") as output:
            for task, way in missing:
                results = ResultFolder(name)
                settings = serve.options_with(
                    upstream=server.listening_address,
                    engine="llama.cpp",
                    calls="native",
                    quiet=True,
                    results_folder=results if way == CUT else None,
                )
                listener = serve.free_port()
                with listener, serve.served(settings, listener):
                    url = serve.address_of(listener)
                    found.append(worked(url, models.name(model), task, way, results))
                print(minified(asdict(found[-1])), file=output, flush=True)
                print(minified(asdict(found[-1]))[:300], flush=True)
        del server
    page = markdown(found, kept(tasks(options.outputs)))
    (options.out / "cutting.md").write_text(page + "\n", "utf-8")


if __name__ == "__main__":
    main()
