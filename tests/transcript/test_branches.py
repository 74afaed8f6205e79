"""Test recognizing conversations by their beginnings: continued, branched, in several processes."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lton.chat import Message, from_openai
from lton.errors import LTONError
from lton.schema import Call
from lton.stores import Store, open_store
from lton.transcript import branches as module
from lton.transcript.branches import Branches, Recognized
from lton.transcript.pointers import Reference, spell_first_pointer
from tests.transcript.conversations import (
    Characters,
    assistant_message,
    calling,
    result,
    tau,
    user_message,
)

LONG = "A long story. " * 20


def branches(store: Store | None = None, **options: Any) -> Branches:
    sizes = {"window": 90_000, "hot_turns": 1, "clear": "always"}
    return Branches(store or open_store("memory:"), counter=Characters(), **(sizes | options))


def read(*messages: Any) -> tuple[Message, ...]:
    return from_openai(messages)


def visible_contents(opened: Recognized) -> list[Any]:
    return [message["content"] for message in opened.view.messages]


def turns(count: int, start: int = 0) -> list[Any]:
    every = range(start, start + count)
    return [
        message for n in every for message in (calling(f"c{n}"), result(f"c{n}", f"{n} {LONG}"))
    ]


def test_a_conversation_goes_on() -> None:
    conversations = branches()
    first = conversations.open_conversation(read(user_message("Hi"), *turns(2)))
    again = conversations.open_conversation(read(user_message("Hi"), *turns(2)))
    more = conversations.open_conversation(read(user_message("Hi"), *turns(4)))

    assert [opening.origin for opening in (first, again, more)] == ["new", "continued", "continued"]
    assert first.chat is again.chat is more.chat
    assert visible_contents(first) == visible_contents(again)
    pointers = [
        content for content in visible_contents(more) if content and content.startswith("[t")
    ]
    assert pointers == [spell_first_pointer(Reference(2)), "[t3]", "[t4]"]


def test_turns_have_the_same_numbers_in_a_branch() -> None:
    conversations = branches()
    main = conversations.open_conversation(read(user_message("Hi"), *turns(4)))
    other = conversations.open_conversation(read(user_message("Hi"), *turns(2), *turns(2, 7)))
    ends = [opening.chat.answer(Call("recall", {"result": "t4"})) for opening in (main, other)]
    same = [opening.chat.answer(Call("recall", {"result": "t3"})) for opening in (main, other)]

    assert (main.origin, other.origin) == ("new", "branched")
    assert main.chat.id != other.chat.id
    assert [end[0] for end in ends] == ["2", "7"]
    assert same[0] == same[1]
    assert (
        conversations.open_conversation(
            read(user_message("Hi"), *turns(4), user_message("So?"))
        ).chat
        is main.chat
    )


def test_what_was_compacted_stays_so_in_a_branch_and_uses_of_files_are_no_messages() -> None:
    conversations = branches(window=6000, hot_turns=2)
    long = [
        message
        for n in range(30)
        for message in (user_message(f"{n}?"), assistant_message(f"{n} {LONG}"))
    ]
    first = conversations.open_conversation(read(*long), reserve=0)
    first.chat.answer(Call("file_read", {"file": "f1", "start_line": 1, "end_line": 1}))
    again = conversations.open_conversation(read(*long), reserve=0)
    other = conversations.open_conversation(read(*long, user_message("A?")), reserve=0)
    branch = conversations.open_conversation(read(*long, user_message("B?")), reserve=0)

    assert "compacted" in [decision.action for decision in first.view.decisions]
    assert [opening.origin for opening in (again, other, branch)] == [
        "continued",
        "continued",
        "branched",
    ]
    assert again.chat._state.files.uses == {"f1": ["lines 1-1"]}
    file = Call("file_read", {"file": "f1"})
    assert branch.chat.answer(file) == other.chat.answer(file) == first.chat.answer(file)
    assert branch.chat._state.files.uses["f1"][0] == "lines 1-1"
    with pytest.raises(LTONError, match="E714"):
        conversations.open_conversation(read(*long), reserve=5_900)


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=6), max_size=8))
def test_each_order_of_requests_shows_what_each_alone_would(requests: list[list[str]]) -> None:
    """A conversation has only its own messages, whatever other conversations were requested
    before.
    """
    conversations = branches()
    for words in requests:
        messages = read(user_message("?"), *(user_message(word) for word in words))
        assert visible_contents(conversations.open_conversation(messages)) == visible_contents(
            branches().open_conversation(messages)
        )


def test_a_restart_and_another_process_find_the_same(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/chats.db"
    messages = from_openai(tau(1)[0])
    most = len(messages) - len(messages) % 2
    for end in range(1, most):
        if any(message.calls for message in messages[end - 1 : end]):
            continue  # a result is to come
        with open_store(url) as store:
            opened = branches(store).open_conversation(messages[:end])
        assert opened.origin == ("new" if end == 1 else "continued")
        assert opened.chat.id == "chat-1"


APPENDING = """
import sys
from tests.transcript.test_branches import *
known = branches(open_store(sys.argv[1]))
for end in range(1, 40):
    own = [user_message(f"{n}") for n in range(end)]
    last = user_message(sys.argv[2]) if end % 5 == 0 else own[-1]
    messages = [*own[:-1], last]
    contents = [message["content"] for message in messages]
    assert visible_contents(known.open_conversation(read(*messages))) == contents
"""


def test_two_processes_at_a_time_have_each_their_own(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/chats.db"
    open_store(url).close()
    children = [
        subprocess.Popen([sys.executable, "-c", APPENDING, url, name], stderr=subprocess.PIPE)
        for name in ("one", "other")
    ]
    errors = [child.communicate(timeout=120)[1].decode() for child in children]

    assert [child.returncode for child in children] == [0, 0], errors


def test_what_another_appends_meanwhile_is_another_conversation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store = open_store("memory:")
    one, other = branches(store), branches(store)
    start = one.open_conversation(read(user_message("0")))
    find_conversation = Branches._find_conversation

    def late(self: Branches, *arguments: Any) -> Any:
        """Let the other writer continue after this one has read the log."""
        monkeypatch.setattr(Branches, "_find_conversation", find_conversation)
        conversation = find_conversation(self, *arguments)
        other.open_conversation(read(user_message("0"), user_message("theirs")))
        return conversation

    monkeypatch.setattr(Branches, "_find_conversation", late)
    mine = one.open_conversation(read(user_message("0"), user_message("mine")))
    assert (mine.origin, visible_contents(mine)) == ("branched", ["0", "mine"])

    again = one.open_conversation(read(user_message("1")))
    render = again.chat.render
    monkeypatch.setattr(
        again.chat,
        "render",
        lambda **_: (other.open_conversation(read(user_message("1"), user_message("2"))), render())[
            1
        ],
    )
    assert visible_contents(one.open_conversation(read(user_message("1")))) == ["1"]
    assert start.chat.id != mine.chat.id


def test_few_transcripts_are_kept_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_KEPT", 2)
    conversations = branches()
    opened = [conversations.open_conversation(read(user_message(f"{n}"))) for n in range(4)]

    assert len(conversations._ready) == 2
    again = conversations.open_conversation(read(user_message("0")))
    assert again.chat is not opened[0].chat
    assert again.chat.id == opened[0].chat.id


def test_a_cache_that_has_run_out_is_known_by_the_callers_clock(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_MOST_ASKED", 1)
    for pause, is_cleared in ((299.0, False), (301.0, True)):
        conversations = branches(clear="pays")
        conversations.open_conversation(read(user_message("Hi"), *turns(2)), now=100.0)
        conversations.open_conversation(read(user_message("Hi"), *turns(4)), now=200.0)
        opening = conversations.open_conversation(
            read(user_message("Hi"), *turns(5)), now=200.0 + pause
        )
        assert bool(opening.view.pointers) == is_cleared
        conversations.open_conversation(read(user_message("Ho")), now=0.0)
        assert (
            not conversations.open_conversation(
                read(user_message("Hi"), *turns(9)), now=9_999.0
            ).view.pointers
            or is_cleared
        )
