r"""Write grammars that force a model of llama.cpp to write a text token by token.

A server reports the probability of each token that it samples. If a grammar allows only the tokens
of a text, one request reports the probabilities of the whole text. In GBNF, `<[374]>` is the token
374.

Three kinds of tokens cannot be written in this way:

- Special tokens. A token that ends the turn is never allowed before the end of a grammar, and a
  server that samples one there ends with an error. So the grammar is cut at special tokens.
- Tokens that are a part of a character, as in most emoji. The grammar does not allow a token that
  completes no character, so it spells these characters as text, and a bias makes the model write
  them with the right tokens. The server reports no probabilities for such tokens, so they are left
  out of the likelihood.
- Tokens that begin in the middle of a character, at the start of a text.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from lton.engines.turns import is_special_name

TokenPiece: TypeAlias = tuple[int, bytes]
"""A token and its text."""


class ForcedKind(Enum):
    """How tokens of a text can be forced."""

    WHOLE = "one token of whole characters"
    PARTS = "several tokens that write whole characters together"
    SPECIAL = "one token that a grammar cannot contain"
    BROKEN = "tokens that are not whole characters even together"


@dataclass(frozen=True, slots=True)
class ForcedUnit:
    """Consecutive tokens that are forced in the same way."""

    kind: ForcedKind
    pieces: Sequence[TokenPiece]

    @property
    def tokens(self) -> list[int]:
        return [token for token, _ in self.pieces]

    def to_gbnf(self) -> str:
        if self.kind is ForcedKind.WHOLE:
            return f"<[{self.tokens[0]}]>"
        text = b"".join(piece for _, piece in self.pieces).decode()
        escapes = "".join(f"\\U{ord(char):08X}" for char in text)
        return f'"{escapes}"'


@dataclass(frozen=True, slots=True)
class ForcedRun:
    """Units that one request can force: a special token, or everything up to the next one."""

    units: Sequence[ForcedUnit]

    @property
    def tokens(self) -> list[int]:
        return [token for unit in self.units for token in unit.tokens]

    @property
    def fits_grammars(self) -> bool:
        return self.units[0].kind in (ForcedKind.WHOLE, ForcedKind.PARTS)

    @property
    def scored_tokens(self) -> list[int]:
        """The tokens whose probabilities a server reports."""
        kinds = (ForcedKind.WHOLE, ForcedKind.SPECIAL)
        return [unit.tokens[0] for unit in self.units if unit.kind in kinds]

    @property
    def biased_tokens(self) -> list[int]:
        """The tokens that a bias must force, because the grammar also allows others."""
        parts = [unit.tokens for unit in self.units if unit.kind is ForcedKind.PARTS]
        return sorted({token for tokens in parts for token in tokens})

    def to_gbnf(self) -> str:
        return "root ::= " + " ".join(unit.to_gbnf() for unit in self.units)


def split_runs(pieces: Sequence[TokenPiece]) -> list[ForcedRun]:
    """Split a text into runs that one request each can force."""
    runs: list[list[ForcedUnit]] = []
    is_open = False
    for unit in _iterate_units(pieces):
        goes_on = unit.kind in (ForcedKind.WHOLE, ForcedKind.PARTS)
        if goes_on and is_open:
            runs[-1].append(unit)
        else:
            runs.append([unit])
        is_open = goes_on
    return [ForcedRun(units) for units in runs]


def _iterate_units(pieces: Sequence[TokenPiece]) -> Iterator[ForcedUnit]:
    waiting: list[TokenPiece] = []
    for token, text in pieces:
        if _is_special(text):
            if waiting:
                yield ForcedUnit(ForcedKind.BROKEN, waiting)
            waiting = []
            yield ForcedUnit(ForcedKind.SPECIAL, [(token, text)])
            continue
        waiting.append((token, text))
        if _is_text(waiting):
            yield ForcedUnit(ForcedKind.WHOLE if len(waiting) == 1 else ForcedKind.PARTS, waiting)
            waiting = []
        elif not _may_become_text(waiting):
            yield ForcedUnit(ForcedKind.BROKEN, waiting)
            waiting = []
    if waiting:
        yield ForcedUnit(ForcedKind.BROKEN, waiting)


def _is_special(text: bytes) -> bool:
    """Return whether a grammar may refuse a token with this text. Too many cost only requests."""
    return not text or text.startswith(b"\0") or is_special_name(text.decode("utf-8", "replace"))


def _is_text(pieces: Sequence[TokenPiece]) -> bool:
    try:
        b"".join(piece for _, piece in pieces).decode()
    except UnicodeDecodeError:
        return False
    return True


def _may_become_text(pieces: Sequence[TokenPiece]) -> bool:
    try:
        b"".join(piece for _, piece in pieces).decode()
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data"
    return True
