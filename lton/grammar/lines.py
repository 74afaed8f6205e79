"""Find the parameters that ask for text of several lines."""

from collections.abc import Iterable

from lton._patterns import compiled_when_used
from lton.schema.types import Param, Tool

_WORDS = (
    "body|content|contents|css|diff|document|essay|html|letter|markdown|patch|poem|program"
    "|script|snippet|source|sql|svg|xml|yaml"
)
_NAMED = compiled_when_used(
    rf"(?i)(?:^|[_.-])(?:{_WORDS})(?:$|[_.-])|^code$"  # a zip code is not code
)
_DESCRIBED = compiled_when_used(r"(?i)\b(?:multi-?line|(?:several|multiple) lines)\b")
_MEDIA = compiled_when_used(
    r"(?i)^(?:text/|application/(?!octet-stream))|\+(?:xml|json|yaml)\b|^(?:multi-?line|text-?area)$"
)
_CAPITAL = compiled_when_used(r"(?<=[a-z0-9])(?=[A-Z])")
_SHORT = 64
"""A string with at most this many characters has one line."""


def find_params_with_lines(tools: Iterable[Tool]) -> frozenset[int]:
    """Return the ids of the parameters of tools, but not of objects, that ask for lines."""
    return frozenset(
        id(param) for tool in tools for param in tool.args.params if asks_for_lines(param)
    )


def asks_for_lines(param: Param) -> bool:
    """Return whether a parameter is code or a body of text.

    Its name, its description, its media type or its format says so. Models write such texts in
    fences, also if they have only one line. All other texts of several lines may be fenced, too,
    so a parameter that is not recognized loses no value.

    >>> from lton.schema.types import String, Type
    >>> names = ("file_content", "htmlBody", "code", "zip_code", "owner")
    >>> params = [Param(name=name, type=Type(string=String()), required=True) for name in names]
    >>> [asks_for_lines(param) for param in params]
    [True, True, True, False, False]
    """
    string = param.type.string
    if string is None or string.values is not None or string.pattern or string.format:
        return False
    if string.max_length is not None and string.max_length <= _SHORT:
        return False
    words = _CAPITAL.sub("_", param.name)
    if _NAMED.search(words) or _DESCRIBED.search(param.description):
        return True
    return bool(_MEDIA.search(param.media) or _NAMED.search(param.media))
