"""The questions of spec/conformance, answered in this process: a failure shows where it is."""

import pytest

from spec.conformance.python_codec import answer
from spec.conformance.run import Question, compare, questions


@pytest.mark.parametrize("question", [pytest.param(q, id=f"{q.kind}:{q.id}") for q in questions()])
def test_our_codec_answers(question: Question) -> None:
    """Each text, call and definition is read, written or refused as its case says."""
    assert compare(question, answer(question.request)) is None
