"""Print the parts of the demo, and check each claim."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lton.codec import decode, encode
from lton.engines import llamacpp, outlines, server
from lton.engines.generation import Generation
from lton.errors import LTONError
from lton.generate import Shot
from lton.generate import ask as ask_guided
from lton.grammar import to_gbnf, to_lark
from lton.mcp_proxy.catalogue import Catalogue, ProxySettings
from lton.probe.asking import ChatClient, GivenAnswer
from lton.schema import Call, ToolSet
from lton_bench.demo import CALLS, QUESTIONS, SHOTS, chat, json_array, load_model, start_server
from lton_bench.demo.delivery import (
    ASKED,
    DEFINITIONS,
    BusyError,
    PacedClient,
    count_delivered,
    free_cores,
    one_line,
    open_gateway,
)
from lton_bench.direct import direct
from lton_bench.internals import FORMS, minified, require, say
from lton_bench.qwen import QWEN, fetch

_NEXT = """\
lton probe http://127.0.0.1:8080          how many calls your own server loses (24 questions)
lton serve --upstream http://127.0.0.1:8080
                                          deliver these calls to your agent
lton cost --mcp 'COMMAND'                 the tokens of your MCP server's tools
"""
_SERVER = Path(__file__).parent.parent / "mcp" / "github.json"
"""The recorded tools of an MCP server, which are counted."""


class Screen:
    """The screen, the tools, and the claims made so far."""

    def __init__(self, definitions: list[dict[str, Any]]) -> None:
        self.console = require("rich.console", "rich>=15").Console(highlight=False)
        self.text = require("rich.text", "rich>=15").Text
        self.table = require("rich.table", "rich>=15").Table
        self.definitions = definitions
        self.tools = ToolSet.from_tools(definitions)
        self.encoding = require("bpe_openai", "apps").get_encoding("o200k_base")
        self.held = self.failed = 0
        self.sampled: Callable[[str], int] = self.tokens

    def tokens(self, text: str) -> int:
        """Count tokens of o200k."""
        return len(self.encoding.encode(text))

    def check(self, holds: bool) -> Any:
        """Count a claim, and return the mark of its result."""
        self.held += holds
        self.failed += not holds
        return self.text("✓", style="green") if holds else self.text("✗", style="bold red")

    def say(self, heading: str, explanation: str) -> None:
        self.console.print()
        self.console.rule(f"[bold]{heading}", align="left")
        self.console.print(explanation, style="dim")
        self.console.print()

    # --- what `make demo` shows ---------------------------------------------------------------

    def show_calls(self) -> None:
        """Show which calls of a model reach the client, with and without LTON."""
        try:
            file = fetch(QWEN["qwen-0.5b"])
        except (LTONError, OSError) as error:
            say(f"not shown: which calls reach the client; {error}")
            return
        self.say(
            "1  A model's calls, and the calls that arrive",
            "Qwen2.5-Coder 0.5B in a llama.cpp server, with four tools. This model writes a call as"
            " JSON text, and llama.cpp does not recognize the call.",
        )
        running = start_server(model=file, threads=free_cores())
        try:
            self._show_delivery(running.listening_address)
        except BusyError as error:
            self.console.print(
                f"\nThe model did not finish: {error}. This machine is too busy or too slow for"
                " this part. Run make demo again when it has less to do.",
                markup=False,
            )

    def _show_delivery(self, url: str) -> None:
        model = PacedClient(ChatClient(url=url, model="qwen", tools=DEFINITIONS))
        seconds = model.measure_first_token(ASKED[0].text)
        self.console.print(f"The model has read the tools in {seconds:.0f} s.\n", style="dim")
        self.console.print("[bold]The server alone[/bold]")
        alone = self._show_answers(model)
        self.console.print("[bold]Through lton serve, the same questions[/bold]")
        with open_gateway(url) as address:
            model.client = replace(model.client, url=address)
            through = self._show_answers(model)
        before, after = count_delivered(alone), count_delivered(through)
        self.check(before < after)
        needed_calls = sum(question.call is not None for question in ASKED)
        self.console.print(
            f"The server alone delivers [bold]{before} of {needed_calls}[/bold] calls."
            f" Through LTON, [bold]{after} of {needed_calls}[/bold] arrive."
        )
        self.console.print(
            "Servers whose parser knows the model's syntax lose few calls, and then you do not"
            " need this. Unwanted calls arrive, too: this model calls a tool for 20 of 40 questions"
            " that no tool fits (docs/results/servers.md).",
            style="dim",
        )

    def _show_answers(self, model: PacedClient) -> list[GivenAnswer]:
        answers = []
        for question in ASKED:
            answer = model.ask(question.text)
            answers.append(answer)
            self._show_text(f"? {question.text}", style="dim")
            if answer.calls:
                kind = "[green]a call[/green]"
            elif question.call:
                kind = "[red]text[/red]  "
            else:
                kind = "words "
            self.console.print(f"  {kind}  ", end="")
            self.console.print(self.text(one_line(answer)), soft_wrap=True)
        self.console.print()
        return answers

    def show_tools(self) -> None:
        """Show the tokens of an MCP server's tools, in JSON and in LTON."""
        tools = json.loads(_SERVER.read_text("utf-8"))["tools"]
        in_json = _to_request(tools)
        in_lton = _to_request(Catalogue.of(tools, ProxySettings()).listing)
        counts = self.tokens(in_json), self.tokens(in_lton)
        self.say(
            f"2  {len(tools)} tools of an MCP server, as a model reads them",
            f"The tools of the {_SERVER.stem} server, as a client sends them with each request."
            " Tokens are those of o200k.",
        )
        signature = ToolSet.from_tools(tools[:1]).prompt()
        self.console.print(f"JSON  [bold]{counts[0]:,}[/bold] tokens, beginning with")
        self._show_text(f"{minified(tools[0])[:150]}…")
        self.console.print(f"LTON  [bold]{counts[1]:,}[/bold] tokens, with all descriptions")
        self._show_text(signature, style="cyan")
        self.check(counts[1] < counts[0])

    # --- ARGS=tables --------------------------------------------------------------------------

    def show_tables(self) -> None:
        """Show the tools, and their calls in each form."""
        self._show_tools()
        self._show_calls()

    def _show_tools(self) -> None:
        self.say(
            f"{len(self.tools)} tools, as a model is shown them",
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

    def _show_calls(self) -> None:
        self.say(
            "The same call in every form",
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

    # --- ARGS=model and ARGS=engines ------------------------------------------------------------

    def show_model(self) -> None:
        """Show calls that a model in a server writes."""
        self.say(
            "A model writes the calls",
            "SmolLM2-135M-Instruct in a llama.cpp server, one thread, greedy, four examples in the"
            " chat; tokens are the model's own.",
        )
        started = time.perf_counter()
        running = start_server()
        engine = server.load(running.listening_address)
        self.console.print(f"server started in {time.perf_counter() - started:.1f} s\n")
        self.sampled = lambda text: len(engine.tokenize(text)) + 1
        shots = [Shot(question, [call]) for question, call in SHOTS]
        self._show_ways(
            {
                "guided: the model samples values and choices, the rest is written for it": (
                    lambda question: ask_guided(engine, question, self.tools, shots=shots)
                ),
                "direct: the model writes all, under a grammar that comes from the tools": (
                    lambda question: direct(engine, question, self.tools, shots=shots)
                ),
            }
        )
        engine.close()

    def show_engines(self) -> None:
        """Show calls that a model writes in this process, with two engines."""
        gbnf, lark = to_gbnf(self.tools), to_lark(self.tools)
        self.say(
            "SmolLM2 in this process",
            "By llama-cpp-python, and by Outlines. The grammar comes from the tools:"
            f" {len(gbnf):,} characters of GBNF, {len(lark):,} of Lark.",
        )
        started = time.perf_counter()
        llm = load_model()
        self.console.print(f"model loaded in {time.perf_counter() - started:.1f} s\n")
        model = require("outlines", "local").from_llamacpp(llm)
        self.sampled = lambda text: len(llm.tokenize(text.encode(), False)) + 1
        self._show_ways(
            {
                "llama.cpp and GBNF": (
                    lambda question: llamacpp.complete(llm, chat(self.tools, question), self.tools)
                ),
                "Outlines and Lark": (
                    lambda question: outlines.complete(
                        model, chat(self.tools, question), self.tools
                    )
                ),
            }
        )

    def _show_ways(self, ways: dict[str, Callable[[str], Generation]]) -> None:
        right = 0
        for way, answer in ways.items():
            self.console.print(f"[bold]{way}[/bold]")
            for question, expected in QUESTIONS:
                right += self._show_answer(answer, question, expected)
        total = len(ways) * len(QUESTIONS)
        self.console.print(f"{right} of {total} calls are what the question asked for.")

    def _show_answer(
        self, answer: Callable[[str], Generation], question: str, expected: Call
    ) -> bool:
        self._show_text(f"? {question}", style="dim")
        started = time.perf_counter()
        generation = answer(question)
        seconds = time.perf_counter() - started
        is_valid = decode(encode(generation.calls, self.tools), self.tools) == generation.calls
        mark = self.check(bool(generation.calls) and is_valid)
        is_right: bool = generation.calls == [expected]
        self._show_text(generation.text, style="cyan")
        as_json = "\n".join(
            minified({"name": call.name, "arguments": call.arguments}) for call in generation.calls
        )
        self.console.print("  decoded", mark, end="")
        self._show_text(as_json)
        self.console.print(
            f"  {generation.spent.sampled} tokens sampled in {seconds:.1f} s;"
            f" minified JSON would take {self.sampled(as_json)};"
            f" {'as asked' if is_right else 'a valid call, but not what was asked'}\n"
        )
        return is_right

    def _show_text(self, text: str, style: str = "") -> None:
        for line in text.split("\n"):
            self.console.print(self.text(f"  {line}", style=style), soft_wrap=True)

    # --- the end ------------------------------------------------------------------------------

    def show_next(self) -> None:
        """Show the next steps with your own tools and chats."""
        self.say(
            "What next",
            "With your own server and tools. make demo ARGS=tables shows all forms of calls.",
        )
        self.console.print(_NEXT, markup=False, soft_wrap=True, end="")

    def finish(self) -> int:
        """Print the number of true claims, and return the number of failures."""
        if not self.held + self.failed:
            return 0
        self.console.rule()
        style = "bold red" if self.failed else "bold green"
        claims = self.held + self.failed
        self.console.print(f"{self.held} of {claims} checks held.", style=style)
        return self.failed


def _to_request(tools: Sequence[Mapping[str, Any]]) -> str:
    """Return the tools of an MCP server as a client sends them to a model, in minified JSON."""
    return minified(
        [
            {
                "name": tool["name"],
                "description": tool["description"],
                "parameters": tool["inputSchema"],
            }
            for tool in tools
        ]
    )
