"""Test errors as data and as text."""

import pickle

import pytest

from lton.errors import (
    Code,
    ConversionError,
    CriticalOverflowError,
    DecodeError,
    EncodeError,
    GrammarError,
    IncompleteError,
    IngestError,
    LTONError,
    MissingExtraError,
    SchemaError,
    SectionError,
    ServerError,
    SkillError,
    StoreError,
    TranscriptError,
)


def wrong(doc: str, pos: int, path: str = "", hint: str | None = None) -> DecodeError:
    """Return an error at a position."""
    return DecodeError(Code.TYPE, "expected x", doc=doc, pos=pos, path=path, hint=hint)


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (DecodeError, ValueError),
        (IncompleteError, EOFError),
        (IncompleteError, DecodeError),
        (EncodeError, ValueError),
        (SchemaError, ValueError),
        (GrammarError, ValueError),
        (ConversionError, ValueError),
        (CriticalOverflowError, ValueError),
        (SectionError, ValueError),
        (SkillError, ValueError),
        (IngestError, ValueError),
        (TranscriptError, ValueError),
        (MissingExtraError, ImportError),
    ],
)
def test_each_class_is_also_what_a_caller_would_catch(
    error: type[LTONError], builtin: type[Exception]
) -> None:
    """Every error is an LTONError, and also the builtin that callers expect."""
    assert issubclass(error, LTONError)
    assert issubclass(error, builtin)


def test_codes_are_stable() -> None:
    """The codes are part of the interface, so none is renamed or moved."""
    assert " ".join(f"{code.name}={code}" for code in Code) == (
        "SYNTAX=E101 UNCLOSED=E102 COUNT=E103 PREFIX=E104 NUMBER=E105 FENCE=E106 ORDER=E107"
        " CHARACTER=E108 PAYLOAD=E109 INCOMPLETE=E110 TOOL=E201 PARAMETER=E202 TYPE=E203"
        " LABEL=E204 MISSING=E205 DUPLICATE=E206 SURPLUS=E207 BOUNDS=E208 FINGERPRINT=E209"
        " SKIP=E210 REPEAT=E211 SCHEMALESS=E212 FRAME=E213 CONSTRAINT=E214 DEPTH=E301 DIGITS=E302"
        " CALL_SIZE=E303 VALUE=E401 KEYWORD=E501 DEFINITION=E502 NAMES=E503"
        " REFERENCE=E504 SCHEMA_SIZE=E505 CHECK_SIZE=E506 EXTRA=E601 GRAMMAR=E602 SERVER=E603"
        " MODEL=E604 CONTEXT=E605 CONVERSION=E606 OVERFLOW=E701 INVARIANT=E702"
        " SECTION=E703 SKILL=E704 DIRECTIVE=E705 SOURCE=E706 CHANGED=E707"
        " PAIRING=E710 POINTER=E711 FILE=E712 PATTERN=E713 WINDOW=E714 STORE=E715"
        " LINE=E820 LOST=E821 SILENT=E822 LISTING=E823 ANSWER=E824"
    )


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (LTONError(Code.NAMES, "msg"), "msg [E503]"),
        (LTONError(Code.NAMES, "msg", hint="try"), "msg; try [E503]"),
        (wrong("f\nab", 3), "expected x (line 2, column 2) [E203]"),
        (wrong("f", 0, "/a"), "expected x (line 1, column 1, at /a) [E203]"),
        (wrong("", 0, "/a", "y"), "expected x; y (line 1, column 1, at /a) [E203]"),
        (EncodeError(Code.VALUE, "msg"), "msg [E401]"),
        (EncodeError(Code.VALUE, "msg", path="/a/0"), "msg (at /a/0) [E401]"),
        (SchemaError(Code.KEYWORD, "msg", pointer="/0"), "msg (at /0) [E501]"),
        (SchemaError(Code.KEYWORD, "msg"), "msg (at /) [E501]"),
        (ServerError(Code.SERVER, "msg", hint="try"), "msg; try [E603]"),
        (IngestError(Code.SOURCE, "msg"), "msg [E706]"),
        (StoreError(Code.STORE, "msg"), "msg [E715]"),
        (TranscriptError(Code.POINTER, "msg"), "msg [E711]"),
        (ConversionError("msg"), "msg [E606]"),
        (ConversionError("msg", path="/0/content"), "msg (at /0/content) [E606]"),
    ],
)
def test_str_says_what_where_and_which_code(error: LTONError, text: str) -> None:
    """The text of an error has its message, hint, place and code, in this order."""
    assert str(error) == text


@pytest.mark.parametrize(
    ("doc", "pos", "line", "column"),
    [("", 0, 1, 1), ("ab", 2, 1, 3), ("a\nb", 1, 1, 2), ("a\nb", 2, 2, 1), ("\n\n", 2, 3, 1)],
)
def test_line_and_column_count_from_one(doc: str, pos: int, line: int, column: int) -> None:
    """Lines and columns count from one, and a newline belongs to the line that it ends."""
    error = wrong(doc, pos)
    assert (error.line, error.column) == (line, column)


@pytest.mark.parametrize(
    ("doc", "pos", "picture"),
    [
        ("", 0, "\n^"),
        ("f x", 2, "f x\n  ^"),
        ("f x", 3, "f x\n   ^"),
        ("f 1\nf x\nf 2", 6, "f x\n  ^"),
        ("f 1\nf x", 3, "f 1\n   ^"),
        ("f\t'x", 2, "f\t'x\n \t^"),
        ("f '東京' x", 7, "f '東京' x\n         ^"),
        ("e\u0301 x", 3, "e\u0301 x\n  ^"),
        ("\uff21x", 1, "\uff21x\n  ^"),
    ],
)
def test_picture_points_at_the_place(doc: str, pos: int, picture: str) -> None:
    """The caret is below the position, however wide the characters before it are."""
    assert wrong(doc, pos).picture() == picture


@pytest.mark.parametrize(
    ("pos", "picture"),
    [
        (0, "abcdefghij\n^"),
        (3, "abcdefghij\n   ^"),
        (13, "ijklmnopqr\n     ^"),
        (25, "qrstuvwxyz\n         ^"),
    ],
)
def test_picture_cuts_a_long_line(pos: int, picture: str) -> None:
    """A long line is cut around the position, to the width of the terminal."""
    assert wrong("abcdefghijklmnopqrstuvwxyz", pos).picture(10) == picture


def test_picture_of_a_huge_line_is_small() -> None:
    """The picture of an error in a megabyte of text fits a terminal."""
    line, caret = wrong("x" * 1_000_000, 500_000).picture().split("\n")
    assert (len(line), caret.index("^")) == (76, 38)


@pytest.mark.parametrize(
    "error",
    [
        wrong("f x", 2, "/a", "y"),
        LTONError(Code.NAMES, "msg"),
        ConversionError("msg", path="/0"),
        CriticalOverflowError([("system", 1200)], 1200, budget=1000),
        SkillError("msg", hint="try"),
    ],
)
def test_errors_can_be_pickled(error: LTONError) -> None:
    """A pickled error keeps all its attributes, as worker processes need."""
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (type(error), str(error))


def test_a_picture_has_nothing_that_a_terminal_obeys() -> None:
    """Control characters, marks of direction and lone surrogates are shown as U+FFFD."""
    error = wrong("a\x1b[31m\u202e\ud800\tb x", 9)
    assert error.picture() == "a\ufffd[31m\ufffd\ufffd\tb x\n" + " " * 8 + "\t^"
