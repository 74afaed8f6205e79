"""Test the pages of engines with nested classes, unions and lists, and a scripted model.

The programs of the pages run word for word, apart from the class. The scripted server checks that
the grammar of the request allows its answer. `test_pages` does the same with real models.
"""

import json
import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import lton
from lton.generate import ask
from tests.engines.test_pages import NESTED, NESTED_CHANGES, NESTED_IMPORTS, printed
from tests.grammar.acceptors import gbnf_accepts, llguidance_accepts
from tests.typed import scripted

START = 'Weather(address=(street="Hill Road 4", city="Oslo"), pet='
ANSWER = START + '(kind=dog, breed="poodle"), former=[(kind=cat, name="Tom")])'
WRONG = START + '(kind=dog, name="Rex"), former=[])'
"""A dog with the members of a cat, which the grammar must refuse."""
OUTPUT = (
    "[Weather(address=Address(street='Hill Road 4', city='Oslo'), "
    "pet=Dog(kind='dog', breed='poodle'), former=[Cat(kind='cat', name='Tom')])]\n"
)


def check_grammar(grammar: str, accepts: Callable[[str, str], bool]) -> None:
    assert accepts(grammar, ANSWER)
    assert not accepts(grammar, WRONG)


def vllm_grammar(request: dict[str, Any]) -> str:
    return str(request["extra_body"]["structured_outputs"]["grammar"])


def sglang_grammar(request: dict[str, Any]) -> str:
    return str(request["extra_body"]["ebnf"])


@pytest.mark.parametrize(
    ("page", "grammar_of"), [("vllm.md", vllm_grammar), ("sglang.md", sglang_grammar)]
)
def test_a_page_of_a_server_makes_nested_classes(
    page: str, grammar_of: Callable[[dict[str, Any]], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first program of the page prints an instance of a class with all three."""

    def create(**request: Any) -> Any:
        check_grammar(grammar_of(request), gbnf_accepts)
        message = SimpleNamespace(content=ANSWER)
        return SimpleNamespace(choices=[SimpleNamespace(message=message)])

    completions = SimpleNamespace(completions=SimpleNamespace(create=create))
    install_openai(monkeypatch, SimpleNamespace(chat=completions))
    assert next(printed(page, **NESTED_CHANGES)) == OUTPUT


def test_the_page_of_custom_tools_makes_nested_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The call is the input of the custom tool."""

    def create(**request: Any) -> Any:
        [tool] = request["tools"]
        check_grammar(tool["format"]["definition"], llguidance_accepts)
        items = [
            SimpleNamespace(type="reasoning"),
            SimpleNamespace(type="custom_tool_call", input=ANSWER),
        ]
        return SimpleNamespace(output=items)

    install_openai(monkeypatch, SimpleNamespace(responses=SimpleNamespace(create=create)))
    assert next(printed("openai.md", **NESTED_CHANGES)) == OUTPUT


def install_openai(monkeypatch: pytest.MonkeyPatch, client: object) -> None:
    """Replace the package openai by one whose client is scripted."""
    module: Any = ModuleType("openai")
    module.OpenAI = lambda **_: client
    monkeypatch.setitem(sys.modules, "openai", module)


@pytest.fixture
def weather() -> Any:
    """Return the class with a nested class, a union and a list."""
    names: dict[str, Any] = {}
    exec(f"{NESTED_IMPORTS}\n{NESTED}", names)
    return names["Weather"]


def test_a_function_answers_with_nested_classes(weather: Any) -> None:
    """Servers without grammars, such as Ollama, are functions of `ask`, and are told the error."""
    answers = iter([WRONG, ANSWER])
    answer = ask(lambda messages: next(answers), "Register!", lton.Toolbox(weather))
    assert f"{answer.values}\n" == OUTPUT
    [error] = answer.errors
    assert "/pet" in str(error)


def test_a_wrapped_client_answers_with_nested_classes(weather: Any) -> None:
    """`lton.openai(client)` returns the instance that the arguments of the call describe."""
    [call] = lton.decode(ANSWER, lton.ToolSet.from_tools([weather]))
    answer = scripted.completion(None, (call.name, json.dumps(call.arguments)))
    client = lton.openai(scripted.OpenAI(answer), model="m")
    assert f"{[client.create(weather, messages=[])]}\n" == OUTPUT
