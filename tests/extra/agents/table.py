"""Write the table of agents and modes from the results of `make test-agents` (`--write`: into
docs).

Without a run, the table is built from the last results, benchmarks/results/agents.json.
"""

import json
import shutil
import sys
from typing import Any

from tests.extra.agents.agents import ROOT

RECORDS = ROOT / "build" / "agents.json"
SEEN = ROOT / "benchmarks" / "results" / "agents.json"
TABLE = SEEN.with_suffix(".md")
_NAMES = {
    "native": "native, `--results as-is`",
    "results": "native",
    "rescued": "native, calls written as text",
    "other": "native, a server of another API",
    "lton": "lton",
}
_HEAD = (
    "| agent | calls | way | requests | tools run | tokens sent | without LTON | | rescued |\n"
    "|---|---|---|---:|---:|---:|---:|---:|---:|\n"
)


def table(records: list[dict[str, Any]]) -> str:
    """Return the table of some records."""
    return _HEAD + "".join(map(_row, records))


def _row(record: dict[str, Any]) -> str:
    head = f"| {record['agent']} | {_NAMES[record['mode']]} | {record['way']} "
    if record.get("refused"):
        return f"{head}| | | | | refused | |\n"
    tokens, plain = int(record.get("tokens", 0)), int(record.get("plain", 0))
    change = f"{100 * (tokens - plain) / plain:+.1f} %" if plain else ""
    figures = [int(record["requests"]), record["ran"], tokens, plain]
    columns = " | ".join(
        f"{figure:,}" if plain or at < 2 else "" for at, figure in enumerate(figures)
    )
    return f"{head}| {columns} | {change} | {int(record.get('rescued', 0))} |\n"


def main() -> None:
    if RECORDS.exists() and "--write" in sys.argv:
        shutil.copy(RECORDS, SEEN)
    text = table(json.loads((SEEN if "--write" in sys.argv else RECORDS).read_text()))
    if "--write" in sys.argv:
        TABLE.write_text(text)
    print(text, end="")


if __name__ == "__main__":
    main()
