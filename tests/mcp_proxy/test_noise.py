"""Test how lines of a server that are not messages are reported."""

from typing import Any

from lton.mcp_proxy.noise import NoiseReport


def test_the_first_lines_are_shown_and_the_rest_is_counted_once() -> None:
    """Blank lines are not reported, long lines are cut, and more than five are one sentence."""
    report = NoiseReport()
    batches: list[list[Any]] = [
        ["starting"],
        [""],
        ["  \r"],
        [{"id": 1}],
        ["x" * 1000],
        *[["more"]] * 20,
    ]
    messages = [line for one in batches for line in report.iterate_reports(one)]
    assert messages[0] == "the MCP server writes 'starting': this is not a message of MCP"
    assert messages[1] == """the MCP server writes '{"id":1}': this is not a message of MCP"""
    assert len(messages[2]) < 300
    assert messages[5:] == ["more such lines of the MCP server are not shown"]
