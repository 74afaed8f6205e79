"""Test that results are cleared only if that saves costs, and that no conversation gets dearer."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lton.chat import Message
from lton.errors import TranscriptError
from lton.stores import open_store
from lton.tokens import TurnCache
from lton.tokens.billing import PRICES, Prices, PromptCache
from lton.tokens.counting import Count
from lton.transcript import Transcript, _token_counts
from lton.transcript.clearing_cost import Account, Clearing, Waiting
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

NOISY = "fact" + "\x1b[K" * 100 + "\n"
"""A text of which first sight takes nearly all: what a clearing may be paid with."""
PROSE = "Some prose that no other result says, and that is long enough to be worth a pointer. "
SETTINGS: dict[str, Any] = {"clear": "pays", "hot_turns": 2, "window": 900_000}


def steps(number: int, text: str = PROSE) -> list[dict[str, Any]]:
    call = calling(f"c{number}", name="bash", arguments='{"command":"make"}')
    return [call, result(f"c{number}", f"{number} {text}" * 4)]


def paid(chat: Transcript, count: int, start: int = 0, text: str = PROSE) -> list[int]:
    """Append turns, and return the number of pointers at each request."""
    counts = []
    for number in range(start, start + count):
        for message in steps(number, text):
            chat.append(message)
        counts.append(len(chat.render().pointers))
    return counts


def test_results_are_cleared_when_that_pays_and_the_view_says_why() -> None:
    chat = transcript(user_message("?"), **SETTINGS)
    paid(chat, 10, text=NOISY)
    pointers = paid(chat, 40, 10)
    assert pointers[0] == 0
    assert pointers[-1] > 10
    assert len(set(pointers)) < 12, "in batches"
    (cleared,) = [decision for decision in chat.render().decisions if decision.action == "cleared"]
    assert cleared.reason.startswith("pays: cached, now +")
    assert "requests of" in cleared.reason
    assert cleared.before > 0


@pytest.mark.untraced
def test_the_sum_is_in_the_log_and_another_process_shows_the_same() -> None:
    store = open_store("memory:")
    chat = transcript(user_message("?"), store=store, **SETTINGS)
    paid(chat, 10, text=NOISY)
    for number in range(10, 50):
        for message in steps(number):
            chat.append(message)
        again = Transcript.load(store, chat.id, counter=Characters(), **SETTINGS)
        assert again.render() == chat.render()
    logs = [entry.decode() for entry in store.entries(chat.id)]
    cleared = [log for log in logs if '"cleared"' in log]
    assert cleared
    for entry in cleared:
        assert all(f'"{name}"' in entry for name in ("reads", "saved", "extra", "later", "ahead"))


def test_what_has_saved_nothing_is_not_cleared() -> None:
    """Before anything was saved, nothing is cleared, because the next request may be the last."""
    chat = transcript(user_message("?"), **SETTINGS)
    assert set(paid(chat, 60)) == {0}


def test_where_a_cache_is_read_for_nothing_only_the_window_forces_it() -> None:
    chat = transcript(user_message("?"), **SETTINGS | {"prices": PRICES["local"]})
    paid(chat, 10, text=NOISY)
    assert set(paid(chat, 40, 10)) == {0}
    small = transcript(
        user_message("?"), **SETTINGS | {"prices": PRICES["local"], "window": 12_000}
    )
    assert paid(small, 40)[-1] > 0


def test_when_the_cache_has_run_out_to_clear_is_free() -> None:
    """If the cache has expired, clearing is free; the caller gives the times of requests."""
    for now, last, is_cleared in ((1_000, 699, True), (1_000, 700, False), (1_000, None, False)):
        chat = transcript(user_message("?"), **SETTINGS)
        paid(chat, 5)
        view = chat.render(now=now, asked=last)
        assert bool(view.pointers) == is_cleared
        if is_cleared:
            assert view.decisions[-1].reason.startswith("pays: no cache")


def replayed(messages: list[dict[str, Any]], **options: Any) -> Iterator[float]:
    """Return the savings of each request compared with the unchanged conversation.

    A repeated request is checked to be the same.
    """
    chat = Transcript(counter=Characters(), store=open_store("memory:"), **options)
    ours, theirs, counts = PromptCache(), PromptCache(), TurnCache()
    prices: Prices = options.get("prices", PRICES["anthropic"])

    def billed(cache: PromptCache, messages: list[Mapping[str, Any]]) -> float:
        parts = [(message, counts.count(Characters(), message).tokens) for message in messages]
        return prices.price_of(cache.bill_prompt(parts))

    for at, message in enumerate(messages):
        if message["role"] == "assistant" and at:
            view = chat.render()
            assert chat.render().messages == view.messages
            yield billed(theirs, [*messages[:at]]) - billed(ours, [*view.messages])
        chat.append(message)


texts = st.sampled_from(
    [PROSE * 3, PROSE * 9, NOISY * 4, "Error: no", "ok", '{"a": {"b": [1, 2, 3]}}' + " " * 30]
)


@settings(deadline=None)
@given(
    st.lists(st.tuples(texts, st.booleans()), max_size=40),
    st.integers(1, 3),
    st.sampled_from(sorted(PRICES)),
)
def test_no_conversation_is_ever_dearer(
    turns: list[tuple[str, bool]], hot: int, prices: str
) -> None:
    """At any request, the bill of a conversation is at most that of the unchanged one."""
    messages = [user_message("Go!")]
    for number, (text, is_asked) in enumerate(turns):
        messages += [calling(f"{number}"), result(f"{number}", f"{text} {number}")]
        messages += [assistant_message("Done."), user_message(f"And {number}?")] if is_asked else []
    messages.append(assistant_message("Bye."))
    saved = 0.0
    for savings in replayed(messages, hot_turns=hot, prices=PRICES[prices], window=900_000):
        saved += savings
        assert saved > -1e-6


@pytest.mark.untraced
def test_conversations_of_agents_are_cheaper() -> None:
    joined = [message for at, chat in enumerate(tau(12)) for message in chat[at > 0 :]]
    while joined[-1]["role"] != "assistant" or joined[-1].get("tool_calls"):
        joined.pop()
    assert sum(replayed(joined, window=900_000)) > 0


def test_fewer_turns_are_hot_before_anything_is_refused() -> None:
    """If the recent results do not fit, fewer turns count as recent, and finally the newest is
    shown in part.
    """
    log = "line of a log with some words in it\n"
    chat = transcript(
        user_message("Read!"), window=9_000, reserve=1_000, hot_turns=10, clear="pays"
    )
    for number in range(4):
        for message in (calling(f"{number}"), result(f"{number}", f"{number}{log}" * 100)):
            chat.append(message)
        view = chat.render()
        assert view.tokens <= 8_000
    assert contents(chat)[-1].startswith("3line of a log")


def test_a_narrow_window_shows_the_beginning_of_what_came_last() -> None:
    options: dict[str, Any] = {"window": 1_500, "reserve": 300, "hot_turns": 3, "preview": 400}
    store = open_store("memory:")
    chat = transcript(user_message("Read!"), store=store, **options)
    for number in range(6):
        chat.append(calling(f"{number}.1", f"{number}.2"))
        for n in (1, 2):
            chat.append(result(f"{number}.{n}", f"{number}.{n}: some words\n" * 36))
        view = chat.render()
        assert view.tokens <= 1_200
        again = Transcript.load(store, chat.id, counter=Characters(), clear="always", **options)
        assert again.render().messages == view.messages
    assert all("some words\n[file f" in content for content in contents(chat)[-2:])


def test_what_does_not_fit_in_any_way_is_refused() -> None:
    with pytest.raises(TranscriptError, match="E714"):
        transcript(user_message("x" * 3_000), window=2_000, reserve=0).render()


# --- the sum -------------------------------------------------------------------------------------


def test_the_sum_is_that_of_the_bill() -> None:
    """The costs equal the bill: 1,000 of 10,000 tokens are removed after 4,000 unchanged tokens."""
    account = Account(Prices(write=1.25, read=0.1))
    for tokens in (9_000, 10_000):
        account.bill_request(tokens, 2 * tokens)
    waiting = Waiting()
    waiting.add_turn(3, 4_000, 1_000, requests=1)
    weighing = account.weigh_clearing(10_000, waiting, 0, expired=False)
    assert weighing.extra == pytest.approx((0.1 * 4_000 + 1.25 * 5_000) - 0.1 * 10_000)
    assert (weighing.saved, weighing.reads) == (1_000, 2)
    assert (weighing.later, weighing.held) == pytest.approx((200, 100))
    assert weighing.ahead == pytest.approx(0.1 * 9_000 + 1.25 * 10_000)
    assert not weighing.pays
    assert account.weigh_clearing(10_000, waiting, 0, expired=True).pays


@pytest.mark.parametrize("name", ["later", "held", "ahead"])
def test_each_part_of_the_sum_decides(name: str) -> None:
    enough = Clearing(9, 9, extra=100.0, later=100.0, held=100.0, ahead=100.0)
    assert enough.pays
    assert not replace(enough, **{name: 40.0}).pays  # type: ignore[arg-type]
    assert replace(enough, extra=0.0, **{name: 0.0}).pays  # type: ignore[arg-type]
    assert not replace(enough, saved=0, extra=0.0).pays


def test_the_best_place_to_begin_is_after_what_would_be_written_for_little() -> None:
    account = Account(Prices())
    for tokens in (90_000, 100_000) * 20:
        account.bill_request(tokens, 2 * tokens)
    waiting = Waiting()
    waiting.add_turn(2, 1_000, 50, requests=1)
    waiting.add_turn(7, 80_000, 9_000, requests=2)
    assert account.find_best_first_turn(100_000, waiting, waiting.starts(), expired=False) == 1
    waiting.drop_turns_from(7)
    assert waiting.turns == [2]
    assert account.find_best_first_turn(100_000, waiting, waiting.starts(), expired=False) is None


def test_no_more_places_are_looked_at_than_some(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lton.transcript.clearing_cost._MOST_STARTS", 3)
    waiting = Waiting()
    for turn in range(1, 9):
        waiting.add_turn(turn, turn, 1, requests=0)
    assert waiting.starts() == [0, 5, 6, 7]


@pytest.mark.parametrize("text", [PROSE, NOISY])
def test_a_turn_costs_what_is_new(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a long conversation, a turn counts no more messages than in a short one."""
    counts: list[int] = []

    def counting(message: Message) -> list[str] | None:
        counts.append(1)
        return plain_texts(message)

    plain_texts = _token_counts._find_plain_texts
    monkeypatch.setattr(_token_counts, "_find_plain_texts", counting)
    chat, turns = transcript(user_message("?"), **SETTINGS | {"hot_turns": 3}), []
    for number in range(250):
        counts.clear()
        paid(chat, 1, number, text)
        turns.append(sum(counts))
    assert sum(turns[-100:]) <= 1.3 * sum(turns[50:150])


@pytest.mark.parametrize("forced", [False, True])
def test_what_comes_while_results_are_cleared_is_in_the_view(
    monkeypatch: pytest.MonkeyPatch, *, forced: bool
) -> None:
    options = SETTINGS | ({"clear": "never", "window": 4_600} if forced else {"clear": "always"})
    store = open_store("memory:")
    chat = transcript(user_message("?"), store=store, **options)
    for number in range(6):
        for message in steps(number):
            chat.append(message)
    write = chat._try_to_log

    def late(*arguments: Any) -> bool:
        monkeypatch.setattr(chat, "_try_to_log", write)
        Transcript.load(store, chat.id, counter=Characters(), **options).append(
            user_message("And now?")
        )
        return write(*arguments)

    monkeypatch.setattr(chat, "_try_to_log", late)
    assert contents(chat)[-1] == "And now?"
    assert chat.render().pointers


@pytest.mark.untraced
def test_what_would_be_shown_again_wins_nothing() -> None:
    """A file to which notes of recent turns refer is not cleared, because they would become whole
    again.
    """
    page = "".join(f"{n}: a line of a page that is shown\n" for n in range(200))
    chat = transcript(user_message("?"), **SETTINGS)
    paid(chat, 10, text=NOISY)
    for number in range(40):
        chat.append(calling(f"p{number}"))
        chat.append(result(f"p{number}", page))
        assert page in contents(chat)


class Framed(Characters):
    """A counter whose chats have more tokens than their messages, like a template."""

    def count_messages(self, messages: Any, tools: Any = ()) -> Count:
        return super().count_messages(messages, tools) + Count(len(messages) ** 2, exact=True)


def test_a_view_has_the_tokens_of_its_counter() -> None:
    chat = transcript(user_message("?"), *steps(1), *steps(2), counter=Framed())
    view = chat.render()
    assert view.tokens == Framed().count_messages(view.messages).tokens
    assert view.is_partial
    assert not transcript(user_message("?")).render().is_partial
