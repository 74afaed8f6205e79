"""Write a gateway's metrics as sentences."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from lton._json import minified
from lton._terminal import count_noun
from lton.gateway.bills import DefinitionUse
from lton.gateway.native.unused_tools import UnusedTools
from lton.tokens import counter
from lton.wrap.agents import SWITCHES

if TYPE_CHECKING:
    from lton.gateway.metrics import Metrics

_OWN = {
    "again": "asked the model again",
    "round": "answered LTON's own tools",
    "probe": "probed the server",
}
"""The requests that the gateway sends in addition to the agent's, by the reason in the metrics."""
_WORTH_IT = 500  # tokens of definitions in each request that are worth a line


def iterate_report_lines(
    metrics: "Metrics", agent: str, count: str, unused: UnusedTools | None = None
) -> Iterator[str]:
    """Yield the sentences of a report. `count` is the name of the tokenizer.

    The agent's requests and the sent requests are counted in the same way. So their difference is
    due to LTON, whatever the provider bills.
    """
    registry = metrics.registry
    yield _describe_requests(registry, agent, count)
    if own := _sum_metric(registry, "lton_own_requests_total"):
        yield f"{count_noun(own, 'more request')} of LTON itself: {_list_reasons(registry)}"
    if discarded := _sum_metric(registry, "lton_failed_answers_total"):
        yield f"{count_noun(discarded, 'answer')} discarded, but counted in the bill"
    requests = _sum_metric(registry, "lton_requests_total")
    failed = requests - _sum_metric(registry, "lton_requests_total", status="200")
    if failed:
        yield f"{failed} of them had a status other than 200"
    if rescued := _sum_metric(registry, "lton_rescued_calls_total"):
        yield f"{count_noun(rescued, 'call')} rescued: the model wrote them as text"
    if left_out := _sum_metric(registry, "lton_left_out_total"):
        yield f"{left_out} left out of answers: repeated or cut calls, or imitated results"
    yield from _iterate_billed_lines(registry, agent, f"estimated by {count}")
    if unused and unused.shortened:
        yield _describe_shortened(unused, count)
    yield from iterate_uncalled_lines(metrics.definitions, agent)


def _describe_requests(registry: Any, agent: str, count: str) -> str:
    requests = _sum_metric(registry, "lton_requests_total")
    sentence = f"{count_noun(requests, 'request')} of {agent}"
    tokens = _sum_metric(registry, "lton_tokens_total", notation="lton")
    plain = _sum_metric(registry, "lton_tokens_total", notation="json")
    if not plain:
        return sentence
    difference = f"{100 * (tokens - plain) / plain:+z.1f} %"
    method = f"estimated by {count}" if count == "bytes" else count
    return f"{sentence}: {tokens:,} tokens, and {plain:,} without LTON ({difference}; {method})"


def _list_reasons(registry: Any) -> str:
    """List why LTON sent requests of its own, with the number of each."""
    counts = {why: _sum_metric(registry, "lton_own_requests_total", why=why) for why in _OWN}
    return ", ".join(f"{count} {_OWN[why]}" for why, count in counts.items() if count)


def _describe_shortened(unused: UnusedTools, count: str) -> str:
    names = ", ".join(unused.shortened)
    whole = [tool.whole for tool in unused.shortened.values()]
    short = [minified(tool.short) for tool in unused.shortened.values()]
    before, after = (
        sum(counted.tokens for counted in counter(count).count_all(texts))
        for texts in (whole, short)
    )
    return f"shortened definitions: {names} ({before:,} tokens in each request, now {after:,})"


def iterate_uncalled_lines(use: DefinitionUse, agent: str) -> Iterator[str]:
    """Report the costs of the tools that this run did not call, and the agent's option for tools.

    Whether a tool is needed another time is for the user to decide, so the option names none. A run
    without any call says nothing about tools.
    """
    tools = use.count_uncalled()
    tokens = sum(tools.values())
    if use.called and tokens >= _WORTH_IT and agent in SWITCHES:
        names = ", ".join(sorted(tools, key=lambda name: -tools[name]))
        billed = sum(use.billed[name] for name in tools)
        cost = f"{tokens:,} tokens in each request, {billed:,.0f} billed"
        yield f"tools that this run did not call: {names} ({cost})"
        yield f"to turn off those that you never need: {SWITCHES[agent]}"


def _iterate_billed_lines(registry: Any, agent: str, estimated: str) -> Iterator[str]:
    """Yield the costs that the provider reports, and those estimated with and without LTON."""
    billed = "lton_billed_tokens_total"
    reported = "lton_reported_tokens_total"
    if total := _sum_metric(registry, reported) - _sum_metric(registry, reported, kind="output"):
        read = _sum_metric(registry, reported, kind="read")
        all_billed = _sum_metric(registry, billed, by="reported")
        yield (
            f"billed as the provider reported it: {all_billed:,} tokens"
            f" ({total:,} of prompts, {read:,} of them read from its cache)"
        )
    with_lton, without_lton = (
        _sum_metric(registry, billed, by=f"estimated_{name}") for name in ("sent", "asked")
    )
    if without_lton:
        difference = f"{100 * (with_lton - without_lton) / without_lton:+z.1f} %"
        plain = f"{without_lton:,} as {agent} asked"
        yield f"billed, {estimated}: {with_lton:,}, and {plain} ({difference})"


def _sum_metric(registry: Any, name: str, **labels: str) -> int:
    return int(
        sum(
            sample.value
            for metric in registry.collect()
            for sample in metric.samples
            if sample.name == name and labels.items() <= sample.labels.items()
        )
    )
