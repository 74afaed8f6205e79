"""Recognize the text in which models write calls in Python, not in LTON.

In Python, text without quotes is the name of a variable. In LTON, it is a string. So the reader has
to know which of the two a call is written in.
"""

import re

from lton._patterns import compiled_when_used

_MARK = compiled_when_used(
    r"(?P<opens>^[ \t]*```tool_(?:code|call)\b|<\|python_(?:start|tag)\|>"
    r"|<\|tool_call_start\|>|<function_calls>)"
    r"|^[ \t]*```|<\|python_end\|>|<\|tool_call_end\|>|</function_calls>",
    re.MULTILINE,
)
"""A mark that opens (or closes) a passage in Python."""
_VARIABLE = compiled_when_used(
    r"\*{1,2}[^\W\d]\w*|\$[^\W\d][\w.]*|None|[^\W\d]\w*(?:\.[^\W\d]\w*)+"
)
"""A bare word that may be a variable: `*args`, `$HOME`, `user.home`."""
_FILE = compiled_when_used(
    r".*\.(?:txt|md|rst|pdf|docx?|odt|xlsx?|pptx?|csv|tsv|json[lc5]?|xml|ya?ml|toml|ini|cfg|conf|env"
    r"|lock|log|html?|css|scss|jsx?|tsx?|mjs|vue|svelte|pyi?|ipynb|rs|go|java|kts?|c|h|cc|cpp|hpp|cs"
    r"|rb|php|swift|scala|sql|sh|bash|zsh|bat|ps1|lua|r|jl|tex|svg|png|jpe?g|gif|webp|ico|mp[34]|wav"
    r"|zip|tar|gz|bz2|xz|7z|db|sqlite|bin|exe|dll|so|com|org|net|io|dev|edu|gov|eu|de|fr|uk|ai|app)",
    re.IGNORECASE,
)
"""A name that ends as files and domains do."""


class Programs:
    """Finds the passages of an output that are in Python. Positions must be ascending."""

    def __init__(self, src: str) -> None:
        self.src = src
        self._seen = 0
        self._is_open = False

    def is_inside_program(self, pos: int, since: int) -> bool:
        """Return whether a position is in Python. Marks before `since` may be in strings."""
        for match in _MARK.finditer(self.src, max(self._seen, since), pos):
            self._is_open = match["opens"] is not None
        self._seen = max(self._seen, pos)
        return self._is_open


def is_variable(word: str) -> bool:
    """Return whether a bare word is more likely a variable of a program than a string.

    >>> is_variable("user.home"), is_variable("notes.txt"), is_variable("Rome")
    (True, False, False)
    """
    return _VARIABLE.fullmatch(word) is not None and _FILE.fullmatch(word) is None
