"""Find the end of a JSON value in text that arrives in pieces."""

from lton.generate.spelling import NAME

_NUMBER = frozenset("0123456789.eE+-")
_WORDS = {"t": 3, "f": 4, "n": 3}
_DEEPER = {"[": 1, "{": 1, "]": -1, "}": -1}


class ValueEnd:
    """Finds the end of a JSON value in text that was generated under a grammar.

    The input is known to follow a grammar. A number ends if a character follows it, or at the end
    of the turn. With `names`, the same holds for a bare name. If the value begins with one of the
    `nested` brackets, nothing is read.
    """

    def __init__(self, nested: str = "", *, names: bool = False) -> None:
        self.at = 0
        self.is_name = False
        self._names = names
        self._nested = nested
        self._depth = 0
        self._quoted = self._escaped = self._number = False
        self._letters = 0
        """The number of missing letters of `true`, `false` or `null`."""

    def find_end(self, piece: str, ended: bool = False) -> int | None:
        for char in piece:
            if char in self._nested or (self._number and char not in _NUMBER):
                return self.at
            if self.is_name and not NAME.match(char):
                return self.at
            self._nested = ""
            self.at += 1
            if self._is_end_at(char):
                return self.at
        return self.at if ended and (self._number or self.is_name) else None

    def _is_end_at(self, char: str) -> bool:
        if self._escaped:
            self._escaped = False
        elif self._quoted:
            self._escaped = char == "\\"
            self._quoted = char != '"'
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
