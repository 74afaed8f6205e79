"""Test how many outputs of models are read as others judged them, complete and in pieces."""

import json
import re
from pathlib import Path

import pytest

from lton import decode_lenient
from lton.chat.readings import Lenient
from lton.events import CallEnd, Prose
from tests.cases import loop_over
from tests.lenient import scoreboard
from tests.lenient.scoreboard import Outcome

pytestmark = pytest.mark.untraced

LOST_REPORTS = ["reports:public/cline"]
"""Prose before an element that is named after a tool."""
PAGE = Path(__file__).parents[2] / "docs" / "results" / "lenient.md"
VERDICTS = scoreboard.everything()


def test_no_call_is_invented() -> None:
    """No text without calls gives a call, and no call has other values than the text."""
    bad = (Outcome.INVENTED, Outcome.DIFFERENT)
    assert [name for name, one in scoreboard.outcomes().items() if one in bad] == []


def test_score() -> None:
    """The score reaches the goals, with the syntaxes named: 455 of 469, and 0.93 of our texts in
    the syntaxes of SGLang's parsers. Five of these texts end a line of prose with a colon.
    """
    outcomes = [scoreboard.outcomes()[verdict.id] for verdict in scoreboard.verdicts()]
    assert len(outcomes) == 469
    assert outcomes.count(Outcome.RIGHT) + outcomes.count(Outcome.LEFT) >= 455
    outcomes = [scoreboard.outcomes()[verdict.id] for verdict in scoreboard.foreign()]
    assert outcomes.count(Outcome.RIGHT) >= 0.93 * len(outcomes)


def test_score_by_the_tests_of_engines() -> None:
    """With the syntaxes named, at least 560 of 588 texts are read as the engines' tests expect."""
    outcomes = [scoreboard.outcomes()[verdict.id] for verdict in scoreboard.by_tests()]
    assert len(outcomes) == 588
    assert outcomes.count(Outcome.RIGHT) + outcomes.count(Outcome.LEFT) >= 560


def test_score_of_tags_and_reports() -> None:
    """Of xgrammar's tags only MiniMax M3's syntax is not read, with an error, and all reports
    pass.
    """
    lost = {
        verdict.family
        for verdict in scoreboard.by_tags()
        if scoreboard.outcomes()[verdict.id] is not Outcome.RIGHT
    }
    assert lost == {"minimax_m3", "llama"}  # Llama writes bare JSON, and here prose before it
    lost_reports = [
        verdict.id
        for verdict in scoreboard.reported()
        if scoreboard.outcomes()[verdict.id] not in (Outcome.RIGHT, Outcome.LEFT)
    ]
    assert lost_reports == LOST_REPORTS


def test_what_is_lost_of_tags_and_reports_is_said() -> None:
    """Each text with a call, whole or damaged, gives at least an error."""
    for verdict in (*scoreboard.by_tags(), *scoreboard.reported()):
        result = scoreboard.read_calls_of(verdict)
        assert result.calls or result.errors or result.uncertain, verdict.id


def test_the_price_of_leftovers() -> None:
    """The rule of leftovers doubts at most 1 in 100 of the texts with calls."""
    counts = scoreboard.in_doubt()
    assert 100 * sum(count > 0 for count in counts.values()) <= len(counts)


def test_each_text_names_the_test_that_judges_it() -> None:
    """Each text names the repository and the file of the test that it follows."""
    lines = scoreboard.BY_TESTS.read_text("utf-8").splitlines()[1:]
    for one in map(json.loads, lines):
        repository, file, test = one["source"].split(", ", 2)
        assert repository.count("/") == 1
        assert file.endswith((".py", ".cpp"))
        assert test
        assert one["family"]


def test_page_is_true() -> None:
    """The table in the page is current, and the page gives a reason for each missed text."""
    table = scoreboard.RESULTS.read_text("utf-8")
    assert table == scoreboard.table()
    lost = set(re.findall(r"^\| `(.+/.+)` \|", table, re.MULTILINE))
    explained = set(re.findall(r"`([\w:-]+/[\w.-]+)`", PAGE.read_text("utf-8")))
    assert lost == explained


def read_in_pieces(verdict: scoreboard.Verdict, size: int) -> tuple[list[str], str]:
    """Return the calls and the prose from reading pieces of a given size."""
    reading = Lenient(verdict.tools, None, syntax=(), seen=())
    events: list[object] = [
        event
        for start in range(0, len(verdict.text), size)
        for event in reading.feed(verdict.text[start : start + size])
    ]
    events += reading.flush(ended=None)
    calls = [event.call for event in events if isinstance(event, CallEnd)]
    prose = "".join(event.text for event in events if isinstance(event, Prose))
    return scoreboard.spelled(calls), prose


def _sizes_of_pieces(text: str) -> tuple[int, ...]:
    """Return the sizes of pieces in the daily tier: characters for a quarter of the texts."""
    return (1,) if len(text) % 4 == 0 else (16,)


@pytest.mark.parametrize(
    "pieces", [(), pytest.param((1, 2, 3, 7, 16, 64), marks=pytest.mark.deep)], ids=["few", "many"]
)
@loop_over(VERDICTS)
def test_in_pieces_as_whole(verdict: scoreboard.Verdict, pieces: tuple[int, ...]) -> None:
    """The calls and the prose do not depend on where the text is cut."""
    whole = read_in_pieces(verdict, max(1, len(verdict.text)))
    assert whole[0] == scoreboard.spelled(decode_lenient(verdict.text, verdict.tools).calls)
    for size in pieces or _sizes_of_pieces(verdict.text):
        assert read_in_pieces(verdict, size) == whole
