"""One answer in the making: text that is written for the model, and text that it writes.

The text is the only state. Whatever is to be sampled next, the engine is made to have read the
text up to here, cut into tokens afresh; what it has read already it keeps.

In most vocabularies the end of a value is one token with what follows (`",`, `")`). So a grammar
lets the model write on, whatever it wants to: were `")` forbidden because another argument is to
come, the model would not end the value, and write what it never meant. What it wrote of that is
kept if it may come there, and decides what follows:

    weather(city="Paris", days=3, unit="C")

    weather(city="              the text, up to where the model is to write a value
                 Paris", d      what it wrote: the value, and more
    weather(city="Paris"        the text, once the value has ended
                        , d     `ahead`: as much of the rest as a tail begins with

`tails`     what may follow the value: `, days=` here; after `3` either `, unit=` or a closing
`closings`  what may follow the last argument: `)`, and with more calls to come also `)` and a line
`opened`    the quote before the value, if the text ends with it; the model writes the rest
`nested`    the brackets with which a value may begin, but which the runtime writes: the model says
            with the first character which of them, if any, and that is `ahead` then
`lead`      the end of the text that would be one token with what may follow, as in `=[`: the
            model reads the text without it, and writes it first
`ended`     the model has ended its turn: nothing follows what is `ahead`
"""

import json
from codecs import getincrementaldecoder
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import exp
from typing import TypeVar

from lton._syntax import Marks
from lton.codec.decoder import Decoder
from lton.engines.engine import Engine, Scorer, common
from lton.engines.generation import Spent
from lton.errors import Code, GrammarError
from lton.events import Thinking
from lton.generate.spelling import (
    NAME,
    PROSE_GBNF,
    beginnings,
    spell_thought,
    texts_gbnf,
    thought_gbnf,
    value_gbnf,
)
from lton.schema.types import JSON, String, Type

_T = TypeVar("_T")
_Characters = getincrementaldecoder("utf-8")
_NUMBER = frozenset("0123456789.eE+-")
_WORDS = {"t": 3, "f": 4, "n": 3}
_VALUES: Mapping[str, bool | None] = {
    "true": True,
    "false": False,
    "null": None,
    "True": True,
    "False": False,
    "None": None,
}
"""The words of JSON and of Python."""
_DEEPER = {"[": 1, "{": 1, "]": -1, "}": -1}

_NEAR = 64
"""What is before so many characters has no part in how what follows is cut into tokens."""
COPIES = 4
_REPEATED = 128
_PERIOD = 256
_TAIL = COPIES * _PERIOD
_DIGITS = 20
_COUNTED = 32
"""More than a month has days."""
_NUMBERS = frozenset("0123456789, ")
"""With which numbers end that run on."""


REPEATED, LABELS = "the model repeated itself", "a list of labels goes on and on"
AGAIN = "the model made a call again"
LOOPS = (REPEATED, LABELS, AGAIN)
"""Why an answer ended that no limit ended."""


class ExhaustedError(Exception):
    """The budget of tokens is spent, or the model writes the same over and over."""


def repeats(text: str | bytes, copies: int = COPIES, least: int = _REPEATED) -> bool:
    """Return whether a text ends in so many `copies` of one, or more: `least` characters or more.

    A model that writes those does not stop: at temperature 0 it goes on until its budget is spent.
    What is repeated is looked for up to 256 characters.

    >>> repeats("[" + 50 * "0, "), repeats(30 * "0, "), repeats("".join(map(str, range(200))))
    (True, False, False)
    """
    tail = text[-copies * _PERIOD :]
    for period in range(1, len(tail) // copies + 1):
        size = max(copies * period, least)
        if size <= len(tail) and tail[-size:-period] == tail[period - size :]:
            return True
    return False


def runs_on(text: str) -> bool:
    """Return whether a text ends in a number that means nothing, or in numbers that count on.

    The number has 20 times the same digit, more than an integer of 64 bits or a fraction says; of
    the numbers 32 have the same step between them, 0 or another.

    >>> runs_on("0.1" + 20 * "0"), runs_on(str([*range(34)]))
    (True, True)
    >>> runs_on("0.1" + 19 * "0"), runs_on(str([*range(24)])), runs_on(str([1, 2, 4] * 20))
    (False, False, False)
    """
    digit = text[-1:]
    if digit.isdigit():
        return text.endswith(digit * _DIGITS)
    try:
        numbers = [*map(float, text.rsplit(",", _COUNTED + 1)[1:-1])]
    except ValueError:
        return False
    steps = {round(after - before, 9) for before, after in pairwise(numbers)}
    return len(numbers) == _COUNTED and len(steps) == 1


@dataclass(frozen=True, slots=True)
class Prompt:
    """The tokens of a prompt that asks a question, and of the same that asks nothing."""

    asked: Sequence[int]
    unasked: Sequence[int]

    @property
    def at(self) -> int:
        """Where the question begins."""
        return min(common(self.asked, self.unasked), len(self.asked) - 1)

    @property
    def size(self) -> int:
        """The question's tokens, with those that end its turn."""
        return len(self.asked) - self.at


class Session:
    """The state of an answer. `budget` is the most tokens it may sample.

    `neutral` gets the messages with a question that asks nothing: see `weigh`. An answer that
    `may_repeat` itself is stopped by its budget alone: see `repeats`.
    """

    def __init__(
        self,
        engine: Engine,
        messages: Sequence[Mapping[str, str]],
        *,
        neutral: Callable[[], Sequence[Mapping[str, str]]] | None = None,
        budget: int,
        may_repeat: bool = False,
    ) -> None:
        self.engine = engine
        self.messages = messages
        self.neutral = neutral
        self.budget = budget
        self.may_repeat = may_repeat
        self.sampled = self.prefilled = 0
        self.text = ""
        self.thought = ""
        self.answer_at = 0
        """Where in the text the answer begins: after the thought."""
        self.demanded = 0
        """So much of the text had to be: what repeats itself there ends nothing."""
        self.ahead = ""
        self.ended = False
        self.lost = ""
        """What was sampled last, and is no part of the text: of a value that has no end."""
        self.scores: Sequence[float] = ()
        """What spoke for each of the choices that were weighed last, as logarithms."""
        self._begun = False

    @property
    def spent(self) -> Spent:
        return Spent(prompt=len(self.base), sampled=self.sampled, prefilled=self.prefilled)

    def write(self, text: str, *, chosen: str = "") -> None:
        """Write a text for the model, or take what it wrote ahead as that text.

        Where the model began a text that was `chosen` and another is to be there, only what
        both begin with is taken.
        """
        if chosen.startswith(self.ahead):
            while not text.startswith(self.ahead):
                self.ahead = self.ahead[:-1]
        shared = min(len(text), len(self.ahead))
        if text[:shared] != self.ahead[:shared]:  # the grammar did not hold
            raise GrammarError(Code.GRAMMAR, f"found {self.ahead!r} where only {text!r} may follow")
        self.text += text
        self.ahead = self.ahead[shared:]

    def choose(self, groups: Sequence[Sequence[str]], tails: Sequence[str] = ("",)) -> int:
        """Have the model choose a group by beginning one of its texts; get its index.

        After each text one of the `tails` may follow. The empty text is the end of the turn. What
        all begin with is read by the model, and where one group is left, nothing is sampled. What
        decided it is `ahead`, and is still to be written.
        """
        # A character of what follows is enough to tell texts apart of which one begins another.
        marks = dict.fromkeys([tail[:1] for tail in tails])
        texts = [
            (text + mark, index)
            for index, group in enumerate(groups)
            for text in group
            for mark in marks
        ]
        told = _tell_apart(texts)

        def decide(wrote: str, ended: bool) -> int | None:
            if ended:
                found = [index for text, index in texts if text == wrote]
            else:
                found = [
                    index
                    for text, index in texts
                    if text.startswith(wrote) or (told[text] and wrote.startswith(told[text]))
                ]
            if not found:
                raise GrammarError(Code.GRAMMAR, f"found {wrote!r}, which begins no choice")
            return found[0] if ended or found[0] == found[-1] else None

        chosen = decide(self.ahead, self.ended)
        if chosen is not None:
            return chosen
        before = self.ahead
        left = {told[text] or text: text for text, _ in texts if text.startswith(before)}
        near = self.text[-_NEAR:]
        every = [self.engine.tokenize(near + text) for text in left.values()]
        before = self._shared(near, before, [*left.values()], every)
        context = self.text + before
        rests = [(begun.removeprefix(before), bool(told[text])) for begun, text in left.items()]
        lead = self._lead(near + before, every)
        wrote = ""  # not long: a text of the choice at most

        def complete(piece: str, ended: bool) -> int | None:
            nonlocal wrote
            wrote += piece
            return decide(before + wrote, ended)

        gbnf = texts_gbnf(tuple((lead + rest, free) for rest, free in rests))
        picked, _ = self._sample(context, lead, gbnf, complete)
        self._take(before + wrote, [text + tail for text in groups[picked] for tail in tails])
        return picked

    def value(
        self,
        node: Type,
        tails: Sequence[str],
        *,
        opened: str = "",
        nested: str = "",
        names: bool = False,
    ) -> JSON:
        """Have the model write a value of a type, and add it to the text.

        `opened` is the quote of it that the text ends with; `tails` are what may follow it. A value
        that begins with one of the `nested` brackets is left to the caller: what is ahead then is
        the bracket and, if the model wrote on, what follows directly. With `names` a string may be
        a bare name, as code has it where any value may be.
        """
        names = names and node.string == String() and not opened
        near = self.text[-_NEAR:]
        begun = ["a"] if opened else beginnings(node)
        lead = self._lead(near, [self.engine.tokenize(near + one) for one in begun])
        gbnf = value_gbnf(node, opened=opened, lead=lead, names=names)

        ending = ValueEnd(nested, names=names)
        ending.find(opened)
        end, wrote = self._sample(self.text, lead, gbnf, ending.find)
        end -= len(opened)
        if not end and not opened:
            self.ahead = wrote[:2]
            return None
        self.text += wrote[:end]
        self._take(wrote[end:], tails)
        if ending.is_name:
            return _named(wrote[:end], node)
        try:
            value: JSON = json.loads(opened + wrote[:end], strict=False)
        except ValueError:  # the grammar did not hold
            raise GrammarError(Code.GRAMMAR, f"found {wrote[:end]!r}, which is no value") from None
        return value

    def prose(self) -> Iterator[str]:
        """Have the model write whatever it wants, up to the end of its turn; get the pieces."""
        for piece in self._pieces(self.text, PROSE_GBNF):
            self.text += piece
            if piece:
                yield piece

    def check(self, text: str) -> None:
        """Raise `ExhaustedError` if a text repeats itself, or runs on, and need not."""
        tail = text[max(self.demanded, len(text) - _TAIL) :]
        if not self.may_repeat and (
            (len(tail) >= _REPEATED and repeats(tail)) or (tail[-1:] in _NUMBERS and runs_on(tail))
        ):
            raise ExhaustedError(REPEATED)

    def _take(self, wrote: str, texts: Sequence[str]) -> None:
        """Keep as `ahead` as much of what the model wrote as one of some texts begins with."""
        self.ahead = wrote[: max([common(wrote, text) for text in texts])]
        self.ended = self.ended and self.ahead in texts

    @cached_property
    def base(self) -> Sequence[int]:
        """The tokens of the prompt: it may be another than that of `messages`, see `explain`."""
        return self.engine.prompt(self.messages)

    @cached_property
    def unasked(self) -> Sequence[int]:
        """The tokens of `neutral`: many answers need none of them."""
        assert self.neutral  # else nothing is weighed
        return self.engine.prompt(self.neutral())

    def weigh(self, texts: Sequence[str], scorer: Scorer, *, apart: bool = False) -> int:
        """Return the index of the text that the question makes likelier than no question does.

        Texts that stand `apart` are read up to the token that tells each from all others.

        A small model begins whatever comes first among the tools, asked anything; what it would
        begin unasked is divided out. (A. Holtzman et al., "Surface form competition: why the
        highest probability answer isn't always right", 2021: PMI with a premise of the domain.)
        """
        asked, ends = self._endings(self.base, self.text, texts)
        # A prompt that asks nothing has no thought.
        unasked, others = self._endings(self.unasked, self.text[self.answer_at :], texts)
        if apart:
            ends, others = _apart(ends), _apart(others)
        own = len(unasked) - common(self.unasked, self.base) + sum(map(len, others))
        if not self._begun:  # what is read aside shares the prompt's beginning then
            self.prefilled += min(self.engine.feed(asked), len(asked) - len(self.base))
        read, less = scorer.score(unasked, others, aside=True)
        self.prefilled += read if self._begun else min(read, own)
        self._begun = True
        read, found = scorer.score(asked, ends, less=less)
        self.prefilled += read
        self.scores = [one - other for one, other in zip(found, less, strict=True)]
        return scorer.pick(self.scores)

    def _endings(
        self, base: Sequence[int], said: str, texts: Sequence[str]
    ) -> tuple[list[int], list[Sequence[int]]]:
        """Return the tokens that all of some texts begin with, said after a base, and the others."""
        every = [self.engine.tokenize(said + text) for text in texts]
        shared = min(common(*every), min(map(len, every)) - 1)
        return [*base, *every[0][:shared]], [tokens[shared:] for tokens in every]

    def explain(self, prompts: Sequence[Prompt], scorer: Scorer, *, aside: bool) -> int:
        """Return the index of the prompt that makes its question likeliest; it is answered then.

        With `aside` another prompt is answered, beside which these are read.
        (S. Min et al., "Noisy channel language model prompting for few-shot text classification",
        2022.)
        """
        asked = [(one.asked, one.at) for one in prompts]
        read, best, self.scores = scorer.foretell(asked, aside=aside)
        self._begun = True
        self.prefilled += read
        if not aside:
            self.base, self.unasked = prompts[best].asked, prompts[best].unasked
            self.prefilled -= min(read, prompts[best].size)  # that is the prompt's own
        return best

    def _shared(
        self, context: str, least: str, texts: Sequence[str], every: Sequence[Sequence[int]]
    ) -> str:
        """Return what some texts begin with, in whole tokens of each of them, and so much at least.

        `every` has the tokens of each, after a context.
        """
        shared = min(texts)[: common(min(texts), max(texts))]
        while shared != least:
            tokens = self.engine.tokenize(context + shared)
            if all(one[: len(tokens)] == tokens for one in every):
                break
            shared = shared[:-1]
        return shared

    def _lead(self, text: str, every: Sequence[Sequence[int]]) -> str:
        """Return the end of a text that is no whole tokens any more once something follows it.

        `every` has the tokens of the text with what may follow. The model is to sample that end
        with it: a token that the text had cut in two it would never write.
        """
        whole, tokens = text, self.engine.tokenize(text)
        for one in every:
            while one[: len(tokens)] != tokens:
                whole = whole[:-1]
                tokens = self.engine.tokenize(whole)
        return text[len(whole) :]

    def think(self, marks: Marks, most: int) -> Iterator[Thinking]:
        """Have the model think, and report what it says as it comes.

        Where it has sampled `most` tokens for that, or repeats itself, the mark that ends the
        thought is written for it. The budget of the answer is what it was.
        """
        opening, closing = marks
        before, wrote, is_over = self.sampled, "", False
        decoder = Decoder(thoughts=("", closing), deltas=True)
        characters = _Characters("ignore")
        self.read(opening)
        with self.engine.constrain(thought_gbnf(closing)) as grammar:
            while not is_over:
                is_spent = self.sampled - before >= most
                if is_spent or (not self.may_repeat and repeats(wrote)):
                    piece = closing
                else:
                    sampled = self.engine.sample(grammar)
                    self.sampled += 1
                    if sampled is None:
                        raise GrammarError(Code.GRAMMAR, f"the turn ended in a thought: {wrote!r}")
                    piece = characters.decode(sampled)
                wrote += piece
                decoder.feed(piece)
                for event in decoder:
                    assert isinstance(event, Thinking)  # nothing else but line ends can come
                    yield event
                    is_over = event.complete
        self.thought = wrote[: wrote.index(closing)]
        self.text = spell_thought(self.thought, marks)
        self.answer_at = len(self.text)
        self.budget += self.sampled - before

    def go_back(self) -> None:
        """Forget the answer, but not what it has sampled."""
        self.text, self.ahead, self.ended = self.text[: self.answer_at], "", False
        self.demanded = 0

    def read(self, text: str) -> None:
        """Have the model have read the prompt and a text."""
        tokens = self.engine.tokenize(text)
        fed = self.engine.feed([*self.base, *tokens])
        # What of the prompt was in the cache already is no matter here.
        self.prefilled += fed if self._begun else min(fed, len(tokens))
        self._begun = True

    def _sample(
        self, text: str, lead: str, gbnf: str, complete: Callable[[str, bool], _T | None]
    ) -> tuple[_T, str]:
        """Sample under a grammar until something is complete; get it, and what was sampled.

        The model writes the `lead`, the end of the text, once more, which does not count.
        `complete` is given each piece once, and whether the turn has ended.
        """
        wrote, pieces, left = "", self._pieces(text.removesuffix(lead), gbnf), len(lead)
        try:
            for piece in pieces:
                new, left = piece[left:], max(0, left - len(piece))
                wrote += new
                found = complete(new, self.ended)
                if found is not None:
                    pieces.close()
                    return found, wrote
        except ExhaustedError:
            self.lost = wrote
            raise
        raise GrammarError(Code.GRAMMAR, f"the turn ended after {wrote!r}")

    def _pieces(self, text: str, gbnf: str) -> Generator[str, None, None]:
        """Sample under a grammar until the turn has ended; get each token's text, maybe empty."""
        self.read(text)
        characters = _Characters("ignore")  # holds one that is not whole yet
        with self.engine.constrain(gbnf) as grammar:
            self.ended = False
            while not self.ended:
                if self.sampled >= self.budget:
                    raise ExhaustedError(f"the budget of {self.budget} tokens ended")
                self.check(text)
                sampled = self.engine.sample(grammar)
                self.sampled += 1
                self.ended = sampled is None
                piece = characters.decode(sampled or b"")
                text += piece
                yield piece


def _tell_apart(texts: Sequence[tuple[str, int]]) -> dict[str, str]:
    """Return for each text the beginning that marks its group, after which the model may write on.

    It is empty where the whole text, and nothing else, is to be written: for a text that another
    group's begins with, and for all where one of them is the end of the turn.

    >>> _tell_apart([(", days=", 0), (", unit=", 0), (")", 1), ("),", 2)])
    {')': '', '),': '),', ', days=': ',', ', unit=': ','}
    """
    texts = sorted(texts)
    shared = dict.fromkeys([text for text, _ in texts], 0)
    if "" in shared:
        return dict.fromkeys(shared, "")
    for ordered in (texts, texts[::-1]):  # most is shared with the nearest of another group
        last = other = ("", -1)
        for text, index in ordered:
            if index != last[1]:
                other = last
            last = (text, index)
            shared[text] = max(shared[text], common(text, other[0]))
    return {text: text[: same + 1] if same < len(text) else "" for text, same in shared.items()}


def share(scores: Sequence[float], chosen: int, *, temperature: float = 1.0) -> float:
    """Return the share that a choice has of all, by what speaks for each; even is a temperature.

    >>> share([-1.0, -1.0], 0), share([0.0, -800.0], 1)
    (0.5, 0.0)
    """
    most = max(scores)
    weights = [exp((score - most) / temperature) for score in scores]
    return weights[chosen] / sum(weights)


def _apart(texts: Sequence[Sequence[int]]) -> list[Sequence[int]]:
    """Return of each text what tells it from the others, its beginning.

    >>> _apart([[1, 2, 3], [1, 4, 5], [6, 7], [6, 7, 8]])
    [[1, 2], [1, 4], [6, 7], [6, 7, 8]]
    """
    return [
        one[: 1 + max(common(one, other) for other in (*texts[:rank], *texts[rank + 1 :]))]
        for rank, one in enumerate(texts)
    ]


def _named(name: str, node: Type) -> JSON:
    """Return the value of a bare name: of the words of JSON and Python if the type has it."""
    value = _VALUES.get(name, name)
    is_meant = node.null if value is None else value in node.booleans
    return value if is_meant else name


class ValueEnd:
    """Finds where a value ends, and looks at each character of it once.

    What is read is known to follow a grammar. A number has ended where something follows it, or
    where the turn has ended; with `names` so has a bare name. Before one of the brackets that are
    `nested` nothing is to be read.

    >>> value = ValueEnd()
    >>> value.find('["a]'), value.find('", 1]')
    (None, 9)
    """

    def __init__(self, nested: str = "", *, names: bool = False) -> None:
        self.at = 0
        self.is_name = False
        self._names = names
        self._nested = nested
        self._depth = 0
        self._quoted = self._escaped = self._number = False
        self._letters = 0
        """So many are still to come of `true`, `false` or `null`."""

    def find(self, piece: str, ended: bool = False) -> int | None:
        """Read on; get the position after the value, or None if it goes on."""
        for char in piece:
            if char in self._nested or (self._number and char not in _NUMBER):
                return self.at
            if self.is_name and not NAME.match(char):
                return self.at
            self._nested = ""
            self.at += 1
            if self._ends(char):
                return self.at
        return self.at if ended and (self._number or self.is_name) else None

    def _ends(self, char: str) -> bool:
        """Read a character, and say whether the value ends with it, if it is no number."""
        if self._escaped:
            self._escaped = False
        elif self._quoted:
            self._escaped, self._quoted = char == "\\", char != '"'
            return not self._quoted and not self._depth
        elif char == '"':
            self._quoted = True
        elif char in _DEEPER:
            self._depth += _DEEPER[char]
            return not self._depth
        elif self._letters:
            self._letters -= 1
            return not self._letters
        elif self._names and not self._depth and not self._number and NAME.match(char):
            self.is_name = self.is_name or not char.isdigit()
            self._number = not self.is_name
        elif not self._depth:
            self._letters = _WORDS.get(char, 0)
            self._number = not self._letters and char in _NUMBER
        return False
