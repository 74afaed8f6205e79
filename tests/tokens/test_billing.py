"""Test billed tokens: the effect of a prompt cache on consecutive requests."""

import pytest

from lton.tokens.billing import PRICES, Prices, PromptCache, PromptTokens, count_common_start

RULES, ASKED, SAID = ("rules", 500), ("asked", 90), ("said", 10)


def test_what_is_read_is_the_common_beginning() -> None:
    cache = PromptCache()
    assert cache.bill_prompt([RULES, ASKED]) == PromptTokens(write=590)
    assert cache.bill_prompt([RULES, ASKED, SAID]) == PromptTokens(write=10, read=590)
    assert cache.bill_prompt([RULES, SAID, ASKED]) == PromptTokens(write=100, read=500)
    assert cache.bill_prompt([RULES]) == PromptTokens(read=500)


def test_a_rewrite_can_cost_more_than_it_saves() -> None:
    """If a token at the front is removed, everything after it is written again, which may cost more
    than it saves.
    """
    prices, tail = Prices(), [("tail", 10_000)]
    unchanged, changed = PromptCache(), PromptCache()
    for cache in (unchanged, changed):
        cache.bill_prompt([("long", 1_000), *tail])
    as_it_was = prices.price_of(unchanged.bill_prompt([("long", 1_000), *tail]))
    shorter = prices.price_of(changed.bill_prompt([("short", 1), *tail]))
    assert as_it_was == pytest.approx(1_100)
    assert shorter == pytest.approx(12_501.25)


def test_a_cache_runs_out() -> None:
    """Each request extends the cache's lifetime, and the caller gives the times of requests."""
    cache = PromptCache(lifetime=300)
    cache.bill_prompt([RULES], now=0)
    assert cache.bill_prompt([RULES], now=300) == PromptTokens(read=500)
    assert cache.bill_prompt([RULES], now=600) == PromptTokens(read=500)
    assert cache.bill_prompt([RULES], now=901) == PromptTokens(write=500)
    assert cache.bill_prompt([RULES]) == PromptTokens(read=500)


def test_presets_say_what_providers_bill() -> None:
    tokens = PromptTokens(input=1, write=100, read=1_000) + PromptTokens(input=9)
    assert tokens.total == 1_110
    billed = {name: prices.price_of(tokens) for name, prices in PRICES.items()}
    assert billed == pytest.approx(
        {"anthropic": 235, "anthropic-1h": 310, "openai": 210, "local": 110}
    )


@pytest.mark.parametrize("prices", [{"read": -1}, {"lifetime": float("nan")}])
def test_prices_that_make_no_sense_are_refused(prices: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="at least 0"):
        Prices(**prices)


def test_a_common_beginning_is_counted_in_items() -> None:
    assert [
        count_common_start("", "a"),
        count_common_start("ab", "ab"),
        count_common_start("ab", "abc"),
        count_common_start("xb", "ab"),
    ] == [
        0,
        2,
        2,
        0,
    ]


def test_tokens_that_are_cached_for_an_hour_have_a_price_of_their_own() -> None:
    """Writes for an hour are part of all writes, and cost twice as much as an uncached token."""
    tokens = PromptTokens(input=10, write=300, read=1_000, hour_write=100)
    assert Prices().price_of(tokens) == pytest.approx(10 + 250 + 200 + 100)
    assert (tokens + tokens).hour_write == 200
    assert sum(tokens.by_kind().values()) == tokens.total == 1_310
    with pytest.raises(ValueError, match="at least 0"):
        Prices(hour_write=-1)
