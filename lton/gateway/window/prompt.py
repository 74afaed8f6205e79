"""Shrink a conversation until it fits the model's window."""

import time
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from lton.apis.answer_notes import AssistantMessage
from lton.apis.answers import AnswerWriter
from lton.apis.client_requests import ClientRequest
from lton.apis.refusals import RefusedError
from lton.chat import Message, ToolCall
from lton.errors import Code, LTONError
from lton.gateway.exchange import iterate_texts_in
from lton.gateway.window.context_options import ContextMetrics, ContextOptions
from lton.gateway.window.describing import DescribedRequest, with_base
from lton.gateway.window.kept_rounds import iterate_messages_with_rounds, store_rounds, turn_keys
from lton.gateway.window.rounds import AnyExchange, BeginExchange, RoundsExchange
from lton.grammar.build import Named
from lton.schema.toolset import ToolSet
from lton.stores import open_store
from lton.tokens import TokenCounter
from lton.transcript import Transcript, View
from lton.transcript.base_tools import TOOLS
from lton.transcript.branches import Branches, Recognized
from lton.transcript.files import beginning_within

_LEAST = 128  # the minimum number of tokens in a base tool's shortened answer
_MARGIN = 48  # the tokens for a call and for the frame of its answer
_STEP = 256  # the tokens by which the room shrinks, so similar requests have the same room
_TRIES = 6
_BASE = {tool["name"]: tool for tool in TOOLS[:-1]}  # the last tool is for skills


@dataclass(frozen=True, slots=True)
class FittedPrompt:
    """A conversation that fits the window."""

    opened: Recognized
    request: ClientRequest  # the request with the view instead of its messages
    names: Mapping[str, str]  # of the base tools, by those in the request; empty without omissions
    size: int  # the number of the prompt's tokens, including its tools


def compile_base_tools(used_names: Container[str]) -> tuple[ToolSet, dict[str, str]]:
    """Compile the base tools under unused names. Also return the original name of each tool."""
    names: dict[str, str] = {}
    for name in _BASE:
        here = name
        while here in used_names:
            here = f"context_{here}"
        names[here] = name
    return _compile_base_tools(tuple(names)), names


def define_base_tools(names: Iterable[str]) -> list[dict[str, Any]]:
    """Define the base tools under the given names."""
    return [
        {**tool, "name": here}
        if here == own
        else {**tool, "name": here, "description": f"{tool['description']} Notes call it {own}."}
        for here, (own, tool) in zip(names, _BASE.items(), strict=True)
    ]


@lru_cache(64)
def _compile_base_tools(names: tuple[str, ...]) -> ToolSet:
    return ToolSet.from_tools(define_base_tools(names))


class BaseTools:
    """Adds the base tools, which read omitted text, to a request with calls in LTON.

    The prompt contains the base tools as soon as text is omitted.
    """

    is_offering = False
    """Whether the base tools are always part of the prompt."""

    def __init__(self, client_request: ClientRequest, used_names: Container[str]) -> None:
        self.client_request = client_request
        self.base, self.names = compile_base_tools(used_names)

    @property
    def defined(self) -> str:
        """The definitions of all tools, as in the prompt."""
        return with_base(self.client_request.tools, self.base).prompt()

    def with_base_tools(self, request: ClientRequest) -> ClientRequest:
        """Return a request with the base tools."""
        allowed = request.callable if request.choice != "none" else request.callable.select()
        return replace(
            request,
            tools=with_base(request.tools, self.base),
            callable=with_base(allowed, self.base),
            choice="auto" if request.choice in ("auto", "none") else "required",
            parallel=request.parallel and not isinstance(request.choice, Named),
        )

    def iterate_requests_to_try(
        self, request: ClientRequest, view: View, get_rounds: Callable[[str], bytes | None]
    ) -> Iterator[tuple[ClientRequest, Mapping[str, str]]]:
        """Yield the requests to try, the best one first, each with the names of its base tools."""
        since = max((turn_shown.turn for turn_shown in view.shown if turn_shown.pointer), default=0)
        keys = {
            turn: key
            for turn, key in turn_keys(self.client_request.messages).items()
            if turn > since
        }
        turns = zip((turn_shown.turn for turn_shown in view.shown), view.chat, strict=True)
        whole = tuple(iterate_messages_with_rounds(turns, keys, get_rounds))
        if whole != view.chat:
            yield replace(self.with_base_tools(request), messages=whole), self.names
        if view.is_partial or self.is_offering:
            yield replace(self.with_base_tools(request), messages=view.chat), self.names
        else:
            is_same = view.chat == request.messages
            yield request if is_same else replace(request, messages=view.chat), {}


class PromptFitter:
    """Shrinks conversations until they fit the window."""

    def __init__(
        self, options: ContextOptions, counter: TokenCounter, metrics: ContextMetrics | None = None
    ) -> None:
        self.options = options
        self.counter = counter
        self.metrics = metrics
        try:  # report invalid options at the start
            Transcript(
                counter=counter,
                store=open_store("memory:"),
                reserve=options.reserve,
                **options.options,
            )
        except ValueError as error:
            raise ValueError(f"context: {error}") from None
        self.branches = Branches(options.open_store(), counter=counter, **options.options)
        # Rounds are stored before a client knows the turn after them.
        self.load_stored_rounds = lru_cache(1024)(self._find_rounds)

    def fit_prompt(
        self, request: ClientRequest, begin: BeginExchange, tools: BaseTools
    ) -> tuple[FittedPrompt, AnyExchange]:
        """Shrink a request until it fits the window and begin its exchange."""
        most = self.options.window - self.options.reserve
        reserve = self.options.reserve + _round_up_tokens(self.counter.count(tools.defined).tokens)
        for _ in range(_TRIES):
            if reserve >= self.options.window:
                break
            opened = self.branches.open_conversation(
                request.messages, reserve=reserve, now=time.monotonic()
            )
            size = most
            for candidate, names in tools.iterate_requests_to_try(
                request, opened.view, self.load_stored_rounds
            ):
                inner = begin(candidate)
                if (size := self.count_prompt_tokens(inner)) <= most:
                    return FittedPrompt(opened, candidate, names, size), inner
            reserve += _round_up_tokens(size - most)
        raise make_conversation_too_long_error(
            f"the tools and the last turns do not fit in {most} tokens"
        )

    def store_rounds(self, key: str, rounds: bytes) -> None:
        self.branches.store.append(f"rounds-{key}", rounds, at=0)

    def _find_rounds(self, key: str) -> bytes | None:
        return next(iter(self.branches.store.entries(f"rounds-{key}")), None)

    def count_prompt_tokens(self, exchange: AnyExchange) -> int:
        messages = [{"role": role, "content": text} for role, text in exchange.prompt]
        return self.counter.count_messages(messages).tokens

    def count_view_for_log(self, fitted: FittedPrompt, base_calls: int) -> dict[str, Any]:
        if self.metrics:
            self.metrics.count_view(fitted.opened.view, fitted.opened.origin, base_calls)
        opened = fitted.opened
        return {"conversation": opened.chat.id, "origin": opened.origin, **opened.view.report()}


@dataclass(frozen=True)
class FittedTools:
    """Answers calls to the base tools and to the tool that describes tools (see `OwnTools`)."""

    client_request: ClientRequest  # the client's request
    fitter: PromptFitter
    fitted: FittedPrompt
    described: DescribedRequest | None

    @property
    def request(self) -> ClientRequest:
        return self.fitted.request

    @property
    def names(self) -> Collection[str]:
        return [*self.fitted.names, *(self.described.names if self.described else ())]

    @property
    def rounds(self) -> int:
        return self.fitter.options.rounds

    def answer_call(self, call: ToolCall, read: Sequence[Message]) -> str:
        """Answer a call and cut the answer to the room that is left in the window."""
        if self.described and call.name in self.described.names:
            answer = self.described.answer_call(call)
        else:
            named = replace(call, name=self.fitted.names[call.name])
            answer = self.fitted.opened.chat.answer(named)
        return self._cut_answer(answer, read)

    def store_answer(
        self, message: AssistantMessage, read: Sequence[Message], last: Sequence[Message]
    ) -> None:
        store_rounds(self.fitter.store_rounds, self.client_request.messages, message, read, last)

    def count_calls_for_log(self, calls: Sequence[ToolCall]) -> dict[str, Any]:
        based = sum(call.name in self.fitted.names for call in calls)
        more = self.described.count_calls_for_log(calls) if self.described else {}
        return {**self.fitter.count_view_for_log(self.fitted, based), **more}

    def _cut_answer(self, answer: str, read: Sequence[Message]) -> str:
        """Cut an answer to the room that is left in the window, and store the whole answer."""
        counter = self.fitter.counter
        options = self.fitter.options
        texts = [part for item in read for part in iterate_texts_in(item)]
        used_tokens = self.fitted.size + sum(counter.count(item).tokens + _MARGIN for item in texts)
        room = options.window - options.reserve - used_tokens
        if counter.count(answer).tokens <= room:
            return answer
        file = self.fitted.opened.chat.add_file("answer", answer)
        end = f"[the rest is in file {file}, for which there was no room: read parts of it]"
        if room < _LEAST:
            return end
        return f"{beginning_within(answer, room - _MARGIN, counter)}\n{end}"


def try_begin_fitted(
    fitter: PromptFitter,
    request: ClientRequest,
    answer: AnswerWriter,
    begin: BeginExchange,
    described: DescribedRequest | None = None,
    tools: BaseTools | None = None,
) -> RoundsExchange | None:
    """Return the exchange for a request, or None to send the request unchanged.

    A request is sent unchanged if it has several choices or no messages, if its calls and results
    do not match, or if the store fails. The last two cases are counted. Raises `RefusedError` if
    the conversation cannot fit.
    """
    if request.n > 1 or not request.messages:
        return None
    prompt_request = replace(described.request if described else request, stream=False)
    try:
        fitted, first = fitter.fit_prompt(
            prompt_request, begin, tools or BaseTools(request, request.tools.by_name)
        )
    except LTONError as error:
        if error.code is Code.WINDOW:
            raise make_conversation_too_long_error(str(error)) from None
        if fitter.metrics:
            fitter.metrics.unplanned.labels(error.code).inc()
        return None
    own = FittedTools(request, fitter, fitted, described)
    return RoundsExchange(request, answer, begin, own, first)


def _round_up_tokens(tokens: int) -> int:
    return -(-tokens // _STEP) * _STEP


def make_conversation_too_long_error(why: str) -> RefusedError:
    """Return the error for a conversation that cannot be shrunk enough."""
    return RefusedError(400, why, param="messages", code="context_length_exceeded")
