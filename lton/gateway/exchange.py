"""Process a client's request without doing I/O: build the upstream requests, and the answer."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeAlias, TypeVar

from lton._shells import is_shell
from lton._syntax import FOR_MODELS, Form
from lton.apis.answer_notes import AssistantMessage
from lton.apis.answer_usage import AnswerUsage, sum_usage_as_openai
from lton.apis.answers import AnswerReader, AnswerWriter
from lton.apis.api import Api
from lton.apis.chat_api import CHAT
from lton.apis.chat_reader import ChatReader
from lton.apis.client_requests import ClientRequest
from lton.apis.conversations import cache_of_conversation
from lton.apis.refusals import (
    RefusedError,
    make_broken_off_error,
    turning_conversion_errors_into_refusals,
)
from lton.apis.registry import APIS, find_api_of_message
from lton.apis.sse import RawEvent
from lton.apis.translation import convert_message
from lton.chat import Message, Part, Reader, Text, ThoughtDelta, feedback, to_openai
from lton.chat.deltas import StreamEnd
from lton.chat.rendering import Rendered, Renderer, with_system
from lton.chat.running import try_explain_doubt
from lton.chat.tool_results import plain_names, takes_exact_text
from lton.chat.writing import Writer, instructions
from lton.errors import ConversionError, LTONError
from lton.gateway.apis.choices import Choice, ReadChoice
from lton.grammar.build import PROSE
from lton.schema.toolset import ToolSet
from lton.tokens.usage import PromptPart

UpstreamEvent: TypeAlias = Mapping[str, Any]
EMPTY_RETRIES = 1  # repetitions of a request after an empty answer


@dataclass(frozen=True, kw_only=True)
class UpstreamKind:
    """The settings for requesting calls from one kind of upstream."""

    fields: Callable[[ClientRequest], Mapping[str, Any]]
    """Returns the fields that make a server write calls; raises `lton.grammar.GrammarError`."""
    api: Api = CHAT  # in which requests are sent
    lenient: bool = False  # nothing constrains the model, so its text is read leniently
    retries: int = 1  # how often the model may be asked again with the error of its answer
    form: Form = FOR_MODELS
    raw: bool = False  # a llama.cpp server without its chat endpoint (`llama_cpp`)
    custom: bool = False  # OpenAI: calls are the input of a custom tool (`openai_custom`)


@dataclass(frozen=True)
class _Begun:
    """The rendered beginning of a conversation, and its renderer."""

    tools: ToolSet
    renderer: Renderer
    messages: Sequence[Message]


def render_for_model(request: ClientRequest, form: Form, *, primer: bool) -> tuple[Rendered, int]:
    """Render a request and count the messages that later requests will repeat."""
    cache = cache_of_conversation(request.body)
    messages = request.messages
    tools = request.tools
    name = ("shown", form)
    start, cached = cache.find_start(name, messages)
    if start and cached.tools is tools:
        renderer = cached.renderer.copy()
        rendered = [*cached.messages]
    else:
        start = 0
        renderer = Renderer(Writer(tools, form), texts=_are_edited(tools))
        rendered = []
    until = _last_turn(messages, cache.settled) or start
    if until > start:
        rendered += renderer.iterate_rendered_messages(messages[start:until], start)
        cache.store_result(name, messages[:until], _Begun(tools, renderer.copy(), tuple(rendered)))
        start = until
    settled = len(rendered)
    rendered += renderer.iterate_rendered_messages(messages[start:], start)
    if tools:
        rendered = with_system(rendered, instructions(tools, form=form, primer=primer))
    return Rendered(tuple(rendered), tuple(renderer.departures)), settled


def _last_turn(messages: Sequence[Message], settled: int) -> int:
    for at in range(min(settled, len(messages)) - 1, 0, -1):
        if messages[at].role == "assistant" and not messages[at].results:
            return at
    return 0


_C = TypeVar("_C", bound=Choice)


class BaseExchange(ABC, Generic[_C]):
    """Builds the upstream requests for a client's request, and the answer to the client."""

    path: str
    may_be_empty = False  # whether an empty answer is valid
    otherwise: Callable[[], Any] | None = None  # begins another exchange, if this one fails

    def __init__(self, request: ClientRequest, answer: AnswerWriter) -> None:
        self.request = request
        self.answer = answer
        self.streamed = request.stream
        self.choices: list[_C] = []
        self.usages: list[AnswerUsage] = []  # the tokens of each turn
        self.turns = 0
        self.is_done = self.is_whole = False  # the rest is not needed, the answer is complete

    @property
    def held_text(self) -> int:
        """The number of characters that are held back and searched for calls."""
        return 0

    @abstractmethod
    def try_take_next_request(self) -> Mapping[str, Any] | None:
        """Return the next request to the upstream, or None if the answer is complete."""

    @abstractmethod
    def receive_event(self, event: UpstreamEvent) -> bytes:
        """Process an upstream event and return bytes for the client. An empty event is the end."""

    def check_complete(self) -> None:
        """Raise `RefusedError` if the stream ended before its answer was complete."""
        if not self.is_whole:
            raise make_broken_off_error()

    def write_end(self) -> bytes:
        """Return the last bytes of the client's stream."""
        self.refuse_empty_answer()
        return self.take_new_bytes() + self.answer.write_end(self.sum_usage())

    def build_response(self) -> dict[str, Any]:
        self.refuse_empty_answer()
        return self.answer.build_response(
            [choice.deltas for choice in self.choices], self.sum_usage()
        )

    def refuse_empty_answer(self) -> None:
        """Raise `RefusedError` for an empty answer, unless it is valid."""
        if self.may_be_empty:
            return
        errors = [error for choice in self.choices if (error := choice.empty_error)]
        if errors and len(errors) == len(self.choices):
            raise errors[0]

    def write_failure(self, refusal: RefusedError) -> bytes:
        """Return the last bytes of the client's stream if the request has failed."""
        self.release_held_text()
        return self.take_new_bytes() + self.answer.write_failure(refusal.body, refusal.status)

    def make_answer_messages(self) -> list[Message]:
        """Return the model's answer as messages, without thoughts."""
        answer = AssistantMessage.from_deltas(self.choices[0].deltas)
        content = [Text(answer.content)] if answer.content else []
        return [Message("assistant", (*content, *answer.calls))]

    def try_to_recover(self) -> bool:
        """Send the earlier answer if asking again has failed; return False if there is none."""
        return False

    def release_held_text(self) -> None:
        """Pass on the text that is held back, because no call will follow."""

    @property
    def is_partly_sent(self) -> bool:
        """Whether the client has received part of the answer."""
        return any(choice.is_partly_sent for choice in self.choices)

    def join_received_text(self) -> str:
        """Return the text that was received before an answer failed."""
        self.release_held_text()
        return AssistantMessage.from_deltas(self.choices[0].deltas if self.choices else ()).content

    def take_new_bytes(self) -> bytes:
        """Return the bytes of new events for the client's stream."""
        choices = enumerate(self.choices)
        return b"".join(choice.write_new_deltas(index, self.answer) for index, choice in choices)

    def sum_usage(self) -> dict[str, Any]:
        """Return the token counts of all turns in OpenAI's format."""
        return sum_usage_as_openai(usage.read() for usage in self.usages)


class Exchange(BaseExchange[ReadChoice]):
    """Handles a request with calls in LTON. Asks the model again if its calls cannot be read."""

    reads: Callable[[], AnswerReader] = ChatReader  # makes the reader of an answer
    reader: AnswerReader

    def __init__(self, request: ClientRequest, answer: AnswerWriter, kind: UpstreamKind) -> None:
        super().__init__(request, answer)
        self.kind = kind
        self.path = kind.api.path
        # A grammar enforces the format, so the prompt need not explain it.
        self.rendered, self._settled = render_for_model(request, kind.form, primer=kind.lenient)
        self.messages = list(self.rendered.messages)
        self.fields = kind.fields(request)
        self._is_open = False
        self._doubted: ReadChoice | None = None  # a first answer whose calls are uncertain

    @property
    def prompt(self) -> list[tuple[str, str]]:
        return [(message.role, message.text) for message in self.rendered.messages]

    def prompt_parts(self) -> list[PromptPart]:
        return self._map_cached("prompt", self.rendered.messages, _parts_of_messages)

    @property
    def departures(self) -> list[str]:
        return [f"{departure.path}: {departure.msg}" for departure in self.rendered.departures]

    @property
    def held_text(self) -> int:
        return sum(len(choice.reader.held) for choice in self.choices)

    def try_take_next_request(self) -> Mapping[str, Any] | None:
        if self.turns:
            heard = self.reader.choices & {*range(len(self.choices))}
            if not heard:
                words = "the upstream's answer has no choice: is the --engine right?"
                raise RefusedError(502, words, "upstream_error")
            del self.choices[max(heard) + 1 :]  # some servers ignore `n`
            self._is_open = False
            for choice in self.choices:
                choice.close()
            if self._doubted and not self.choices[0].has_called:
                self.choices = [self._doubted]  # the model did not confirm its call
                again: tuple[Message, ...] = ()
            else:
                again = self._correction_messages()
            if not again:
                self.choices[0].holds_calls = False
                return None
            self.messages += again
        self.turns += 1
        self.is_done = False
        self.is_whole = False
        self._is_open = True
        self.reader = self.reads()
        self.usages.append(self.reader.usage)
        self.choices = [
            ReadChoice(self.request, self._make_reader()) for _ in range(self.request.n)
        ]
        self.choices[0].holds_calls = self.turns <= self.kind.retries and self.request.n == 1
        streaming = {"stream": True, "stream_options": {"include_usage": True}}
        body = {**self.request.other_fields, "messages": self._write_messages(), **streaming}
        if self.request.max_tokens is not None:
            body["max_tokens"] = self.request.max_tokens
        if self.request.n > 1:
            body["n"] = self.request.n
        return {**body, **self.fields}

    def _write_messages(self) -> list[dict[str, Any]]:
        try:
            return self._map_cached("written", self.messages, _messages_for_upstream)
        except ConversionError:  # the error's path is relative to the new messages
            with turning_conversion_errors_into_refusals(APIS[self.request.api].conversation_key):
                return _messages_for_upstream(self.messages)

    def _map_cached(
        self, name: str, messages: Sequence[Message], do: Callable[[Sequence[Message]], list[Any]]
    ) -> list[Any]:
        """Apply `do` to the messages and cache all results except the first."""
        cache = cache_of_conversation(self.request.body)
        settled = max(0, self._settled - 1)
        return [*do(messages[:1]), *cache.map_new_items(name, messages[1:], do, settled)]

    def receive_event(self, event: UpstreamEvent) -> bytes:
        deltas = self.reader.read_deltas(RawEvent(b"", data=event, is_done=not event))
        is_done = True
        out = b""
        for index, choice in enumerate(self.choices):
            choice.receive(deltas, index)
            is_done = is_done and (choice.is_over or choice.has_looped)
            out += choice.write_new_deltas(index, self.answer) if self.streamed else b""
        self.is_done = is_done
        self.is_whole = not event or StreamEnd() in deltas
        return out

    def release_held_text(self) -> None:
        for choice in self.choices if self._is_open else ():
            choice.release_held()
        self._is_open = False

    def _correction_messages(self) -> tuple[Message, ...]:
        """Return an unreadable answer and its error as messages, or () to accept the answer."""
        (choice, *others) = self.choices
        reply = choice.reader.reply
        is_cut = reply.finish_reason not in ("stop", "tool_calls")
        if others or choice.has_called or is_cut or choice.is_partly_sent:
            return ()
        why: LTONError | str | None = None
        has_thought = any(isinstance(delta, ThoughtDelta) for delta in choice.deltas)
        if reply.error and self.request.choice != "none" and self.turns <= self.kind.retries:
            why = reply.error
        elif (doubt := try_explain_doubt(reply)) and self.turns <= self.kind.retries:
            why = doubt
            self._doubted = choice
        elif choice.empty_error and not has_thought and self.turns <= EMPTY_RETRIES:
            why = choice.empty_error.message  # a client's stream has received a thought
        if why is None:
            return ()
        return Message.saying("assistant", choice.text), Message.saying("user", feedback(why))

    def _make_reader(self, *, in_thought: bool = False) -> Reader:
        choice = self.request.choice
        lenient = self.kind.lenient
        tools = self.request.callable if choice != "none" else self.request.callable.select()
        prose = choice in PROSE
        repeat = self.request.repeat_calls
        api = APIS[self.request.api]
        return Reader(
            tools,
            prose=prose,
            lenient=lenient,
            in_thought=in_thought,
            repeat_calls=repeat,
            stop=self.request.stop,
            # A call that the model repeats when it is asked is meant, even if it is an echo. What
            # the gateway writes into a conversation, such as how to recall a text, is no echo.
            seen=() if self._doubted else api.iterate_seen_texts(self.request.body),
        )


def _parts_of_messages(messages: Sequence[Message]) -> list[PromptPart]:
    return [PromptPart(message.role, message.text) for message in messages]


def _messages_for_upstream(messages: Iterable[Message]) -> list[dict[str, Any]]:
    return to_openai(map(_as_chat, messages))


def _as_chat(message: Message) -> Message:
    converted = convert_message(message, CHAT)
    api = find_api_of_message(message)
    if api is None or not api.has_text_blocks:
        return converted
    parts: list[Part] = []
    for part in converted.parts:
        match part, parts:
            case Text(text), [*_, Text(before)]:
                parts[-1] = Text(f"{before}\n{text}")
            case _:
                parts.append(part)
    return replace(converted, parts=tuple(parts))


def _are_edited(tools: ToolSet) -> bool:
    """Return whether a tool may need the exact text of a result, for example to edit a file."""
    return any(
        is_shell(tool.name)
        or takes_exact_text(plain_names(param.name for param in tool.args.params))
        for tool in tools
    )


def iterate_texts_in(message: Message) -> Iterator[str]:
    """Yield all text in a message: thoughts, prose, calls and results."""
    yield from (thought.text for thought in message.thoughts)
    yield message.text
    yield from (call.written for call in message.calls)
    yield from (result.text for result in message.results)
