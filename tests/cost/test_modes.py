"""Test the counts of the modes of `lton mcp-proxy`."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from lton._json import minified
from lton.cli import main
from lton.cost.modes import ANSWERS, SHARES, count_modes, describe_modes
from lton.mcp_proxy.catalogue import Catalogue, ProxySettings
from lton.results import FORMS
from lton.tokens import counter
from tests.integrations.test_mcp import over_http
from tests.tokens.faulty import serving

ROOT = Path(__file__).parents[2]
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
WEATHER: dict[str, Any] = {
    "name": "weather",
    "description": "Get the weather.",
    "inputSchema": SCHEMA,
    "outputSchema": {"type": "object"},
}
BYTES = counter("bytes")


def test_each_mode_is_counted_as_the_proxy_shows_it() -> None:
    """Only names, descriptions and parameters count, because clients show no more to models."""
    definition = {"name": "weather", "description": "Get the weather.", "parameters": SCHEMA}
    counts = count_modes([WEATHER], BYTES)
    assert counts["pass"] == BYTES.count(minified([definition])).tokens
    for mode in ("line", "tools", "search"):
        listing = Catalogue.of([WEATHER], ProxySettings(mode=mode)).listing
        least = sum(BYTES.count(tool["description"]).tokens for tool in listing)
        assert (counts[mode] or 0) > least
    assert "--mode tools" in describe_modes(counts, "bytes")


def test_a_mode_that_cannot_show_the_tools_has_no_figure() -> None:
    """A tool with the name of the proxy's own tool is possible only in the mode `tools`."""
    only_a_task = {"taskSupport": "required"}
    counts = count_modes([{**WEATHER, "name": "call", "execution": only_a_task}, WEATHER], BYTES)
    assert (counts["line"], counts["search"]) == (None, None)
    assert counts["tools"]
    assert "--mode line (the default) not possible" in re.sub(
        " +", " ", describe_modes(counts, "bytes")
    )


def test_the_shares_are_those_of_the_results() -> None:
    """The shares are the last row of the table that the benchmark writes."""
    table = (ROOT / "benchmarks/results/formats-shares.md").read_text("utf-8")
    head, _, *rows = table.splitlines()
    names = re.findall("`([a-z]+)`", head)
    assert [FORMS[share.option.split()[1]] for share in SHARES] == names
    *_, answers, _tokens, _any, _small, _large, _end = (
        cell.strip() for cell in rows[-1].split("|")
    )
    shares = [(f"{share.tokens:.2f}", f"{share.shorter:.0%}") for share in SHARES]
    percentages = [re.findall(r"([\d.]+) \((\d+%)", cell)[0] for cell in (_any, _small, _large)]
    assert (answers, percentages) == (str(ANSWERS), shares)


def test_both_tables_count_what_clients_show_to_models(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The schema of the output and annotations count neither in JSON nor in LTON."""
    more = {"annotations": {"readOnlyHint": True}, "title": "The weather", "_meta": {"a": 1}}
    log = tmp_path / "tools.json"
    totals = []
    for extra in ({}, more):
        log.write_text(json.dumps({"tools": [{**WEATHER, **extra}]}))
        assert main(["cost", "--json", str(log)]) == 0
        totals.append(json.loads(capsys.readouterr().out)["total"]["definitions"])
    assert totals[0] == totals[1]
    shown = {key: WEATHER[key] for key in ("name", "description", "inputSchema")}
    assert totals[0]["json"] == counter("o200k").count(minified(shown)).tokens


def test_cost_counts_a_server_with_an_address(capsys: pytest.CaptureFixture[str]) -> None:
    """`--mcp URL` asks a running server, and reports each mode, as text and as JSON."""
    with serving(over_http) as server:
        command = ["cost", "--tokenizer", "bytes", "--mcp", f"{server.url}/mcp"]
        assert main(command) == 0
        output = capsys.readouterr().out
        assert main([*command, "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)["mcp_proxy"]
    assert re.search(rf"--mode line \(the default\) +{figures['line']:,} ", output)
    assert re.search(
        r"^of 670 recorded results .*\n.*--results short .* 7 % ", output, re.MULTILINE
    )
    assert output.index("--mode line") < output.index("With lton serve --calls lton")
    assert main(["cost", "--mcp", "all", "log.jsonl"]) == 2
    assert "without logs" in capsys.readouterr().err


def test_prices_of_a_million_tokens_are_for_logs(capsys: pytest.CaptureFixture[str]) -> None:
    """The report of sessions has no costs, so it does not ignore the option."""
    assert main(["cost", "--price", "3,15"]) == 2
    assert "--price is for logs: lton cost --price NUMBERS FILE" in capsys.readouterr().err
