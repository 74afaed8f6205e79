"""Fake clients of OpenAI and Anthropic, which answer by a script and keep the requests."""

import json
from collections.abc import AsyncIterator, Sequence
from types import SimpleNamespace
from typing import Any


class Block(SimpleNamespace):
    """An object of a client, which `model_dump` converts to JSON."""

    def model_dump(self, **_: object) -> dict[str, Any]:
        """Return the attributes that are not None."""
        return {key: _dump(value) for key, value in vars(self).items() if value is not None}


def _dump(value: Any) -> Any:
    if isinstance(value, Block):
        return value.model_dump()
    return [_dump(item) for item in value] if isinstance(value, list) else value


class Script:
    """A list of answers, and the requests that received them."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.requests: list[dict[str, Any]] = []

    def create(self, **request: Any) -> Any:
        """Return the next answer."""
        self.requests.append(request)
        return self.answers.pop(0)

    async def create_async(self, **request: Any) -> Any:
        """Return the next answer, or an asynchronous iterator of its chunks."""
        answer = self.create(**request)
        return _iterate(answer) if isinstance(answer, list) else answer


async def _iterate(chunks: Sequence[Any]) -> AsyncIterator[Any]:
    for chunk in chunks:
        yield chunk


class OpenAI:
    """A client of OpenAI that answers by a script."""

    def __init__(self, *answers: Any, is_async: bool = False) -> None:
        self.script = Script(*answers)
        create = self.script.create_async if is_async else self.script.create
        self.chat = SimpleNamespace(completions=SimpleNamespace(create=create))
        self.models = "models"


class Anthropic:
    """A client of Anthropic that answers by a script."""

    def __init__(self, *answers: Any, is_async: bool = False) -> None:
        self.script = Script(*answers)
        create = self.script.create_async if is_async else self.script.create
        self.messages = SimpleNamespace(create=create)


def completion(content: str | None, *calls: tuple[str, str], reason: str = "stop") -> Block:
    """Return a chat completion with calls, each a name and its arguments in JSON."""
    tool_calls = [
        Block(id=f"c{index}", type="function", function=Block(name=name, arguments=arguments))
        for index, (name, arguments) in enumerate(calls)
    ]
    message = Block(role="assistant", content=content, tool_calls=tool_calls or None)
    return Block(choices=[Block(message=message, finish_reason=reason)])


def chat_chunks(*pieces: tuple[int | None, str, str]) -> list[Block]:
    """Return the chunks of a chat completion: the index of a call, its name, and a text."""
    chunks = []
    for index, name, text in pieces:
        function = Block(name=name or None, arguments=text)
        calls = None if index is None else [Block(index=index, function=function)]
        delta = Block(content=text if index is None else None, tool_calls=calls)
        chunks.append(Block(choices=[Block(delta=delta)]))
    return [*chunks, Block(choices=[])]


def message(*blocks: Block, reason: str = "end_turn") -> Block:
    """Return a message of Anthropic."""
    return Block(content=list(blocks), stop_reason=reason)


def use(name: str, arguments: str, call_id: str = "t0") -> Block:
    """Return the block of a call."""
    return Block(type="tool_use", id=call_id, name=name, input=json.loads(arguments))


def message_events(*pieces: tuple[int | None, str, str]) -> list[Block]:
    """Return the events of a message: the index of a call, its name, and a text."""
    events = [Block(type="message_start")]
    for index, name, text in pieces:
        if index is None:
            delta = Block(type="text_delta", text=text)
            events.append(Block(type="content_block_delta", index=0, delta=delta))
            continue
        if name:
            block = Block(type="tool_use", name=name)
            events.append(Block(type="content_block_start", index=index, content_block=block))
        delta = Block(type="input_json_delta", partial_json=text)
        events.append(Block(type="content_block_delta", index=index, delta=delta))
    return [*events, Block(type="message_stop")]
