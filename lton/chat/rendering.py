"""Render a conversation for a model, with tools as signatures, and calls and results in LTON."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from lton._syntax import FOR_MODELS, FORBIDDEN, Form
from lton.chat.pairs import Pairing
from lton.chat.records import Message, Other, Part, Text, ToolCall, ToolResult
from lton.chat.writing import Writer, instructions, is_like_frame, join_frames, quote_prose
from lton.codec import encode
from lton.errors import Code, ConversionError, EncodeError
from lton.results import exact_value
from lton.schema.toolset import ToolSet
from lton.schema.types import JSON, Call

Carrier: TypeAlias = Literal["user", "tool"]
"""The role of messages with answers."""
_Refusal: TypeAlias = ConversionError | EncodeError
_WRITTEN = ("content", "tool_calls")
_NOBODY = "unknown"  # the tool name in an answer to an unknown call


@dataclass(frozen=True, slots=True)
class Departure:
    """A part of a conversation that could not be rendered in the usual way, and why.

    `path` is a JSON Pointer into the messages, and `code` is the code of the error, if any.
    """

    path: str
    msg: str
    code: Code | None = None


@dataclass(frozen=True, slots=True)
class Rendered:
    """A conversation in which calls and results are text."""

    messages: tuple[Message, ...]
    departures: tuple[Departure, ...] = ()


def render(
    messages: Iterable[Message],
    tools: ToolSet | None,
    *,
    form: Form = FOR_MODELS,
    sigil: bool = True,
    descriptions: bool = True,
    primer: bool = True,
    results: Carrier = "user",
) -> Rendered:
    r"""Render a conversation for a model, with calls and results as text. Calls raise no errors.

    The tools are at the end of the system prompt (see `instructions`). A turn of the assistant is
    its prose, followed by its calls. With `sigil`, or after prose, calls begin with `!call `.
    Answers are `!result` and `!error` frames, in the order of the calls, in one message with the
    role `results`. JSON text in an answer becomes a value, unless LTON would write a number
    differently. Images and files follow the frames.

    `departures` lists exceptions to this. A call that does not fit the tools is written in the map
    form, or as a line of JSON if its arguments are not an object. A line of prose that looks like a
    frame is quoted (`> !call …`). An answer to an unknown call names the tool `unknown`. An error
    without a call has no name (`!error: …`). Forbidden characters become U+FFFD. Images and files
    from the assistant are replaced by their kind.

    >>> from lton.chat.openai import from_openai
    >>> tools = ToolSet.from_prompt("wait(minutes:int)")
    >>> call = {"id": "1", "function": {"name": "wait", "arguments": '{"minutes": "5"}'}}
    >>> shown = render(from_openai([
    ...     {"role": "user", "content": "Wait!"},
    ...     {"role": "assistant", "content": None, "tool_calls": [call]},
    ...     {"role": "tool", "tool_call_id": "1", "content": '{"ok": true}'}]), tools)
    >>> for message in shown.messages[1:]:
    ...     print(message.role, message.text, sep=": ")
    user: Wait!
    assistant: !call wait{minutes "5"}
    user: !result wait {ok true}
    >>> [(found.path, found.msg) for found in shown.departures]
    [('/1', "a call without its layout: expected an integer, found '5' (at /minutes) [E203]")]
    """
    renderer = Renderer(Writer(tools, form, sigil=sigil), results=results)
    rendered = list(renderer.iterate_rendered_messages(messages))
    if tools:
        how = {"sigil": sigil, "descriptions": descriptions, "primer": primer}
        rendered = with_system(rendered, instructions(tools, form=form, **how))
    return Rendered(tuple(rendered), tuple(renderer.departures))


def with_system(messages: Sequence[Message], about: str) -> list[Message]:
    """Append the description of the tools to the system prompt."""
    first, *others = messages or [Message.saying("system", "")]
    if first.role not in ("system", "developer"):
        return [Message.saying("system", about), *messages]
    match [part for part in first.parts if part != Text("")]:
        case []:
            parts: tuple[Part, ...] = (Text(about),)
        case [Text(prompt)]:
            parts = (Text(f"{prompt}\n\n{about}"),)
        case several:
            parts = (*several, Text(f"\n\n{about}"))
    return [replace(first, parts=parts, extra=_kept_fields(first)), *others]


def _kept_fields(message: Message) -> dict[str, Any]:
    return {key: value for key, value in message.extra.items() if key not in _WRITTEN}


@dataclass(frozen=True, slots=True)
class _Framed:
    """A rendered tool result: the index of its call, its message, its frame, and its media."""

    order: int
    message: Message
    frame: str
    others: tuple[Other, ...]


class Renderer:
    """Renders messages one by one, and remembers calls until their results arrive.

    Exceptions to the usual rendering are added to `departures`. With `texts`, results in JSON are
    not parsed.
    """

    def __init__(
        self,
        writer: Writer,
        *,
        results: Carrier = "user",
        texts: bool = False,
    ) -> None:
        self.writer = writer
        self.departures: list[Departure] = []
        self._results = results
        self._texts = texts
        self._called: dict[str | None, tuple[int, str]] = {}  # the number and tool, by call id
        self._count = 0
        self._turn = Pairing()  # the calls of the last turn
        self._first = 0  # the number of the first of them

    def copy(self) -> "Renderer":
        """Return a copy of the renderer that does not share its state."""
        copy = Renderer(self.writer, results=self._results, texts=self._texts)
        copy.departures = [*self.departures]
        copy._called = {**self._called}
        copy._count = self._count
        return copy

    def iterate_rendered_messages(
        self, messages: Iterable[Message], start: int = 0
    ) -> Iterator[Message]:
        """Yield messages with calls and results as text. `start` is the first message's index."""
        waiting: list[tuple[str, Message, ToolResult]] = []
        for index, message in enumerate(messages, start):
            path = f"/{index}"
            waiting += [(path, message, result) for result in message.results]
            if message.results and len(message.results) == len(message.parts):
                continue
            yield from self._iterate_rendered_answers(waiting)
            waiting = []
            yield self._render_message(message, path)
        yield from self._iterate_rendered_answers(waiting)

    def _render_message(self, message: Message, path: str) -> Message:
        if message.role == "assistant":
            parts: tuple[Part, ...] = (*message.thoughts, Text(self.write_turn(message, path)))
            return replace(message, parts=parts, extra=_kept_fields(message))
        parts = tuple(part for part in message.parts if not isinstance(part, ToolResult))
        return replace(
            message, role="user" if message.role == "tool" else message.role, parts=parts
        )

    # --- what the assistant says ----------------------------------------------------------------

    def write_turn(self, message: Message, path: str) -> str:
        """Render an assistant message as its prose, followed by its calls."""
        self._turn = Pairing(message.calls)
        self._first = self._count
        for call in self._turn.calls:
            self._called[call.id] = self._count, call.name
            self._count += 1
        prose = self._render_prose(message, path)
        try:
            return self.writer.write_turn(prose, [_plain_call(call) for call in message.calls])
        except (ConversionError, EncodeError) as error:
            problem = error
        count_before = len(self.departures)
        sigil = self.writer.sigil or bool(prose)
        calls = [self._render_call(call, path, sigil=sigil) for call in message.calls]
        if len(self.departures) == count_before:
            msg = f"the calls are written one by one: {problem}"
            self.departures.append(Departure(path, msg, problem.code))
        return join_frames(prose, self.writer.between.join(calls))

    def _render_prose(self, message: Message, path: str) -> str:
        texts: list[str] = []
        for part in message.content:
            if isinstance(part, Text):
                texts.append(part.text)
                continue
            texts.append(f"[{part.kind}]")
            msg = f"only the kind of a part is shown: {part.kind}"
            self.departures.append(Departure(path, msg))
        prose = "".join(texts)
        if is_like_frame(prose):
            msg = "a line of prose that begins like a frame is quoted"
            self.departures.append(Departure(path, msg, Code.FRAME))
        return quote_prose(prose)

    def _render_call(self, call: ToolCall, path: str, *, sigil: bool) -> str:
        try:
            plain = _plain_call(call)
            return self.writer.write_calls([plain], sigil=sigil)
        except ConversionError as error:
            return self._render_unreadable(call, path, error)
        except EncodeError as error:
            problem = error
        try:
            text = encode(plain, sigil=sigil)
        except EncodeError as error:
            return self._render_unreadable(call, path, error)
        msg = f"a call without its layout: {problem}"
        self.departures.append(Departure(path, msg, problem.code))
        return text

    def _render_unreadable(self, call: ToolCall, path: str, error: _Refusal) -> str:
        msg = f"a call as a line of JSON: {error}"
        self.departures.append(Departure(path, msg, error.code))
        text = self.writer.write_unreadable_call(call)
        if not FORBIDDEN.search(text):
            return text
        msg = "a forbidden character was replaced with U+FFFD"
        self.departures.append(Departure(path, msg, Code.CHARACTER))
        return FORBIDDEN.sub("\ufffd", text)

    # --- answers --------------------------------------------------------------------------------

    def _iterate_rendered_answers(
        self, waiting: Sequence[tuple[str, Message, ToolResult]]
    ) -> Iterator[Message]:
        call_indexes = self._turn.match_results([result for *_, result in waiting])
        answers: list[_Framed] = []
        for call_index, (path, message, result) in zip(call_indexes, waiting, strict=True):
            order, name = self._find_caller(result, call_index, path)
            others = tuple(part for part in result.parts if isinstance(part, Other))
            answers.append(
                _Framed(order, message, self.write_result_frame(name, result, path), others)
            )
        answers.sort(key=lambda answer: answer.order)
        if answers and self._results == "user":
            text = Text("\n".join(answer.frame for answer in answers))
            parts: list[Part] = [text, *(other for answer in answers for other in answer.others)]
            yield Message("user", tuple(parts), api=answers[0].message.api)
            return
        for answer in answers:
            carrier = ToolResult((Text(answer.frame), *answer.others))
            yield replace(answer.message, role="tool", parts=(carrier,))

    def _find_caller(
        self, result: ToolResult, call_index: int | None, path: str
    ) -> tuple[int, str]:
        if call_index is not None:
            order = self._first + call_index
            name = self._turn.calls[call_index].name
        else:
            caller = self._called.get(result.call_id) if result.call_id is not None else None
            order, name = caller or (self._count, result.name or "")
        if not name and not result.is_error:
            self.departures.append(Departure(path, "an answer without a call", Code.PAIRING))
            name = _NOBODY
        return order, name

    def write_result_frame(self, name: str, result: ToolResult, path: str) -> str:
        """Render a tool result as a frame. JSON text becomes a value, except in an error."""
        others = [part for part in result.parts if isinstance(part, Other)]
        text = result.text
        is_text = result.is_error or self._texts
        value: JSON = text if is_text else exact_value(text)
        if others and not text:
            value = f"[{', '.join(part.kind for part in others)}]"
        try:
            return self.writer.write_answer_frame(name, value, is_error=result.is_error)
        except EncodeError as error:
            msg = f"an answer as a text: {error}"
            self.departures.append(Departure(path, msg, error.code))
        name = FORBIDDEN.sub("\ufffd", name)
        text = FORBIDDEN.sub("\ufffd", text)
        return self.writer.write_answer_frame(name, text, is_error=result.is_error)


def _plain_call(call: ToolCall) -> Call:
    return Call(call.name, {"input": call.written}) if call.custom else call.call
