"""Define the exceptions, the error codes and the repair codes.

    LTONError
    ├── DecodeError (ValueError)        text that is not LTON, or not a call to these tools
    │   └── IncompleteError (EOFError)  text that ends too early, such as truncated output
    ├── EncodeError (ValueError)        a call that the tools do not allow
    ├── SchemaError (ValueError)        a tool definition that cannot be loaded or compiled
    ├── GrammarError (ValueError)       a grammar that an engine refused or did not apply
    ├── ContextFullError                a model's context is too small for its input or output
    ├── ServerError                     a server does not start or answer properly
    ├── ConversionError (ValueError)    an invalid or inconvertible chat message
    ├── MissingExtraError (ImportError) an optional library is not installed
    ├── SectionError (ValueError)       an invalid section or budget of a context
    ├── CriticalOverflowError (ValueError) required sections that do not fit
    ├── InvariantError                  a context that breaks a guarantee, never returned
    ├── SkillError (ValueError)         a missing or invalid skill
    ├── StoreError                      a store that cannot be opened or lacks its contents
    └── TranscriptError (ValueError)    an invalid message, reference, file or pattern

Codes, attributes and classes are part of the API; the wording of messages is not.
"""

import unicodedata
from collections.abc import Callable, Iterable
from copyreg import __newobj__  # type: ignore[attr-defined] # pickle can load it
from enum import StrEnum
from typing import Any, Self, TypeAlias


class Code(StrEnum):
    """The error codes (spec §9). Comments explain each code and its `pos`."""

    # Syntax: pos is the first character that is not allowed.
    SYNTAX = "E101"  # a character that is not expected here
    UNCLOSED = "E102"  # a quoted string does not end on its line; pos: its opening quote
    COUNT = "E103"  # a counted string does not end where a value can end; pos: after it
    PREFIX = "E104"  # a length prefix with a leading zero or too many digits; pos: the prefix
    NUMBER = "E105"  # a number outside the data model (-0, 1e999); pos: its start
    FENCE = "E106"  # a fence that is not followed by a newline; pos: after its backticks or `+`
    ORDER = "E107"  # a positional argument after a keyed one; pos: its start
    CHARACTER = "E108"  # NUL or a lone surrogate; pos: that character
    PAYLOAD = "E109"  # a tagged atom whose payload does not fit its kind; pos: the atom
    INCOMPLETE = "E110"  # the text ends too early; pos: its end
    # Schema: pos is the start of the name or value that is not declared.
    TOOL = "E201"  # no such tool
    PARAMETER = "E202"  # no such parameter
    TYPE = "E203"  # a value of a kind that is not allowed here
    LABEL = "E204"  # a value that is not one of those listed in the schema
    MISSING = "E205"  # a required argument is missing; pos: the end of the arguments
    DUPLICATE = "E206"  # a duplicate argument or key; pos: the second occurrence
    SURPLUS = "E207"  # more positional arguments than parameters
    BOUNDS = "E208"  # a value that is too small, too large, too short or too long
    FINGERPRINT = "E209"  # the call was written for a different layout
    SKIP = "E210"  # `_` for a required argument
    REPEAT = "E211"  # `&` without a call above it
    SCHEMALESS = "E212"  # a form that can only be read with tools
    FRAME = "E213"  # an answer, although only calls are read; pos: its `!`
    CONSTRAINT = "E214"  # the layout allows the value, the schema does not; pos: its start
    # Limits: pos is the place where the limit was exceeded.
    DEPTH = "E301"  # values are nested too deep
    DIGITS = "E302"  # a number with too many digits
    CALL_SIZE = "E303"  # a call longer than the limit of a stream reader
    # Encoding
    VALUE = "E401"  # a value outside the data model (NaN, NUL, an object of another type, …)
    # Schemas
    KEYWORD = "E501"  # an unsupported keyword of JSON Schema, or an unsupported use of a keyword
    DEFINITION = "E502"  # an invalid tool definition
    NAMES = "E503"  # two tools with the same name
    REFERENCE = "E504"  # a `$ref` to itself or to no schema
    SCHEMA_SIZE = "E505"  # a schema with too many positions
    CHECK_SIZE = "E506"  # arguments that take too many steps to check; pos: their end
    # Integrations
    EXTRA = "E601"  # an optional library is not installed
    GRAMMAR = "E602"  # an engine refused a grammar or did not apply it
    SERVER = "E603"  # an MCP or model server does not start or answer properly
    MODEL = "E604"  # the file of a model is missing or cannot be loaded
    CONTEXT = "E605"  # the context of a model is full
    CONVERSION = "E606"  # an invalid chat message, or an example that cannot be converted
    # Contexts
    OVERFLOW = "E701"  # the critical sections do not fit the budget
    INVARIANT = "E702"  # a rendered context violates a guarantee, because of a bug in the library
    SECTION = "E703"  # an invalid section, answer of a strategy, budget or unit
    SKILL = "E704"  # a missing or forbidden skill, or an invalid SKILL.md
    DIRECTIVE = "E705"  # an invalid or unclosed directive; pos: its line
    SOURCE = "E706"  # input that cannot be ingested: a missing file, no text, an invalid ratio
    CHANGED = "E707"  # an audit log or an artifact that was changed
    PAIRING = "E710"  # a result without its call, or a call without its result
    POINTER = "E711"  # a pointer to a missing result of this conversation, or to a missing skill
    FILE = "E712"  # a missing file or a missing part of it, or nothing to extract
    PATTERN = "E713"  # an invalid pattern, or one that takes too much work
    WINDOW = "E714"  # a conversation that does not fit the window
    STORE = "E715"  # a store that cannot be opened or lacks its contents
    # The proxy in front of MCP servers
    LINE = "E820"  # a line that contains no call or several calls
    LOST = "E821"  # the server has exited
    SILENT = "E822"  # the server does not answer in time
    LISTING = "E823"  # a server's list of tools is invalid, endless or cannot be shown
    ANSWER = "E824"  # a server's answer is not an MCP message


class RepairCode(StrEnum):
    """The codes of the repairs that the lenient reader makes. `msg` explains each code."""

    msg: str

    def __new__(cls, code: str, msg: str) -> Self:
        member = str.__new__(cls, code)
        member._value_ = code
        member.msg = msg
        return member

    # Around calls
    PROSE = "L101", "text that is not a call was skipped"
    FRAME = "L102", "a fence, backticks, a list mark, a label, a tag or brackets around calls"
    LINES = "L103", "other line breaks: CRLF, indents, blank lines, several groups on a line"
    SIGIL = "L104", "a wrong or missing sigil"
    # Other notations
    JSON = "L105", "a call or a value is in JSON"
    XML = "L106", "parameters are elements"
    # Names and order
    NAME = "L107", "a tool or parameter in different case, or with `-` instead of `_`"
    LABEL = "L108", "a listed string in different case"
    KEY = "L109", "a colon after a key"
    ORDER = "L110", "positional arguments after keyed ones"
    # Lexemes
    SEPARATOR = "L111", "extra or missing spaces, commas, comments or full stops"
    CLOSER = "L112", "a closing bracket is missing"
    BRACKETS = "L113", "brackets of another kind"
    QUOTES = "L114", "other quotes, or a line end between quotes"
    ESCAPE = "L115", "backslashes that escape a character"
    BARE = "L116", "a string lacks the necessary quotes"
    LENGTH = "L117", "a wrong length, or a tag of another kind"
    # Values
    LITERAL = "L118", "`True` or `None` instead of `true` or `null`"
    NUMBER = "L119", "`+5`, `007`, `1_000` instead of `5`, `7`, `1000`"
    KIND = "L120", "quotes around a value that is not a string, or missing around digits in JSON"
    NULL = "L121", "null for an omitted optional argument"
    # Doubt: the call may not be intended, so it is accepted only on request
    EXAMPLE = "L122", "the call may be an example: it is in code, or has a placeholder"
    SENTENCE = "L123", "the call is in the middle of a line of prose"
    DAMAGE = "L124", "the call follows text that could not be read to its end"
    ECHO = "L125", "the call follows an answer or another turn, or is in an open thought"
    LEFT = "L126", "leftover text next to the call, or in a value, may belong to its arguments"
    CUT = "L127", "the last value of the call may continue: the text may be cut off"
    # More about strings
    BACKSLASH = "L128", "an escape that the notation does not have: all backslashes are kept"
    # More doubt
    BESIDE = (
        "L129",
        "other text is next to the call, and nothing shows that its syntax is the model's",
    )
    SEEN = "L130", "the call is in a text that the model was given"


def pointer(path: Iterable[str | int]) -> str:
    """Convert a path to a JSON Pointer (RFC 6901)."""
    return "".join([f"/{escape(str(step))}" for step in path])


def escape(step: str) -> str:
    """Escape a step of a JSON Pointer (RFC 6901)."""
    return step.replace("~", "~0").replace("/", "~1")


def unescape(step: str) -> str:
    """Return the name that `escape` has escaped."""
    return step.replace("~1", "/").replace("~0", "~")


Hint: TypeAlias = str | Callable[[], str | None] | None  # a hint, or a function that finds one


class LTONError(Exception):
    """The base class of all errors that this package raises.

    `code` is a `Code`, `msg` is one sentence, and `hint` suggests a fix (or is None).
    """

    def __init__(self, code: Code, msg: str, *, hint: Hint = None) -> None:
        self.code = code
        self.msg = msg
        self._hint = hint
        self.args = (msg,)

    @property
    def hint(self) -> str | None:
        # Finding a hint may take longer than reading, so the hint is found only on request.
        if callable(self._hint):
            self._hint = self._hint()
        return self._hint

    @hint.setter
    def hint(self, hint: Hint) -> None:
        self._hint = hint

    def __reduce__(self) -> tuple[Any, ...]:
        # Worker processes send errors back, and by default only `args` would be pickled.
        self._hint = self.hint
        return __newobj__, (type(self), *self.args), self.__dict__

    def _describe_location(self) -> str:
        return ""

    def __str__(self) -> str:
        hint = f"; {self.hint}" if self.hint else ""
        return f"{self.msg}{hint}{self._describe_location()} [{self.code}]"


class DecodeError(LTONError, ValueError):
    """Raised for text that cannot be decoded.

    `doc` is the text, and `pos` is a 0-based index into the text (see `Code`). A `Decoder` keeps
    only the current call, so its `doc` begins with that call, at `start`, on line `first_line` in
    `first_column`. `pos` still counts from the start of the whole text. `path` is a JSON Pointer
    into the call's arguments ("" for the call itself). `line` and `column` are for people, and
    count from 1.

    >>> DecodeError(Code.TYPE, "expected an integer", doc="f x", pos=2, path="/days").column
    3
    """

    start = 0
    first_line = first_column = 1

    def __init__(
        self, code: Code, msg: str, *, doc: str, pos: int, path: str = "", hint: Hint = None
    ) -> None:
        super().__init__(code, msg, hint=hint)
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

    def _describe_location(self) -> str:
        at = f", at {self.path}" if self.path else ""
        return f" (line {self.line}, column {self.column}{at})"

    def picture(self, width: int = 76) -> str:
        r"""Return the line that contains the error and, below it, a caret at the error's position.

        Unprintable characters are shown as U+FFFD.

        >>> error = DecodeError(Code.TYPE, "expected an integer", doc="f 1\nf x 2", pos=6)
        >>> print(error.picture())
        f x 2
          ^
        """
        pos = self.pos - self.start
        end = self.doc.find("\n", pos)
        end = len(self.doc) if end < 0 else end
        first = max(0, pos - self.column + 1, min(pos - width // 2, end - width))
        before = _replace_unprintable(self.doc[first:pos])
        after = _replace_unprintable(self.doc[pos : min(end, first + width)])
        return f"{before}{after}\n{_blank_for_caret(before)}^"


def _replace_unprintable(text: str) -> str:
    """Replace unprintable characters other than tabs with U+FFFD."""
    return "".join(char if char.isprintable() or char == "\t" else "\ufffd" for char in text)


def _blank_for_caret(text: str) -> str:
    """Return white space that is as wide as a string is in a terminal."""
    return "".join(
        char if char == "\t" else " " * _CELLS.get(unicodedata.east_asian_width(char), 1)
        for char in text
        if not unicodedata.combining(char)
    )


_CELLS = {"W": 2, "F": 2}


class IncompleteError(DecodeError, EOFError):
    """Raised for text that ends inside a lexeme or a group, usually because it was cut off."""


class _PathError(LTONError):
    """An error with a `path`, which is a JSON Pointer to the invalid part of a value."""

    def __init__(self, code: Code, msg: str, *, path: str = "", hint: Hint = None) -> None:
        super().__init__(code, msg, hint=hint)
        self.path = path

    def _describe_location(self) -> str:
        return f" (at {self.path})" if self.path else ""


class EncodeError(_PathError, ValueError):
    """Raised for a call that cannot be encoded. `path` is a JSON Pointer into its arguments."""


class SchemaError(LTONError, ValueError):
    """Raised for an invalid tool definition. `pointer` is a JSON Pointer into the definitions."""

    def __init__(self, code: Code, msg: str, *, pointer: str = "", hint: Hint = None) -> None:
        super().__init__(code, msg, hint=hint)
        self.pointer = pointer

    def _describe_location(self) -> str:
        return f" (at {self.pointer or '/'})"


class GrammarError(LTONError, ValueError):
    """Raised if an engine refuses a grammar or does not apply it. Do not trust its output."""


class ContextFullError(LTONError):
    """Raised if a model's context is too small for its input or output."""


class ServerError(LTONError):
    """Raised if a tool or model server does not start or answer properly."""


class ConversionError(_PathError, ValueError):
    """Raised for an invalid chat message or example. `path` is a JSON Pointer into the input."""

    def __init__(self, msg: str, *, path: str = "", hint: Hint = None) -> None:
        super().__init__(Code.CONVERSION, msg, path=path, hint=hint)


class StoreError(LTONError):
    """Raised if a store cannot be opened, or if its contents are missing or damaged."""


class IngestError(LTONError, ValueError):
    """Raised for input that cannot be ingested, and for a modified audit log or artifact."""


class TranscriptError(LTONError, ValueError):
    """Raised for an invalid message, reference, file or pattern, or an overlong conversation."""


class MissingExtraError(LTONError, ImportError):
    """Raised if an optional library is missing. The message says how to install it."""


class SectionError(LTONError, ValueError):
    """Raised for an invalid section or budget, such as a negative budget."""

    def __init__(self, msg: str, *, hint: Hint = None) -> None:
        super().__init__(Code.SECTION, msg, hint=hint)


_NAMED = 10  # the maximum number of sections in a message


class CriticalOverflowError(LTONError, ValueError):
    """Raised if the critical sections do not fit the budget. Nothing is rendered.

    `sizes` lists the critical sections in order, each with its size. `required` is the sum of the
    sizes, and `budget` is the limit. Both are in `units`.

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
        largest = sorted(self.sizes, key=lambda pair: pair[1], reverse=True)
        named_sizes = self.sizes if len(self.sizes) <= _NAMED else largest[:_NAMED]
        named = ", ".join(f"{name} {size:,}" for name, size in named_sizes)
        if len(named_sizes) < len(self.sizes):
            named += f", and {len(self.sizes) - len(named_sizes):,} smaller ones"
        msg = f"the critical sections take {required:,} {units} of {budget:,}: {named}"
        super().__init__(Code.OVERFLOW, msg)


class InvariantError(LTONError):
    """Raised if a rendered context violates a guarantee, which is always a bug in this library."""

    def __init__(self, msg: str) -> None:
        super().__init__(Code.INVARIANT, msg)


class SkillError(LTONError, ValueError):
    """Raised for a missing or forbidden skill, and for an invalid SKILL.md."""

    def __init__(self, msg: str, *, hint: Hint = None) -> None:
        super().__init__(Code.SKILL, msg, hint=hint)
