"""Read a possible call, and try each notation in which its arguments may be written."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, replace

from lton._patterns import compiled_when_used
from lton._syntax import COUNTED, SIGIL, spell_name
from lton.codec import decode, encode
from lton.errors import Code, DecodeError, EncodeError, IncompleteError, RepairCode
from lton.lenient._arguments import find_body_after, find_json_start, is_shaped
from lton.lenient._call_elements import find_key_after_name, opens_key, read_parameters
from lton.lenient._coerce import Coercion
from lton.lenient._effort import Cost, Effort
from lton.lenient._strings import ENDING_TAG, Extents, Strings
from lton.lenient._tree import Bracketed, Loose, Repairs, Tree, Unreadable, WrongLength
from lton.lenient.syntaxes import TOKEN_QUOTES
from lton.schema.toolset import ToolSet
from lton.schema.types import FREE, Call, Object, Type

_BUDGET = 10_000  # the maximum number of characters that are read again to find correct lengths
_SPACE = compiled_when_used(r" (?=\S)")
_SPACED = compiled_when_used(r"\s|\Z")
_IS_OVER = compiled_when_used(rf"[ \t)\]}}]*+(?:\s*+(?:\Z|```|{ENDING_TAG.pattern}))")
"""The text after a call that shows that the call is complete."""
_NONE_IN_GROUP = compiled_when_used(r"[(,][ \t\n]*(?:[\w-]{1,64}[ \t]*=[ \t]*)?None[ \t\n]*[,)]")
_NEWLINE = compiled_when_used("\n")
_MARK_IN_WORD = compiled_when_used("[:'\u2019]|s\\d")
"""A sign in a bare string that the string may lack a length or a quotation mark."""
_BEFORE_GROUPS = compiled_when_used(r"[ \t]*+\r?+\n?+[ \t]*+(?=\()")


@dataclass(frozen=True, slots=True)
class Head:
    """A name that may begin a call, with its position and its repairs."""

    start: int
    sigil: str
    end: int
    args: int
    name: str
    is_exact: bool
    notes: tuple[tuple[int, RepairCode], ...] = ()
    repeats: bool = False


@dataclass(frozen=True, slots=True)
class Way:
    """A way to read a call's arguments: a parser, the end of its input, and the initial repairs."""

    parse: Callable[[Loose], Bracketed]
    end: int
    notes: tuple[tuple[int, RepairCode], ...] = ()
    _: KW_ONLY
    escapes: bool = False
    tagged: bool = False
    is_line: bool = False
    is_lton: bool = True


@dataclass(frozen=True, slots=True)
class Damage:
    """Whether the end of a repaired call, or the end of a value in it, is uncertain."""

    at_end: bool = False  # the end of the call is unknown, so text after it may belong to it
    inside: bool = False  # a bracket is missing, so the end of a value of several lines is unknown


_NONE = Damage()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A call that fits the schema, the end of its text, and its repairs."""

    call: Call
    end: int
    repairs: Repairs
    text: str = ""
    damage: Damage = _NONE
    is_torn: bool = False  # whether a value may include another argument or the end of its element


@dataclass(frozen=True, slots=True)
class Failure:
    """The error of an unreadable call."""

    error: DecodeError
    is_damaged: bool


class Unfit(Unreadable):
    """Raised if the values of a call do not fit the schema."""

    def __init__(self, error: DecodeError, *, is_damaged: bool) -> None:
        self.is_damaged = is_damaged
        super().__init__(error)


def _may_be_null(tools: ToolSet, name: str, key: str) -> bool:
    node = tools.by_name[name].args.find_type(key)
    return node is not None and node.null


def has_word_none(src: str, tools: ToolSet | None, calls: Iterable[Call]) -> bool:
    """Return whether Python's `None` was read as a string although the schema allows null."""
    return (
        tools is not None
        and "None" in src  # faster than the pattern
        and _NONE_IN_GROUP.search(src) is not None
        and any(
            value == "None" and _may_be_null(tools, call.name, key)
            for call in calls
            for key, value in call.arguments.items()
        )
    )


@dataclass(slots=True)
class _Tried:
    problem: DecodeError | None
    is_whole: bool = False

    def note_failure(self, way: Way, reason: Unreadable) -> None:
        if isinstance(reason, Unfit):
            self.is_whole = self.is_whole or not reason.is_damaged
        if not (way.is_lton and self.problem):
            self.problem = reason.error


class CallReader:
    """Reads calls, and limits how much work it spends on correcting wrong string lengths.

    `begins` returns whether a call begins at a position, outside the brackets of other calls.
    """

    def __init__(
        self, strings: Strings, tools: ToolSet | None, effort: Effort, begins: Callable[[int], bool]
    ) -> None:
        self.src = strings.src
        self.strings = strings
        self.tools = tools
        self.effort = effort
        self.extents = Extents(strings, effort, begins)
        self.budget = _BUDGET
        self.limit = len(self.src)
        self.is_python = False  # whether the call that is being read is in a program

    def find_call_end(self, pos: int, *, groups: bool = False, escapes: bool = False) -> int:
        return self.extents.find_end(pos, groups=groups, escapes=escapes, stop=self.limit)[0]

    def read_call(
        self, head: Head, *, python: bool, limit: int | None = None
    ) -> Candidate | Failure:
        """Read a call strictly or, if that fails, in the first way that gives exactly one call.

        With `python`, the call is in a Python list, or in other marks around Python, so it is not
        LTON. The text of the call must not extend beyond `limit`.
        """
        self.is_python = python
        outcome = self._read_in_ways(head, python=python, limit=limit)
        self.is_python = False
        if isinstance(outcome, Failure) or python:
            return outcome
        text = self.src[head.args : outcome.end]
        is_python = has_word_none(text, self.tools, [outcome.call])
        return self._read_in_ways(head, python=True, limit=limit) if is_python else outcome

    def _read_in_ways(self, head: Head, *, python: bool, limit: int | None) -> Candidate | Failure:
        self.limit = len(self.src) if limit is None else limit
        end = self.find_call_end(head.end, groups=bool(head.sigil))
        body = find_body_after(self.src, head.args)
        if body is not None and not is_shaped(self.src, head.args):
            return Failure(self.missing_arguments_error(body), is_damaged=True)
        strict = self.decode_strictly(head, end)
        if isinstance(strict, Call) and not python and body is None:
            whole = Candidate(strict, end, dict.fromkeys(head.notes))
            if strict.arguments or find_json_start(self.src, head.args) is None:
                return whole
        else:
            whole = None
        tried = _Tried(strict if isinstance(strict, DecodeError) else None)
        for tier in self._iterate_tiers_of_ways(head, python=python):
            if candidates := self._read_ways(head.name, tier, tried):
                return self._choose_candidate(head, end, candidates, tried, python=python)
        if whole:
            return whole
        problem = tried.problem
        assert problem is not None  # no call was found
        if problem is strict:
            problem = self._error_without_end(head, end, problem)
        return Failure(problem, not tried.is_whole or problem.code < Code.TOOL)

    def missing_arguments_error(self, pos: int) -> DecodeError:
        msg = "expected the arguments that the marks before announce"
        if pos == len(self.src):
            return IncompleteError(Code.INCOMPLETE, msg, doc=self.src, pos=pos)
        return DecodeError(Code.SYNTAX, msg, doc=self.src, pos=pos)

    def _read_ways(self, name: str, tier: list[Way], tried: _Tried) -> list[Candidate]:
        candidates: dict[tuple[str, int], Candidate] = {}
        for way in tier:
            try:
                for candidate in self.read_candidates(name, way, {}):
                    candidates.setdefault((candidate.text, candidate.end), candidate)
            except Unreadable as reason:
                tried.note_failure(way, reason)
        return list(candidates.values())

    def _choose_candidate(
        self, head: Head, end: int, candidates: list[Candidate], tried: _Tried, *, python: bool
    ) -> Candidate | Failure:
        if len(candidates) > 1:
            error = self._ambiguity_error(head, tried.problem, candidates)
            return Failure(error, any(candidate.damage.at_end for candidate in candidates))
        (candidate,) = candidates
        if candidate.end != end and not python:
            strict = self.decode_strictly(head, candidate.end)
            if isinstance(strict, Call):
                return Candidate(strict, candidate.end, dict.fromkeys(head.notes))
        return candidate

    def _ambiguity_error(
        self, head: Head, problem: DecodeError | None, candidates: list[Candidate]
    ) -> DecodeError:
        msg = "this can be read in two ways"
        problem = problem or DecodeError(Code.SYNTAX, msg, doc=self.src, pos=head.args)
        texts = sorted({repr(candidate.text) for candidate in candidates})
        if len(texts) > 1 and sum(map(len, texts)) < 200:
            problem.hint = f"this could be {' or '.join(texts)}"
        return problem

    def _iterate_tiers_of_ways(self, head: Head, *, python: bool) -> Iterator[list[Way]]:
        """Yield the ways to read the arguments in groups, the strictest group first."""
        raw = list(self._iterate_ways(head, escapes=python))
        yield raw
        end = max(way.end for way in raw) if raw else head.args
        has_escapes = not python and self.src.find("\\", head.args, end) >= 0
        if has_escapes:
            yield list(self._iterate_ways(head, escapes=True))
        for way in raw:
            if way.is_line and self.src[way.end - 1] in ".;" and way.end - 1 > head.args:
                stop = way.end - 1
                notes = (*way.notes, (stop, RepairCode.SEPARATOR))
                cut = replace(way, end=stop, notes=notes)
                yield [cut]
                if has_escapes:
                    yield [replace(cut, escapes=True)]

    def _iterate_ways(self, head: Head, *, escapes: bool) -> Iterator[Way]:
        src = self.src
        pos = head.args
        notes = head.notes
        start = find_json_start(src, pos)
        if start is not None:
            between = src[pos:start].strip()
            if between:
                code = RepairCode.SEPARATOR if between == ":" else RepairCode.FRAME
                notes = (*notes, (pos, code))
            with_json = (*notes, (start, RepairCode.JSON))
            yield Way(
                lambda loose: loose.read_group(start, json=True),
                self.limit,
                with_json,
                is_lton=False,
            )
            if src[pos:start] != " ":
                return
        elif (keys := find_key_after_name(src, pos)) is not None:
            notes = (*notes, (head.start, RepairCode.XML))
            yield Way(lambda _: read_parameters(src, keys)[1], self.limit, notes, is_lton=False)
            return
        elif src.startswith("(", pos):
            end = self.find_call_end(pos, escapes=escapes)
            if self.tools is None:
                notes = (*notes, (head.start, RepairCode.SIGIL))
            yield Way(lambda loose: loose.read_call_group(pos), end, notes, escapes=escapes)
            return
        yield from self._iterate_spaced_ways(head, escapes=escapes)
        groups = _BEFORE_GROUPS.match(src, pos)
        if self.tools is None or (groups and "\n" in groups[0]) or not _SPACED.match(src, pos):
            return  # the groups are the arguments, or no other form is possible
        end = self.find_call_end(pos, escapes=escapes)
        first = pos + 1 if _SPACE.match(src, pos, end) else pos
        yield Way(lambda loose: loose.read_line(first), end, notes, escapes=escapes, is_line=True)

    def _iterate_spaced_ways(self, head: Head, *, escapes: bool) -> Iterator[Way]:
        """Yield the ways that allow white space between the name and the parenthesis."""
        gap = _BEFORE_GROUPS.match(self.src, head.args)
        if gap is None:
            return
        start = gap.end()
        notes = head.notes
        if gap[0] != "\n":
            notes += ((head.args, RepairCode.LINES),)
        if not head.sigil:
            notes += ((head.start, RepairCode.SIGIL),)
        end = self.find_call_end(start, groups=True, escapes=escapes)
        yield Way(
            lambda loose: loose.read_tagged_groups(start), end, notes, escapes=escapes, tagged=True
        )
        if "\n" not in gap[0]:
            end = self.find_call_end(start, escapes=escapes)
            notes = (*head.notes, (head.args, RepairCode.SEPARATOR))
            yield Way(lambda loose: loose.read_call_group(start), end, notes, escapes=escapes)

    # --- reading --------------------------------------------------------------------------------

    def decode_strictly(self, head: Head, end: int, after: str = "") -> Call | DecodeError:
        """Decode a call strictly, with its name corrected and `after` appended to its text."""
        prefix = (SIGIL if head.sigil else "") + spell_name(head.name)
        text = prefix + self.src[head.end : end] + after
        self.effort.spend_units(Cost.STRICT, len(text) // 8)
        try:
            (call,) = decode(text, self.tools)
        except DecodeError as error:
            return make_moved_error(
                error, self.src, max(head.start, error.pos - len(prefix) + head.end)
            )
        return call

    def _error_without_end(self, head: Head, end: int, error: DecodeError) -> DecodeError:
        """Return the error that decoding reports if a line break is added after the call."""
        if error.pos != end or end == len(self.src):
            return error
        other = self.decode_strictly(head, end, "\n")  # the newline is added only to get this error
        return error if isinstance(other, Call) else other

    def interpret_tree(self, name: str, tree: Tree, end: int, repairs: Repairs) -> Candidate:
        """Convert a tree of values to a call. Raises `Unreadable` if the values do not fit."""
        members = FREE if self.tools is None else self.tools.by_name[name].args
        coercion = Coercion(self.src, repairs, python=self.is_python)
        if isinstance(tree, Bracketed):
            call = Call(name, coercion.convert_members(tree, members))
        else:
            value = coercion.convert_value(tree, Type(object=members), "")
            assert isinstance(value, dict)  # the schema allows only objects
            call = Call(name, value)
        try:
            text = encode(call, self.tools)
        except EncodeError as error:
            code = Code.CHARACTER if error.code is Code.VALUE else error.code
            pos = coercion.position_of(error.path)
            cause = DecodeError(code, error.msg, doc=self.src, pos=pos, path=error.path)
            raise Unreadable(cause) from None
        coercion.repairs.update(dict.fromkeys(tree.notes if isinstance(tree, Bracketed) else ()))
        is_torn = _is_torn(self.src, tree, members)
        return Candidate(call, end, coercion.repairs, text, is_torn=is_torn)

    def read_candidates(self, name: str, way: Way, lengths: Mapping[int, int]) -> list[Candidate]:
        """Read the arguments in one way and return the possible calls. May raise `Unreadable`."""
        loose = Loose(
            self.strings, way.end, escapes=way.escapes, tagged=way.tagged, lengths=lengths
        )
        loose.repairs.update(dict.fromkeys(way.notes))
        try:
            tree = way.parse(loose)
        except WrongLength as wrong:
            self.effort.spend_units(Cost.LOOSE, max(0, wrong.error.pos - wrong.pos))
            return self._read_with_lengths(name, way, lengths, wrong)
        except Unreadable:
            self.effort.spend_units(Cost.LOOSE)
            raise
        self.effort.spend_units(Cost.LOOSE, tree.end - tree.start)
        if way.is_line and tree.end < way.end and self.src[tree.end] not in "\r\n":
            raise loose.make_unreadable(tree.end, "the end of the line")
        candidates: list[Candidate] = []
        problem: Unreadable | None = None
        for arguments in _iterate_argument_groups(tree):
            repairs = loose.repairs
            if arguments is not tree and not arguments.json:
                repairs = {**repairs, (arguments.start, RepairCode.BRACKETS): None}
            try:
                candidate = self.interpret_tree(name, arguments, tree.end, repairs)
                damages = find_damage(self.src, tree, candidate.repairs)
                candidates.append(replace(candidate, damage=damages))
            except Unreadable as error:
                problem = problem or error
        if problem and not candidates:
            damages = find_damage(self.src, tree, loose.repairs)
            is_damaged = damages.at_end or has_line_ends(self.src, tree)
            raise Unfit(problem.error, is_damaged=is_damaged)
        return candidates

    def _read_with_lengths(
        self, name: str, way: Way, lengths: Mapping[int, int], wrong: WrongLength
    ) -> list[Candidate]:
        candidates: list[Candidate] = []
        for length in wrong.lengths:
            self.budget -= way.end - wrong.pos + 1
            if self.budget < 0:
                raise wrong
            with suppress(Unreadable):
                candidates += self.read_candidates(name, way, {**lengths, wrong.pos: length})
        if not candidates:
            raise wrong
        return candidates


def find_damage(src: str, tree: Tree, repairs: Iterable[tuple[int, RepairCode]]) -> Damage:
    """Decide whether the end of a repaired call, or of a value in it, is uncertain.

    The end of the call is unknown in these cases:

    - a length was wrong, or a word may have been a length,
    - a quoted string spans lines, except between special tokens, which only a model writes,
    - a bracket is missing, and no tag, fence or end of the text follows.
    """
    positions: dict[RepairCode, list[int]] = {}
    for pos, code in repairs:
        if not (code is RepairCode.QUOTES and src.startswith(TOKEN_QUOTES, pos)):
            positions.setdefault(code, []).append(pos)
    lacks_closer = RepairCode.CLOSER in positions
    inside = lacks_closer and has_line_ends(src, tree)
    at_end = inside or (lacks_closer and not _IS_OVER.match(src, tree.end))
    if any(COUNTED.match(src, pos) for pos in positions.get(RepairCode.LENGTH, ())):
        at_end = True
    for code, pattern in ((RepairCode.QUOTES, _NEWLINE), (RepairCode.BARE, _MARK_IN_WORD)):
        if code in positions and not _values_with_pattern(pattern, src, tree).isdisjoint(
            positions[code]
        ):
            at_end = True
    return Damage(at_end, inside)


def has_line_ends(src: str, tree: Tree) -> bool:
    if src.find("\n", tree.start, tree.end) < 0:
        return False
    return bool(_values_with_pattern(_NEWLINE, src, tree))


def _values_with_pattern(pattern: re.Pattern[str], src: str, tree: Tree) -> set[int]:
    if isinstance(tree, Bracketed) and not tree.is_table:
        return set().union(
            *(_values_with_pattern(pattern, src, entry.value) for entry in tree.entries)
        )
    return {tree.start} if pattern.search(src, tree.start, tree.end) else set()


def _iterate_argument_groups(tree: Bracketed) -> Iterator[Bracketed]:
    """Yield the group, and then its only value if that value is a JSON object."""
    yield tree
    if tree.opener != "{" and len(tree.entries) == 1 and tree.entries[0].key is None:
        only = tree.entries[0].value
        if isinstance(only, Bracketed) and only.opener == "{" and (only.json or not only.entries):
            yield only


def _is_torn(src: str, tree: Tree, members: Object) -> bool:
    if not (isinstance(tree, Bracketed) and tree.has_tags):
        return False
    values = (src[entry.value.start : entry.value.end] for entry in tree.entries)
    return tree.is_torn or any(opens_key(value, members.by_name) for value in values)


def make_moved_error(error: DecodeError, src: str, pos: int) -> DecodeError:
    """Return an error found in part of a text, with its position in the whole text."""
    is_cut = error.code == Code.INCOMPLETE
    kind = IncompleteError if is_cut and pos == len(src) else DecodeError
    code = Code.SYNTAX if is_cut and kind is DecodeError else error.code
    # Finding a hint takes time, so the hint is found only on request.
    return kind(code, error.msg, doc=src, pos=pos, path=error.path, hint=lambda: error.hint)
