"""Test tools that are Python functions, or types whose fields are the arguments."""

import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, Literal, NotRequired

import msgspec
import pytest
from pydantic import BaseModel, Field, TypeAdapter
from typing_extensions import TypedDict

from lton import Call, LTONError, SchemaError, Toolbox, ToolSet, decode, encode
from lton._json import minified
from lton._require import write_install_command
from lton.chat import ToolCall, run
from lton.errors import Code
from lton.schema.jsonschema.python import accepting_names
from lton.schema.jsonschema.tally import Handling

DRAFT = "http://json-schema.org/draft-07/schema#"


class Place(BaseModel):
    """Where it is."""

    x: float
    y: float = 0.5


class Order(BaseModel):
    """Order something."""

    what: Literal["tea", "coffee"]
    to: Place
    cups: Annotated[int, Field(ge=1, description="how many")] = 1


@dataclass
class Wait:
    minutes: int
    why: str = "no reason"
    places: list[Place] = field(default_factory=list)


class Search(TypedDict):
    """Search for it."""

    query: str
    limit: NotRequired[int]


def weather(city: str, days: int = 3, near: Place | None = None) -> str:
    """Get the weather.

    Args:
        city: Where.
        days: For so many days.
        near: No matter.

    """
    return f"{city} {days} {near}"


class Pay(msgspec.Struct, rename="camel"):
    """Pay a bill."""

    amount_due: float


async def later(*, task: str) -> None:
    """:param task: What to do.
    :param other: What it does not take.
    """


PROMPTS: list[tuple[Any, str]] = [
    (Place, "Place Where it is.\n x:num\n y?:num=0.5"),
    (
        Order,
        "Order Order something.\n"
        " what:tea|coffee\n"
        " to:(x:num y?:num=0.5) Where it is.\n"
        " cups?:int(1..)=1 how many",
    ),
    (Wait, 'Wait\n minutes:int\n why?="no reason"\n places?:[(x:num y?:num=0.5)]'),
    (Search, "Search Search for it.\n query\n limit?:int"),
    (TypeAdapter(Search), "Search Search for it.\n query\n limit?:int"),
    (
        weather,
        "weather Get the weather.\n"
        " city Where.\n"
        " days?:int=3 For so many days.\n"
        " near?:(x:num y?:num=0.5)|null No matter.",
    ),
    (later, "later\n task What to do."),
    (Pay, "Pay Pay a bill.\n amountDue:num"),
]


@pytest.mark.parametrize(
    ("source", "prompt"),
    PROMPTS,
    ids=[getattr(source, "__name__", "adapter") for source, _ in PROMPTS],
)
def test_definitions_in_python(source: Any, prompt: str) -> None:
    """The model sees the parameters that a type or a function declares."""
    assert ToolSet.from_tools([source]).prompt() == prompt


def test_calls_of_functions_are_called() -> None:
    """The arguments of a call fit the function."""
    tools = ToolSet.from_tools([weather, Order])
    (call,) = decode('weather "San Leandro" near=(1 2)', tools)
    arguments: Any = call.arguments
    assert weather(**arguments) == "San Leandro 3 {'x': 1, 'y': 2}"
    order = Order(what="tea", to=Place(x=1.5))
    text = encode(Call("Order", order.model_dump()), tools)
    assert text == "Order tea (1.5 0.5),1"
    assert Order.model_validate(decode(text, tools)[0].arguments) == order


def test_kinds_of_definitions_mix() -> None:
    """Definitions of different kinds may be mixed; MCP's `tools/list` has them under `tools`."""
    listed = {"tools": [{"name": "stop", "inputSchema": {}}], "nextCursor": None}
    assert ToolSet.from_tools(listed).prompt(descriptions=False) == "stop()"
    tools = ToolSet.from_tools([Place, {"name": "stop"}, {"title": "go", "properties": {}}])
    assert list(tools.by_name) == ["Place", "stop", "go"]


@pytest.mark.parametrize(
    "source",
    [len, object(), int, lambda *a, b: (a, b), type("C", (), {})],
    ids=["builtin", "object", "int", "many", "class"],
)
def test_what_has_no_schema_is_refused(source: Any) -> None:
    """An object that cannot be called by name is refused, with its place, in one line. Without
    `strict`, only this object is left out.
    """
    tools = ToolSet.from_tools([Place, source])
    assert [tool.name for tool in tools] == ["Place"]
    assert tools.notes[-1].handling is Handling.LEFT_OUT
    with pytest.raises(SchemaError) as caught:
        ToolSet.from_tools([Place, source], strict=True)
    assert caught.value.code in (Code.DEFINITION, Code.KEYWORD)
    assert caught.value.pointer.startswith("/1")
    assert "\n" not in caught.value.msg


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("pydantic", Place),
        ("docstring_parser", Place),
        (
            "jsonschema_specifications",
            {"title": "f", "properties": {"x": {"$ref": DRAFT}}},
        ),
    ],
)
def test_missing_extras_are_named(
    module: str, source: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error for a missing library says what to install."""
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(LTONError, match=re.escape(write_install_command("apps"))) as caught:
        ToolSet.from_tools([source])
    assert caught.value.code == Code.EXTRA


def misnamed(x: "NoSuchType") -> None:  # type: ignore[name-defined]  # noqa: F821
    """Have an annotation that names nothing."""


def circular(x: "list['circular']") -> None:  # type: ignore[valid-type]
    """Have an annotation that holds itself."""


circular.__annotations__["x"] = "list[circular.__annotations__['x']]"


def failing(x: "1 / 0") -> None:  # type: ignore[valid-type]
    """Have an annotation that fails."""


def bounded_by_text(x: Annotated[int, Field(gt="a")]) -> None:
    """Have a bound that is none."""


def looking(x: Annotated[str, Field(pattern="(?!a)")]) -> None:
    """Have a pattern that pydantic cannot match."""


@pytest.mark.parametrize("function", [misnamed, circular, failing, bounded_by_text, looking])
def test_annotations_that_mean_nothing_are_refused(function: Any) -> None:
    """Annotations are code, so any exception in them becomes an error of the definition."""
    with pytest.raises(SchemaError) as caught:
        ToolSet.from_tools([function])
    assert caught.value.code == Code.DEFINITION


def pair(one: int, two: "list[str] | None" = None, /, three: int = 3, *, four: int = 4) -> Any:
    """Return the arguments.

    Args:
        one: The first one.
        two: The second one.
        three: The third one.
        four: The fourth one.

    """
    return one, two, three, four


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"one": 1}, (1, None, 3, 4)),
        ({"one": 1, "four": 5}, (1, None, 3, 5)),
        ({"one": 1, "two": ["x"], "three": 2}, (1, ["x"], 2, 4)),
        ({"one": 1, "three": 2}, (1, None, 2, 4)),
    ],
)
def test_positional_only_parameters_have_names_for_models(
    arguments: dict[str, Any], expected: object
) -> None:
    """They are in the schema, and a call passes them by position."""
    tools = ToolSet.from_tools([pair])
    line = "pair(one:int two?:[str]|null three?:int=3 four?:int=4)"
    assert tools.prompt(descriptions=False) == line
    assert tools.tools[0].args.params[0].description == "The first one."
    call = Call("pair", arguments)
    assert accepting_names(pair)(**arguments) == expected
    (result,) = run(ToolCall("pair", json.dumps(arguments), "1"), [pair]).results
    assert result.text == minified(expected)
    assert Toolbox(pair).instance(call)() == expected


def test_a_positional_only_parameter_that_is_missing() -> None:
    """The function itself raises the error, and parameters by position still work."""
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'one'"):
        accepting_names(pair)(four=1)
    assert run(ToolCall("len", '{"obj": "four"}', "1"), [len]).results[0].text == "4"
    assert accepting_names(pair)(1, ["x"]) == (1, ["x"], 3, 4)
    assert accepting_names(weather) is weather


def _list(first: str, *others: str) -> None:
    """Accept any number of values."""


@pytest.mark.parametrize("source", [_list, partial(_list, "x")])
def test_parameters_without_names_are_refused(source: Any) -> None:
    """The error names the parameter, and says what to write instead."""
    makers: list[Callable[[Any], ToolSet]] = [lambda one: ToolSet.from_tools([one]), Toolbox]
    for make in makers:
        with pytest.raises(SchemaError, match=r"has \*others, whose values have no names") as error:
            make(source)
        assert error.value.code == Code.DEFINITION
        assert error.value.hint == "replace it by one parameter with a list: others: list[...]"


def test_functions_without_a_signature() -> None:
    """Some functions in C have no signature, and pydantic cannot describe them."""
    for source in (min, partial(min, 1), partial(min)):
        with pytest.raises(SchemaError, match="has no schema"):
            ToolSet.from_tools([source])
