"""Define the result of lenient reading and build the result from the spans of calls."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from lton._patterns import compiled_when_used
from lton.errors import Code, DecodeError, RepairCode
from lton.lenient._examples import with_examples
from lton.lenient._left_over import find_leftover, iterate_unread_positions, may_continue
from lton.lenient._marks import LINE_REST, iterate_gap_repairs
from lton.lenient._shown_calls import is_template
from lton.lenient._spans import CallSpan, Spans
from lton.lenient.evidence import Evidence, judge_calls
from lton.schema.toolset import ToolSet
from lton.schema.types import Call, Tool

_FENCE_END = compiled_when_used(r"\s*`{3,}[ \t]*(?:\r?\n|\Z)")
_SPOKEN = frozenset([RepairCode.EXAMPLE, RepairCode.SENTENCE, RepairCode.BESIDE])
"""Doubts that mean that the text only mentions the call, so the call remains in the prose."""


@dataclass(frozen=True, slots=True)
class Repair:
    """A departure from LTON that was repaired, with its position and the index of its call."""

    code: RepairCode
    pos: int
    msg: str
    call: int


@dataclass(frozen=True, slots=True)
class UncertainCall:
    """A call that may not be intended, with its position and the reason.

    `code` is one of L122 to L127, L129 and L130.
    """

    call: Call
    code: RepairCode
    pos: int
    msg: str


@dataclass(frozen=True, slots=True)
class LenientResult:
    """The calls in an output, and the repairs, errors and uncertain calls.

    Calls in `uncertain` may only be quoted. Do not run them unless a person, or information other
    than the text, confirms them. If `complete` is false, the search was stopped, because the text
    takes too much work or has too many errors. `called` contains the ranges that are not prose, in
    order, each with the marks around it. These are calls, unreadable calls, and calls that are
    uncertain because another speaker may have written them or because they may be part of damaged
    text. All other text is meant for people who read the output.
    """

    calls: tuple[Call, ...] = ()
    repairs: tuple[Repair, ...] = ()
    errors: tuple[DecodeError, ...] = ()
    uncertain: tuple[UncertainCall, ...] = ()
    complete: bool = True
    called: tuple[tuple[int, int], ...] = ()


def with_own_names(result: LenientResult, tools: ToolSet) -> LenientResult:
    def rename_call(call: Call) -> Call:
        return Call(tools.own_name(call.name), call.arguments)

    return replace(
        result,
        calls=tuple(map(rename_call, result.calls)),
        uncertain=tuple(replace(one, call=rename_call(one.call)) for one in result.uncertain),
    )


def make_result_of_strict(
    src: str, calls: tuple[Call, ...], tools: ToolSet | None, *, safe: bool, evidence: Evidence
) -> LenientResult:
    """Return the calls of a text that can be read strictly. Templates and echoes are uncertain.

    The positions of these calls are unknown, and the result has the start of the text instead.
    """
    by_name = tools.by_name if tools is not None else {}
    doubts = [_find_doubt_of_strict(call, by_name, evidence) for call in calls]
    doubted = [(index, code) for index, code in enumerate(doubts) if code is not None]
    if not doubted:
        return LenientResult(calls, called=((0, len(src)),) if calls else ())
    if not safe:
        repairs = tuple(Repair(code, 0, code.msg, index) for index, code in doubted)
        return LenientResult(calls, repairs, called=((0, len(src)),))
    uncertain = tuple(UncertainCall(calls[index], code, 0, code.msg) for index, code in doubted)
    certain = tuple(call for call, code in zip(calls, doubts, strict=True) if code is None)
    return LenientResult(certain, uncertain=uncertain)


def _find_doubt_of_strict(
    call: Call, tools: Mapping[str, Tool], evidence: Evidence
) -> RepairCode | None:
    if is_template(call, tools):
        return RepairCode.EXAMPLE
    return RepairCode.SEEN if evidence.seen_texts.has_call(call) else None


def has_same_calls(result: LenientResult, other: LenientResult) -> bool:
    """Return whether two results have the same certain and the same uncertain calls."""
    return _reported_repairs(result) == _reported_repairs(other)


def _reported_repairs(result: LenientResult) -> list[tuple[object, ...]]:
    repairs = {(repair.call, repair.code) for repair in result.repairs}
    uncertain = [(repr(one.call), one.code) for one in result.uncertain]
    return [tuple(map(repr, result.calls)), tuple(uncertain), tuple(sorted(repairs)), result.errors]


def make_result(
    spans: Spans,
    tools: ToolSet | None,
    *,
    safe: bool,
    complete: bool,
    ended: bool | None,
    evidence: Evidence,
) -> LenientResult:
    src = spans.doubt.src
    judged, lost = _with_left_over(src, _judge_spans(spans), tools)
    judged = with_examples(src, judged, tools)
    if complete:
        lost += _unread_errors(spans, judged)
    if not ended:
        judged = _with_cut_calls_doubted(src, judged, tools, is_cut=ended is False)
    judged = judge_calls(src, judged, spans.doubt.thoughts, evidence)
    errors = sorted([*spans.errors, *lost], key=lambda error: error.pos) if lost else spans.errors
    calls: list[Call] = []
    accepted: list[CallSpan] = []
    uncertain: list[UncertainCall] = []
    repairs: set[tuple[int, int, RepairCode]] = set()
    for span in judged:
        if span.candidate is None:
            continue
        call = span.candidate.call
        code = span.doubt
        if code and safe:
            uncertain.append(UncertainCall(call, code, span.start, code.msg))
            continue
        own = [*span.candidate.repairs, *([(span.start, code)] if code else [])]
        repairs.update((len(accepted), pos, one) for pos, one in own)
        accepted.append(span)
        calls.append(call)
    repairs.update(_iterate_repairs_between(src, judged, accepted))
    return LenientResult(
        tuple(calls),
        tuple(Repair(code, pos, code.msg, call) for call, pos, code in sorted(repairs)),
        tuple(errors),
        tuple(uncertain),
        complete,
        tuple(_iterate_gaps(src, (one for one in judged if not safe or one.doubt not in _SPOKEN))),
    )


def _judge_spans(spans: Spans) -> list[CallSpan]:
    doubts = spans.doubt.judge_calls([(one.start, one.end, one.fence) for one in spans.call_spans])
    judged: list[CallSpan] = []
    for span, other in zip(spans.call_spans, doubts, strict=True):
        doubt = span.doubt or other
        if span.repeats:
            doubt = doubt or judged[-1].doubt
        judged.append(replace(span, doubt=doubt))
    return judged


def _with_left_over(
    src: str, spans: list[CallSpan], tools: ToolSet | None
) -> tuple[list[CallSpan], list[DecodeError]]:
    """Mark each call with unread text next to it as uncertain. Return the spans and errors."""
    msg = "expected the arguments of the call above, found unreadable text"
    judged: list[CallSpan] = []
    errors = []
    starts = [*(span.marks for span in spans[1:]), len(src)]
    end = 0
    for span, stop in zip(spans, starts, strict=False):
        position = None
        if span.candidate and not (span.doubt or span.repeats):
            position = find_leftover(src, span, end, max(stop, span.end), tools)
        elif span.doubt is RepairCode.LEFT:
            position = span.start
        if position is None or span.candidate is None:
            judged.append(span)
        elif span.candidate.call.arguments:
            judged.append(replace(span, doubt=RepairCode.LEFT))
        else:
            judged.append(replace(span, candidate=None))
            errors.append(DecodeError(Code.SYNTAX, msg, doc=src, pos=position))
        end = span.end
    return judged, errors


def _unread_errors(spans: Spans, judged: list[CallSpan]) -> list[DecodeError]:
    msg = "expected a call after its marks"
    src = spans.doubt.src
    pieces = spans.doubt.iterate_prose_outside((span.start, span.end) for span in judged)
    positions = iterate_unread_positions(src, pieces, {span.start for span in judged})
    return [DecodeError(Code.SYNTAX, msg, doc=src, pos=pos) for pos in positions]


def _with_cut_calls_doubted(
    src: str, spans: list[CallSpan], tools: ToolSet | None, *, is_cut: bool
) -> list[CallSpan]:
    """Mark the last call as uncertain if it may be incomplete. Return the spans."""
    last = spans[-1] if spans else None
    if last and last.candidate and not last.doubt and may_continue(src, last, tools, is_cut=is_cut):
        return [*spans[:-1], replace(last, doubt=RepairCode.CUT)]
    return spans


def _iterate_gaps(src: str, spans: Iterable[CallSpan]) -> Iterator[tuple[int, int]]:
    pos = 0
    is_fenced = False
    for span in spans:
        if span.end <= pos:
            continue
        is_fenced = is_fenced or "```" in src[span.marks : span.start]
        line_end = LINE_REST.match(src, span.end)
        is_last = line_end is not None and (
            src.endswith("\n", 0, line_end.end()) or line_end.end() == len(src)
        )
        end = line_end.end() if line_end and is_last else span.end
        if is_fenced and (fence := _FENCE_END.match(src, end)):
            end = fence.end()
            is_fenced = False
        yield max(pos, span.marks), end
        pos = end


def _iterate_repairs_between(
    src: str, spans: list[CallSpan], accepted: list[CallSpan]
) -> Iterator[tuple[int, int, RepairCode]]:
    """Yield the repairs between calls, each with the index of the call that it belongs to."""
    if not accepted:
        return
    pos = index = 0
    for span in [*spans, CallSpan(len(src), len(src))]:
        if span.start >= pos:
            for at, code in iterate_gap_repairs(src, pos, span.start):
                yield min(index, len(accepted) - 1), at, code
        if index < len(accepted) and span is accepted[index]:
            index += 1
        pos = max(pos, span.end)
