"""Write a gateway's metrics as sentences."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from lton.gateway.bills import DefinitionUse
from lton.gateway.native.long_results import ResultFolder
from lton.wrap.agents import SWITCHES

if TYPE_CHECKING:
    from lton.gateway.metrics import Metrics

_NEEDED = re.compile(
    "(?i)read|edit|write|patch|bash|shell|exec|stdin|search|grep|glob|list|replace|todo|plan"
)
_OWN = {
    "again": "asked the model again",
    "round": "answered LTON's own tools",
    "probe": "probed the server",
}
"""The requests that the gateway sends in addition to the agent's, by the reason in the metrics."""
_WORTH_IT = 500  # tokens of definitions in each request that are worth a line


def report(
    metrics: "Metrics", agent: str, count: str, folder: ResultFolder | None = None
) -> Iterator[str]:
    """Yield the sentences of a report. `count` is the name of the tokenizer.

    The agent's requests and the sent requests are counted in the same way. So their difference is
    due to LTON, whatever the provider bills.
    """
    registry = metrics.registry
    requests = _sum(registry, "lton_requests_total")
    failed = requests - _sum(registry, "lton_requests_total", status="200")
    said = f"{_plural(requests, 'request')} of {agent}"
    sent = _sum(registry, "lton_tokens_total", notation="lton")
    plain = _sum(registry, "lton_tokens_total", notation="json")
    if plain:
        difference = f"{100 * (sent - plain) / plain:+.1f} %"
        counted = f"estimated by {count}" if count == "bytes" else count
        said += f": {sent:,} tokens, and {plain:,} without LTON ({difference}; {counted})"
    yield said
    if own := _sum(registry, "lton_own_requests_total"):
        whys = ", ".join(
            f"{number} {words}"
            for why, words in _OWN.items()
            if (number := _sum(registry, "lton_own_requests_total", why=why))
        )
        yield f"{_plural(own, 'more request')} of LTON itself: {whys}"
    if discarded := _sum(registry, "lton_failed_answers_total"):
        yield f"{_plural(discarded, 'answer')} discarded, but counted in the bill"
    if failed:
        yield f"{failed} of them had a status other than 200"
    if rescued := _sum(registry, "lton_rescued_calls_total"):
        yield f"{_plural(rescued, 'call')} rescued: the model wrote them as text"
    if left_out := _sum(registry, "lton_left_out_total"):
        yield f"{left_out} left out of answers: repeated or cut calls, or imitated results"
    read = sum(folder.read_again.values()) if folder else 0
    yield from _report_billed(registry, agent, f"estimated by {count}", read)
    if folder and folder.left_out:
        many = len(folder.left_out)
        left = sum(folder.left_out.values())
        yield (
            f"{_plural(many, 'long result')} cut: about {left:,} tokens left out,"
            f" {read:,} of them read again (calls: {len(folder.read_again)})"
        )
        if folder.is_off:
            yield "a conversation was sent all results whole: too many were read again"
    yield from report_uncalled(metrics.definitions, agent)


def report_uncalled(use: DefinitionUse, agent: str) -> Iterator[str]:
    """Report the costs of unused tools, and the agent's option that omits them.

    Tools for files and commands are not named, because an agent needs them sooner or later.
    """
    names = {name: each for name, each in use.count_uncalled().items() if not _NEEDED.search(name)}
    if (tokens := sum(names.values())) >= _WORTH_IT and agent in SWITCHES:
        billed = sum(use.billed[name] for name in names)
        cost = f"{tokens:,} tokens in each request, {billed:,.0f} billed"
        yield f"tools that were never called: {', '.join(names)} ({cost})"
        yield f"to omit them next time: {SWITCHES[agent](names)}"


def _report_billed(registry: Any, agent: str, estimated: str, read_again: int) -> Iterator[str]:
    """Yield the costs that the provider reports, and those estimated with and without LTON."""
    billed = "lton_billed_tokens_total"
    reported = "lton_reported_tokens_total"
    if total := _sum(registry, reported) - _sum(registry, reported, kind="output"):
        read = _sum(registry, reported, kind="read")
        yield (
            f"billed as the provider reported it: {_sum(registry, billed, by='reported'):,} tokens"
            f" ({total:,} of prompts, {read:,} of them read from its cache)"
        )
    sent, asked = (_sum(registry, billed, by=f"estimated_{each}") for each in ("sent", "asked"))
    if asked := max(0, asked - read_again):  # without LTON, no text would be read again
        difference = f"{100 * (sent - asked) / asked:+.1f} %"
        yield f"billed, {estimated}: {sent:,}, and {asked:,} as {agent} asked ({difference})"


def _plural(number: int, noun: str) -> str:
    """Write a number with its noun, in the plural unless the number is 1."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _sum(registry: Any, name: str, **labels: str) -> int:
    return int(
        sum(
            sample.value
            for metric in registry.collect()
            for sample in metric.samples
            if sample.name == name and labels.items() <= sample.labels.items()
        )
    )
