"""Text to calls, leniently: what models really write, by a closed table of repairs.

Theory of operation. A text that can be read strictly is read strictly. Any other is searched from
left to right for places where a call can begin: a line, a tag, a brace. What stands there is read
strictly, then loosely (`_reading`, `_loose`); what the schema makes of it (`_coerce`) is written by
the encoder, which checks everything: so a repaired call is always one that LTON can write. Where
two readings fit, none is taken. A call that cannot be read is an error and costs no other: the
search goes on behind its text, never inside it, for what a string holds must not become a call.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from lton._syntax import COUNTED, FINGERPRINT, NAME, QUOTED, SIGIL, spell_name
from lton.codec._decode import decode, named
from lton.errors import Code, DecodeError, RepairCode
from lton.lenient._coerce import fold
from lton.lenient._foreign import (
    ELEMENT,
    ELEMENT_END,
    NAMED,
    CallShape,
    element_call,
    first_key,
    json_calls,
)
from lton.lenient._loose import JSON_OBJECT, Loose, Unreadable
from lton.lenient._marks import (
    ANNOUNCES,
    MARKS,
    MESSAGES,
    NEXT,
    REPEATS,
    RESUME,
    SIGILS,
    SPOT,
    TAIL,
    TICKED,
    gap_repairs,
)
from lton.lenient._reading import CallReader, Candidate, Head, is_shaped, moved
from lton.schema.toolset import ToolSet
from lton.schema.types import Call

MAX_ERRORS = 100
"""Reading ends behind so many errors: a text with more is nothing that a model wrote."""
_JSON_LIST = re.compile(r"\[\s*\{")
_BRACKETS = frozenset("{[")
_LINE_ENDS = frozenset(["", "\r", "\n"])
_BEHIND_NAME = frozenset(["", *" \t\r\n(:{#`<["])

# What tells a call from a sentence.
_TELLING = re.compile(r"[._/0-9]|[a-z][A-Z]")
"""No word of a sentence looks so."""
_ARGUMENT = re.compile(
    rf"\#|[ \t]+(?:[\"'`\u201c\[{{(]|[+-]?\d|_(?!\w)|{NAME.pattern}[ \t]*=|{COUNTED.pattern})"
)
"""An argument that no sentence begins with."""
_NOT_IN_SENTENCES = frozenset([RepairCode.BARE, RepairCode.ORDER, RepairCode.SIGIL])
"""Repairs that could make a call of a sentence, where a name is also a word."""


@dataclass(frozen=True, slots=True)
class Repair:
    """A departure from LTON that was repaired: where, and in or before which call (an index)."""

    code: RepairCode
    pos: int
    msg: str
    call: int


@dataclass(frozen=True, slots=True)
class LenientResult:
    """What a text holds: its calls in order, what was repaired, and why other calls are none."""

    calls: tuple[Call, ...] = ()
    repairs: tuple[Repair, ...] = ()
    errors: tuple[DecodeError, ...] = ()


def decode_lenient(text: str, tools: ToolSet | None = None) -> LenientResult:
    """Get the calls of a text that a model wrote, repaired where that leaves exactly one reading.

    A text that `decode` accepts gives the same calls and no repairs. Otherwise calls are found in
    prose, fences and tags, in LTON, JSON, Python's notation or elements; each departure from LTON
    is in `repairs`, with its position. A call that cannot be read is in `errors`, and the others
    are read all the same. Names that are not known, arguments that are missing and values that
    need interpretation are never repaired. Nothing is raised, whatever the text.

    >>> from lton.schema.toolset import ToolSet
    >>> tools = ToolSet.from_tools([{"name": "wait", "parameters": {"type": "object",
    ...     "properties": {"minutes": {"type": "integer"}}, "required": ["minutes"]}}])
    >>> result = decode_lenient('Sure: {"name": "wait", "arguments": {"minutes": "5"}}', tools)
    >>> result.calls
    (Call(name='wait', arguments={'minutes': 5}),)
    >>> [(repair.code.name, repair.pos) for repair in result.repairs]
    [('PROSE', 0), ('JSON', 6), ('KIND', 48)]
    """
    if tools is not None and tools.aliases:
        result = decode_lenient(text, tools.spoken)
        return replace(result, calls=tuple(named(result.calls, tools)))
    try:
        return LenientResult(tuple(decode(text, tools)))
    except DecodeError:
        search = _Search(text, tools)
        search.run()
        return search.result()


class _Search:
    """The search for calls; `spans` are their texts, with an index for those that were read."""

    def __init__(self, src: str, tools: ToolSet | None) -> None:
        self.src = src
        self.tools = tools
        self.reader = CallReader(src, tools, self._begins)
        self.calls: list[Call] = []
        self.repairs: list[tuple[int, int, RepairCode]] = []
        self.errors: list[DecodeError] = []
        self.spans: list[tuple[int, int, int | None]] = []
        self.above: str | None = None
        self.in_list = False
        self.names = tools.by_name if tools is not None else {}
        self.folded: dict[str, str | None] = {}
        for tool in tools or ():
            key = fold(tool.name)
            self.folded[key] = None if key in self.folded else tool.name
        # A model may have seen the tools' own names too.
        own_names = tools._derived.own_names if tools is not None else {}
        for alias, name in own_names.items():
            self.folded.setdefault(fold(name), alias)

    def run(self) -> None:
        """Find the calls, from left to right."""
        pos = 0
        while pos < len(self.src) and len(self.errors) < MAX_ERRORS:
            spot = SPOT.search(self.src, pos)
            if spot is None:
                break
            match = MARKS.match(self.src, spot.start())
            assert match is not None  # no marks are marks, too
            marks, start = match[0], match.end()
            pos = max(start, spot.start() + 1)
            end = self._json(spot.start()) if spot[0] in _BRACKETS else self._call(start, marks)
            while end is not None:
                pos = max(pos, end)
                end = self._following(pos)

    def _call(self, pos: int, marks: str) -> int | None:
        """Read the call that begins here, if one does: get the end of its text."""
        self.in_list = marks.rstrip().endswith("[")
        if self.src[pos : pos + 1] in _BRACKETS:
            return self._json(pos)
        if ELEMENT.match(self.src, pos):
            return self._element(pos)
        announced = ANNOUNCES.search(marks) is not None
        head = self._head(pos)
        if head is None:
            return self._unknown(pos, announced=announced)
        return self._named(head, announced=announced, ticked=TICKED.search(marks) is not None)

    def _following(self, pos: int) -> int | None:
        """Read the call that follows another on its line, or in a list."""
        match = NEXT.match(self.src, pos)
        if match is None or len(self.errors) >= MAX_ERRORS:
            return None
        head = self._head(match.end())
        if head is None or not self.src.startswith("(", head.end):
            return None
        return self._named(head, announced=True, ticked=False)

    # --- calls by name --------------------------------------------------------------------------

    def _head(self, pos: int) -> Head | None:
        """Read the name of a known tool, and the sigil that may stand before it."""
        src = self.src
        if self.above and REPEATS.match(src, pos):
            return Head(pos, "", pos + 1, pos + 1, self.above, is_exact=True)
        sigil = None if self._name(pos)[1] in self.names else SIGILS.match(src, pos)
        start = sigil.end() if sigil else pos
        notes = [(pos, RepairCode.SIGIL)] if sigil and sigil[0] != SIGIL else []
        end, word = self._name(start)
        name = self._known(word) if word and src[end : end + 1] in _BEHIND_NAME else None
        if name is None or (self.tools is None and not (sigil or is_shaped(src, end))):
            return None
        if name != word:
            notes.append((start, RepairCode.NAME))
        mark = FINGERPRINT.match(src, end)
        known = mark and self.tools and self.tools.fingerprint_of(self.tools.by_name[name])
        args = mark.end() if mark and mark[1] == known else end
        return Head(pos, sigil[0] if sigil else "", end, args, name, name == word, tuple(notes))

    def _name(self, pos: int) -> tuple[int, str]:
        """Read a bare or a quoted name; an empty one if none stands here."""
        if match := NAME.match(self.src, pos):
            return match.end(), match[0]
        quoted = QUOTED.get(self.src[pos : pos + 1])
        match = quoted.match(self.src, pos) if quoted else None
        return (match.end(), match[1]) if match and match[2] else (pos, "")

    def _known(self, word: str) -> str | None:
        """Get the name of the tool that a word is a spelling of; without tools any word is one."""
        if self.tools is None or word in self.tools.by_name:
            return word
        return self.folded.get(fold(word))

    def _begins(self, pos: int) -> bool:
        head = self._head(pos)
        return head is not None and bool(head.sigil or self.src.startswith("(", head.end))

    def _unknown(self, pos: int, *, announced: bool) -> int | None:
        """Report the call of a tool that is not there, where it can be nothing else."""
        if REPEATS.match(self.src, pos) and self.spans and self.spans[-1][2] is None:
            error = DecodeError(Code.REPEAT, "no call above to repeat", doc=self.src, pos=pos)
            return self._fail(pos, self.reader.end_of(pos + 1), error)
        sigil = SIGILS.match(self.src, pos)
        start = sigil.end() if sigil else pos
        match = NAME.match(self.src, start)
        if match is None or self.tools is None or self._known(match[0]):
            return None
        is_called = sigil is not None and sigil[0] != "!"
        if not (is_called or (announced and is_shaped(self.src, match.end()))):
            # Nothing is called inside the parentheses of another function.
            in_group = self.src.startswith("(", match.end())
            return self.reader.end_of(match.end()) if in_group else None
        end = self.reader.end_of(match.end(), groups=True)
        return self._fail(pos, end, self._no_tool(match[0], start))

    def _no_tool(self, name: str, pos: int) -> DecodeError:
        try:
            decode(spell_name(name), self.tools)
        except DecodeError as error:
            return moved(error, self.src, pos)
        raise AssertionError  # pragma: no cover - the caller has looked the name up

    def _named(  # noqa: PLR0911 - one way out for each kind of sentence
        self, head: Head, *, announced: bool, ticked: bool
    ) -> int | None:
        """Read or report the call that a name begins; None if it is a word of a sentence."""
        shaped = is_shaped(self.src, head.args)
        marked = shaped or head.sigil != "" or _TELLING.search(head.name) is not None
        if not (marked or head.is_exact):
            return None
        marked = marked or announced
        found = self.reader.read(head, python=self.in_list)
        marked = marked or _ARGUMENT.match(self.src, head.args) is not None
        if isinstance(found, DecodeError):
            if not marked:
                return None
            return self._fail(head.start, self._end_of(head), found)
        if not marked and not _NOT_IN_SENTENCES.isdisjoint(code for _, code in found.repairs):
            return None
        if not marked and not found.call.arguments and self._in_prose(head.start, found.end):
            return None
        if not (shaped or ticked) or self._is_whole(found.end):
            return self._accept(head.start, found)
        if ticked or not found.call.arguments:
            return None
        msg = "expected the end of the line behind the call"
        error = DecodeError(Code.SYNTAX, msg, doc=self.src, pos=found.end)
        return self._fail(head.start, found.end, error)

    def _end_of(self, head: Head) -> int:
        """Get the end of the text of a call that cannot be read."""
        if first_key(self.src, head.args) is not None:
            return _end_at(ELEMENT_END, self.src, head.args)
        is_group = self.src.startswith("(", head.args)
        return self.reader.end_of(head.args, groups=not is_group)

    def _in_prose(self, start: int, end: int) -> bool:
        """Say whether a lone word stands between two lines of other text."""
        above = self.src.rfind("\n", 0, start)
        if above <= (self.spans[-1][1] if self.spans else 0):
            return False
        before = self.src[self.src.rfind("\n", 0, above) + 1 : above]
        after = self.src.find("\n", end) + 1
        if not after or MARKS.fullmatch(before.strip()):
            return False
        marks = MARKS.match(self.src, after)
        below = marks.end() if marks else after
        is_blank = self.src[below : below + 1] in _LINE_ENDS or "\n" in self.src[after:below]
        return not (is_blank or self.src[below] in _BRACKETS or self._head(below))

    def _is_whole(self, pos: int) -> bool:
        """Say whether what follows a call on its line leaves it no part of a sentence."""
        if TAIL.match(self.src, pos):
            return True
        match = NEXT.match(self.src, pos)
        return match is not None and self._begins(match.end())

    # --- calls in other notations ---------------------------------------------------------------

    def _json(self, pos: int) -> int | None:
        """Read the calls of a JSON value; other JSON is passed over."""
        if not (JSON_OBJECT.match(self.src, pos) or _JSON_LIST.match(self.src, pos)):
            return None
        loose = Loose(self.src, len(self.src))
        try:
            tree = loose.group(pos, json=True)
        except Unreadable as problem:
            start = max(pos + 1, problem.error.pos)
            named = NAMED.search(self.src, pos, min(start, pos + 1000))
            end = _end_at(RESUME, self.src, start)
            if named and self._known(named[1]):
                return self._fail(pos, end, problem.error)
            return end
        shapes = json_calls(tree, self.names)
        starts = [pos, *(shape.pos for shape in shapes[1:]), tree.end + 1]
        for shape, start, stop in zip(shapes, starts, starts[1:], strict=False):
            repairs = dict.fromkeys(r for r in loose.repairs if start <= r[0] < stop)
            repairs[pos, RepairCode.JSON] = None
            self._shape(shape, pos, tree.end, repairs)
        return tree.end

    def _element(self, pos: int) -> int:
        """Read the call in an element."""
        found = element_call(self.src, pos)
        if found is None:
            msg = "expected the end of the element"
            error = DecodeError(Code.SYNTAX, msg, doc=self.src, pos=pos)
            return self._fail(pos, _end_at(ELEMENT_END, self.src, pos), error)
        end, shape = found
        self._shape(shape, pos, end, {(pos, RepairCode.XML): None})
        return end

    def _shape(
        self, shape: CallShape, start: int, end: int, repairs: dict[tuple[int, RepairCode], None]
    ) -> None:
        name = self._known(shape.name)
        if not name:
            self._fail(start, end, self._no_tool(shape.name, shape.name_pos))
            return
        if name != shape.name:
            repairs[shape.name_pos, RepairCode.NAME] = None
        try:
            self._accept(start, self.reader.interpret(name, shape.arguments, end, repairs))
        except Unreadable as problem:
            self._fail(start, end, problem.error)

    # --- results --------------------------------------------------------------------------------

    def _accept(self, start: int, candidate: Candidate) -> int:
        index = len(self.calls)
        self.spans.append((start, candidate.end, index))
        self.repairs += [(index, pos, code) for pos, code in candidate.repairs]
        self.calls.append(candidate.call)
        self.above = candidate.call.name if self.tools is not None else None
        return candidate.end

    def _fail(self, start: int, end: int, error: DecodeError) -> int:
        self.spans.append((start, end, None))
        self.errors.append(error)
        self.above = None
        return end

    def result(self) -> LenientResult:
        """Get what was found, with the repairs of what stands around the calls."""
        repairs = sorted({*self.repairs, *self._around()}) if self.calls else []
        return LenientResult(
            tuple(self.calls),
            tuple(Repair(code, pos, MESSAGES[code], call) for call, pos, code in repairs),
            tuple(self.errors),
        )

    def _around(self) -> Iterator[tuple[int, int, RepairCode]]:
        """Get the repairs between calls, each for the call that follows, or else for the last."""
        pos = index = 0
        for start, end, call in [*self.spans, (len(self.src), len(self.src), None)]:
            if start >= pos:
                for at, code in gap_repairs(self.src, pos, start):
                    yield min(index, len(self.calls) - 1), at, code
            index = index if call is None else call + 1
            pos = max(pos, end)


def _end_at(pattern: re.Pattern[str], src: str, pos: int) -> int:
    """Get the position of the first match, or of the end of the text."""
    match = pattern.search(src, pos)
    return match.start() if match else len(src)
