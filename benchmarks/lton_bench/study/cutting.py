"""Test whether an agent solves as many tasks if long results are cut. `python -m
lton_bench.study.cutting`.

A model answers each task of `cutting_tasks` twice through `lton serve --calls native`: with the
whole output, and with the output that `lton hook` cuts. The note at the end of a cut output names
the file with the whole output. The conversation contains the call that printed the output,
and then the task. The model may run commands before it answers, for example to search the
output. In both cases the prompt explains the note and shows two solved tasks, because small
models do little without examples. The temperature is 0. *Has it* means that the cut output
contains the answer or, if a line has to be corrected, the call that fails.
"""

import argparse
import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any
from urllib.error import HTTPError

import numpy as np

from lton.wrap.long_results import ResultFolder, cut, query_of
from lton_bench.demo import start_server
from lton_bench.internals import minified
from lton_bench.study import models
from lton_bench.study.cutting_tasks import COMMAND, Task, tasks
from lton_bench.study.figures import Estimate, accuracy, compare
from lton_bench.study.gateways import gateway, post
from lton_bench.study.packed import added, content
from lton_bench.study.report import head, interval, row
from lton_bench.study.sandbox import run

__all__ = ["TOOLS", "WAYS", "Work", "kept", "lay_out", "main", "markdown", "solve"]

_CONTEXT = 24_576
_TURNS, _TOKENS, _CALLS = 5, 200, 4
"""Requests of a task, tokens of an answer, and calls of an answer, at most."""
WHOLE, CUT = WAYS = ("whole", "cut")
_SYSTEM = (
    "You are a coding agent in the folder of a project. A long output may end with a note that"
    " tokens were left out. If the answer is not in the output, call bash to search the file that"
    " the note names with grep. When you know the answer, reply without a call."
)
_BASH = {
    "name": "bash",
    "description": "Run a command and return what it prints.",
    "parameters": {
        "type": "object",
        "properties": {"command": {"type": "string", "description": "the command"}},
        "required": ["command"],
    },
}
TOOLS = ({"type": "function", "function": _BASH},)


@dataclass(frozen=True, slots=True)
class Work:
    """A model's actions for a task."""

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


Chat = list[Mapping[str, Any]]


def _asked(words: str) -> Mapping[str, Any]:
    return {"role": "user", "content": words}


def _said(words: str) -> Mapping[str, Any]:
    return {"role": "assistant", "content": words}


def _ran(number: int, command: str, output: str, words: str = "") -> Chat:
    """Return a call of `bash`, and its result."""
    function = {"name": "bash", "arguments": json.dumps({"command": command})}
    call = {"id": f"call-{number}", "type": "function", "function": function}
    return [
        {"role": "assistant", "content": words, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": call["id"], "content": output},
    ]


def _opened(number: int, program: str, words: str, output: str, question: str) -> Chat:
    """Return the messages until a task's question."""
    return [
        _asked(f"`{COMMAND}` prints what `{program}` printed in CI. Run it."),
        *_ran(number, COMMAND, output, words),
        _said("I have the output."),
        _asked(f'{question} Quote the line that says it, then write "Answer:" and the answer.'),
    ]


_PIP = "flask 3.1.0 requires werkzeug, which is not installed.\ncelery 5.4.0 requires kombu<6.\n"
_CARGO = """\
   Compiling serde v1.0.217
   Compiling cart v0.3.1
[2,906 of 3,412 tokens left out; all of it: /tmp/lton/5d41402a/7b8c9a10.txt]"""
_SHOTS: Chat = [
    *_opened(1, "pip check", "Let me check.", _PIP, "Which package is not installed?"),
    _said("flask 3.1.0 requires werkzeug, which is not installed.\nAnswer: werkzeug"),
    *_opened(2, "cargo build", "Let me build it.", _CARGO, "Which version of tokio was compiled?"),
    *_ran(3, "grep tokio /tmp/lton/5d41402a/7b8c9a10.txt", "   Compiling tokio v1.43.0\n"),
    _said("Compiling tokio v1.43.0\nAnswer: 1.43.0"),
]
"""Two solved tasks."""

Ask = Callable[[Sequence[Mapping[str, Any]]], Mapping[str, Any]]


def solve(
    ask: Ask, task: Task, folder: Path, *, is_confined: bool = True
) -> tuple[bool, list[Mapping[str, Any]], list[str]]:
    """Let a model work on a task. Return whether it is solved, the usages, and the actions."""
    lay_out(task, folder)
    chat: Chat = [{"role": "system", "content": _SYSTEM}, *_SHOTS]
    chat += _opened(4, task.program, task.words, task.output, task.question)
    usages, done, words = list[Mapping[str, Any]](), list[str](), ""
    is_over = False
    for _ in range(_TURNS):
        try:
            reply = ask(chat)
        except HTTPError as error:
            done.append(f"status {error.code}: {error.read(200).decode(errors='replace')}")
            break
        usages.append(reply["usage"])
        message = reply["choices"][0]["message"]
        calls, words = (message.get("tool_calls") or [])[:_CALLS], message.get("content") or ""
        made = [f"{each['function']['name']} {each['function']['arguments']}" for each in calls]
        is_over = not made
        if is_over or made[0] in done:  # a model that repeats itself does not stop
            break
        chat.append({"role": "assistant", "content": words, "tool_calls": calls})
        for call in calls:
            result = _result(call["function"], folder, is_confined=is_confined)
            chat.append({"role": "tool", "tool_call_id": call["id"], "content": result})
        done += made
    return is_over and task.is_answered(words), usages, [*done, words]


def lay_out(task: Task, folder: Path) -> None:
    """Write the files of a task."""
    for name, text in task.files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
        path.chmod(0o755)


def _result(function: Mapping[str, str], folder: Path, *, is_confined: bool) -> str:
    try:
        given = json.loads(function["arguments"])
        match function["name"], given:
            case "bash", {"command": str(command)}:
                return run(command, folder, is_confined=is_confined)[0]
    except (ValueError, OSError) as error:
        return f"error: {error}"
    return "error: expected a call of bash with a command"


def kept(asked: Sequence[Task]) -> Iterator[tuple[str, int, int]]:
    """Yield each kind with its number of tasks, and the number of tasks whose cut output has the
    needed lines.
    """
    shown: dict[str, list[bool]] = {}
    for task in asked:
        with tempfile.TemporaryDirectory() as results:
            query = query_of(task.words, {"command": COMMAND})
            short = cut(task.output, query, ResultFolder(results))
        assert short != task.output, task.name
        shown.setdefault(task.kind, []).append(task.is_shown(short))
    for kind, found in shown.items():
        yield kind, len(found), sum(found)


def worked(upstream: str, model: str, task: Task, way: str, *, is_confined: bool = True) -> Work:
    """Let a model work on a task through a gateway of the task's own."""
    with tempfile.TemporaryDirectory() as name:
        results = ResultFolder(name)
        if way == CUT:
            query = query_of(task.words, {"command": COMMAND})
            task = replace(task, output=cut(task.output, query, results))
        with gateway(upstream, engine="llama.cpp", calls="native") as url:
            return _worked(url, model, task, way, results, is_confined=is_confined)


def _worked(
    url: str, model: str, task: Task, way: str, results: ResultFolder, *, is_confined: bool
) -> Work:
    used: list[float] = []

    def ask(chat: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        body = {"model": model, "messages": chat, "tools": TOOLS, "temperature": 0, "seed": 0}
        began = perf_counter()
        found: Mapping[str, Any] = post(
            f"{url}/v1/chat/completions", body | {"max_tokens": _TOKENS}
        )
        used.append(perf_counter() - began)
        return found

    with tempfile.TemporaryDirectory() as name:
        is_solved, usages, said = solve(ask, task, Path(name), is_confined=is_confined)
    return Work(
        model=model,
        task=task.name,
        kind=task.kind,
        way=way,
        is_solved=is_solved,
        requests=len(usages),
        prompt=sum(each["prompt_tokens"] for each in usages),
        sampled=sum(each["completion_tokens"] for each in usages),
        cuts=len(results.left_out),
        read_again=len(results.read_again),
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
    """Return the tables of each model, and of the needed lines in the cut outputs."""
    lines = ["# Tasks solved with and without cut results", "", (__doc__ or "").split("\n\n", 1)[1]]
    lines += ["*Has it*: the cut output has the answer; for a fix, the call that fails."]
    lines += ["", *head("tasks", "number", "has it")]
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
        f"The share of solved tasks with cut results minus the share with whole results is"
        f" {_signed(both.difference)}; {both.only_ours} tasks were solved only with cut results,"
        f" and {both.only_theirs} only with whole results; p = {both.p:.2f} (McNemar)."
    )
    for key, name in (("prompt", "prompt"), ("sampled", "sampled")):
        ratio = _ratio([getattr(b, key) for _, b in pairs], [getattr(a, key) for a, _ in pairs])
        between = f"{ratio.value:.2f} [{ratio.low:.2f}, {ratio.high:.2f}]"
        yield f"The {name} tokens with cut results, relative to whole results, are {between}."
    cut = [b for _, b in pairs if b.cuts]
    again = sum(bool(b.read_again) for b in cut)
    yield f"A result was cut in {len(cut)} tasks, and the model read a whole result in {again}."
    yield ""
    yield from head("solved", *WAYS, "both", "tasks", "cut minus whole")
    for kind in dict.fromkeys(each.kind for each, _ in pairs):
        of = [(a.is_solved, b.is_solved) for a, b in pairs if a.kind == kind]
        sums = sum(a for a, _ in of), sum(b for _, b in of), sum(a and b for a, b in of)
        found = compare([b for _, b in of], [a for a, _ in of])
        yield row(kind, *map(str, sums), str(len(of)), _signed(found.difference))
    yield ""


def _signed(found: Estimate) -> str:
    return f"{found.value:+.3f} [{found.low:+.3f}, {found.high:+.3f}]"


def main(arguments: Sequence[str] | None = None) -> None:
    """Let models work on the tasks that they have not worked on, and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", action="append", default=[], help="default: only cut outputs")
    parser.add_argument("--outputs", type=Path, required=True, help="the recorded outputs")
    parser.add_argument("--tools", type=Path, required=True, help="more recorded outputs")
    parser.add_argument("--most", type=int, help="only the first tasks")
    parser.add_argument("--threads", type=int, default=1, help="threads of the model")
    parser.add_argument("--parallel", type=int, default=1, help="tasks at a time")
    parser.add_argument(
        "--unconfined", action="store_true", help="run commands without a sandbox of their own"
    )
    parser.add_argument("--out", type=Path, required=True, help="the folder of the results")
    options = parser.parse_args(arguments)
    file = options.out / "study" / "cutting.jsonl"
    found = [Work(**json.loads(line)) for line in content(file).splitlines()]
    known = {(each.model, each.task, each.way) for each in found}
    asked = tasks(options.outputs, options.tools)
    for model in options.model:
        missing = [
            (task, way)
            for task in asked[: options.most]
            for way in WAYS
            if (models.name(model), task.name, way) not in known
        ]
        if not missing:
            continue
        server = start_server(
            _CONTEXT, models.path(model), threads=options.threads, slots=options.parallel
        )
        do = partial(worked, server.listening_address, models.name(model))
        with ThreadPoolExecutor(options.parallel) as pool:
            doing = [pool.submit(do, *each, is_confined=not options.unconfined) for each in missing]
            works = (each.result() for each in as_completed(doing))
            for work in added(file, works):
                found.append(work)
                print(minified(asdict(work))[:300], flush=True)
        del server
    page = markdown(found, kept(asked))
    (options.out / "cutting.md").write_text(page + "\n", "utf-8")


if __name__ == "__main__":
    main()
