"""Words as a ranking compares them: stems, the parts of identifiers, pairs of CJK characters."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from lton._patterns import compiled_when_used

_WORD = compiled_when_used(r"\w+")
_PARTS = compiled_when_used(
    r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[぀-ヿ㐀-鿿가-힣]+|[^\W\d_A-Za-z぀-ヿ㐀-鿿가-힣]+"
)
_CJK = compiled_when_used(r"[぀-ヿ㐀-鿿가-힣]")
_SAYS_LITTLE = frozenset(
    "a an the of in on at to for and or is was were are be been being by with from as that which"
    " who whom whose this these those it its his her hers their theirs he she they we you i me him"
    " them us my your our what when where why how did do does done has have had having not no so"
    " also into than then there both if but about can could will would should may might must just"
    " any some all more most other such only own same too very s t d ll m re ve don".split()
)
_IRREGULAR = dict(
    pair.split(":")
    for pair in (
        "went:go gone:go goes:go bought:buy brought:bring came:come met:meet"
        " made:make took:take taken:take got:get gotten:get gave:give given:give saw:see"
        " seen:see said:say told:tell thought:think found:find felt:feel left:leave kept:keep"
        " began:begin begun:begin wrote:write written:write won:win lost:lose ran:run"
        " sold:sell spent:spend taught:teach caught:catch grew:grow grown:grow knew:know"
        " known:know drove:drive driven:drive chose:choose chosen:choose held:hold heard:hear"
        " led:lead built:build sent:send spoke:speak spoken:speak sang:sing sung:sing"
        " swam:swim drew:draw drawn:draw ate:eat eaten:eat fell:fall flew:fly became:become"
        " broke:break broken:break wore:wear worn:wear paid:pay sat:sit slept:sleep"
        " stood:stand understood:understand children:child men:man women:woman people:person"
        " kids:child kid:child mice:mouse feet:foot wives:wife"
    ).split()
)
_ENDINGS = {"s": ("ies", "es", "s"), "g": ("ing",), "d": ("ed",), "e": ("e",), "y": ("y",)}
"""What English adds most often, by its last letter."""
_NO_DIGITS = dict.fromkeys(map(ord, "0123456789"))
_LONGEST = 64
_MOST_PARTS = 8
_TASKS = frozenset(
    "run test tests check build lint compile install look see let show find start try fix open"
    " read verify validate execute again first next now want need get use make all everything"
    " would could there any some which why how what it".split()
)
"""What an agent says that it does: words that ask for no line of what a tool printed."""
_NAME = compiled_when_used(r"\w[./_:-]\w|\d|[a-z][A-Z]|[A-Z]{2}")
_REMEMBERED = 1 << 14
"""Words whose stems are known from one text to the next."""


class Stems(dict[str, tuple[str, ...]]):
    """The stems of each word that was asked for; not those of numbers, which seldom come again."""

    def __missing__(self, word: str) -> tuple[str, ...]:
        found = _stems(word[:_LONGEST])
        if word.isalpha():
            self[word] = found
        return found

    def of(self, text: str) -> list[str]:
        """Get the stems of a text, without words that say little.

        >>> Stems().of("When did the planes of get_fileName stop?")
        ['plan', 'get', 'fil', 'nam', 'stop']
        """
        return [stem for word in _WORD.findall(text) for stem in self[word]]


class WordLists:
    """The stems of each of some texts, in little memory.

    >>> [*WordLists(Stems(), ["It rained.", "The sun shone."])]
    [['rain'], ['sun', 'shon']]
    """

    def __init__(self, stems: Stems, texts: Iterable[str]) -> None:
        self._words: list[str] = []
        self._ends = array("q", [0])
        for text in texts:
            self._words += stems.of(text)
            self._ends.append(len(self._words))

    def __getitem__(self, at: int) -> list[str]:
        return self._words[self._ends[at] : self._ends[at + 1]]

    def __iter__(self) -> Iterator[list[str]]:
        for first, last in pairwise(self._ends):
            yield self._words[first:last]


def asked_of(query: str) -> str:
    """Return what a query asks for, without the words for running something and looking at it.

    >>> asked_of("Let me run the tests of cart.py."), asked_of("Run the tests.")
    ('me the of cart.py.', '')
    """
    left = " ".join(word for word in query.split() if word.strip(".,:;!?'\"").lower() not in _TASKS)
    return left if Stems().of(left) else ""


def names_in(query: str, texts: Sequence[str]) -> bool:
    """Say whether a query has an identifier, a path or a code that one of some texts has.

    >>> names_in("Lint cart.py.", ["cart.py:3: E1"]), names_in("Why?", ["Why?"])
    (True, False)
    """
    names = [word.strip(".,:;!?'\"()") for word in query.split()]
    return any(_NAME.search(each) and any(each in text for text in texts) for each in names)


def are_alike(lines: Sequence[str]) -> bool:
    """Say whether lines are the same but for numbers in them, and there are several.

    >>> are_alike(["GET /1 200", "GET /2 404"]), are_alike(["GET /1", "PUT /1"])
    (True, False)
    """
    said = (line.strip().translate(_NO_DIGITS) for line in lines)
    first = next(said, None)
    return first is not None and all(each == first for each in said)


@lru_cache(_REMEMBERED)
def _stems(word: str) -> tuple[str, ...]:
    found: list[str] = []
    for part in _PARTS.findall(word)[:_MOST_PARTS]:
        if _CJK.match(part):
            found += (part[at : at + 2] for at in range(max(1, len(part) - 1)))
        elif (lower := part.lower()) not in _SAYS_LITTLE:
            found.append(_stem(lower))
    return tuple(found)


def _stem(word: str) -> str:
    """Get a word as it is listed, without what English adds most often."""
    word = _IRREGULAR.get(word, word)
    for ending in _ENDINGS.get(word[-1], ()):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word
