"""Test guided generation without a model: the written text, cuts, and results."""

import inspect
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import lton.generate
from lton import Call, EncodeError, IncompleteError, Toolbox, ToolSet, decode
from lton.engines import Generation
from lton.errors import Code, GrammarError, LTONError
from lton.events import Argument, CallEnd, CallStart, Thinking
from lton.generate import GuidedOptions, Shot
from lton.generate.chat import build_chat
from lton.generate.scaffolds import write_scaffolded_calls
from lton.generate.value_end import ValueEnd
from lton.grammar import Named
from lton_bench.scaffolds import SCAFFOLDS
from lton_bench.scaffolds import named as scaffold_named
from tests.generate.scripted import Merging, Scripted, Words, guided, stream
from tests.grammar.acceptors import gbnf_accepts
from tests.steps import steps

WEATHER = ToolSet.from_prompt("weather(city days:int unit?:C|F note?)")
SHOWN = WEATHER.prompt(descriptions=False)
PARIS = Call("weather", {"city": "Paris", "days": 3})


@pytest.mark.parametrize(
    ("scaffold", "pieces", "text"),
    [
        ("python", ["Paris", '",', "3", ")"], 'weather(city="Paris", days=3)'),
        (
            "json",
            ["Paris", '",', "3", "}}"],
            '{"name": "weather", "arguments": {"city": "Paris", "days": 3}}',
        ),
        ("call", ["Paris", '",', "3", "})"], 'weather({"city": "Paris", "days": 3})'),
        ("keyed", ["Paris", '" ', "3", None], 'weather city="Paris" days=3'),
        ("lines", ["Paris", '"\n', "3", None], 'weather\ncity: "Paris"\ndays: 3'),
    ],
)
def test_only_values_and_choices_are_sampled(
    scaffold: str, pieces: list[str | None], text: str
) -> None:
    """The program writes the rest of each scaffold, and cuts a token that goes beyond the end of a
    value.
    """
    answer = guided(Scripted(*pieces), "?", WEATHER, scaffold=scaffold)
    assert (answer.calls, answer.text) == ([PARIS], text)
    assert answer.spent.sampled == len(pieces)
    assert not answer.exhausted


@pytest.mark.parametrize(
    ("scaffold", "pieces", "value"),
    [
        ("python", ["gameLayout", ")"], "gameLayout"),
        ("python", ["this.state$", ", "], "this.state$"),
        ("python", ["Endpoint", ")"], "Endpoint"),
        ("python", ["e", "vent9", ")"], "event9"),
        ("python", ["-1", ")"], -1),
        ("javascript", ["true", "})"], True),
        ("python", ["None", ")"], None),
        ("python", ["None", "Type)"], "NoneType"),
        ("python", ["12", ")"], 12),
        ("python", ['"12', '")'], "12"),
        ("keyed", ["on", None], "on"),
    ],
)
def test_a_bare_name_is_a_string(scaffold: str, pieces: list[str | None], value: object) -> None:
    """If any value is allowed, a bare name is a string, except words that are values."""
    tools = ToolSet.from_prompt("f(x:any)")
    answer = guided(Scripted(*pieces), "?", tools, scaffold=scaffold)
    assert answer.calls == [Call("f", {"x": value})]


def test_a_name_is_no_word_that_the_type_has_not() -> None:
    """If a string or a number is allowed, `true` is a name, because booleans are not allowed."""
    tools = ToolSet.from_prompt("f(x:str|int)")
    answer = guided(Scripted("true", ")"), "?", tools, scaffold="python")
    assert answer.calls == [Call("f", {"x": "true"})]


@pytest.mark.parametrize(
    ("pieces", "value"), [([' "gameLayout', '"', "}}"], "gameLayout"), ([" ", "1", "}}"], 1)]
)
def test_a_space_is_left_to_the_model_where_it_is_one_token_with_a_quote(
    pieces: list[str], value: object
) -> None:
    """If a space and a quote form one token, the model writes the space, also if any value is
    allowed.
    """
    engine = Merging(*pieces)
    answer = guided(engine, "?", ToolSet.from_prompt("f(x:any)"), scaffold="json")
    assert answer.calls == [Call("f", {"x": value})]
    assert engine.read[-1].endswith('"x":')
    assert gbnf_accepts(engine.grammars[-1], ' "gameLayout"}}')
    assert not gbnf_accepts(engine.grammars[-1], " gameLayout}}")


@pytest.mark.parametrize(
    ("schema", "pieces", "value", "read"),
    [
        ({"type": "integer"}, [" -", "11}}"], -11, '"x":'),
        ({"type": "number"}, [" ", "0.5}}"], 0.5, '"x":'),
        ({"type": "integer", "minimum": -1}, [" -", "1}}"], -1, '"x":'),
        ({"type": "integer", "minimum": 0}, ["11}}"], 11, '"x": '),
        ({"type": "number", "exclusiveMinimum": 0}, ["1}}"], 1, '"x": '),
    ],
)
def test_a_space_is_left_to_the_model_where_it_is_one_token_with_a_sign(
    schema: dict[str, object], pieces: list[str], value: object, read: str
) -> None:
    """If a space and a minus sign form one token, the model writes the space, so that negative
    numbers stay possible.
    """
    parameters = {"properties": {"x": schema}, "required": ["x"]}
    tools = ToolSet.from_tools([{"name": "f", "parameters": parameters}])
    engine = Merging(*pieces)
    answer = guided(engine, "?", tools, scaffold="json")
    assert answer.calls == [Call("f", {"x": value})]
    assert engine.read[-1].endswith(read)


@pytest.mark.parametrize(
    ("kind", "pieces", "value"),
    [
        ("[str]", ['=["', 'a"]'], ["a"]),
        ("[str]", ["=[", '"', 'a"]'], ["a"]),
        ("[str]", ["=[", "]"], []),
        ("[int]", ["=[", "1]"], [1]),
        ("int|[str]", ['=["', 'a"]'], ["a"]),
        ("int|[str]", ["=[", "=[", "]"], []),
        ("int|[str]", ["=", "1)"], 1),
    ],
)
def test_a_token_that_the_text_would_cut_is_left_to_the_model(
    kind: str, pieces: list[str], value: object
) -> None:
    """A token such as `=[` must not be cut, so the model writes it."""
    engine = Merging(*pieces)
    answer = guided(engine, "?", ToolSet.from_prompt(f"f(x:{kind})"))
    assert answer.calls == [Call("f", {"x": value})]
    assert engine.read[0].endswith("f(x")
    assert not engine.pieces


def test_lengths_are_filled_in_behind_the_model() -> None:
    """The length of a string is filled in after the model has written it, in the prompt and the
    answer.
    """
    tools = ToolSet.from_prompt("note(text tags?:[str] more?:int)\nstop")
    pieces = ["n", 'é\\n\\"', '")', "\n(t", '"', "a b", '"]', "\n!", "s", None]
    engine = Scripted(*pieces)
    answer = guided(engine, "?", tools, scaffold="tagged", parallel=True)
    assert answer.text == '!call note\n(text s3:é\n")\n(tags [s3:a b])\n!call stop\n()'
    assert decode(answer.text) == decode(answer.text, tools) == answer.calls
    assert engine.read[1:4] == [
        '!call note\n(text "',
        '!call note\n(text s3:é\n")',
        '!call note\n(text s3:é\n")\n(tags [',
    ]
    assert write_scaffolded_calls(answer.calls, tools, SCAFFOLDS["tagged"]) == answer.text


def test_the_text_is_read_afresh_behind_a_cut() -> None:
    """After a cut, the prompt ends in the key, and not in the token that went too far."""
    engine = Scripted('Paris", d', "3, u", 'C")')
    answer = guided(engine, "?", WEATHER)
    assert answer.calls == [Call("weather", {"city": "Paris", "days": 3, "unit": "C"})]
    assert engine.read == [
        'weather(city="',
        'weather(city="Paris", days=',
        'weather(city="Paris", days=3, unit="',
    ]


@pytest.mark.parametrize(
    ("layout", "pieces", "arguments"),
    [
        ("f(a?:int b?:int)", [")"], {}),
        ("f(a?:int b?:int)", ["b", "7", ")"], {"b": 7}),
        ("f(a:bool)", ["t"], {"a": True}),
        ("f(a:1|10)", ["0"], {"a": 10}),
        ("f(a:1|10)", [")"], {"a": 1}),
        ("f(a:num)", ["12", ".", "5", ")"], {"a": 12.5}),
        ("f(a)", ["x\\", 'n\\"', '"'], {"a": 'x\n"'}),
        ("f(a:[str])", ['"', 'x"', ", ", 'y"])'], {"a": ["x", "y"]}),
        ("f(a:[str])", ["]"], {"a": []}),
        ("f(a:[int])", ["[1, ", "2]"], {"a": [1, 2]}),
        ("f(a:(b c?:int) d:int)", ['x"', "}", "1)"], {"a": {"b": "x"}, "d": 1}),
        ("f(a:(b c?:int))", ['x", "', "5}"], {"a": {"b": "x", "c": 5}}),
        ("f(a:int|null)", ["null"], {"a": None}),
        ("f(a:{int})", ["}"], {"a": {}}),
        ("f(a:{int})", ['"', 'k":', "1", ', "', 'l": ', "2}"], {"a": {"k": 1, "l": 2}}),
        ("f(a:{str})", ['"', 'k": "', 'v"})'], {"a": {"k": "v"}}),
        ("f(a:{[x|y]})", ['"', 'k"', '"', "y", "]", "})"], {"a": {"k": ["y"]}}),
        ("f(a:[{int}])", ["{", '"', 'k"', "1}, {", "}", "]"], {"a": [{"k": 1}, {}]}),
        ("f(a:{any})", ['{"k"', ': {"a": [{', "}]}", "}"], {"a": {"k": {"a": [{}]}}}),
        ("f(a:int|[str])", ["4", ")"], {"a": 4}),
        ("f(a:int|[str])", ['["x', 'x"', "]"], {"a": ["x"]}),
        ("f(a:int|[str])", ["[", "]"], {"a": []}),
        ("f(a:str|(b c:int))", ['"{x', '")'], {"a": "{x"}),
        ("f(a:str|(b c:int))", ["{", 'x"', "5}"], {"a": {"b": "x", "c": 5}}),
        ("f(a:str|(b c:int))", ['{"b', 'x"', "5}"], {"a": {"b": "x", "c": 5}}),
        ("f(a:{int}|null b:int)", ["null, b", "1)"], {"a": None, "b": 1}),
    ],
)
def test_values_of_every_kind(layout: str, pieces: list[str], arguments: dict[str, Any]) -> None:
    """Optional members, listed values, numbers, strings, arrays and objects are assembled."""
    engine = Scripted(*pieces)
    assert guided(engine, "?", ToolSet.from_prompt(layout)).calls == [Call("f", arguments)]
    assert not engine.pieces


def test_nothing_is_sampled_where_the_schema_decides_all() -> None:
    """A call without arguments takes no sampled token."""
    answer = guided(Scripted(), "?", ToolSet.from_prompt("stop"))
    assert (answer.calls, answer.text, answer.spent.sampled) == ([Call("stop")], "stop()", 0)


def test_the_tool_is_chosen_by_as_much_of_its_name_as_tells_it() -> None:
    """A name is sampled only as far as needed to distinguish the tools, and a tool can be chosen
    beforehand.
    """
    tools = ToolSet.from_prompt("get(a)\nget_all(a)")
    assert guided(Scripted("_", 'x"'), "?", tools).calls == [Call("get_all", {"a": "x"})]
    assert guided(Scripted("(", 'x"'), "?", tools).calls == [Call("get", {"a": "x"})]
    one = guided(Scripted('x"'), "?", tools, tool_choice=Named("get"))
    assert one.calls == [Call("get", {"a": "x"})]
    with pytest.raises(ValueError, match="no tool 'put'"):
        guided(Scripted(), "?", tools, tool_choice=Named("put"))


def test_what_all_choices_begin_with_is_not_sampled() -> None:
    """The common beginning of all choices is read and not sampled, in whole tokens of each
    choice.
    """
    tools = ToolSet.from_prompt("weather_now\nweather_then")
    engine = Scripted("t")
    answer = guided(engine, "?", tools, scaffold="json")
    assert (answer.calls, answer.spent.sampled) == ([Call("weather_then")], 1)
    assert engine.read == ['{"name": "weather_']
    words = Words("get_times")
    answer = guided(words, "?", ToolSet.from_prompt("x.get_time\nx.get_times"))
    assert answer.calls == [Call("x.get_times")]
    assert "".join(words.read).lstrip("\0") == "x."


def test_aliases_are_what_the_model_sees() -> None:
    """The model sees the alias, and the call has the tool's own name."""
    tools = ToolSet.from_prompt("get_weather(city)\nget_time(city)").with_aliases()
    alias = tools.aliases["get_time"]
    answer = guided(Scripted(f"{alias}(", 'Rome"'), "?", tools)
    assert answer.calls == [Call("get_time", {"city": "Rome"})]
    assert answer.text.startswith(alias)


def test_the_model_may_decline() -> None:
    """With "auto" no call is allowed, and otherwise it is not."""
    assert guided(Scripted("none"), "?", WEATHER, tool_choice="auto").calls == []
    assert guided(Scripted("w", 'X"', "1)"), "?", WEATHER, tool_choice="auto").calls
    system = build_chat(WEATHER, "?", may_decline=True)[0]["content"]
    assert system.endswith("If no tool fits the request, answer: none")


def test_several_calls() -> None:
    """After each call the model ends its turn or continues."""
    tools = ToolSet.from_prompt("f(a:int)\ng")
    answer = guided(Scripted("f", "1", ")\n", "g", None), "?", tools, parallel=True)
    assert answer.calls == [Call("f", {"a": 1}), Call("g")]
    assert answer.text == "f(a=1)\ng()"


def test_events_come_as_soon_as_they_are_certain() -> None:
    """An argument is reported before the next one is sampled, and the last event is the answer."""
    engine = Scripted('Paris"', "3)")
    events = stream(engine, "?", WEATHER)
    assert next(events) == CallStart("weather")
    assert next(events) == Argument("city", "Paris")
    assert engine.pieces == ["3)"]
    *others, answer = events
    assert others == [Argument("days", 3), CallEnd(PARIS)]
    assert isinstance(answer, Generation)


def test_a_budget_ends_in_whole_calls_or_in_an_error() -> None:
    """At the budget, complete calls are kept, also a call without its optional arguments."""
    cut = guided(Scripted('Paris"', "3, n", "very", " long"), "?", WEATHER, max_tokens=4)
    assert (cut.calls, cut.exhausted) == ([PARIS], True)
    assert cut.text == 'weather(city="Paris", days=3)'
    pieces = ['Paris"', "3)", "\n", "Ro"]
    cut = guided(Scripted(*pieces), "?", WEATHER, max_tokens=4, parallel=True)
    assert (cut.calls, cut.exhausted) == ([PARIS], True)
    with pytest.raises(IncompleteError) as caught:
        guided(Scripted("Par"), "?", WEATHER, max_tokens=1)
    assert caught.value.code == Code.INCOMPLETE
    with pytest.raises(ValueError, match="nothing to generate"):
        guided(Scripted(), "?", WEATHER, max_tokens=0)


def test_a_call_that_is_cut_is_kept_only_if_it_is_right_and_new() -> None:
    """A cut call is kept only if it is valid and differs from the previous call."""
    properties = {"city": {"type": "string"}, "zip": {"type": "string"}}
    either = {"properties": properties, "anyOf": [{"required": [name]} for name in properties]}
    weather = ToolSet.from_tools([{"name": "weather", "parameters": either}])
    with pytest.raises(IncompleteError):
        guided(Scripted("c"), "?", weather, max_tokens=1)
    answer = guided(Scripted("c", "Oslo", '")'), "?", weather)
    assert answer.calls == [Call("weather", {"city": "Oslo"})]
    tools = ToolSet.from_prompt("wait(minutes:int why?)")
    once, pieces = Call("wait", {"minutes": 5}), ["5)", "\n", "5, w", "tea", " time"]
    cut = guided(Scripted(*pieces), "?", tools, parallel=True, max_tokens=4)
    assert (cut.calls, cut.exhausted) == ([once], True)
    cut = guided(Scripted(*pieces), "?", tools, parallel=True, max_tokens=4, may_repeat=True)
    assert cut.calls == [once, once]


@pytest.mark.parametrize(
    ("scaffold", "end"), [("call", "})"), ("json", "}}"), ("javascript", "})")]
)
def test_a_tool_may_declare_no_arguments_and_take_any(scaffold: str, end: str) -> None:
    """For a tool with undeclared arguments, the model also writes their names."""
    free = {"type": "object", "additionalProperties": {"type": "string"}}
    tools = ToolSet.from_tools([{"name": "set_env", "parameters": free}])
    pieces = ['"', 'HOME"', '/root"', ", ", 'A b": "', f'x"{end}']
    answer = guided(Scripted(*pieces), "?", tools, scaffold=scaffold)
    assert answer.calls == [Call("set_env", {"HOME": "/root", "A b": "x"})]
    assert guided(Scripted(end), "?", tools, scaffold=scaffold).calls == [Call("set_env", {})]
    tools = ToolSet.from_tools(
        [{"name": "f", "parameters": {**free, "additionalProperties": True}}]
    )
    answer = guided(Scripted('"', 'n"', f"1{end}"), "?", tools, scaffold=scaffold)
    assert answer.calls == [Call("f", {"n": 1})]


def test_half_a_character_of_a_description_is_shown_as_none() -> None:
    parameters = {
        "properties": {"a": {"type": "string", "description": "\ud83d"}},
        "required": ["a"],
    }
    tools = ToolSet.from_tools([{"name": "f", "parameters": parameters}])
    answer = guided(Scripted('x"', "})"), "?", tools, cue="description", scaffold="call")
    assert answer.calls == [Call("f", {"a": "x"})]
    assert "\ufffd" in answer.text


def test_a_model_ends_a_value_as_it_wants_to() -> None:
    """The model may end a value in any way: the next text is replaced if it does not fit."""
    tools = ToolSet.from_prompt("f(a:str n:int b:[str] c?)")
    pieces = ['x")', "3)\n", '"', 'y"];', ", c=", 'z".']
    answer = guided(Scripted(*pieces), "?", tools)
    assert answer.text == 'f(a="x", n=3, b=["y"], c="z")'
    assert answer.spent.sampled == len(pieces)


def test_what_is_written_for_the_model_is_a_call_of_json() -> None:
    """By default the scaffold is a call with a JSON object."""
    answer = lton.generate.ask(Scripted("Paris", '",', "3", "})"), "?", WEATHER)
    assert answer.text == 'weather({"city": "Paris", "days": 3})'


@pytest.mark.parametrize("pieces", [["0.", *"1" * 60], ["[", *[f"{n}, " for n in range(99)]]])
def test_numbers_that_run_on_are_ended(pieces: list[str]) -> None:
    """Repeated digits and arithmetic sequences are ended, unless `may_repeat` is set."""
    tools = ToolSet.from_prompt("f(a b?:num|[num])")
    cut = guided(Scripted('x"', ", b=", *pieces), "?", tools)
    assert (cut.calls, cut.exhausted) == ([Call("f", {"a": "x"})], True)
    assert cut.spent.sampled < 40
    engine = Scripted('x"', ", b=", *pieces[:60], "5])" if "[" in pieces else ")")
    assert not guided(engine, "?", tools, may_repeat=True).exhausted


def test_a_list_of_labels_that_goes_on_is_ended() -> None:
    """A list with 32 more items than labels is ended, unless `may_repeat` is set."""
    tools = ToolSet.from_prompt("f(a b?:[red|blue])")
    labels = [("red", "blue")[bin(n).count("1") % 2] for n in range(60)]  # no part is repeated
    pieces = ['x"', ", b=", '"', *[f'{label}", "' for label in labels], 'red"])']
    cut = guided(Scripted(*pieces), "?", tools)
    assert (cut.calls, cut.exhausted) == ([Call("f", {"a": "x"})], True)
    assert cut.spent.sampled == 3 + 2 + 32
    whole = guided(Scripted(*pieces), "?", tools, may_repeat=True)
    assert whole.calls == [Call("f", {"a": "x", "b": [*labels, "red"]})]


def test_a_list_that_has_to_be_long_is_not_ended() -> None:
    """A list that must be long is not ended, for example 64 squares with three labels."""
    labels = ["XO"[bin(n).count("1") % 2] for n in range(64)]
    squares = {"type": "array", "items": {"enum": ["X", "O", "-"]}, "minItems": 64, "maxItems": 64}
    parameters = {"properties": {"cells": squares}, "required": ["cells"]}
    tools = ToolSet.from_tools([{"name": "board", "parameters": parameters}])
    answer = guided(Scripted(*labels), "?", tools)
    assert answer.calls == [Call("board", {"cells": labels})]


@pytest.mark.parametrize(("piece", "value"), [("[1, 2", [1, 2]), ("{", {"a": "b"}), ('"w', "w")])
def test_listed_arrays_and_objects_are_chosen_like_labels(piece: str, value: Any) -> None:
    """The model only begins a listed array or object; the program writes the rest."""
    listed = {"enum": [[1, 3], [1, 2], {"a": "b"}, "w"]}
    parameters = {"properties": {"x": listed}, "required": ["x"]}
    tools = ToolSet.from_tools([{"name": "f", "parameters": parameters}])
    assert guided(Scripted(piece), "?", tools).calls == [Call("f", {"x": value})]


@pytest.mark.parametrize(
    ("items", "value", "piece"),
    [
        ({"type": "number"}, 0.5, "0.5"),
        ({"type": "string"}, "zero", 'zero"'),
        ({"enum": ["zero", "one"]}, "zero", "z"),
        ({"type": "array", "items": {"type": "integer"}, "minItems": 4}, [0] * 4, "0,0,0,0]"),
    ],
)
def test_equal_items_that_have_to_be_are_no_repetition(
    items: dict[str, Any], value: Any, piece: str
) -> None:
    """Items that `minItems` requires are not repetition, and further equal items are."""
    tools = _grid(items, 40)
    apart = "," * piece[-1].isdigit()  # only what follows it ends a number
    pieces = (piece + apart) * 39 + piece
    answer = guided(Scripted(*pieces, "])"), "?", tools, max_tokens=999)
    assert answer.calls == [Call("f", {"grid": [value] * 40})]
    with pytest.raises(IncompleteError, match="repeated itself"):
        guided(Scripted(*pieces, *f",{piece}" * 40), "?", tools, max_tokens=999)


def test_numbers_that_have_to_be_may_count_on() -> None:
    """A sequence of numbers that `minItems` requires is not ended."""
    tools = _grid({"type": "integer"}, 40)
    pieces = [f"{number}, " for number in range(80)]
    answer = guided(Scripted(*pieces[:39], "39])"), "?", tools)
    assert answer.calls == [Call("f", {"grid": [*range(40)]})]
    with pytest.raises(IncompleteError, match="repeated itself"):
        guided(Scripted(*pieces), "?", tools)


def _grid(items: dict[str, Any], least: int) -> ToolSet:
    grid = {"type": "array", "items": items, "minItems": least}
    parameters = {"properties": {"grid": grid}, "required": ["grid"]}
    return ToolSet.from_tools([{"name": "f", "parameters": parameters}])


def test_an_answer_that_repeats_itself_is_ended() -> None:
    """Repetition ends an answer like the budget does, before a call is complete or inside an
    argument.
    """
    tools = ToolSet.from_prompt("f(a b?)")
    with pytest.raises(IncompleteError, match="repeated itself before a call") as caught:
        guided(Scripted(*["10, "] * 1000), "?", tools)
    assert caught.value.code == Code.INCOMPLETE
    cut = guided(Scripted('x"', ", b=", *["10, "] * 1000), "?", tools)
    assert (cut.calls, cut.exhausted) == ([Call("f", {"a": "x"})], True)
    long = ["10, "] * 100
    answer = guided(Scripted(*long, '")'), "?", tools, may_repeat=True)
    assert answer.calls == [Call("f", {"a": "".join(long)})]


def test_a_value_without_an_end_is_given_up_for_the_next_tool() -> None:
    """A call with an endless value is replaced by the next best tool, while tokens are left; all
    tokens count.
    """
    tools = ToolSet.from_prompt("write(text)\nfind(query)")
    loop = ["10, "] * 40
    answer = guided(Scripted("w", *loop[:32], 'x"', ")"), "?", tools)
    assert answer.calls == [Call("find", {"query": "x"})]
    assert answer.spent.sampled == 1 + 32 + 1
    with pytest.raises(IncompleteError, match="repeated itself before a call") as caught:
        guided(Scripted("w", *loop[:32], *loop[:32]), "?", tools)
    assert caught.value.doc.endswith('find(query="' + "10, " * 32)
    with pytest.raises(IncompleteError, match="budget of 20 tokens"):
        guided(Scripted("w", *loop), "?", tools, max_tokens=20)


def test_a_call_may_be_made_again_where_that_is_asked_for() -> None:
    tools = ToolSet.from_prompt("f(a b?)")
    pieces = ['x"', ")\n", 'x"', ")", None]
    answer = guided(Scripted(*pieces), "?", tools, parallel=True, repeat_calls=True)
    assert answer.calls == [Call("f", {"a": "x"})] * 2


def test_a_call_that_is_made_again_ends_the_answer() -> None:
    """A repeated call ends the answer, and earlier calls are kept, unless `may_repeat` is set."""
    tools = ToolSet.from_prompt("f(a b?)")
    pieces = ['x"', ")\n", 'y"', ")\n", 'x"', ")\n", 'z"', ")", None]
    *events, cut = stream(Scripted(*pieces), "?", tools, parallel=True)
    calls = [Call("f", {"a": text}) for text in "xyxz"]
    assert isinstance(cut, Generation)
    assert (cut.calls, cut.text, cut.exhausted) == (calls[:2], 'f(a="x")\nf(a="y")', True)
    assert [event.call for event in events if isinstance(event, CallEnd)] == calls[:2]
    assert cut.spent.sampled == 6
    answer = guided(Scripted(*pieces), "?", tools, parallel=True, may_repeat=True)
    assert (answer.calls, answer.exhausted) == (calls, False)


def test_an_engine_that_breaks_the_grammar_is_not_believed() -> None:
    """Output that the grammar should have excluded is an error, at any place."""
    for pieces in (["x)"], ["x", None]):
        with pytest.raises(GrammarError):
            guided(Scripted(*pieces), "?", ToolSet.from_prompt("f(a:bool)"), max_tokens=2)
    with pytest.raises(GrammarError, match="where only"):
        guided(Scripted("{x"), "?", ToolSet.from_prompt("f(a:int|(b:int))"))


def test_what_no_grammar_says_is_checked() -> None:
    """A call that violates a limit, which no grammar enforces, is an error."""
    schema = {"properties": {"a": {"type": "number", "maximum": 1}}, "required": ["a"]}
    tools = ToolSet.from_tools([{"name": "f", "parameters": {"type": "object", **schema}}])
    with pytest.raises(EncodeError):
        guided(Scripted("9.5)"), "?", tools)


def test_tools_that_cannot_be_called() -> None:
    """If no tool can be called, an error is raised."""
    with pytest.raises(ValueError, match="none of the tools"):
        guided(Scripted(), "?", ToolSet(()))


def test_examples_show_their_tools_before_they_are_used() -> None:
    """Examples are in the scaffold, and tools are repeated only if other tools come in between."""
    other = ToolSet.from_prompt("stop")
    shots = [Shot("Halt!", [Call("stop")], other), Shot("Paris?", [PARIS])]
    contents = [message["content"] for message in build_chat(WEATHER, "?", shots)]
    assert contents[1:4] == ["Tools:\nstop()\n\nHalt!", "stop({})", f"Tools:\n{SHOWN}\n\nParis?"]
    assert contents[4:] == ['weather({"city": "Paris", "days": 3})', "?"]
    with pytest.raises(LTONError):
        build_chat(WEATHER, "?", [Shot("?", [Call("go")])])


@dataclass
class Wait:
    minutes: int


def test_examples_may_be_instances() -> None:
    """A toolbox writes the calls of instances, and the error for another object names its type."""
    tools = Toolbox(Wait)
    messages = build_chat(tools, "?", [Shot("Wait!", [Wait(5), Call("Wait", {"minutes": 3})])])
    assert messages[2]["content"] == 'Wait({"minutes": 5})\nWait({"minutes": 3})'
    with pytest.raises(TypeError, match="an instance of a tool, found a value of type str"):
        build_chat(tools, "?", [Shot("Wait!", ["Wait 5"])])


@pytest.mark.parametrize(
    ("scaffold", "cue", "text"),
    [
        ("python", "type", 'weather(city: str = "Paris", days: int = 3, unit: C|F = "C")'),
        ("python", "description", 'weather(city="Paris", days: "How many" = 3, unit="C")'),
        (
            "python-lines",
            "both",
            """weather(
    city: str = "Paris",
    # How many
    days: int = 3,
    unit: C|F = "C"
)""",
        ),
        (
            "javascript",
            "description",
            'weather({city: "Paris", /* How many */ days: 3, unit: "C"})',
        ),
        (
            "json",
            "both",
            '{"name": "weather", "arguments":'
            ' {"city": /* str */ "Paris", "days": /* int: How many */ 3, "unit": /* C|F */ "C"}}',
        ),
        ("keyed", "type", 'weather city(str)="Paris" days(int)=3 unit(C|F)="C"'),
        ("lines", "description", 'weather\ncity: "Paris"\ndays (How many): 3\nunit: "C"'),
    ],
)
def test_a_cue_stands_where_the_value_follows(scaffold: str, cue: str, text: str) -> None:
    """A cue costs no sampled token: the model chooses a key, and then reads the cue."""
    tools = ToolSet.from_prompt("weather\n city\n days:int How many\n unit?:C|F")
    layout = scaffold_named(scaffold, cue)
    end = layout.end or None
    engine = Scripted("Paris", '"', "3", layout.between + layout.key("unit")[:2], "C", '"', end)
    answer = guided(engine, "?", tools, scaffold=scaffold, cue=cue)
    assert answer.calls == [Call("weather", {"city": "Paris", "days": 3, "unit": "C"})]
    assert answer.text == text
    assert write_scaffolded_calls(answer.calls, tools, layout) == text


def test_a_cue_is_one_of_those_that_there_are() -> None:
    """An unknown cue is refused before the prompt is read."""
    with pytest.raises(ValueError, match="no cue 'name'"):
        guided(Scripted(), "?", WEATHER, cue="name")


def test_there_is_no_other_scaffold() -> None:
    """The error for an unknown scaffold names the known ones."""
    with pytest.raises(ValueError, match="call, python, python-lines, javascript, json"):
        scaffold_named("yaml")


@pytest.mark.parametrize(
    ("text", "ended", "end"),
    [
        ("1", True, 1),
        ("1", False, None),
        ("1e", False, None),
        ("1.", False, None),
        (" -1.5e3,", False, 7),
        ("true)", False, 4),
        (" false}}", False, 6),
        ("nul", False, None),
        ('"a', True, None),
        (r'"a\\\"]", 1', False, 8),
        ('{"a": [1, "}"], "b": null} x', False, 26),
        ("[]]", False, 2),
    ],
)
def test_where_a_value_ends(text: str, ended: bool, end: int | None) -> None:
    """A value is complete when no following text can change it, however it is cut."""
    for size in (1, 2, len(text)):
        value, value_end = ValueEnd(), None
        for at in range(0, len(text), size):
            piece = text[at : at + size]
            value_end = value.find_end(piece, ended and at + size >= len(text))
            if value_end is not None:
                break
        assert value_end == end


def test_each_character_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each character of a value is examined once, however many tokens it has."""
    looked: list[str] = []
    find = ValueEnd.find_end

    def find_counted(value: ValueEnd, piece: str, ended: bool = False) -> int | None:
        looked.append(piece)
        return find(value, piece, ended)

    monkeypatch.setattr(ValueEnd, "find_end", find_counted)
    engine = Scripted(*"é\\n" * 300, '")')
    [call] = guided(
        engine, "?", ToolSet.from_prompt("f(a)"), max_tokens=1000, may_repeat=True
    ).calls
    assert call == Call("f", {"a": "é\n" * 300})
    assert "".join(looked) == '"' + "é\\n" * 300 + '")'


def test_each_label_is_cut_into_tokens_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each label is split into tokens once, without the preceding text."""
    labels = [f"item {number:03}" for number in range(600)]
    options = {f"option_{number}": {"type": "integer"} for number in range(20)}
    parameters = {
        "properties": {"note": {}, "which": {"enum": labels}, **options},
        "required": ["note", "which"],
    }
    cut: list[int] = []

    def tokenize(_: Scripted, text: str) -> list[int]:
        cut.append(len(text))
        return [*map(ord, text)]

    monkeypatch.setattr(Scripted, "tokenize", tokenize)
    tools = ToolSet.from_tools([{"name": "f", "parameters": parameters}])
    note = "".join(map(str, range(1000)))
    [call] = guided(Scripted(f'"{note}"', "123", ")"), "?", tools).calls
    assert call.arguments == {"note": note, "which": "item 123"}
    assert len(cut) < len(labels) + 2 * len(options)
    assert sum(sorted(cut)[:-10]) < 100 * len(cut)  # but for where the model reads it


def test_characters_that_tokens_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """A character that is split between tokens is read when it is complete."""
    engine = Scripted()
    pieces = [b"\xf0\x9f", b"\x8d", b"\xb5 ", b'"', b")"]
    monkeypatch.setattr(engine, "sample", lambda _: pieces.pop(0))
    answer = guided(engine, "?", ToolSet.from_prompt("f(a)"))
    assert answer.calls == [Call("f", {"a": "🍵 "})]


def test_an_option_that_there_is_not_is_an_error() -> None:
    """An unknown option is an error, for a type checker and at run time."""
    with pytest.raises(TypeError, match="max_tokns"):
        lton.generate.ask(Scripted(), "?", WEATHER, max_tokns=5)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="max_tokns"):
        lton.generate.stream(Scripted(), "?", WEATHER, max_tokns=5)  # type: ignore[call-arg]
    options = [*inspect.signature(lton.generate.stream).parameters][3:]
    assert options == [*GuidedOptions.__annotations__]


def test_a_model_thinks_before_it_is_guided() -> None:
    """A thought is reported as it comes, and the answer follows the closing mark."""
    engine = Scripted("call f", "?\nYes</th", "ink>\n", "x", '")')
    *events, answer = stream(engine, "?", ToolSet.from_prompt("f(a)"), thoughts=True)
    assert events[:3] == [
        Thinking("call f", complete=False),
        Thinking("?\nYes", complete=False),
        Thinking("", complete=True),
    ]
    assert isinstance(answer, Generation)
    assert (answer.calls, answer.text) == ([Call("f", {"a": "x"})], 'f(a="x")')
    assert answer.thought == "call f?\nYes"
    assert engine.read[0].endswith("<think>")
    assert engine.read[1].endswith('<think>call f?\nYes</think>\n\nf(a="')


@pytest.mark.parametrize(
    ("pieces", "most", "thought"),
    [(["ab", "cd"], 2, "abcd"), ([100 * "so "], 9, 100 * "so "), ([], 0, "")],
)
def test_a_thought_without_an_end_is_ended(pieces: list[str], most: int, thought: str) -> None:
    """A thought ends at its budget or at repetition, and the answer has its own budget."""
    engine = Scripted(*pieces, "x", '")')
    tools, marks = ToolSet.from_prompt("f(a)"), ("", "[/THINK]")
    answer = guided(engine, "?", tools, thoughts=marks, max_thought=most, max_tokens=2)
    assert (answer.calls, answer.thought) == ([Call("f", {"a": "x"})], thought)
    assert answer.spent.sampled == len(pieces) + 2


def test_the_turn_cannot_end_in_a_thought() -> None:
    """A turn that ends inside a thought violates the grammar, and is an error."""
    with pytest.raises(GrammarError, match="the turn ended in a thought"):
        guided(Scripted("so", None), "?", WEATHER, thoughts=True)


def test_an_answer_of_three_arguments_takes_few_steps() -> None:
    """An answer with three arguments takes few steps, and grammars are cached for the next
    answer.
    """

    def ask() -> None:
        answer = guided(Scripted("Paris", '", ', "3, u", 'C")'), "?", WEATHER)
        assert len(answer.calls[0].arguments) == 3

    ask()
    assert 0 < steps(ask, within=f"{Path(lton.__file__).parent}{os.sep}") <= 380
