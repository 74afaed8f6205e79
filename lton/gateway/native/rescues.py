"""Read calls that a model wrote as text, and say whether they are certain.

Certain calls (`lton.lenient.evidence`) are delivered. A call that is uncertain only because of the
prose before it, or because a text of the request contains the same call, is delivered if the model
confirms it (`inquiries`). All other text stays text.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property

from lton._json import minified, read_json
from lton.chat import ToolCall, new_call_id
from lton.chat.repeats import DistinctCalls
from lton.errors import Code, DecodeError, RepairCode
from lton.gateway.native.call_checks import CallChecks
from lton.gateway.native.call_watcher import CallWatcher
from lton.lenient import LenientResult, Repair, decode_lenient
from lton.lenient._json_keys import ARGUMENTS
from lton.lenient._openings import MARKS
from lton.lenient._spans import CallSpan
from lton.lenient.evidence import is_whole_answer
from lton.schema.toolset import ToolSet
from lton.schema.types import Call

MAX_TEXT = 256 * 1024  # a longer answer is not examined
_DOUBLED_BRACES = re.compile(r"\{\{\s*\"")
_MARK = re.compile(r"</?think(?:ing)?>")  # after a thought, this mark leaves its end uncertain
_FOREIGN = frozenset([RepairCode.JSON, RepairCode.XML])
_NAME = re.compile(r"[\w./-]{1,200}")
_LONGEST_NAME = 64  # characters of the names that are compared with an unknown name
_MOST_NAMES = 200  # names that are compared with an unknown name


@dataclass(frozen=True)
class Rescue:
    """The calls read from an answer's text, without repetitions."""

    calls: tuple[ToolCall, ...]
    repairs: tuple[Repair, ...]
    text: str
    before: str = ""  # the thought or prose before the calls


@dataclass(frozen=True)
class TextReading:
    """What the text of an answer says about calls."""

    rescue: Rescue | None = None  # certain calls
    unconfirmed: Rescue | None = None  # calls that the model may confirm
    error: DecodeError | None = None  # the error of an answer that is only an unreadable call


@dataclass(frozen=True, kw_only=True)
class Allowed:
    """The tools that an answer may call, and the evidence for calls in its text."""

    tools: ToolSet
    names: frozenset[str]  # the tools that may be called now
    parallel: bool = True
    repeat: bool = False
    after_prose: bool = True  # whether a call at the end of prose is rescued
    complete: bool = True  # whether `tools` has all tools of the request
    syntaxes: frozenset[str] = frozenset()  # the call syntaxes that the model is known to write
    read_seen_texts: Callable[[], Iterable[str]] = (
        tuple  # returns the texts that the model was given
    )
    are_declined: Callable[[Sequence[ToolCall]], bool] = lambda calls: False
    """Whether the calls were declined before, so they are not read from text either."""

    @cached_property
    def checks(self) -> CallChecks:
        """The checks of the calls of this request."""
        return CallChecks(self.tools)

    def has_tool(self, name: str) -> bool:
        """Return whether a tool may be called now, or certainly does not exist."""
        return name in self.names or (self.complete and name not in self.tools.by_name)


def read_calls(text: str, allowed: Allowed) -> TextReading:
    """Read the calls at the end of an answer's text, which may begin with a thought or prose."""
    text = _with_single_braces(text)
    watcher = make_watcher(allowed)
    watcher.feed(text[: MAX_TEXT + 1])
    has_unclear_thought = watcher.opening.has_thought and _MARK.search(watcher.opening.text)
    if len(text) > MAX_TEXT or not watcher.decide_if_call or has_unclear_thought:
        return TextReading()
    before = text[: len(text) - watcher.held_length]
    alone = decode_lenient(text[len(before) :], allowed.tools, syntax=allowed.syntaxes)
    if alone.errors and alone.complete and not watcher.is_after_prose:
        return TextReading(error=_find_first_error(alone, allowed))
    is_rescued = _is_only_calls(text[len(before) :], alone) and _may_be_made(alone.calls, allowed)
    if not is_rescued or _has_text_after(text[len(before) :], alone, allowed):
        return TextReading()
    whole = decode_lenient(
        text, allowed.tools, syntax=allowed.syntaxes, seen=allowed.read_seen_texts()
    )
    rescue = _make_rescue(alone, text, before, allowed)
    if not whole.complete or whole.errors:
        return TextReading()
    if whole.calls == alone.calls and not whole.uncertain:
        return TextReading(rescue=rescue)
    # Without any calls, the whole text has them in a container or in a thought that does not end.
    is_doubted = bool(whole.uncertain) and not whole.calls
    return TextReading(unconfirmed=rescue if is_doubted else None)


def _with_single_braces(text: str) -> str:
    """Return a call in doubled braces as JSON, and any other text unchanged.

    The template of Qwen2.5-Coder shows the form of calls in doubled braces by mistake, and models
    imitate it.
    """
    if len(text) > MAX_TEXT:  # its beginning alone could be a call
        return text
    outer = text.strip()
    if not (_DOUBLED_BRACES.match(outer) and outer.endswith("}}")):
        return text
    inner = outer[1:-1]
    try:
        is_json = isinstance(read_json(inner), dict)
    except (ValueError, RecursionError):
        return text
    return inner if is_json else text


def make_watcher(allowed: Allowed) -> CallWatcher:
    """Return a watcher for calls to the allowed tools."""
    return CallWatcher(allowed.tools.by_name, after_prose=allowed.after_prose)


def find_named_tools(error: DecodeError, text: str, allowed: Allowed) -> frozenset[str]:
    """Return the tools that an unreadable call may mean: the ones that its text names.

    If it names no tool, these are the tool whose name is most similar to the unknown name, or else
    the only tool that has all arguments of the call.
    """
    names = allowed.names.intersection(_NAME.findall(text))
    if names or error.code != Code.TOOL:
        return names
    return _find_tools_with_similar_name(error, allowed) or _find_tools_with_arguments(
        text, allowed
    )


def _find_tools_with_similar_name(error: DecodeError, allowed: Allowed) -> frozenset[str]:
    name = _NAME.search(error.doc, error.pos)
    longest = min(2 * len(name[0]), _LONGEST_NAME) if name else 0
    names = [allowed_name for allowed_name in sorted(allowed.names) if len(allowed_name) <= longest]
    near = get_close_matches(name[0], names[:_MOST_NAMES], 1, 0.75) if name else ()
    return frozenset(near)


def _find_tools_with_arguments(text: str, allowed: Allowed) -> frozenset[str]:
    """Return the only tool that has all keys of the arguments in a JSON call, if there is one."""
    start = text.find("{")
    end = text.rfind("}") + 1
    try:
        call = read_json(text[start:end])
    except (ValueError, RecursionError):
        return frozenset()
    keys = next((set(call[key]) for key in ARGUMENTS if isinstance(call.get(key), dict)), set())
    tools = [tool for tool in allowed.tools if tool.name in allowed.names]
    fitting = [tool.name for tool in tools if keys and keys <= tool.args.by_name.keys()]
    return frozenset(fitting) if len(fitting) == 1 else frozenset()


def _is_only_calls(text: str, reading: LenientResult) -> bool:
    """Return whether a text is nothing but complete calls in the notations of models."""
    if not reading.calls or not reading.complete or reading.errors or reading.uncertain:
        return False
    if any(repair.code is RepairCode.CLOSER for repair in reading.repairs):
        return False
    foreign = {repair.call for repair in reading.repairs if repair.code in _FOREIGN}
    return MARKS.match(text.lstrip()) is not None or all(
        index in foreign or re.search(rf"(?<!\w){re.escape(call.name)}\(", text)
        for index, call in enumerate(reading.calls)
    )


def _has_text_after(text: str, reading: LenientResult, allowed: Allowed) -> bool:
    """Return whether there is other text after a call, which would be lost.

    In a known syntax, a call is certain in spite of such text. Thoughts do not count.
    """
    first = reading.called[0][0]
    spans = [CallSpan(start - first, end - first) for start, end in reading.called]
    if is_whole_answer(text[first:], spans, ()):
        return False
    return decode_lenient(text, allowed.tools).calls != reading.calls


def _may_be_made(calls: Sequence[Call], allowed: Allowed) -> bool:
    if allowed.are_declined([ToolCall(call.name, call.arguments) for call in calls]):
        return False
    names = [call.name for call in calls]
    return allowed.names.issuperset(names) and (allowed.parallel or len(names) == 1)


def _make_rescue(reading: LenientResult, text: str, before: str, allowed: Allowed) -> Rescue:
    earlier = DistinctCalls[Call](repeat=allowed.repeat)
    calls = [call for call in reading.calls if not earlier.is_repeated(call.name, call.arguments)]
    tool_calls = [
        ToolCall(call.name, minified(dict(call.arguments)), new_call_id()) for call in calls
    ]
    repairs = tuple(replace(repair, pos=repair.pos + len(before)) for repair in reading.repairs)
    return Rescue(tuple(tool_calls), repairs, text, before)


def _find_first_error(reading: LenientResult, allowed: Allowed) -> DecodeError | None:
    errors = (error for error in reading.errors if allowed.complete or error.code != Code.TOOL)
    return next(errors, None)
