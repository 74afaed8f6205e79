"""Read frames (§4), which are calls and results.

Theory of operation. Strings and streams are read by the same strict reader. Each function takes a
text and a position, and returns a value and the position after the value. The reader for a type is
created once (`_values`, `tagged`). It also takes the container of the value: the group of values
(`_groups`) or the frame that contains the value.

*Stopping.* An error raises `Wrong`, with a code and a position. `More` is raised if an `Open` text
ends where the next character matters. Only code that reaches the end of the text checks whether the
text is open. Nothing else differs between a string and a stream.

*Resuming.* A container keeps its certain values: those whose next character has been read. So the
innermost container and a position are enough to resume when more text arrives. That container
continues at the position, and passes its result to the container above, up to the frame. At most
one element of one group is read again: a key, or a word or string with its key. A long word or
string is not read again while `More.skips` returns that the next piece of text only continues it.

*Reading past errors.* A value that the schema does not allow can still be read. `Wrong.then` reads
the value, and reading continues at its container. So `find_errors` finds all errors in one pass.

*Positions* count from the start of the text being read. A stream reads only new text, so after an
error it reads the frame again to find the position.

When a whole string is decoded, `_fast_reader` reads most lines instead of this module.
"""

from collections import deque
from functools import cache, partial
from typing import Any

from lton._syntax import ANSWERS, FINGERPRINT_DIGITS, HEX, NAME, NO_CALL, REPEAT, RESULT, SIGILS
from lton.codec._checks import check_value
from lton.codec._groups import TypeReader, call_start
from lton.codec._lexemes import read_name
from lton.codec._members import MemberReaders, Members, Pairs, Row
from lton.codec._stops import (
    ABSENT,
    UNREAD,
    Container,
    DeltaWriter,
    More,
    Open,
    PositionFinder,
    ReadState,
    Watcher,
    Wrong,
    make_unexpected_character_stop,
)
from lton.codec._values import make_reader_of_type, read_untyped
from lton.codec.tagged import TaggedCall, make_atom_reader
from lton.errors import Code, EncodeError, pointer
from lton.events import Event
from lton.schema.toolset import ToolSet
from lton.schema.types import ANY, FREE, JSON, Call, Result, Tool


class Frame(Container):
    """A frame that is being read.

    `above` is the previous call, and `events` collects the certain events.
    """

    start = 0
    name = ""  # the tool's name, set when the call begins
    answer = ""  # the sigil, if the frame is an answer
    is_wrong = False  # whether reading continued after an error

    def __init__(
        self,
        tools: ToolSet | None,
        above: Call | None,
        events: deque[Event] | None = None,
        *,
        deltas: bool = False,
    ) -> None:
        self.tools = tools
        self.above = above
        self.events = events
        self.sink: Watcher | None = None
        if deltas and events is not None:
            self.sink = DeltaWriter(events)
        self.tool: Tool | None = None

    def run(self, src: str, pos: int, value: Any = UNREAD) -> tuple[Call | Result, int]:
        """Read the frame and the newline at its end (R-401, R-426)."""
        if value is UNREAD:
            self.start = pos
            value, pos = self._read_from(src, pos)
        frame = (
            value if isinstance(value, Call | Result) else self._make_frame_value(src, pos, value)
        )
        end = src[pos : pos + 1]
        if end != "\n" and (end or type(src) is Open):
            stop = make_unexpected_character_stop(src, pos, "the end of the line")
            stop.container = self
            stop.at = pos
            stop.value = frame
            raise stop
        return frame, pos + len(end)

    def _read_from(self, src: str, pos: int) -> tuple[JSON, int]:
        sigil = _read_sigil(src, pos) if src.startswith("!", pos) else ""
        if sigil in ANSWERS:
            return self._read_result(src, pos + len(sigil), sigil)
        name, tool, pos = self._read_called_name(src, pos + len(sigil), sigil)
        after = _read_char_after_name(src, pos)
        has_groups = sigil and after == "\n"
        if tool is None and not (has_groups or after == "{"):
            raise _schemaless_error(self.start)
        if self.events is not None and not self.name:
            self.events.append(call_start((name,)))
        self.name = name
        self.tool = tool
        if has_groups and pos + 1 == len(src) and type(src) is Open:
            raise More
        arguments = self._arguments_reader(has_groups and src.startswith("(", pos + 1), after)
        if after == " ":
            if src[pos + 1 : pos + 2] in ("", "\n"):
                _check_first(src, pos + 1, arguments)
            return arguments.run(src, pos + 1, UNREAD)
        pos += 2 if arguments.is_tagged else after in ("(", "{")
        return arguments.run(src, pos)

    def _read_result(self, src: str, pos: int, sigil: str) -> tuple[JSON, int]:
        """Read a result after its sigil (R-426, R-427)."""
        self.answer = sigil
        if sigil != NO_CALL:
            self.name, _, pos = self._read_head(src, pos)
            if src[pos : pos + 1] != " ":
                raise make_unexpected_character_stop(src, pos, "a space after the name")
            pos += 1
        return read_untyped(ANY).read(src, pos, self)

    def _read_called_name(self, src: str, pos: int, sigil: str) -> tuple[str, Tool | None, int]:
        """Read the name of a tool, or `&`, which means the tool of the previous call (R-404)."""
        if pos == len(src) and type(src) is Open:
            raise More
        if sigil or not src.startswith(REPEAT, pos):
            return self._read_head(src, pos)
        if self.above is None:
            raise Wrong(Code.REPEAT, "no call above to repeat", pos)
        if self.tools is None:
            raise _schemaless_error(pos)
        return self.above.name, self.tools.by_name.get(self.above.name), pos + 1

    def _arguments_reader(self, is_tagged: object, after: str) -> Members:
        """Return the reader for the form of the arguments."""
        arguments: Members
        if is_tagged:
            arguments = TaggedCall(self, self._find_member_readers(make_atom_reader))
        elif after == "{":
            arguments = MapCall(
                "}",
                self._find_member_readers(read_untyped) or _make_readers_of_untyped_maps(),
                self,
            )
        elif layout := self._find_member_readers(make_reader_of_type):
            arguments = Row(")" if after == "(" else "\n", layout, self)
        else:
            raise _schemaless_error(self.start)
        arguments.events = self.events
        arguments.watcher = self.sink
        arguments.depth = 0
        arguments.in_call = after == "("
        return arguments

    def _find_member_readers(self, reader: TypeReader) -> MemberReaders | None:
        tool = self.tool
        tools = self.tools
        if tool is None or tools is None:
            return None
        cache = tools._derived.members
        layout = cache.get((reader, tool.name))
        if layout is None:
            layout = cache[reader, tool.name] = MemberReaders(tool.args, reader)
        return layout

    def _make_frame_value(self, src: str, pos: int, value: Any) -> Call | Result:
        if self.answer:
            return Result(self.name, value, self.answer != RESULT)
        call = Call(self.name, value)
        tool = self.tool
        if tool and tool.check and not self.is_wrong and (breach := tool.check(value)):
            at = self._find_position(src, breach.path)
            at = pos if at is None else at
            stop = Wrong(breach.code, breach.msg, at, then=lambda: (call, pos))
            stop.path = pointer(breach.path)
            raise stop
        return call

    def _find_position(self, src: str, path: tuple[str | int, ...]) -> int | None:
        """Read the arguments again to find where the value at a path begins.

        A stream keeps no text from the start of the frame. It reads the frame again after an error.
        """
        if not path or self.events is not None:
            return None
        again = Frame(self.tools, self.above)
        again.sink = finder = PositionFinder(path)
        again._read_from(src, self.start)
        return finder.position

    @property
    def is_call(self) -> bool:
        return bool(self.name) and not self.answer

    def _read_head(self, src: str, pos: int) -> tuple[str, Tool | None, int]:
        """Read the name of a tool and, if present, its fingerprint (R-303, R-406)."""
        match = NAME.match(src, pos)
        if match and match.end() < len(src):
            text = match[0]
            end = match.end()
        else:
            text, end = read_name(src, pos, "the name of a tool")
            if not text:
                msg = "expected the name of a tool, found an empty one"
                raise Wrong(Code.SYNTAX, msg, pos)
        tool = None if self.tools is None else self.tools.by_text.get(text)
        if tool is None and self.tools is not None:
            raise Wrong.make_undeclared_name(Code.TOOL, "tool", text, self.tools.by_text, pos)
        if src[end : end + 1] == "#":
            end = self._read_fingerprint(src, end, tool)
        return tool.name if tool else text, tool, end

    def _read_fingerprint(self, src: str, pos: int, tool: Tool | None) -> int:
        """Check the fingerprint after the name of a tool (R-406)."""
        expected = self.tools.fingerprint_of(tool) if self.tools is not None and tool else ""
        match = HEX.match(src, pos + 1)
        end = match.end() if match else pos + 1
        if end == len(src) and type(src) is Open:
            raise More(pos + 1, HEX.fullmatch if match else None)
        digits = src[pos + 1 : end]
        if len(digits) < FINGERPRINT_DIGITS:
            raise make_unexpected_character_stop(
                src, end, f"a fingerprint of {FINGERPRINT_DIGITS} digits"
            )
        if expected and not digits.startswith(expected) and not self.is_wrong:
            msg = f"expected the layout {expected}, found {digits[:FINGERPRINT_DIGITS]}"
            raise Wrong(Code.FINGERPRINT, msg, pos, then=lambda: self._read_from(src, self.start))
        if len(digits) > FINGERPRINT_DIGITS:
            raise make_unexpected_character_stop(
                src, pos + 1 + FINGERPRINT_DIGITS, "a space or '(' after the name"
            )
        return end


_AFTER_NAME = frozenset(["", " ", "(", "{", "\n"])


class MapCall(Pairs):
    """A call whose arguments are a map, so that it can be read without the tool (R-431)."""

    def store_and_read_separator(self, src: str, pos: int, value: Any) -> tuple[Any, int]:
        if not isinstance(value, ReadState):
            self._check_arguments_fit(pos, value)
        return super().store_and_read_separator(src, pos, value)

    def _check_arguments_fit(self, pos: int, value: JSON) -> None:
        """Check that a parameter allows a value (R-432)."""
        node = self.layout.members.find_type(str(self.step))
        if node is None or node is ANY:
            return
        try:
            check_value(value, node)
        except EncodeError as error:
            then = partial(self._read_past_error, pos, value)
            wrong = Wrong(error.code, error.msg, self.value_at, then=then)
            wrong.path = pointer(self.path) + error.path
            raise wrong from None

    def _read_past_error(self, pos: int, value: JSON) -> tuple[Any, int]:
        self.values[str(self.step)] = value
        return ABSENT, pos


@cache
def _make_readers_of_untyped_maps() -> MemberReaders:
    return MemberReaders(FREE, read_untyped)


def _read_sigil(src: str, pos: int) -> str:
    for sigil in SIGILS:
        if src.startswith(sigil, pos):
            return sigil
    start = src[pos : pos + len(max(SIGILS, key=len))]
    if any(sigil.startswith(start) for sigil in SIGILS):
        raise make_unexpected_character_stop(src, len(src), "a sigil")
    raise make_unexpected_character_stop(src, pos, f"one of {', '.join(map(repr, SIGILS))}")


def _read_char_after_name(src: str, pos: int) -> str:
    after = src[pos : pos + 1]
    may_follow = after in _AFTER_NAME and not (after == "{" and src[pos - 1] == REPEAT)
    if not may_follow or (not after and type(src) is Open):
        raise make_unexpected_character_stop(src, pos, "a space or '(' after the name")
    return after


def _check_first(src: str, pos: int, row: Members) -> None:
    """Raise an error if no argument follows the first space (R-403)."""
    if pos == len(src) and type(src) is Open:
        return
    if pos == len(src) and not row.has_room():
        raise Wrong(Code.SURPLUS, "no further argument is allowed here", pos)
    raise make_unexpected_character_stop(src, pos, "another value after the separator")


def _schemaless_error(start: int) -> Wrong:
    msg = "without tools, only a name and a map, or the tagged form, can be read"
    return Wrong(Code.SCHEMALESS, msg, start)
