"""Test that the grammars of JSON values allow exactly JSON."""

import pytest
from hypothesis import given

from lton import ToolSet
from lton.generate.distinguish import find_shortest_prefixes
from lton.generate.spelling import write_texts_gbnf, write_value_gbnf
from lton.grammar.linting import lint
from lton.grammar.satisfiable import has_values
from lton.schema.types import ANY, Number, Type
from lton_bench import bfcl
from tests.grammar.acceptors import gbnf_accepts
from tests.strategies import Definition, examples, toolsets

TOOLS = ToolSet.from_prompt("f(a:int b?:x|y c?:{[num]})")
DATED = ToolSet.from_tools(
    [
        {
            "name": "f",
            "parameters": {
                "type": "object",
                "properties": {
                    "day": {"type": "string", "format": "date"},
                    "code": {"type": "string", "minLength": 2, "maxLength": 3},
                    "path": {"type": "string", "pattern": r"^[a-z\\]+$"},
                    "never": {"type": "object", "additionalProperties": False},
                },
            },
        }
    ]
)


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("day", ['"2024-02-03"'], ['"2024-2-3"', '"today"']),
        ("code", ['"ab"', r'"a\n"', '"é漢😀"'], ['"a"', '"abcd"', '"a\n"', r'"\u0041x"', '"a""']),
        ("path", [r'"a\\b"'], ['"a']),  # the decoder checks a pattern with backslashes
        ("never", ["{}"], ['{"a": 1}']),
    ],
)
def test_strings_are_those_of_json(name: str, good: list[str], bad: list[str]) -> None:
    """The grammars enforce formats and lengths, and an escape of JSON counts as one character."""
    grammar = write_value_gbnf(DATED.by_name["f"].args.by_name[name].type)
    assert all(gbnf_accepts(grammar, f"{text})") for text in good)
    assert not any(gbnf_accepts(grammar, f"{text})") for text in (*bad, ""))
    assert gbnf_accepts(grammar, good[0])
    assert not gbnf_accepts(grammar, good[0][:-1])


def test_a_quote_or_a_space_may_stand_already() -> None:
    """A string may lack its opening quote, if the program wrote it, and may begin with the space
    held back.
    """
    code = DATED.by_name["f"].args.by_name["code"].type
    assert gbnf_accepts(write_value_gbnf(code, opened='"'), 'ab")')
    number = TOOLS.by_name["f"].args.by_name["a"].type
    assert gbnf_accepts(write_value_gbnf(number, lead=" "), " 12)")
    assert not gbnf_accepts(write_value_gbnf(number, lead=" "), "12)")


def test_any_value() -> None:
    """Without a schema, every JSON value is allowed."""
    grammar = write_value_gbnf(ANY)
    for text in ("null", "-1.5e3", '"a"', "[]", '[1, {"a": [true]}]', '{"a": {}, "b": 2}'):
        assert gbnf_accepts(grammar, f"{text};")
    for text in ("", "nul", "[1,2]", "{a: 1}", "01"):
        assert not gbnf_accepts(grammar, f"{text};")
    assert gbnf_accepts(write_value_gbnf(Type(null=True)), "null")


def check(tools: ToolSet) -> int:
    """Check all grammars that a model uses for some tools, and return their number."""
    types = {param.type for tool in tools for param in tool.args.params}
    count = 0
    for node in filter(has_values, types):
        for lead in ("", " "):
            lint(write_value_gbnf(node, lead=lead), "gbnf")
            count += 1
        if node.string and node == Type(string=node.string) and node.string.values is None:
            lint(write_value_gbnf(node, opened='"'), "gbnf")
            count += 1
    for groups in ([[f"{tool.name}("] for tool in tools], [[", a="], [")\n", ")"]], [["\n"], [""]]):
        distinct = find_shortest_prefixes(
            [(text, at) for at, group in enumerate(groups) for text in group]
        )
        lint(
            write_texts_gbnf(
                tuple((distinct[text] or text, bool(distinct[text])) for text in distinct)
            ),
            "gbnf",
        )
        count += 1
    return count


def test_engines_read_every_grammar_as_it_is_meant() -> None:
    """llama.cpp and llguidance read the grammars of the values of all BFCL parameters."""
    count = sum(check(ToolSet.from_tools([tool])) for tool in bfcl.functions(bfcl.CATEGORIES)[::5])
    print(f"{count} grammars")
    assert count > 3000


@examples(25)
@given(toolsets(nasty=False))
def test_engines_read_the_grammars_of_made_up_types(definitions: list[Definition]) -> None:
    """Engines read the grammars of generated types, within their limits."""
    check(ToolSet.from_tools(definitions))


def test_equal_types_that_are_spelled_otherwise() -> None:
    """A grammar is cached by its exact spelling: 1 and 1.0 have different grammars."""
    for values in ((1, 2.5), (1.0, 2.5)):
        gbnf = write_value_gbnf(Type(number=Number(values=values)))
        assert gbnf_accepts(gbnf, f"{values[0]}, ")
    assert write_value_gbnf(ANY) is write_value_gbnf(ANY)
