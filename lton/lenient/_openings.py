"""Define patterns for the ways in which a call may begin."""

from lton._patterns import compiled_when_used
from lton.lenient._call_elements import ELEMENT
from lton.lenient._json_keys import KEYS
from lton.lenient._marks import CALL_LANGUAGES
from lton.lenient._strings import TAG
from lton.lenient.syntaxes import pattern_of_column

ID_KEYS = frozenset(["id", "type"])
OBJECT_KEYS = KEYS | ID_KEYS
"""The keys that may come first in a JSON call."""
MARKS = compiled_when_used(rf"{TAG.pattern}|{ELEMENT.pattern}")
AFTER_PROSE = compiled_when_used(
    r"<[|\uff5c](?=[\w\u2581]{0,40}(?:tool|call|python))"
    r"(?![\w\u2581]*(?:list|respon|result|output)|call[|\uff5c])[\w\u2581]{1,40}[|\uff5c]>"
    rf"|{pattern_of_column('after_prose')}"
)
"""Marks from the syntaxes that models are trained on. They may begin a call even after prose.

`<|call|>` is not among them, because it ends a call.
"""
LABEL = compiled_when_used(r"(?i:action|(?:tool|function)[ _]call)[ \t]*:\s*+")
"""A label before a call. `Tool:` is excluded, because it may begin a tool's turn."""
_CALL_WORD = compiled_when_used(
    r"(?i:action|(?:(?:tool|function)_?)?(?:call|tool|function))"
    r"|(?i:/(?:(?:tool|function)_?)?(?:call|tool|function|result|response|output)s?)"
    r"|functions_\w+_\d{1,4}|(?:functions|default_api)\..*"
)
"""A word before the name of a tool: a label, a sigil without `!` or `@`, or a namespace."""
PLAIN_START = compiled_when_used(
    r"((?>[ \t]*(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+)*))"
    r"(?:([\w.-][\w./-]*+)(?![(=<\[])|(?=\r?\n|\Z)"
    r"|[^\w\s./\-*+•!@&>~\"'`<\[{\u25c1\u2018-\u201d\xab\xbb\u2039\u203a\u300a-\u301d\uff02])"
)
"""The start of a line that begins neither a call nor a quotation, if its word (group 2) does not.

Group 1 is the white space and the list marks before it.
"""
LANGUAGES = CALL_LANGUAGES - {"lton", "python", "py"}
"""Languages of fences that are rescued. Other fences may contain a program."""


def is_call_word(word: str) -> bool:
    """Return whether a call may begin with a word that is not the name of a tool.

    >>> [is_call_word(word) for word in ("Action", "/call", "functions.f", "functions", "Then")]
    [True, True, True, False, False]
    """
    return _CALL_WORD.fullmatch(word) is not None
