"""Test that a question's answer is hidden, and available through the expected call."""

from random import Random

import pytest

from lton import Call
from lton.chat import Message
from lton_bench.study.follow import MAKERS, PROMPTS, Answer, Place, shown_messages, table

LOOK = {
    "pointer": [Call("recall", {"result": f"t{turn}"}) for turn in (3, 6, 9, 12)],
    "file": [Call("file_read", {"file": "f1"})],
}


@pytest.mark.parametrize("is_shown", [False, True])
@pytest.mark.parametrize("place", LOOK)
def test_the_answer_is_where_it_is_said_to_be(place: Place, is_shown: bool) -> None:
    for number in range(5):
        session = MAKERS[place](Random(number), is_shown=is_shown)
        session.chat.append(Message.saying("user", session.question))
        view = session.chat.render()
        assert session.answer not in str(view.messages)
        found = [session.answer in session.chat.answer(call) for call in LOOK[place]]
        assert sum(found) == 1
        asked = {call.name for message in view.chat for call in message.calls}
        assert ("recall" in asked) is (is_shown and place == "pointer")


def test_lines_that_stood_before_are_shown_once_or_again() -> None:
    """With the note, the answer is only in the lines above; without the note, these lines are
    repeated.
    """
    noted, whole = PROMPTS["note"]
    for number in range(5):
        session = MAKERS["note"](Random(number), is_shown=False)
        once, again = (
            [each for each in shown_messages(session, prompt) if each.role == "tool"]
            for prompt in (noted, whole)
        )
        assert [session.answer in str(each) for each in once] == [True, False]
        assert "[12 lines unchanged since they were shown above" in str(once[1])
        assert [session.answer in str(each) for each in again] == [True, True]


def test_each_pointer_is_spelled_as_a_prompt_has_it() -> None:
    session = MAKERS["pointer"](Random(1), is_shown=False)
    shown = str(shown_messages(session, PROMPTS["pointer"][-1]))
    orders = [f"[t{3 + 3 * at} get_order order={order}]" for at, order in enumerate(session.orders)]
    assert [shown.count(each) for each in orders] == [1, 1, 1, 1]


def test_a_session_follows_from_its_number() -> None:
    one, same, other = (MAKERS["file"](Random(n), is_shown=False) for n in (1, 1, 2))
    assert one.answer == same.answer != other.answer


def test_the_table() -> None:
    answers = [
        Answer("m", "pointer", "p", n, "recall {}", found=n > 0, again=False, words="", right=n > 1)
        for n in range(4)
    ]
    assert list(table(answers))[2:] == [
        "| m | a pointer | p | 4 | 0.75 [0.30, 0.95] | 0 | 0.50 [0.15, 0.85] |"
    ]
