"""One chat with tool calls, as OpenAI's messages have it, with its calls in LTON."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Literal, TypeAlias

from lton._json import read_value
from lton._syntax import FORMS, Form
from lton.chat import (
    Message,
    Other,
    Part,
    Text,
    ToolCall,
    ToolResult,
    from_openai,
    to_openai,
)
from lton.chat.records import mismatch
from lton.chat.writing import instructions, is_like_frame, write_answer, write_turn
from lton.codec import Decoder
from lton.errors import Code, ConversionError, EncodeError, SchemaError
from lton.events import Answer, CallEnd, Event, Prose
from lton.grammar.build import FOR_MODELS
from lton.schema import Call, ToolSet
from lton.schema.types import JSON

Answers: TypeAlias = Literal["frames", "kept"]

ANSWERS: tuple[Answers, ...] = ("frames", "kept")

_WRITTEN = ("content", "tool_calls")
_TOOLSETS = 256
"""Toolsets that are kept: the examples of a corpus share them."""


def convert_example(
    example: Mapping[str, Any],
    *,
    form: Form = FOR_MODELS,
    answers: Answers = "frames",
    sigil: bool = False,
    descriptions: bool = True,
    primer: bool = True,
) -> dict[str, Any]:
    r"""Get an example with signatures instead of JSON tools, and LTON instead of `tool_calls`.

    An example has `messages`, and `tools` if it calls any, as OpenAI's chat API has them. The
    signatures are at the end of the system prompt, after a `primer` that explains the notation
    (the tagged form has none). Answers of tools become `!result` frames, or are "kept" as
    they are: JSON becomes its value, other text a string, in the order of the calls. Prose stays;
    where the assistant writes any, or with `sigil`, each call begins with `!call ` (R-429), and
    the system prompt says so. What else an example or a message holds is copied.

    What is written has been read again and is what it was. Raises, with a JSON Pointer into the
    example, `ConversionError` for what is no example, answers to no call, and prose that would
    read as a call; `EncodeError` for calls that the tools do not take; `SchemaError` for tools
    without a layout.

    >>> wait = {"name": "wait", "parameters": {"type": "object", "properties": {
    ...     "minutes": {"type": "integer"}}, "required": ["minutes"]}}
    >>> call = {"id": "1", "function": {"name": "wait", "arguments": '{"minutes": 5}'}}
    >>> example = {"tools": [{"type": "function", "function": wait}], "messages": [
    ...     {"role": "user", "content": "Five minutes!"},
    ...     {"role": "assistant", "content": None, "tool_calls": [call]},
    ...     {"role": "tool", "tool_call_id": "1", "content": '{"ok": true}'}]}
    >>> system, *messages = convert_example(example)["messages"]
    >>> print(*system["content"].splitlines()[1:], sep="\n")
    wait
     minutes:int
    >>> for message in messages:
    ...     print(message)
    {'role': 'user', 'content': 'Five minutes!'}
    {'role': 'assistant', 'content': 'wait(minutes=5)'}
    {'role': 'tool', 'content': '!result wait {ok true}'}
    """
    if form not in FORMS or answers not in ANSWERS:
        raise ValueError(f"no form {form!r} with answers {answers!r}")
    messages = _messages(example)
    definitions = _definitions(example.get("tools"))
    has_sigils = sigil or form == "tagged" or any(map(_has_prose, messages))
    tools = None if definitions is None else _toolset(definitions)
    converted = _in_order(messages, _Writer(tools, form, sigil=has_sigils), answers)
    if definitions is not None and tools:
        shown = _shown(
            definitions, form, sigil=has_sigils, descriptions=descriptions, primer=primer
        )
        converted = _with_system(converted, shown)
    rest = {key: value for key, value in example.items() if key != "tools"}
    return {**rest, "messages": to_openai(converted)}


class _Writer:
    """Writes calls and answers of an example's tools, and reads again what it wrote."""

    def __init__(self, tools: ToolSet | None, form: Form, *, sigil: bool) -> None:
        self._tools = tools
        self._form = form
        self._sigil = sigil

    def turn(self, prose: str, calls: Sequence[Call]) -> str:
        """Get what an assistant says, prose and then calls, as one text."""
        text = write_turn(prose, calls, self._tools, form=self._form, sigil=self._sigil)
        found = list(self._events(text, prose=self._sigil))
        read = "".join(event.text for event in found if isinstance(event, Prose))
        called = [event.call for event in found if isinstance(event, CallEnd)]
        if read not in (prose, f"{prose}\n") or not _same(called, calls):
            raise EncodeError(Code.VALUE, "the text does not read back as what was given")
        return text

    def answer(self, name: str, value: JSON) -> str:
        """Get the frame of an answer."""
        text = write_answer(name, value, self._tools)
        (found,) = self._events(text, prose=False)
        same = isinstance(found, Answer) and _dump(found.result.value) == _dump(value)
        if not same:
            raise EncodeError(Code.VALUE, "the text does not read back as what was given")
        return text

    def takes(self, call: Call) -> bool:
        """Say whether a call can be written."""
        try:
            write_turn("", [call], self._tools, form=self._form, sigil=False)
        except EncodeError:
            return False
        return True

    def _events(self, text: str, *, prose: bool) -> Iterable[Event]:
        decoder = Decoder(self._tools, prose=prose, max_call=len(text))
        decoder.feed(text)
        decoder.close()
        return decoder


def _same(some: Sequence[Call], others: Sequence[Call]) -> bool:
    """Say whether the calls are equal, 5 and 5.0 being two values."""
    one, other = ([[call.name, call.arguments] for call in calls] for calls in (some, others))
    return _dump(one) == _dump(other)


# --- messages -----------------------------------------------------------------------------------


def _messages(example: Mapping[str, Any]) -> Sequence[Message]:
    match example:
        case {"messages": [_, *_] as messages}:
            pass
        case _:
            raise mismatch('an object with "messages"', example)
    try:
        return from_openai(messages)
    except ConversionError as error:
        error.path = f"/messages{error.path}"
        raise


def _in_order(messages: Sequence[Message], writer: _Writer, answers: Answers) -> list[Message]:
    """Get the messages with calls and answers written, the answers in the order of the calls."""
    converted: list[tuple[int, int, Message]] = []
    turn = 0
    unanswered: dict[int, ToolCall] = {}
    for index, message in enumerate(messages):
        path = f"/messages/{index}"
        if message.role == "tool" and answers == "frames":
            (result,) = message.results
            order = _answered(result, unanswered, path)
            frame = _framed(result, unanswered.pop(order).name, writer, path)
            answer = replace(message, parts=(ToolResult((Text(frame),)),))
            converted.append((turn, order, answer))
            continue
        turn += 1
        if message.role != "assistant":
            converted.append((turn, 0, message))
            continue
        unanswered = dict(enumerate(message.calls, start=1))
        parts: tuple[Part, ...] = (*message.thoughts, Text(_said(message, writer, path)))
        converted.append((turn, 0, replace(message, parts=parts, extra=_kept(message))))
    return [message for *_, message in sorted(converted, key=lambda each: each[:2])]


def _said(message: Message, writer: _Writer, path: str) -> str:
    prose = _text(message.content, f"{path}/content")
    if is_like_frame(prose):
        msg = "a line of prose begins like a call or an answer"
        raise ConversionError(msg, path=f"{path}/content")
    calls = [_call(call, _place(path, index)) for index, call in enumerate(message.calls)]
    try:
        return writer.turn(prose, calls)
    except EncodeError as error:
        refused = next((n for n, call in enumerate(calls) if not writer.takes(call)), None)
        where = f"{path}/content" if refused is None else _place(path, refused)
        error.path = f"{where}{error.path}"
        raise


def _has_prose(message: Message) -> bool:
    return message.role == "assistant" and bool(message.text)


def _call(call: ToolCall, path: str) -> Call:
    try:
        return call.call
    except ConversionError as error:
        error.path = path
        raise


def _place(path: str, index: int) -> str:
    return f"{path}/tool_calls/{index}/function/arguments"


def _framed(result: ToolResult, name: str, writer: _Writer, path: str) -> str:
    try:
        return writer.answer(name, read_value(_text(result.parts, f"{path}/content")))
    except EncodeError as error:
        error.path = error.path or f"{path}/content"
        raise


def _answered(result: ToolResult, unanswered: Mapping[int, ToolCall], path: str) -> int:
    """Get which of the calls a message answers: by its id, else by name, else the next one."""
    for order, call in unanswered.items():
        if result.call_id is not None:
            found = result.call_id == call.id
        else:
            found = result.name in (None, call.name)
        if found:
            return order
    raise ConversionError("an answer to no call", path=path)


def _text(content: Sequence[Text | Other], path: str) -> str:
    for part in content:
        if isinstance(part, Other):
            raise mismatch("parts of text only", part.value, path)
    return "".join(part.text for part in content if isinstance(part, Text))


# --- tools --------------------------------------------------------------------------------------


def _definitions(tools: Any) -> str | None:
    """Get the definitions as the text that toolsets are kept by."""
    if tools is None:
        return None
    if not isinstance(tools, list):
        raise mismatch("a list of tools", tools, "/tools")
    try:
        return json.dumps(tools, separators=(",", ":"))
    except (TypeError, ValueError):
        raise mismatch("definitions in JSON", tools, "/tools") from None


@lru_cache(_TOOLSETS)
def _toolset(definitions: str) -> ToolSet:
    try:
        return ToolSet.from_tools(json.loads(definitions))
    except SchemaError as error:
        error.pointer = f"/tools{error.pointer}"
        raise


@lru_cache(_TOOLSETS)
def _shown(definitions: str, form: Form, *, sigil: bool, descriptions: bool, primer: bool) -> str:
    tools = _toolset(definitions)
    return instructions(tools, form=form, sigil=sigil, descriptions=descriptions, primer=primer)


def _with_system(messages: Sequence[Message], shown: str) -> list[Message]:
    """Get the messages with the tools at the end of the system prompt."""
    first, *rest = messages
    if first.role not in ("system", "developer"):
        return [Message.saying("system", shown), *messages]
    given = _text(first.content, "/messages/0/content")
    text = f"{given}\n\n{shown}" if given else shown
    return [replace(first, parts=(Text(text),), extra=_kept(first)), *rest]


def _kept(message: Message) -> dict[str, Any]:
    """Get what else a message says beside what is written here."""
    return {key: each for key, each in message.extra.items() if key not in _WRITTEN}


def _dump(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
