"""Calls that a model wrote as text, alone or at the end of prose: read leniently, and safely."""

import re
from dataclasses import dataclass, replace

from lton._json import minified, read_json
from lton.chat import ToolCall, new_call_id
from lton.chat.repeats import GivenCalls
from lton.codec import encode
from lton.errors import LTONError, RepairCode
from lton.gateway.native.call_after_prose import is_closed
from lton.gateway.native.held_text import HeldText
from lton.lenient import LenientResult, Repair, decode_lenient
from lton.lenient._openings import BETWEEN, MARKS
from lton.schema.toolset import ToolSet
from lton.schema.types import Call

MAX_TEXT = 256 * 1024
"""Characters of a text that is looked at."""
_MARK = re.compile(r"</?think(?:ing)?>")
"""After a thought it leaves in doubt where that has ended."""
_FOREIGN = frozenset([RepairCode.JSON, RepairCode.XML])


@dataclass(frozen=True)
class Rescue:
    """Calls that were read out of a text, each once, and what was repaired in it."""

    calls: tuple[ToolCall, ...]
    repairs: tuple[Repair, ...]
    text: str
    before: str = ""
    """What the text begins with, a thought or prose: no call is read out of it."""


@dataclass(frozen=True, kw_only=True)
class Allowed:
    """What an answer may call: the tools, and whether several at once, or one again."""

    tools: ToolSet
    names: frozenset[str]
    """Those of the tools that may be called now."""
    parallel: bool = True
    repeat: bool = False
    after_prose: bool = True
    """Whether a call at the end of prose is rescued."""


def rescued(text: str, allowed: Allowed) -> Rescue | None:
    """Return the calls of a text that is nothing but calls, all of them certain; None for another.

    A thought may come before them, `<think>…</think>`, and prose before one call with marks.

    >>> tools = ToolSet.from_prompt("wait(minutes:int)")
    >>> allowed = Allowed(tools=tools, names=frozenset(["wait"]))
    >>> found = rescued('{"name": "wait", "arguments": {"minutes": 5}}', allowed)
    >>> found.calls[0].name, found.calls[0].written
    ('wait', '{"minutes":5}')
    >>> rescued('Like this: {"name": "wait", "arguments": {"minutes": 5}}', allowed)
    """
    if len(text) > MAX_TEXT:
        return None
    tools, held = allowed.tools, held_text(allowed)
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
    given = GivenCalls(repeat=allowed.repeat)
    calls = [call for call in found.calls if not given.end(call.name, call.arguments)]
    if len(calls) > 1 and not allowed.parallel:
        return None
    if not allowed.names.issuperset(call.name for call in calls):
        return None
    made = [ToolCall(call.name, minified(dict(call.arguments)), new_call_id()) for call in calls]
    repairs = tuple(replace(each, pos=each.pos + len(text) - len(said)) for each in found.repairs)
    return Rescue(tuple(made), repairs, text, before)


def held_text(allowed: Allowed) -> HeldText:
    """Return what holds a text for calls that are allowed."""
    return HeldText(allowed.tools.by_name, after_prose=allowed.after_prose)


def _is_meant(text: str, found: LenientResult, tools: ToolSet) -> bool:
    """Say whether a text with prose has the one call that its end has by itself, and whole."""
    again = decode_lenient(text, tools)
    is_whole = again.complete and not (again.errors or again.uncertain)
    is_cut = any(each.code is RepairCode.CLOSER for each in found.repairs)
    return is_whole and not is_cut and len(found.calls) == 1 and again.calls == found.calls


def _without_words(text: str, found: LenientResult, tools: ToolSet) -> tuple[str, LenientResult]:
    """Return a text without the words that belong to its marks, if it has the same calls then."""
    bare = BETWEEN.sub("", text)
    again = found if bare == text else decode_lenient(bare, tools)
    return (bare, again) if again.calls == found.calls else (text, found)


def _is_nothing_else(text: str, found: LenientResult) -> bool:
    """Say whether a text is calls, each written as nobody writes a sentence or a command."""
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


def schema_fit(name: str, arguments: str, tools: ToolSet) -> str:
    """Say how a call that a model made natively fits its schema: `fits`, or why it does not.

    That is a code of LTON's errors, or `not_json`.

    >>> schema_fit("wait", '{"minutes": "5"}', ToolSet.from_prompt("wait(minutes:int)"))
    'E203'
    """
    try:
        given = read_json(arguments or "{}")
    except ValueError:
        return "not_json"
    if not isinstance(given, dict):
        return "not_json"
    try:
        encode(Call(name, given), tools)
    except LTONError as error:
        return str(error.code)
    except RecursionError:
        return "not_json"
    return "fits"
