"""Report a bill as text or as JSON."""

from collections.abc import Iterator
from dataclasses import asdict
from math import ceil
from typing import Any

from lton._terminal import count_noun, tables, wrap_lines
from lton.cost.bill import ANSWERS, PRIMER, PROMPT, TOOLED, Bill, Billed, Costs
from lton.cost.logs import LISTING, PIECES
from lton.tokens.billing import Prices
from lton.tokens.usage import ReportedUsage

_ALL_PARTS = (*PROMPT, ANSWERS)
_NAME = 34
_TOOLS = 20  # more do not fit on a screen; `bill_to_data` lists all


def describe_bill(bill: Bill, tokenizer: str, *, prices: tuple[float, float] | None = None) -> str:
    """Report a bill as text, with the parts of requests, their costs, and the costliest tools.

    `prices` are for a million read tokens and a million written tokens.

    >>> from lton.cost.logs import records
    >>> from lton.tokens import counter
    >>> bill = Bill(counter("o200k"))
    >>> for record in records({"name": "wait", "arguments": {"minutes": 5}}):
    ...     bill.add_record(record)
    >>> print(describe_bill(bill, "o200k"), end="")
    o200k  number  as it is    share  LTON  ratio  billed  LTON  ratio
    calls       1        11  100.0 %     6   0.55      14     8   0.55
    total       1        11  100.0 %     6   0.55      14     8   0.55
    counted: 1 message or call alone
    billed tokens are estimated, at anthropic prices (written to a cache 1.25, read
    0.1)
    calls without a definition: 1
    <BLANKLINE>
          calls  LTON
    wait     11     6
    """
    notes = wrap_lines("\n".join(_iterate_bill_sentences(bill, prices)))
    text = f"{_totals_table(bill, tokenizer)}{notes}"
    categories = [kind for kind in TOOLED if any(category == kind for category, _ in bill.costs)]
    names = bill.tools
    if not names:
        return text
    head = ["", *(column for category in categories for column in (category, "LTON"))]

    def iterate_cells(name: str) -> Iterator[str]:
        for cost in (bill.total(category, name) for category in categories):
            yield from (_format_count(cost.shown, bill), _format_count(cost.lton, bill))

    rows = [[shorten_name(name), *iterate_cells(name)] for name in names[:_TOOLS]]
    more = len(names) - len(rows)
    by_tool = tables(head, rows, [2] * len(categories))
    return f"{text}\n{by_tool}" + (f"and {more:,} more\n" if more > 0 else "")


def shorten_name(name: str) -> str:
    """Shorten a long name in the middle, for a table.

    >>> shorten_name("mcp__a-server-with-a-long-name__search_issues")
    'mcp__a-server-with\u2026__search_issues'
    """
    if len(name) <= _NAME:
        return name
    return f"{name[: _NAME // 2 + 1]}\u2026{name[len(name) - _NAME // 2 + 2 :]}"


def _totals_table(bill: Bill, tokenizer: str) -> str:
    total = bill.total()
    head = ["number", "JSON", "shown", "share", "LTON", "ratio", "billed", "LTON", "ratio"]
    groups = [6, 3]
    totals = {category: bill.total(category) for category in PROMPT}
    rows = [
        _cost_row(category, cost, bill.billed[category], total, bill)
        for category, cost in totals.items()
        if cost.number
    ]
    if total.number:
        rows.append(_cost_row("total", total, bill.billed_total, total, bill))
    answers = bill.total(ANSWERS)
    if answers.number:
        rows.append([*_cost_row(ANSWERS, answers, Billed(), Costs(), bill)[:-3], "", "", ""])
    if all(bill.total(category).json == bill.total(category).shown for category in _ALL_PARTS):
        head[1:3] = ["as it is"]
        rows = [[*row[:2], *row[3:]] for row in rows]
        groups = [5, 3]
    return tables([tokenizer, *head], rows, groups)


def _cost_row(name: str, cost: Costs, billed: Billed, total: Costs, bill: Bill) -> list[str]:
    share = f"{100 * cost.shown / total.shown:.1f} %" if total.shown else ""
    ratio = billed.lton / billed.shown if billed.shown else None
    return [
        name,
        f"{cost.number:,}",
        _format_count(cost.json, bill),
        _format_count(cost.shown, bill),
        share,
        _format_count(cost.lton, bill),
        _format_ratio(cost.ratio),
        f"{billed.shown:,.0f}",
        f"{billed.lton:,.0f}",
        _format_ratio(ratio),
    ]


def _iterate_bill_sentences(bill: Bill, prices: tuple[float, float] | None) -> Iterator[str]:
    yield "counted: " + ", ".join(_count_form(number, form) for form, number in bill.forms.items())
    if bill.prices:
        charges = " and ".join(map(describe_prices, bill.prices.items()))
        yield f"billed tokens are estimated, at {charges}"
    if bill.reported:
        yield from _iterate_usage_sentences(bill, bill.reported, bill.total())
    yield from _iterate_definition_sentences(bill, bill.total("definitions"))
    if bill.maps:
        yield f"calls without a definition: {bill.maps:,}"
    if bill.uncounted:
        kinds = ", ".join(f"{number:,} {kind}" for kind, number in bill.uncounted.items())
        yield f"not counted, because not text: {kinds}"
    if prices:
        was, now = (_price_of(bill, notation, prices) for notation in ("shown", "lton"))
        yield f"estimated cost: {was:,.4f} as it is, {now:,.4f} in LTON"
        if bill.reported:
            paid = bill.billed_as_reported * prices[0] + bill.reported.output * prices[1]
            yield f"reported cost: {paid / 1_000_000:,.4f}"


def _count_form(number: int, form: str) -> str:
    """Write a number with the name of a kind of records, whose nouns are plural."""
    nouns, of, what = form.partition(" of ")
    if number == 1:
        nouns = " ".join(noun.removesuffix("s") for noun in nouns.split())
    return f"{number:,} {nouns}{of}{what}"


def describe_prices(named: tuple[str, Prices]) -> str:
    """Describe what a provider charges for writing to its cache and reading from it."""
    name, prices = named
    return f"{name} prices (written to a cache {prices.write:g}, read {prices.read:g})"


def _iterate_definition_sentences(bill: Bill, defined: Costs) -> Iterator[str]:
    typed = bill.typescript
    if typed.shown != defined.shown and typed.ratio:
        words = "definitions as TypeScript, which OpenAI's models are shown"
        yield f"{words}: {_format_count(typed.shown, bill)} (LTON: {typed.ratio:.2f} of that)"
    if defined.bare < defined.lton:
        yield f"definitions without descriptions, in LTON: {_format_count(defined.bare, bill)}"
    for words, tools in find_break_even_requests(bill).items():
        worth = "for no number of such tools"
        if tools:
            worth = f"from {count_noun(tools, 'such tool')} on"
        yield f"compared with {words}, explaining LTON pays off {worth}"
    for words, calls in find_break_even_calls(bill).items():
        worth = "for no number of such calls"
        if calls is not None:
            worth = f"from {count_noun(calls, 'such call')} on"
        yield f"compared with {words}, LTON is shorter in total {worth}"


def find_break_even_requests(bill: Bill) -> dict[str, int | None]:
    """Return how many tools it takes for LTON to be shorter than JSON, and than TypeScript."""
    defined = bill.total("definitions")
    explained = bill.total("definitions", PRIMER).lton
    more = _extra_tokens(bill, defined)
    gains = {words: (explained - tokens) / defined.number for words, tokens in more.items()}
    return {words: ceil(explained / gain) if gain > 0 else None for words, gain in gains.items()}


def find_break_even_calls(bill: Bill) -> dict[str, int | None]:
    """Return how many calls it takes for LTON to be shorter than JSON, and than TypeScript."""
    calls = bill.total("calls")
    results = bill.total("results")
    saved = calls.json - calls.lton + results.json - results.lton
    return {
        words: max(0, ceil(more * calls.number / saved)) if saved > 0 else None
        for words, more in _extra_tokens(bill, bill.total("definitions")).items()
        if calls.number
    }


def _extra_tokens(bill: Bill, defined: Costs) -> dict[str, int]:
    """Return how many more tokens definitions take in LTON than in JSON and TypeScript."""
    if LISTING not in bill.forms or not bill.forms.keys() <= {LISTING, PIECES}:
        return {}
    others = {"JSON": defined.json, "TypeScript": bill.typescript.shown}
    return {words: defined.lton - tokens for words, tokens in others.items()}


def _iterate_usage_sentences(bill: Bill, usage: ReportedUsage, costs: Costs) -> Iterator[str]:
    prompt = usage.prompt
    yield (
        f"reported by the provider, {count_noun(bill.reports, 'request')}: {prompt.total:,} tokens"
        f" ({prompt.write:,} written to its cache, {prompt.read:,} read from it),"
        f" billed {bill.billed_as_reported:,.0f}; and {usage.output:,} tokens of answers"
    )
    if prompt.total - costs.shown > _NOTABLE * prompt.total:
        yield (
            f"the log contains about {costs.shown:,} of these tokens, and the table counts only"
            " them: the others, such as definitions and system prompts, are not in the log"
        )


_NOTABLE = 0.1  # a missing share to report; a smaller share may come from another tokenizer


def _format_count(tokens: int, bill: Bill) -> str:
    about = "~" if tokens and not bill.exact else ""
    return f"{about}{tokens:,}"


def _format_ratio(ratio: float | None) -> str:
    return "-" if ratio is None else f"{ratio:.2f}"


def _price_of(bill: Bill, notation: str, prices: tuple[float, float]) -> float:
    read = sum(getattr(billed, notation) for billed in bill.billed.values())
    output = getattr(bill.total(ANSWERS), notation)
    return float(read * prices[0] + output * prices[1]) / 1_000_000


def bill_to_data(bill: Bill, tokenizer: str) -> dict[str, Any]:
    """Return a bill as JSON."""
    return {
        "tokenizer": tokenizer,
        "exact": bill.exact,
        "counted": dict(bill.forms),
        "maps": bill.maps,
        "unread": bill.unread,
        "uncounted": dict(bill.uncounted),
        "total": {category: bill.total(category)._asdict() for category in _ALL_PARTS}
        | {"all": bill.total()._asdict()},
        "typescript": bill.typescript._asdict(),
        "break_even": find_break_even_requests(bill),
        "break_even_calls": find_break_even_calls(bill),
        "billed_estimated": {category: asdict(bill.billed[category]) for category in PROMPT}
        | {"all": asdict(bill.billed_total)},
        "prices": {name: asdict(prices) for name, prices in bill.prices.items()},
        "reported": bill.reported
        and {
            "requests": bill.reports,
            **asdict(bill.reported.prompt),
            "output": bill.reported.output,
            "billed": bill.billed_as_reported,
        },
        "tools": {
            name: {category: bill.total(category, name)._asdict() for category in TOOLED}
            for name in bill.tools
        },
    }
