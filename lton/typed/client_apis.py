"""Read and write what the clients of OpenAI and Anthropic do differently."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from lton.chat import (
    Message,
    Text,
    ToolCall,
    ToolResult,
    from_anthropic,
    from_openai,
    to_anthropic,
    to_openai,
)


@dataclass(frozen=True, slots=True)
class ApiAnswer:
    """An answer of an API: the message to send back, its record, and whether a limit cut it off."""

    message: dict[str, Any]
    record: Message
    is_cut: bool


class StreamPiece(NamedTuple):
    """A part of a streamed answer: of the call with this index, or of the text if it is None."""

    call: int | None
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class TypedApi:
    """The functions that differ between two APIs."""

    find_create: Callable[[Any], Callable[..., Any]]
    write_definition: Callable[[Mapping[str, Any]], dict[str, Any]]
    choose_tool: Callable[[Sequence[str]], object]  # one name, or several to choose from
    read_answer: Callable[[Any], ApiAnswer]
    read_pieces: Callable[[Any], Iterator[StreamPiece]]
    write_correction: Callable[[ApiAnswer, str], list[dict[str, Any]]]
    write_call: Callable[[Message], list[dict[str, Any]]]  # with its result, which APIs demand


_ACCEPTED = "accepted"
"""The result of a call that made an instance."""


def _with_result(message: Message) -> list[Message]:
    result = [ToolResult((Text(_ACCEPTED),), call.id, call.name) for call in message.calls]
    return [message, Message("tool", tuple(result))]


def _write_call_for_openai(message: Message) -> list[dict[str, Any]]:
    return to_openai(_with_result(message))


def _write_call_for_anthropic(message: Message) -> list[dict[str, Any]]:
    return list(to_anthropic(_with_result(message))["messages"])


# --- OpenAI's chat completions ------------------------------------------------------------------


def _define_for_openai(definition: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "function", "function": dict(definition)}


def _choose_for_openai(names: Sequence[str]) -> object:
    if len(names) > 1:
        return "required"
    return {"type": "function", "function": {"name": names[0]}}


def _read_chat_completion(response: Any) -> ApiAnswer:
    choice = response.choices[0]
    fields = choice.message.model_dump(exclude_none=True)
    message = {"role": "assistant", "content": fields.get("content", "")}
    if fields.get("tool_calls"):
        message["tool_calls"] = fields["tool_calls"]
    return ApiAnswer(message, from_openai([message])[0], choice.finish_reason == "length")


def _iterate_chunk_pieces(chunk: Any) -> Iterator[StreamPiece]:
    for choice in chunk.choices[:1]:
        if choice.delta.content:
            yield StreamPiece(None, "", choice.delta.content)
        for call in choice.delta.tool_calls or ():
            if call.function:
                yield StreamPiece(
                    call.index, call.function.name or "", call.function.arguments or ""
                )


def _correct_chat(answer: ApiAnswer, text: str) -> list[dict[str, Any]]:
    results = [
        {"role": "tool", "tool_call_id": call.id, "content": text} for call in answer.record.calls
    ]
    return [answer.message, *(results or [{"role": "user", "content": text}])]


# --- Anthropic's messages -----------------------------------------------------------------------


def _define_for_anthropic(definition: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": definition["name"],
        "description": definition["description"],
        "input_schema": definition["parameters"],
    }


def _choose_for_anthropic(names: Sequence[str]) -> object:
    return {"type": "any"} if len(names) > 1 else {"type": "tool", "name": names[0]}


def _read_message(response: Any) -> ApiAnswer:
    blocks = [block.model_dump(exclude_none=True) for block in response.content]
    message = {"role": "assistant", "content": blocks}
    return ApiAnswer(message, from_anthropic([message])[0], response.stop_reason == "max_tokens")


def _iterate_event_pieces(event: Any) -> Iterator[StreamPiece]:
    if event.type == "content_block_start" and event.content_block.type == "tool_use":
        yield StreamPiece(event.index, event.content_block.name, "")
    elif event.type == "content_block_delta" and event.delta.type == "input_json_delta":
        yield StreamPiece(event.index, "", event.delta.partial_json)
    elif event.type == "content_block_delta" and event.delta.type == "text_delta":
        yield StreamPiece(None, "", event.delta.text)


def _correct_messages(answer: ApiAnswer, text: str) -> list[dict[str, Any]]:
    results = [_make_refusal(call, text) for call in answer.record.calls]
    return [answer.message, {"role": "user", "content": results or text}]


def _make_refusal(call: ToolCall, text: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call.id, "is_error": True, "content": text}


OPENAI = TypedApi(
    find_create=lambda client: client.chat.completions.create,
    write_definition=_define_for_openai,
    choose_tool=_choose_for_openai,
    read_answer=_read_chat_completion,
    read_pieces=_iterate_chunk_pieces,
    write_correction=_correct_chat,
    write_call=_write_call_for_openai,
)
ANTHROPIC = TypedApi(
    find_create=lambda client: client.messages.create,
    write_definition=_define_for_anthropic,
    choose_tool=_choose_for_anthropic,
    read_answer=_read_message,
    read_pieces=_iterate_event_pieces,
    write_correction=_correct_messages,
    write_call=_write_call_for_anthropic,
)
