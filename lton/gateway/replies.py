"""What a model says, as a client is to see it: stop texts in prose only, an answer as content."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Self

from lton.chat import (
    ArgumentsDelta,
    ContentDelta,
    Delta,
    Finish,
    Reader,
    ThoughtDelta,
    ToolCall,
    ToolCallEnd,
    ToolCallStart,
)
from lton.errors import LTONError
from lton.gateway.requests import Asked
from lton.lenient import Repair


@dataclass(kw_only=True)
class Said:
    """One choice of an answer that does not stream."""

    content: str = ""
    thoughts: str = ""
    calls: list[ToolCall] = field(default_factory=list)
    reason: str = "stop"

    @classmethod
    def of(cls, deltas: Iterable[Delta]) -> Self:
        """Get what the deltas of a stream come to. A call that has no end is left out.

        >>> Said.of([ContentDelta("a"), ContentDelta("b"), Finish("stop", None)]).content
        'ab'
        """
        said = cls()
        content, thoughts = list[str](), list[str]()
        for delta in deltas:
            match delta:
                case ContentDelta(text):
                    content.append(text)
                case ThoughtDelta(text):
                    thoughts.append(text)
                case ToolCallEnd(_, call):
                    said.calls.append(call)
                case Finish(reason):
                    said.reason = reason
        said.content, said.thoughts = "".join(content), "".join(thoughts)
        return said


class Stops:
    """Find the texts that end an answer, in prose that comes in pieces.

    The upstream is not sent them: it would find them in values, too, and cut those.

    >>> stops = Stops(("Observation:",))
    >>> stops.feed("Yes. Obs"), stops.feed("ervation: none"), stops.found
    ('Yes. ', '', True)
    """

    def __init__(self, texts: tuple[str, ...]) -> None:
        self.texts = texts
        self.held = ""
        self.found = False

    def feed(self, text: str) -> str:
        """Get the text that is before any stop, as far as that is known.

        Of several the one that ends first counts, as where a model is stopped when it wrote one.
        """
        self.held += text
        found = [(at + len(each), at) for each in self.texts if (at := self.held.find(each)) >= 0]
        if found:
            self.found, said, self.held = True, self.held[: min(found)[1]], ""
            return said
        longest = max((len(each) - 1 for each in self.texts), default=0)
        for size in range(min(longest, len(self.held)), 0, -1):
            tail = self.held[-size:]
            if any(each.startswith(tail) for each in self.texts):
                said, self.held = self.held[:-size], tail
                return said
        return self.flush()

    def flush(self) -> str:
        """Get what was held, since no stop can follow."""
        said, self.held = self.held, ""
        return said


class Choice:
    """One of the answers to a request: what the model says in, what its client sees out.

    `deltas` is all of that, `new` what has been added since the last time. A small model that
    calls the same again does not stop: unless it `may_repeat` itself, that call is its last.
    """

    def __init__(self, asked: Asked, *, may_repeat: bool = True) -> None:
        self.answer, self.stops = asked.answer, Stops(asked.stop)
        self.may_repeat = may_repeat
        self.called: set[tuple[str, str]] = set()
        self.is_over = False
        """Whether nothing that the model says now is given to the client."""
        self.pieces: list[str] = []
        self.deltas: list[Delta] = []
        self.written = 0
        self.answering = False

    @property
    def text(self) -> str:
        """What the model wrote."""
        return "".join(self.pieces)

    @property
    def error(self) -> LTONError | None:
        """Why no call could be read, or not all of them."""
        return None

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """What was repaired in the text."""
        return ()

    def new(self) -> Iterator[Delta]:
        """Get what has not been asked for yet."""
        start, self.written = self.written, len(self.deltas)
        return iter(self.deltas[start:])

    def whole(self) -> list[Delta]:
        """Get all of them, for an answer that does not stream."""
        return self.deltas

    def see(self, deltas: Iterable[Delta]) -> None:
        """Take in what the model says, and in the end why it does not go on."""
        for delta in deltas:
            if not self.is_over or isinstance(delta, Finish):
                self.deltas += self._seen(delta)
                self.is_over = self.is_over or self.stops.found

    def _seen(self, delta: Delta) -> Iterator[Delta]:
        match delta:
            case ContentDelta(text):
                yield from _content(self.stops.feed(text))
            case ThoughtDelta():
                yield delta
            case ToolCallStart(name=name):
                yield from _content(self.stops.flush())
                self.answering = name == self.answer
                if not self.answering:
                    yield delta
            case ArgumentsDelta(_, json) if self.answering:
                yield from _content(json)
            case ArgumentsDelta():
                yield delta
            case ToolCallEnd(_, call) if not self.answering:
                self.is_over = not self.may_repeat and (call.name, call.written) in self.called
                self.called.add((call.name, call.written))
                yield delta
            case Finish(reason, error):
                yield from _content(self.stops.flush())
                if self.is_over or reason == "tool_calls":
                    called = any(isinstance(each, ToolCallStart) for each in self.deltas)
                    reason = "tool_calls" if called else "stop"
                yield Finish(reason, error)


class ReadChoice(Choice):
    """One whose model writes text, in which calls are to be read."""

    def __init__(self, asked: Asked, reader: Reader, *, may_repeat: bool = True) -> None:
        super().__init__(asked, may_repeat=may_repeat)
        self.reader = reader
        self.reason: str | None = None

    @property
    def error(self) -> LTONError | None:
        return self.reader.reply.error

    @property
    def repairs(self) -> tuple[Repair, ...]:
        found = self.reader.reply.found
        return found.repairs if found else ()

    def say(self, text: str) -> None:
        """Take in a piece of the model's text."""
        self.pieces.append(text)
        self.see(self.reader.feed(text))

    def think(self, text: str) -> None:
        """Take in a piece of a thought that the upstream has separated from the text."""
        self.deltas.append(ThoughtDelta(text))

    def close(self) -> None:
        """Take in the end; `reason` is the upstream's."""
        *deltas, end = self.reader.close(self.reason)
        self.see(deltas)
        reply = self.reader.reply
        if reply.error and not (reply.calls or reply.cut or self.is_over):
            # What no call could be read from is content; no stop is looked for in it.
            self.deltas += [*_content(self.stops.flush()), *_content(self._rest())]
        self.see([end])

    def whole(self) -> list[Delta]:
        """Get all of them for an answer that does not stream: a call that broke is text there."""
        before = self.deltas[:-1]
        reply = self.reader.reply
        is_given = any(isinstance(each, ToolCallEnd) for each in before)
        if is_given or not (reply.cut and reply.error) or reply.finish_reason == "length":
            return self.deltas
        return [*before, *_content(self._rest()), Finish("stop", reply.error)]

    def _rest(self) -> str:
        """Get what no call could be read from, on a line of its own."""
        is_after = any(isinstance(each, ContentDelta) for each in self.deltas)
        return "\n" * is_after + self.reader.reply.rest


def _content(text: str) -> Iterator[Delta]:
    if text:
        yield ContentDelta(text)
