"""What can go wrong, as data: one tree of exceptions, a table of codes, and one of repairs.

    LTONError
    ├── DecodeError (ValueError)        text that is not LTON, or not a call of these tools
    │   └── IncompleteError (EOFError)  text that ends too early, as truncated output does
    ├── EncodeError (ValueError)        a value that the tools do not take
    ├── SchemaError (ValueError)        a tool definition that cannot be compiled, or had
    ├── GrammarError (ValueError)       a grammar that an engine refuses, or did not apply
    ├── ContextFullError                a model has no room for what it is to read, or to write
    ├── ServerError                     a server that does not answer as it should
    ├── ConversionError (ValueError)    what is no chat message, or cannot be converted
    ├── MissingExtraError (ImportError) an optional library is not installed
    ├── SectionError (ValueError)       what is no section of a context, or no budget
    ├── CriticalOverflowError (ValueError) sections that must be shown and do not fit
    ├── InvariantError                  a context that breaks what it promises, never handed out
    ├── SkillError (ValueError)         a skill that is not there, or is none
    ├── StoreError                      a store that does not open, or not hold what it should
    └── TranscriptError (ValueError)    what a transcript cannot take, show, or give back

Codes, attributes and classes are interface; the wording of messages is not.
"""

import unicodedata
from collections.abc import Callable, Iterable
from copyreg import __newobj__  # type: ignore[attr-defined] # which pickle knows
from enum import StrEnum
from typing import Any, TypeAlias


class Code(StrEnum):
    """The stable error codes (spec §9). The comment says which position each reports."""

    # Syntax: pos is the first character that is not allowed there.
    SYNTAX = "E101"  # something else was expected here
    UNCLOSED = "E102"  # a quoted string does not end on its line; pos: its opening quote
    COUNT = "E103"  # a counted text does not end where a value can; pos: after the counted text
    PREFIX = "E104"  # a length prefix with a leading zero or too many digits; pos: the prefix
    NUMBER = "E105"  # not a number of the data model (-0, 1e999); pos: its start
    FENCE = "E106"  # a fence that is not followed by a newline; pos: after its backticks or `+`
    ORDER = "E107"  # a positional argument after a keyed one; pos: its start
    CHARACTER = "E108"  # NUL or a lone surrogate; pos: that character
    PAYLOAD = "E109"  # a tagged atom whose payload is not of its kind; pos: the atom
    INCOMPLETE = "E110"  # the text ends too early; pos: the end of the text
    # Schema: pos is the start of the name or value that is not as declared.
    TOOL = "E201"  # no such tool
    PARAMETER = "E202"  # no such parameter
    TYPE = "E203"  # a value of a kind that is not allowed here
    LABEL = "E204"  # not one of the values that are listed
    MISSING = "E205"  # a required argument is missing; pos: the end of the arguments
    DUPLICATE = "E206"  # an argument or a key is given twice; pos: the second
    SURPLUS = "E207"  # more positional arguments than parameters
    BOUNDS = "E208"  # too small, too large, too short or too long
    FINGERPRINT = "E209"  # the call was written for another layout
    SKIP = "E210"  # `_` in the place of a required argument
    REPEAT = "E211"  # `&` with no call above it
    SCHEMALESS = "E212"  # a form that cannot be read, or written, without tools
    FRAME = "E213"  # an answer where only calls are read; pos: its `!`
    CONSTRAINT = "E214"  # arguments that the layout allows, but not the schema; pos: the argument
    # Limits: pos is where the limit was passed.
    DEPTH = "E301"  # nested too deep
    DIGITS = "E302"  # a number with too many digits
    CALL_SIZE = "E303"  # a call longer than the reader of a stream lets it be
    # Encoding
    VALUE = "E401"  # not a value of the data model (NaN, NUL, a foreign object, …)
    # Schemas
    KEYWORD = "E501"  # a JSON Schema keyword, or a use of one, that has no layout
    DEFINITION = "E502"  # not a tool definition
    NAMES = "E503"  # two tools of one name
    REFERENCE = "E504"  # a `$ref` that names no schema, or itself
    SCHEMA_SIZE = "E505"  # a schema that has too many positions
    CHECK_SIZE = "E506"  # arguments that take too many steps to check; pos: the arguments' end
    # Integrations
    EXTRA = "E601"  # an optional library is not installed
    GRAMMAR = "E602"  # an engine refuses a grammar, or did not apply it
    SERVER = "E603"  # a server (MCP, or of a model) does not start, or does not answer as it should
    MODEL = "E604"  # a model's file is missing, or cannot be loaded
    CONTEXT = "E605"  # a model's context is full
    CONVERSION = "E606"  # what is no chat message, or no example that can be converted
    # Contexts
    OVERFLOW = "E701"  # the critical sections do not fit the budget
    INVARIANT = "E702"  # a rendered context breaks what must hold: a fault of the library
    SECTION = "E703"  # not a section, a strategy's answer, a budget or a unit
    SKILL = "E704"  # a skill that is not there or not allowed, or a SKILL.md that is none
    DIRECTIVE = "E705"  # a directive that is none, or is not closed; pos: its line
    SOURCE = "E706"  # what cannot be ingested: no such file, no text, no such ratio
    CHANGED = "E707"  # an audit log or an artifact that is not what was written
    PAIRING = "E710"  # a result without its call, or a call without its result
    POINTER = "E711"  # what points to no result of this conversation, or to no skill
    FILE = "E712"  # no such file, no such part of it, or nothing that can be extracted
    PATTERN = "E713"  # a pattern that is none, or takes too much work
    WINDOW = "E714"  # a conversation that does not fit
    STORE = "E715"  # a store that cannot be opened, or does not hold what it should
    # The proxy before MCP servers
    LINE = "E820"  # a line that holds no call, or more than one
    LOST = "E821"  # the server is gone
    SILENT = "E822"  # the server does not answer in time
    LISTING = "E823"  # a server's list of tools that is none, does not end, or cannot be shown
    ANSWER = "E824"  # a server's answer that is no message of MCP


class RepairCode(StrEnum):
    """The stable codes of what lenient reading repairs: a closed table."""

    # Around calls
    PROSE = "L101"  # text that is no call is passed over
    FRAME = "L102"  # a fence, backticks, a list mark, a label, a tag or brackets around calls
    LINES = "L103"  # lines divided otherwise: CRLF, indents, blank lines, groups not one a line
    SIGIL = "L104"  # another sigil than `!call `, or none where one is needed
    # Other notations
    JSON = "L105"  # a call, or a value, in JSON
    XML = "L106"  # parameters as elements
    # Names and order
    NAME = "L107"  # a tool or a parameter in other case, or with `-` for `_`
    LABEL = "L108"  # a listed string in other case
    KEY = "L109"  # a colon after a key
    ORDER = "L110"  # positional arguments after keyed ones
    # Lexemes
    SEPARATOR = "L111"  # space, commas, comments or full stops that do not belong, or lack
    CLOSER = "L112"  # a closing bracket is missing
    BRACKETS = "L113"  # brackets of another kind
    QUOTES = "L114"  # other quotes, or a line end between quotes
    ESCAPE = "L115"  # backslashes that escape
    BARE = "L116"  # a string that needs quotes has none
    LENGTH = "L117"  # a wrong length, or the tag of another kind
    # Values
    LITERAL = "L118"  # `True`, `None` for `true`, `null`
    NUMBER = "L119"  # `+5`, `007`, `1_000` for `5`, `7`, `1000`
    KIND = "L120"  # quotes around a value that is no string, or none around digits in JSON
    NULL = "L121"  # null for an optional argument that is left out
    # Doubt: the text cannot say whether the call is meant, and none is taken unless asked for
    EXAMPLE = "L122"  # in a fence, beside other text
    SENTENCE = "L123"  # in the middle of a line of prose
    DAMAGE = "L124"  # after something that could not be read to its end
    ECHO = "L125"  # after a tool's answer or another's turn, or where a thought may not be over
    LEFT = "L126"  # what is left over beside it, or in a value, may be a part of its arguments
    CUT = "L127"  # its last value may go on: nothing shows that the text is whole
    # A string again
    BACKSLASH = "L128"  # an escape that the notation does not have: all backslashes are kept


def pointer(path: Iterable[str | int]) -> str:
    """Get a JSON Pointer (RFC 6901)."""
    return "".join([f"/{escape(str(step))}" for step in path])


def escape(step: str) -> str:
    """Get a step of a JSON Pointer as it is written (RFC 6901)."""
    return step.replace("~", "~0").replace("/", "~1")


Hint: TypeAlias = str | Callable[[], str | None] | None
"""A hint, or what looks for one."""


class LTONError(Exception):
    """The base of every error of this package.

    `code` is a `Code`, `msg` one sentence, `hint` what would have worked (or None).
    """

    def __init__(self, code: Code, msg: str, *, hint: Hint = None) -> None:
        self.code = code
        self.msg = msg
        self._hint = hint
        self.args = (msg,)

    @property
    def hint(self) -> str | None:
        # To look for a hint may cost more than to read did: it is looked for when asked for.
        if callable(self._hint):
            self._hint = self._hint()
        return self._hint

    @hint.setter
    def hint(self, hint: Hint) -> None:
        self._hint = hint

    def __reduce__(self) -> tuple[Any, ...]:
        # Worker processes send errors home; by default only `args` would come along.
        self._hint = self.hint
        return __newobj__, (type(self), *self.args), self.__dict__

    def _place(self) -> str:
        return ""

    def __str__(self) -> str:
        hint = f"; {self.hint}" if self.hint else ""
        return f"{self.msg}{hint}{self._place()} [{self.code}]"


class DecodeError(LTONError, ValueError):
    """Text that cannot be read.

    `doc` is the text and `pos` the 0-based index in it that `Code` describes. A `Decoder` has
    forgotten what it has read: there `doc` begins with the call of the error, at `start`, on line
    `first_line` in `first_column`, and `pos` still counts from the beginning of the whole text.
    `path` is a JSON Pointer into the call's arguments ("" for the call itself).
    `line` and `column` count from 1 and are for people.

    >>> DecodeError(Code.TYPE, "expected an integer", doc="f x", pos=2, path="/days").column
    3
    """

    start = 0
    first_line = first_column = 1

    def __init__(
        self,
        code: Code,
        msg: str,
        *,
        doc: str,
        pos: int,
        path: str = "",
        hint: Hint = None,
    ) -> None:
        LTONError.__init__(self, code, msg, hint=hint)
        self.doc = doc
        self.pos = pos
        self.path = path

    @property
    def line(self) -> int:
        return self.first_line + self.doc.count("\n", 0, self.pos - self.start)

    @property
    def column(self) -> int:
        pos = self.pos - self.start
        newline = self.doc.rfind("\n", 0, pos)
        return pos - newline if newline >= 0 else pos + self.first_column

    def _place(self) -> str:
        at = f", at {self.path}" if self.path else ""
        return f" (line {self.line}, column {self.column}{at})"

    def picture(self, width: int = 76) -> str:
        r"""Get the line of the error, cut to `width` characters, with a caret below the place.

        What cannot be printed is shown as U+FFFD.

        >>> error = DecodeError(Code.TYPE, "expected an integer", doc="f 1\nf x 2", pos=6)
        >>> print(error.picture())
        f x 2
          ^
        """
        pos = self.pos - self.start
        end = self.doc.find("\n", pos)
        end = len(self.doc) if end < 0 else end
        left = max(0, pos - self.column + 1, min(pos - width // 2, end - width))
        before, after = _shown(self.doc[left:pos]), _shown(self.doc[pos : min(end, left + width)])
        return f"{before}{after}\n{_blank(before)}^"


def _shown(text: str) -> str:
    """Make visible what a terminal would obey, or could not encode."""
    return "".join(char if char.isprintable() or char == "\t" else "\ufffd" for char in text)


def _blank(text: str) -> str:
    """Spaces that fill as many terminal cells as the text does."""
    return "".join(
        char if char == "\t" else " " * _CELLS.get(unicodedata.east_asian_width(char), 1)
        for char in text
        if not unicodedata.combining(char)
    )


_CELLS = {"W": 2, "F": 2}


class IncompleteError(DecodeError, EOFError):
    """Text that ends inside a lexeme or a group, and is right before it: most often cut off."""


class _PathError(LTONError):
    """An error in a part of a value: `path` is a JSON Pointer to that part."""

    def __init__(self, code: Code, msg: str, *, path: str = "", hint: Hint = None) -> None:
        super().__init__(code, msg, hint=hint)
        self.path = path

    def _place(self) -> str:
        return f" (at {self.path})" if self.path else ""


class EncodeError(_PathError, ValueError):
    """A call that cannot be written. `path` is a JSON Pointer into its arguments."""


class SchemaError(LTONError, ValueError):
    """A tool definition that cannot be compiled, or had. `pointer` is a JSON Pointer into it."""

    def __init__(self, code: Code, msg: str, *, pointer: str = "", hint: Hint = None) -> None:
        super().__init__(code, msg, hint=hint)
        self.pointer = pointer

    def _place(self) -> str:
        return f" (at {self.pointer or '/'})"


class GrammarError(LTONError, ValueError):
    """A grammar that an engine refuses, or did not apply: nothing it wrote can be trusted."""


class ContextFullError(LTONError):
    """A model has no room for what it is to read, or to write."""


class ServerError(LTONError):
    """A server, of tools or of a model, that does not start, or does not answer as it should."""


class ConversionError(_PathError, ValueError):
    """What is no chat message, or has no place in another form of chat.

    `path` is a JSON Pointer into what was to be converted.
    """

    def __init__(self, msg: str, *, path: str = "", hint: Hint = None) -> None:
        super().__init__(Code.CONVERSION, msg, path=path, hint=hint)


class StoreError(LTONError):
    """A store that cannot be opened, or does not hold what it should."""


class IngestError(LTONError, ValueError):
    """What cannot be ingested, and an audit log or an artifact that is not what was written."""


class TranscriptError(LTONError, ValueError):
    """What a transcript cannot take, show, or give back."""


class MissingExtraError(LTONError, ImportError):
    """An optional library that a function needs is not installed; the message says how to."""


class SectionError(LTONError, ValueError):
    """What cannot be laid out: a section with a weight of NaN, a budget that is negative, …"""

    def __init__(self, msg: str, *, hint: Hint = None) -> None:
        super().__init__(Code.SECTION, msg, hint=hint)


_NAMED = 10
"""Of more sections a message names the largest."""


class CriticalOverflowError(LTONError, ValueError):
    """The critical sections do not fit: nothing was rendered, nothing may be sent.

    `sizes` are the sections that must be shown, each with its size, in their order; `required`
    is what they take together, and `budget` what there is, all in `units`.

    >>> error = CriticalOverflowError([("system", 80), ("tools", 50)], 130, budget=100)
    >>> print(error)
    the critical sections take 130 tokens of 100: system 80, tools 50 [E701]
    """

    def __init__(
        self, sizes: Iterable[tuple[str, int]], required: int, *, budget: int, units: str = "tokens"
    ) -> None:
        self.sizes = tuple(sizes)
        self.required = required
        self.budget = budget
        self.units = units
        largest = sorted(self.sizes, key=lambda each: each[1], reverse=True)
        shown = self.sizes if len(self.sizes) <= _NAMED else largest[:_NAMED]
        named = ", ".join(f"{name} {size:,}" for name, size in shown)
        if len(shown) < len(self.sizes):
            named += f", and {len(self.sizes) - len(shown):,} smaller ones"
        msg = f"the critical sections take {required:,} {units} of {budget:,}: {named}"
        super().__init__(Code.OVERFLOW, msg)


class InvariantError(LTONError):
    """A rendered context breaks what must hold. It is not handed out; the library is at fault."""

    def __init__(self, msg: str) -> None:
        super().__init__(Code.INVARIANT, msg)


class SkillError(LTONError, ValueError):
    """A skill that is not there or not allowed, or a SKILL.md that is none."""

    def __init__(self, msg: str, *, hint: Hint = None) -> None:
        super().__init__(Code.SKILL, msg, hint=hint)
