"""Decide from indentation and quote marks whether a call is quoted or is part of code.

In Markdown, a code block is indented by four columns and follows a blank line. In other formats,
indented text belongs to a directive above it (`::`, `.. note::`, `!!! note`, a make target). In
CommonMark, a line below a quoted line is also quoted (a lazy continuation).
"""

from lton._patterns import compiled_when_used
from lton.errors import RepairCode

_LINES = 40  # the maximum number of lines above a call that are examined
_BACK = 2_000
_CODE = 4  # the minimum indentation of a code block, in columns
_INDENT = compiled_when_used(r"[ \t]*+(?=\S|\Z)")
_ITEM = compiled_when_used(r"[ \t]*(?:[-*+•]|\d{1,9}[.)])[ \t]+")
_OPENS = compiled_when_used(
    r"[^\n]*::[ \t]*$|\.\.[ ]|(?:!!!|\?\?\?\+?)[ ]|[\w./-]{1,64}[ \t]*:(?:[ \t][\w./ -]*+)?$"
    r"|[A-Z][A-Z ]{1,40}$"
)
"""A line to which the indented lines below belong."""
_QUOTED = compiled_when_used(r"[ \t]*>")
_NEW_BLOCK = compiled_when_used(r"[ \t]*(?:`{3}|~{3}|[-*+•][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t])")
"""The start of a new block, which ends a quoted paragraph."""


def find_doubt_of_layout(src: str, start: int, *, has_prose: bool) -> RepairCode | None:
    r"""Return a reason to doubt a call because of the lines above it, or None.

    `has_prose` states whether the output also contains text other than calls.

    >>> find_doubt_of_layout("See:\n\n    f 1", 10, has_prose=True)
    <RepairCode.EXAMPLE: 'L122'>
    >>> find_doubt_of_layout("> They say\nf 1", 11, has_prose=True)
    <RepairCode.SENTENCE: 'L123'>
    """
    first = src.rfind("\n", max(0, start - _BACK), start) + 1
    above = src[max(0, first - _BACK) : max(0, first - 1)].split("\n")[-_LINES:] if first else []
    if above and _is_lazy(above, src[first:start]):
        return RepairCode.SENTENCE
    columns = _count_columns(src, first)
    if columns and has_prose and _is_block(above, columns, is_tab=src[first] == "\t"):
        return RepairCode.EXAMPLE
    return None


def _count_columns(text: str, pos: int = 0) -> int:
    match = _INDENT.match(text, pos)
    return len(match[0].expandtabs(_CODE)) if match else 0


def _is_lazy(above: list[str], before: str) -> bool:
    if _NEW_BLOCK.match(before):
        return False
    for line in reversed(above):
        if _QUOTED.match(line):
            return len(line.strip()) > 1
        if not line.strip() or _NEW_BLOCK.match(line):
            return False
    return False


def _is_block(above: list[str], columns: int, *, is_tab: bool) -> bool:
    """Return whether a line is indented as in a code block or below a directive."""
    is_apart = not above
    for line in reversed(above):
        if not line.strip():
            is_apart = True
        elif _count_columns(line) < columns:
            words = line.strip()
            if words.startswith("<"):  # an element that contains calls
                return False
            if _OPENS.match(words) and (
                is_apart or is_tab or not words[0].isalnum() or words.isupper()
            ):
                return True
            item = _ITEM.match(line)
            inner = len(item[0].expandtabs(_CODE)) if item else 0
            return is_apart and columns - inner >= _CODE
    return is_apart and columns >= _CODE
