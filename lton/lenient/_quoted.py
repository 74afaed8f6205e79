"""What the author of a text does not say to be done: thoughts, answers, quotations, other turns.

A *passage* is between two marks, and nothing in it is a call. Where a passage ends can be forged by
what it quotes: so after the first closing mark there is doubt up to the last one that comes before
the next opening mark, and after an answer there is doubt up to the end of the text.
"""

import re
from dataclasses import dataclass

from lton._patterns import compiled_when_used
from lton._syntax import ERROR, NO_CALL, RESULT


@dataclass(frozen=True, slots=True)
class _Kind:
    """One kind of passage, by the patterns of its marks."""

    opening: str
    closing: str
    is_thought: bool = False
    is_answer: bool = False
    is_sure: bool = False
    """The first closing mark ends it, because its marks do not come in pairs."""


def _element(names: str) -> tuple[str, str]:
    """Get the patterns of the tags of an element with one of these names."""
    return rf"<(?:{names})(?:\s[^<>\n]{{0,80}})?>", rf"</(?:{names})\s*>"


_KINDS = (
    _Kind(
        *_element(
            r"(?:\w{1,8}:)?think(?:ing)?|thoughts?|reason(?:ing)?|reflection|scratchpad|analysis"
            r"|(?:inner_)?monologue"
        ),
        is_thought=True,
    ),
    _Kind(r"\[THINK\]", r"\[/THINK\]", is_thought=True),
    _Kind("\u25c1think\u25b7", "\u25c1/think\u25b7", is_thought=True),
    _Kind(r"<\|START_THINKING\|>", r"<\|END_THINKING\|>", is_thought=True),
    _Kind(r"<\|begin_of_thought\|>", r"<\|end_of_thought\|>", is_thought=True),
    _Kind(
        r"<\|channel\|>\s{0,9}analysis(?!\s{0,9}to=)",
        r"<\|(?:end|return|start|call)\|>|<\|channel\|>(?!\s{0,9}analysis)",
        is_sure=True,
    ),
    _Kind(
        r"<\|channel\|>\s{0,9}(?:final|commentary)\s{0,9}<\|message\|>",
        r"<\|(?:end|return|start|call)\|>|<\|channel\|>",
        is_sure=True,
    ),
    _Kind(r"<\|open\|>think<\|sep\|>", r"<\|close\|>think<\|sep\|>", is_thought=True),
    _Kind(r"<\|channel>\s{0,9}thought", r"<channel\|>", is_thought=True),
    _Kind(r"<\|think(?:ing)?\|>", r"<\|/think(?:ing)?\|>", is_thought=True),
    _Kind(
        *_element(r"(?:tool|function)_?(?:response|result|output)s?|observations?"), is_answer=True
    ),
    _Kind(r"\[TOOL_RESULTS?\]", r"\[/TOOL_RESULTS?\]", is_answer=True),
    _Kind(
        "<\uff5ctool\u2581outputs?\u2581begin\uff5c>",
        "<\uff5ctool\u2581outputs?\u2581end\uff5c>",
        is_answer=True,
    ),
    _Kind(r"<\|START_TOOL_RESULTS?\|>", r"<\|END_TOOL_RESULTS?\|>", is_answer=True),
    _Kind("<start_function_response>", "<end_function_response>", is_answer=True),
    _Kind(r"<\|tool_response>", r"<tool_response\|>", is_answer=True),
    _Kind(
        *_element(
            r"(?:\w{1,20}_)?examples?|quote|blockquote|q|cite|documents?|sources?|untrusted\w{0,20}"
            r"|context|pre|code|textarea|e?mails?|files?|(?:search_)?results?|(?:web_?)?pages?"
        )
    ),
    _Kind("<!--", "-->"),
)
_BOTH = [
    compiled_when_used(f"({kind.opening})|(?:{kind.closing})", re.IGNORECASE) for kind in _KINDS
]
OPENING = compiled_when_used("|".join(f"({kind.opening})" for kind in _KINDS), re.IGNORECASE)
TURN = compiled_when_used(
    r"<\|im_start\|>(?!assistant)|<\|start_header_id\|>(?!assistant)|<\|start\|>(?!assistant)"
    r"|<start_of_turn>(?!model)|<\|turn>(?!model)|\[INST\]|<[|\uff5c](?:user|tool|system|observation"
    r"|ipython|environment)[|\uff5c]>|<\|(?:USER|SYSTEM)_TOKEN\|>",
    re.IGNORECASE,
)
"""What begins a turn of somebody else, in the templates of models."""
SPEAKER = compiled_when_used(
    r"[ \t]*(?:\*\*|#+[ \t]*)?(?:user|human|customer|system|observation"
    r"|(?:tool|function)[ _](?:result|response|output)s?)(?:\*\*)?[ \t]*:"
    r"|==>[ ][^\n]*[ ]<==|HTTP/\d|diff --git[ ]|@@[ ]-\d|<{7}[ ]|(?:data|event):[ ]|traceback[ ]\("
    r"|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?(?:info|warn|warning|debug)\]?:?[ ]\S"
    r"|(?:(?:from|to|cc|subject|date|host|content-\w+):[ ][^\n]+\r?\n){2}"
    r"|[ \t]*(?:\*\*(?:user|human|system)\*\*|#+[ \t]*(?:user|human))[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
"""A line that begins a turn of somebody else, or a text from elsewhere."""
ANSWER = compiled_when_used(
    rf"{RESULT}|{ERROR}|{NO_CALL.rstrip()}[ \t]*"
    r"|[!/@](?:tool_?|function_?)?(?:result|response|output)s?[ \t]+(?=\S)"
)
"""What begins an answer frame (R-426), spelled rightly or not."""
QUOTED_LINE = compiled_when_used(r"[ \t]*>[^\n]*")
"""A line of a block quote."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Where a passage ends, and how far there is doubt whether it does."""

    end: int
    doubt_end: int


def passage(src: str, pos: int) -> Passage | None:
    """Get the passage that begins here, if one does; one that is not closed goes to the end.

    >>> passage("<think>a</think> b", 0)
    Passage(end=16, doubt_end=16)
    >>> passage("<think>a</think> b</think> c", 0)
    Passage(end=16, doubt_end=26)
    """
    match = OPENING.match(src, pos)
    if match is None:
        return None
    assert match.lastindex is not None  # each alternative is a group
    index = match.lastindex - 1
    marks = _closings(src, match.end(), index)
    if not marks:
        return Passage(len(src), len(src))
    (_, end), (_, last) = marks
    if _KINDS[index].is_answer:
        return Passage(end, len(src))
    return Passage(end, end if _KINDS[index].is_sure else last)


def thought_before(src: str) -> tuple[int, int]:
    """Get the last closing mark of a thought that has no opening mark, as a start and an end.

    The prompt may have had the opening mark. Without such a thought both are 0.
    """
    last = (0, 0)
    for index, kind in enumerate(_KINDS):
        if kind.is_thought and (mark := _BOTH[index].search(src)) and mark[1] is None:
            last = max(last, _closings(src, 0, index)[1])
    return last


def _closings(src: str, pos: int, index: int) -> tuple[tuple[int, int], ...]:
    """Get the first closing mark, and the last one before an opening one, as starts and ends."""
    found: list[tuple[int, int]] = []
    for mark in _BOTH[index].finditer(src, pos):
        if mark[1] is None:
            found[1:] = [mark.span()]
        elif found:
            break
    return (found[0], found[-1]) if found else ()
