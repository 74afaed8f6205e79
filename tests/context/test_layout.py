"""Test the Token Box Model: which sections fit, which are shortened, and that layouts are
reproducible.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lton
import lton.context
from lton.context import CriticalOverflowError, Decision, Layout, Section, lay_out
from lton.context.layout import FacetUnits, Passes
from lton.errors import Code, LTONError, SectionError
from lton.tokens import counter
from lton.tokens.counting import Count, Counter, TokenCounter

O200K = counter("o200k")
BYTES = counter("bytes")
PROSE = (
    "The tower was begun in 1887. It must not be climbed before June 30, 2025, they say. "
    "Nobody knows why 1.2 million people came anyway; see docs/history.md for the list. "
)


class Wide(Counter):
    """Count words, so that the whole has more tokens than its parts."""

    def __init__(self) -> None:
        super().__init__("wide", exact=True)

    def count_all(self, texts: Iterable[str]) -> list[Count]:
        words = [len(text.split()) for text in texts]
        return [Count(word + word * word // 20, exact=True) for word in words]


class Narrow(Counter):
    """Count distinct words, so that the whole has fewer tokens than its parts."""

    def __init__(self) -> None:
        super().__init__("narrow", exact=True)

    def count_all(self, texts: Iterable[str]) -> list[Count]:
        return [Count(len(set(text.split())), exact=True) for text in texts]


class Asked(Counter):
    """Count characters, and record the texts."""

    def __init__(self) -> None:
        super().__init__("asked", exact=True)
        self.asked = 0

    def count_all(self, texts: Iterable[str]) -> list[Count]:
        lengths = [len(text) for text in texts]
        self.asked += sum(lengths)
        return [Count(length, exact=True) for length in lengths]


def half(text: str, tokens: int, of: TokenCounter) -> str:
    """Return every second word."""
    return " ".join(text.split()[::2])


def actions(layout: Layout) -> list[str]:
    return [decision.action for decision in layout.decisions]


def sizes(layout: Layout) -> list[int]:
    return [decision.after for decision in layout.decisions]


def in_bytes(sections: Iterable[Section], budget: int, passes: Passes = "normative") -> Layout:
    return lay_out(sections, budget=budget, units="bytes", passes=passes)


# What FACET's reference tests say (crates/fct-engine/src/lib.rs), and its specification (§11)


def test_facet_all_fit() -> None:
    layout = in_bytes([Section("system", "s" * 100), Section("user", "u" * 50, shrink=0.2)], 1000)
    assert (layout.tokens, actions(layout)) == (150, ["kept", "kept"])
    assert layout.text == "s" * 100 + "u" * 50


def test_facet_critical_overflow() -> None:
    """The overflow error names both critical sections with their sizes: 80 + 50 of 100."""
    sections = [Section("critical1", "a" * 80, min=40), Section("critical2", "b" * 50, min=20)]
    with pytest.raises(CriticalOverflowError) as caught:
        in_bytes(sections, 100)
    assert caught.value.code is Code.OVERFLOW
    assert (caught.value.required, caught.value.budget, caught.value.units) == (130, 100, "bytes")
    assert caught.value.sizes == (("critical1", 80), ("critical2", 50))
    assert "130 bytes of 100: critical1 80, critical2 50" in str(caught.value)
    assert in_bytes(sections, 130).tokens == 130
    with pytest.raises(CriticalOverflowError):
        in_bytes(sections, 129)


def test_of_many_critical_sections_the_largest_are_named() -> None:
    """The message names the ten largest critical sections, and the error lists all of them in
    order.
    """
    sections = [Section(f"s{number}", "x" * number) for number in range(12)]
    with pytest.raises(CriticalOverflowError) as caught:
        in_bytes(sections, 65)
    assert ": s11 11, s10 10, s9 9" in str(caught.value)
    assert "s2 2, and 2 smaller ones [E701]" in str(caught.value)
    assert caught.value.sizes == tuple((f"s{number}", number) for number in range(12))


def test_facet_compression() -> None:
    """A strategy that removes white space is enough for one section, and not for the other."""
    padded = Section("flexible", f"  {'x' * 60}  " + " " * 36, min=20, shrink=0.5)
    padded = replace(padded, strategy=lambda text, size, of: text.strip())
    critical = Section("critical", "c" * 50, min=50)
    layout = in_bytes([critical, padded], 120)
    assert (actions(layout), layout.tokens) == (["kept", "compressed"], 110)
    layout = in_bytes([critical, padded], 100)
    assert (actions(layout), layout.text) == (["kept", "compressed"], "c" * 50 + "x" * 50)


@pytest.mark.parametrize("budget", [10_000, 120])
def test_facet_order_stays(budget: int) -> None:
    """Sections are shown in the given order, not in the order of priorities."""
    layout = in_bytes(
        [
            Section("user", "u" * 80, priority=300, min=20, shrink=0.5),
            Section("system", "s" * 50, priority=100, min=50),
            Section("assistant", "a" * 80, priority=200, min=20, shrink=0.5),
        ],
        budget,
    )
    assert [decision.section for decision in layout.decisions] == ["user", "system", "assistant"]
    assert layout.text == "".join(sorted(layout.text, key="usa".index))


def test_facet_utf8_is_not_split() -> None:
    """Of three emoji of four bytes each, two fit into nine bytes."""
    layout = in_bytes([Section("user", "🙂🙂🙂", shrink=0.5)], 9)
    assert (layout.text, layout.tokens, actions(layout)) == ("🙂🙂", 8, ["cut"])


def test_facet_drops_at_min() -> None:
    layout = in_bytes([Section("flex", "abcdef", min=6, shrink=0.5)], 5)
    assert (layout.text, layout.tokens, actions(layout)) == ("", 0, ["dropped"])


def test_facet_truncates_from_the_end() -> None:
    layout = in_bytes([Section("user", "abcdefgh", shrink=0.5)], 6)
    assert (layout.text, actions(layout)) == ("abcdef", ["cut"])


def test_facet_units_are_bytes_of_normal_text() -> None:
    """Bytes are counted of the text in NFC with line feeds, and the text itself stays unchanged."""
    assert [
        count.tokens for count in FacetUnits().count_all(["e\u0301", "\r\n\r", "\ud83d\ude42"])
    ] == [
        2,
        2,
        4,
    ]
    layout = in_bytes([Section("user", "cafe\u0301\r\n")], 6)
    assert (layout.text, layout.tokens, layout.counter) == ("cafe\u0301\r\n", 6, "facet-units")


# The three faults of FACET's reference, which this has not


def test_a_result_below_min_is_no_overflow() -> None:
    """A section that its strategy makes smaller than `min` is cut or dropped; the reference does
    neither.
    """
    tiny = Section("a", "x" * 100, min=50, shrink=1, strategy=lambda text, size, of: "x" * 40)
    layout = in_bytes([tiny, Section("b", "y" * 30)], 45)
    assert (layout.tokens, actions(layout)) == (30, ["dropped", "kept"])
    layout = in_bytes([tiny, Section("b", "y" * 30)], 85)
    assert sizes(layout) == [55, 30]


def test_a_new_section_is_critical() -> None:
    """A new section is critical by default; in the reference it is not."""
    assert Section("a", "text").critical
    assert not Section("a", "text", shrink=0.1).critical
    with pytest.raises(CriticalOverflowError):
        in_bytes([Section("a", "text")], 3)


def test_sections_grow() -> None:
    """Sections grow in proportion to `grow`, which the reference ignores: ten bytes are shared as 2
    to 1.
    """
    layout = in_bytes(
        [
            Section("a", "a", grow=2, shrink=1, full="a" * 50),
            Section("b", "b", grow=1, shrink=1, full="b" * 50),
            Section("c", "c", shrink=1, full="c" * 50),
        ],
        13,
    )
    assert (layout.text, layout.tokens) == ("a" * 8 + "b" * 4 + "c", 13)
    assert actions(layout) == ["grown", "grown", "kept"]


# The order of steps


def test_the_lowest_priority_goes_first_then_the_greatest_shrink_then_the_first() -> None:
    def sections() -> list[Section]:
        return [
            Section("a", "a" * 10, priority=200, min=10, shrink=1),
            Section("b", "b" * 10, priority=100, min=10, shrink=1),
            Section("c", "c" * 10, priority=100, min=10, shrink=2),
            Section("d", "d" * 10, priority=100, min=10, shrink=1),
            Section("e", "e" * 10, priority=0, min=10),
        ]

    texts = [in_bytes(sections(), budget).text[::10] for budget in (50, 40, 30, 20, 10)]
    assert texts == ["abcde", "abde", "ade", "ae", "e"]


def test_each_section_is_compressed_then_cut_then_dropped() -> None:
    """In the normative order, the first section is dropped before the second is touched."""
    sections = [
        Section("a", "a b " * 25, min=20, shrink=1, strategy=half),
        Section("b", "c d " * 25, min=20, shrink=1, strategy=half),
    ]
    decisions = {
        budget: actions(in_bytes(sections, budget)) for budget in (200, 160, 130, 100, 60, 0)
    }
    assert decisions == {
        200: ["kept", "kept"],
        160: ["compressed", "kept"],
        130: ["compressed", "kept"],
        100: ["dropped", "kept"],
        60: ["dropped", "compressed"],
        0: ["dropped", "dropped"],
    }


def test_staged_passes_compress_all_before_any_is_cut() -> None:
    sections = [
        Section("a", "a b " * 25, min=20, shrink=1, strategy=half),
        Section("b", "c d " * 25, min=30, shrink=1, strategy=half),
        Section("c", "e" * 10, min=10, shrink=1, priority=501),
    ]
    layouts = {budget: in_bytes(sections, budget, "staged") for budget in (110, 75, 60, 40, 5)}
    assert {budget: sizes(layout) for budget, layout in layouts.items()} == {
        110: [49, 49, 10],
        75: [20, 45, 10],
        60: [20, 30, 10],
        40: [0, 30, 10],
        5: [0, 0, 0],
    }
    assert layouts[110].passes == "staged"
    assert [layouts[75].text[:3], layouts[75].text[20:23]] == ["a a", "c c"]


def test_staged_cuts_stop_where_no_word_ends() -> None:
    """A text of one long word is not cut; the next section is, and is dropped if that is not
    enough.
    """
    sections = [
        Section("a", "x" * 400, min=1, shrink=1),
        Section("b", "yy " * 30, min=1, shrink=1),
    ]
    layout = lay_out(sections, budget=110, counter=BYTES, passes="staged")
    assert actions(layout) == ["kept", "cut"]
    layout = lay_out(sections, budget=20, counter=BYTES, passes="staged")
    assert actions(layout) == ["dropped", "cut"]


def test_a_strategy_is_asked_for_what_fits() -> None:
    """A strategy gets the text, the available room and the counter, and its result does not
    grow.
    """
    requests: list[tuple[int, str]] = []

    def strategy(text: str, size: int, of: TokenCounter) -> str:
        requests.append((size, of.id))
        return text[:size]

    sections = [Section("a", "word " * 20), Section("b", "word " * 30, shrink=1, strategy=strategy)]
    layout = lay_out(sections, budget=40, counter=O200K)
    ((size, name),) = requests
    assert (name, actions(layout)) == ("o200k", ["kept", "compressed"])
    assert 15 <= size <= 20
    assert layout.decisions[1].reason.startswith("over by ")


def test_a_strategy_may_leave_nothing() -> None:
    """If a strategy returns less than `min`, the text is cut instead."""
    section = Section("a", PROSE, shrink=1, strategy=lambda text, size, of: "")
    layout = lay_out([section], budget=30, counter=O200K)
    assert (layout.text, actions(layout)) == ("", ["dropped"])
    assert layout.decisions[0].reason.endswith("and its strategy left nothing")
    assert actions(lay_out([replace(section, min=1)], budget=30, counter=O200K)) == ["cut"]


@pytest.mark.parametrize("answer", [PROSE * 3, PROSE * 2])
def test_a_strategy_that_does_not_shorten_is_not_used(answer: str) -> None:
    """If a strategy does not shorten the text, the text is cut instead."""
    strategy = lambda text, size, of: answer  # noqa: E731
    section = Section("a", PROSE * 2, shrink=1, strategy=strategy)
    layout = lay_out([section], budget=30, counter=O200K)
    assert actions(layout) == ["cut"]
    assert layout == lay_out([replace(section, strategy=None)], budget=30, counter=O200K)


def test_what_a_strategy_raises_is_raised() -> None:
    def strategy(text: str, size: int, of: TokenCounter) -> str:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        in_bytes([Section("a", "x" * 9, shrink=1, strategy=strategy)], 5)


def test_a_strategy_has_to_give_a_text() -> None:
    strategy: Any = lambda text, size, of: None  # noqa: E731
    with pytest.raises(SectionError, match="the strategy of 'a': expected a text, found None"):
        in_bytes([Section("a", "x" * 9, shrink=1, strategy=strategy)], 5)


def test_a_text_shorter_than_its_min_is_shown_whole_or_not() -> None:
    sections = [Section("a", "one two", min=100, shrink=1), Section("b", "x" * 10)]
    assert actions(in_bytes(sections, 17)) == ["kept", "kept"]
    assert actions(in_bytes(sections, 16)) == ["dropped", "kept"]


def test_an_empty_section_is_kept() -> None:
    sections = [Section("a", "", shrink=1), Section("b", ""), Section("c", "word " * 9, shrink=1)]
    layout = lay_out(sections, budget=5, counter=O200K)
    assert actions(layout) == ["kept", "kept", "cut"]
    assert lay_out([], budget=0, counter=O200K).text == ""


# Growing


def test_growing_takes_real_slack_only() -> None:
    """No section grows if another was cut; the room of a dropped section is shared."""
    grower = Section("a", "aa", grow=1, shrink=1, full="a" * 30, priority=900)
    assert sizes(in_bytes([grower, Section("b", "b" * 50, shrink=1)], 40)) == [2, 38]
    assert sizes(in_bytes([grower, Section("b", "b" * 50, shrink=1, min=50)], 40)) == [30, 0]


def test_a_full_text_that_is_no_larger_is_not_shown() -> None:
    layout = in_bytes([Section("a", "aaaa", grow=1, shrink=1, full="bbb")], 40)
    assert (layout.text, actions(layout)) == ("aaaa", ["kept"])
    layout = lay_out(
        [Section("a", "one two", grow=1, shrink=1, full="x" * 999)], budget=9, counter=BYTES
    )
    assert (layout.text, actions(layout)) == ("one two", ["kept"])


def test_an_empty_section_can_grow() -> None:
    layout = in_bytes([Section("a", "", grow=1, shrink=1, full="abc")], 2)
    assert (layout.text, actions(layout)) == ("ab", ["grown"])


def test_what_grew_too_much_shrinks_again() -> None:
    """If the whole has more tokens than its parts, sections that grew too much shrink again."""
    words = " ".join(f"W{number}." for number in range(60))
    sections = [Section(name, "one two", grow=1, shrink=1, full=words) for name in "abc"]
    for budget in range(7, 90):
        layout = lay_out(sections, budget=budget, counter=Wide())
        assert layout.tokens <= budget
    assert "grown" in actions(layout)


class Grudging(Counter):
    """Count words, and ten more for a text of several lines."""

    def __init__(self) -> None:
        super().__init__("grudging", exact=True)

    def count_all(self, texts: Iterable[str]) -> list[Count]:
        words = [len(text.split()) + 10 * ("\n" in text) for text in texts]
        return [Count(word, exact=True) for word in words]


def test_what_cannot_grow_is_as_it_was() -> None:
    """A section stays as it was if growing would exceed the budget."""
    sections = [Section(name, "", grow=1, shrink=1, full="one two") for name in "ab"]
    layout = lay_out(sections, budget=4, counter=Grudging())
    assert (actions(layout), layout.text) == (["kept", "grown"], "one two")


# Counting


def test_tokens_do_not_add_up_and_the_whole_is_counted() -> None:
    """The whole is counted, because it may have more or fewer tokens than the sum of its parts."""
    sections = [Section(name, "one two three four", shrink=1) for name in "abcdefgh"]
    wide = lay_out(sections, budget=40, counter=Wide())
    assert wide.tokens <= 40
    assert sum(sizes(wide)) < wide.tokens
    narrow = lay_out(sections, budget=4, counter=Narrow())
    assert (narrow.tokens, actions(narrow)) == (4, ["kept"] * 8)
    assert sum(sizes(narrow)) == 32


class Unsteady(Wide):
    """Count a text differently each time, like an estimate that learns from a server."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def count_all(self, texts: Iterable[str]) -> list[Count]:
        self.calls += 1
        return [Count(count.tokens + self.calls, exact=False) for count in super().count_all(texts)]


def test_within_a_plan_a_text_has_one_size() -> None:
    sections = [Section(name, PROSE, shrink=1, grow=1, full=PROSE * 3) for name in "abc"]
    layouts = [
        lay_out(sections, budget=budget, counter=Unsteady()) for budget in range(40, 200, 20)
    ]
    assert all(layout.tokens <= layout.budget for layout in layouts)
    assert {layout.exact for layout in layouts} == {False}


def test_text_that_is_no_unicode_is_laid_out() -> None:
    """Lone surrogates are laid out unchanged."""
    sections = [Section("a", "\ud83d one"), Section("b", "two \udc00 three " * 9, shrink=1)]
    assert lay_out(sections, budget=20, counter=O200K).text.startswith("\ud83d one\ntwo \udc00 ")
    assert in_bytes(sections, 30).text.startswith("\ud83d onetwo \udc00 ")


def test_little_is_counted_besides_the_sections() -> None:
    """If most of a thousand sections are dropped, the whole is not counted again for each of
    them.
    """
    counter = Asked()
    sections = [
        Section(f"s{number}", f"{number} " * 50, shrink=1, priority=number % 7, min=20)
        for number in range(1_000)
    ]
    total = sum(len(section.text) for section in sections)
    layout = lay_out(sections, budget=20_000, counter=counter)
    assert 0.97 * 20_000 <= layout.tokens <= 20_000
    assert counter.asked < 4 * total


def test_a_separator_is_put_where_none_is() -> None:
    sections = [Section("a", "one"), Section("b", "two\n"), Section("c", ""), Section("d", "three")]
    layout = lay_out(sections, budget=9, counter=O200K)
    assert layout.text == "one\ntwo\nthree"
    places = [(decision.start, decision.end) for decision in layout.decisions]
    assert places == [(0, 3), (4, 8), (8, 8), (8, 13)]
    assert lay_out(sections, budget=9, counter=O200K, separator="--").text == "one--two\n--three"


def test_the_rest_of_a_section_is_not_glued_to_the_next() -> None:
    """A cut text ends at a word, and a separator is between this word and the next section."""
    sections = [Section("a", PROSE, shrink=1), Section("b", "climbing is fun")]
    texts = {lay_out(sections, budget=budget, counter=O200K).text for budget in range(5, 60)}
    assert len(texts) > 7
    for text in texts:
        before, _, remainder = text.rpartition("climbing is fun")
        assert (before[-1:], remainder) in {("\n", ""), ("", "")}
        visible_text = before.rstrip().removesuffix(" […]")
        assert not visible_text.endswith(("must", "not", "1.2", "June", "June 30,"))


def test_what_is_cut_off_is_whole_sentences_and_a_mark() -> None:
    """If a sentence fits, no sentence is cut, and each gap is marked, also at the end."""
    for budget in range(1, 46):
        visible_text = lay_out([Section("a", PROSE, shrink=1)], budget=budget, counter=O200K).text
        is_cut = visible_text.endswith(" […]")
        assert is_cut or visible_text in ("", PROSE)
        if budget > 12:
            first, second = "The tower was begun in 1887.", " It must not be climbed before June"
            assert visible_text.removesuffix(" […]") in {
                first,
                f"{first}{second} 30, 2025, they say.",
                PROSE,
            }
    mine = "It […] rained. It poured. It went on, and nobody said when it would end."
    assert lay_out([Section("a", mine, shrink=1)], budget=15, counter=O200K).text == (
        "It […] rained. It poured. [……]"
    )


@pytest.mark.parametrize(
    ("visible_text", "remainder"),
    [
        ("The key is\nred = 1", "\n\nblue = 2, or so\nor so it is\n"),
        ("- one is here\n- two is there", "\n- three is gone\n"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "\n| 3 | 4 |\n"),
        ("10:00:00 all well\n11:00:00 disk lost", "\n12:00:00 gone\n"),
        ("Am 3. Mai 2026 beginnt er.", " Bis zum 1. Januar zahlt er."),
        ("始まりは三月です。", "終わりは五月です。"),
        ("Calls:", "\n```py\n" + "f()\n" * 40 + "```\nEnd."),
    ],
)
def test_lines_and_blocks_are_whole(visible_text: str, remainder: str) -> None:
    """Lines and blocks are shown whole, even if there is room for a part of the next one."""
    budget = O200K.count(f"{visible_text} […]").tokens + 1
    layout = lay_out(
        [Section("a", visible_text + remainder, shrink=1)], budget=budget, counter=O200K
    )
    assert (layout.text, actions(layout)) == (f"{visible_text} […]", ["cut"])


def test_space_at_the_end_is_cut_off_without_a_mark() -> None:
    layout = lay_out([Section("a", "It rained." + " \n" * 40, shrink=1)], budget=5, counter=BYTES)
    assert (layout.text, actions(layout)) == ("It rained.", ["cut"])


def test_a_strategys_text_that_is_cut_has_one_kind_of_mark() -> None:
    """If the output of a strategy is cut, it has the same kind of mark as the strategy uses."""
    section = Section(
        "a", PROSE * 3, shrink=1, strategy=lambda *_: "It rained. […] It poured. Now."
    )
    budgets = {lay_out([section], budget=budget, counter=O200K).text for budget in (6, 9)}
    assert budgets == {"It rained. […]", "It rained. […] It poured. […]"}


def test_the_report_says_what_was_decided() -> None:
    sections = [Section("a", "x" * 1200, min=1100, shrink=1), Section("b", "y" * 10)]
    assert in_bytes(sections, 1000).report() == (
        "10 of 1,000 bytes (facet-units)\n"
        "a: dropped, 1,200 -> 0 (over by 210, and at least 1,100 have to be shown)\n"
        "b: kept, 10 -> 10 (critical)"
    )


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"name": 5}, "a name that is a string, found 5"),
        ({"text": None}, "a text that is a string, found None"),
        ({"full": 5, "shrink": 1}, "a full text that is a string, found 5"),
        ({"priority": 1.5}, "an integer as priority, found 1.5"),
        ({"min": -1}, "an integer >= 0 as min, found -1"),
        ({"min": True}, "an integer >= 0 as min, found True"),
        ({"grow": float("inf")}, "a finite grow >= 0, found inf"),
        ({"shrink": float("nan")}, "a finite shrink >= 0, found nan"),
        ({"shrink": -0.5}, "a finite shrink >= 0, found -0.5"),
        ({"shrink": "1"}, "a finite shrink >= 0, found '1'"),
        ({"full": "longer"}, "no full text: a critical section stays as it is"),
    ],
)
def test_wrong_sections_are_refused(wrong: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"name": "a", "text": "b", **wrong}
    with pytest.raises(ValueError, match=r"expected .* \[E703\]") as caught:
        Section(**arguments)
    assert isinstance(caught.value, SectionError)
    assert message in caught.value.msg


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"budget": -1}, "expected an integer >= 0 as budget, found -1"),
        ({"budget": 1.5}, "expected an integer >= 0 as budget, found 1.5"),
        ({"units": "words"}, "expected 'tokens' or 'bytes' as units, found 'words'"),
        ({"counter": None}, "expected a counter, found none; counter=counter('o200k')"),
        ({"separator": 5}, "expected a string as separator, found 5"),
        ({"passes": "two"}, "expected one of normative, staged as passes, found 'two'"),
    ],
)
def test_wrong_settings_are_refused(wrong: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"budget": 10, "counter": BYTES, **wrong}
    with pytest.raises(SectionError) as caught:
        lay_out([], **arguments)
    assert message in str(caught.value)


# What holds for all layouts

WORDS = st.sampled_from("a the must not begin 30 June 1.2 million src/a.py :) é 🙂 \n".split(" "))
TEXTS = st.lists(WORDS, max_size=30).map(" ".join) | st.text(max_size=20)
WEIGHTS = st.sampled_from([0.0, 0.5, 1.0, 2])
STRATEGIES: list[Callable[[str, int, TokenCounter], str] | None] = [
    None,
    half,
    lambda text, size, of: text + text,
    lambda text, size, of: "",
]


@st.composite
def sections(draw: st.DrawFn, strategies: Iterable[Any] = STRATEGIES) -> list[Section]:
    drawn_sections = []
    for number in range(draw(st.integers(0, 8))):
        shrink = draw(WEIGHTS)
        drawn_sections.append(
            Section(
                f"s{number}",
                draw(TEXTS),
                priority=draw(st.integers(0, 3)),
                min=draw(st.integers(0, 9)),
                grow=draw(WEIGHTS),
                shrink=shrink,
                strategy=draw(st.sampled_from([*strategies])),
                full=draw(st.none() | TEXTS) if shrink else None,
            )
        )
    return drawn_sections


COUNTERS = st.sampled_from([O200K, counter("cl100k"), BYTES, Wide(), Narrow()])
PASSES = st.sampled_from(["normative", "staged"])
BUDGETS = st.integers(0, 60)


def planned(input_sections: list[Section], **settings: Any) -> Layout | CriticalOverflowError:
    """Return a layout, or the error that says that none is possible."""
    try:
        return lay_out(input_sections, **settings)
    except CriticalOverflowError as error:
        return error


@given(sections(), BUDGETS, COUNTERS, PASSES)
def test_the_budget_holds_or_the_critical_sections_are_too_large(
    input_sections: list[Section], budget: int, of: TokenCounter, passes: str
) -> None:
    critical = [section for section in input_sections if section.critical]
    layout = planned(input_sections, budget=budget, counter=of, passes=passes)
    if isinstance(layout, Layout):
        assert of.count(layout.text).tokens == layout.tokens <= budget
    else:
        assert layout.required > budget
        assert isinstance(planned(critical, budget=budget, counter=of), CriticalOverflowError)
        assert [name for name, _ in layout.sizes] == [section.name for section in critical]


@given(sections(), BUDGETS, COUNTERS, PASSES)
def test_each_section_is_there_as_decided(
    input_sections: list[Section], budget: int, of: TokenCounter, passes: str
) -> None:
    """Each section is as decided: critical ones unchanged, in order, never below `min` and never
    longer.
    """
    layout = planned(input_sections, budget=budget, counter=of, passes=passes)
    decisions: tuple[Decision, ...] = () if isinstance(layout, LTONError) else layout.decisions
    assert isinstance(layout, LTONError) or len(decisions) == len(input_sections)
    position = 0
    for section, decision in zip(input_sections, decisions, strict=False):
        assert isinstance(layout, Layout)
        text = layout.text[decision.start : decision.end]
        assert (decision.section, decision.start >= position) == (section.name, True)
        position = decision.end
        assert of.count(text).tokens == decision.after
        assert decision.before == of.count(section.text).tokens
        assert decision.action == "kept" or not section.critical
        assert text == section.text or decision.action != "kept"
        assert decision.after <= decision.before or decision.action == "grown"
        assert decision.action == "dropped" or decision.after >= min(section.min, decision.before)


@given(sections([None]), BUDGETS, COUNTERS, PASSES)
def test_without_strategies_no_text_is_made_up(
    input_sections: list[Section], budget: int, of: TokenCounter, passes: str
) -> None:
    """Without strategies, each shown text begins its section, or is the whole section; otherwise it
    has marks.
    """
    layout = planned(input_sections, budget=budget, counter=of, passes=passes)
    decisions: tuple[Decision, ...] = () if isinstance(layout, LTONError) else layout.decisions
    between, position = "", 0
    for section, decision in zip(input_sections, decisions, strict=False):
        assert isinstance(layout, Layout)
        visible_text = layout.text[decision.start : decision.end]
        if decision.action in ("cut", "grown"):
            visible_text = visible_text.removesuffix(" […]")
        assert section.text.startswith(visible_text) or (section.full or "").startswith(
            visible_text
        )
        between += layout.text[position : decision.start]
        position = decision.end
    assert between.strip("\n") == ""


@given(sections(), st.integers(0, 200), PASSES)
def test_bytes_hold_too(input_sections: list[Section], budget: int, passes: Passes) -> None:
    layout = planned(input_sections, budget=budget, units="bytes", passes=passes)
    text = layout.text if isinstance(layout, Layout) else ""
    assert FacetUnits().count(text).tokens <= budget
    assert isinstance(layout, LTONError) or layout.separator == ""


@given(sections(), BUDGETS, COUNTERS, PASSES)
def test_the_same_input_gives_the_same_layout(
    input_sections: list[Section], budget: int, of: TokenCounter, passes: str
) -> None:
    first, again = (
        planned(input_sections, budget=budget, counter=of, passes=passes) for _ in range(2)
    )
    assert str(first) == str(again)
    assert isinstance(first, LTONError) or first == again


def test_every_process_and_hash_seed_gives_the_same_bytes() -> None:
    program = """
import json, sys
from dataclasses import asdict
from lton.context import Section, lay_out
from lton.tokens import counter
words = "the tower must not be climbed before June 30, 2025".split()
texts = [" ".join(words[(7 * i + j) % len(words)] for j in range(5 + i)) for i in range(40)]
sections = [Section(f"s{i}", text, priority=i % 4, min=i % 3, grow=i % 2, shrink=i % 5 / 4,
                    full=text * 3 if i % 5 else None) for i, text in enumerate(texts)]
for budget in range(360, 1600, 40):
    print(json.dumps(asdict(lay_out(sections, budget=budget, counter=counter("o200k")))))
"""
    printed = {
        subprocess.run(
            [sys.executable, "-W", "ignore", "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": lton.__path__[0].removesuffix("/lton")},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4294967295")
    }
    (layouts,) = printed
    texts = [json.loads(line)["text"] for line in layouts.splitlines()]
    assert len(set(texts)) > 20


def test_the_room_exports_what_it_says() -> None:
    """A module attribute is imported on first use, and an unknown name is an AttributeError."""
    assert set(lton.context.__all__) <= set(dir(lton.context))
    assert all(getattr(lton.context, name).__name__ == name for name in lton.context.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'layout_'"):
        lton.context.layout_  # type: ignore[attr-defined]  # noqa: B018
