"""The common case of a stream: calls of plain arguments by position, a line each, in small chunks.

A generator reads it, because local variables are the cheapest state between two chunks. It
reports what is certain, and asks for more only where what has come is the beginning of something
right. Whatever else comes is left to the readers of `_frames`, which know the whole format and
say what is wrong: they get the call as far as it is read, as places that are gone on from.
"""

from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Generator
from typing import Any, NamedTuple, TypeAlias

from lton._syntax import ENDS_VALUE, NEXT_VALUE, REPEAT
from lton.codec._frames import Frame, Layouts
from lton.codec._groups import GAP, argument, call_end, call_start
from lton.codec._members import MemberReaders, Row
from lton.codec._stops import UNREAD
from lton.codec._values import reader
from lton.events import Event
from lton.schema.types import JSON, Call

_MOST = 400
"""Characters of a call that are kept in one piece."""


class Left(NamedTuple):
    """What is left to others: a call of which `at` characters are read, and how to go on there."""

    text: str
    at: int = 0
    frame: Frame | None = None
    place: Row | None = None
    value: Any = UNREAD


_Reading: TypeAlias = Generator[Left | None, str, str | Left]
_Send: TypeAlias = Callable[[str], Left | None]
"""Takes the next piece, an empty one at the end; gives what is left, None if nothing is."""


class PlainCalls:
    """Reads such calls, of which none may be longer than `most`."""

    def __init__(self, layouts: Layouts, events: deque[Event], most: int) -> None:
        self._layouts = layouts
        self._events = events
        self.most = min(most, _MOST)
        self.above: Call | None = None
        """The last call, whoever has read it."""
        self.lines = self.size = 0
        """How many calls were read since this was set, and their characters."""

    def sender(self) -> _Send:
        """Begin to read; nothing here knows who reads, or both would live in a circle."""
        reading = self._calls()
        next(reading)
        return reading.send

    def _calls(self) -> Generator[Left | None, str, None]:
        names = self._layouts.bare_names.ordered
        layouts: dict[str, MemberReaders] = {}
        text = yield None
        while True:
            if not text:
                text = yield None
                continue
            # The first of the names that begin with the text, as long as there is one.
            name = REPEAT if self.above is not None else ""
            while True:
                if not name.startswith(text):
                    at = bisect_left(names, text)
                    name = names[at] if at < len(names) else ""
                    if not name.startswith(text):
                        break
                piece = yield None
                text += piece
                if not piece or len(text) > self.most:
                    break
            end = max(0, text.find(" "))
            name = self.above.name if text[:end] == REPEAT and self.above else text[:end]
            layout = layouts.get(name) or self._layout(name)
            if layout is None or len(text) > self.most:
                text = yield Left(text)
                continue
            layouts[name] = layout
            left = yield from self._arguments(name, layout, text, end + 1)
            if isinstance(left, Left):
                text = yield left
            elif "\n" in left:
                text = yield Left(left)
            else:
                text = left

    def _layout(self, name: str) -> MemberReaders | None:
        """Get the parameters of a tool if the first may be plain, and nothing else is checked."""
        tool = self._layouts.tools.by_name.get(name)
        layout = self._layouts.layout(tool, reader) if tool and not tool.check else None
        return layout if layout and layout.plains[0] else None

    def _arguments(  # noqa: C901 - one loop
        self, name: str, layout: MemberReaders, text: str, pos: int
    ) -> _Reading:
        """Read the arguments of a call; get the text after it, or what is left of it."""
        plains, events, most = layout.plains, self._events, self.most
        events.append(call_start((name,)))
        values: dict[str, JSON] = {}
        value = UNREAD
        while len(text) <= most and (plain := plains[len(values)]) is not None:
            whole, value_of, part, step = plain
            match = whole(text, pos)
            if match is None or (end := match.end()) == len(text):
                skips = part(text, pos)
                if skips is None:
                    break
                piece = yield None
                while piece and skips(piece) and len(text) + len(piece) <= most:
                    text += piece
                    piece = yield None
                text += piece
                if not piece:
                    break
                continue
            after = text[end]
            if after not in _ENDS and after in ENDS_VALUE:
                break
            try:
                found = value_of(match[1])
            except KeyError:
                break
            assert step is not None  # it has a parameter
            values[step] = found
            events.append(argument((step, found)))
            pos = end
            if after not in _ENDS:
                continue
            value = GAP
            if after == "\n":
                if len(values) < layout.needed:
                    break
                self.above = call = Call(name, values)
                events.append(call_end((call,)))
                self.lines += 1
                self.size += end + 1
                return text[end + 1 :]
            if end + 1 < len(text) or plains[len(values)] is None:
                break
            text += yield None
            match = NEXT_VALUE.match(text, end)
            if match is None:
                break
            pos, value = match.end(), UNREAD
        frame = Frame(self._layouts, None, events)
        return Left(text, pos, frame, frame.row(name, layout, values), value)


_ENDS = frozenset(" ,\n")
