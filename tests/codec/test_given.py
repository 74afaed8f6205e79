"""Test that calls from other libraries are written, and that other input is refused by its type."""

from typing import Any

import pytest

from lton import Call, Decoder, EncodeError, ToolSet, decode, decode_lenient, encode, grammar
from lton.errors import Code

TOOLS = ToolSet.from_prompt("wait(minutes:int)\nstop()")
ARGUMENTS = {"minutes": 5}
CALL = Call("wait", ARGUMENTS)
DEFINITIONS: Any = [{"name": "wait", "parameters": {}}]
SPELLINGS: list[Any] = [
    CALL,
    {"name": "wait", "arguments": ARGUMENTS},
    {"id": "a", "type": "function", "function": {"name": "wait", "arguments": '{"minutes": 5}'}},
    {"function": {"name": "wait", "arguments": ARGUMENTS}},
    {"type": "function_call", "call_id": "a", "name": "wait", "arguments": '{"minutes":5}'},
    {"type": "tool_use", "id": "a", "name": "wait", "input": ARGUMENTS},
]


class Model:
    """A stand-in for an object of a model library, which iterates as pairs."""

    def __iter__(self) -> Any:
        return iter([("minutes", 5)])


def test_calls_of_every_api_are_written() -> None:
    """Calls in the format of each API are written in every form, single or in a list, also without
    arguments.
    """
    for call in SPELLINGS:
        assert encode(call, TOOLS) == "wait 5"
        assert encode(call, TOOLS, form="punctuated") == "wait(minutes=5)"
        assert encode(call) == "wait{minutes 5}"
    assert encode(SPELLINGS, TOOLS) == "\n".join(["wait 5", *["& 5"] * 5])
    assert encode({"name": "stop", "arguments": ""}, TOOLS) == "stop"
    aliased = ToolSet.from_prompt("w=wait(minutes:int)")
    assert encode(SPELLINGS[1:], aliased) == "\n".join(["w 5", *["& 5"] * 4])


@pytest.mark.parametrize("arguments", ["[", '{"a": 1, "a": 2}', "NaN", "[" * 99_999])
def test_arguments_that_are_no_json_are_an_error(arguments: str) -> None:
    """Arguments that are not JSON raise the error for invalid values."""
    with pytest.raises(EncodeError, match="the arguments are not JSON") as caught:
        encode({"name": "wait", "arguments": arguments}, TOOLS)
    assert caught.value.code == Code.VALUE


WRONG: list[tuple[Any, str]] = [
    (5, "found a value of type int"),
    (None, "found a value of type NoneType"),
    ("wait 5", "found a value of type str"),
    (b"wait 5", "found a value of type bytes"),
    (Model(), "found a value of type tuple in a value of type Model"),
    ([CALL, "wait"], "found a value of type str in a value of type list"),
    ({"name": "wait"}, "found a value of type dict"),
    (DEFINITIONS[0], "found a value of type dict"),
    ({"name": 5, "arguments": {}}, "found a value of type dict"),
    ({"name": "wait", "arguments": None}, "the arguments of 'wait', found a value of type None"),
    ({"name": "wait", "arguments": "[5]"}, "the arguments of 'wait', found a value of type list"),
]


@pytest.mark.parametrize(("value", "type_name"), WRONG)
def test_what_is_no_call_is_a_type_error(value: Any, type_name: str) -> None:
    """The error for an object that is not a call has the expected and the found type."""
    with pytest.raises(TypeError, match=r"expected (a Call, a Result|an object)") as caught:
        encode(value, TOOLS)
    assert type_name in str(caught.value)


def test_definitions_are_no_toolset() -> None:
    """Every function that takes tools refuses definitions, and says how to compile them."""
    for use in (
        lambda: encode(CALL, DEFINITIONS),
        lambda: decode("wait 5", DEFINITIONS),
        lambda: decode_lenient("wait 5", DEFINITIONS),
        lambda: Decoder(DEFINITIONS),
        lambda: grammar.to_gbnf(DEFINITIONS),
    ):
        with pytest.raises(TypeError, match=r"expected a ToolSet or None .*from_tools.* type list"):
            use()


def test_bytes_are_no_text() -> None:
    """Bytes are refused instead of text: whole, in chunks, strictly and leniently."""
    data: Any = b"wait 5"
    for use in (
        lambda: decode(data, TOOLS),
        lambda: decode_lenient(data, TOOLS),
        lambda: Decoder(TOOLS).feed(data),
    ):
        with pytest.raises(TypeError, match=r"expected a string \(str\), found .* type bytes"):
            use()


def test_a_toolset_is_shown_on_a_line() -> None:
    """The repr of a toolset is one line with the number of tools and the first names."""
    assert repr(TOOLS) == "<ToolSet of 2: 'wait', 'stop'>"
    many = ToolSet.from_tools(
        [{"name": "n " * 99 + str(number), "parameters": {}} for number in range(99)]
    )
    assert repr(many).startswith("<ToolSet of 99: 'n n ")
    assert repr(many).endswith(", …>")
    assert "\n" not in repr(many)
    assert len(repr(many)) < 400


def test_definitions_in_place_of_compiled_tools_are_refused() -> None:
    """The error for definitions instead of tools names the method that compiles definitions."""
    with pytest.raises(TypeError, match=r"expected compiled tools: ToolSet\.from_tools"):
        ToolSet([{"name": "f"}])  # type: ignore[arg-type]
