"""Test that questions are chosen by their rule, and that the tables agree with the answers."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from lton_bench.direct import SYNTAXES
from lton_bench.study import staying
from lton_bench.study.gateway import FIRST
from lton_bench.study.staying import BASELINE, MEASURES, OWN, TIMES, WAYS, markdown, select, summary
from lton_bench.study.tasks import Case, development, rank, reported
from tests.generate.scripted import Scripted, Weighing

STREAM = staying.stream()


def made(id_: str, name: str, about: str = "", *, others: tuple[str, ...] = ()) -> Case:
    """Return a case that needs a tool."""
    tools: list[dict[str, Any]] = [
        {
            "type": "function",
            "function": {
                "name": one,
                "description": about,
                "parameters": {"type": "object", "properties": {}},
            },
        }
        for one in (*others, name)
    ]
    messages = [{"role": "user", "content": f" Question {id_}"}]
    return Case(category="c", id=id_, messages=messages, tools=tools, answers=[{name: {}}])


def test_the_rule() -> None:
    """Tools with the most questions come first, with one definition each and no duplicates."""
    pool = [
        *(made(f"a{n}", "a.find", others=("b_get",)) for n in range(4)),
        *(made(f"other{n}", "a.find", "otherwise") for n in range(2)),
        *(made(f"c{n}", "c_Find") for n in range(3)),
        *(made(f"b{n}", "b_get") for n in range(3)),
        *(made(f"d{n}", "d") for n in range(2)),
        made("e0", "e"),
    ]
    found = select(pool, [made("A0", "z")], tools=3, questions=2)
    assert [tool["function"]["name"] for tool in found.tools] == ["a.find", "b_get", "d"]
    assert found.tools[0]["function"]["description"] == ""
    ids = [case.id for case in found.cases]
    assert ids == [case.id for case in sorted(found.cases, key=rank)]
    assert "a0" not in ids  # it was looked at, by its question
    assert sorted(id_[0] for id_ in ids) == ["a", "a", "b", "b", "d", "d"]
    assert all(case.tools is found.tools for case in found.cases)
    with pytest.raises(ValueError, match="expected 4 tools of 2 questions, found 3"):
        select(pool, [], tools=4, questions=2)


def test_several_calls_and_the_same_question_are_left_out() -> None:
    several, same = made("x", "a"), made("y", "a")
    several.answers.append({"a": {}})
    same.messages[0]["content"] = " question Z "
    with pytest.raises(ValueError, match="found 0"):
        select([several, same, made("Z", "a")], [], tools=1, questions=2)


def test_the_stream_is_fixed() -> None:
    """The questions stay the same, because a change would change every figure."""
    names = [tool["function"]["name"] for tool in STREAM.tools]
    assert len(set(names)) == 20
    wanted = [next(iter(case.answers[0])) for case in STREAM.cases]
    assert {name: wanted.count(name) for name in names} == dict.fromkeys(names, 5)
    ids = "\n".join(case.id for case in STREAM.cases)
    assert sha256(ids.encode()).hexdigest()[:16] == "e2cd93c486b64984"
    assert not {case.id for case in STREAM.cases} & {
        case.id for cases in development().values() for case in cases
    }
    assert staying.first().messages == [{"role": "user", "content": FIRST}]
    assert reported()  # of which some are in it: nothing is chosen by them


def test_the_ways_are_of_three_engines_and_the_servers_own() -> None:
    assert [way.partition(":")[0] for way in WAYS] == ["embedded"] * 3 + ["server"] * 3 + [
        "Outlines"
    ] * 2
    assert BASELINE in WAYS
    assert OWN not in WAYS
    assert {condition.form for _, condition in WAYS.values()} <= {"", *SYNTAXES}


def test_an_answer_is_counted_by_any_engine() -> None:
    """All read tokens are counted, for engines with and without likelihoods."""
    case = made("i", "wait", others=("walk",))
    way = "embedded: guided, call"
    found = staying.ask(Scripted("it("), "m", way, case)
    assert (found["failure"], found["sampled"], found["condition"]) == ("", 1, way)
    assert found["read"] == found["prompt"] + len("wa")
    fits = {"walk": -3.0, "wait": -1.0}
    found = staying.ask(Weighing({}, {}, fits=fits), "m", way, case)
    assert (found["failure"], found["sampled"]) == ("", 0)
    assert found["wall"] >= 0


def answers(way: str, failures: str, **values: float) -> list[dict[str, Any]]:
    """Return answers, right for each dot."""
    return [
        {
            "model": "m",
            "condition": way,
            "id": str(n),
            "calls": [["f", {}]] if one != "-" else None,
            "failure": {".": "", "x": "wrong tool"}.get(one, "cut off"),
            **values,
        }
        for n, one in enumerate(failures)
    ]


def test_the_table() -> None:
    found = [
        *answers(BASELINE, "..x-", prompt=1000, read=40, sampled=40, seconds=2.0, wall=3.0),
        *answers("embedded: LTON wire", "...x", prompt=1000, read=20, sampled=10, seconds=1.0),
        *answers(OWN, "xx...", prompt=4000, read=60, sampled=40, wall=6.0),
    ]
    figures = summary(found, (*MEASURES, *TIMES))
    ways = figures["m"]
    assert {one["cases"] for one in ways.values()} == {4}  # the fifth was asked in one way only
    assert ways["embedded: LTON wire"]["sampled_ratio"] == 0.25
    assert ways["embedded: LTON wire"]["seconds_ratio"] == 0.5
    assert (ways[OWN]["seconds"], ways[OWN]["wall_ratio"]) == (None, 2.0)
    assert ways[OWN]["difference"]["value"] == 0
    head, _, base, wire, own = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in markdown(figures, ("prompt", "seconds"))
        if line.startswith("|")
    ]
    *columns, last = head
    assert columns == [
        "",
        "cases",
        "right",
        "difference from JSON",
        "right tool",
        "prompt",
        "of JSON's",
        "seconds",
    ]
    assert last == "of JSON's"
    assert base[3:] == ["", "0.50", "1000", "1.00", "2.00", "1.00"]
    assert wire[3].startswith("0.250 [")
    assert own[4:] == ["0.50", "4000", "4.00", "", ""]
    assert summary(answers(OWN, ".."), MEASURES) == {}


def test_a_run_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run continues where it stopped, and times are measured anew, apart from the answers."""
    asked = list[tuple[str, str]]()

    def asker(model: str, way: str, threads: int) -> Any:
        def ask(case: Case) -> dict[str, Any]:
            asked.append((way, case.id))
            about = {"model": model, "condition": way, "id": case.id, "calls": [], "failure": ""}
            return {**about, **dict.fromkeys(MEASURES, 1), "seconds": threads}

        return ask

    monkeypatch.setattr(staying, "asker", asker)
    monkeypatch.setattr(staying, "settings", lambda: {"seed": "test"})
    (tmp_path / "study").mkdir()
    options = ["--model", "m", "--out", str(tmp_path), "--only", "embedded"]
    staying.main([*options, "--cases", "2"])
    staying.main([*options, "--cases", "3"])
    ids = [case.id for case in STREAM.cases[:3]]
    assert [id_ for _, id_ in asked] == [id_ for id_ in ids for _ in range(3)]
    assert json.loads((tmp_path / "staying.json").read_text())["m"][BASELINE]["cases"] == 3
    staying.main([*options, "--time", "1", "--threads", "2"])
    assert [id_ for _, id_ in asked[9:]] == ids[:1] * 3
    times = json.loads((tmp_path / "staying-times-2.json").read_text())
    assert times["m"][BASELINE]["seconds"] == 2
    assert len((tmp_path / "study" / "staying.jsonl").read_text().splitlines()) == 10
