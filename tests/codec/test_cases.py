"""Test the cases of spec/conformance in this process, so that a failure shows its place."""

import pytest

from spec.conformance.python_codec import answer
from spec.conformance.run import Question, compare, questions

ASKED_ELSEWHERE = {"decode", "encode", "lenient", "stream"}
"""Kinds of cases that are the tables of other tests here: asked once more in the deep tier."""


@pytest.mark.parametrize(
    "question",
    [
        pytest.param(
            question,
            id=f"{question.kind}:{question.id}",
            marks=[pytest.mark.deep] if question.kind in ASKED_ELSEWHERE else [],
        )
        for question in questions()
    ],
)
def test_our_codec_answers(question: Question) -> None:
    """Each text, call or definition is read, written or refused as its case states."""
    assert compare(question, answer(question.request)) is None
