"""Collect an answer's deltas in one message, with notes about omitted or unreadable parts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self, TypeAlias

from lton.chat import (
    ContentDelta,
    Delta,
    Finish,
    ImitatedAnswer,
    RepeatedCall,
    ThoughtDelta,
    ToolCall,
    ToolCallEnd,
)
from lton.chat.deltas import (
    BrokenCall,
    CallInThought,
    DeclinedCall,
    ExtraCall,
    LoopingCall,
    MendedCall,
    MissingCall,
    OpaqueDelta,
    UnconfirmedCall,
)
from lton.chat.repeats import LOOPS

AnswerNote: TypeAlias = dict[str, Any]  # a code, a message, and the call or text that it is about


_OMITTED_CALLS: Mapping[type[Delta], tuple[str, str]] = {
    RepeatedCall: ("repeated_call", "the answer already contains this call: it is omitted"),
    CallInThought: (
        "call_in_thought",
        "the answer has only a thought, which contains this call: it is not made",
    ),
    UnconfirmedCall: (
        "uncertain_call",
        "the text contains this call, and the model did not confirm it: it is not made",
    ),
    LoopingCall: (
        "looping_call",
        "the call was made several times with the same result: it is not made again",
    ),
    ExtraCall: ("extra_call", "the request allows only one call: this call is omitted"),
}
"""The codes and messages of calls that are not made."""


def iterate_notes_of_delta(delta: Delta) -> Iterator[AnswerNote]:
    """Yield notes about the omitted, incomplete or unreadable parts that a delta reports."""
    match delta:
        case (
            RepeatedCall(call)
            | CallInThought(call)
            | UnconfirmedCall(call)
            | LoopingCall(call)
            | ExtraCall(call)
        ):
            code, why = _OMITTED_CALLS[type(delta)]
            yield {"code": code, "message": why, **_describe_call(call)}
        case DeclinedCall(call, need):
            why = f"a tool is needed with a probability of {need:.2f}: this call is not made"
            yield {"code": "declined_call", "message": why, **_describe_call(call)}
        case ImitatedAnswer(text):
            why = "the model made up the result of a tool: it is omitted"
            yield {"code": "imitated_answer", "message": why, "text": text}
        case MendedCall(call, repairs):
            why = "the call did not fit its tool: it was mended"
            codes = list(dict.fromkeys(str(repair.code) for repair in repairs))
            yield {"code": "mended_call", "message": why, **_describe_call(call), "repairs": codes}
        case BrokenCall(call, reason):
            yield _note_cut_call(call, reason)
        case MissingCall(names):
            why = "the request requires a call, and the model made none"
            yield {"code": "missing_call", "message": why, "names": list(names)}
        case Finish():
            yield from _iterate_notes_of_end(delta)


def _iterate_notes_of_end(end: Finish) -> Iterator[AnswerNote]:
    broken = {"error": str(end.error)} if end.error else {}
    if end.cut is not None:
        yield _note_cut_call(end.cut, end.reason) | broken
    elif end.error and end.error.msg.startswith(LOOPS):
        why = "the model repeated itself: the answer was ended"
        yield {"code": "repeated_text", "message": why, **broken}
    elif end.error:
        why = "the text after the content and the calls could not be read"
        yield {"code": "unread_call", "message": why, **broken}


def _note_cut_call(call: ToolCall, reason: str) -> AnswerNote:
    why = "the call is incomplete: it must not be run"
    return {"code": "cut_call", "message": why, "reason": reason, **_describe_call(call)}


def _describe_call(call: ToolCall) -> AnswerNote:
    return {"name": call.name, "arguments": call.written}


def write_extension(notes: Sequence[AnswerNote], confidence: float | None = None) -> dict[str, Any]:
    """Return the `lton` field of an answer, or {} if there is nothing to report."""
    sure = {} if confidence is None else {"confidence": round(confidence, 3)}
    fields = sure | ({"notes": notes} if notes else {})
    return {"lton": fields} if fields else {}


@dataclass(kw_only=True)
class AssistantMessage:
    """A complete message: one of the choices in a model's answer."""

    content: str = ""
    thoughts: str = ""
    calls: list[ToolCall] = field(default_factory=list)
    reason: str = "stop"
    notes: list[AnswerNote] = field(default_factory=list)
    confidence: float | None = None

    @classmethod
    def from_deltas(cls, deltas: Iterable[Delta]) -> Self:
        """Join the deltas of an answer. A call without an end is omitted."""
        message = cls()
        content = list[str]()
        thoughts = list[str]()
        for delta in deltas:
            message.notes += iterate_notes_of_delta(delta)
            match delta:
                case ContentDelta(text):
                    content.append(text)
                case ThoughtDelta(text):
                    thoughts.append(text)
                case ToolCallEnd(_, call):
                    message.calls.append(call)
                case OpaqueDelta({"call_id": str(id_), **value}, True):  # not of a function
                    name = str(value.get("name"))
                    argument = value.get("input", "")
                    message.calls.append(ToolCall(name, argument, id_, custom=True))
                case Finish(reason):
                    message.reason = reason
                    message.confidence = delta.confidence
        message.content = "".join(content)
        message.thoughts = "".join(thoughts)
        return message
