"""Test that transcripts show a short view, whose omitted parts can be read."""

import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lton import Call
from lton.chat import (
    Message,
    Other,
    Text,
    ToolCall,
    ToolResult,
    from_anthropic,
    from_responses,
    to_anthropic,
    to_responses,
)
from lton.errors import Code, ConversionError, EncodeError, LTONError, StoreError, TranscriptError
from lton.stores import open_store
from lton.tokens import counter
from lton.transcript import Transcript
from lton.transcript.pairing import check_budget, check_pairs, check_recall
from lton.transcript.pointers import Reference, spell_first_pointer
from lton.transcript.turns import Turn, add_message, extend_turns
from tests.transcript.conversations import (
    Characters,
    assistant_message,
    calling,
    contents,
    result,
    tau,
    transcript,
    user_message,
)

LONG = "A long story, told once more. " * 4
FIRST = spell_first_pointer(Reference(2))
"""The first pointer says what pointers are."""
READ = [user_message("What is in it?"), calling("1"), result("1", LONG)]
TWO = [calling("1", "2"), result("2", f"{LONG}2"), result("1", f"{LONG}1")]


def recall(chat: Transcript, name: str) -> str:
    return chat.answer(Call("recall", {"result": name}))


def caught(code: Code, call: Any) -> LTONError:
    """Return the error with this code that a call raises."""
    with pytest.raises(LTONError) as error:
        call()
    assert error.value.code == code
    return error.value


# --- pointers ------------------------------------------------------------------------------------


def test_an_old_result_is_a_pointer_beside_its_call() -> None:
    chat = transcript(*READ, assistant_message("A story."))
    view = chat.render()
    assert contents(chat) == ["What is in it?", None, FIRST, "A story."]
    assert view.messages[1]["tool_calls"] == READ[1]["tool_calls"]
    assert recall(chat, "t2") == recall(chat, FIRST) == recall(chat, "t2.1") == LONG


def test_the_first_pointer_explains_the_others() -> None:
    """The first pointer explains the others, so that nothing is inserted before cached messages."""
    chat = transcript(*READ, *_steps(3), *_steps(4), assistant_message("Stories."))
    assert contents(chat) == ["What is in it?", None, FIRST, None, "[t3]", None, "[t4]", "Stories."]
    chat.append(user_message("Thanks!"))
    assert contents(chat)[2:5] == [FIRST, None, "[t3]"]


def test_hot_turns_are_shown_word_for_word() -> None:
    """Recent turns, each a message with the results of its calls, are shown word for word."""
    chat = transcript(*READ, assistant_message("A story."), hot_turns=2)
    assert contents(chat) == ["What is in it?", None, LONG, "A story."]
    assert [decision.reason for decision in chat.render().decisions] == ["as it came"]
    chat.append(user_message("Thanks!"))
    assert contents(chat)[2] == FIRST


def test_each_result_of_a_turn_has_its_own_pointer() -> None:
    """Pointers have the numbers of the results, whatever the order of the calls."""
    chat = transcript(user_message("Both!"), *TWO, assistant_message("Done."))
    assert contents(chat)[2:4] == [spell_first_pointer(Reference(2, 1)), "[t2.2]"]
    assert recall(chat, "t2.1") == f"{LONG}2"
    assert recall(chat, "t2.2") == f"{LONG}1"
    assert recall(chat, "t2") == f"[t2.1]\n{LONG}2\n[t2.2]\n{LONG}1"


def test_compact_pointers_say_what_was_called() -> None:
    chat = transcript(*READ, *_steps(3), assistant_message("A story."), pointer="compact")
    assert contents(chat)[2] == FIRST.replace("t2", "t2 read src/a.py", 1)
    assert contents(chat)[4] == "[t3 read src/a.py]"
    assert recall(chat, "[t2 read src/a.py]") == LONG
    bare = transcript(
        user_message("?"),
        calling("1", arguments="{}"),
        READ[2],
        assistant_message("!"),
        pointer="compact",
    )
    assert contents(bare)[2] == FIRST.replace("t2", "t2 read", 1)
    broken = transcript(
        user_message("?"),
        calling("1", arguments="{"),
        READ[2],
        assistant_message("!"),
        pointer="compact",
    )
    assert contents(broken)[2] == contents(bare)[2]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("[tx]", "as it came"),
        ("Error: no such file, in words enough", "error"),
        ('{"error": "no such file, in words enough"}', "error"),
        ([{"type": "image_url", "image_url": {"url": "data:,"}}], "not a text"),
    ],
)
def test_some_results_are_kept(content: Any, reason: str) -> None:
    chat = transcript(READ[0], READ[1], result("1", content), assistant_message("!"))
    assert contents(chat)[2] == content
    assert [decision.reason for decision in chat.render().decisions] == [reason]


@pytest.mark.parametrize(
    "text", [f'{{"error": ""}} {LONG}', f'{{"errors": "{LONG}", "error": null}}']
)
def test_what_only_looks_like_an_error_is_none(text: str) -> None:
    assert (
        contents(transcript(READ[0], READ[1], result("1", text), assistant_message("!")))[2]
        == FIRST
    )


def test_a_turn_keeps_its_number() -> None:
    """A turn keeps its number when more messages come, and in another process."""
    chat = transcript(*READ, assistant_message("A story."))
    for number in range(30):
        chat.append(user_message(f"And {number}?"))
        chat.append(assistant_message("Yes."))
        assert contents(chat)[2] == FIRST


FORGED = ["[t1]", "[t2]", "[t4]", "[t2.1]", "[t2 read src/a.py]", "[t99]", "t2", "recall t2"]


@pytest.mark.parametrize("text", FORGED)
def test_no_text_becomes_a_pointer_by_looking_like_one(text: str) -> None:
    """A text that looks like a pointer is not one, is shown in quotes, and `recall` returns it."""
    messages = [
        *READ,
        assistant_message(text),
        user_message(text),
        calling("2"),
        result("2", text),
        assistant_message(text),
        user_message("?"),
    ]
    chat = transcript(*messages)
    view = chat.render()
    is_longer = len(text) > len("[t5]")
    assert set(view.pointers) == ({FIRST, "[t5]"} if is_longer else {FIRST})
    count = [message["content"] for message in view.messages].count(text)
    is_like = text.startswith("[")
    assert count == 4 - (is_longer or is_like)
    quoted = [message["content"] for message in view.messages].count(f'"{text}"')
    assert quoted == (is_like and not is_longer)
    assert recall(chat, "t5") == text
    assert recall(chat, "t2") == LONG


def test_the_first_pointer_is_short_everywhere() -> None:
    """The first pointer takes fewer than 40 tokens in each installed vocabulary."""
    from lton.errors import MissingExtraError
    from lton.tokens import names

    counts = {}
    for name in names():
        try:
            counts[name] = counter(name).count(FIRST).tokens
        except MissingExtraError:
            continue
    assert len(counts) >= 3
    assert max(counts.values()) < 40


def test_a_pointer_takes_three_tokens() -> None:
    chat = transcript(*READ, *_steps(3), assistant_message("A story."), counter=counter("o200k"))
    report = chat.render().report()
    first = counter("o200k").count(FIRST).tokens
    assert report["pointers"] == 2
    assert report["tokens_a_pointer"] == (3 + first) / 2
    assert report["pointer_style"] == "auto"


@pytest.mark.parametrize(
    ("name", "msg"),
    [
        ("t9", "there is no turn 9"),
        ("t2.2", "turn 2 has 1 results"),
        ("t1.1", "turn 1 has 0 results"),
        ("everything", "expected a result"),
        ("t0", "expected a result"),
    ],
)
def test_what_points_to_nothing_is_an_error(name: str, msg: str) -> None:
    chat = transcript(*READ)
    assert msg in str(caught(Code.POINTER, lambda: recall(chat, name)))


def test_messages_can_be_recalled_too() -> None:
    assert recall(transcript(*READ), "t1") == "What is in it?"


# --- the boundary --------------------------------------------------------------------------------


def _steps(number: int) -> list[dict[str, Any]]:
    return [calling(f"c{number}"), result(f"c{number}", f"{number} {LONG}")]


def test_a_view_begins_as_the_one_before_until_results_are_cleared() -> None:
    chat = transcript(user_message("Read!"), hot_turns=3, clear="always")
    pointers, hits = [], []
    for number in range(7):
        for message in _steps(number):
            chat.append(message)
        view = chat.render()
        pointers.append(len(view.pointers))
        hits.append(view.report()["cache"]["hit"])
    assert pointers == [0, 0, 0, 1, 2, 3, 4]
    assert hits[2] > hits[1] > hits[0] == 0
    assert hits[3] < hits[2]
    assert [decision.action for decision in view.decisions] == ["pointer"] * 4 + ["kept"] * 3 + [
        "cleared"
    ]


def test_results_are_cleared_when_the_window_fills() -> None:
    """When the window fills, results are cleared before compaction, whatever the policy."""
    options: dict[str, Any] = {"clear": "never", "window": 2000, "reserve": 0}
    chat = transcript(user_message("Read!"), **options)
    counts = []
    for number in range(14):
        for message in _steps(number):
            chat.append(message)
        counts.append(len(chat.render().pointers))
    assert counts[:3] == [0, 0, 0]
    assert counts[-1] > 4
    decisions = chat.render().decisions
    assert not any(decision.action == "compacted" for decision in decisions)
    assert [decision.reason for decision in decisions if decision.action == "cleared"] == ["window"]


# --- pairing -------------------------------------------------------------------------------------


def test_calls_and_results_belong_together() -> None:
    chat = transcript(user_message("?"), calling("1", "2"))
    before = chat.entries
    for message in (
        user_message("Well?"),
        assistant_message("Hm."),
        result("3", ""),
        {"role": "tool", "name": "write", "content": ""},
    ):
        caught(Code.PAIRING, lambda message=message: chat.append(message))
    assert "read (1), read (2)" in str(caught(Code.PAIRING, chat.render))
    chat.append(result("2", "two"))
    caught(Code.PAIRING, lambda: chat.append(result("2", "again")))
    chat.append(result("1", "one"))
    assert chat.entries == before + 2
    assert contents(chat) == ["?", None, "two", "one"]
    caught(Code.PAIRING, lambda: transcript().append(result("1", "")))


def test_results_without_ids_answer_the_calls_that_they_name_or_the_next() -> None:
    """Results without ids belong to the calls that they name, or to the next calls."""
    function = {"name": "now", "arguments": "{}"}
    both = calling("1", "2")
    both["tool_calls"][0]["function"] = function
    named = [
        {"role": "tool", "name": "read", "content": LONG},
        {"role": "tool", "content": "noon"},
    ]
    chat = transcript(user_message("?"), both, *named, assistant_message("!"), pointer="compact")
    head, noon = contents(chat)[2:4]
    assert head.startswith("[t2.1 read src/a.py left out to save space")
    assert noon == "noon"
    assert recall(chat, "t2.1") == LONG
    caught(Code.PAIRING, lambda: transcript(both, *named, named[1]))


def test_calls_without_ids_are_answered_in_order() -> None:
    function = {"name": "now", "arguments": "{}"}
    call = {"role": "assistant", "content": None, "tool_calls": [{"function": function}] * 2}
    chat = transcript(
        user_message("?"), call, *[{"role": "tool", "content": text * 90} for text in "ab"]
    )
    assert contents(chat)[2:] == ["a" * 90, "b" * 90]
    chat.append(assistant_message("!"))
    assert contents(chat)[2:4] == [spell_first_pointer(Reference(2, 1)), "[t2.2]"]


def test_the_checks_find_what_is_wrong() -> None:
    call = Message("assistant", (ToolCall("read", "{}", "1"),))
    answer = Message("tool", (ToolResult((Text("x"),), "1"),))
    check_pairs([call, answer])
    for wrong in (
        [answer],
        [call],
        [call, Message.saying("user", "?"), answer],
        [call, answer, answer],
    ):
        caught(Code.PAIRING, lambda wrong=wrong: check_pairs(wrong))
    store = open_store("memory:")
    caught(Code.STORE, lambda: check_recall({"[t1]": b"lost"}, store))
    store.append("log", b"kept", at=0)
    check_recall({"[t1]": b"kept"}, store)
    caught(Code.POINTER, lambda: check_recall({"t1": b"kept"}, store))
    check_budget(8, 8, {})


def test_a_user_turn_in_a_message_with_results_is_its_own() -> None:
    """A user's text in a message with results is a separate turn, and is returned in its original
    shape.
    """
    use = {"type": "tool_use", "id": "1", "name": "read", "input": {}}
    result_block = {"type": "tool_result", "tool_use_id": "1", "content": LONG, "is_error": True}
    messages = from_anthropic(
        [
            {"role": "user", "content": "?"},
            {"role": "assistant", "content": [use]},
            {"role": "user", "content": [result_block, {"type": "text", "text": "Well?"}]},
            {"role": "assistant", "content": "!"},
        ],
        "Be kind.",
    )
    chat = transcript(*messages)
    body = to_anthropic(chat.render().chat)
    assert body["messages"][2]["content"][0]["content"] == LONG  # an error
    assert [
        message["role"] for message in body["messages"]
    ] == "user assistant user user assistant".split()
    assert body["system"] == "Be kind."
    assert recall(chat, "t4") == "Well?"


def test_what_only_anthropic_has_is_counted_too() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA"}}
    chat = transcript(
        *from_anthropic(
            [{"role": "user", "content": [image, {"type": "text", "text": "?"}]}], "Be kind."
        )
    )
    view = chat.render()
    assert view.tokens > 0
    assert to_anthropic(view.chat)["messages"][0]["content"][0] == image
    with pytest.raises(ConversionError):
        view.messages  # noqa: B018


def test_an_image_of_responses_is_counted_with_its_text() -> None:
    image = {"type": "input_image", "image_url": "data:,"}
    call = {"type": "function_call", "call_id": "1", "name": "look", "arguments": "{}"}
    text = {"type": "input_text", "text": "A cat sleeps in a box. " * 9}
    result = {"type": "function_call_output", "call_id": "1", "output": [text, image]}
    question = {"role": "user", "content": [image, text]}

    view = transcript(*from_responses([question, call, result])).render()

    assert view.tokens > 2 * len(text["text"]) // 4
    assert to_responses(view.chat)["input"] == [question, call, result]


def test_responses_are_taken_too() -> None:
    items = [
        {"role": "user", "content": "?"},
        {"type": "function_call", "call_id": "1", "name": "read", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "1", "output": LONG},
        {"role": "assistant", "content": "!"},
    ]
    chat = transcript(*from_responses(items))
    assert contents(chat)[2] == FIRST


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "content": 5},
        {"content": "x"},
        {"role": "user", "content": "x", "n": float("nan")},
        {"role": "user", "content": "x", "n": json.loads("[" * 250 + "]" * 250)},
        {"role": "user", "content": "x", "n": json.loads("[" * 900 + "]" * 900)},
    ],
)
def test_what_is_no_message_is_refused(message: Any) -> None:
    chat = transcript()
    with pytest.raises(ConversionError):
        chat.append(message)
    assert chat.entries == 1


def test_a_store_that_takes_nothing_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the log is damaged, an append is an error and does not wait for ever."""
    chat = transcript(user_message("?"))
    monkeypatch.setattr(chat._store, "append", lambda *_, **__: False)
    with pytest.raises(StoreError, match="accepts no entry"):
        chat.append(assistant_message("!"))


# --- restarts ------------------------------------------------------------------------------------

OPTIONS: dict[str, Any] = {"counter": Characters(), "hot_turns": 2}


def _alike(one: Transcript, other: Transcript) -> None:
    views = one.render(), other.render()
    assert views[0].messages == views[1].messages
    assert views[0] == views[1]


def test_after_a_restart_views_and_results_are_the_same(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/chat.db"
    chat = Transcript(store=open_store(url), **OPTIONS)
    results = 0
    for message in tau(3)[2] + tau(1)[0][1:]:
        chat.append(message)
        results += message["role"] == "tool"
        if message["role"] != "assistant":
            _alike(chat, Transcript.load(open_store(url), chat.id, **OPTIONS))
    again = Transcript.load(open_store(url), chat.id, **OPTIONS)
    numbers = [turn.number for turn in chat._state.turns if turn.results]
    assert [recall(again, f"t{n}") for n in numbers] == [recall(chat, f"t{n}") for n in numbers]
    assert len(numbers) == results > 10


def test_every_process_and_hash_seed_shows_the_same() -> None:
    """Pointers, files, summaries and notes are the same bytes in every process and hash seed."""
    program = """
import json
from tests.transcript.conversations import calling, result, transcript, user_message

chat = transcript(window=1500, reserve=0, file_over=700, preview=50)
for at in range(20):
    for message in (
        user_message(f"What of {at}? " * 3),
        calling(f"c{at}"),
        result(f"c{at}", f"line {at}\\n" * (9 + 20 * at % 90)),
    ):
        chat.append(message)
    view = chat.render()
print(json.dumps([view.messages, view.report(), {k: v.hex() for k, v in view.pointers.items()}]))
"""
    outputs = [
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=Path(__file__).parents[2],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    ]
    assert "compacted" in outputs[0]
    assert len(set(outputs)) == 1


def test_two_processes_share_a_conversation(tmp_path: Path) -> None:
    """Each of two processes sees the other's messages, also during its own append."""
    url = f"sqlite:///{tmp_path}/chat.db"
    one = Transcript(store=open_store(url), **OPTIONS)
    other = Transcript.load(open_store(url), one.id, **OPTIONS)
    one.append(READ[0])
    other.append(READ[1])
    one.append(READ[2])
    caught(Code.PAIRING, lambda: other.append(READ[2]))
    other.append(assistant_message("A story."))
    _alike(one, other)
    other._read_new_entries = lambda: None  # type: ignore[method-assign]
    one.append(user_message("Thanks"))
    syncs: list[int] = []

    def read_from_the_second_time() -> None:
        if syncs:
            Transcript._read_new_entries(other)
        syncs.append(1)

    other._read_new_entries = read_from_the_second_time  # type: ignore[method-assign]
    other.append(assistant_message("You are welcome."))
    assert len(syncs) == 2
    syncs.clear()
    one.append(user_message("Bye"))
    other._log_entry({"use": {"file": "f1", "part": "all"}})
    del other._read_new_entries
    _alike(one, other)


def test_a_conversation_that_is_not_there_is_an_error() -> None:
    store = open_store("memory:")
    with pytest.raises(StoreError, match="no conversation 'chat-7'"):
        Transcript.load(store, "chat-7", counter=Characters())
    chat = Transcript(counter=Characters(), store=store, chat_id="mine")
    assert Transcript.load(store, "mine", counter=Characters()).id == chat.id == "mine"


texts = st.text(max_size=400) | st.sampled_from(
    [*FORGED, LONG, "Error", '{"error": 1}', "\ud800", ""]
)


@st.composite
def conversations(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Generate conversations like those of agents, with any texts."""
    messages: list[dict[str, Any]] = [user_message(draw(texts))]
    for number in range(draw(st.integers(0, 8))):
        match draw(st.integers(0, 3)):
            case 0:
                messages.append(user_message(draw(texts)))
            case 1:
                messages.append(assistant_message(draw(texts)))
            case _:
                ids = [f"{number}.{n}" for n in range(draw(st.integers(1, 3)))]
                messages.append(calling(*ids))
                messages += [result(i, draw(texts)) for i in draw(st.permutations(ids))]
    return messages


@given(
    conversations(),
    st.integers(1, 3),
    st.sampled_from(["pays", "always", "never"]),
    st.sampled_from([20, 200, 10_000]),
    st.sampled_from([700, 2000, 90_000]),
)
def test_what_holds_of_every_view(
    messages: list[dict[str, Any]], hot: int, clear: str, file_over: int, window: int
) -> None:
    """Every view keeps pairs, the budget, the last request and errors; pointers, files and a
    restart work.
    """
    options: dict[str, Any] = {
        "hot_turns": hot,
        "clear": clear,
        "file_over": file_over,
        "preview": 10,
        "window": window,
        "reserve": 100,
    }
    store = open_store("memory:")
    chat = transcript(store=store, **options)
    for message in messages:
        chat.append(message)
    again = Transcript.load(store, chat.id, counter=Characters(), **options)
    with suppress(TranscriptError):
        chat.render()
        _check(chat, again, messages, window - 100)
        return
    assert caught(Code.WINDOW, chat.render).msg == caught(Code.WINDOW, again.render).msg


def _check(chat: Transcript, again: Transcript, messages: list[dict[str, Any]], room: int) -> None:
    """Check the properties of a view that fits."""
    view = chat.render()
    _alike(again, chat)
    shown_messages = view.messages
    assert Characters().count_messages(shown_messages).tokens == view.tokens <= room
    roles = [message["role"] for message in shown_messages if message["role"] != "system"]
    assert roles[0] == "user"
    request = next(message for message in reversed(messages) if message["role"] == "user")
    assert request in shown_messages
    for decision in view.decisions:
        assert decision.after <= decision.before or decision.action == "kept"
    for pointer, content in view.pointers.items():
        assert recall(chat, pointer).encode("utf-8", "surrogatepass") == content
    results = [message for message in messages if message["role"] == "tool"]
    assert [
        recall(again, f"t{turn.number}.{n}")
        for turn in again._state.turns
        for n in range(1, len(turn.results) + 1)
    ] == [message["content"] for message in results]


# --- options -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {"window": 0},
        {"reserve": -1},
        {"reserve": 90_000},
        {"hot_turns": 0},
        {"compact_at": 0},
        {"compact_at": 1.5},
        {"file_over": -1},
        {"pointer": "rich"},
        {"clear": "sometimes"},
    ],
)
def test_options_that_make_no_sense_are_refused(options: Any) -> None:
    with pytest.raises(ValueError, match="expected"):
        transcript(**options)


def test_what_does_not_fit_is_an_error_with_sizes() -> None:
    chat = transcript(
        {"role": "system", "content": "Be kind. " * 5},
        user_message("x" * 100),
        window=120,
        reserve=20,
    )
    error = caught(Code.WINDOW, chat.render)
    assert "tokens do not fit in 100: instructions 55, old turns 0, hot turns 108" in error.msg


def test_public_names_are_found() -> None:
    import lton.context

    assert lton.transcript.Transcript is Transcript
    assert set(lton.context.__all__) <= set(dir(lton.context))
    with pytest.raises(AttributeError, match="no attribute 'Transcripts'"):
        lton.context.Transcripts  # type: ignore[attr-defined]  # noqa: B018


# --- what else there is ---------------------------------------------------------------------------


def test_answers_are_those_of_the_tools() -> None:
    chat = transcript(*READ)
    with pytest.raises(EncodeError):
        chat.answer(Call("recall", {}))
    with pytest.raises(EncodeError):
        chat.answer(Call("load_skill", {"name": "x"}))
    assert chat.answer(ToolCall("recall", '{"result": "t2"}')) == LONG
    assert "recall" in chat.tools.prompt()


def test_other_parts_stay_as_they_are() -> None:
    """A long message of the user with an image does not become a file."""
    image = {"type": "image_url", "image_url": {"url": "data:,"}}
    message = {"role": "user", "content": [{"type": "text", "text": LONG}, image]}
    chat = transcript(message, user_message("?"), file_over=20)
    assert message in chat.render().messages
    assert isinstance(chat.render().chat[0].parts[1], Other)


def test_a_message_of_results_and_text_becomes_two_turns() -> None:
    """The results of a message join the turn of their calls, and its text begins a turn."""
    chat = Transcript(counter=counter("bytes"), store=open_store("memory:"))
    chat.append(Message("assistant", (ToolCall("wait", "{}", "a"),)))
    chat.append(Message("user", (ToolResult((Text("done"),), "a"), Text("Go on."))))
    parts = [(one.turn, one.message.role, one.message.parts) for one in chat.render().shown[1:]]
    assert parts == [
        (1, "tool", (ToolResult((Text("done"),), "a"),)),
        (2, "user", (Text("Go on."),)),
    ]


def test_messages_are_added_to_a_list_of_turns() -> None:
    """A call and its result are one turn, and a message that does not fit adds nothing."""
    turns = list[Turn]()
    for message in (
        Message.saying("user", "Hi"),
        Message("assistant", (ToolCall("wait", "{}", "a"),)),
        Message("tool", (ToolResult((Text("done"),), "a"),)),
    ):
        add_message(turns, message)
    with pytest.raises(TranscriptError, match="answers no open call"):
        add_message(turns, Message("tool", (ToolResult((Text("again"),), "a"),)))
    assert [(turn.number, len(turn.results)) for turn in turns] == [(1, 0), (2, 1)]


def test_results_of_one_message_join_the_turn_of_their_calls() -> None:
    """A message with nothing but two results becomes two messages."""
    calls = tuple(ToolCall("look", {}, id_) for id_ in "ab")
    results = tuple(ToolResult((Text(id_),), id_) for id_ in "ab")
    (turn,) = extend_turns(extend_turns([], Message("assistant", calls)), Message("tool", results))
    assert [message.parts for message in turn.results] == [(result,) for result in results]
