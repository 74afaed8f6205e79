"""Find passages between paired marks, which may be quotations.

There is no list of such marks. A tag or a word in brackets encloses the text up to a closing mark
with the same name, even if the two marks are spelled differently.
"""

import re
import unicodedata
from collections.abc import Iterator

from lton._patterns import compiled_when_used
from lton.lenient.syntaxes import pattern_of_column

_BEGINS = r"<{1,3}|\\<|[\uff1c\u2039\u27e8\u3008\u25c1]|&(?:amp;)?(?:lt|lang|\#60);|\\u003c|%3c"
_MARK = compiled_when_used(
    rf"(?:(?P<tag>{_BEGINS})|\[{{1,2}}|\{{{{1,2}}%?|\()[^\S\n]{{0,3}}"
    r"(?P<end>\\?[/\uff0f])?(?P<bar>[|\uff5c])?(?P<slash>/)?[^\S\n]{0,3}"
    r"(?P<name>[^\s<>\[\]{}()|\uff5c/=&%\\\uff1c\uff1e\u203a\u27e9\u3009\u25b7]{1,64})",
    re.IGNORECASE,
)
"""A possible tag: `<doc>`, `</doc>`, `<|doc_start|>`, `&lt;doc&gt;`, `[doc]`."""
_EDGE = compiled_when_used(
    r"^(begin|start|end|stop)_(?:of_)?(?=\w)|(?<=\w)[_:](begin|start|end|stop)$"
)
_OWN = compiled_when_used(
    rf"(?:\w{{1,20}}:|{pattern_of_column('prefix')})?(?:(?:tool_?|function_?|func_?)?(?:calls?|invokes?|invocations?|uses?)|function|invoke|tool"
    r"|actions?|param(?:eter)?s?|arg(?:ument)?s?|arg_(?:key|value)|python(?:_tag)?|tool_code|plugin"
    r"|tool_call_argument|tool_calls_section|tool_sep|dsml|answer|s)(?::\w{1,20})?"
)
"""Names of elements that models write around their own calls. Hunyuan writes `<answer>`."""
_OPENS_COMMENT = compiled_when_used(
    r"^[ \t]*+(?P<open>@['\"](?=[ \t]*+$)|/\*|<#|\#\||\{-|\(\*|--\[\[|%\{|<%|\{\#|<<<)[^\n]*",
    re.MULTILINE,
)
_CLOSES_COMMENT = compiled_when_used(
    r"^[^\n]*?(?P<close>(?<!\S)['\"]@|\*/|\#>|\|\#|-\}|\*\)|\]\]|%\}|%>|\#\}|>>>)[ \t]*+$",
    re.MULTILINE,
)
"""A line that opens or closes a block comment or a block of a template."""
_MARKS_LINE = compiled_when_used(
    r"^[ \t]*+(?!(?:[-*+•]|\#{1,6})[ \t]+\w|[\"'`\u201c\u2018<(]|~{3})"
    r"(?P<marks>[^\w\s][^\n]{0,100})$",
    re.MULTILINE,
)
"""A line that begins with a mark, except a list item, a heading, a quotation, a fence or a tag."""
_LONGEST_MARKS = 6  # words of a line of marks; a longer line is prose
_RUN = compiled_when_used(r"([^\w\s])\1+")
_WORDS = compiled_when_used(r"\w+(?:\s+\w+)*")
_BLOCK = compiled_when_used(
    r"^(?P<indent>[ \t]*)(?:(?:[-?][ ]+)*[\w.-]{1,64}:[ ]+|(?:(?:-{1,3}|[?])[ ]+)+)"
    r"[|>][+-]?\d?[+-]?[ \t]*\n"
    r"(?>(?P=indent)[ \t]+[^\s][^\n]*(?:\n|\Z)|[ \t]*\n)+",
    re.MULTILINE,
)
"""A block scalar in YAML: a line that ends with `|` or `>`, and the indented lines after it."""
_ALONE = compiled_when_used(
    r"^[ \t]*(<[\w:.-]{1,64}(?:[ \t][^<>\n]{0,200})?>)[ \t]*$", re.MULTILINE
)
"""A tag on its own line."""
_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split(" "))
"""HTML elements without a closing tag."""
_ENDS = "'@ \"@ */ #> |# -} *) ]] %} %> #} >>>".split()
_OPENERS = "@' @\" /* <# #| {- (* --[[ %{ <% {# <<<".split()
_CLOSES = dict(zip(_ENDS, _OPENERS, strict=True))


def enclosed_spans(text: str) -> list[tuple[int, int]]:
    r"""Return the spans between opening and closing marks with the same name. Spans may overlap.

    If a tag is on its own line and is never closed, its range extends to the end of the text.

    >>> enclosed_spans("<doc>x</doc> [a] <tool_call>x</tool_call>")
    [(0, 6)]
    >>> enclosed_spans("----\nx\n----\ny")
    [(0, 7)]
    """
    opened: dict[str, list[int]] = {}
    parts = []
    for pos, key, is_end in sorted([*_iterate_named_marks(text), *_iterate_marks_in_lines(text)]):
        starts = opened.setdefault(key, [])
        if starts and is_end is not False:
            parts.append((starts.pop(), pos))
        elif not is_end:
            starts.append(pos)
    alone = {match.start(1) for match in _ALONE.finditer(text)}
    for key, starts in opened.items():
        if key[1:] not in _VOID:
            parts += [(start, len(text) + 1) for start in starts if start in alone]
    return parts


def _iterate_named_marks(text: str) -> Iterator[tuple[int, str, bool | None]]:
    for match in _MARK.finditer(text):
        name = unicodedata.normalize("NFKC", match["name"]).casefold()
        name = re.sub(r"[^\w:]+|_", "_", name).strip("_")
        edge = _EDGE.search(name)
        if match["tag"] and _OWN.fullmatch(_EDGE.sub("", name)):
            continue
        is_end = bool(match["end"] or match["slash"])
        if edge and (match["bar"] or not match["tag"]):
            name = _EDGE.sub("", name)
            is_end = is_end or (edge[1] or edge[2]) in ("end", "stop")
        if match[0].startswith("{%") and name.startswith("end"):
            name = name[3:]
            is_end = True
        key = name.replace("_", "")
        yield match.start(), ("<" if match["tag"] else text[match.start()]) + key, is_end


def _iterate_marks_in_lines(text: str) -> Iterator[tuple[int, str, bool | None]]:
    for match in _BLOCK.finditer(text):
        yield match.start(), "block", False
        yield match.end(), "block", True
    for match in _OPENS_COMMENT.finditer(text):
        yield match.start(), match["open"], False
    for match in _CLOSES_COMMENT.finditer(text):
        yield match.start(), _CLOSES[match["close"]], True
    for match in _MARKS_LINE.finditer(text):
        if len(match["marks"].split()) <= _LONGEST_MARKS:
            yield match.start(), f"line {_shape_of_line(match['marks'])}", None


def _shape_of_line(line: str) -> str:
    """Return the marks of a line, without its words and without the length of its runs.

    >>> _shape_of_line("----- BEGIN MAIL -----"), _shape_of_line("--- end ---")
    ('- w -', '- w -')
    """
    return _RUN.sub(r"\1", _WORDS.sub("w", line.strip()))
