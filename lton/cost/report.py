"""Report a bill as text or as JSON."""

from collections.abc import Iterator
from dataclasses import asdict
from math import ceil
from typing import Any

from lton._terminal import table
from lton.cost.bill import ANSWERS, PRIMER, PROMPT, TOOLED, Bill, Billed, Costs
from lton.cost.logs import LISTING, PIECES
from lton.tokens.billing import Prices
from lton.tokens.usage import ReportedUsage

_TOOLS = 20  # more do not fit on a screen; `bill_to_data` lists all


def write_report(bill: Bill, tokenizer: str, *, prices: tuple[float, float] | None = None) -> str:
    """Report a bill as text, with the parts of requests, their costs, and the costliest tools.

    `prices` are for a million read tokens and a million written tokens.

    >>> from lton.cost.logs import records
    >>> from lton.tokens import counter
    >>> bill = Bill(counter("o200k"))
    >>> for record in records({"name": "wait", "arguments": {"minutes": 5}}):
    ...     bill.add_record(record)
    >>> print(write_report(bill, "o200k"), end="")
    o200k  number  JSON  shown    share  LTON  ratio  billed  LTON  ratio
    calls       1    11     11  100.0 %     6   0.55      14     8   0.55
    total       1    11     11  100.0 %     6   0.55      14     8   0.55
    counted: 1 messages or calls alone
    billed tokens are estimated, at anthropic prices (written to a cache 1.25, read 0.1)
    calls without a definition: 1
    <BLANKLINE>
          calls  LTON
    wait     11     6
    """
    text = _totals_table(bill, tokenizer) + "".join(
        f"{line}\n" for line in _iterate_bill_sentences(bill, prices)
    )
    categories = [kind for kind in TOOLED if any(category == kind for category, _ in bill.costs)]
    names = bill.tools
    if not names:
        return text
    head = ["", *(column for category in categories for column in (category, "LTON"))]

    def cells(name: str) -> Iterator[str]:
        for cost in (bill.total(category, name) for category in categories):
            yield from (_format_count(cost.shown, bill), _format_count(cost.lton, bill))

    rows = [[name, *cells(name)] for name in names[:_TOOLS]]
    more = len(names) - len(rows)
    return f"{text}\n{table(head, rows)}" + (f"and {more:,} more\n" if more > 0 else "")


def _totals_table(bill: Bill, tokenizer: str) -> str:
    total = bill.total()
    head = ["number", "JSON", "shown", "share", "LTON", "ratio", "billed", "LTON", "ratio"]
    totals = {category: bill.total(category) for category in PROMPT}
    rows = [
        _cost_row(category, cost, bill.billed[category], total, bill)
        for category, cost in totals.items()
        if cost.number
    ]
    if total.number:
        rows.append(_cost_row("total", total, sum(bill.billed.values(), Billed()), total, bill))
    answers = bill.total(ANSWERS)
    if answers.number:
        rows.append([*_cost_row(ANSWERS, answers, Billed(), Costs(), bill)[:-3], "", "", ""])
    return table([tokenizer, *head], rows)


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
    yield "counted: " + ", ".join(f"{number:,} {form}" for form, number in bill.forms.items())
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
        worth = f"from {tools:,} such tools on" if tools else "for no number of such tools"
        yield f"compared with {words}, explaining LTON pays off {worth}"
    for words, calls in find_break_even_calls(bill).items():
        worth = "for no number of such calls" if calls is None else f"from {calls:,} such calls on"
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
        f"reported by the provider, {bill.reports:,} requests: {prompt.total:,} tokens"
        f" ({prompt.write:,} written to its cache, {prompt.read:,} read from it),"
        f" billed {bill.billed_as_reported:,.0f}; and {usage.output:,} tokens of answers"
    )
    if (missing := prompt.total - costs.shown) > _NOTABLE * prompt.total:
        yield f"about {missing:,} of these are not in the log, or were counted differently here"


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
        "total": {category: bill.total(category)._asdict() for category in (*PROMPT, ANSWERS)}
        | {"all": bill.total()._asdict()},
        "typescript": bill.typescript._asdict(),
        "break_even": find_break_even_requests(bill),
        "break_even_calls": find_break_even_calls(bill),
        "billed_estimated": {category: asdict(bill.billed[category]) for category in PROMPT}
        | {"all": asdict(sum(bill.billed.values(), Billed()))},
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
