"""Test the figures of the results that the proxy shortens."""

from lton._json import minified
from lton.results import short_result
from lton.tokens import counter
from lton_bench.mcp.proxy import results_by_tool
from lton_bench.tokens.datasets import answers_nested, answers_rows


def test_a_result_never_has_more_tokens() -> None:
    """No result of made-up answers, rows or nested records gets more tokens, and the totals show
    the savings by tool.
    """
    tokens = counter("o200k")
    texts = [
        minified(unit.value) for part in (answers_rows, answers_nested) for unit in part.load()
    ]
    shorter = [short_result(text) for text in texts]
    pairs = zip(tokens.count_all(texts), tokens.count_all(shorter), strict=True)
    assert all(short.tokens <= whole.tokens for whole, short in pairs)
    rows = results_by_tool()
    assert {name for name, (whole, short, *_) in rows.items() if short < whole * 0.75} == {
        "list_employees",
        "read_log",
        "forecast",
    }
    shares = [short / indented for _, short, indented, _ in rows.values()]
    assert (round(min(shares), 2), round(max(shares), 2)) == (0.36, 0.67)
