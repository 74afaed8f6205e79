"""Test answers that a model writes completely: each form is read back without loss."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from lton import Call, Code, DecodeError, EncodeError, IncompleteError, SchemaError, ToolSet
from lton.generate import Shot, ask
from lton.grammar import Named
from lton.grammar.gbnf import write_gbnf
from lton.grammar.linting import lint
from lton_bench.direct import SYNTAXES, direct
from lton_bench.rivals import json_grammar, python_grammar
from tests.generate.scripted import Scripted
from tests.grammar.acceptors import gbnf_accepts

TOOLS = ToolSet.from_prompt(
    "f.g(a b:bool c?:[str] o?:(x?:num y?:bool|null) e?:u|v)\nwait(minutes:int)"
)
CALLS = [
    Call("f.g", {"a": 'x "y" )', "b": True, "c": ["True", "n\n"], "o": {"x": 0.5, "y": None}}),
    Call("wait", {"minutes": 5}),
]


@pytest.mark.parametrize("form", SYNTAXES)
def test_what_is_written_is_read(form: str) -> None:
    """In every form, the written calls are read back, also several calls on separate lines."""
    for calls in (CALLS[:1], CALLS[1:], CALLS):
        engine = Scripted(SYNTAXES[form].write(calls, TOOLS), None)
        answer = direct(engine, "?", TOOLS, form=form, parallel=len(calls) > 1)
        assert answer.calls == calls
        assert answer.spent.sampled == 2
        lint(engine.grammars[0], "gbnf")


NAMES = ["a b", 'a"b', "a.b", "a-b", "1a", "ü", "ﬁ", "class", "None", "a,b", "a)b", "a=b", "a\\b"]
_ODD = ["a(b", "a\xa0b"]


def _called(name: str) -> tuple[ToolSet, Call]:
    """Return a tool with the given name, and a call of it."""
    return ToolSet.from_tools([{"name": name, "parameters": {}}]), Call(name, {})


def _taking(name: str) -> tuple[ToolSet, Call]:
    """Return a tool with an argument of the given name, and a call of it."""
    parameters = {"properties": {name: {"type": "integer"}}, "required": [name]}
    return ToolSet.from_tools([{"name": "f", "parameters": parameters}]), Call("f", {name: 1})


_CANNOT = [*map(_called, _ODD), *(_taking(name) for name in (*_ODD, *NAMES) if name != "ü")]


@pytest.mark.parametrize("form", SYNTAXES)
def test_any_name_is_written_under_the_grammar_and_read(form: str) -> None:
    """Any name of a tool or an argument that the form allows is written under the grammar, and
    read.
    """
    can = [*map(_called, (*NAMES, *_ODD)), *map(_taking, ("ü", *NAMES, *_ODD))]
    for tools, call in [case for case in can if form != "python" or case not in _CANNOT]:
        text = SYNTAXES[form].write([call], tools)
        engine = Scripted(text, None)
        assert direct(engine, "?", tools, form=form).calls == [call]
        assert gbnf_accepts(engine.grammars[0], text), text


@pytest.mark.parametrize(("tools", "call"), _CANNOT)
def test_a_name_that_python_cannot_have_is_refused(tools: ToolSet, call: Call) -> None:
    """A name that Python does not allow is refused before the prompt is read, also in examples."""
    engine = Scripted()
    with pytest.raises(SchemaError, match=r"cannot name .* in Python") as caught:
        direct(engine, "?", tools, form="python")
    assert (caught.value.code, engine.read) == (Code.DEFINITION, [])
    with pytest.raises(SchemaError, match="in Python"):
        SYNTAXES["python"].write([call], tools)


def test_undeclared_arguments_have_names_in_python() -> None:
    """Undeclared arguments have Python names, like declared ones; keys of a map may be any
    string.
    """
    tools = ToolSet.from_prompt("f(m?:{int} ...:int)")
    call = Call("f", {"m": {"a b": 1}, "x_1": 2})
    text = SYNTAXES["python"].write([call], tools)
    assert text == 'f(m={"a b": 1}, x_1=2)'
    engine = Scripted(text, None)
    assert direct(engine, "?", tools, form="python").calls == [call]
    assert gbnf_accepts(engine.grammars[0], text)
    assert not gbnf_accepts(engine.grammars[0], 'f("x": 2)')


@pytest.mark.parametrize("form", SYNTAXES)
def test_no_call_is_an_answer(form: str) -> None:
    """If no call is allowed, an answer without a call is right, and the examples show it."""
    shots = [Shot("Hello!", [], TOOLS), Shot("Wait a minute.", [Call("wait", {"minutes": 1})])]
    engine = Scripted("none", None)
    assert direct(engine, "?", TOOLS, form=form, shots=shots, tool_choice="auto").calls == []
    assert engine.grammars[0].startswith('root ::= "none" | ')
    with pytest.raises((DecodeError, EncodeError)):
        direct(Scripted("none", None), "?", TOOLS, form=form)


@pytest.mark.parametrize("form", SYNTAXES)
def test_a_model_thinks_first(form: str) -> None:
    """The model reads its thought, and answers under the grammar; calls in the thought do not
    count.
    """
    text = SYNTAXES[form].write(CALLS, TOOLS)
    engine = Scripted(f"{text}\n", "so</thi", "nk>\n", text, None)
    answer = direct(engine, "?", TOOLS, form=form, parallel=True, thoughts=True)
    assert (answer.calls, answer.text, answer.thought) == (CALLS, text, f"{text}\nso")
    assert engine.read == ["<think>", f"<think>{text}\nso</think>\n\n"]
    assert answer.spent.sampled == 5
    line = SYNTAXES[form].write(CALLS[1:], TOOLS)
    again = Scripted("a\na\n", "</think>", f"{line}\n{line}\n")
    answer = direct(again, "?", TOOLS, form=form, parallel=True, thoughts=("", "</think>"))
    assert (answer.calls, answer.thought, answer.exhausted) == (CALLS[1:], "a\na\n", True)
    none = Scripted("No.", "none", None)
    options: dict[str, Any] = {"max_thought": 1, "max_tokens": 2}
    answer = direct(none, "?", TOOLS, form=form, tool_choice="auto", thoughts=True, **options)
    assert (answer.calls, answer.text, answer.thought) == ([], "none", "No.")


def test_examples_show_what_they_think() -> None:
    """Examples have thoughts only if the model is to think, and only those that have one."""
    conversations: list[list[str]] = []

    class Engine(Scripted):
        def prompt(self, messages: Sequence[Mapping[str, str]]) -> list[int]:
            conversations.append(
                [message["content"] for message in messages if message["role"] == "assistant"]
            )
            return []

    shots = [
        Shot("Five?", [Call("wait", {"minutes": 5})], thought="Yes."),
        Shot("Six?", [Call("wait", {"minutes": 6})]),
    ]
    for thoughts, before in ((False, ""), (True, "<think>Yes.</think>\n\n")):
        options: dict[str, Any] = {"shots": shots, "thoughts": thoughts, "max_thought": 0}
        direct(Engine("wait minutes=1", None), "?", TOOLS, form="keyed", **options)
        ask(Engine("1", ")"), "?", TOOLS, tool_choice=Named("wait"), **options)
        assert conversations.pop() == [f'{before}wait({{"minutes": 5}})', 'wait({"minutes": 6})']
        assert conversations.pop() == [f"{before}wait minutes=5", "wait minutes=6"]


@pytest.mark.parametrize(
    "text",
    [
        "wait(5)", "wait(minutes=", "wait(minutes=x)", "wait(**{})", "wait", "(" * 5000,
        "wait(minutes=1) + 1", "wait(minutes=1); f()", "wait(minutes='1')", "nap(minutes=1)",
        "wait(minutes=True)", "wait(minutes=1, minutes=2)",
    ],
)  # fmt: skip
def test_what_is_no_call_in_python_is_an_error(text: str) -> None:
    """Python is parsed as literals and never run, and anything else is an error."""
    with pytest.raises((DecodeError, EncodeError)):
        direct(Scripted(text, None), "?", TOOLS, form="python")


@pytest.mark.parametrize("text", ["[]", "{}", '{"name":1,"arguments":{}}', "[" * 100_000, ""])
def test_what_is_no_call_in_json_is_an_error(text: str) -> None:
    """Invalid JSON is an error, because the reader does not rely on the grammar."""
    with pytest.raises((DecodeError, EncodeError)):
        direct(Scripted(text, None), "?", TOOLS, form="json")


def test_a_budget_that_ends_is_an_error() -> None:
    """An answer that ends at the budget is an error, without any call."""
    line = json.dumps({"name": "wait", "arguments": {"minutes": 1}})
    with pytest.raises(IncompleteError):
        direct(Scripted(*line, None), "?", TOOLS, form="json-spaced", max_tokens=len(line))
    answer = direct(Scripted(*line, None), "?", TOOLS, form="json-spaced", max_tokens=len(line) + 1)
    assert answer.calls == [Call("wait", {"minutes": 1})]


def test_an_answer_that_repeats_itself_is_an_error() -> None:
    """An answer that repeats itself is an error long before its budget, unless repetition is
    allowed.
    """
    pieces = ['f.g a="', *["10, "] * 60]
    with pytest.raises(IncompleteError, match="repeating itself"):
        direct(Scripted(*pieces), "?", TOOLS, form="keyed")
    engine = Scripted(*pieces, '" b=true', None)
    [call] = direct(engine, "?", TOOLS, form="keyed", may_repeat=True).calls
    assert call.arguments["a"] == "10, " * 60


@pytest.mark.parametrize("form", SYNTAXES)
def test_equal_items_that_have_to_be_are_no_repetition(form: str) -> None:
    """Items that `minItems` requires are not repetition, and further equal items are."""
    row = {"type": "array", "items": {"type": "number"}, "minItems": 40}
    parameters = {"properties": {"rows": {"type": "array", "items": row}}, "required": ["rows"]}
    tools = ToolSet.from_tools([{"name": "f", "parameters": parameters}])

    def repeat_items(size: int) -> Scripted:
        call = Call("f", {"rows": [[0.25] * size]})
        return Scripted(*SYNTAXES[form].write([call], tools), None)

    answer = direct(repeat_items(40), "?", tools, form=form, max_tokens=999)
    assert answer.calls == [Call("f", {"rows": [[0.25] * 40]})]
    with pytest.raises(IncompleteError, match="repeating itself"):
        direct(repeat_items(99), "?", tools, form=form, max_tokens=999)


@pytest.mark.parametrize("form", SYNTAXES)
def test_a_call_that_is_made_again_ends_the_answer(form: str) -> None:
    """A repeated call ends the answer, and a line that occurs twice in a string does not."""
    lines = [SYNTAXES[form].write([call], TOOLS) for call in CALLS]
    pieces = "\n".join([*lines, *lines, ""])
    cut = direct(Scripted(*pieces), "?", TOOLS, form=form, parallel=True, max_tokens=9999)
    assert (cut.calls, cut.exhausted) == (CALLS, True)
    assert cut.text == SYNTAXES[form].write(CALLS, TOOLS)
    assert cut.spent.sampled == len(pieces) - len(lines[1]) - 1
    whole = "\n".join([*lines, lines[0]])
    answer = direct(
        Scripted(*whole, None),
        "?",
        TOOLS,
        form=form,
        parallel=True,
        max_tokens=9999,
        may_repeat=True,
    )
    assert (answer.calls, answer.exhausted) == ([*CALLS, CALLS[0]], False)


def test_lines_that_repeat_inside_a_text_are_of_the_text() -> None:
    """Repeated lines in a string are part of the string, even if they look like calls."""
    call = Call("f.g", {"a": "wait minutes=5\nwait minutes=5\nwait minutes=5\n", "b": True})
    call_text = SYNTAXES["keyed"].write([call], TOOLS)
    assert "\nwait minutes=5\n" in call_text
    engine = Scripted(*call_text, None)
    answer = direct(engine, "?", TOOLS, form="keyed", parallel=True, max_tokens=999)
    assert (answer.calls, answer.exhausted) == ([call], False)


def test_a_tool_that_is_chosen_is_the_only_one() -> None:
    """A named tool is the only one in the grammar, and the model sees all tools."""
    engine = Scripted("wait minutes=5", None)
    assert direct(engine, "?", TOOLS, form="keyed", tool_choice=Named("wait")).calls == CALLS[1:]
    assert "f.g" not in engine.grammars[0]


@pytest.mark.parametrize("options", [{"form": "xml"}, {"tool_choice": "none"}, {"max_tokens": 0}])
def test_options_that_mean_nothing(options: dict[str, object]) -> None:
    """Invalid options are refused before anything is sampled."""
    with pytest.raises(ValueError, match=r"no form|nothing"):
        direct(Scripted(), "?", TOOLS, **options)  # type: ignore[arg-type]


RIVALS = ToolSet.from_prompt("f(a:int b?:x|y c?:{[num]})")


def test_calls_in_json() -> None:
    """Calls in JSON are minified or spaced, with required members first, single or one per line."""
    minified = write_gbnf(json_grammar(RIVALS))
    spaced = write_gbnf(json_grammar(RIVALS, spaced=True, parallel=True))
    assert gbnf_accepts(minified, '{"name":"f","arguments":{"a":1,"b":"y","c":{"k":[1,2.5]}}}')
    assert not gbnf_accepts(minified, '{"name":"f","arguments":{"b":"y"}}')
    assert not gbnf_accepts(minified, '{"name":"f","arguments":{"a":1,"b":"z"}}')
    one = '{"name": "f", "arguments": {"a": 1}}'
    assert gbnf_accepts(spaced, f"{one}\n{one}")
    assert not gbnf_accepts(minified, one)


def test_calls_in_python() -> None:
    """Calls in Python have keywords, and Python's spelling of three words."""
    gbnf = write_gbnf(python_grammar(RIVALS))
    lint(gbnf, "gbnf")
    assert gbnf_accepts(gbnf, 'f(a=1, b="y", c={"k": [1, 2.5]})')
    assert not gbnf_accepts(gbnf, 'f(b="y")')
