"""Use only the general code, for tests that compare it with the compiled readers and writers."""

import enum
from collections.abc import Iterable

from lton import Call, LTONError, ToolSet, decode, encode
from lton._syntax import Form
from lton.codec._decode import _read_call
from lton.codec._encode import _STYLES, _write_call
from lton.codec._stops import Wrong

FORMS: list[Form] = ["wire", "keyed", "punctuated"]
"""The forms that are compiled."""


# Values of derived types: only the general writer takes them.


class One(enum.IntEnum):
    VALUE = 1


class Label(enum.StrEnum):
    C = "C"
    SPACED = "a b"


class Mixed(str, enum.Enum):  # noqa: UP042 - formatted, it is not its value
    C = "C"
    SPACED = "a b"


class Text(str):
    __slots__ = ()


class Real(float):
    __slots__ = ()


def show(calls: Iterable[Call]) -> str:
    """Return calls as text in which 1, 1.0 and true, and different orders, differ."""
    return repr([(call.name, call.arguments) for call in calls])


def read_generally(text: str, tools: ToolSet) -> list[Call]:
    """Return the calls of a text, from the general reader only."""
    calls: list[Call] = []
    pos = 0
    while pos < len(text):
        read = _read_call(text, pos, tools, calls[-1] if calls else None)
        if isinstance(read, Wrong):
            raise read.to_decode_error(text)
        call, pos = read
        calls.append(call)
    return calls


def write_generally(calls: Iterable[Call], tools: ToolSet, form: Form) -> str:
    """Return the text of calls, from the general writer only."""
    lines: list[str] = []
    above: str | None = None
    for call in calls:
        style = _STYLES[form]
        lines.append(_write_call(call, tools, form, style, above, fingerprint=False))
        above = call.name
    return "\n".join(lines)


def _failure(error: LTONError) -> tuple[object, ...]:
    return type(error), error.code, getattr(error, "pos", None), getattr(error, "path", None)


def check_reading(text: str, tools: ToolSet) -> bool:
    """Check that both readers give the same calls or the same error; return whether they give
    calls.
    """
    actual: object
    expected: object
    try:
        expected = show(read_generally(text, tools))
    except LTONError as error:
        expected = _failure(error)
    try:
        actual = show(decode(text, tools))
    except LTONError as error:
        actual = _failure(error)
    assert actual == expected
    return isinstance(expected, str)


def check_writing(calls: Iterable[Call], tools: ToolSet, form: Form) -> bool:
    """Check that both writers give the same text or the same error; return whether they give
    text.
    """
    calls = list(calls)
    actual: object
    expected: object
    try:
        expected = write_generally(calls, tools, form)
    except LTONError as error:
        expected = _failure(error)
    try:
        actual = encode(calls, tools, form=form)
    except LTONError as error:
        actual = _failure(error)
    assert actual == expected
    return isinstance(expected, str)
