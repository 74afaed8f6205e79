"""Find the calls in a model's output.

Theory of operation. Text that can be read strictly is read strictly. Other text is searched from
left to right for places where a call can begin: a line, a tag, a brace. Each call is read strictly,
and if this fails, loosely (`_candidates`, `_tree`). The schema decides the meaning of the values
(`_coerce`). Then the encoder writes the call and checks everything, so every repaired call is valid
in LTON. If two readings fit, neither is used.

A call that cannot be read is an error, and does not affect other calls. The search continues after
the text of a call and never inside it, because the content of a string must not become a call.
Quotations are skipped (`_quoted`). If the text does not show whether a call is intended, the call
is uncertain (`_doubt`, `evidence`), and is accepted only on request.
"""

import re
from collections.abc import Iterable

from lton._patterns import compiled_when_used
from lton._syntax import Marks, Thoughts, find_thought_marks
from lton.codec import decode
from lton.codec._given import check_text
from lton.errors import Code, DecodeError, RepairCode
from lton.lenient._arguments import is_shaped
from lton.lenient._call_elements import ELEMENT, INVOKES
from lton.lenient._calls_by_name import NamedCalls
from lton.lenient._calls_in_json import ForeignCalls
from lton.lenient._candidates import CallReader, has_word_none
from lton.lenient._doubt import Doubt
from lton.lenient._echo import SeenTexts
from lton.lenient._effort import Cost, Effort, EffortSpentError
from lton.lenient._marks import ANNOUNCES, MARKS, NEXT, OPENS_CALL, SPECIAL
from lton.lenient._names import Names
from lton.lenient._quoted import ANSWER, QUOTED_LINE, TURN, try_read_passage
from lton.lenient._results import (
    LenientResult,
    has_same_calls,
    make_result,
    make_result_of_strict,
    with_own_names,
)
from lton.lenient._shown_calls import is_template
from lton.lenient._spans import Spans
from lton.lenient._strings import Extents, Strings
from lton.lenient.evidence import Evidence
from lton.lenient.syntaxes import pattern_of_column, read_syntaxes
from lton.schema.toolset import ToolSet, check_tools
from lton.schema.types import Call

MAX_ERRORS = 100  # reading stops after this number of errors, which models do not reach
_TICKED = compiled_when_used(r"(?<!`)(``?)[ \t]*\Z")
_SPOT = compiled_when_used(
    r"^(?![ \t]*\r?\n)|<(?=[!/|\uff5c:\[\w\u2581])|\u25c1|\[(?=/|\s*(?:\{|[^\W\d]))"
    r"|\{(?=\{?\s*[\"'\u201cA-Za-z_$])|\bto=(?=\w)",
    re.MULTILINE,
)
"""A possible start of a call or a passage: a line that is not blank, a tag, a bracket.

Inside a line, a tag begins with a letter or a mark, a list with a call, and an object with a key.
"""
_NEEDS_BODY = compiled_when_used(pattern_of_column("needs_body"))
"""Special tokens after which every call has arguments, at least an empty object."""
_BRACKETS = frozenset("{[")


def decode_lenient(
    text: str,
    tools: ToolSet | None = None,
    *,
    safe: bool = True,
    thoughts: Thoughts = False,
    ended: bool | None = None,
    syntax: str | Iterable[str] = (),
    seen: Iterable[str] = (),
) -> LenientResult:
    r"""Decode the calls in a model's output, and repair them if only one reading is possible.

    If `decode` accepts the text, the calls are the same and there are no repairs. Otherwise, calls
    are found in prose, fences and tags, and may be in LTON, JSON, Python's notation or elements.
    Each departure from LTON is in `repairs`, with its position. A call that cannot be read is in
    `errors`, and does not affect other calls. Unknown names, missing arguments and ambiguous values
    are never repaired. No text raises an error.

    Every value of a call comes from the text. Calls in answers, thoughts, block quotes and strings
    of other calls are ignored. A call is in `uncertain` if the text does not show whether it is
    intended: in a fence next to prose, in the middle of a sentence, after an answer, or after a
    call whose end could not be found. With `safe=False`, such a call is accepted, and a repair
    reports the doubt. The words around a call are not interpreted. A call next to other text is
    certain only in one of the call syntaxes `syntax`, which the model is known to write (see
    `lton.lenient.syntaxes`). A call is uncertain if one of the texts in `seen`, which the model was
    given, contains its name and values. If leftover text next to a call may belong to it, the call
    is uncertain, or an error if it has no arguments. A call is also uncertain if it ends the text
    with a number or a bare word, which may be cut off. Pass `ended=True` if the text is complete,
    and `ended=False` if it was cut off. In the second case, a call at the very end is uncertain.
    Thoughts between common marks are recognized. With `thoughts`, as in `decode`, a thought at the
    start needs no repair, and may have other marks.

    >>> from lton.schema.toolset import ToolSet
    >>> tools = ToolSet.from_tools([{"name": "wait", "parameters": {"type": "object",
    ...     "properties": {"minutes": {"type": "integer"}}, "required": ["minutes"]}}])
    >>> text = 'Sure. [TOOL_CALLS][{"name": "wait", "arguments": {"minutes": "5"}}]'
    >>> result = decode_lenient(text, tools, syntax="mistral")
    >>> result.calls
    (Call(name='wait', arguments={'minutes': 5}),)
    >>> [(repair.code.name, repair.pos) for repair in result.repairs]
    [('PROSE', 0), ('FRAME', 6), ('JSON', 18), ('KIND', 61)]
    >>> [found.code.name for found in decode_lenient(text, tools).uncertain]
    ['BESIDE']
    >>> result = decode_lenient("For example:\n```\nwait 5\n```", tools)
    >>> result.calls
    ()
    >>> [(found.call.name, found.code.name) for found in result.uncertain]
    [('wait', 'EXAMPLE')]
    """
    check_text(text)
    check_tools(tools)
    if tools is not None and tools.aliases:
        result = decode_lenient(
            text,
            tools.under_aliases,
            safe=safe,
            thoughts=thoughts,
            ended=ended,
            syntax=syntax,
            seen=seen,
        )
        return with_own_names(result, tools)
    evidence = Evidence(read_syntaxes(syntax), SeenTexts(seen))
    strict: LenientResult | None = None
    try:
        calls = tuple(decode(text, tools, thoughts=thoughts))
        if not (has_word_none(text, tools, calls) or (calls and ended is False)):
            strict = make_result_of_strict(text, calls, tools, safe=safe, evidence=evidence)
            if not (strict.uncertain or strict.repairs):
                return strict
    except DecodeError:
        pass
    search = _Search(text, tools)
    search.run(find_thought_marks(thoughts))
    result = make_result(
        search.spans,
        tools,
        safe=safe,
        complete=search.complete,
        ended=ended,
        evidence=evidence,
    )
    # The search knows the positions of calls in doubt, but does not find calls in every form.
    return result if strict is None or has_same_calls(result, strict) else strict


def are_certain(text: str, calls: Iterable[Call], tools: ToolSet) -> bool:
    """Return whether `decode_lenient` accepts the calls that `decode` has read in a text.

    They are uncertain if they are templates, and Python's `None` needs a repair.
    """
    by_name = tools.by_name
    for call in calls:
        if is_template(call, by_name):
            return False
    return not has_word_none(text, tools, calls)


class _Search:
    def __init__(self, src: str, tools: ToolSet | None) -> None:
        self.src = src
        self.effort = Effort(len(src))
        self.strings = Strings(src)
        self.doubt = Doubt(src)
        self.spans = Spans(self.doubt)
        self.names = Names(src, tools, self.spans)
        self.reader = CallReader(self.strings, tools, self.effort, self.names.begins_call)
        self.named = NamedCalls(self.names, self.reader, self.spans)
        self.foreign = ForeignCalls(self.names, self.reader, self.spans)
        self.complete = True

    def run(self, marks: Marks | None) -> None:
        pos = 0 if marks is None else self._skip_thought(*marks)
        try:
            while pos < len(self.src) and len(self.spans.errors) < MAX_ERRORS:
                start = self._next_spot(pos)
                after = self.doubt.track_prose(pos, start)
                pos = after if after > start else self._read_at(start)
        except EffortSpentError:
            self.complete = False
        self.complete = self.complete and pos >= len(self.src)

    def _skip_thought(self, opening: str, closing: str) -> int:
        src = self.src
        if not src[len(src) - len(src.lstrip()) :].startswith(opening):
            return 0
        close = src.find(closing)
        last = src.rfind(closing)
        end = len(src) if close < 0 else close + len(closing)
        self.doubt.skip_range(0, end, max(end, last + len(closing)), is_thought=True)
        self.spans.fresh = end
        return end

    def _next_spot(self, pos: int) -> int:
        """Return the position where something other than prose may begin."""
        if pos == self.spans.fresh:
            return pos
        spot = _SPOT.search(self.src, pos)
        return spot.start() if spot else len(self.src)

    def _read_at(self, spot: int) -> int:
        """Read what begins at a position, unless it is plain text. Return the end."""
        if spot == len(self.src):
            return spot
        self.effort.spend_units(Cost.SPOT)
        starts_line = self.doubt.is_line_start(spot)
        if starts_line and (start := self.names.find_plain_start(spot)) is not None:
            self._forget_marks(spot)
            return max(start, spot + 1)
        return self._read_marks(spot, is_line=starts_line or spot == self.spans.fresh)

    def _read_marks(self, spot: int, *, is_line: bool) -> int:
        """Read a passage, or marks and the calls after them. Return the end."""
        after = self._try_skip_passage_or_element(spot, spot, is_line=is_line)
        if after is not None:
            return after
        if not is_line and self.src[spot] in "<\u25c1" and not OPENS_CALL.match(self.src, spot):
            return spot + 1
        match = MARKS.match(self.src, spot)
        assert match is not None  # the pattern also matches no marks
        marks = match[0]
        start = match.end()
        self.doubt.open_in_marks(spot, start)
        if start > spot:
            after = self._try_skip_passage_or_element(
                spot, start, is_line=self.doubt.is_line_start(start) or is_line
            )
            if after is not None:
                return after
        self.spans.spot = spot
        self.spans.is_tagged = OPENS_CALL.search(marks) is not None
        self.spans.is_special = SPECIAL.search(self.src, spot, start + 1) is not None
        pos = max(start, spot + 1)
        is_json = not (is_line or self.spans.is_special) and self.src[spot] in _BRACKETS
        self.named.in_line = (
            is_json and start > spot and self.names.try_read_head(start) is not None
        )
        is_json = is_json and not self.named.in_line
        end = (
            self.foreign.try_read_json_calls(spot) if is_json else self._try_read_call(start, marks)
        )
        while end is not None:
            pos = max(pos, end)
            self.named.needs_body = False
            if after := self.doubt.try_close_after(pos):
                return after
            end = self._try_read_following(pos)
        if pos == spot + 1:
            self.doubt.track_prose(spot, pos)  # no call or passage begins at this position
        return pos

    def _forget_marks(self, spot: int) -> None:
        """Set the state to that of a place without marks."""
        self.spans.spot = spot
        self.spans.is_tagged = False
        self.spans.is_special = False
        self.named.in_line = False
        self.named.in_list = False
        self.named.needs_body = False
        self.reader.extents.is_ticked = False

    def _try_skip_passage_or_element(self, spot: int, pos: int, *, is_line: bool) -> int | None:
        """Skip a passage, or read an element that is named after a tool."""
        after = self._try_skip_quotation(pos, is_line=is_line)
        if after is None and is_line and self.src.startswith("<", pos):
            self.spans.spot = spot
            self.spans.is_special = False
            return self.foreign.try_read_tool_element(pos)
        return after

    def _try_skip_quotation(self, pos: int, *, is_line: bool) -> int | None:
        """Return the end of the quotation or of another speaker's turn at a position, or None."""
        src = self.src
        if is_line:
            if after := self.doubt.try_skip_fence_line(pos):
                return after
            if match := QUOTED_LINE.match(src, pos):
                return match.end()
            if match := ANSWER.match(src, pos):
                return self._skip_refused_answer(pos, match.end())
        if skipped := try_read_passage(src, pos):
            self.doubt.skip_range(
                pos, skipped.end, skipped.doubt_end, is_thought=skipped.is_thought
            )
            self.spans.fresh = skipped.end
            return skipped.end
        if match := TURN.match(src, pos):
            self.doubt.doubt_later_calls(RepairCode.ECHO)
            return match.end()
        return None

    def _skip_refused_answer(self, pos: int, start: int) -> int:
        error = DecodeError(
            Code.FRAME, "expected a call, found the answer to one", doc=self.src, pos=pos
        )
        end, _ = Extents(self.strings, self.effort, lambda _: False).find_end(start)
        eol = self.src.find("\n", end)
        self.doubt.doubt_later_calls(RepairCode.ECHO)
        return self.spans.add_error(pos, len(self.src) if eol < 0 else eol, error, is_damaged=False)

    def _try_read_call(self, pos: int, marks: str) -> int | None:
        self.named.in_list = marks.rstrip().endswith("[")
        if self.src[pos : pos + 1] in _BRACKETS:
            return self.foreign.try_read_json_calls(pos)
        if ELEMENT.match(self.src, pos):
            return self.foreign.read_element(pos)
        if match := INVOKES.match(self.src, pos):
            return self.foreign.read_announced_call(pos, match)
        announced = ANNOUNCES.search(marks) is not None
        ticks = _TICKED.search(marks)
        self.reader.extents.is_ticked = ticks is not None and ticks[1] == "`"
        self.named.needs_body = _NEEDS_BODY.search(marks) is not None
        head = self.names.try_read_head(pos)
        if head is None:
            return self.named.try_report_unknown_tool(pos, announced=announced)
        if head.sigil.startswith("to=") and not is_shaped(self.src, head.args):
            return self.named.try_report_missing_arguments(head)
        return self.named.try_read_call(head, announced=announced, ticked=ticks is not None)

    def _try_read_following(self, pos: int) -> int | None:
        match = NEXT.match(self.src, pos)
        if match is None or len(self.spans.errors) >= MAX_ERRORS:
            return None
        head = self.names.try_read_head(match.end())
        if head is None or not self.src.startswith("(", head.end):
            return None
        return self.named.try_read_call(head, announced=True, ticked=False)
