"""Wrap the client of an API, so that its answers are instances of classes.

A request offers the classes as tools, and demands a call. The call becomes an instance, as in
`Toolbox.instance`: a call that does not fit is mended if only one reading fits, and a call in the
text of the answer is read leniently. If there is no instance, the model is told why, and asked
again. The conversation is a generator of requests, which a client and an asynchronous client drive.
"""

import inspect
from collections.abc import AsyncIterator, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from types import UnionType
from typing import Any, Protocol, TypeVar, Union, get_args, get_origin, overload

from lton.chat import ToolCall
from lton.chat.replies import read
from lton.chat.running import feedback
from lton.chat.seen import iterate_seen_texts
from lton.errors import Code, DecodeError, IncompleteError, LTONError
from lton.schema.jsonschema.python import definition_of
from lton.typed.client_apis import ANTHROPIC, OPENAI, ApiAnswer, TypedApi
from lton.typed.open_json import read_open_object
from lton.typed.partials import Partial
from lton.typed.toolbox import Toolbox

T = TypeVar("T")
MAX_RETRIES = 2
_AGAIN = "Make every call of this answer again, without the mistake."


class _AsyncCloses(Protocol):
    async def close(self) -> None: ...


@overload
def openai(client: _AsyncCloses, **defaults: Any) -> "AsyncTypedClient": ...
@overload
def openai(client: Any, **defaults: Any) -> "TypedClient": ...
def openai(client: Any, **defaults: Any) -> "TypedClient | AsyncTypedClient":
    """Wrap an `openai.OpenAI` or `openai.AsyncOpenAI`, so that answers are instances of classes.

    The client may be connected to any server with OpenAI's chat completions and tools. `defaults`
    are fields of every request, such as `model`.
    """
    return _wrap(client, OPENAI, defaults)


@overload
def anthropic(client: _AsyncCloses, **defaults: Any) -> "AsyncTypedClient": ...
@overload
def anthropic(client: Any, **defaults: Any) -> "TypedClient": ...
def anthropic(client: Any, **defaults: Any) -> "TypedClient | AsyncTypedClient":
    """Wrap an `anthropic.Anthropic` or `anthropic.AsyncAnthropic`, as `openai` does."""
    return _wrap(client, ANTHROPIC, defaults)


def _wrap(
    client: Any, api: TypedApi, defaults: Mapping[str, Any]
) -> "TypedClient | AsyncTypedClient":
    create = inspect.unwrap(api.find_create(client))
    kind = AsyncTypedClient if inspect.iscoroutinefunction(create) else TypedClient
    return kind(client, api, defaults)


class _Wrapper:
    """A client of an API. Its other attributes, such as `models`, are those of the client."""

    def __init__(self, client: Any, api: TypedApi, defaults: Mapping[str, Any]) -> None:
        self.client = client
        self._api = api
        self._defaults = defaults

    def __getattr__(self, name: str) -> Any:
        return getattr(self.client, name)

    def _send(self, request: Mapping[str, Any]) -> Any:
        return self._api.find_create(self.client)(**request)

    def _iterate_requests(
        self, target: "_Target", request: Mapping[str, Any], max_retries: int
    ) -> Generator[dict[str, Any], Any, Any]:
        """Yield requests until an answer has what is wanted, and return it."""
        body = self._make_request_body(target, request)
        for attempts_left in range(max_retries, -1, -1):
            answer = self._api.read_answer((yield body))
            try:
                return target.read_answer(answer, body["messages"])
            except LTONError as error:
                if answer.is_cut:
                    msg = "the limit of tokens ended the answer before its calls were complete"
                    raise IncompleteError(
                        Code.INCOMPLETE, msg, doc=answer.record.text, pos=0
                    ) from error
                if attempts_left == 0:
                    raise
                correction = self._api.write_correction(answer, f"{feedback(error)}\n{_AGAIN}")
            body = {**body, "messages": [*body["messages"], *correction]}

    def _make_request_body(self, target: "_Target", request: Mapping[str, Any]) -> dict[str, Any]:
        tools = [self._api.write_definition(definition) for definition in target.definitions]
        choice = self._api.choose_tool([definition["name"] for definition in target.definitions])
        body = {**self._defaults, "tools": tools, "tool_choice": choice, **request}
        messages = [self._write_message(target, message) for message in body.get("messages", ())]
        return {**body, "messages": [*chain.from_iterable(messages)]}

    def _write_message(self, target: "_Target", message: Any) -> list[Any]:
        """Return the messages of an instance, or any other message unchanged."""
        if isinstance(message, Mapping) or target.tools.call_of(message) is None:
            return [message]
        return self._api.write_call(target.tools.message(message))


class TypedClient(_Wrapper):
    """A client whose answers are instances of classes."""

    def create(
        self, response_model: type[T], *, max_retries: int = MAX_RETRIES, **request: Any
    ) -> T:
        """Send a request and return an instance of a class, of a union, or a list (`list[Class]`).

        The other arguments are those of the client: `model`, `messages`, and so on. An instance in
        `messages` is an earlier answer of the model, whose call was accepted. If the answer
        has no valid instance, the model gets the error, at most `max_retries` times. Then the error
        is raised, and so is any error of the client. A cut answer raises `IncompleteError`.
        """
        conversation = self._iterate_requests(_Target.of(response_model), request, max_retries)
        body = next(conversation)
        while True:
            response = self._send(body)
            try:
                body = conversation.send(response)
            except StopIteration as end:
                instance: T = end.value
                return instance

    def stream(self, response_model: type[T], **request: Any) -> Iterator[T]:
        """Yield each instance when its call is complete. There are no retries."""
        for partial in self.stream_partial(response_model, **request):
            if partial.value is not None:
                yield partial.value

    def stream_partial(self, response_model: type[T], **request: Any) -> Iterator[Partial[T]]:
        """Yield the arguments of the calls as they arrive, and each instance. No retries.

        `Partial.instance` is an instance of the class with the members that have arrived.
        """
        target = _Target.of(response_model)
        body = {**self._make_request_body(target, request), "stream": True}
        arriving = _Arriving(target, self._api, body["messages"])
        for chunk in self._send(body):
            yield from arriving.feed(chunk)
        yield from arriving.flush()


class AsyncTypedClient(_Wrapper):
    """An asynchronous client whose answers are instances of classes."""

    async def create(
        self, response_model: type[T], *, max_retries: int = MAX_RETRIES, **request: Any
    ) -> T:
        """Send a request and return an instance, as `TypedClient.create` does."""
        conversation = self._iterate_requests(_Target.of(response_model), request, max_retries)
        body = next(conversation)
        while True:
            response = await self._send(body)
            try:
                body = conversation.send(response)
            except StopIteration as end:
                instance: T = end.value
                return instance

    async def stream(self, response_model: type[T], **request: Any) -> AsyncIterator[T]:
        """Yield each instance when its call is complete. There are no retries."""
        async for partial in self.stream_partial(response_model, **request):
            if partial.value is not None:
                yield partial.value

    async def stream_partial(
        self, response_model: type[T], **request: Any
    ) -> AsyncIterator[Partial[T]]:
        """Yield the arguments of the calls as they arrive, and each instance. No retries.

        `Partial.instance` is an instance of the class with the members that have arrived.
        """
        target = _Target.of(response_model)
        body = {**self._make_request_body(target, request), "stream": True}
        arriving = _Arriving(target, self._api, body["messages"])
        async for chunk in await self._send(body):
            for partial in arriving.feed(chunk):
                yield partial
        for partial in arriving.flush():
            yield partial


@dataclass(frozen=True, slots=True)
class _Target:
    """The classes that a request wants instances of, as tools."""

    tools: Toolbox[Any]
    definitions: Sequence[dict[str, Any]]
    is_list: bool

    @classmethod
    def of(cls, response_model: Any) -> "_Target":
        """Return the tools of a class, a union of classes, or a list of either."""
        is_list = get_origin(response_model) is list
        one = get_args(response_model)[0] if is_list else response_model
        is_union = get_origin(one) in (Union, UnionType)
        classes = get_args(one) if is_union else (one,)
        definitions = [definition_of(source, f"/{index}") for index, source in enumerate(classes)]
        return cls(Toolbox(*classes), definitions, is_list)

    def find_class(self, name: str) -> object:
        """Return the class of a tool. The error for a name that no tool has comes at its end."""
        binding = self.tools.bindings.get(name)
        return binding.source if binding else None

    def read_answer(self, answer: ApiAnswer, messages: Sequence[Mapping[str, Any]]) -> Any:
        """Return the instance, or the list of instances, in an answer."""
        calls = answer.record.calls or self.calls_in_text(answer.record.text, messages)
        instances = [self.tools.instance(call) for call in calls]
        if self.is_list:
            return instances
        if len(instances) > 1:
            msg = f"expected one call, found {len(instances)}"
            raise DecodeError(Code.SYNTAX, msg, doc=answer.record.text, pos=0)
        return instances[0]

    def calls_in_text(
        self, text: str, messages: Sequence[Mapping[str, Any]]
    ) -> tuple[ToolCall, ...]:
        """Return the certain calls in a text. Raises `DecodeError` if there are none."""
        texts = iterate_seen_texts({"messages": messages})
        reply = read(text, self.tools, lenient=True, seen=texts, repeat_calls=True)
        if reply.error:
            raise reply.error
        if not reply.calls:
            doubts = reply.found.uncertain if reply.found else ()
            why = f"found one that is uncertain: {doubts[0].msg}" if doubts else "found none"
            raise DecodeError(Code.SYNTAX, f"expected a call, {why}", doc=text, pos=0)
        return reply.calls


@dataclass(slots=True)
class _Arriving:
    """The calls of a streamed answer. A call is complete when the next one begins."""

    target: _Target
    api: TypedApi
    messages: Sequence[Mapping[str, Any]]
    index: int | None = None
    name: str = ""
    arguments: str = ""
    text: list[str] = field(default_factory=list)
    has_calls: bool = False

    def feed(self, chunk: Any) -> Iterator[Partial[Any]]:
        """Yield what a chunk adds."""
        for piece in self.api.read_pieces(chunk):
            if piece.call is None:
                self.text.append(piece.text)
                continue
            if piece.call != self.index:
                yield from self._flush_call()
                self.index = piece.call
                self.has_calls = True
            self.name += piece.name
            self.arguments += piece.text
            if piece.text:
                arguments = read_open_object(self.arguments)
                yield Partial(self.name, arguments, source=self.target.find_class(self.name))

    def flush(self) -> Iterator[Partial[Any]]:
        """Yield the last call, or the calls in the text if there are no others."""
        yield from self._flush_call()
        if not self.has_calls:
            for call in self.target.calls_in_text("".join(self.text), self.messages):
                yield Partial(call.name, call.call.arguments, self.target.tools.instance(call))

    def _flush_call(self) -> Iterator[Partial[Any]]:
        if self.index is None:
            return
        call = ToolCall(self.name, self.arguments)
        self.index = None
        self.name = ""
        self.arguments = ""
        yield Partial(call.name, call.call.arguments, self.target.tools.instance(call))
