"""Test the states of an answer with native calls, and the steps between them."""

from lton.gateway.native.answer_state import TRANSITIONS, AnswerState, AnswerStep


def test_every_state_but_the_first_is_reached() -> None:
    """An answer begins open, and every other state follows from a step."""
    assert {*TRANSITIONS.values()} == {*AnswerState} - {AnswerState.OPEN}
    assert {step for _, step in TRANSITIONS} == {*AnswerStep}


def test_nothing_follows_a_final_state() -> None:
    """A complete answer, and an answer that the gateway has ended, stay as they are."""
    final = {*AnswerState} - {state for state, _ in TRANSITIONS}
    assert final == {AnswerState.LAST, AnswerState.CUT}
    assert all(state.is_over and state.is_last for state in final)


def test_an_answer_without_an_end_is_not_over() -> None:
    """If the last event comes before the end, the answer is not complete."""
    state = TRANSITIONS[AnswerState.OPEN, AnswerStep.CLOSE]
    assert state is AnswerState.BROKEN_OFF
    assert state.is_last
    assert not state.is_over
    assert TRANSITIONS[state, AnswerStep.END].is_over


def test_the_usage_may_follow_the_end() -> None:
    """After its end, an answer is not yet at its last event."""
    state = TRANSITIONS[AnswerState.OPEN, AnswerStep.END]
    assert state.is_over
    assert not state.is_last
    assert TRANSITIONS[state, AnswerStep.CLOSE].is_last
