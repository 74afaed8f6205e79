"""Read requests, answers and tool definitions from logs of many formats."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from lton.apis.gemini.contents import try_read_messages
from lton.apis.gemini.requests import find_declarations
from lton.apis.registry import APIS, find_api_of_message
from lton.chat import Message, from_anthropic, from_openai, from_responses, read_call
from lton.chat.records import make_mismatch_error
from lton.schema.definitions import SCHEMA_KEYS
from lton.tokens.usage import ReportedUsage, try_read_usage, without_cache_marks

_BLOCKS = ("tool_use", "tool_result", "thinking", "redacted_thinking")
"""Blocks that exist only in Anthropic's messages."""
_ASKED = ("model", "contents")  # keys of requests that conversations do not have
_SHOWN_OF_MCP = ("name", "description", "inputSchema")
_BRANCHES = 64  # the maximum number of places to which `feed_return_to` can return
_DEPTH = 8  # the maximum nesting of records in lists and answers
_EXPECTED = "a request, a response, messages, calls or tool definitions"
ANSWER = "responses"
TURN = "turns of conversations"
LISTING = "listings of tools"
PIECES = "messages or calls alone"
"""Kinds of records in a bill. Records of sessions are named after their agents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """An entry in a log: a request with its answer, a list of tools, or calls.

    - `form` is the kind of the record.
    - `usage` is the provider's report, if the log contains it.
    - `at` is the time when the request was sent, in seconds.
    """

    form: str = PIECES
    tools: tuple[Any, ...] = ()
    messages: tuple[Message, ...] = ()
    answer: tuple[Message, ...] = ()
    usage: ReportedUsage | None = None
    model: str = ""
    at: float | None = None
    is_pending: bool = False
    """Whether the request has no answer, and so may not have been sent."""

    @property
    def is_empty(self) -> bool:
        return not (self.tools or self.messages or self.answer)


class LoggedTurns:
    """Assembles a logged conversation from requests, each of which is followed by its answer."""

    def __init__(self, form: str, tools: Iterable[Any]) -> None:
        self.form = form
        self.tools = tuple(tools)
        self.model = ""
        self.usage: ReportedUsage | None = None
        self.at: float | None = None
        """The time of the last addition."""
        self.is_repeated = False
        """Whether the current answer was already counted."""
        self.answer_id: str | None = None
        """The id of the current answer. All its pieces have this id."""
        self._said: list[Message] = []
        self._answer: list[Message] = []
        self._early_results: list[Message] = []
        """Results that are logged between the pieces of the current answer."""
        self._branch = 0
        self._branches = {0: self._said}
        self._asked: float | None = None
        self._results_at: float | None = None
        self._is_new = False

    def feed(self, message: Message, answer_id: str | None = None) -> Iterator[Record]:
        """Add a message. `answer_id` is the id of the answer that it is a piece of.

        Without an id, an assistant's message is only an answer if another message comes before it.
        """
        follows = any(earlier.role != "system" for earlier in self._said)
        if message.role == "assistant" and (follows or answer_id is not None):
            if answer_id != self.answer_id:
                yield from self.flush_answer()
            self.answer_id = answer_id
            self._answer.append(message)
            return
        if message.results and self._answer and self.answer_id is not None:
            self._early_results.append(message)
            self._results_at = self.at
            return
        yield from self.flush_answer()
        self._asked = self.at
        self._said.append(message)
        self._is_new = True

    def feed_summary(self, messages: Iterable[Message]) -> Iterator[Record]:
        """Replace all messages except system messages with a summary."""
        yield from self.flush_answer()
        self._begin_conversation(
            [*(message for message in self._said if message.role == "system"), *messages]
        )

    @property
    def is_empty(self) -> bool:
        return not self._said

    @property
    def is_answered(self) -> bool:
        return bool(self._answer)

    @property
    def here(self) -> tuple[int, int]:
        size = len(self._said) + len(self._answer) + len(self._early_results)
        return self._branch, size

    def feed_return_to(self, position: tuple[int, int]) -> Iterator[Record]:
        """Resume the conversation after an earlier message and the results of its calls."""
        if position == self.here:
            return
        yield from self.flush_answer()
        branch, size = position
        messages = self._branches.pop(branch, None)
        if messages is None:  # the place was dropped
            return
        self._branches[branch] = messages
        while size < len(messages) and messages[size].results:
            size += 1
        if (branch, size) != self.here:
            self._begin_conversation(messages[:size])

    def _begin_conversation(self, messages: list[Message]) -> None:
        self._branch += 1
        self._said = self._branches[self._branch] = messages
        if len(self._branches) > _BRANCHES:
            del self._branches[next(iter(self._branches))]
        self._is_new = False

    def flush(self) -> Iterator[Record]:
        """Yield the last request, even if it has no answer."""
        yield from self.flush_answer()
        if self._is_new:
            self._is_new = False
            yield replace(self._make_record(), is_pending=True)

    def flush_answer(self) -> Iterator[Record]:
        """Yield the last request if it has an answer that was not counted before."""
        if self._answer:
            if not self.is_repeated:
                yield replace(self._make_record(), answer=tuple(self._answer), usage=self.usage)
            self._said += self._answer
            self._answer = []
            self.answer_id = None
            self.usage = None
            self._is_new = False
            self.is_repeated = False
        if self._early_results:
            self._said += self._early_results
            self._early_results = []
            self._asked = self._results_at
            self._is_new = True

    def _make_record(self) -> Record:
        messages = tuple(self._said)
        at = self._asked
        return Record(form=self.form, tools=self.tools, messages=messages, model=self.model, at=at)


def records(value: Any) -> Iterator[Record]:
    """Yield the requests, calls and tool definitions in a JSON value.

    The value is a request to OpenAI's chat or responses API, to Anthropic's or to Gemini's API; a
    response; an object with `request` and `response`, as in logs of proxies; a conversation, in
    which each answer followed a request; a message; calls; tool definitions; the result of MCP's
    `tools/list`, also in JSON-RPC; or a list of these.

    Raises `ConversionError`, with a path, for any other value.

    >>> call = {"id": "1", "function": {"name": "wait", "arguments": "{}"}}
    >>> answer = {"choices": [{"message": {"role": "assistant", "tool_calls": [call]}}]}
    >>> [record] = records({"request": {"messages": [], "tools": []}, "response": answer})
    >>> record.answer[0].calls[0].name
    'wait'
    """
    return _iterate_records(value, _DEPTH)


def _iterate_records(value: Any, depth: int, *, is_request: bool = False) -> Iterator[Record]:
    if not depth:
        raise make_mismatch_error(_EXPECTED, value)
    match value:
        case {"request": Mapping() as request}:
            yield _with_answer(
                [*_iterate_records(request, depth - 1, is_request=True)], value, depth
            )
        case {"jsonrpc": _, "result": inner}:
            yield from _iterate_records(inner, depth - 1)
        case {"body": Mapping() as inner}:
            yield from _iterate_records(inner, depth - 1, is_request=True)
        case {"response": {"body": Mapping() as inner}}:  # of OpenAI's Batch API
            yield from _iterate_records(inner, depth - 1)
        case [*values] if values:
            yield from _iterate_records_of_list(values, depth)
        case Mapping():
            # The model of a Gemini request is in the address.
            yield from _iterate_records_of_body(
                value, is_request=is_request or not value.keys().isdisjoint(_ASKED)
            )
        case _:
            raise make_mismatch_error(_EXPECTED, value)


def _with_answer(request: Sequence[Record], value: Mapping[str, Any], depth: int) -> Record:
    response = value.get("response")
    answers = [] if response is None else [*_iterate_records(response, depth - 1)]
    usages = [record.usage for record in answers] + [try_read_usage(value.get("usage"))]
    answer = chain.from_iterable((*record.messages, *record.answer) for record in answers)
    return Record(
        form=request[0].form,
        tools=tuple(chain.from_iterable(record.tools for record in request)),
        messages=tuple(chain.from_iterable(record.messages for record in request)),
        answer=tuple(answer),
        usage=next(filter(None, usages), None),
        model=next(filter(None, (record.model for record in request)), ""),
    )


def _iterate_records_of_body(value: Mapping[str, Any], *, is_request: bool) -> Iterator[Record]:
    tools = _read_tools(value)
    model = str(value.get("model") or value.get("modelVersion") or "")
    usage = try_read_usage(value.get("usage") or value.get("usageMetadata"))
    if (conversation := _try_read_conversation(value)) is not None:
        if is_request:
            messages = tuple(conversation)
            form = _form_of(messages)
            yield Record(form=form, tools=tools, messages=messages, usage=usage, model=model)
        else:
            yield from _iterate_records_of_turns(conversation, tools)
    elif (answer := _try_read_answer(value)) is not None:
        yield Record(form=ANSWER, answer=tuple(answer), usage=usage, model=model)
    elif tools or isinstance(value.get("tools"), list):
        yield _list_tools(tools)
    else:
        yield _read_piece(value)


def _form_of(messages: Sequence[Message]) -> str:
    """Return the kind of a request with these messages, by their API."""
    api = find_api_of_message(messages[-1]) if messages else None
    return (api or APIS["chat"]).log_form


def _iterate_records_of_turns(
    messages: Iterable[Message], tools: Iterable[Any] = ()
) -> Iterator[Record]:
    turns = LoggedTurns(TURN, tools)
    for message in messages:
        yield from turns.feed(message)
    yield from turns.flush()


def _try_read_conversation(value: Mapping[str, Any]) -> Iterable[Message] | None:
    match value:
        case {"messages": [*messages]}:
            return _read_messages(messages, value)
        case {"input": str() | [*_] as items} if not {"name", "arguments"} & value.keys():
            return from_responses(items, value.get("instructions"))
        case {"contents": [*_]}:
            return try_read_messages(value)
    return None


def _try_read_answer(value: Mapping[str, Any]) -> Iterable[Message] | None:
    match value:
        case {"output": [*items]}:
            return from_responses(items)
        case {"choices": [*choices]}:
            return from_openai(
                choice["message"] for choice in choices if _has_key(choice, "message")
            )
        case {"type": "message", "role": "assistant", "content": content}:
            return from_anthropic([{"role": "assistant", "content": content}])
    return try_read_messages(value)


def _read_piece(value: Mapping[str, Any]) -> Record:
    if "role" in value:
        return Record(messages=_read_messages([value], {}))
    if _is_definition(value):
        return _list_tools([value])
    if (declared := find_declarations(value)) is not None:
        return _list_tools(declared)
    if (call := read_call(value)) is not None:
        return Record(messages=(Message("assistant", (call,)),))
    raise make_mismatch_error(_EXPECTED, value)


def _list_tools(definitions: Iterable[Any]) -> Record:
    """Return a record of definitions, without the parts that MCP's clients do not show to models.

    Such parts are the schema of the output, annotations and icons.
    """
    shown = (
        {key: definition[key] for key in _SHOWN_OF_MCP if key in definition}
        if _has_key(definition, "inputSchema")
        else definition
        for definition in definitions
    )
    return Record(form=LISTING, tools=tuple(shown))


def _iterate_records_of_list(values: Sequence[Any], depth: int) -> Iterator[Record]:
    if all(_has_key(value, "role") for value in values):
        yield from _iterate_records_of_turns(_read_messages(values, {}))
    elif all(map(_is_definition, values)):
        yield _list_tools(values)
    else:
        for value in values:
            yield from _iterate_records(value, depth - 1)


def _read_tools(value: Mapping[str, Any]) -> tuple[Any, ...]:
    tools = value.get("tools") or ()
    if not isinstance(tools, list | tuple):
        raise make_mismatch_error("a list of tools", tools, "/tools")
    return tuple(
        definition
        for tool in without_cache_marks(list(tools))
        for definition in _definitions_of_tool(tool)
    )


def _definitions_of_tool(tool: Any) -> Sequence[Any]:
    if (declared := find_declarations(tool)) is not None:
        return declared
    match tool:
        case {"type": "namespace", "tools": [*inner], **rest}:
            return [rest, *inner]
    return [tool]


def _read_messages(messages: Sequence[Any], request: Mapping[str, Any]) -> tuple[Message, ...]:
    messages = without_cache_marks(messages)
    contents = [message["content"] for message in messages if _has_key(message, "content")]
    blocks = chain.from_iterable(content for content in contents if isinstance(content, list))
    types = [block["type"] for block in blocks if _has_key(block, "type")]
    if "system" in request or any(kind in _BLOCKS for kind in types):
        return from_anthropic(messages, without_cache_marks(request.get("system")))
    return from_openai(messages)


def _is_definition(value: Any) -> bool:
    match value:
        case {"function": Mapping() as function}:
            return "arguments" not in function
        case {"name": str()}:
            return not value.keys().isdisjoint(SCHEMA_KEYS)
    return False


def _has_key(value: Any, key: str) -> bool:
    return isinstance(value, Mapping) and key in value
