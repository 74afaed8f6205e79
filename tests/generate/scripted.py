"""An engine with a scripted model, which writes given pieces for any prompt."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import Any
from zlib import crc32

import lton.generate
from lton.engines import Generation
from lton.engines.engine import Pair
from lton.generate._calls import Progress
from lton_bench.scaffolds import named


def guided(*arguments: Any, scaffold: str = "python", cue: str = "", **options: Any) -> Generation:
    """Guide a model with a named scaffold; most tests use Python's, which is the shortest."""
    return lton.generate.ask(*arguments, retries=0, scaffold=named(scaffold, cue), **options)


def stream(*arguments: Any, scaffold: str = "python", **options: Any) -> Iterator[Progress]:
    """Guide a model as `guided` does, and return the events."""
    return lton.generate.stream(*arguments, scaffold=named(scaffold), **options)


_PROMPT = 0x110000
"""From here on tokens are no characters, but whole messages."""


def _text_of(tokens: Sequence[int]) -> str:
    return "".join(chr(token) for token in tokens if 0 < token < _PROMPT)


class Scripted:
    """A model whose tokens are characters; None in the script ends the turn."""

    def __init__(self, *pieces: str | None) -> None:
        self.pieces = list(pieces)
        self.read: list[str] = []
        self.grammars: list[str] = []
        self.held: list[int] = []

    def prompt(self, messages: Sequence[Mapping[str, str]]) -> list[int]:
        return [0] * len(messages)

    def tokenize(self, text: str) -> list[int]:
        return list(map(ord, text))

    def feed(self, tokens: Sequence[int]) -> int:
        self.read.append(_text_of(tokens))
        same = sum(one == other for one, other in zip(self.held, tokens, strict=False))
        self.held = list(tokens)
        return len(tokens) - same

    @contextmanager
    def constrain(self, gbnf: str) -> Iterator[None]:
        self.grammars.append(gbnf)
        yield

    def sample(self, _: None) -> bytes | None:
        piece = self.pieces.pop(0)
        return None if piece is None else piece.encode()


class Words(Scripted):
    """A model whose tokens are words and the characters between words."""

    def tokenize(self, text: str) -> list[int]:
        return [int.from_bytes(word.encode()) for word in re.findall(r"\w+|\W", text)]

    def feed(self, tokens: Sequence[int]) -> int:
        words = [word.to_bytes(99).lstrip(b"\0").decode() for word in tokens]
        self.read.append("".join(words))
        return len(tokens)


class Merging(Scripted):
    """A model whose tokens are characters, except that opening characters and signs join the
    previous one.
    """

    def tokenize(self, text: str) -> list[int]:
        tokens = re.findall(r' ["-]|=\["?|.', text)
        return [ord(token[-1]) + 2**20 * (len(token) > 1) for token in tokens]

    def feed(self, tokens: Sequence[int]) -> int:
        return super().feed([token % 2**20 for token in tokens])


class Weighing(Scripted):
    """A model that also gives likelihoods: `asked` after the question, and `unasked` without it.

    `fits` gives the likelihood of the question after each tool, by name. After no tool (""), it is
    low by default.
    """

    def __init__(
        self,
        with_question: Mapping[str, float],
        unasked: Mapping[str, float],
        *pieces: str | None,
        fits: Mapping[str, float] | None = None,
    ) -> None:
        super().__init__(*pieces)
        self.said = {False: with_question, True: unasked}
        self.scored: list[list[str]] = []
        self.fits = fits or {}
        self.contents: dict[int, str] = {}
        """The content of each message in a prompt, by its token."""

    def prompt(self, messages: Sequence[Mapping[str, str]]) -> list[int]:
        tokens = [_PROMPT + crc32(repr(message).encode()) for message in messages]
        contents = [message["content"] for message in messages]
        self.contents |= dict(zip(tokens, contents, strict=True))
        return tokens

    def score_pairs(self, pairs: Sequence[Pair]) -> tuple[int, list[float]]:
        if pairs[0][1][0] >= _PROMPT:
            contents = [self.contents[text[0]] for _, text in pairs]
            return len(pairs), self.score_questions(contents)
        read, scores = 0, list[float]()
        contexts = {tuple(context) for context, _ in pairs}
        unasked = pairs[0][0] if len(contexts) > 1 else None
        for context, group in groupby(pairs, key=lambda pair: pair[0]):
            context_text = _text_of(context)
            self.scored.append([context_text + "".join(map(chr, text)) for _, text in group])
            table = self.said[context == unasked]
            read += self.feed(context)
            scores += [table[text] for text in self.scored[-1]]
        return read, scores

    def score_questions(self, contents: Sequence[str]) -> list[float]:
        """Return the likelihood of a question after each tool, or after none."""
        names = (re.search(r"^(\w+)[(=]", content, re.MULTILINE) for content in contents)
        return [{"": -40.0, **self.fits}[name[1] if name else ""] for name in names]

    def pick(self, scores: Sequence[float]) -> int:
        return max(range(len(scores)), key=scores.__getitem__)
