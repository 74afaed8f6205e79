"""Test what a first user of types tried: each reproduction of the review, as it was written.

The review has numbers, and each test names the numbers that it covers. Reproductions that are
tested elsewhere are listed here:

- B1: `tests/extra/model/test_guided.py` asks a real model. The scripted models of
  `tests/generate/test_weighing.py` choose the branch of a union.
- B2: `tests/schema/test_branches.py` has every form, grammar and error.
- C: `js/test/schemas.test.mjs`, `js/test/types.test.mjs`, and the lenient suite.
- D1: `tests/mcp_proxy/test_results.py` and `tests/test_results.py`.
- F1: `spec/conformance`; `test_rules_of_the_suite_are_sentences_of_the_specification` has the ids.
"""

import json
import re
from datetime import date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, TypeVar
from uuid import UUID

import pytest
from pydantic import AnyUrl, BaseModel, Field, NaiveDatetime, RootModel, TypeAdapter

import lton
from lton import Call, DecodeError, SchemaError, Toolbox
from lton.generate import Asked, ask
from lton.grammar import to_gbnf
from lton.mcp_proxy.results import shorten_result
from lton.results import write
from tests.generate.scripted import Scripted, guided
from tests.grammar.recogniser import recogniser

SPEC = Path(__file__).parents[2] / "spec"
FORMS: Any = ("wire", "keyed", "punctuated", "tagged")


class Cat(BaseModel):
    kind: Literal["cat"]
    name: str
    meows_per_day: int


class Dog(BaseModel):
    kind: Literal["dog"]
    name: str
    breed: str
    vaccinated: bool


class AddPet(BaseModel):
    owner: str
    pet: Annotated[Cat | Dog, Field(discriminator="kind")]


class Line(BaseModel):
    article: str
    count: int


class Order(BaseModel):
    customer: str
    lines: list[Line]


REX = AddPet(owner="Ann", pet=Dog(kind="dog", name="Rex", breed="beagle", vaccinated=True))
KIM = Order(customer="Kim", lines=[Line(article="apples", count=2), Line(article="p", count=5)])


@pytest.mark.parametrize("instance", [REX, KIM])
@pytest.mark.parametrize("form", FORMS)
def test_nested_classes_are_written_read_and_allowed_by_grammars(
    instance: BaseModel, form: Any
) -> None:
    """B1, B5: a nested class, a union and a list of classes come back as equal instances."""
    tools = Toolbox(AddPet, Order)
    text = lton.encode(instance, tools, form=form)
    assert tools.decode(text) == [instance]
    assert recogniser(to_gbnf(tools, form=form, counted=99))(text)


def test_guided_generation_writes_nested_classes() -> None:
    """B1, B2: the model samples only values, and only those of the branch that it chose."""
    model = Scripted('Ann",', 'dog",', 'Rex",', 'beagle",', "true}")
    answer = guided(model, "Register Ann's dog Rex, a vaccinated beagle.", Toolbox(AddPet))
    assert [Toolbox(AddPet).instance(call) for call in answer.calls] == [REX]
    assert "meows" not in "".join(model.read)


class Pet(BaseModel):
    pet: Annotated[
        Annotated[Cat, Field(title="cat")] | Annotated[Dog, Field(title="dog")],
        Field(discriminator="kind"),
    ]


PAGES: Any = [
    {"type": "object", "properties": {name: {"type": "string"}}, "required": [name]}
    for name in ("page_id", "database_id")
]
CREATE: Any = {"name": "create", "parameters": {"properties": {"parent": {"anyOf": PAGES}}}}


def test_a_union_is_shown_by_its_classes() -> None:
    """B2: a signature has the members of each class, and which of them are required."""
    signature = "pet:(kind:cat name meows_per_day:int)|(kind:dog name breed vaccinated:bool)"
    assert Toolbox(Pet).prompt(descriptions=False) == f"Pet({signature})"
    tools = lton.ToolSet.from_tools([CREATE])
    assert tools.prompt(descriptions=False) == "create(parent?:(page_id)|(database_id))"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Pet(pet=(kind=dog, meows_per_day=3))", "no parameter 'meows_per_day' with kind 'dog'"),
        ('Pet(pet=(kind=dog, name="Rex", breed="beagle"))', "'vaccinated' with kind 'dog'"),
        ("Pet(pet=(kind=cat))", "'name' with kind 'cat'"),
    ],
)
def test_an_error_is_about_the_class_that_the_label_chose(text: str, why: str) -> None:
    """B2: grammar and decoder agree, and the model is told what its own choice lacks."""
    tools = Toolbox(Pet)
    assert not recogniser(to_gbnf(tools, form="punctuated"))(text)
    with pytest.raises(DecodeError, match=why) as raised:
        tools.decode(text)
    assert "is not 'cat'" not in str(raised.value)
    right = 'Pet(pet=(kind=cat, name="Tom", meows_per_day=9))'
    requests: list[Any] = []
    texts = iter([text, right])

    def answer(messages: list[dict[str, Any]]) -> str:
        requests.append(messages)
        return next(texts)

    final_answer: Asked[Pet] = ask(answer, "A pet!", tools, lenient=False)
    assert final_answer.values == tools.decode(right)
    assert re.search(why, requests[1][-1]["content"])


class Tree(BaseModel):
    name: str
    children: list["Tree"] = []


class Limits(BaseModel):
    at: datetime
    on: date
    d: timedelta
    id: UUID
    url: AnyUrl
    n: Annotated[int, Field(ge=1, le=10)]
    t: tuple[int, str]


def test_a_model_is_told_what_a_type_says() -> None:
    """B3: formats, bounds, recursion and tuples are part of a signature."""
    assert Toolbox(Limits).prompt(descriptions=False) == (
        "Limits(at:date-time on:date d:duration id:uuid url:uri n:int(1..10) t:[int str])"
    )
    assert Toolbox(Tree).prompt(descriptions=False) == "Tree(name children?:[@Tree]=[])"


class Home(BaseModel):
    name: str
    at: datetime


class Nested(BaseModel):
    owner: str
    home: Home


def test_an_error_has_an_example_and_points_at_the_value() -> None:
    """B3: a model without a grammar is told how to write a value, and which value is wrong."""
    text = 'Nested(owner="Ann", home=(name="x", at="tomorrow"))'
    with pytest.raises(DecodeError, match="such as 2026-05-03T14:30:00") as raised:
        Toolbox(Nested).decode(text)
    error = raised.value
    assert (error.code, error.pos) == ("E214", text.index('"tomorrow"'))


class Naive(BaseModel):
    at: NaiveDatetime


def test_a_naive_time_can_be_written_under_a_grammar() -> None:
    """B4: the grammar allows what the class takes, and what `encode` writes."""
    tools = Toolbox(Naive)
    instance = Naive(at=datetime(2026, 5, 3, 14, 30))
    text = lton.encode(instance, tools, form="punctuated")
    assert recogniser(to_gbnf(tools, form="punctuated"))(text)
    assert tools.decode(text) == [instance]


def test_instances_are_written() -> None:
    """B5: `encode` takes instances, alone and in a list."""
    tools = Toolbox(AddPet, Order)
    assert lton.encode(KIM, tools) == "Order Kim [(apples 2),(p 5)]"
    assert tools.decode(lton.encode([REX, KIM], tools)) == [REX, KIM]


T = TypeVar("T")


class Box(BaseModel, Generic[T]):
    content: T


def scale(factor: int, /, number: int = 1) -> int:
    """Scale a number."""
    return factor * number


class Doubler:
    def __call__(self, number: int) -> int:
        """Double a number."""
        return 2 * number


@pytest.mark.parametrize(
    ("source", "name", "call"),
    [
        (Box[int], "Box_int", Call("Box_int", {"content": 5})),
        (partial(scale, 2), "scale", Call("scale", {"number": 5})),
        (scale, "scale", Call("scale", {"factor": 2, "number": 5})),
        (Annotated[Order, Field()], "Order", Call("Order", {"customer": "K", "lines": []})),
        (TypeAdapter(Tree), "Tree", Call("Tree", {"name": "x", "children": [{"name": "y"}]})),
        (TypeAdapter(Box[int]), "Box_int", Call("Box_int", {"content": 5})),
        (Doubler().__call__, "call", Call("call", {"number": 5})),
    ],
)
def test_a_tool_has_a_name_that_apis_accept(source: Any, name: str, call: Call) -> None:
    """B6: generics, partials, adapters, and functions with positional parameters are tools."""
    tools: Toolbox[Any] = Toolbox(source)
    assert [tool.name for tool in tools] == [name]
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name)
    text = lton.encode(call, tools)
    assert lton.decode(text, tools) == [call]
    assert str(tools.run(text, using=lambda _: "made")) == f"!result {name} made"


@pytest.mark.parametrize(
    ("source", "hint"),
    [
        (RootModel[list[int]], "make it the field of a class"),
        (Cat | Dog, r"pass its classes: Toolbox\(Cat, Dog\)"),
        (Tree | None, r"pass its classes: Toolbox\(Tree\)"),
        (Doubler(), "pass the method that is called, with a name"),
        (TypeAdapter(dict[str, int]), r"pass it with a name: Toolbox\(name=...\)"),
    ],
)
def test_what_is_no_tool_is_refused_with_what_to_do(source: Any, hint: str) -> None:
    """B6: the error says what to pass."""
    with pytest.raises(SchemaError, match=hint) as raised:
        Toolbox(source)
    assert raised.value.code == "E502"


def test_a_type_without_a_name_gets_one() -> None:
    """B6: the name of a keyword argument is enough."""
    tools: Toolbox[Any] = Toolbox(counts=TypeAdapter(dict[str, int]))
    assert tools.decode("counts a=1") == [{"a": 1}]


def test_modules_load_by_themselves() -> None:
    """B6: `import lton` is enough for each module that the pages name."""
    for name in ("chat", "engines", "generate", "grammar", "results"):
        assert getattr(lton, name).__name__ == f"lton.{name}"


def list_orders(limit: int) -> list[dict[str, Any]]:
    """Return the rows of the review."""
    rows = range(limit)
    return [{"id": f"O-{i}", "status": "open", "total": i * 1.5, "lines": i} for i in rows]


def test_rows_of_the_python_sdk_are_a_table() -> None:
    """D1: a block of text for each item becomes one table."""
    rows = list_orders(20)
    blocks = [{"type": "text", "text": json.dumps(row)} for row in rows]
    (block,) = shorten_result({"content": blocks, "structuredContent": {"result": rows}})["content"]
    assert block["text"] == write(rows)
    assert block["text"].startswith("[20(id status total lines)\nO-0 open 0.0 0\n")


DOUBLE = "a double without a fractional part, such as `7.0`, is also allowed"
SENTENCES = {
    "read-double-integral": DOUBLE,
    "read-double-exponent-integral": DOUBLE,
    "double-as-integer": DOUBLE,
    "read-required-but-undeclared": "that `properties` does not declare is declared by `required`",
    "closed-record": "declares no members and accepts none, the object is written `()`",
    "refused-other-boolean": "not allowed (E203) if the schema has `const: true`",
}


def test_rules_of_the_suite_are_sentences_of_the_specification() -> None:
    """F1: the specification has the rule of each case that the first reader could not find."""
    folder = SPEC / "conformance"
    files = [*folder.glob("decode/*.json"), *folder.glob("encode/*.json")]
    cases = [case for path in files for case in json.loads(path.read_text("utf-8"))["cases"]]
    assert SENTENCES.keys() <= {case["id"] for case in cases}
    specification = (SPEC / "LTON-0.1.md").read_text("utf-8")
    assert [one for one in SENTENCES.values() if one not in specification] == []
