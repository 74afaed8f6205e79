"""A conversation as the model reads it: tools as signatures, calls and answers in LTON."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from lton._json import minified, read_value
from lton._syntax import FORBIDDEN, Form
from lton.chat.records import Message, Other, Part, Text, ToolCall, ToolResult
from lton.chat.writing import instructions, is_like_frame, joined, quoted, write_answer
from lton.codec import encode
from lton.errors import Code, ConversionError, EncodeError
from lton.grammar.build import FOR_MODELS
from lton.schema.toolset import ToolSet
from lton.schema.types import JSON, Call

Carrier: TypeAlias = Literal["user", "tool"]
"""The role of the messages that carry answers."""
_WRITTEN = ("content", "tool_calls")
_NOBODY = "unknown"
"""What a tool is called in an answer that does not say whose it is."""


@dataclass(frozen=True, slots=True)
class Departure:
    """What of a conversation is not said as everything else is: where, why, and what is instead.

    `path` is a JSON Pointer into the messages, `code` that of its error, if there is one.
    """

    path: str
    msg: str
    code: Code | None = None


@dataclass(frozen=True, slots=True)
class Rendered:
    """A conversation that has neither calls nor results, but texts that say them."""

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
    r"""Get a conversation as a model reads it. It is never refused, whatever its calls say.

    The tools are at the end of the system prompt, as `instructions` has them. What the assistant
    wrote is prose and then calls, which with `sigil` begin with `!call `: so where any turn may
    hold prose. A turn that has both has sigils in any case. Answers are `!result` and `!error`
    frames, those of one turn together in a message of the role `results`, in the order of the
    calls; text that is JSON is its value. Their images and files follow the frames.

    `departures` lists what is said otherwise: a call that the tools do not take is in the map form,
    which needs none, or, if its arguments are no object, a line of JSON; a line of
    prose that begins like a frame is a quotation (`> !call …`), which no reader takes for one; an
    answer to no call is one of the tool `unknown`, and an error that is of none has no name
    (`!error: …`); a character that no text may have is U+FFFD; parts of the assistant that are no
    text are named only.

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
    renderer = _Renderer(tools, form, sigil=sigil, results=results)
    shown = list(renderer.messages(messages))
    if tools:
        about = instructions(
            tools, form=form, sigil=sigil, descriptions=descriptions, primer=primer
        )
        shown = _with_system(shown, about)
    return Rendered(tuple(shown), tuple(renderer.departures))


def _with_system(messages: Sequence[Message], about: str) -> list[Message]:
    """Get the messages with the tools at the end of the system prompt."""
    first, *rest = messages or [Message.saying("system", "")]
    if first.role not in ("system", "developer"):
        return [Message.saying("system", about), *messages]
    match [part for part in first.parts if part != Text("")]:
        case []:
            parts: tuple[Part, ...] = (Text(about),)
        case [Text(given)]:
            parts = (Text(f"{given}\n\n{about}"),)
        case several:
            parts = (*several, Text(f"\n\n{about}"))
    return [replace(first, parts=parts, extra=_kept(first)), *rest]


def _kept(message: Message) -> dict[str, Any]:
    """Get what else a message says, apart from what is written here."""
    return {key: each for key, each in message.extra.items() if key not in _WRITTEN}


class _Renderer:
    """Renders one message after the other; knows the calls that were made."""

    def __init__(self, tools: ToolSet | None, form: Form, *, sigil: bool, results: Carrier) -> None:
        self.departures: list[Departure] = []
        self._tools = tools or None
        self._form = form
        self._sigil = sigil
        self._results = results
        self._called: dict[str | None, deque[tuple[int, str]]] = {}
        """The calls by their ids: their order, and whose they are.

        Some servers give several calls of a turn one id: they are answered in their order.
        """
        self._count = 0
        self._answers: list[tuple[int, str, tuple[Other, ...]]] = []

    def messages(self, messages: Iterable[Message]) -> Iterator[Message]:
        for index, message in enumerate(messages):
            path = f"/{index}"
            for result in message.results:
                self._answer(result, path)
            if message.results and len(message.results) == len(message.parts):
                continue
            yield from self._answered()
            yield self._message(message, path)
        yield from self._answered()

    def _message(self, message: Message, path: str) -> Message:
        parts = tuple(part for part in message.parts if not isinstance(part, ToolResult))
        if message.role != "assistant":
            return replace(
                message, role="user" if message.role == "tool" else message.role, parts=parts
            )
        text = joined(self._prose(message, path), self._calls(message, path))
        return replace(message, parts=(*message.thoughts, Text(text)), extra=_kept(message))

    def _prose(self, message: Message, path: str) -> str:
        texts: list[str] = []
        for part in message.content:
            if isinstance(part, Text):
                texts.append(part.text)
            else:
                texts.append(f"[{part.kind}]")
                self._depart(path, f"a part of the assistant is named only: {part.kind}")
        prose = "".join(texts)
        if is_like_frame(prose):
            self._depart(path, "a line of prose that begins like a frame is quoted", Code.FRAME)
        return quoted(prose)

    # --- calls ----------------------------------------------------------------------------------

    def _calls(self, message: Message, path: str) -> str:
        self._called |= {call.id: deque() for call in message.calls}
        for call in message.calls:
            self._count += 1
            self._called[call.id].append((self._count, call.name))
        sigil = self._sigil or bool(message.content)
        try:
            calls = [call.call for call in message.calls]
            return encode(calls, self._tools, form=self._form, sigil=sigil)
        except (ConversionError, EncodeError):
            return "\n".join(self._call(call, path, sigil=sigil) for call in message.calls)

    def _call(self, call: ToolCall, path: str, *, sigil: bool) -> str:
        try:
            plain = Call(call.name, {"input": call.written}) if call.custom else call.call
        except ConversionError as error:
            self._depart(path, f"a call as a line of JSON: {error}", error.code)
            return self._clean(_as_line(call), path)
        try:
            return encode(plain, self._tools, form=self._form, sigil=sigil)
        except EncodeError as error:
            problem = error
        try:
            written = encode(plain, sigil=sigil)
        except EncodeError as error:
            self._depart(path, f"a call as a line of JSON: {error}", error.code)
            return self._clean(_as_line(call), path)
        self._depart(path, f"a call without its layout: {problem}", problem.code)
        return written

    # --- answers --------------------------------------------------------------------------------

    def _answer(self, result: ToolResult, path: str) -> None:
        """Keep the frame of an answer until those of its turn are together."""
        # Without an id it is of the last call without one, unless it says whose it is, or is an
        # error of none.
        by_id = result.call_id is not None or not (result.name or result.is_error)
        calls = self._called.get(result.call_id) if by_id else None
        order, name = calls[0] if calls else (self._count + 1, result.name or "")
        if calls and len(calls) > 1:
            calls.popleft()
        if not name and not result.is_error:
            self._depart(path, "an answer to no call", Code.PAIRING)
            name = _NOBODY
        others = tuple(part for part in result.parts if isinstance(part, Other))
        text = result.text
        value: JSON = text if result.is_error else read_value(text)
        if others and not text:
            value = f"[{', '.join(part.kind for part in others)}]"
        try:
            frame = write_answer(name, value, self._tools, is_error=result.is_error)
        except EncodeError as error:
            self._depart(path, f"an answer as a text: {error}", error.code)
            name, text = FORBIDDEN.sub("\ufffd", name), FORBIDDEN.sub("\ufffd", text)
            frame = write_answer(name, text, self._tools, is_error=result.is_error)
        self._answers.append((order, frame, others))

    def _answered(self) -> Iterator[Message]:
        """Get the answers of a turn."""
        answers = sorted(self._answers, key=lambda each: each[0])
        self._answers = []
        if answers and self._results == "user":
            text = Text("\n".join(frame for _, frame, _ in answers))
            yield Message("user", (text, *(other for *_, others in answers for other in others)))
        elif answers:
            for _, frame, others in answers:
                yield Message("tool", (ToolResult((Text(frame), *others)),))

    def _clean(self, text: str, path: str) -> str:
        """Get a text without characters that none may have."""
        if not FORBIDDEN.search(text):
            return text
        self._depart(path, "a character that no text may have is U+FFFD", Code.CHARACTER)
        return FORBIDDEN.sub("\ufffd", text)

    def _depart(self, path: str, msg: str, code: Code | None = None) -> None:
        self.departures.append(Departure(path, msg, code))


def _as_line(call: ToolCall) -> str:
    """Get a call as it came, in JSON: no line of it is a frame."""
    return minified({"name": call.name, "arguments": call.given})
