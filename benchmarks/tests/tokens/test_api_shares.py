"""Test the shares of recorded answers that get shorter."""

import json
from pathlib import Path

from lton_bench.tokens.api_shares import recorded, rows

ROWS = [{"name": "Ada", "id": 1}, {"name": "Bo", "id": 2}]


def test_shares_are_counted_by_api_and_shape(tmp_path: Path) -> None:
    """Different answers are counted once; those that get shorter are also shown by themselves."""
    github = tmp_path / "pygithub-2.10.0" / "tests" / "ReplayData"
    reddit = tmp_path / "praw-8.0.3" / "tests" / "integration" / "cassettes"
    github.mkdir(parents=True)
    reddit.mkdir(parents=True)
    lines = ["https", json.dumps(ROWS), json.dumps(ROWS, indent=None), '{"broken"', '{"a":1}']
    (github / "a.txt").write_text("\n".join(lines))
    wrapped = {"response": {"body": {"string": json.dumps({"items": ROWS})}}}
    (reddit / "b.json").write_text(
        json.dumps({"interactions": [wrapped, {"response": {"body": {}}}]})
    )
    answers = recorded(tmp_path)
    assert answers == {"GitHub": [ROWS, {"a": 1}], "Reddit": [{"items": ROWS}]}
    cells_by_name = {name: cells for name, *cells in rows(answers, len)}
    assert list(cells_by_name) == [
        "GitHub",
        "Reddit",
        "lists of objects",
        "other objects and lists",
        "objects with a list of objects",
        "all",
    ]
    assert cells_by_name["lists of objects"] == ["1", "44", *["0.52 (100%: 0.52)"] * 3]
    assert cells_by_name["objects with a list of objects"][2] == "1.00 (0%)"
    assert cells_by_name["GitHub"][2] == "0.59 (50%: 0.52)"
    assert cells_by_name["all"][0] == "3"
