"""Test the study of questions that others have written."""

import json
from pathlib import Path

from lton_bench.study.servers.other_questions import (
    BFCL,
    bfcl_questions,
    main,
    markdown,
    read_answers,
    when2call_questions,
)

RESULTS = Path(__file__).parents[3] / "benchmarks" / "results"
ANSWERS = read_answers(RESULTS / "study" / "other-questions.jsonl")


def test_the_published_table_is_that_of_the_scores(tmp_path: Path) -> None:
    """A run without a model starts no server, and writes the table."""
    (tmp_path / "study").mkdir()
    packed = "study/other-questions.jsonl.xz"
    (tmp_path / packed).write_bytes((RESULTS / packed).read_bytes())
    main(["--out", str(tmp_path)])
    assert (tmp_path / "needs-others.md").read_text("utf-8") == markdown(ANSWERS)
    assert (RESULTS / "needs-others.md").read_text("utf-8") == markdown(ANSWERS)


def test_the_questions_of_users_are_as_many_of_each_kind() -> None:
    questions = list(bfcl_questions(2))
    assert [question.kind for question in questions] == [
        *["live_simple"] * 2,
        *["live_multiple"] * 2,
        *["live_irrelevance"] * 2,
    ]
    assert all(question.source == BFCL and question.tools for question in questions)


def test_questions_without_tools_are_left_out(tmp_path: Path) -> None:
    """A message without tools is never answered with a call."""
    tool = {"name": "f", "description": "", "parameters": {"type": "dict", "properties": {}}}
    cases = [
        {"uuid": "1", "question": "a", "correct_answer": "cannot_answer", "tools": []},
        {"uuid": "2", "question": "b", "correct_answer": "tool_call", "tools": [json.dumps(tool)]},
        {"uuid": "3", "question": "c", "correct_answer": "tool_call", "tools": [json.dumps(tool)]},
    ]
    file = tmp_path / "cases.jsonl"
    file.write_text("".join(json.dumps(case) + "\n" for case in cases))
    (question,) = when2call_questions(file, 1)
    assert (question.id, question.text) == ("2", "b")
    assert question.tools[0]["function"]["parameters"]["type"] == "object"
