"""Convert messages to and from the format of OpenAI's chat completions API."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lton.chat import _blocks
from lton.chat.records import Message, Thought, ToolCall, ToolResult, make_mismatch_error

_ROLES = ("system", "developer", "user", "assistant", "tool")
_THOUGHTS = ("reasoning_content", "reasoning")  # of llama.cpp and SGLang, and of vLLM


def from_openai(messages: Iterable[Mapping[str, Any]]) -> tuple[Message, ...]:
    """Parse chat messages into records that `to_openai` can write back unchanged.

    Raises `ConversionError`, with a path, for an unknown role, content that is neither text nor
    parts, a call without a name and arguments, and `function_call`.

    >>> (message,) = from_openai([{"role": "assistant", "content": None, "tool_calls": [
    ...     {"id": "1", "type": "function", "function": {"name": "wait", "arguments": "{}"}}]}])
    >>> message.calls[0].call
    Call(name='wait', arguments={})
    """
    return tuple(
        _read_message(message, path)
        for path, message in _blocks.iterate_messages_with_paths(messages)
    )


def to_openai(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Write messages in the format of OpenAI's chat completions API.

    Results become separate messages, before the rest of their message. Arguments become JSON
    strings. Raises `ConversionError` for parts that only another API has, such as its images.

    >>> to_openai([Message.saying("user", "Hi")])
    [{'role': 'user', 'content': 'Hi'}]
    """
    return [
        block
        for index, message in enumerate(messages)
        for block in _iterate_written_messages(
            _blocks.without_foreign_parts(message, "chat", f"/{index}")
        )
    ]


def _read_message(message: Mapping[str, Any], path: str) -> Message:
    if message.get("role") not in _ROLES:
        raise make_mismatch_error(f'a message with a "role" of {", ".join(_ROLES)}', message, path)
    if message.get("function_call") is not None:
        raise make_mismatch_error('"tool_calls" instead of "function_call"', message, path)
    role = message["role"]
    content, extra = _blocks.read_text_message(message, path)
    name = extra.pop("name") if isinstance(extra.get("name"), str) else None
    if role == "tool":
        result = ToolResult(content, _blocks.take_id(extra, "tool_call_id"), name, extra=extra)
        return Message(role, (result,), api="chat")
    thoughts = _iterate_thoughts(extra)
    return Message(role, (*thoughts, *content, *_iterate_calls(extra, path)), name, "chat", extra)


def _iterate_thoughts(extra: _blocks.Block) -> Iterator[Thought]:
    for key in _THOUGHTS:
        text = extra.get(key)
        if isinstance(text, str) and text:
            del extra[key]
            yield Thought(text, {} if key == _THOUGHTS[0] else {"key": key})
            return


def _iterate_calls(extra: _blocks.Block, path: str) -> Iterator[ToolCall]:
    calls = extra.get("tool_calls")
    if not calls:
        return
    if not isinstance(calls, list | tuple):
        raise make_mismatch_error("a list of calls", calls, f"{path}/tool_calls")
    for index, block in enumerate(calls):
        if (call := _blocks.read_call(block)) is None:
            expected = '{"function": {"name": …, "arguments": …}}'
            raise make_mismatch_error(expected, block, f"{path}/tool_calls/{index}")
        yield call
    del extra["tool_calls"]


def _iterate_written_messages(message: Message) -> Iterator[_blocks.Block]:
    results = message.results
    for result in results:
        yield _write_result(result)
    if results and len(results) == len(message.parts):
        return
    block = {"role": message.role, **_blocks.known_fields(name=message.name)}
    if content := message.content:
        block["content"] = _blocks.write_content(content)
    elif message.api != "chat":
        block["content"] = None
    thoughts = message.thoughts
    if thought := "".join([item.text for item in thoughts]):
        block[thoughts[0].extra.get("key", _THOUGHTS[0])] = thought
    if calls := message.calls:
        block["tool_calls"] = [write_call(call) for call in calls]
    yield block | dict(message.extra)


def _write_result(result: ToolResult) -> _blocks.Block:
    identity = _blocks.known_fields(tool_call_id=result.call_id, name=result.name)
    content = _blocks.write_content(result.parts) if result.parts else ""
    return {"role": "tool", **identity, "content": content, **result.extra}


def write_call(call: ToolCall) -> _blocks.Block:
    """Write a call as an entry of `tool_calls` in a chat message."""
    identity = _blocks.known_fields(id=call.id)
    if call.custom:
        custom = {"name": call.name, "input": call.written}
        return {**identity, "type": "custom", "custom": custom, **call.extra}
    function = {"name": call.name, "arguments": call.written, **call.extra.get("function", {})}
    return {**identity, "type": "function", **call.extra, "function": function}
