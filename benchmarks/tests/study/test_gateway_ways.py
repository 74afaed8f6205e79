"""Test that the table of all ways agrees with the answers, and the requests of each way."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest

from lton_bench.study.packed import content
from lton_bench.study.servers.gateway import served_by_lton
from lton_bench.study.servers.gateway_templates import TAGGED
from lton_bench.study.servers.gateway_ways import WAYS, _processor, cases, markdown
from lton_bench.study.tasks import development, reported

RESULTS = Path(__file__).parents[3] / "benchmarks" / "results"


def answers(right: dict[str, set[str]]) -> Iterator[dict[str, Any]]:
    """Return answers of every way to two cases that need a call, and to one that needs none."""
    for way in WAYS:
        for id_ in ("a", "b", "none") if way.choice == "auto" else ("a", "b"):
            yield {
                "model": "m",
                "condition": way.name,
                "category": "irrelevance" if id_ == "none" else "multiple",
                "id": id_,
                "failure": "" if id_ in right.get(way.name, ()) else "no call",
                "prompt": 100,
                "sampled": 10 if id_ == "a" else 20,
                "seconds": 1.0,
            }


def test_both_halves_weigh_the_same() -> None:
    """Both halves have the same weight, and a way is compared with the server's best way for the
    same choice.
    """
    own, native, tags, *_ = WAYS
    right = {own.name: {"none"}, native.name: {"a", "b", "none"}, tags.name: {"a", "none"}}
    rows = {
        cells[1]: cells[2:]
        for line in markdown(answers(right)).splitlines()
        if (cells := [each.strip() for each in line.split("|")])[1:]
    }
    assert rows[own.name][1] == "0 of 2"
    assert rows[own.name][5:7] == ["0.500", "-0.333 [-1.000, 0.000]"]
    assert rows[native.name][5:7] == ["1.000", "0.333 [0.000, 1.000]"]
    assert rows[tags.name][5:] == ["0.750", "", "100", "15.0", "1.0", ""]
    required = next(way for way in WAYS if way.choice == "required")
    assert rows[required.name][3:6] == ["", "", "0.000"]


def test_the_published_table_is_that_of_the_answers() -> None:
    _, *lines = content(RESULTS / "study" / "gateway-ways.jsonl").splitlines()
    assert markdown(map(json.loads, lines)) == (RESULTS / "study-ways.md").read_text("utf-8")


def test_what_was_not_asked_in_every_way_is_left_out() -> None:
    some = [each for each in answers({}) if each["condition"] != WAYS[0].name or each["id"] != "a"]
    assert f"| {WAYS[1].name} | auto | 0 of 1 |" in markdown(some)


def test_the_cases_are_mixed_and_not_those_that_were_chosen_by() -> None:
    asked = [case.category for case in cases(reported(), 2)]
    looked_at = {case.id for case in cases(development(), 10)}
    assert asked[:4] == asked[4:] == ["simple_python", "multiple", "live_simple", "irrelevance"]
    assert not looked_at & {case.id for case in cases(reported(), 10)}


def test_seconds_are_those_of_children_too() -> None:
    """Seconds include child processes, because the gateway and its model are processes of their
    own.
    """
    busy = "import time\nwhile time.process_time() < 0.5: pass\nprint(flush=True); input()"
    began = _processor()
    with subprocess.Popen([sys.executable, "-c", busy], stdin=PIPE, stdout=PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        assert _processor() - began > 0.4
        child.kill()


def test_a_template_shows_tools_and_calls() -> None:
    jinja2 = pytest.importorskip("jinja2")
    call = {"function": {"name": "f", "arguments": {"a": 1}}}
    messages = [{"role": "user", "content": "?"}, {"role": "assistant", "tool_calls": [call]}]
    shown = jinja2.Template(TAGGED).render(messages=messages, tools=[{"function": {"name": "f"}}])
    assert '\n{"name": "f"}\n' in shown
    assert shown.endswith('<tools>\n{"name": "f", "arguments": {"a": 1}}\n</tools><|im_end|>\n')
    assert "function" not in jinja2.Template(TAGGED).render(messages=messages[:1], tools=[])


def test_a_gateway_that_does_not_start_is_no_answer() -> None:
    """A gateway that does not start is an error of the run, and not a wrong answer."""
    with pytest.raises(ChildProcessError), served_by_lton("--upstream", "http://127.0.0.1:x"):
        pass
