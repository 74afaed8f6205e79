"""Test which tools fit a question."""

import json
from pathlib import Path
from random import Random

import pytest

from lton import ToolSet
from lton.schema.ranking import Ranking
from lton_bench.study.tasks import development
from tests.cases import sizes

RECORDED = Path(__file__).parents[2] / "benchmarks" / "lton_bench" / "mcp"
TOOLS = ToolSet.from_tools(
    [
        tool
        for name in ("filesystem", "git", "github", "memory", "slack", "time")
        for tool in json.loads((RECORDED / f"{name}.json").read_text("utf-8"))["tools"]
    ]
)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("what time is it in Tokyo?", "get_current_time"),
        ("show the last commits", "git_log"),
        ("open a new issue about the login bug", "create_issue"),
        ("post a message to the channel #general", "slack_post_message"),
        ("what is in the directory src?", "list_directory"),
        ("rename notes.txt", "move_file"),
        ("merge the pull request 12", "merge_pull_request"),
        ("read the text of a file", "read_text_file"),
    ],
)
def test_the_right_tool_is_among_the_first(question: str, name: str) -> None:
    """Among 71 tools of six recorded servers, the right tool is one of the first five."""
    assert name in [tool.name for tool in Ranking(TOOLS).find_tools(question)[:5]]


def test_tools_that_are_named_come_first() -> None:
    """A tool whose name is in the question comes first."""
    matches = Ranking(TOOLS).find_tools("slack_add_reaction git_diff")
    assert {tool.name for tool in matches[:2]} == {"slack_add_reaction", "git_diff"}


@pytest.mark.parametrize("question", ["", "the of and", "xyzzy", "\x00"])
def test_nothing_fits_what_says_nothing(question: str) -> None:
    """Common words, and words that no tool has, find nothing."""
    assert Ranking(TOOLS).find_tools(question) == []


def test_words_decide_for_a_tool_that_is_far_ahead() -> None:
    """Two shared words and twice the score decide; one word does not, nor if another tool shares as
    many.
    """
    tools = ToolSet.from_prompt("book_train()\ntrain_dog()\nplay_song()\ncook_rice()\nsing_song()")

    def decided(question: str) -> str | None:
        tool = Ranking(tools).find_best_tool(question)
        return tool.name if tool else None

    assert decided("Cook some rice!") == "cook_rice"
    assert decided("Cook!") is None
    assert decided("Play a song!") == "play_song"
    assert decided("Play a song, train the dog!") is None
    assert decided("") is None


@pytest.mark.parametrize("times", sizes(1, 3))
@pytest.mark.untraced
def test_words_are_not_wrong_about_questions_of_development(times: int) -> None:
    """For development questions with one call among 20 tools, words decide for most and are never
    wrong.
    """
    cases = [case for some in development().values() for case in some if len(case.answers) == 1]
    every = {tool["function"]["name"]: tool for case in cases for tool in case.tools}
    names, chance, decided = sorted(every), Random(1), 0
    for case in cases * times:
        own = {tool["function"]["name"] for tool in case.tools}
        others = [name for name in names if name not in own]
        chance.shuffle(others)
        some = [*own, *others[: 20 - len(own)]]
        ranking = Ranking(ToolSet.from_tools(every[name] for name in some))
        if tool := ranking.find_best_tool(case.messages[-1]["content"]):
            assert tool.name in case.answers[0]
            decided += 1
    print(f"{decided} of {times * len(cases)}")
    assert 3 * decided > 2 * times * len(cases)


def test_no_tools() -> None:
    """Without tools nothing is found, and tools without words do not divide by zero."""
    assert Ranking([]).find_best_tool("files") is None
    assert Ranking([]).find_tools("files") == []
    assert Ranking(ToolSet.from_prompt("_()")).find_tools("files") == []


def test_names_in_any_case_and_language() -> None:
    """Words in camel case, numbers, and letters beyond English are recognized."""
    ranking = Ranking(ToolSet.from_prompt('getIssue2()\n"время"()\nlistFiles()'))
    assert [tool.name for tool in ranking.find_tools("an issue")] == ["getIssue2"]
    assert [tool.name for tool in ranking.find_tools("время")] == ["время"]
    assert [tool.name for tool in ranking.find_tools("listing a file")] == ["listFiles"]
