"""Read calls that begin with the name of a tool."""

from lton._patterns import compiled_when_used
from lton._syntax import COUNTED, NAME
from lton.errors import Code, DecodeError, RepairCode
from lton.lenient._arguments import find_body_after, is_shaped
from lton.lenient._call_elements import ELEMENT_END, find_key_after_name
from lton.lenient._candidates import CallReader, Candidate, Failure, Head
from lton.lenient._marks import MARKS, NEXT, OPENS_TEXT, REPEATS, SIGILS, TAIL, end_of_match
from lton.lenient._names import Names
from lton.lenient._programs import Programs
from lton.lenient._spans import Spans

_BRACKETS = frozenset("{[")
_LINE_ENDS = frozenset(["", "\r", "\n"])

_TELLING = compiled_when_used(r"[._/0-9]|[a-z][A-Z]")  # in a name that is not an ordinary word
_ARGUMENT = compiled_when_used(
    rf"\#|[ \t]+(?:[\"'`\u201c\[{{(]|[+-]?\d|_(?!\w)|{NAME.pattern}[ \t]*=|{COUNTED.pattern})"
)
"""An argument that cannot be the next word in a sentence."""
_LENGTH = compiled_when_used(r"\bs\d|\d[^\w\s]?:")  # a possible length in an unreadable call
_LOST_LENGTH = compiled_when_used(r"[^\"'`\n]*?(?<=[\s=(,])(?!s\d)\w{0,2}?\d+:(?!\d)")
"""A possible length in a readable call. Times of day do not match."""
_FENCE_BEFORE_JSON = compiled_when_used(r"[^{`]{0,80}```[^{`]{0,20}\{")
_LINE_END = compiled_when_used("\n")
_GROUP_AFTER = compiled_when_used(
    r"[ \t]*+(?:\{|\[\s*+[{\"']|\(\s*+(?:[\w.-]{1,64}\s*+=|[\"'{\[]))"
)
"""A group on the line of a call without arguments, which may be the arguments."""
_WRAPPED = compiled_when_used(r"\(\s*+(?:functions|default_api)\.([\w.-]{1,200})\s*+\(")
_EMPTY_STRING = ('""', "''")
_NOT_IN_SENTENCES = frozenset([RepairCode.BARE, RepairCode.ORDER, RepairCode.SIGIL])
"""Repairs that could turn a sentence into a call if the tool's name is an ordinary word."""


class NamedCalls:
    """Reads calls that begin with a tool's name, which may also be a word in a sentence."""

    def __init__(self, names: Names, reader: CallReader, spans: Spans) -> None:
        self.src = names.src
        self.names = names
        self.reader = reader
        self.spans = spans
        self.doubt = spans.doubt
        self.in_list = False  # whether the calls are in a Python list
        self.in_line = False  # whether the list is in the middle of a line
        self.programs = Programs(names.src)
        self.needs_body = False  # whether arguments must follow the name

    def try_read_call(self, head: Head, *, announced: bool, ticked: bool) -> int | None:
        """Read a call, or report an error. Return None if the name is only a word in a sentence."""
        shaped = is_shaped(self.src, head.args)
        marked = shaped or head.sigil != "" or _TELLING.search(head.name) is not None
        if not (marked or head.is_exact):
            return None
        marked = marked or announced or _ARGUMENT.match(self.src, head.args) is not None
        limit = None if marked else end_of_match(_LINE_END, self.src, head.args)
        python = self.in_list
        if self.src.startswith("(", head.args):
            python = self.programs.is_inside_program(head.start, self.spans.end) or python
        outcome = self.reader.read_call(head, python=python, limit=limit)
        if isinstance(outcome, Failure):
            return self._skip_failed_call(head, outcome) if marked else None
        if self.needs_body and not shaped and not outcome.call.arguments:
            error = self.reader.missing_arguments_error(outcome.end)
            return self.spans.add_error(head.start, outcome.end, error, is_damaged=True)
        if not marked and self._is_sentence(head, outcome):
            return None
        if not (shaped or ticked) or self.needs_body or self._ends_line(outcome.end):
            return self._accept_call(head, outcome, ticked=ticked)
        return None if ticked else self._try_report_text_after(head, outcome)

    def try_report_missing_arguments(self, head: Head) -> int | None:
        """Report a call whose arguments are missing."""
        body = find_body_after(self.src, head.args)
        if head.sigil == "to=" and body is None:
            return None
        error = self.reader.missing_arguments_error(body or head.args)
        return self.spans.add_error(head.start, body or head.args, error, is_damaged=True)

    def _skip_failed_call(self, head: Head, failure: Failure) -> int:
        end = self._find_end_of_call(head)
        is_damaged = failure.is_damaged or _LENGTH.search(self.src, head.end, end) is not None
        return self.spans.add_error(head.start, end, failure.error, is_damaged=is_damaged)

    def _try_report_text_after(self, head: Head, candidate: Candidate) -> int | None:
        """Report an error for text after the call.

        Return None if the call has no arguments, unless a group after it may be its arguments.
        """
        if not candidate.call.arguments and not _GROUP_AFTER.match(self.src, candidate.end):
            return None
        msg = "expected the end of the line after the call"
        error = DecodeError(Code.SYNTAX, msg, doc=self.src, pos=candidate.end)
        return self.spans.add_error(
            head.start, candidate.end, error, is_damaged=candidate.damage.at_end
        )

    def _is_sentence(self, head: Head, candidate: Candidate) -> bool:
        """Return whether a readable call may be part of a sentence."""
        if not _NOT_IN_SENTENCES.isdisjoint(code for _, code in candidate.repairs):
            return True
        return not candidate.call.arguments and self._is_in_prose(head.start, candidate.end)

    def _accept_call(self, head: Head, candidate: Candidate, *, ticked: bool) -> int:
        is_empty = self.src[candidate.end - 2 : candidate.end] in _EMPTY_STRING
        if is_empty and OPENS_TEXT.match(self.src, candidate.end):  # perhaps two of three quotes
            self.doubt.doubt_later_calls(RepairCode.DAMAGE)
        if _FENCE_BEFORE_JSON.match(self.src, head.args, candidate.end):
            self.doubt.skip_end(candidate.end)
        doubt = RepairCode.SENTENCE if self._is_in_sentence(head, candidate.end) else None
        if self._is_keyed(head, candidate):
            doubt = RepairCode.DAMAGE
        end = self.spans.accept_candidate(head.start, candidate, doubt, repeats=head.repeats)
        if self._has_lost_text(head, end, ticked=ticked):
            self.doubt.doubt_later_calls(RepairCode.DAMAGE)
        return end

    def try_report_unknown_tool(self, pos: int, *, announced: bool) -> int | None:
        """Report a call to an unknown tool, if the text can only be a call."""
        is_after_failed = self.spans.call_spans and self.spans.call_spans[-1].candidate is None
        if is_after_failed and REPEATS.match(self.src, pos):
            error = DecodeError(Code.REPEAT, "no call above to repeat", doc=self.src, pos=pos)
            end, is_closed = self.reader.extents.find_end(pos + 1)
            return self.spans.add_error(pos, end, error, is_damaged=not is_closed)
        sigil = SIGILS.match(self.src, pos)
        start = sigil.end() if sigil else pos
        match = NAME.match(self.src, start)
        if match is None or self.names.tools is None or self.names.find_tool(match[0]):
            return None
        mark = sigil[0] if sigil else ""
        is_called = mark not in ("", "!", "to=")
        announced = announced and mark != "to="  # the message after it may contain the calls
        if not (is_called or (announced and is_shaped(self.src, match.end()))):
            # A call is never inside another function's parentheses.
            if not self.src.startswith("(", match.end()):
                return None
            end, is_closed = self.reader.extents.find_end(match.end())
            if wrapped := self._find_wrapped_call_error(match.end()):
                return self.spans.add_error(pos, end, wrapped, is_damaged=not is_closed)
            if not is_closed:
                self.doubt.doubt_later_calls(RepairCode.DAMAGE)
            return end
        args = find_body_after(self.src, match.end()) or match.end()
        is_group = self.src.startswith("(", args)
        end, is_closed = self.reader.extents.find_end(args, groups=not is_group)
        is_damaged = not is_closed or "\n" in self.src[pos:end]
        return self.spans.add_error(
            pos, end, self.names.unknown_tool_error(match[0], start), is_damaged=is_damaged
        )

    def _find_wrapped_call_error(self, pos: int) -> DecodeError | None:
        """Return an error if a parenthesis contains only a call with the prefix of a namespace.

        Only models write `print(default_api.f())`, but nobody knows what is done with the result.
        """
        match = _WRAPPED.match(self.src, pos)
        if match is None or not self.names.find_tool(match[1]):
            return None
        msg = "expected a call, found it in the parentheses of something else"
        return DecodeError(Code.SYNTAX, msg, doc=self.src, pos=match.start(1))

    def _is_in_sentence(self, head: Head, end: int) -> bool:
        """Return whether a call is in a list within a line, or in a tag next to words."""
        is_tagged = self.spans.is_tagged or head.sigil.startswith("to=")
        return self.in_line or (is_tagged and self.spans.is_in_sentence(end, is_tagged=True))

    def _is_keyed(self, head: Head, candidate: Candidate) -> bool:
        if self.names.tools is None:
            return False
        names = self.names.tools.by_name[head.name].args.by_name
        words = self.src[head.args : candidate.end].split()
        keyed = {word for word in words if ":" in word and word.partition(":")[0] in names}
        values = candidate.call.arguments.values()
        return any(isinstance(value, str) and value in keyed for value in values)

    def _has_lost_text(self, head: Head, end: int, *, ticked: bool) -> bool:
        """Return whether a string may lack its length prefix, or may be cut off at a backtick."""
        is_cut = not ticked and self.src.startswith("`", end)
        has_keys = self.src.startswith("{", head.args)  # so what ends with a digit is a key
        return is_cut or (not has_keys and _LOST_LENGTH.match(self.src, head.args, end) is not None)

    def _find_end_of_call(self, head: Head) -> int:
        if find_key_after_name(self.src, head.args) is not None:
            return end_of_match(ELEMENT_END, self.src, head.args)
        is_group = self.src.startswith("(", head.args)
        return self.reader.find_call_end(head.args, groups=not is_group)

    def _is_in_prose(self, start: int, end: int) -> bool:
        above = self.src.rfind("\n", 0, start)
        if above <= self.spans.end:
            return False
        before = self.src[self.src.rfind("\n", 0, above) + 1 : above]
        after = self.src.find("\n", end) + 1
        if not after or MARKS.fullmatch(before.strip()):
            return False
        marks = MARKS.match(self.src, after)
        below = marks.end() if marks else after
        is_blank = self.src[below : below + 1] in _LINE_ENDS or "\n" in self.src[after:below]
        return not (is_blank or self.src[below] in _BRACKETS or self.names.try_read_head(below))

    def _ends_line(self, pos: int) -> bool:
        """Return whether the rest of the line shows that the call is not part of a sentence."""
        if TAIL.match(self.src, pos):
            return True
        match = NEXT.match(self.src, pos)
        return match is not None and self.names.begins_call(match.end())
