"""Find passages that are quotations, thoughts, tool results or turns of other speakers.

A *passage* is the text between two marks. Calls in it are not read. Quoted text can contain a
forged closing mark. So the text after the first closing mark is in doubt, up to the last closing
mark before the next opening mark. After an answer, all text is in doubt.
"""

import re
from dataclasses import dataclass

from lton._patterns import compiled_when_used
from lton._syntax import ERROR, NO_CALL, RESULT
from lton.lenient.syntaxes import THOUGHTS


@dataclass(frozen=True, slots=True)
class _Kind:
    opening: str
    closing: str
    is_thought: bool = False
    is_answer: bool = False
    is_sure: bool = False  # the first closing mark ends the passage


def _element_patterns(names: str) -> tuple[str, str]:
    return rf"<(?:{names})(?:\s[^<>\n]{{0,80}})?>", rf"</(?:{names})\s*>"


_THOUGHTS = (
    _element_patterns(
        r"(?:\w{1,8}:)?think(?:ing)?|thoughts?|reason(?:ing)?|reflection|scratchpad|analysis"
        r"|(?:inner_)?monologue"
    ),
    *THOUGHTS,
    (r"<\|begin_of_thought\|>", r"<\|end_of_thought\|>"),
    (r"<\|think(?:ing)?\|>", r"<\|/think(?:ing)?\|>"),
)
_ANSWERS = (
    _element_patterns(r"(?:tool|function)_?(?:response|result|output)s?|observations?"),
    (r"\[TOOL_RESULTS?\]", r"\[/TOOL_RESULTS?\]"),
    ("<\uff5ctool\u2581outputs?\u2581begin\uff5c>", "<\uff5ctool\u2581outputs?\u2581end\uff5c>"),
    (r"<\|START_TOOL_RESULTS?\|>", r"<\|END_TOOL_RESULTS?\|>"),
    ("<start_function_response>", "<end_function_response>"),
    (r"<\|tool_response>", r"<tool_response\|>"),
)
_QUOTATIONS = (
    _element_patterns(
        r"(?:\w{1,20}_)?examples?|quote|blockquote|q|cite|documents?|sources?|untrusted\w{0,20}"
        r"|context|pre|code|textarea|e?mails?|files?|(?:search_)?results?|(?:web_?)?pages?"
    ),
    ("<!--", "-->"),
)
_STOP = r"<\|(?:end|return|start|call)\|>|<\|channel\|>"
_ANALYSIS = (r"<\|channel\|>\s{0,9}analysis(?!\s{0,9}to=)", rf"{_STOP}(?!\s{{0,9}}analysis)")
_ANNOUNCEMENT = (r"<\|channel\|>\s{0,9}(?:final|commentary)\s{0,9}<\|message\|>", _STOP)
_KINDS = (
    *(_Kind(*marks, is_thought=True) for marks in _THOUGHTS),
    _Kind(*_ANALYSIS, is_thought=True, is_sure=True),
    _Kind(*_ANNOUNCEMENT, is_sure=True),
    *(_Kind(*marks, is_answer=True) for marks in _ANSWERS),
    *(_Kind(*marks) for marks in _QUOTATIONS),
)
_BOTH = [
    compiled_when_used(f"({kind.opening})|(?:{kind.closing})", re.IGNORECASE) for kind in _KINDS
]
OPENING = compiled_when_used("|".join(f"({kind.opening})" for kind in _KINDS), re.IGNORECASE)
_ROLES = (
    r"(?:user|human|prompter|customer|system|developer|environment|observation|ipython|tool|function"
    r"|(?:tool|function)[_\u2581 ]?(?:response|result|output)s?)"
)
"""The roles in a conversation, except the model's own."""
TURN = compiled_when_used(
    # a special token that names a role: <|im_user|>, <|USER_TOKEN|>, <|tool_response:begin|>
    r"<[|\uff5c](?![\w\u2581]*call)(?:(?:[^\W_\u2581]{1,20}[_\u2581.:-]){0,4}|begin_?of_?)"
    rf"{_ROLES}(?:[_\u2581:-](?:token|begin|start))?[|\uff5c]>"
    # a token that opens a turn, and a role that is not the model's
    r"|<\|(?:im_start|start_header_id|header_start|start|start_of_role|role_start)\|>(?!assistant)"
    r"|<start_of_turn>(?!model)|<\|turn>(?!model)|\[INST\]"
    # any other token, and the name of a role: <seed:bos>tool, <SPECIAL_11>User, <role>HUMAN
    rf"|<(?:[|\uff5c](?![\w\u2581]*(?:call|sep))[\w\u2581]{{1,30}}[|\uff5c]|\w{{1,20}}:bos"
    rf"|[a-z_]{{1,20}}_\d{{1,4}}|role|bos|s|\[)>?\s{{0,3}}"
    rf"{_ROLES}(?=[ \t]*(?:[\r\n<\[|\]:]|\Z))",
    re.IGNORECASE,
)
"""The start of another speaker's turn: a special token that contains a role or precedes one."""
ANSWER = compiled_when_used(
    rf"{RESULT}|{ERROR}|{NO_CALL.rstrip()}[ \t]*"
    r"|[!/@](?:tool_?|function_?)?(?:result|response|output)s?[ \t]+(?=\S)"
)
"""The start of an answer frame (R-426), even if it is misspelled."""
QUOTED_LINE = compiled_when_used(r"[ \t]*>[^\n]*")
"""A line of a block quote."""


@dataclass(frozen=True, slots=True)
class Passage:
    """The end of a passage, and the end of the text that may also belong to it."""

    end: int
    doubt_end: int
    is_thought: bool = False


def try_read_passage(src: str, pos: int) -> Passage | None:
    """Return the passage that begins at a position, or None.

    >>> try_read_passage("<think>a</think> b", 0)
    Passage(end=16, doubt_end=16, is_thought=True)
    >>> try_read_passage("<think>a</think> b</think> c", 0)
    Passage(end=16, doubt_end=26, is_thought=True)
    """
    match = OPENING.match(src, pos)
    if match is None:
        return None
    assert match.lastindex is not None  # every alternative has a group
    index = match.lastindex - 1
    kind = _KINDS[index]
    marks = _find_closings(src, match.end(), index)
    if not marks:
        return Passage(len(src), len(src), kind.is_thought)
    (_, end), (_, last) = marks
    if kind.is_answer:
        return Passage(end, len(src))
    return Passage(end, end if kind.is_sure else last, kind.is_thought)


def find_thought_before(src: str) -> tuple[int, int]:
    """Return the span of the last mark that closes a thought before any is opened, or (0, 0).

    The opening mark may be in the prompt.
    """
    last = (0, 0)
    for index, kind in enumerate(_KINDS):
        if (
            kind.is_thought
            and not kind.is_sure
            and (mark := _BOTH[index].search(src))
            and mark[1] is None
        ):
            last = max(last, _find_closings(src, 0, index)[1])
    return last


def _find_closings(src: str, pos: int, index: int) -> tuple[tuple[int, int], ...]:
    """Find the closing marks before the next opening mark. Return the first and the last span."""
    spans: list[tuple[int, int]] = []
    for mark in _BOTH[index].finditer(src, pos):
        if mark[1] is None:
            spans[1:] = [mark.span()]
        elif spans:
            break
    return (spans[0], spans[-1]) if spans else ()
