"""Every format holds the answers, and the table counts what was said."""

import pytest

from lton_bench.study.readings import (
    FORMATS,
    KINDS,
    SHAPES,
    Reading,
    prompt,
    questions,
    records,
    table,
    written,
)


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_asked_is_in_the_text(name: str) -> None:
    for number in range(5):
        for shape in SHAPES:
            text = written(shape, number, name)
            if text is None:
                assert (shape, name) in {("nested", "CSV"), ("nested", "Markdown table")}
                continue
            found = {each.kind: each for each in questions(shape, number)}
            assert set(found) == set(KINDS)
            assert found["look up"].answer in text
            assert all(str(each["name"]) in text for each in records(shape, number))
            assert found["count"].answer == str(len(records(shape, number)))


def test_tables() -> None:
    assert (written("rows", 1, "LTON") or "").startswith("[(age score city name team)")
    head, rule, first, *_ = (written("rows", 1, "Markdown table") or "").splitlines()
    assert head == "| name | city | age | team | score |"
    assert rule == "|---|---|---|---|---|"
    assert first.count("|") == 6
    messages = prompt("rows", 1, "CSV", questions("rows", 1)[1]) or []
    assert [message.role for message in messages][1:] == ["user", "assistant"] * 3 + ["user"]
    assert messages[-1].text.endswith("How many records are there?")


def test_the_table() -> None:
    said = {"JSON minified": ["7", "7.", "x", "7"], "LTON": ["7", "no", "no", "7"]}
    readings = [
        Reading("m", name, "rows", 0, kind, "7", text, 100)
        for name, texts in said.items()
        for kind, text in zip(KINDS, texts, strict=True)
    ]
    rows = [line.split(" | ") for line in table(readings)][2:]
    assert [row[2:4] for row in rows] == [
        ["LTON", "0.50 [0.15, 0.85]"],
        ["JSON minified", "0.75 [0.30, 0.95]"],
    ]
    assert rows[0][8].startswith("-0.25 [")
    assert rows[1][8] == "+0.00 [+0.00, +0.00]"
