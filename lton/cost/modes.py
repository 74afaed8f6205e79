"""Count the definitions of an MCP server as `lton mcp-proxy` shows them in each mode."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lton._json import minified
from lton._terminal import table
from lton.errors import ServerError
from lton.mcp_proxy.catalogue import Catalogue, Mode, ProxySettings
from lton.tokens import TokenCounter

SHOWN_MODES: tuple[Mode, ...] = ("line", "tools", "search")
"""The modes that shorten definitions."""
_KEYS = {"name": "name", "description": "description", "inputSchema": "parameters"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortenedShare:
    """The share of recorded answers of APIs that get shorter, and the tokens of all answers."""

    option: str
    shorter: float
    tokens: float
    """The tokens of all answers, with minified JSON as 1.00."""


ANSWERS = 670
SHARES = (
    ShortenedShare(option="--results short (the default)", shorter=0.07, tokens=1.00),
    ShortenedShare(option="--results small", shorter=0.08, tokens=1.00),
    ShortenedShare(option="--results lton", shorter=0.97, tokens=0.79),
)
"""The row "all" of benchmarks/results/formats-shares.md, written by
`python -m lton_bench.tokens.api_shares` from answers of GitHub and Reddit."""


def count_modes(tools: Sequence[Mapping[str, Any]], counter: TokenCounter) -> dict[str, int | None]:
    """Count the tokens of the definitions without the proxy ("pass") and in each mode.

    A mode that cannot show the tools, because one has the name of a tool of the proxy, is None.
    """
    definitions = [dict(tool) for tool in tools]
    counts: dict[str, int | None] = {"pass": _count_tokens(definitions, counter)}
    for mode in SHOWN_MODES:
        try:
            listing = Catalogue.of(definitions, ProxySettings(mode=mode)).listing
        except ServerError:
            counts[mode] = None
        else:
            counts[mode] = _count_tokens(listing, counter)
    return counts


def describe_modes(counts: Mapping[str, int | None]) -> str:
    """Return a table of the modes' tokens, and a sentence about the results of tools."""
    before = counts["pass"] or 0
    rows = [["as it is", f"{before:,}", ""]]
    for mode in SHOWN_MODES:
        tokens = counts[mode]
        ratio = f"{tokens / before:.2f}" if tokens is not None and before else ""
        rows.append([f"--mode {mode}", format_tokens(tokens), ratio])
    definitions = table(["definitions through lton mcp-proxy", "tokens", "ratio"], rows)
    results = table(["results through lton mcp-proxy", "shorter", "tokens"], [*_iterate_rows()])
    return f"\n{definitions}\n{results}"


def format_tokens(tokens: int | None) -> str:
    """Return a number of tokens for a table; None is a mode that cannot show the tools."""
    return "not possible" if tokens is None else f"{tokens:,}"


def _iterate_rows() -> Iterator[list[str]]:
    for share in SHARES:
        yield [share.option, f"{share.shorter:.0%} of {ANSWERS}", f"{share.tokens:.2f}"]


def _count_tokens(tools: Sequence[Mapping[str, Any]], counter: TokenCounter) -> int:
    """Count definitions in the form in which clients show them to models."""
    named = [{_KEYS[key]: tool[key] for key in _KEYS if key in tool} for tool in tools]
    return counter.count(minified(named)).tokens
