"""Count the calls that servers deliver: `python -m lton_bench.study.servers.questions`.

Each server is asked the 24 questions of `lton probe` in several ways: directly, directly with a
required call, and through `lton serve`. The code of `lton probe` asks and counts.
"""

import argparse
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lton.probe.asking import ChatClient
from lton.probe.outcome import AskedWay
from lton.probe.questions import QUESTIONS, TOOLS
from lton.schema.toolset import ToolSet
from lton_bench.demo import start_server
from lton_bench.markdown_tables import write_head, write_interval, write_row
from lton_bench.study import models, vllm_server
from lton_bench.study.figures import accuracy
from lton_bench.study.gateways import gateway
from lton_bench.study.servers import sglang_server

__all__ = ["SERVERS", "WAYS", "TriedWay", "check", "llama", "main", "markdown", "reach_server"]

_CONTEXT = 4096
_HERMES = ("--enable-auto-tool-choice", "--tool-call-parser", "hermes")


@dataclass(frozen=True, slots=True)
class TriedServer:
    """A server: its name, its model, and the function that starts it."""

    name: str
    model: str
    start: Callable[[str, int], AbstractContextManager[str]]
    engine: str


@dataclass(frozen=True, slots=True)
class TriedWay:
    """A way to ask: `tool_choice`, `strict`, and the `--calls` of a gateway, if there is one.

    With `closed` the schemas forbid other arguments, so `lton serve` makes the tools strict before
    vLLM and SGLang. With `engines`, only these engines are asked in this way.
    """

    name: str
    calls: str = ""
    choice: str = "auto"
    strict: bool = False
    closed: bool = False
    engines: tuple[str, ...] = ()

    @property
    def more(self) -> dict[str, Any]:
        """The members that the way adds to a request."""
        return {"tool_choice": "required"} if self.choice == "required" else {}


_STRICT = "vllm", "sglang"
WAYS = (
    TriedWay("the server"),
    TriedWay("`lton serve`", calls="auto"),
    TriedWay("the server, `required`", choice="required"),
    TriedWay("`lton serve --calls guided`", calls="guided"),
    TriedWay("the server, `strict`", strict=True, engines=_STRICT),
    TriedWay("`lton serve`, closed schemas", calls="auto", closed=True, engines=_STRICT),
    TriedWay("`lton serve --calls guided`, `required`", calls="guided", choice="required"),
)


@contextmanager
def llama(model: str, threads: int) -> Iterator[str]:
    """Run a llama.cpp server, and yield its address."""
    server = start_server(_CONTEXT, models.path(model), threads=threads)
    yield server.listening_address
    del server


@contextmanager
def _vllm(model: str, _: int) -> Iterator[str]:
    assert model == vllm_server.NAME
    with vllm_server.serving(*_HERMES) as url:
        yield url


@contextmanager
def _sglang(model: str, _: int) -> Iterator[str]:
    assert model == vllm_server.NAME
    with sglang_server.serving("--tool-call-parser", "qwen25") as url:
        yield url


SERVERS = (
    TriedServer("llama.cpp", "qwen-0.5b", llama, "llama.cpp"),
    TriedServer("vLLM 0.32, hermes", "qwen-0.5b", _vllm, "vllm"),
    TriedServer("llama.cpp", "smollm2", llama, "llama.cpp"),
    TriedServer("llama.cpp", "gemma3", llama, "llama.cpp"),
    TriedServer("llama.cpp", "qwen-1.5b", llama, "llama.cpp"),
    TriedServer("SGLang 0.5, qwen25", "qwen-0.5b", _sglang, "sglang"),
)


@contextmanager
def reach_server(url: str, engine: str, way: TriedWay) -> Iterator[tuple[str, str]]:
    """Yield the address to ask in a way, and the model's name: the server or `lton serve`."""
    model = json.loads(ChatClient(url=url, model="", tools=()).fetch_json("/v1/models"))["data"][0][
        "id"
    ]
    serving = gateway(url, engine=engine, calls=way.calls) if way.calls else nullcontext(url)
    with serving as address:
        yield address, model


def ask(url: str, engine: str, way: TriedWay) -> dict[str, Any]:
    """Ask a server the questions in one way; return the figures and the answers."""
    tools = [_tool(definition["function"], way) for definition in TOOLS]
    asked_way = AskedWay(way.name, ToolSet.from_tools(TOOLS))
    with reach_server(url, engine, way) as (address, model):
        client = ChatClient(url=address, model=model, tools=tools, timeout_s=600.0)
        for rank, question in enumerate(QUESTIONS):
            if question.call or way.choice == "auto":
                asked_way.add_reply(
                    question, client.ask_question(question.text, stream=rank % 2 == 1, **way.more)
                )
                print(f"{model}, {way.name}: {rank + 1} of {len(QUESTIONS)}", flush=True)
    return asked_way.to_figures() | {"answers": list(asked_way.iterate_answers())}


def _tool(function: Mapping[str, Any], way: TriedWay) -> dict[str, Any]:
    strict_function = dict(function)
    if way.closed:
        strict_function["parameters"] = {
            **strict_function["parameters"],
            "additionalProperties": False,
        }
    if way.strict:
        strict_function["strict"] = True
    return {"type": "function", "function": strict_function}


def check(ways: Mapping[str, Any]) -> dict[str, int]:
    """Compare the calls of `lton serve` with what the model wrote to the server itself.

    Both are asked at temperature 0, and the gateway sends the questions unchanged, so the text is
    the same. A call is invented if the text lacks its name or one of its values, and doubled if
    there are more of its tool than the text names.
    """
    invented = doubled = 0
    alone, through = (ways[name]["answers"] for name in ("the server", "`lton serve`"))
    for wrote, answer in zip(alone, through, strict=True):
        text = wrote["text"] + json.dumps(wrote["calls"], ensure_ascii=False)
        names = [call["name"] for call in answer["calls"]]
        doubled += sum(names.count(name) > text.count(name) for name in dict.fromkeys(names))
        for call in answer["calls"]:
            values = [call["name"], *_leaves(call["arguments"])]
            invented += not all(value in text for value in values)
    return {"invented": invented, "doubled": doubled}


def _leaves(value: Any) -> Iterator[str]:
    """Yield the strings and numbers of a value as JSON spells them, without quotes."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        for member in value:
            yield from _leaves(member)
    else:
        yield json.dumps(value, ensure_ascii=False).strip('"')


_ABOUT = """\
`make study-servers` writes this. In each way, the model is asked the 24 questions of `lton
probe` about eight tools, at temperature 0, and every second answer is streamed. 16 questions
expect a call, and 8 expect no call. *Written* is the number of answers in which the model wrote
a call, and *delivered* is the number of these answers that reached the client as calls. *Right
tool* and *right* are shares of the 16 questions, with 95 % intervals (Wilson). *None* is the
number of answers without a call to the 8 questions that expect none; these questions are not
asked if a call is required. Tokens are means per question, as the server reports them. Seconds
are for all questions together. The answers of llama.cpp were generated on one H100 by llama.cpp
built for CUDA; on a CPU, the same command takes hours. The other servers ran on two cores. Other
programs used both machines, so seconds only show which way is slower. SGLang was tested with
every second question."""


def markdown(results: Mapping[str, Mapping[str, Any]]) -> str:
    """Return a table for each server and model."""
    lines = ["# Which of a model's calls servers deliver", "", _ABOUT, ""]
    for name, ways in results.items():
        lines += [f"## {name}", ""]
        lines += write_head(
            "",
            "written",
            "delivered",
            "right tool",
            "right",
            "none",
            "prompt",
            "sampled",
            "seconds",
        )
        lines += [write_row(way, *_cells(figures)) for way, figures in ways.items()]
        lines.append("")
        # A model that is guided by `auto` writes other answers than to the server itself.
        if "`lton serve`" in ways and ways["the server"]["written"]:
            figures = check(ways)
            lines += [
                f"`lton serve`: {figures['invented']} calls invented, {figures['doubled']} doubled."
            ]
            lines.append("")
    return "\n".join(lines)


def _cells(figures: Mapping[str, Any]) -> Iterator[str]:
    needing, unwanted = figures["wanted"], figures["unwanted"]
    yield str(figures["written"])
    yield str(figures["delivered"])
    for key in ("right_tool", "right"):
        share = accuracy([rank < figures[key] for rank in range(needing)])
        yield write_interval(asdict(share))
    yield f"{unwanted - figures['made_where_none_fits']} of {unwanted}" if unwanted else ""
    count = needing + unwanted
    yield f"{figures['prompt_tokens'] / count:.0f}"
    yield f"{figures['sampled_tokens'] / count:.0f}"
    yield f"{figures['seconds']:.0f}"


def main() -> int:
    """Ask each remaining server, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m lton_bench.study.servers.questions")
    parser.add_argument("--only", action="append", metavar="NAME", help="a part of the names")
    parser.add_argument("--way", action="append", choices=[word.name for word in WAYS])
    parser.add_argument("--threads", type=int, default=1, help="of llama.cpp")
    parser.add_argument("--out", type=Path, default=Path("build/study"))
    options = parser.parse_args()
    file: Path = options.out / "servers.json"
    results = json.loads(file.read_text("utf-8")) if file.exists() else {}
    for server in SERVERS:
        name = f"{server.name}: {server.model}"
        figures = results.get(name, {})
        missing = [
            way
            for way in WAYS
            if way.name not in figures
            and way.name in (options.way or [way.name])
            and server.engine in (way.engines or [server.engine])
        ]
        if not missing or not any(word in name for word in options.only or [""]):
            continue
        with server.start(server.model, options.threads) as url:
            for way in missing:
                figures[way.name] = ask(url, server.engine, way)
                results[name] = figures
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", "utf-8")
                (options.out / "servers.md").write_text(markdown(results), "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
