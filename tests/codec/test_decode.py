"""Test that texts are read exactly, or refused with a code, a position and a path."""

import pytest

from lton import Call, DecodeError, Decoder, IncompleteError, ToolSet, decode, encode
from lton._syntax import FORMS, MAX_DEPTH, Form
from lton.codec._decode import find_errors, iterate_calls_and_errors
from lton.errors import Code
from tests.cases import (
    BAD,
    BAD_CALLS,
    BAD_TOOLS,
    F_ANY,
    F_INT,
    F_STR,
    GOOD,
    INT,
    READ,
    STR,
    WEATHER,
    Bad,
    Good,
    Read,
    exact,
    loop_over,
    outcome,
    taking,
    tool,
    tools_of,
)

KEYED: tuple[Form, ...] = ("keyed", "punctuated")


@loop_over(GOOD, FORMS)
def test_decode_reads_the_canonical_text(case: Good, form: str) -> None:
    """Each form is read back as the calls from which it was written."""
    assert exact(decode(getattr(case, form), case.tools)) == exact(case.calls)


@loop_over(READ)
def test_decode_reads_what_is_not_canonical(case: Read) -> None:
    """Texts that the grammar allows are read, even if the encoder does not write them."""
    assert exact(decode(case.text, case.tools)) == exact(case.calls)


@loop_over(BAD)
def test_decode_refuses(case: Bad) -> None:
    """A wrong text is refused with its code, position, path and hint."""
    with pytest.raises(DecodeError) as caught:
        decode(case.text, case.tools)
    error = caught.value
    assert (error.code, error.pos, error.path) == (case.code, case.pos, case.path)
    assert error.doc == case.text
    assert isinstance(error, IncompleteError) == (case.code == Code.INCOMPLETE)
    if case.hint is not None:
        assert case.hint in (error.hint or "")
        assert bool(case.hint) == bool(error.hint)


def test_every_code_has_a_case() -> None:
    """Each code of the core is the outcome of at least one case.

    E303 occurs only in chunks, and E506 depends on how a schema is checked (`tests/schema`).
    """
    tables = (BAD, BAD_CALLS, BAD_TOOLS)
    tried = {case.code for table in tables for case in table}
    assert tried == {code for code in Code if code < Code.EXTRA} - {
        Code.CALL_SIZE,
        Code.CHECK_SIZE,
    }


@pytest.mark.parametrize("table", [GOOD, READ, BAD, BAD_CALLS, BAD_TOOLS])
def test_cases_have_names_of_their_own(table: list[Good]) -> None:
    """The names of the cases in a table are unique."""
    names = [case.name for case in table]
    assert len(names) == len(set(names))


@loop_over([case for case in GOOD if "\n" not in case.wire])
def test_a_cut_text_is_incomplete_or_another_call(case: Good) -> None:
    """A text without its end is incomplete, lacks an argument, or is a shorter call."""
    words = {Code.TOOL, Code.TYPE, Code.LABEL, Code.NUMBER, Code.SURPLUS, Code.ORDER}
    allowed = {Code.INCOMPLETE, Code.MISSING, *words}
    for end in range(1, min(len(case.wire), 80)):
        result = outcome(case.wire[:end], case.tools)
        assert isinstance(result, list) or result.code in allowed


def test_a_later_call_has_its_own_positions() -> None:
    """Positions and lines count from the beginning of the text, not of the call."""
    with pytest.raises(DecodeError) as caught:
        decode("stop\nweather.v1 Paris x", WEATHER)
    error = caught.value
    assert (error.code, error.pos, error.line, error.column) == (Code.TYPE, 22, 2, 18)


def test_lone_digits_are_not_numbers_of_other_scripts() -> None:
    """Only ASCII digits form a number or a length (R-304, R-307)."""
    with pytest.raises(DecodeError) as caught:
        decode("f s\u0661:a", F_STR)
    assert (caught.value.code, caught.value.pos) == (Code.SYNTAX, 3)


def test_hints_name_near_misses_only() -> None:
    """An error for a name that is unlike every declared name has no hint."""
    with pytest.raises(DecodeError) as caught:
        decode("zzzzzz", WEATHER)
    assert (caught.value.code, caught.value.pos, caught.value.hint) == (Code.TOOL, 0, None)


def test_a_refused_lexeme_is_cut_in_the_message() -> None:
    """An error message shows only the beginning of a long lexeme."""
    with pytest.raises(DecodeError) as caught:
        decode("f " + "x" * 10_000, taking({"type": "integer"}))
    assert (caught.value.code, caught.value.pos) == (Code.TYPE, 2)
    assert len(caught.value.msg) < 120


def test_text_with_newlines_is_one_line_of_calls() -> None:
    """Counted strings and fences may contain newlines, and the call continues after them
    (R-301).
    """
    calls = decode("f s3:a\nb\nf ```\nf x\n```\nf z", F_STR)
    assert [call.arguments["x"] for call in calls] == ["a\nb", "f x", "z"]


def test_content_never_becomes_syntax() -> None:
    """A string that looks like the rest of a call is read back as the same string (§14)."""
    text = 'x\' "y" )]}\n!call stop\n()\n& z=1 s3:abc'
    call = Call("f", {"x": [text, {text: text}]})
    for form in KEYED:
        assert decode(encode(call, F_ANY, form=form), F_ANY) == [call]


def test_a_union_is_read_by_its_first_character() -> None:
    """The first character of a lexeme decides which kind of a union it is (R-414)."""
    union = {"type": ["string", "integer", "array", "object", "null", "boolean"]}
    tools = tools_of(tool("f", {"x": {"items": union}}, ["x"]))
    (call,) = decode("f [a 1 [2] {b 3} null true]", tools)
    assert call.arguments["x"] == ["a", 1, [2], {"b": 3}, None, True]


def test_the_first_error_of_all_is_that_of_decode() -> None:
    """`find_errors` finds no error if `decode` finds none; otherwise its first error is the
    same.
    """
    texts = [(case.text, case.tools) for case in READ]
    # answers are no errors in themselves
    texts += [(case.text, case.tools) for case in BAD if case.code != Code.FRAME]
    for text, tools in texts:
        errors = find_errors(text, tools)
        result = outcome(text, tools)
        if isinstance(result, list):
            assert errors == []
        else:
            places = [(error.code, error.pos, error.path) for error in errors]
            assert places[0] == (result.code, result.pos, result.path)
            assert all(isinstance(error.msg, str) for error in (result, *errors))
            assert [error.pos for error in errors] == sorted(error.pos for error in errors)


def test_every_error_of_a_call_is_found() -> None:
    """A call with a value that the schema refuses is read further, and later arguments are checked
    too.
    """
    places = [(error.code, error.pos) for error in find_errors("weather.v1 Paris x K", WEATHER)]
    assert places == [(Code.TYPE, 17), (Code.LABEL, 19)]
    tools = ToolSet.from_prompt("wait(minutes:int why? n?:num)")
    paths = [
        (error.code, error.path)
        for error in find_errors("wait 1e999 a 1 7 [1 {a 1 a 2}] minutes=x", tools)
    ]
    assert paths == [
        (Code.NUMBER, "/minutes"),
        (Code.SURPLUS, ""),
        (Code.SURPLUS, ""),
        (Code.DUPLICATE, "/5/1"),
        (Code.DUPLICATE, ""),
        (Code.TYPE, "/minutes"),
    ]


def test_errors_behind_what_cannot_be_read_are_found() -> None:
    """After an unreadable part, reading continues at the next line that begins like a call."""
    text = "weather.v1 'Paris\nnot a call\nstop 1\n!call stop x\n& 2\n!result stop ]\nstop\n"
    places = [(error.code, error.line) for error in find_errors(text, WEATHER)]
    assert places == [
        (Code.UNCLOSED, 1),
        (Code.SURPLUS, 3),
        (Code.SURPLUS, 4),
        (Code.SURPLUS, 5),
        (Code.SYNTAX, 6),
    ]
    assert [error.code for error in find_errors("f\n!call f\n(", None)] == ["E212", "E110"]


def test_errors_in_a_group_that_is_read_past_are_found() -> None:
    """The value of a repeated key and the text after it are checked like any other."""
    errors = find_errors("f {a [1] a [x 1e999] b 1e999}", F_ANY)
    assert [(error.code, error.pos, error.path) for error in errors] == [
        (Code.DUPLICATE, 9, "/x"),
        (Code.NUMBER, 14, "/x/a/1"),
        (Code.NUMBER, 23, "/x/b"),
    ]


@pytest.mark.parametrize(
    ("text", "tools", "code", "pos"),
    [
        ('f "a', taking(INT), Code.TYPE, 2),  # no key can be made of it, and no integer
        ("f x=1 )", taking(INT), Code.SYNTAX, 6),
        ("f 1,,", taking(INT), Code.SYNTAX, 4),
        ("g s1:a b 7", tools_of(tool("g", {"x": STR, "n": INT}, ["x", "n"])), Code.TYPE, 7),
    ],
)
def test_errors_that_could_be_told_otherwise(
    text: str, tools: ToolSet, code: Code, pos: int
) -> None:
    """The error describes the text found, and suspects a length only if text is left over."""
    with pytest.raises(DecodeError) as caught:
        decode(text, tools)
    assert (caught.value.code, caught.value.pos, caught.value.hint) == (code, pos, None)


def test_an_answer_has_a_space_after_its_name() -> None:
    """R-426: an answer has a space after its name, because parentheses belong to calls."""
    decoder = Decoder(WEATHER)
    decoder.feed("!result stop(1)\n")
    with pytest.raises(DecodeError) as caught:
        list(decoder)
    assert (caught.value.code, caught.value.pos) == (Code.SYNTAX, 12)


def test_an_answer_nests_as_deep_as_a_call() -> None:
    """R-1101: the value of an answer may be nested as deep as an argument, and no deeper."""
    for depth, code in ((MAX_DEPTH, None), (MAX_DEPTH + 1, Code.DEPTH)):
        decoder = Decoder(WEATHER)
        decoder.feed(f"!result stop {'[' * depth}{']' * depth}\n")
        if code is None:
            assert len(list(decoder)) == 1
        else:
            with pytest.raises(DecodeError) as caught:
                list(decoder)
            assert caught.value.code == code


def test_errors_behind_an_empty_line_are_found() -> None:
    """Reading continues at the next line, also after an error at the first character."""
    errors = find_errors("\nf x", taking(INT))
    assert [(error.code, error.pos) for error in errors] == [(Code.SYNTAX, 0), (Code.TYPE, 3)]


@pytest.mark.parametrize(
    ("text", "code", "pos"),
    [
        ("f 1 'ab", Code.SURPLUS, 4),
        ("f x=1 'ab", Code.SURPLUS, 6),
        ("!result f(1)", Code.SYNTAX, 9),
        ("!result f", Code.INCOMPLETE, 9),
    ],
)
def test_what_is_said_of_what_cannot_come(text: str, code: Code, pos: int) -> None:
    """A surplus string is reported even if it is not closed; an answer consists of a name and a
    value.
    """
    error = find_errors(text, F_INT)[0]
    assert (error.code, error.pos) == (code, pos)


def test_an_error_without_a_length_has_no_hint_at_one() -> None:
    """Without a counted string, the error has no hint about a length."""
    with pytest.raises(IncompleteError) as caught:
        decode('weather.v1 "San', WEATHER)
    assert caught.value.hint is None


def test_each_call_is_read_and_each_wrong_line_is_an_error() -> None:
    """Text after an error on its line is not a call, and the next line is read."""
    tools = ToolSet.from_prompt("wait(minutes:int)")
    text = "wait 5\nwait seven\nwait 9\nwait 1 2"
    items = [*iterate_calls_and_errors(text, tools)]
    assert [item for item in items if isinstance(item, Call)] == [
        Call("wait", {"minutes": 5}),
        Call("wait", {"minutes": 9}),
    ]
    assert [isinstance(item, DecodeError) for item in items] == [False, True, False, True]
    assert [*iterate_calls_and_errors("wait{minutes 5}")] == [Call("wait", {"minutes": 5})]


@pytest.mark.parametrize("text", ["wait ```\nwait 5\n``` x\nwait 6", "wait s9:a\nwait 5"])
def test_a_wrong_call_that_may_go_on_in_the_next_line_ends_all(text: str) -> None:
    """After a wrong call that may continue on the next line, nothing more is read, because calls
    there may be strings.
    """
    tools = ToolSet.from_prompt("wait(minutes:int)")
    with pytest.raises(DecodeError):
        [*iterate_calls_and_errors(text, tools)]
