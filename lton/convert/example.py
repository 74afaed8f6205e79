"""One chat with tool calls, as OpenAI's messages have it, with its calls in LTON."""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal, NoReturn, TypeAlias

from lton._syntax import FORMS, SIGIL, SIGILS, Form
from lton.codec import Decoder, encode, events
from lton.errors import Code, EncodeError, SchemaError
from lton.grammar.build import FOR_MODELS
from lton.schema import Call, Result, ToolSet
from lton.schema.types import JSON

Answers: TypeAlias = Literal["frames", "kept"]
Message: TypeAlias = Mapping[str, Any]

ANSWERS: tuple[Answers, ...] = ("frames", "kept")

_ROLES = ("system", "developer", "user", "assistant", "tool")
_MIXED = f'Lines that begin with "{SIGIL}" are calls; every other line is text for the user.'
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
    signatures stand at the end of the system prompt, behind a `primer` that explains the notation
    (the tagged form has none). Answers of tools become `!result` frames, or are "kept" as
    they are: JSON becomes its value, other text a string, in the order of the calls. Prose stays;
    where the assistant writes any, or with `sigil`, each call begins with `!call ` (R-45), and
    the system prompt says so. What else an example or a message holds is copied.

    What is written has been read again and is what it was. Raises `EncodeError`, with a JSON
    Pointer into the example, for what is no example, calls that the tools do not take, answers to
    no call, and prose that would read as a call; `SchemaError` for tools without a layout.

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
    has_sigils = sigil or form == "tagged" or any(map(_prose_of, messages))
    tools = None if definitions is None else _toolset(definitions)
    converted = _in_order(messages, _Writer(tools, form, sigil=has_sigils), answers)
    if definitions is not None and tools:
        shown = _shown(definitions, form if primer else "tagged", descriptions=descriptions)
        # Also without a primer: it tells these examples from those that hold calls only.
        converted = _with_system(converted, f"{_MIXED}\n{shown}" if has_sigils else shown)
    rest = {key: value for key, value in example.items() if key != "tools"}
    return {**rest, "messages": converted}


class _Writer:
    """Writes calls and answers of an example's tools, and reads again what it wrote."""

    def __init__(self, tools: ToolSet | None, form: Form, *, sigil: bool) -> None:
        self._tools = tools
        self._form = form
        self._sigil = sigil

    def turn(self, prose: str, calls: Sequence[Call]) -> str:
        """Get what an assistant says, prose and then calls, as one text."""
        frames = self._encode(calls, sigil=self._sigil)
        between = "\n" if prose and frames and not prose.endswith("\n") else ""
        text = f"{prose}{between}{frames}"
        found = list(self._events(text, prose=self._sigil))
        read = "".join(event.text for event in found if isinstance(event, events.Prose))
        called = [event.call for event in found if isinstance(event, events.CallEnd)]
        if read != f"{prose}{between}" or not _same(called, calls):
            raise EncodeError(Code.VALUE, "what was written does not read as what was given")
        return text

    def answer(self, name: str, value: JSON) -> str:
        """Get the frame of an answer."""
        text = encode(Result(name, value), self._tools)
        (found,) = self._events(text, prose=False)
        same = isinstance(found, events.Answer) and _dump(found.result.value) == _dump(value)
        if not same:
            raise EncodeError(Code.VALUE, "what was written does not read as what was given")
        return text

    def takes(self, call: Call) -> bool:
        """Say whether a call can be written."""
        try:
            self._encode([call], sigil=False)
        except EncodeError:
            return False
        return True

    def _encode(self, calls: Sequence[Call], *, sigil: bool) -> str:
        if not calls:
            return ""
        return encode(calls, self._tools, form=self._form, sigil=sigil)

    def _events(self, text: str, *, prose: bool) -> Iterable[events.Event]:
        decoder = Decoder(self._tools, prose=prose, max_call=len(text))
        decoder.feed(text)
        decoder.close()
        return decoder


def _same(some: Sequence[Call], others: Sequence[Call]) -> bool:
    """Say whether the calls are equal, 5 and 5.0 being two values."""
    one, other = ([[call.name, call.arguments] for call in calls] for calls in (some, others))
    return _dump(one) == _dump(other)


# --- messages -----------------------------------------------------------------------------------


def _messages(example: Mapping[str, Any]) -> list[Message]:
    match example:
        case {"messages": [_, *_] as messages}:
            pass
        case _:
            _refuse('an object with "messages"', example, "")
    for index, message in enumerate(messages):
        path = f"/messages/{index}"
        if not isinstance(message, Mapping) or message.get("role") not in _ROLES:
            _refuse(f'a message with a "role" of {", ".join(_ROLES)}', message, path)
        if message.get("function_call") is not None:
            _refuse('"tool_calls" instead of "function_call"', message, path)
        content = message.get("content")
        if content is not None and not isinstance(content, str | list):
            _refuse("text", content, f"{path}/content")
    return list(messages)


def _in_order(messages: Sequence[Message], writer: _Writer, answers: Answers) -> list[Message]:
    """Get the messages with calls and answers written, the answers in the order of the calls."""
    converted: list[tuple[int, int, Message]] = []
    turn = 0
    unanswered: dict[int, tuple[Any, str]] = {}
    for index, message in enumerate(messages):
        path = f"/messages/{index}"
        if message["role"] == "tool" and answers == "frames":
            order = _answered(message, unanswered, path)
            _, name = unanswered.pop(order)
            frame = {"role": "tool", "content": _framed(message, name, writer, path)}
            converted.append((turn, order, frame))
            continue
        turn += 1
        if message["role"] != "assistant":
            converted.append((turn, 0, message))
            continue
        calls = list(_calls(message, path))
        content = _said(message, [call for _, call in calls], writer, path)
        rest = {key: value for key, value in message.items() if key != "tool_calls"}
        converted.append((turn, 0, {**rest, "content": content}))
        unanswered = {n: (found, call.name) for n, (found, call) in enumerate(calls, start=1)}
    return [message for *_, message in sorted(converted, key=lambda each: each[:2])]


def _said(message: Message, calls: Sequence[Call], writer: _Writer, path: str) -> str:
    prose = _prose_of(message)
    if any(line.startswith(SIGILS) for line in prose.split("\n")):
        msg = "a line of prose begins like a call or an answer"
        raise EncodeError(Code.FRAME, msg, path=f"{path}/content")
    try:
        return writer.turn(prose, calls)
    except EncodeError as error:
        refused = next((n for n, call in enumerate(calls) if not writer.takes(call)), None)
        where = "content" if refused is None else f"tool_calls/{refused}/function/arguments"
        error.path = f"{path}/{where}{error.path}"
        raise


def _framed(message: Message, name: str, writer: _Writer, path: str) -> str:
    try:
        return writer.answer(name, _value(_text(message.get("content"), f"{path}/content")))
    except EncodeError as error:
        error.path = error.path or f"{path}/content"
        raise


def _answered(message: Message, unanswered: Mapping[int, tuple[Any, str]], path: str) -> int:
    """Get which of the calls a message answers: by its id, else by name, else the next one."""
    key = next((key for key in ("tool_call_id", "name") if message.get(key) is not None), None)
    for order, call in unanswered.items():
        if key is None or message[key] == call[key == "name"]:
            return order
    raise EncodeError(Code.FRAME, "an answer to no call", path=path)


def _calls(message: Message, path: str) -> Iterable[tuple[Any, Call]]:
    """Get the calls of a message with their ids."""
    found = message.get("tool_calls") or []
    if not isinstance(found, list):
        _refuse("a list of calls", found, f"{path}/tool_calls")
    for index, call in enumerate(found):
        where = f"{path}/tool_calls/{index}"
        match call:
            case {"function": {"name": str(name), "arguments": arguments}}:
                where = f"{where}/function/arguments"
                yield call.get("id"), Call(name, _arguments(arguments, where))
            case _:
                _refuse('{"function": {"name": …, "arguments": …}}', call, where)


def _arguments(found: Any, path: str) -> Mapping[str, JSON]:
    """Get arguments, which APIs carry as JSON in a string."""
    if isinstance(found, str):
        try:
            found = read_json(found or "{}")
        except ValueError:
            _refuse("arguments in JSON", found, path)
    if not isinstance(found, dict):
        _refuse("an object of arguments", found, path)
    return found


def _prose_of(message: Message) -> str:
    """Get the text of an assistant's message; "" of any other."""
    return _text(message.get("content"), "") if message["role"] == "assistant" else ""


def _text(content: Any, path: str) -> str:
    match content:
        case None:
            return ""
        case str():
            return content
    texts = [part.get("text") if isinstance(part, dict) else None for part in content]
    if not all(isinstance(text, str) for text in texts):
        _refuse("parts of text only", content, path)
    return "".join(map(str, texts))


def _value(text: str) -> JSON:
    """Get the value of JSON; other text is itself, and so is JSON that says a key twice."""
    try:
        value: JSON = read_json(text)
    except ValueError:
        return text
    return value


# --- tools --------------------------------------------------------------------------------------


def _definitions(tools: Any) -> str | None:
    """Get the definitions as the text that toolsets are kept by."""
    if tools is None:
        return None
    if not isinstance(tools, list):
        _refuse("a list of tools", tools, "/tools")
    try:
        return json.dumps(tools, separators=(",", ":"))
    except (TypeError, ValueError):
        _refuse("definitions in JSON", tools, "/tools")


@lru_cache(_TOOLSETS)
def _toolset(definitions: str) -> ToolSet:
    try:
        return ToolSet.from_tools(json.loads(definitions))
    except SchemaError as error:
        error.pointer = f"/tools{error.pointer}"
        raise


@lru_cache(_TOOLSETS)
def _shown(definitions: str, form: Form, *, descriptions: bool) -> str:
    primer = None if form == "tagged" else form
    return _toolset(definitions).prompt(descriptions=descriptions, primer=primer)


def _with_system(messages: Sequence[Message], shown: str) -> list[Message]:
    """Get the messages with the tools at the end of the system prompt."""
    first, *rest = messages
    if first["role"] not in ("system", "developer"):
        return [{"role": "system", "content": shown}, *messages]
    given = _text(first.get("content"), "/messages/0/content")
    return [{**first, "content": f"{given}\n\n{shown}" if given else shown}, *rest]


# --- JSON ---------------------------------------------------------------------------------------


def read_json(text: str) -> Any:
    """Get the value of a text in JSON as RFC 8259 has it, each key once; else `ValueError`."""
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("nested too deep") from None


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key twice")
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _dump(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _refuse(expected: str, found: Any, path: str) -> NoReturn:
    text = repr(found)
    shown = text if len(text) <= 60 else f"{text[:60]}…"
    raise EncodeError(Code.SYNTAX, f"expected {expected}, found {shown}", path=path)
