"""Convert one chat with tool calls from OpenAI's messages to LTON."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from lton.chat import from_openai, to_openai
from lton.chat.records import mismatch
from lton.chat.rendering import Renderer, with_system
from lton.chat.writing import Writer, instructions
from lton.codec import Decoder
from lton.errors import Code, ConversionError, EncodeError, SchemaError
from lton.events import Answer, CallEnd, Event, Prose
from lton.schema import Call, ToolSet
from lton.schema.toolset import cached_tools
from lton.schema.types import JSON
from lton_bench.internals import FOR_MODELS, FORMS, Form

Answers: TypeAlias = Literal["frames", "kept"]

ANSWERS: tuple[Answers, ...] = ("frames", "kept")


def convert_example(
    example: Mapping[str, Any],
    *,
    form: Form = FOR_MODELS,
    answers: Answers = "frames",
    sigil: bool = False,
    descriptions: bool = True,
    primer: bool = True,
) -> dict[str, Any]:
    r"""Convert an example: signatures instead of JSON tools, and LTON instead of `tool_calls`.

    An example has `messages`, and `tools` if it calls any, as OpenAI's chat API has them. The
    signatures are at the end of the system prompt, after a `primer` that explains the notation (the
    tagged form has none). Results of tools become `!result` frames, or are "kept" in the order of
    the calls: JSON becomes its value, other text a string. Prose stays; where the assistant writes
    any, or with `sigil`, each call begins with `!call ` (R-429), and the system prompt says so.
    Other members of an example or a message are copied.

    The result is decoded again and compared with the input. Raises, with a JSON Pointer into the
    example, `ConversionError` for an invalid example, results without a call, and prose that would
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
    Example: wait(minutes=1)
    >>> for message in messages:
    ...     print(message)
    {'role': 'user', 'content': 'Five minutes!'}
    {'role': 'assistant', 'content': 'wait(minutes=5)'}
    {'role': 'tool', 'content': '!result wait {ok true}'}
    """
    if form not in FORMS or answers not in ANSWERS:
        raise ValueError(f"no form {form!r} with answers {answers!r}")
    source_messages = _read_messages(example)
    tools = _toolset(example.get("tools"))
    try:
        messages = from_openai(source_messages)
        has_sigils = (
            sigil
            or form == "tagged"
            or any(message.text for message in messages if message.role == "assistant")
        )
        results: Literal["tool", "kept"] = "tool" if answers == "frames" else "kept"
        writer = _CheckedWriter(tools, form, sigil=has_sigils)
        converted = [*Renderer(writer, results=results, strict=True).messages(messages)]
    except (ConversionError, EncodeError) as error:
        error.path = f"/messages{error.path}"
        raise
    if tools:
        system_prompt = instructions(
            tools, form=form, sigil=has_sigils, descriptions=descriptions, primer=primer
        )
        converted = with_system(converted, system_prompt)
    other_members = {key: value for key, value in example.items() if key != "tools"}
    return {**other_members, "messages": to_openai(converted)}


class _CheckedWriter(Writer):
    def turn(self, prose: str, calls: Sequence[Call]) -> str:
        text = super().turn(prose, calls)
        events = list(self._events(text, prose=self.sigil))
        read = "".join(event.text for event in events if isinstance(event, Prose))
        called = [event.call for event in events if isinstance(event, CallEnd)]
        if read not in (prose, f"{prose}\n") or not _same(called, calls):
            raise EncodeError(Code.VALUE, "the encoded text decodes to something else")
        return text

    def answer(self, name: str, value: JSON, *, is_error: bool) -> str:
        text = super().answer(name, value, is_error=is_error)
        (event,) = self._events(text, prose=False)
        same = isinstance(event, Answer) and _dump(event.result.value) == _dump(value)
        if not same:
            raise EncodeError(Code.VALUE, "the encoded text decodes to something else")
        return text

    def _events(self, text: str, *, prose: bool) -> Iterable[Event]:
        decoder = Decoder(self.tools, prose=prose, max_call=len(text))
        decoder.feed(text)
        decoder.close()
        return decoder


def _same(some: Sequence[Call], others: Sequence[Call]) -> bool:
    """Return whether calls are equal, where 5 and 5.0 differ."""
    one, other = ([[call.name, call.arguments] for call in calls] for calls in (some, others))
    return _dump(one) == _dump(other)


def _read_messages(example: Mapping[str, Any]) -> Sequence[Any]:
    match example:
        case {"messages": [_, *_] as messages}:
            chat: Sequence[Any] = messages
            return chat
    raise mismatch('an object with "messages"', example)


def _toolset(tools: Any) -> ToolSet | None:
    if tools is None:
        return None
    if not isinstance(tools, list):
        raise mismatch("a list of tools", tools, "/tools")
    try:
        definitions = json.dumps(tools)
    except (TypeError, ValueError):
        raise mismatch("definitions in JSON", tools, "/tools") from None
    try:
        return cached_tools(definitions)
    except SchemaError as error:
        error.pointer = f"/tools{error.pointer}"
        raise


def _dump(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
