"""Test short names: the same choice everywhere, in every form, and not part of a call."""

from typing import Any

import pytest

import lton
from lton import (
    Call,
    DecodeError,
    Decoder,
    EncodeError,
    SchemaError,
    ToolSet,
    decode,
    decode_lenient,
    encode,
)
from lton._syntax import FORMS, Form
from lton.codec._decode import find_errors
from lton.errors import Code
from lton.schema import Result
from lton.schema.diff import find_losses
from lton.schema.shown.aliases import make_aliases
from lton_bench import bfcl
from tests.cases import INT, STR, tool, tools_of

PLAIN = tools_of(
    tool("weather.v1", {"city": STR, "days": INT}, ["city"]),
    tool("read_file", {"path": STR}, ["path"]),
    tool("write_file", {"path": STR}, ["path"]),
)
TOOLS = PLAIN.with_aliases()
CALLS = [
    Call("weather.v1", {"city": "Rome"}),
    Call("weather.v1", {"city": "Paris", "days": 2}),
    Call("read_file", {"path": "x"}),
]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["weather.v1"], ["weather"]),
        (["get_user", "get_users"], ["user", "users"]),
        (["calculate_area"], ["area"]),
        (["get"], ["get"]),
        (["get_v2"], ["get2"]),
        (["findBus", "findTrain"], ["bus", "train"]),
        (["HTTPServerStart"], ["http"]),
        (["turnLeftNow"], ["now"]),
        (["a_bb_c", "7", ""], ["a_bb_c", "7", ""]),
        (["add_todo", "todo_add"], ["add_todo", "todo_add"]),
        (["add.one", "add-one", "one.add"], ["add_one", "one2", "one_add"]),
        (["sum_sum"], ["sum"]),
        (["get_weather", "weather"], ["get_weather", "weather"]),
        (["älter_werden"], ["älter_werden"]),
        ([], []),
    ],
)
def test_an_alias_is_a_word_of_the_name(names: list[str], expected: list[str]) -> None:
    """An alias is the shortest unique word of the name, else two words, a number, or the name
    itself.
    """
    assert list(make_aliases(names).items()) == list(zip(names, expected, strict=True))


def test_aliases_of_bfcl_are_told_apart() -> None:
    """Aliases are unique in every set of BFCL's tools, and always the same."""
    sets = [[tool["function"]["name"] for tool in case.tools] for case in bfcl.load()]
    sets = [names for names in sets if len(set(names)) == len(names)]
    assert sets
    for names in sets:
        names_by_alias = make_aliases(names)
        assert len(set(names_by_alias.values())) == len(names)
        assert names_by_alias == make_aliases(names)


@pytest.mark.parametrize("form", FORMS)
def test_calls_are_written_and_read_with_aliases(form: Form) -> None:
    """Texts contain the alias, and calls the tool's own name."""
    text = encode(CALLS, TOOLS, form=form)
    assert "weather.v1" not in text
    assert decode(text, TOOLS) == CALLS
    assert decode_lenient(text, TOOLS).calls == tuple(CALLS)
    decoder = Decoder(TOOLS)
    decoder.feed(text)
    decoder.close()
    events = list(decoder)
    assert [event.call for event in events if isinstance(event, lton.events.CallEnd)] == CALLS
    assert events[0] == lton.events.CallStart("weather.v1")


def test_the_wire_form_repeats_an_alias() -> None:
    """`&` repeats the previous tool, also with an alias."""
    assert encode(CALLS, TOOLS) == "weather Rome\n& Paris 2\nread x"
    assert encode(CALLS[0], TOOLS, sigil=True) == "!call weather Rome"


def test_answers_have_aliases_too() -> None:
    """Answers name the tool by its alias, like calls."""
    text = encode(Result("read_file", 7), TOOLS)
    assert text == "!result read 7"
    decoder = Decoder(TOOLS)
    decoder.feed(text + "\n")
    assert list(decoder) == [lton.events.Answer(Result("read_file", 7))]


def test_a_tools_own_name_is_no_word_of_its_texts() -> None:
    """The strict reader refuses the tool's own name; the lenient reader accepts it."""
    with pytest.raises(DecodeError) as unread:
        decode("weather.v1 Rome", TOOLS)
    assert unread.value.code == Code.TOOL
    with pytest.raises(EncodeError) as unwritten:
        encode(Call("weather", {"city": "Rome"}), TOOLS)
    assert unwritten.value.code == Code.TOOL
    result = lton.decode_lenient('weather.v1(city="Rome")', TOOLS)
    assert result.calls == (CALLS[0],)
    assert [error.code for error in find_errors("weather.v1 Rome\nread 1 2", TOOLS)] == [
        Code.TOOL,
        Code.SURPLUS,
    ]


def test_signatures_and_fingerprints_have_both_names() -> None:
    """A call that was written with one set of names is refused with another (R-406, R-702)."""
    assert TOOLS.prompt(descriptions=False).split("\n")[0] == "weather=weather.v1(city days?:int)"
    assert TOOLS.prompt().startswith("weather=weather.v1\n city\n")
    for descriptions in (True, False):
        text = TOOLS.prompt(descriptions=descriptions)
        assert ToolSet.from_prompt(text) == TOOLS
    assert TOOLS.fingerprint != PLAIN.fingerprint
    text = encode(CALLS, TOOLS, fingerprint=True)
    assert decode(text, TOOLS) == CALLS
    assert f"weather#{TOOLS.fingerprint_of(TOOLS.tools[0])} " in text
    assert PLAIN.under_aliases is PLAIN


def test_grammars_have_aliases() -> None:
    """A model under the grammar writes the alias, which is read."""
    assert '"weather"' in lton.grammar.to_gbnf(TOOLS, form="wire")
    assert "weather.v1" not in lton.grammar.to_lark(TOOLS, form="wire")


def test_a_change_of_an_alias_is_a_loss() -> None:
    """Changing an alias breaks old calls."""
    assert {loss.why for loss in find_losses(PLAIN, TOOLS)} == {
        "is called 'weather' in texts",
        "is called 'read' in texts",
        "is called 'write' in texts",
    }
    assert find_losses(TOOLS, PLAIN)[0].why == "is called 'weather.v1' in texts"


def test_two_tools_cannot_be_called_the_same() -> None:
    """Two tools cannot have the same alias, nor can an alias be another tool's name."""
    text: Any = "a=b()\na=c()", "a=b()\na()"
    for prompt in text:
        with pytest.raises(SchemaError) as caught:
            ToolSet.from_prompt(prompt)
        assert caught.value.code == Code.NAMES
