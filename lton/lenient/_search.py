"""Text to calls, leniently: what models really write, by a closed table of repairs.

Theory of operation. A text that can be read strictly is read strictly. Any other is searched from
left to right for places where a call can begin: a line, a tag, a brace. What is there is read
strictly, then loosely (`_reading`, `_loose`); what the schema makes of it (`_coerce`) is written by
the encoder, which checks everything: so a repaired call is always one that LTON can write. Where
two readings fit, none is taken. A call that cannot be read is an error and costs no other: the
search goes on after its text, never inside it, for what a string holds must not become a call.
What the text quotes is passed over (`_quoted`); where it cannot say whether a call is meant, the
call is uncertain (`_doubt`), and taken only if that is asked for.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from lton._syntax import (
    COUNTED,
    FINGERPRINT,
    NAME,
    QUOTED,
    SIGIL,
    Marks,
    Thoughts,
    spell_name,
    thought_marks,
)
from lton.codec import decode
from lton.errors import Code, DecodeError, RepairCode
from lton.lenient._coerce import fold
from lton.lenient._doubt import Doubt
from lton.lenient._effort import Cost, Effort, EffortSpentError
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
    FENCE_BEFORE_JSON,
    LINE_REST,
    MARKS,
    MESSAGES,
    NEXT,
    OPENS_CALL,
    REPEATS,
    RESUME,
    SIGILS,
    SPOT,
    TAIL,
    TICKED,
    gap_repairs,
)
from lton.lenient._quoted import ANSWER, QUOTED_LINE, SPEAKER, TURN, passage
from lton.lenient._reading import (
    CallReader,
    Candidate,
    Failure,
    Head,
    damage,
    has_line_ends,
    is_shaped,
    moved,
)
from lton.lenient._strings import Extents, Strings
from lton.schema.toolset import ToolSet
from lton.schema.types import Call

MAX_ERRORS = 100
"""Reading ends after so many errors: a text with more is nothing that a model wrote."""
_JSON_LIST = re.compile(r"\[\s*\{")
_BRACKETS = frozenset("{[")
_LINE_ENDS = frozenset(["", "\r", "\n"])
_AFTER_NAME = frozenset(["", *" \t\r\n(:{#`<["])

# What distinguishes a call from a sentence.
_TELLING = re.compile(r"[._/0-9]|[a-z][A-Z]")
"""No word of a sentence looks so."""
_ARGUMENT = re.compile(
    rf"\#|[ \t]+(?:[\"'`\u201c\[{{(]|[+-]?\d|_(?!\w)|{NAME.pattern}[ \t]*=|{COUNTED.pattern})"
)
"""An argument that no sentence begins with."""
_LENGTH = re.compile(r"\bs\d|\d[^\w\s]?:")
"""What may have been a length, in a call that cannot be read."""
_LOST_LENGTH = re.compile(r"[^\"'`\n]*?(?<=[\s=(,])(?!s\d)\w{0,2}?\d+:(?!\d)")
"""What may have been one in a call that can: no time of day looks so."""
_LINE_END = re.compile("\n")
_FENCE_END = re.compile(r"\s*`{3,}[ \t]*(?:\r?\n|\Z)")
_SPOKEN = frozenset([RepairCode.EXAMPLE, RepairCode.SENTENCE])
"""Doubts whether a call is one that the text speaks of: then its text is for those who read."""
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
class UncertainCall:
    """A call that could be read, in a text that cannot say whether it is meant: where, and why.

    `code` is one of L122 to L125.
    """

    call: Call
    code: RepairCode
    pos: int
    msg: str


@dataclass(frozen=True, slots=True)
class LenientResult:
    """What a text holds: its calls in order, what was repaired, and why other calls are none.

    `uncertain` holds calls that are perhaps only quoted: they are not to be run unless a person,
    or something else that knows more than the text, says so. If the result is not `complete`, the
    search was given up: the text holds more than a model writes, or was made to exhaust a reader.
    `called` are the parts of the text, as starts and ends in order, that are those calls, or calls
    that cannot be read, each with the marks around it, and calls that may be what another said or
    the rest of something broken. All else is what the text says to those who read it.
    """

    calls: tuple[Call, ...] = ()
    repairs: tuple[Repair, ...] = ()
    errors: tuple[DecodeError, ...] = ()
    uncertain: tuple[UncertainCall, ...] = ()
    complete: bool = True
    called: tuple[tuple[int, int], ...] = ()


def decode_lenient(
    text: str, tools: ToolSet | None = None, *, safe: bool = True, thoughts: Thoughts = False
) -> LenientResult:
    r"""Get the calls of a text that a model wrote, repaired where that leaves exactly one reading.

    A text that `decode` accepts gives the same calls and no repairs. Otherwise calls are found in
    prose, fences and tags, in LTON, JSON, Python's notation or elements; each departure from LTON
    is in `repairs`, with its position. A call that cannot be read is in `errors`, and the others
    are read all the same. Names that are not known, arguments that are missing and values that
    need interpretation are never repaired. Nothing is raised, whatever the text.

    Every value of a call is in the text. What a text quotes is not called: answers, thoughts,
    block quotes, the strings of other calls. Where the text cannot say whether a call is meant
    (in a fence beside prose, in the middle of a sentence, after a call that could not be read to
    its end, after an answer), the call is in `uncertain`; with `safe=False` it is taken, with a
    repair that says why it should not be.
    Thoughts between common marks are known. With `thoughts`, as for `decode`, the one that the text
    begins with needs no repair, and may be between other marks.

    >>> from lton.schema.toolset import ToolSet
    >>> tools = ToolSet.from_tools([{"name": "wait", "parameters": {"type": "object",
    ...     "properties": {"minutes": {"type": "integer"}}, "required": ["minutes"]}}])
    >>> result = decode_lenient('Sure: {"name": "wait", "arguments": {"minutes": "5"}}', tools)
    >>> result.calls
    (Call(name='wait', arguments={'minutes': 5}),)
    >>> [(repair.code.name, repair.pos) for repair in result.repairs]
    [('PROSE', 0), ('JSON', 6), ('KIND', 48)]
    >>> result = decode_lenient("For example:\n```\nwait 5\n```", tools)
    >>> result.calls
    ()
    >>> [(found.call.name, found.code.name) for found in result.uncertain]
    [('wait', 'EXAMPLE')]
    """
    if tools is not None and tools.aliases:
        return _renamed(decode_lenient(text, tools.spoken, safe=safe, thoughts=thoughts), tools)
    try:
        calls = tuple(decode(text, tools, thoughts=thoughts))
        return LenientResult(calls, called=((0, len(text)),) if calls else ())
    except DecodeError:
        search = _Search(text, tools)
        search.run(thought_marks(thoughts))
        return search.result(safe=safe)


def _renamed(result: LenientResult, tools: ToolSet) -> LenientResult:
    """Get a result with the tools' own names, and not those that texts have."""

    def renamed(call: Call) -> Call:
        return Call(tools.own_name(call.name), call.arguments)

    return replace(
        result,
        calls=tuple(map(renamed, result.calls)),
        uncertain=tuple(replace(one, call=renamed(one.call)) for one in result.uncertain),
    )


@dataclass(frozen=True, slots=True)
class _Span:
    """A part of the text that is a call, or would be; `candidate` is None if it cannot be read."""

    start: int
    end: int
    candidate: Candidate | None = None
    doubt: RepairCode | None = None
    fence: int | None = None
    repeats: bool = False
    marks: int = 0
    """Where the marks before it begin."""


class _Search:
    """The search for calls; `spans` are their texts."""

    def __init__(self, src: str, tools: ToolSet | None) -> None:
        self.src = src
        self.tools = tools
        self.effort = Effort(len(src))
        self.strings = Strings(src)
        self.reader = CallReader(self.strings, tools, self.effort, self._begins)
        self.doubt = Doubt(src)
        self.errors: list[DecodeError] = []
        self.spans: list[_Span] = []
        self.above: str | None = None
        self.in_list = False
        self.spot = 0
        self.is_tagged = False
        self.fresh = -1
        self.complete = True
        self.names = tools.by_name if tools is not None else {}
        self.folded: dict[str, str | None] = {}
        for tool in tools or ():
            key = fold(tool.name)
            self.folded[key] = None if key in self.folded else tool.name
        # A model may have seen the tools' own names too.
        own_names = tools._derived.own_names if tools is not None else {}
        for alias, name in own_names.items():
            self.folded.setdefault(fold(name), alias)

    def run(self, marks: Marks | None) -> None:
        """Find the calls, from left to right, after a thought between these marks."""
        pos = 0 if marks is None else self._thought(*marks)
        try:
            while pos < len(self.src) and len(self.errors) < MAX_ERRORS:
                spot = None if pos == self.fresh else SPOT.search(self.src, pos)
                start = pos if pos == self.fresh else spot.start() if spot else len(self.src)
                after = self.doubt.prose(pos, start)
                pos = after if after > start else self._spot(start)
        except EffortSpentError:
            self.complete = False
        self.complete = self.complete and pos >= len(self.src)

    def _thought(self, opening: str, closing: str) -> int:
        """Pass over the thought that the text begins with, if it does: get its end."""
        src = self.src
        if not src[len(src) - len(src.lstrip()) :].startswith(opening):
            return 0
        close, last = src.find(closing), src.rfind(closing)
        end = len(src) if close < 0 else close + len(closing)
        self.doubt.pass_over(0, end, max(end, last + len(closing)))
        self.fresh = end
        return end

    def _spot(self, spot: int) -> int:
        """Read what begins here, and the calls that follow it on its line: get where that ends."""
        if spot == len(self.src):
            return spot
        self.effort.spend(Cost.SPOT)
        is_line = self.doubt.is_line_start(spot) or spot == self.fresh
        after = self._others(spot, is_line=is_line)
        if after is not None:
            return after
        if not is_line and self.src[spot] in "<\u25c1" and not OPENS_CALL.match(self.src, spot):
            return spot + 1
        match = MARKS.match(self.src, spot)
        assert match is not None  # no marks are marks, too
        marks, start = match[0], match.end()
        self.doubt.open_in_marks(spot, start)
        if start > spot:
            after = self._others(start, is_line=self.doubt.is_line_start(start) or is_line)
            if after is not None:
                return after
        self.spot = spot
        self.is_tagged = OPENS_CALL.search(marks) is not None
        pos = max(start, spot + 1)
        is_json = not is_line and self.src[spot] in _BRACKETS
        end = self._json(spot) if is_json else self._call(start, marks)
        while end is not None:
            pos = max(pos, end)
            if after := self.doubt.close_after(pos):
                return after
            end = self._following(pos)
        return pos

    def _others(self, pos: int, *, is_line: bool) -> int | None:
        """Pass over what is not said by the author, here and now; None if it is."""
        src = self.src
        if is_line:
            if after := self.doubt.fence_line(pos):
                return after
            if match := QUOTED_LINE.match(src, pos):
                return match.end()
            if SPEAKER.match(src, pos):
                self.doubt.rest(RepairCode.ECHO)
            if match := ANSWER.match(src, pos):
                return self._answer(pos, match.end())
        if found := passage(src, pos):
            self.doubt.pass_over(pos, found.end, found.doubt_end)
            self.fresh = found.end
            return found.end
        if match := TURN.match(src, pos):
            self.doubt.rest(RepairCode.ECHO)
            return match.end()
        return None

    def _answer(self, pos: int, start: int) -> int:
        """Pass over an answer frame, and the rest of its line."""
        error = DecodeError(
            Code.FRAME, "expected a call, found the answer to one", doc=self.src, pos=pos
        )
        end, _ = Extents(self.strings, self.effort, lambda _: False).find(start)
        eol = self.src.find("\n", end)
        self.doubt.rest(RepairCode.ECHO)
        return self._fail(pos, len(self.src) if eol < 0 else eol, error, is_damaged=False)

    def _call(self, pos: int, marks: str) -> int | None:
        """Read the call that begins here, if one does: get the end of its text."""
        self.in_list = marks.rstrip().endswith("[")
        if self.src[pos : pos + 1] in _BRACKETS:
            return self._json(pos)
        if ELEMENT.match(self.src, pos):
            return self._element(pos)
        announced = ANNOUNCES.search(marks) is not None
        ticks = TICKED.search(marks)
        self.reader.extents.is_ticked = ticks is not None and ticks[1] == "`"
        head = self._head(pos)
        if head is None:
            return self._unknown(pos, announced=announced)
        return self._named(head, announced=announced, ticked=ticks is not None)

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
        """Read the name of a known tool, and the sigil that may come before it."""
        src = self.src
        if self.above and REPEATS.match(src, pos):
            return Head(pos, "", pos + 1, pos + 1, self.above, is_exact=True, repeats=True)
        sigil = None if self._name(pos)[1] in self.names else SIGILS.match(src, pos)
        start = sigil.end() if sigil else pos
        notes = [(pos, RepairCode.SIGIL)] if sigil and sigil[0] != SIGIL else []
        end, word = self._name(start)
        name = self._known(word) if word and src[end : end + 1] in _AFTER_NAME else None
        if name is None or (self.tools is None and not (sigil or is_shaped(src, end))):
            return None
        if name != word:
            notes.append((start, RepairCode.NAME))
        mark = FINGERPRINT.match(src, end)
        known = mark and self.tools and self.tools.fingerprint_of(self.tools.by_name[name])
        args = mark.end() if mark and mark[1] == known else end
        return Head(pos, sigil[0] if sigil else "", end, args, name, name == word, tuple(notes))

    def _name(self, pos: int) -> tuple[int, str]:
        """Read a bare or a quoted name; an empty one if none is here."""
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
        if REPEATS.match(self.src, pos) and self.spans and self.spans[-1].candidate is None:
            error = DecodeError(Code.REPEAT, "no call above to repeat", doc=self.src, pos=pos)
            end, is_closed = self.reader.extents.find(pos + 1)
            return self._fail(pos, end, error, is_damaged=not is_closed)
        sigil = SIGILS.match(self.src, pos)
        start = sigil.end() if sigil else pos
        match = NAME.match(self.src, start)
        if match is None or self.tools is None or self._known(match[0]):
            return None
        is_called = sigil is not None and sigil[0] != "!"
        if not (is_called or (announced and is_shaped(self.src, match.end()))):
            # Nothing is called inside the parentheses of another function.
            if not self.src.startswith("(", match.end()):
                return None
            end, is_closed = self.reader.extents.find(match.end())
            if not is_closed:
                self.doubt.rest(RepairCode.DAMAGE)
            return end
        end, is_closed = self.reader.extents.find(match.end(), groups=True)
        is_damaged = not is_closed or "\n" in self.src[pos:end]
        return self._fail(pos, end, self._no_tool(match[0], start), is_damaged=is_damaged)

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
        marked = marked or announced or _ARGUMENT.match(self.src, head.args) is not None
        limit = None if marked else _end_at(_LINE_END, self.src, head.args)
        found = self.reader.read(head, python=self.in_list, limit=limit)
        if isinstance(found, Failure):
            if not marked:
                return None
            end = self._end_of(head)
            is_damaged = found.is_damaged or _LENGTH.search(self.src, head.end, end) is not None
            return self._fail(head.start, end, found.error, is_damaged=is_damaged)
        if not marked and not _NOT_IN_SENTENCES.isdisjoint(code for _, code in found.repairs):
            return None
        if not marked and not found.call.arguments and self._in_prose(head.start, found.end):
            return None
        if not (shaped or ticked) or self._is_whole(found.end):
            if FENCE_BEFORE_JSON.match(self.src, head.args, found.end):
                self.doubt.skip_end(found.end)
            is_in_sentence = self.is_tagged and self._in_sentence(found.end, is_tagged=True)
            doubt = RepairCode.SENTENCE if is_in_sentence else None
            end = self._accept(head.start, found, doubt, repeats=head.repeats)
            if self._has_lost(head, end, ticked=ticked):
                self.doubt.rest(RepairCode.DAMAGE)
            return end
        if ticked or not found.call.arguments:
            return None
        msg = "expected the end of the line after the call"
        error = DecodeError(Code.SYNTAX, msg, doc=self.src, pos=found.end)
        return self._fail(head.start, found.end, error, is_damaged=found.damage.at_end)

    def _has_lost(self, head: Head, end: int, *, ticked: bool) -> bool:
        """Say whether a word of a call may have had a length, or a fence is cut after it."""
        is_cut = not ticked and self.src.startswith("`", end)
        return is_cut or _LOST_LENGTH.match(self.src, head.args, end) is not None

    def _end_of(self, head: Head) -> int:
        """Get the end of the text of a call that cannot be read."""
        if first_key(self.src, head.args) is not None:
            return _end_at(ELEMENT_END, self.src, head.args)
        is_group = self.src.startswith("(", head.args)
        return self.reader.end_of(head.args, groups=not is_group)

    def _in_prose(self, start: int, end: int) -> bool:
        """Say whether a lone word is between two lines of other text."""
        above = self.src.rfind("\n", 0, start)
        if above <= self._after:
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
        loose = Loose(self.strings, len(self.src))
        try:
            tree = loose.group(pos, json=True)
        except Unreadable as problem:
            self.effort.spend(Cost.LOOSE, max(0, problem.error.pos - pos))
            return self._broken_json(pos, problem.error)
        self.effort.spend(Cost.LOOSE, tree.end - pos)
        in_sentence = self._in_sentence(tree.end, is_tagged=self.is_tagged)
        doubt = RepairCode.SENTENCE if in_sentence else None
        shapes = json_calls(tree, self.names)
        ends = [*(shape.pos for shape in shapes[1:]), tree.end + 1]
        repairs = sorted(loose.repairs)
        for shape, stop in zip(shapes, ends, strict=False):
            until = bisect_left(repairs, (stop,))
            own = dict.fromkeys([*repairs[:until], (pos, RepairCode.JSON)])
            repairs = repairs[until:]
            self._shape(shape, pos, tree.end, own, doubt)
        return tree.end

    def _broken_json(self, pos: int, error: DecodeError) -> int:
        """Pass over JSON that cannot be read, and report it if it names a tool."""
        start = max(pos + 1, error.pos)
        named = NAMED.search(self.src, pos, min(start, pos + 1000))
        end = _end_at(RESUME, self.src, start)
        self.doubt.rest(RepairCode.DAMAGE)
        if named and self._known(named[1]):
            self._fail(pos, end, error, is_damaged=True)
        return end

    def _element(self, pos: int) -> int:
        """Read the call in an element."""
        found = element_call(self.src, pos)
        if found is None:
            msg = "expected the end of the element"
            error = DecodeError(Code.SYNTAX, msg, doc=self.src, pos=pos)
            return self._fail(pos, _end_at(ELEMENT_END, self.src, pos), error, is_damaged=True)
        end, shape = found
        doubt = RepairCode.SENTENCE if self._in_sentence(end, is_tagged=True) else None
        self._shape(shape, pos, end, {(pos, RepairCode.XML): None}, doubt)
        return end

    def _shape(
        self,
        shape: CallShape,
        start: int,
        end: int,
        repairs: dict[tuple[int, RepairCode], None],
        doubt: RepairCode | None,
    ) -> None:
        name = self._known(shape.name)
        if shape.second is not None or not name:
            left = damage(self.src, shape.arguments, repairs)
            self._fail(start, end, self._misnamed(shape), is_damaged=left.at_end)
            return
        if name != shape.name:
            repairs[shape.name_pos, RepairCode.NAME] = None
        try:
            candidate = self.reader.interpret(name, shape.arguments, end, repairs)
        except Unreadable as problem:
            has_lines = has_line_ends(self.src, shape.arguments)
            left = damage(self.src, shape.arguments, repairs)
            self._fail(start, end, problem.error, is_damaged=left.at_end or has_lines)
        else:
            left = damage(self.src, shape.arguments, candidate.repairs)
            self._accept(start, replace(candidate, damage=left), doubt)

    def _misnamed(self, shape: CallShape) -> DecodeError:
        if shape.second is None:
            return self._no_tool(shape.name, shape.name_pos)
        msg = "this is said twice, and not the same"
        return DecodeError(Code.DUPLICATE, msg, doc=self.src, pos=shape.second)

    @property
    def _after(self) -> int:
        """The end of the call before."""
        return self.spans[-1].end if self.spans else 0

    def _in_sentence(self, end: int, *, is_tagged: bool) -> bool:
        after = max(self._after, self.fresh)
        return self.doubt.in_sentence(self.spot, end, after, is_tagged=is_tagged)

    # --- results --------------------------------------------------------------------------------

    def _accept(
        self,
        start: int,
        candidate: Candidate,
        doubt: RepairCode | None = None,
        *,
        repeats: bool = False,
    ) -> int:
        doubt = self.doubt.at(start) or doubt
        if candidate.damage.inside:
            doubt = doubt or RepairCode.DAMAGE
        if candidate.damage.at_end:
            self.doubt.rest(RepairCode.DAMAGE)
        fence = self.doubt.fence
        span = _Span(start, candidate.end, candidate, doubt, fence, repeats, self.spot)
        self.spans.append(span)
        self.above = candidate.call.name if self.tools is not None else None
        return candidate.end

    def _fail(self, start: int, end: int, error: DecodeError, *, is_damaged: bool) -> int:
        self.spans.append(_Span(start, end, marks=min(self.spot, start)))
        self.errors.append(error)
        self.above = None
        if is_damaged:
            self.doubt.rest(RepairCode.DAMAGE)
        return end

    def result(self, *, safe: bool) -> LenientResult:
        """Get what was found, with the repairs of what is around the calls."""
        spans = self._judged()
        taken: list[_Span] = []
        uncertain: list[UncertainCall] = []
        for span in spans:
            if span.candidate and (span.doubt is None or not safe):
                taken.append(span)
            elif span.candidate and span.doubt:
                call, code = span.candidate.call, span.doubt
                uncertain.append(UncertainCall(call, code, span.start, MESSAGES[code]))
        repairs = {
            (index, pos, code)
            for index, span in enumerate(taken)
            for pos, code in _repairs_of(span)
        }
        repairs.update(_around(self.src, spans, taken))
        return LenientResult(
            tuple(span.candidate.call for span in taken if span.candidate),
            tuple(Repair(code, pos, MESSAGES[code], call) for call, pos, code in sorted(repairs)),
            tuple(self.errors),
            tuple(uncertain),
            self.complete,
            tuple(
                _called(self.src, (one for one in spans if not safe or one.doubt not in _SPOKEN))
            ),
        )

    def _judged(self) -> list[_Span]:
        """Get the spans with the doubt that only the whole text can cast on them."""
        doubts = self.doubt.judge([(one.start, one.end, one.fence) for one in self.spans])
        judged: list[_Span] = []
        for span, other in zip(self.spans, doubts, strict=True):
            doubt = span.doubt or other
            if span.repeats:
                doubt = doubt or judged[-1].doubt
            judged.append(replace(span, doubt=doubt))
        return judged


def _called(src: str, spans: Iterable[_Span]) -> Iterator[tuple[int, int]]:
    """Get where the spans are, with the marks around them, as parts that do not overlap."""
    pos = 0
    is_fenced = False
    for span in spans:
        if span.end <= pos:
            continue
        is_fenced = is_fenced or "```" in src[span.marks : span.start]
        rest = LINE_REST.match(src, span.end)
        is_last = rest is not None and (src.endswith("\n", 0, rest.end()) or rest.end() == len(src))
        end = rest.end() if rest and is_last else span.end
        if is_fenced and (fence := _FENCE_END.match(src, end)):
            end, is_fenced = fence.end(), False
        yield max(pos, span.marks), end
        pos = end


def _repairs_of(span: _Span) -> Iterator[tuple[int, RepairCode]]:
    assert span.candidate is not None  # it was taken
    yield from span.candidate.repairs
    if span.doubt:
        yield span.start, span.doubt


def _around(
    src: str, spans: list[_Span], taken: list[_Span]
) -> Iterator[tuple[int, int, RepairCode]]:
    """Get the repairs between calls, each for the call that follows, or else for the last."""
    if not taken:
        return
    pos = index = 0
    for span in [*spans, _Span(len(src), len(src))]:
        if span.start >= pos:
            for at, code in gap_repairs(src, pos, span.start):
                yield min(index, len(taken) - 1), at, code
        index += index < len(taken) and span is taken[index]
        pos = max(pos, span.end)


def _end_at(pattern: re.Pattern[str], src: str, pos: int) -> int:
    """Get the position of the first match, or of the end of the text."""
    match = pattern.search(src, pos)
    return match.start() if match else len(src)
