"""Frames and values (§3, §4), read with the schema at hand.

Theory of operation. The type of a position is known before anything is read there, so the first
character of a lexeme chooses the reader and the type decides what a bare word means. A reader
leaves the position behind what it has read. Where text runs out, the beginning of a lexeme is
judged: if no continuation of it can be right, the error comes now and not with the rest (R-71).
"""

from functools import partial

from lton._syntax import (
    ARGUMENT,
    ATOM_HEAD,
    BARE,
    ERROR,
    FINGERPRINT_DIGITS,
    HEX,
    LITERALS,
    MAX_DEPTH,
    MAX_DIGITS,
    NAME,
    REPEAT,
    RESULT,
    SIGILS,
    SKIP,
    VALUE,
    WORD,
    begins_some,
    read_number,
)
from lton.codec._compiled_reader import LineReader
from lton.codec._members import Row
from lton.codec._source import Pattern, Perhaps, Reading, Viable
from lton.codec.events import Answer, Argument, CallEnd, CallStart
from lton.codec.tagged import TaggedReader
from lton.errors import Code, DecodeError, pointer
from lton.schema.toolset import ToolSet
from lton.schema.types import ANY, FREE, JSON, Call, Object, Result, Tool, Type


class Reader(TaggedReader):
    """Reads frames, one after the other, of a text that may still be coming."""

    def __init__(
        self,
        tools: ToolSet | None,
        text: str = "",
        *,
        pos: int = 0,
        ended: bool = False,
        above: Call | None = None,
    ) -> None:
        super().__init__(text, pos=pos, ended=ended)
        self.tools = tools
        self.above = above
        self._lines = None if tools is None else LineReader.of(tools)

    # --- frames ---------------------------------------------------------------------------------

    def frame(self) -> Reading[None]:
        """R-40, R-44: one frame and the newline behind it."""
        self.path.clear()
        self.starts = {}
        start = self.start = self.at
        sigil = ""
        if (yield from self.peek()) == "!":
            sigil = yield from self._sigil()
        event: CallEnd | Answer
        if sigil in (RESULT, ERROR):
            event = yield from self._answer(is_error=sigil == ERROR)
        else:
            event = yield from self._call(start, has_sigil=bool(sigil))
        end = yield from self.peek()
        if end not in ("", "\n"):
            raise self.unexpected("the end of the line")
        self.pos += len(end)
        yield event

    def _sigil(self) -> Reading[str]:
        while True:
            for sigil in SIGILS:
                if self.text.startswith(sigil, self.pos):
                    self.pos += len(sigil)
                    return sigil
            found = self.text[self.pos : self.pos + len(max(SIGILS, key=len))]
            if not any(sigil.startswith(found) for sigil in SIGILS):
                raise self.unexpected(f"one of {', '.join(map(repr, SIGILS))}")
            if self.ended:
                raise self.unexpected("a sigil", self.base + len(self.text))
            yield None

    def _answer(self, *, is_error: bool) -> Reading[Answer]:
        """R-44: the name of a tool, a space, and a value without a schema."""
        name, _ = yield from self._head()
        if (yield from self.peek()) != " ":
            raise self.unexpected("a space behind the name")
        self.pos += 1
        value = yield from self._value(ANY, 0)
        return Answer(Result(name, value, is_error))

    def _call(self, start: int, *, has_sigil: bool) -> Reading[CallEnd]:
        if self.tools is None and not has_sigil and not self.ended:
            raise self._schemaless(start)
        if (yield from self.peek()) == REPEAT and not has_sigil:
            if self.above is None:
                raise self.error(Code.REPEAT, "no call above to repeat", start)
            self.pos += 1
            name, members = self.above.name, self._members_of(self._tool(self.above.name))
        else:
            name, members = self._quick_head() or (yield from self._head())
        behind = yield from self.peek()
        if behind not in ("", " ", "(", "\n"):
            raise self.unexpected("a space or '(' behind the name")
        if members is None and not (has_sigil and behind == "\n"):
            raise self._schemaless(start)
        yield CallStart(name)
        errors_before = len(self.errors or ())
        if has_sigil and behind == "\n" and (yield from self.peek(1)) == "(":
            self.pos += 1
            arguments = yield from self.tagged(members)
        elif members is None:
            raise self._schemaless(start)
        else:
            arguments = yield from self._arguments(behind, members)
        if len(self.errors or ()) == errors_before:
            self._check(name, arguments)
        self.above = Call(name, arguments)
        return CallEnd(self.above)

    def _check(self, name: str, arguments: dict[str, JSON]) -> None:
        """R-35: the schema allows the arguments, and not the layout alone."""
        tool = self._tool(name)
        if tool and tool.check and (breach := tool.check(arguments)):
            at = self.starts[breach.path[0]] if breach.path else self.at
            error = self.error(breach.code, breach.msg, at)
            error.path = pointer(breach.path)
            self.report(error)

    def _schemaless(self, start: int) -> DecodeError:
        msg = "without tools, only the tagged form can be read"
        return self.error(Code.SCHEMALESS, msg, start)

    def _quick_head(self) -> tuple[str, Object] | None:
        """Read the name of a tool that is here whole and has no fingerprint."""
        match = self.here(NAME)
        tool = self._tool(match[0]) if match else None
        if tool is None or match is None or self.text.startswith("#", match.end()):
            return None
        self.pos = match.end()
        return tool.name, tool.args

    def _head(self) -> Reading[tuple[str, Object | None]]:
        """R-12, R-17: the name of a tool, and the fingerprint of its layout where it has one."""
        start = self.at
        known = None if self.tools is None else self.tools.by_name
        viable: Viable | None = None
        if known is not None:
            viable = lambda part, spelling: begins_some(part, known, spelling)  # noqa: E731
        name = yield from self.name("the name of a tool", viable)
        if not name:
            raise self.error(Code.SYNTAX, "expected the name of a tool, found an empty one", start)
        tool = self._tool(name)
        if known is not None and tool is None:
            raise self.unknown(Code.TOOL, "tool", name, known, start)
        if (yield from self.peek()) == "#":
            yield from self._fingerprint(tool)
        return name, self._members_of(tool)

    def _tool(self, name: str) -> Tool | None:
        return None if self.tools is None else self.tools.by_name.get(name)

    def _members_of(self, tool: Tool | None) -> Object | None:
        return None if tool is None else tool.args

    def _fingerprint(self, tool: Tool | None) -> Reading[None]:
        """R-17: the fingerprint of the layout that the call was written for, from its `#` on."""
        start = self.at
        self.pos += 1
        expected = self.tools.fingerprint_of(tool) if self.tools is not None and tool else None
        viable: Viable | None = None
        if expected:
            viable = lambda part, _: expected.startswith(part)  # noqa: E731
        found = yield from self.run(HEX, viable)
        if len(found) < FINGERPRINT_DIGITS:
            raise self.unexpected(f"a fingerprint of {FINGERPRINT_DIGITS} digits")
        if expected and not found.startswith(expected):
            msg = f"expected the layout {expected}, found {found[:FINGERPRINT_DIGITS]}"
            self.report(self.error(Code.FINGERPRINT, msg, start))
        if len(found) > FINGERPRINT_DIGITS:
            raise self.unexpected("a space or '(' behind the name", start + 1 + FINGERPRINT_DIGITS)

    # --- arguments ------------------------------------------------------------------------------

    def _arguments(self, behind: str, members: Object) -> Reading[dict[str, JSON]]:
        """R-41: behind the name: nothing, `(` arguments `)`, or a space and arguments."""
        self.pos += behind in ("(", " ")
        if behind == " ":
            may_come = Row(members).has_room
            if (yield from self.peek(may_come=may_come)) in ("", "\n"):
                raise self.nothing_behind_separator(Row(members))
        return (yield from self._members(members, ")" if behind == "(" else "\n", 0))

    def _members(self, members: Object, closer: str, depth: int) -> Reading[dict[str, JSON]]:
        """R-14: arguments up to the closer: by position, then by key."""
        row = Row(members)
        more = not (yield from self.ends(closer))
        while more:
            start = self.at
            name = self._quick_member(row, depth)
            if name is None:
                name = yield from self._member(row, depth)
            yield from self.check_behind(closer)
            self.path.pop()
            if not depth and name in row.values:
                self.starts[name] = start
                yield Argument(name, row.values[name])
            more = self.skip_separator() or (yield from self.to_next(closer, row))
        self.require_all(row)
        self.pos += closer == ")"
        return row.values

    def _quick_member(self, row: Row, depth: int) -> str | None:
        """Read an argument of a common kind that is here whole, as `_member` would."""
        match = self.here(ARGUMENT)
        if match is None or self._lines is None or depth > _MAX_QUICK_DEPTH:
            return None
        key, lexeme = match.groups()
        param = row.members.by_name.get(key) if key else row.next
        if param is None or param.name in row.values or lexeme == SKIP:
            return None
        value = self._lines.value(param.type, lexeme)
        if value is ...:
            return None
        if key:
            row.keyed = True
        else:
            row.index += 1
        row.values[param.name] = value
        self.path.append(param.name)
        self.pos = match.end()
        return param.name

    def _member(self, row: Row, depth: int) -> Reading[str]:
        """Read an argument, or the `_` that stands for it; get its name.

        The name stays on the path, for what follows.
        """
        start = self.at
        first = yield from self.peek()
        lexeme = ""
        if first in _QUOTES:
            lexeme = yield from self._string_or_key(row, start)
        elif first not in _GROUPS:
            lexeme = yield from self._word_or_key(row)
        could_be_key = first in _QUOTES or NAME.fullmatch(lexeme)
        may_come = first not in _QUOTES or row.takes(lexeme)
        if could_be_key and (yield from self.peek(may_come=may_come)) == "=":
            self.pos += 1
            row.keyed = True
            node = self.by_key(row, lexeme, start)
            self.path.append(lexeme)
            row.values[lexeme] = yield from self._value(node, depth)
            return lexeme
        param = self.by_position(row, start)
        is_skipped = lexeme == SKIP == first
        if is_skipped:
            self.skip(param, start)
        self.path.append(param.name)
        if first in _GROUPS:
            row.values[param.name] = yield from self._group(first, param.type, depth)
        elif not is_skipped:
            value = yield from self._meaning(lexeme, first, param.type, start)
            row.values[param.name] = value
        return param.name

    def _word_or_key(self, row: Row) -> Reading[str]:
        param = row.next
        node = param.type if param else None

        def viable(part: str, spelling: Pattern | None) -> bool:
            may_skip = part == SKIP and param is not None and not param.required
            may_be_key = row.may_be_key(part, spelling)
            return may_be_key or may_skip or (node is not None and node.may_begin(part))

        word = yield from self.run(NAME, viable)
        if (ATOM_HEAD.match(word) and word[0] == "s") or (yield from self.peek()) == "=":
            return word
        return (yield from self._rest_of_word(word, node))

    def _string_or_key(self, row: Row, start: int) -> Reading[str]:
        param = row.next
        node = param.type if param else None

        def viable(part: str, spelling: Pattern | None) -> bool:
            may_be_key = row.may_be_key(part, spelling)
            return may_be_key or (node is not None and node.may_hold(part, spelling))

        try:
            return (yield from self._string(viable))
        except DecodeError as error:
            # No key can be made of it. If it could not have been a value either, say that.
            param = self.by_position(row, start)
            self.path.append(param.name)
            if param.type.string is None:
                raise self.refused(Code.TYPE, param.type.noun, start) from None
            error.path = self.pointer
            raise

    # --- values ---------------------------------------------------------------------------------

    def _quick_value(self, node: Type, depth: int) -> Perhaps:
        match = self.here(VALUE)
        if match is None or self._lines is None or depth > _MAX_QUICK_DEPTH:
            return ...
        value = self._lines.value(node, match[0])
        if value is not ...:
            self.pos = match.end()
        return value

    def _value(self, node: Type, depth: int) -> Reading[JSON]:
        start = self.at
        first = yield from self.peek()
        if first in _GROUPS:
            return (yield from self._group(first, node, depth))
        if first in _QUOTES:
            if node.string is None:
                self.report(self.refused(Code.TYPE, node.noun, start))
                node = ANY
            lexeme = yield from self._string(node.may_hold)
        else:
            lexeme = yield from self.run(NAME, lambda part, _: node.may_begin(part))
            if not (ATOM_HEAD.match(lexeme) and first == "s"):
                lexeme = yield from self._rest_of_word(lexeme, node)
        return (yield from self._meaning(lexeme, first, node, start))

    def _rest_of_word(self, word: str, node: Type | None) -> Reading[str]:
        def viable(part: str, _: Pattern | None) -> bool:
            return node is not None and node.may_begin(word + part)

        return word + (yield from self.run(WORD, viable))

    def _string(self, viable: Viable) -> Reading[str]:
        if self.text[self.pos] == "`":
            return (yield from self.fenced(viable))
        return (yield from self.quoted(viable))

    def _meaning(self, lexeme: str, first: str, node: Type, start: int) -> Reading[JSON]:
        """Get the value that begins with `first`; `lexeme` is what has been read of it."""
        value: JSON = lexeme
        if first in _QUOTES or (first == "s" and ATOM_HEAD.match(lexeme)):
            if node.string is None:
                self.report(self.refused(Code.TYPE, node.noun, start))
                node = ANY
            if first == "s":
                _, length = yield from self.length(lexeme, start)
                viable = partial(node.may_hold, length=length)
                value = yield from self.counted(length, viable)
        else:
            value, node = self._word(lexeme, node, start)
        if refusal := node.refuse(value):
            self.report(self.refused(*refusal, start))
        return value

    def _word(self, word: str, node: Type, start: int) -> tuple[JSON, Type]:
        """R-21: what a bare word means is for the type to say. ANY where it was reported."""
        if not word:
            raise self.unexpected(node.noun)
        if node.takes_bare(word):
            if node.string is None:
                self.report(self.refused(Code.TYPE, node.noun, start))
                return word, ANY
            if not BARE.fullmatch(word):
                error = self.refused(Code.SYNTAX, node.noun, start)
                error.hint = "a word that begins with `_`, or with `s` and a digit, is quoted"
                raise error
            return word, node
        if word in LITERALS:
            return LITERALS[word], node
        if len(word) > MAX_DIGITS:
            raise self.too_many_digits(start)
        number = read_number(word)
        if number is None:
            self.report(self.refused(Code.NUMBER, "an integer or a finite double", start))
            return 0, ANY
        return number, node

    def _group(self, opener: str, node: Type, depth: int) -> Reading[JSON]:
        """R-28, R-29: an array, a record or a map."""
        start = self.at
        self.check_depth(depth)
        members = node.object
        is_other = members is None or members.is_map != (opener == "{")
        if node.array is None if opener == "[" else is_other:
            self.report(self.refused(Code.TYPE, node.noun, start))
            node = ANY
        self.pos += 1
        value: JSON
        if opener == "[":
            value = yield from self.items(self._quick_value, self._value, node.item_type, depth + 1)
        elif opener == "(":
            value = yield from self._members(node.object or FREE, ")", depth + 1)
        else:
            value = yield from self.pairs(
                self._quick_value, self._value, node.object or FREE, depth + 1
            )
        if refusal := node.refuse(value):
            self.report(self.refused(*refusal, start))
        return value


_MAX_QUICK_DEPTH = MAX_DEPTH - 3
"""Groups nest three deep in a lexeme."""
_QUOTES = frozenset("\"'`")
_GROUPS = frozenset("[({")
