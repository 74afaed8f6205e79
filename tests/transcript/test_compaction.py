"""Test compaction: summaries, kept messages, and failures."""

from typing import Any

import pytest

from lton import Call
from lton.chat import Message
from lton.errors import Code, TranscriptError
from lton.stores import open_store
from lton.transcript import Transcript
from lton.transcript.compaction import write_digest
from lton.transcript.turns import Turn
from tests.transcript.conversations import (
    Characters,
    assistant_message,
    calling,
    contents,
    result,
    transcript,
    user_message,
)

SYSTEM = {"role": "system", "content": "Never lie."}
SMALL: dict[str, Any] = {"window": 2_000, "reserve": 0, "hot_turns": 2}
SHORT = "They read all files."


def filled(*more: Any, **options: Any) -> Transcript:
    """Return a conversation that is about to be compacted."""
    chat = transcript(SYSTEM, *more, **(SMALL | options))
    for number in range(20):
        chat.append(user_message(f"What is in file {number}, please, and is it long?"))
        chat.append(calling(f"c{number}"))
        chat.append(result(f"c{number}", f"{number} is a long story. " * 9))
    return chat


def test_without_a_summariser_lines_name_what_was_said() -> None:
    chat = filled()
    view = chat.render()
    system, summary, *others = contents(chat)
    assert system == "Never lie."
    head, omitted, *lines = summary.splitlines()
    assert head == (
        "[turns 1 to 39, in short; what was shown of them is file f1; "
        'recall("t8") returns result t8]'
    )
    assert omitted.endswith("earlier lines are left out)")
    assert lines[-2:] == [
        't38 user: "What is in file 18, please, and is it long?"',
        "[t39 read src/a.py]",
    ]
    assert others[0] == "What is in file 19, please, and is it long?"
    assert view.tokens < 1_600
    assert view.decisions[0].action == "compacted"
    assert "18 is a long story." in chat.answer(Call("recall", {"result": "t39"}))
    assert "user: What is in file 3, please" in chat.answer(Call("file_read", {"file": "f1"}))


def test_a_short_window_can_be_read_too() -> None:
    """In a short window, files are also limited, and other texts of this length stay in the log."""
    turns = [
        user_message("How do you do?"),
        assistant_message("Well, and you?"),
        assistant_message(""),
    ] * 5
    chat = transcript(*turns, window=600, reserve=0, compact_at=0.3, summarize=lambda _: "Hi.")
    assert contents(chat)[0].endswith("returns result t8]\nHi.")
    window = chat.answer(Call("file_read", {"file": "f1"}))
    assert window.startswith("user: How do you do?\nassistant: Well, and you?\n")
    assert len(window) < 256


def test_a_summariser_gets_what_was_shown() -> None:
    requests: list[list[dict[str, Any]]] = []

    def summarize(messages: list[dict[str, Any]]) -> str:
        requests.append(messages)
        return SHORT

    chat = filled(summarize=summarize)
    assert contents(chat)[1].endswith(f"returns result t8]\n{SHORT}")
    assert [message["role"] for message in requests[0][:3]] == ["user", "assistant", "tool"]
    assert Characters().count_messages(requests[0]).tokens <= 2_000 + 300
    assert not any(message["role"] == "system" for message in requests[0])


def test_the_next_compaction_has_the_one_before_in_its_file() -> None:
    chat = filled(summarize=lambda messages: SHORT)
    chat.render()
    for number in range(20, 50):
        chat.append(user_message(f"What is in file {number}, please, and is it long?"))
        chat.append(assistant_message("Yes, very long. " * 3))
        view = chat.render()
    summary = next(message["content"] for message in view.messages if SHORT in message["content"])
    newest = summary.partition("is file ")[2].partition(";")[0]
    assert newest != "f1"
    read = {"file": newest, "start_line": 1, "end_line": 900}
    window = chat.answer(Call("file_read", read))
    assert SHORT not in window
    assert all(f"user: What is in file {number}, please" in window for number in range(20, 40))
    assert window.startswith(chat.answer(Call("file_read", read | {"file": "f1"}))[:200])


def test_a_summariser_that_fails_where_all_does_not_fit_is_done_without() -> None:
    """If the summarizer fails and not everything fits, the omitted turns are listed, and the view
    says why.
    """
    chat = filled(summarize=_fails, window=1_200)
    view = chat.render()
    assert view.tokens <= view.room
    assert "no summary: no model" in {decision.reason for decision in view.of_all}
    assert any("[turns 1 to " in str(message["content"]) for message in view.messages)


def test_the_last_request_and_instructions_stay() -> None:
    """Instructions and the last request are shown word for word, however old they are."""
    developer = {"role": "developer", "content": "Be brief."}
    request = user_message("Read all files.\nAll of them!")
    chat = transcript(SYSTEM, request, developer, **SMALL)
    for number in range(40):
        chat.append(calling(f"c{number}"))
        chat.append(result(f"c{number}", "short"))
    messages = chat.render().messages
    assert [message for message in messages if message["role"] == "developer"] == [developer]
    assert messages[0] == SYSTEM
    assert request in messages
    assert next(message for message in messages if message["role"] == "user")["content"].startswith(
        "[turns 1"
    )


class Skills:
    """A catalogue of skills by name."""

    def body(self, name: str) -> str:
        return {"shout": "Write in capitals."}[name]


def test_loaded_skills_stay() -> None:
    load = calling("s", name="load_skill", arguments='{"name":"shout"}')
    chat = filled(user_message("Shout!"), load, result("s", "Write in capitals."), skills=Skills())
    messages = chat.render().messages
    assert {"role": "system", "content": "Write in capitals."} in messages
    assert chat.answer(Call("load_skill", {"name": "shout"})) == "Write in capitals."
    with pytest.raises(TranscriptError, match="no skill 'whisper'") as caught:
        chat.answer(Call("load_skill", {"name": "whisper"}))
    assert caught.value.code == Code.POINTER
    early = transcript(
        user_message("Shout!"),
        load,
        result("s", "Write in capitals."),
        assistant_message("OK"),
        assistant_message("!"),
    )
    assert contents(early)[2] == "Write in capitals."


def _fails(messages: list[dict[str, Any]]) -> str:
    raise RuntimeError("no model")


@pytest.mark.parametrize(
    ("summarize", "reason"),
    [
        (_fails, "no summary: no model"),
        (lambda messages: " ", "no summary: it is empty"),
        (lambda messages: "x" * 5_000, "a summary that is no shorter"),
    ],
)
def test_a_failure_leaves_all_as_it_was(summarize: Any, reason: str) -> None:
    """After a failure the view is unchanged and says so, and the next view tries again."""
    chat = filled(summarize=summarize, window=2_200)
    for _ in range(3):
        chat.append(assistant_message("Hm."))
    wide = filled(summarize=summarize, window=90_000)
    for _ in range(3):
        wide.append(assistant_message("Hm."))
    view = chat.render()
    assert [decision.reason for decision in view.decisions if decision.reference == "t1-t42"] == [
        reason
    ]
    assert view.messages == wide.render().messages
    assert chat.render().decisions == view.decisions


def test_what_is_not_compacted_and_does_not_fit_is_an_error() -> None:
    long = {"role": "system", "content": "Be kind. " * 300}
    chat = transcript(long, user_message("Why?"), summarize=_fails, window=2_000, reserve=0)
    with pytest.raises(TranscriptError, match="do not fit in 2000: instructions") as caught:
        chat.render()
    assert caught.value.code == Code.WINDOW


def test_what_is_hot_is_never_compacted() -> None:
    chat = transcript(user_message("x" * 900), assistant_message("y" * 900), **SMALL)
    assert contents(chat)[:2] == ["x" * 900, "y" * 900]


def test_hot_turns_that_fill_the_window_are_compacted_no_further() -> None:
    chat = filled()
    chat.render()
    for _ in range(2):
        chat.append(assistant_message("y" * 700))
        view = chat.render()
    files = list(chat._state.files.files)
    assert view.tokens > 1_600
    assert chat.render().messages == view.messages
    assert list(chat._state.files.files) == files


def test_a_compaction_is_the_same_after_a_restart() -> None:
    """After a restart the compaction is the same, without calling the summarizer again."""
    store = open_store("memory:")
    options = {"counter": Characters(), "clear": "always"} | SMALL
    chat = filled(store=store, summarize=lambda messages: SHORT)
    view = chat.render()
    again = Transcript.load(store, chat.id, **options, summarize=_fails)
    assert again.render() == view
    assert again.render().messages == view.messages


def test_what_comes_while_a_summary_is_made_is_in_the_view() -> None:
    """If messages arrive during a summary, the summary is made again with them."""
    store, asks = open_store("memory:"), []

    def summarize(messages: list[dict[str, Any]]) -> str:
        asks.append(messages)
        if len(asks) == 1:
            options = {"counter": Characters()} | SMALL
            Transcript.load(store, chat.id, **options).append(user_message("And now?"))
        return SHORT

    chat = filled(store=store, summarize=summarize)
    assert user_message("And now?") in chat.render().messages
    assert len(asks) == 2


@pytest.mark.parametrize("size", [100, 110, 120, 130])
def test_a_summariser_gets_no_more_than_fits(size: int) -> None:
    """The summarizer gets only as much history as fits."""
    requests: list[list[dict[str, Any]]] = []

    def summarize(messages: list[dict[str, Any]]) -> str:
        requests.append(messages)
        return SHORT

    chat = transcript(user_message("Go!"), **SMALL, summarize=summarize)
    for number in range(40):
        chat.append(calling(f"c{number}"))
        chat.append(result(f"c{number}", "Error: " + "x" * size))
    chat.render()
    assert Characters().count_messages(requests[0]).tokens <= 2_000 + 3
    assert requests[0][0]["role"] == "assistant"


def test_a_digest_is_cut_at_its_oldest_lines() -> None:
    turns = [Turn(n, Message.saying("user", f"{n} " * 60)) for n in range(1, 5)]
    assert len(write_digest(turns, 10_000, Characters()).splitlines()) == 4
    short = write_digest(turns, 240, Characters())
    assert short.splitlines()[0] == "(2 earlier lines are left out)"
    assert len(short) <= 240
    assert write_digest(turns, 0, Characters()) == "(4 earlier lines are left out)"
