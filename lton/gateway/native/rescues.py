"""Read calls that a model wrote as text, if the text is unmistakably a call."""

import re
from dataclasses import dataclass, replace

from lton._json import minified
from lton.chat import ToolCall, new_call_id
from lton.chat.repeats import DistinctCalls
from lton.errors import Code, LTONError, RepairCode
from lton.gateway.native.call_after_prose import is_closed
from lton.gateway.native.call_watcher import CallWatcher
from lton.lenient import LenientResult, Repair, decode_lenient
from lton.lenient._openings import BETWEEN, MARKS
from lton.schema.toolset import ToolSet
from lton.schema.types import Call

MAX_TEXT = 256 * 1024  # a longer answer is not examined
_MARK = re.compile(r"</?think(?:ing)?>")  # after a thought, this mark leaves its end uncertain
_FOREIGN = frozenset([RepairCode.JSON, RepairCode.XML])


@dataclass(frozen=True)
class Rescue:
    """The calls read from an answer's text, without repetitions."""

    calls: tuple[ToolCall, ...]
    repairs: tuple[Repair, ...]
    text: str
    before: str = ""  # the thought or prose before the calls


@dataclass(frozen=True, kw_only=True)
class Allowed:
    """The tools that an answer may call."""

    tools: ToolSet
    names: frozenset[str]  # the tools that may be called now
    parallel: bool = True
    repeat: bool = False
    after_prose: bool = True  # whether a call at the end of prose is rescued
    complete: bool = True  # whether `tools` has all tools of the request

    def knows(self, name: str) -> bool:
        """Return whether a tool may be called now, or certainly does not exist."""
        return name in self.names or (self.complete and name not in self.tools.by_name)


def rescued(text: str, allowed: Allowed) -> Rescue | None:
    """Return the calls in an answer's text, or None if the text may be something else.

    A thought (`<think>…</think>`) may precede them, and prose may precede a single call with marks.
    """
    if len(text) > MAX_TEXT:
        return None
    tools, held = allowed.tools, watcher_for(allowed)
    held.feed(text)
    if not held.may_be_call or (held.opening.has_thought and _MARK.search(held.opening.rest)):
        return None
    before = text[: len(text) - held.held]
    said = text[len(before) :].lstrip()
    found = decode_lenient(said, tools)
    if not (found.calls and _is_nothing_else(*_without_words(said, found, tools))) or (
        held.is_after_prose and not (is_closed(said) and _is_meant(text, found, tools))
    ):
        return None
    known = DistinctCalls[Call](repeat=allowed.repeat)
    calls = [call for call in found.calls if not known.is_repeated(call.name, call.arguments)]
    if len(calls) > 1 and not allowed.parallel:
        return None
    if not allowed.names.issuperset(call.name for call in calls):
        return None
    made = [ToolCall(call.name, minified(dict(call.arguments)), new_call_id()) for call in calls]
    repairs = tuple(replace(each, pos=each.pos + len(text) - len(said)) for each in found.repairs)
    return Rescue(tuple(made), repairs, text, before)


def watcher_for(allowed: Allowed) -> CallWatcher:
    """Return a watcher for calls to the allowed tools."""
    return CallWatcher(allowed.tools.by_name, after_prose=allowed.after_prose)


def _is_meant(text: str, found: LenientResult, tools: ToolSet) -> bool:
    """Return whether the text is nothing but this call, and the call is complete."""
    again = decode_lenient(text, tools)
    is_whole = again.complete and not (again.errors or again.uncertain)
    is_cut = any(each.code is RepairCode.CLOSER for each in found.repairs)
    return is_whole and not is_cut and len(found.calls) == 1 and again.calls == found.calls


def _without_words(text: str, found: LenientResult, tools: ToolSet) -> tuple[str, LenientResult]:
    """Remove the words between the marks of calls, unless this changes the calls."""
    bare = BETWEEN.sub("", text)
    again = found if bare == text else decode_lenient(bare, tools)
    return (bare, again) if again.calls == found.calls else (text, found)


def _is_nothing_else(text: str, found: LenientResult) -> bool:
    codes = {(repair.call, repair.code) for repair in found.repairs}
    if not found.complete or found.errors or found.uncertain:
        return False
    if any(code is RepairCode.PROSE for _, code in codes):
        return False
    foreign = {call for call, code in codes if code in _FOREIGN}
    return MARKS.match(text) is not None or all(
        index in foreign or re.search(rf"(?<!\w){re.escape(call.name)}\(", text)
        for index, call in enumerate(found.calls)
    )


def read_error(text: str, allowed: Allowed) -> LTONError | None:
    """If an answer consists only of an unreadable call, return the error."""
    held = watcher_for(allowed)
    held.feed(text[: MAX_TEXT + 1])
    if len(text) > MAX_TEXT or not held.may_be_call:
        return None
    found = decode_lenient(text[len(text) - held.held :].lstrip(), allowed.tools)
    errors = (each for each in found.errors if found.complete)
    return next((each for each in errors if allowed.complete or each.code != Code.TOOL), None)
