"""Store the text of an answer, which the program and the model write in turns.

The text is the only state. Before each sample, the engine reads the text so far, tokenized again,
and skips the tokens that it has already read.

In most vocabularies, one token can contain the end of a value and the following text (`",`, `")`).
So a grammar lets the model write any text after a value. If `")` were forbidden because another
argument must follow, the model would continue the value with text that it did not mean. The part of
its output that may follow the value is kept, and decides what comes next:

    weather(city="Paris", days=3, unit="C")

    weather(city="              the text before a value that the model must write
                 Paris", d      the model's output: the value, and more
    weather(city="Paris"        the text after the value
                        , d     `ahead`: the part of the output that begins one of the `tails`

`tails`     the strings that may follow the value: `, days=` here; after `3`, `, unit=` or `)`
`closings`  the strings that may follow the last argument: `)`, or `)` and the start of a new call
`opened`    the quote before the value, if the text ends with this quote
`nested`    the brackets that the program writes if the value begins with one of them; the model's
            first character selects the bracket, and is then `ahead`
`lead`      the end of the text that could be one token with the following text, as in `=[`: the
            model reads the text without this end, and writes it first
`ended`     whether the model has ended its turn, so that nothing follows `ahead`
"""

import json
from codecs import getincrementaldecoder
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from lton._syntax import Marks
from lton.chat.repeats import REPEATED
from lton.codec.decoder import Decoder
from lton.engines.engine import (
    Engine,
    Pair,
    Prefetcher,
    Scorer,
    StateReader,
    count_common_start,
    prefetch,
)
from lton.engines.generation import Spent
from lton.errors import Code, GrammarError
from lton.events import Thinking
from lton.generate.distinguish import find_distinct_ends as distinct
from lton.generate.distinguish import find_shortest_prefixes
from lton.generate.repetition import ends_with_copies, is_endless
from lton.generate.spelling import (
    PROSE_GBNF,
    list_beginnings_of_type,
    spell_thought,
    write_texts_gbnf,
    write_thought_gbnf,
    write_value_gbnf,
)
from lton.generate.value_end import ValueEnd
from lton.schema.types import JSON, String, Type

_T = TypeVar("_T")
_Characters = getincrementaldecoder("utf-8")
_VALUES: Mapping[str, bool | None] = {
    "true": True,
    "false": False,
    "null": None,
    "True": True,
    "False": False,
    "None": None,
}
"""The words of JSON and of Python."""

_NEAR = 64
"""Characters farther back than this do not affect the tokens of the following text."""


class ExhaustedError(Exception):
    """Raised if the token budget is spent, or if the model repeats itself."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """The tokens of a prompt with and without its question."""

    with_question: Sequence[int]
    without_question: Sequence[int]

    @property
    def at(self) -> int:
        return min(
            count_common_start(self.with_question, self.without_question),
            len(self.with_question) - 1,
        )

    @property
    def end(self) -> int:
        """The end of the question, after which both prompts are the same."""
        same = count_common_start(self.with_question[::-1], self.without_question[::-1])
        return max(self.at + 1, len(self.with_question) - same)

    @property
    def size(self) -> int:
        return len(self.with_question) - self.at

    @property
    def pair(self) -> Pair:
        """The tokens before the question, and the tokens of the question."""
        return self.with_question[: self.at], self.with_question[self.at : self.end]


class Session:
    """The state of an answer that the program and the model write together.

    `neutral` returns the messages without a question (see `choose_by_likelihood`). If an answer
    `may_repeat` itself, only its budget stops it (see `ends_with_copies`).
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
        """The start of the answer in the text, after the thought."""
        self.demanded = 0
        """The length of the required text, in which repetition is allowed."""
        self.ahead = ""
        self.ended = False
        self.lost = ""
        """The last sample, of an unfinished value, which is not part of the text."""
        self.scores: Sequence[float] = ()
        """The scores of the choices that were weighed last, as logarithms."""
        self._begun = False

    @property
    def spent(self) -> Spent:
        return Spent(prompt=len(self.base), sampled=self.sampled, prefilled=self.prefilled)

    def write_text(self, text: str, *, choice: str = "") -> None:
        """Append text to the answer, unless the model has already written this string.

        If the model began the `choice` and `text` differs, only their common prefix is
        accepted.
        """
        if choice.startswith(self.ahead):
            while not text.startswith(self.ahead):
                self.ahead = self.ahead[:-1]
        shared = min(len(text), len(self.ahead))
        if text[:shared] != self.ahead[:shared]:  # the engine did not apply the grammar
            raise GrammarError(Code.GRAMMAR, f"found {self.ahead!r} where only {text!r} may follow")
        self.text += text
        self.ahead = self.ahead[shared:]

    def choose_by_sampling(
        self, groups: Sequence[Sequence[str]], tails: Sequence[str] = ("",)
    ) -> int:
        """Let the model choose one of the strings and return the index of the string's group.

        One of the `tails` may follow each string. An empty string means the end of the turn. The
        model reads the common prefix of all strings. If only one group is left, nothing is sampled.
        The deciding sample is in `ahead`, and still has to be written.
        """
        # One more character distinguishes a string from a longer one that starts with it.
        marks = dict.fromkeys([tail[:1] for tail in tails])
        texts = [
            (text + mark, index)
            for index, group in enumerate(groups)
            for text in group
            for mark in marks
        ]
        endings = find_shortest_prefixes(texts)

        def find_only_choice(wrote: str, ended: bool) -> int | None:
            if ended:
                indexes = [index for text, index in texts if text == wrote]
            else:
                indexes = [
                    index
                    for text, index in texts
                    if text.startswith(wrote) or (endings[text] and wrote.startswith(endings[text]))
                ]
            if not indexes:
                raise GrammarError(Code.GRAMMAR, f"found {wrote!r}, which starts no choice")
            return indexes[0] if ended or indexes[0] == indexes[-1] else None

        only_choice = find_only_choice(self.ahead, self.ended)
        if only_choice is not None:
            return only_choice
        before = self.ahead
        candidates = {endings[text] or text: text for text, _ in texts if text.startswith(before)}
        near = self.text[-_NEAR:]
        if isinstance(self.engine, Prefetcher):
            texts_after = [*candidates.values()]
            longest = texts_after[0][: count_common_start(*texts_after)]
            self._prefetch(near, texts_after, starts=[longest, before])
        every = [self.engine.tokenize(near + text) for text in candidates.values()]
        before = self._score_shared_prefix(near, before, [*candidates.values()], every)
        context = self.text + before
        rests = [
            (candidate.removeprefix(before), bool(endings[text]))
            for candidate, text in candidates.items()
        ]
        lead = self._common_lead(near + before, every)
        wrote = ""  # no longer than the longest choice

        def find_written_choice(piece: str, ended: bool) -> int | None:
            nonlocal wrote
            wrote += piece
            return find_only_choice(before + wrote, ended)

        gbnf = write_texts_gbnf(tuple((lead + ending, free) for ending, free in rests))
        picked, _ = self._sample(context, lead, gbnf, find_written_choice)
        self._take_written(
            before + wrote, [text + tail for text in groups[picked] for tail in tails]
        )
        return picked

    def sample_value(
        self,
        node: Type,
        tails: Sequence[str],
        *,
        opened: str = "",
        nested: str = "",
        names: bool = False,
    ) -> JSON:
        """Let the model write a value of a type at the end of the answer.

        `opened` is the quote of the value at the end of the text, and `tails` are the strings that
        may follow the value. A value that begins with one of the `nested` brackets is left to the
        caller. Then `ahead` is the bracket and any text after it. With `names`, a string may be a
        bare name, as in code, if any value is allowed.
        """
        names = names and node.string == String() and not opened
        near = self.text[-_NEAR:]
        starts = ["a"] if opened else list_beginnings_of_type(node)
        if isinstance(self.engine, Prefetcher):
            self._prefetch(near, starts, starts=[""])
        lead = self._common_lead(near, [self.engine.tokenize(near + one) for one in starts])
        gbnf = write_value_gbnf(node, opened=opened, lead=lead, names=names)

        ending = ValueEnd(nested, names=names)
        ending.find_end(opened)
        end, wrote = self._sample(self.text, lead, gbnf, ending.find_end)
        end -= len(opened)
        if not end and not opened:
            self.ahead = wrote[:2]
            return None
        self.text += wrote[:end]
        self._take_written(wrote[end:], tails)
        if ending.is_name:
            return _literal_or_name(wrote[:end], node)
        try:
            value: JSON = json.loads(opened + wrote[:end], strict=False)
        except ValueError:  # the engine did not apply the grammar
            msg = f"expected a value, found {wrote[:end]!r}"
            raise GrammarError(Code.GRAMMAR, msg) from None
        return value

    def iterate_prose(self) -> Generator[str, None, None]:
        """Let the model write prose up to the end of its turn and yield the pieces."""
        for piece in self._iterate_pieces(self.text, PROSE_GBNF):
            self.text += piece
            if piece:
                yield piece

    def check_room(self, text: str) -> None:
        """Raise `ExhaustedError` if a string repeats itself or counts endlessly."""
        if not self.may_repeat and is_endless(text, self.demanded):
            raise ExhaustedError(REPEATED)

    def _take_written(self, wrote: str, texts: Sequence[str]) -> None:
        """Store in `ahead` the longest prefix of the sample that begins one of the strings."""
        self.ahead = wrote[: max([count_common_start(wrote, text) for text in texts])]
        self.ended = self.ended and self.ahead in texts

    @cached_property
    def base(self) -> Sequence[int]:
        return self.engine.prompt(self.messages)

    @cached_property
    def without_question(self) -> Sequence[int]:
        """The tokens of the prompt without the question."""
        assert self.neutral  # otherwise nothing is weighed
        return self.engine.prompt(self.neutral())

    def choose_by_likelihood(
        self, texts: Sequence[str], scorer: Scorer, *, apart: bool = False
    ) -> int:
        """Return the index of the string whose likelihood the question raises most.

        With `apart`, a string is read only up to the token that distinguishes it from the others.

        A small model prefers the first of the tools for any question. So the likelihood of each
        text is divided by its likelihood without a question. (A. Holtzman et al., "Surface form
        competition: why the highest probability answer isn't always right", 2021: PMI with a
        premise of the domain.)
        """
        saids = (self.text, self.text[self.answer_at :])
        prefetch(self.engine, texts=[prefix + text for prefix in saids for text in texts])
        base, ends = self._split_common_tokens(self.base, self.text, texts)
        # A prompt without a question has no thought.
        unasked, others = self._split_common_tokens(
            self.without_question, self.text[self.answer_at :], texts
        )
        if apart:
            ends = distinct(ends)
            others = distinct(others)
        own = (
            len(unasked)
            - count_common_start(self.without_question, self.base)
            + sum(map(len, others))
        )
        if not self._begun:  # then scoring shares the start of the prompt
            self.prefilled += min(self.engine.feed(base), len(base) - len(self.base))
        pairs = [*((unasked, text) for text in others), *((base, text) for text in ends)]
        read, likelihoods = scorer.score_pairs(pairs)
        self.prefilled += read if self._begun else min(read, own + sum(map(len, ends)))
        self._begun = True
        less = likelihoods[: len(texts)]
        with_question = likelihoods[len(texts) :]
        self.scores = [one - other for one, other in zip(with_question, less, strict=True)]
        return scorer.pick(self.scores)

    def _split_common_tokens(
        self, base: Sequence[int], answer_start: str, texts: Sequence[str]
    ) -> tuple[list[int], list[Sequence[int]]]:
        """Return `base` and the tokens that all strings share, and the rest of each string."""
        every = [self.engine.tokenize(answer_start + text) for text in texts]
        shared = min(count_common_start(*every), min(map(len, every)) - 1)
        return [*base, *every[0][:shared]], [tokens[shared:] for tokens in every]

    def choose_by_explanation(
        self, prompts: Sequence[Prompt], scorer: Scorer, *, aside: bool
    ) -> int:
        """Return the index of the prompt that makes its question likeliest, and continue with it.

        With `aside`, the session keeps its own prompt for the answer. (S. Min et al., "Noisy
        channel language model prompting for few-shot text classification", 2022.)
        """
        read, self.scores = scorer.score_pairs([one.pair for one in prompts])
        best = scorer.pick(self.scores)
        self._begun = True
        self.prefilled += read
        if not aside:
            self.base = prompts[best].with_question
            self.without_question = prompts[best].without_question
            self.prefilled -= min(read, prompts[best].size)  # the prompt's own tokens
        return best

    def read_state(self, reader: StateReader) -> Sequence[float]:
        """Return the state of the model at the start of the answer."""
        read, state = reader.read_state(self.base)
        if self._begun:  # the tokens of the prompt itself are not counted
            self.prefilled += read
        self._begun = True
        return state

    def compare_starts(self, one: str, other: str, scorer: Scorer) -> None:
        """Set `scores` to how likely the model begins the rest of its answer with each text.

        Only the first tokens are compared, because the likelihood of a text falls with its length.
        """
        firsts = [self.engine.tokenize(text)[:1] for text in (one, other)]
        before = [*self.base, *self.engine.tokenize(self.text)]
        read, scores = scorer.score_pairs([(before, first) for first in firsts])
        self.prefilled += read
        self.scores = scores

    def _prefetch(self, near: str, texts: Sequence[str], *, starts: Sequence[str]) -> None:
        """Let the engine tokenize at once what scoring and reading the texts will need.

        `near` is the end of the text so far, `texts` may follow it, and the sample may begin after
        one of the `starts`. The model may have to write the last character before it again.
        """
        befores = [before + start for before in {near, self.text} for start in starts]
        shorter = [before[:-1] for before in befores]
        prefetch(self.engine, texts=[*(near + text for text in texts), *befores, *shorter])

    def _score_shared_prefix(
        self, context: str, least: str, texts: Sequence[str], every: Sequence[Sequence[int]]
    ) -> str:
        """Return the longest common prefix of strings that ends at a token boundary in each string.

        `every` has the tokens of each string after a context.
        """
        shared = min(texts)[: count_common_start(min(texts), max(texts))]
        while shared != least:
            tokens = self.engine.tokenize(context + shared)
            if all(one[: len(tokens)] == tokens for one in every):
                break
            shared = shared[:-1]
        return shared

    def _common_lead(self, text: str, every: Sequence[Sequence[int]]) -> str:
        """Return the end of the text whose tokens would change if more text followed.

        `every` has the tokens of the text with each continuation. The model samples this end again,
        because it would never write a token that the end of the text has split.
        """
        whole = text
        tokens = self.engine.tokenize(text)
        for one in every:
            while one[: len(tokens)] != tokens:
                whole = whole[:-1]
                tokens = self.engine.tokenize(whole)
        return text[len(whole) :]

    def iterate_thoughts(self, marks: Marks, most: int) -> Iterator[Thinking]:
        """Let the model write a thought and yield the thought's events.

        After `most` tokens, or if the model repeats itself, the end mark of the thought is written
        for it. The budget of the answer does not change.
        """
        opening, closing = marks
        before = self.sampled
        wrote = ""
        is_over = False
        decoder = Decoder(thoughts=("", closing), deltas=True)
        characters = _Characters("ignore")
        self.read_text(opening)
        with self.engine.constrain(write_thought_gbnf(closing)) as grammar:
            while not is_over:
                is_spent = self.sampled - before >= most
                if is_spent or (not self.may_repeat and ends_with_copies(wrote)):
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
                    assert isinstance(event, Thinking)  # other events can only be line ends
                    yield event
                    is_over = event.complete
        self.thought = wrote[: wrote.index(closing)]
        self.text = spell_thought(self.thought, marks)
        self.answer_at = len(self.text)
        self.budget += self.sampled - before

    def go_back_to_start(self) -> None:
        """Discard the text of the answer, but keep counting its tokens."""
        self.text = self.text[: self.answer_at]
        self.ahead = ""
        self.ended = False
        self.demanded = 0

    def restart_with(self, messages: Sequence[Mapping[str, str]]) -> None:
        """Discard the text of the answer, and answer other messages."""
        self.go_back_to_start()
        self.base = self.engine.prompt(messages)

    def read_text(self, text: str) -> None:
        """Feed the prompt and the current answer to the engine."""
        tokens = self.engine.tokenize(text)
        fed = self.engine.feed([*self.base, *tokens])
        # The number of cached tokens of the prompt does not matter here.
        self.prefilled += fed if self._begun else min(fed, len(tokens))
        self._begun = True

    def _sample(
        self, text: str, lead: str, gbnf: str, complete: Callable[[str, bool], _T | None]
    ) -> tuple[_T, str]:
        """Sample tokens under a grammar until `complete` returns a value.

        The model writes `lead`, the end of the text, once more. These characters are not part of
        the sample. `complete` receives each piece once, and whether the turn has ended.
        """
        wrote = ""
        pieces = self._iterate_pieces(text.removesuffix(lead), gbnf)
        skip = len(lead)
        try:
            for piece in pieces:
                new, skip = piece[skip:], max(0, skip - len(piece))
                wrote += new
                result = complete(new, self.ended)
                if result is not None:
                    pieces.close()
                    return result, wrote
        except ExhaustedError:
            self.lost = wrote
            raise
        raise GrammarError(Code.GRAMMAR, f"the turn ended after {wrote!r}")

    def _iterate_pieces(self, text: str, gbnf: str) -> Generator[str, None, None]:
        """Sample tokens under a grammar until the turn ends, and yield the text of each token."""
        self.read_text(text)
        characters = _Characters("ignore")  # keeps an incomplete character
        with self.engine.constrain(gbnf) as grammar:
            self.ended = False
            while not self.ended:
                if self.sampled >= self.budget:
                    raise ExhaustedError(f"the budget of {self.budget} tokens ended")
                self.check_room(text)
                sampled = self.engine.sample(grammar)
                self.sampled += 1
                self.ended = sampled is None
                piece = characters.decode(sampled or b"")
                text += piece
                yield piece


def _literal_or_name(name: str, node: Type) -> JSON:
    """Return the value of a JSON or Python literal, or the name itself if it is not a literal."""
    value = _VALUES.get(name, name)
    is_meant = node.null if value is None else value in node.booleans
    return value if is_meant else name
