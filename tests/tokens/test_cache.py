"""Test that turns are counted once for each tokenizer."""

from collections.abc import Iterable

import pytest

from lton.tokens import Count, TurnCache
from lton.tokens.chat import PER_MESSAGE
from lton.tokens.counting import Counter


class Scripted(Counter):
    """Count characters, exactly while the server is up, and record the number of requests."""

    asked = 0
    up = True

    def count_all(self, texts: Iterable[str]) -> list[Count]:
        self.asked += 1
        return [Count(len(text), exact=self.up) for text in texts]


def test_a_turn_is_counted_once() -> None:
    """The second count of a turn comes from the cache."""
    cache, counter = TurnCache(), Scripted("a", exact=True)
    assert cache.count(counter, "hello") == cache.count(counter, "hello") == Count(5, exact=True)
    assert (counter.asked, cache.hits, len(cache)) == (1, 1, 1)


def test_another_tokenizer_counts_anew() -> None:
    """After a switch of models, no count of the old tokenizer is used."""
    cache, first, second = TurnCache(), Scripted("a", exact=True), Scripted("b", exact=True)
    cache.count(first, "hello")
    cache.count(second, "hello")
    assert (first.asked, second.asked, cache.hits) == (1, 1, 0)


def test_messages_are_turns() -> None:
    """A message is cached with its frame, and a text equal to its JSON is another entry."""
    cache, counter = TurnCache(), Scripted("a", exact=True)
    message = {"role": "user", "content": "hello"}
    assert cache.count(counter, message) == Count(4 + 5 + PER_MESSAGE, exact=False)
    assert cache.count(counter, dict(message)) == Count(4 + 5 + PER_MESSAGE, exact=False)
    assert cache.count(counter, '{"role":"user","content":"hello"}').tokens == 33
    assert (counter.asked, cache.hits) == (2, 1)


@pytest.mark.parametrize("turn", ["hello", {"role": "user", "content": "hello"}])
def test_what_a_server_could_only_estimate_is_not_kept(turn: str | dict[str, str]) -> None:
    """Estimates of a server that is down are not cached."""
    cache, counter = TurnCache(), Scripted("server", exact=True)
    counter.up = False
    assert not cache.count(counter, turn).exact
    assert len(cache) == 0
    counter.up = True
    cache.count(counter, turn)
    assert len(cache) == 1


def test_estimates_of_what_only_estimates_are_kept() -> None:
    """The counts of a rule of thumb never improve, so they are cached."""
    cache, counter = TurnCache(), Scripted("rule", exact=False)
    counter.up = False
    cache.count(counter, "hello")
    assert len(cache) == 1


def test_the_oldest_unused_turn_goes_first() -> None:
    """At the limit, the entry that was not used for the longest time is removed."""
    cache, counter = TurnCache(limit=2), Scripted("a", exact=True)
    for turn in ("one", "two", "one", "three"):
        cache.count(counter, turn)
    assert (len(cache), counter.asked) == (2, 3)
    cache.count(counter, "one")
    assert counter.asked == 3
    cache.count(counter, "two")
    assert counter.asked == 4


def test_a_cache_has_room() -> None:
    """A limit below one is an error of the caller."""
    with pytest.raises(ValueError, match="at least 1"):
        TurnCache(limit=0)


def test_any_text_has_a_place() -> None:
    """Texts with lone surrogates can be cached."""
    cache, counter = TurnCache(), Scripted("a", exact=True)
    cache.count(counter, "\ud800")
    cache.count(counter, "\ud801")
    assert len(cache) == 2
