"""Test typed tools: texts become instances, refusals become errors, and calls are run."""

import asyncio
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import Enum
from functools import partial
from typing import Annotated, Any, Generic, NotRequired, TypeVar

import msgspec
import pytest
from pydantic import (
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    NaiveDatetime,
    RootModel,
    field_validator,
    model_validator,
)
from typing_extensions import TypedDict

import lton
from lton import Call, DecodeError, EncodeError, LTONError, SchemaError, Toolbox
from lton.chat import ToolCall
from lton.errors import Code, ConversionError
from lton.grammar import to_gbnf
from lton.schema.jsonschema.python import definition_of
from lton.typed import Request
from tests.grammar.recogniser import recogniser
from tests.schema.test_openapi import PETS
from tests.steps import steps


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Place(BaseModel):
    city: str
    zip_code: str = Field("0000", alias="zip")


class Book(BaseModel):
    """Book a room."""

    model_config = ConfigDict(strict=True)
    guest: Annotated[str, Field(max_length=10, description="Who.")]
    day: date
    place: Place
    color: Color = Color.RED

    @field_validator("guest")
    @classmethod
    def is_welcome(cls, guest: str) -> str:
        if guest == "Bob":
            raise ValueError("Bob is banned")
        if guest == "Eve":
            raise KeyError("boom")
        return guest

    @model_validator(mode="after")
    def exists(self) -> "Book":
        if self.place.city == "Nowhere":
            raise ValueError("no such place")
        return self


@dataclass
class Wait:
    minutes: int = 5
    why: str | None = None


class Search(TypedDict):
    query: str
    limit: NotRequired[int]


class Pay(msgspec.Struct, rename="camel"):
    """Pay somebody."""

    amount_due: Annotated[float, msgspec.Meta(gt=0)]
    steps: list[Wait] = []
    blob: bytes = b""


class Ring(BaseModel):
    """An instance that can be called runs itself."""

    times: int

    def __call__(self) -> str:
        return "ring " * self.times


def add(a: int, b: int = 2) -> int:
    """Add two numbers."""
    return a + b


async def slow(n: int) -> str:
    """Take some time."""
    await asyncio.sleep(0)
    return f"slow {n}"


class Shop:
    def sell(self, what: str) -> str:
        """Sell something."""
        return f"sold {what}"


TOOLS = Toolbox(Book, Wait, Search, Pay, Ring, add, slow, Shop().sell)
BOOKED = 'Book(guest="Ann", day=2026-01-02, place=(city="Oslo", zip="5"), color=blue)'


@pytest.mark.parametrize(
    ("text", "instance"),
    [
        (
            BOOKED,
            Book(
                guest="Ann",
                day=date(2026, 1, 2),
                place=Place(city="Oslo", zip="5"),
                color=Color.BLUE,
            ),
        ),
        ("Wait", Wait(5)),
        ('Wait(minutes=3, why="tea")', Wait(3, "tea")),
        ('Search(query="x")', {"query": "x"}),
        ('Pay(amountDue=2, steps=[(minutes=3)], blob="eA==")', Pay(2.0, [Wait(3)], b"x")),
        ("Ring 2", Ring(times=2)),
    ],
)
def test_a_call_becomes_an_instance(text: str, instance: object) -> None:
    """A call becomes an instance with the aliases, defaults and strictness of its class."""
    assert TOOLS.decode(text) == [instance]
    [call] = lton.decode(text, TOOLS)
    assert TOOLS.instance(call) == instance
    assert TOOLS.decode(lton.encode(call, TOOLS)) == [instance]


def test_a_function_becomes_what_runs_it() -> None:
    """A call of a function or method becomes a partial whose arguments are checked, and which has
    not run.
    """
    [one, two] = TOOLS.decode('add(a=1)\nsell(what="tea")')
    assert isinstance(one, partial)
    assert (one.func, one(), two()) == (add, 3, "sold tea")


@pytest.mark.parametrize(
    ("text", "path", "at", "why"),
    [
        (BOOKED.replace("Ann", "Bob"), "/guest", '"Bob"', "Bob is banned"),
        (BOOKED.replace("Ann", "Eve"), "", None, "KeyError: 'boom'"),
        (BOOKED.replace("Oslo", "Nowhere"), "", None, "no such place"),
        (BOOKED.replace("01-02", "13-02"), "/day", "2026-13", "not a date"),
        ('Pay(amountDue=2, blob="?")', "/blob", '"?"', "base64"),
        ("add(a=x)", "/a", "x)", "expected an integer"),
        ("nope(a=x)", "", "nope", "no tool 'nope'"),
    ],
)
def test_what_a_class_refuses_is_an_error_with_its_place(
    text: str, path: str, at: str | None, why: str
) -> None:
    """An error of a validator has the position in the text, and is raised before anything runs."""
    pos = len(text) if at is None else text.index(at)
    for read in (TOOLS.decode, TOOLS.run, lambda text: lton.decode(text, TOOLS)):
        with pytest.raises(DecodeError, match=why) as caught:
            read(text)
        assert (caught.value.path, caught.value.pos) == (path, pos)
    if path:
        return
    with pytest.raises(LTONError):
        TOOLS.decode(f"add(a=1)\n{text}")


def test_an_instance_of_a_wrong_call_is_an_error() -> None:
    """An instance of a wrong call is an error, also for a call without a text."""
    with pytest.raises(EncodeError, match="Bob is banned") as caught:
        TOOLS.instance(Call("Book", {"guest": "Bob", "day": "2026-01-02", "place": {"city": "x"}}))
    assert caught.value.path == "/guest"
    with pytest.raises(EncodeError, match="no tool 'x'"):
        TOOLS.instance(Call("x"))


def test_a_call_of_an_api_is_mended_before_it_becomes_an_instance() -> None:
    """Arguments that cannot be mended are an error, as for other calls."""
    assert TOOLS.instance(ToolCall("Wait", '{"minutes": "3", "why": "tea",}')) == Wait(3, "tea")
    assert TOOLS.instance(ToolCall("wait", {"minutes": 3, "why": "tea"})) == Wait(3, "tea")
    with pytest.raises(EncodeError, match="expected an integer") as caught:
        TOOLS.instance(ToolCall("Wait", '{"minutes": "3 h"}'))
    assert caught.value.path == "/minutes"
    with pytest.raises(ConversionError, match="expected arguments in JSON"):
        TOOLS.instance(ToolCall("Wait", '{"minutes": '))


class Either(BaseModel):
    of: list[Wait | Place]
    what: Annotated[str, Field(alias="wot")] = "x"

    @model_validator(mode="before")
    @classmethod
    def is_whole(cls, data: Any) -> Any:
        return data

    @field_validator("of")
    @classmethod
    def has_items(cls, of: list[Any]) -> list[Any]:
        assert of, "of nothing"
        return of


def test_a_path_leads_as_far_as_the_arguments_go() -> None:
    """The path contains only the steps that exist in the arguments, without branches of unions."""
    tools = Toolbox(Either)
    assert tools.decode("Either(of=[(minutes=3), (city=x)])")[0].of == [
        Wait(3),
        Place(city="x", zip="0000"),
    ]
    with pytest.raises(DecodeError, match="of nothing") as caught:
        tools.decode("Either(of=[])")
    assert (caught.value.path, caught.value.code) == ("/of", Code.CONSTRAINT)
    deep = Toolbox(Deep)
    with pytest.raises(DecodeError, match="no leaf") as other:
        deep.decode("Deep(leaves=[(name=a), (name=b)])")
    assert other.value.path == "/leaves/1/name"


class Leaf(BaseModel):
    name: str

    @field_validator("name")
    @classmethod
    def is_leaf(cls, name: str) -> str:
        if name == "b":
            raise ValueError("no leaf")
        return name


class Deep(BaseModel):
    leaves: list[Leaf]


def test_calls_are_run() -> None:
    """Each call runs once, even if the model repeats it, and an exception becomes the answer."""
    answers = TOOLS.run("add(a=1)\nadd(a=1)\nRing(times=1)\nadd(a=4)")
    assert str(answers) == '!result add 3\n!result Ring "ring "\n!result add 6'
    assert str(TOOLS.run("add(a=1)\nadd(a=1)", repeat_calls=True)) == "!result add 3\n!result add 3"

    def broken() -> None:
        raise RuntimeError("out of paper")

    assert str(Toolbox(broken).run("broken()")) == '!error broken "RuntimeError: out of paper"'
    assert str(TOOLS.run("")) == ""
    assert str(TOOLS.run("Wait", using=lambda call: call.minutes * 60)) == "!result Wait 300"


def test_nothing_runs_where_one_call_cannot_run() -> None:
    """If one call cannot run, none runs: an instance needs a function, and a coroutine
    `run_async`.
    """
    ran: list[int] = []

    def note(n: int) -> None:
        ran.append(n)

    tools = Toolbox(Wait, note)
    with pytest.raises(LTONError, match="nothing runs 'Wait'; pass the function that takes it"):
        tools.run("note(n=1)\nWait")
    assert ran == []
    with pytest.raises(TypeError, match="use run_async"):
        TOOLS.run("slow(n=1)")


def test_calls_are_run_at_once() -> None:
    """Coroutine functions are awaited, and other functions run concurrently."""

    async def using(call: Any) -> str:
        return await call() if call.func is slow else str(call())

    assert str(asyncio.run(TOOLS.run_async("slow(n=3)\nadd(a=4)"))) == (
        '!result slow "slow 3"\n!result add 6'
    )
    assert str(asyncio.run(TOOLS.run_async("slow(n=3)", using))) == '!result slow "slow 3"'


def test_answers_are_those_of_an_api() -> None:
    """The messages are the model's turn with its calls, and a result for each call."""
    answers = TOOLS.run("Sure.\n!call add(a=1)", prose=True)
    message, result = answers.messages()
    assert (message["content"], message["tool_calls"][0]["function"]["name"]) == ("Sure.", "add")
    assert (result["content"], result["tool_call_id"]) == ("3", message["tool_calls"][0]["id"])
    message, result = answers.messages("anthropic")
    assert message["content"][1]["id"] == result["content"][0]["tool_use_id"]
    *_, called, output = answers.messages("responses")
    assert (called["call_id"], output["output"]) == (output["call_id"], "3")


def test_what_a_model_really_writes_is_read_leniently() -> None:
    """With `lenient`, the lenient reader is used, and quoted calls are not run."""
    text = '{"name": "add", "arguments": {"a": "3"}}'
    [call] = TOOLS.decode(text, lenient=True)
    assert call() == 5
    with pytest.raises(DecodeError):
        TOOLS.decode(text)
    with pytest.raises(DecodeError, match="no call is certain"):
        TOOLS.run('For example: `{"name": "add", "arguments": {"a": 3}}`', lenient=True)


def test_a_source_may_be_named() -> None:
    """With names, two sources of one class or name are two tools."""
    tools = Toolbox(Wait, rest=Wait, more=partial(add, b=5))
    assert tools.decode("rest 3\nWait 4") == [Wait(3), Wait(4)]
    assert str(tools.run("more(a=1)")) == "!result more 6"
    assert Toolbox(self=Wait).decode("self 3") == [Wait(3)]
    with pytest.raises(SchemaError, match="'Wait'; give one of them another name") as caught:
        Toolbox(Wait, Wait)
    assert caught.value.code == Code.NAMES


def test_operations_become_requests() -> None:
    """A document gives many tools, and a definition without a class stays a call."""
    definition = {"name": "stop", "parameters": {"properties": {"now": {"type": "boolean"}}}}
    tools = Toolbox(PETS, definition, Wait)
    assert tools.decode("getPet(petId=5)\nstop(now=true)\nWait") == [
        Request("GET", "/pets/5"),
        Call("stop", {"now": True}),
        Wait(5),
    ]
    answer = tools.run("getPet(petId=5)", using=lambda request: {"asked": request.path})
    assert str(answer) == "!result getPet {asked /pets/5}"


def test_a_call_that_leads_to_another_path_is_an_error() -> None:
    """The error has the position and the path of the argument, and nothing runs."""
    parameter = {"name": "a/b", "in": "path", "schema": {"type": "string"}}
    operation = {"operationId": "drop", "parameters": [parameter]}
    tools = Toolbox({"openapi": "3.1.0", "paths": {"/pets/{a/b}": {"delete": operation}}})
    assert tools.decode('drop(a/b="x")') == [Request("DELETE", "/pets/x")]
    for value in ("", ".", ".."):
        with pytest.raises(DecodeError, match="leaves the path as it is") as caught:
            tools.run(f'drop(a/b="{value}")', using=lambda _: pytest.fail("it runs"))
        assert (caught.value.code, caught.value.path, caught.value.column) == ("E214", "/a~1b", 10)
    with pytest.raises(EncodeError, match=r"leaves the path as it is.*\(at /a~1b\)"):
        tools.instance(Call("drop", {"a/b": ".."}))


class Opaque:
    def __init__(self, x: object) -> None:
        self.x = x


class Unknown(BaseModel):
    model_config = ConfigDict(arbitrary_types_allowed=True)
    x: Opaque


class Struct(msgspec.Struct):
    x: Opaque


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (Unknown, "Unknown'> has no schema: .*; annotate it with types that JSON Schema has"),
        (Opaque, "Opaque'> has no schema"),
        (Struct, "Struct'> has no schema"),
        (int, "expected the schema of an object"),
        (len, "has no schema"),
        (5, "expected a tool definition, found 5"),
        (None, "expected a tool definition, found None"),
        ({"foo": 1}, "expected the name of a tool, found {'foo': 1}"),
        ([Wait], r"found several; use Toolbox\(\*tools\)"),
    ],
)
def test_what_is_no_tool_is_an_error_that_names_it(source: Any, why: str) -> None:
    """The error for an unsupported source names it, and how to mend it if known."""
    with pytest.raises(SchemaError, match=why) as caught:
        Toolbox(Wait, source)
    assert caught.value.pointer.startswith("/1")


def test_a_toolbox_is_a_toolset() -> None:
    """Grammars, prompts and codecs accept a toolbox like any other tool set."""
    plain = lton.ToolSet.from_tools([Wait, add])
    tools = Toolbox(Wait, add)
    assert tools.prompt() == plain.prompt()
    assert tools.fingerprint == plain.fingerprint
    assert lton.grammar.to_gbnf(tools) == lton.grammar.to_gbnf(plain)
    assert type(Toolbox.from_tools([add])) is lton.ToolSet


def test_a_part_of_a_toolbox_decodes_to_instances() -> None:
    """A selection, and a toolbox with aliases, also decode to instances."""
    tools = Toolbox(Wait, fetch_page=add)
    assert tools.select("Wait").decode("Wait 3") == [Wait(minutes=3)]
    short = tools.with_aliases().select("fetch_page")
    assert str(short.run("page 2 3")) == "!result page 5"
    with pytest.raises(DecodeError, match="no tool 'Wait'"):
        short.decode("Wait 3")


@pytest.mark.parametrize("text", ["add(a=1)", 'sell(what="tea")\nadd 1 2\n', "sell s2:\n\n"])
def test_complete_calls_are_not_read_as_a_stream(text: str) -> None:
    """Decoding complete calls takes about as many steps as the readers of complete text."""
    tools: Toolbox[Call] = Toolbox(definition_of(add, "/0"), definition_of(Shop().sell, "/1"))
    strict, lenient = lton.decode(text, tools), lton.decode_lenient(text, tools).calls
    assert tools.decode(text) == tools.decode(text, lenient=True) == strict == [*lenient]
    at_most = steps(lambda: lton.decode(text, tools)) + 6
    assert steps(lambda: tools.decode(text)) <= at_most
    assert steps(lambda: tools.decode(text, lenient=True)) <= at_most + 3 + 9 * len(strict)


def test_an_instance_is_made_once_and_read_fast() -> None:
    """A class sees the arguments of a call once, and its calls are read as fast as any others."""
    numbers = list[int]()

    class Even(BaseModel):
        number: int

        @field_validator("number")
        @classmethod
        def is_even(cls, number: int) -> int:
            numbers.append(number)
            if number % 2:
                raise ValueError("odd")
            return number

    tools = Toolbox(Even)
    plain = lton.ToolSet.from_tools([Even])
    assert tools.decode("Even 2") == tools.decode("Even 2", lenient=True) == [Even(number=2)]
    assert numbers == [2, 2, 2]  # the last one by this test
    assert lton.decode("Even 2", tools) == [Call("Even", {"number": 2})]
    read_only = steps(lambda: lton.decode("Even 2", plain))
    checks = steps(lambda: tools.tools[0].check and tools.tools[0].check({"number": 2}))
    assert steps(lambda: lton.decode("Even 2", tools)) <= read_only + checks
    with pytest.raises(DecodeError, match="odd") as caught:
        lton.decode("Even 2\nEven 3", tools)
    assert (caught.value.code, caught.value.pos) == (Code.CONSTRAINT, 12)
    with pytest.raises(DecodeError, match="odd"):
        tools.decode("Even 3")
    with pytest.raises(DecodeError, match="odd"):
        tools.decode("Even 3", lenient=True)


class Naive(BaseModel):
    at: NaiveDatetime


class Aware(BaseModel):
    at: AwareDatetime


class Anytime(BaseModel):
    at: datetime


@pytest.mark.parametrize("zone", [None, UTC])
@pytest.mark.parametrize(
    ("model", "zones"), [(Naive, [None]), (Aware, [UTC]), (Anytime, [None, UTC])]
)
def test_a_grammar_allows_the_times_that_a_class_takes(model: Any, zones: Any, zone: Any) -> None:
    """The zone of a time is optional, required or refused, as in the class."""
    time = datetime(2026, 5, 3, 14, 30, tzinfo=zone)
    tools = Toolbox(model)
    text = f'{model.__name__}(at="{time.isoformat()}")'
    assert recogniser(to_gbnf(tools, form="punctuated"))(text) == (zone in zones)
    if zone in zones:
        assert tools.decode(text) == [model(at=time)]
    else:
        with pytest.raises(DecodeError) as raised:
            tools.decode(text)
        assert raised.value.code == "E214"


T = TypeVar("T")


class Box(BaseModel, Generic[T]):
    content: T


def scale(factor: int, number: int = 1, **more: int) -> int:
    """Scale a number."""
    return factor * number + sum(more.values())


class Point(msgspec.Struct):
    x: int
    y: int = msgspec.field(name="Y", default=0)


def test_names_of_generics_and_partials_are_names_for_apis() -> None:
    """A generic class and a partial have names that every API accepts."""
    tools = Toolbox(Box[int], Box[dict[str, Any]], partial(scale, 2))
    assert [tool.name for tool in tools] == ["Box_int", "Box_dict_str_Any", "scale"]
    assert tools.by_name["scale"].description == "Scale a number."
    assert tools.decode("Box_int 5") == [Box[int](content=5)]


@pytest.mark.parametrize("source", [RootModel[list[int]], int])
def test_a_type_without_named_fields_is_refused_with_a_hint(source: Any) -> None:
    """The error says how a value without a name becomes an argument."""
    with pytest.raises(SchemaError, match="the field of a class") as raised:
        Toolbox(source)
    assert raised.value.code == "E502"


class Base(BaseModel):
    x: int = 1


class Derived(Base):
    y: int = 2


def stop() -> None:
    """Stop."""


CLASSES: list[Any] = [Book, Wait, Base, Derived, Point, Box[int], scale]


@pytest.mark.parametrize(
    ("instance", "text"),
    [
        (Book(guest="Ann", day=date(2026, 5, 3), place=Place(city="Rome", zip="1")), None),
        (Wait(3), "Wait 3"),
        (Derived(x=1, y=5), "Derived _ 5"),
        (Base(x=5), "Base 5"),
        (Point(3, 4), "Point 3 4"),
        (Box[int](content=5), "Box_int 5"),
        (partial(scale, 3, number=1), "scale 3"),
        (partial(scale, 3, extra=4), "scale 3 extra=4"),
    ],
)
def test_an_instance_is_encoded(instance: Any, text: str | None) -> None:
    """`encode` takes what `decode` returns, alone and in lists, and leaves out defaults."""
    tools = Toolbox(*CLASSES)
    encoded = lton.encode(instance, tools)
    assert text in (None, encoded)
    assert lton.encode([instance, Call("stop")], Toolbox(*CLASSES, stop)) == f"{encoded}\nstop"
    call = tools.decode(encoded)[0]
    if isinstance(instance, partial):
        assert call() == instance()
    else:
        assert call == instance


@pytest.mark.parametrize("instance", [Wait(3), [Wait(3)], Base()])
def test_an_instance_without_its_class_is_refused_with_a_hint(instance: Any) -> None:
    """The error says which tools take an instance."""
    for tools in (Toolbox(Point, scale), lton.ToolSet.from_tools([Point])):
        with pytest.raises(TypeError, match=r"pass lton.Toolbox\((Wait|Base)\) as tools"):
            lton.encode(instance, tools)


class Session:
    """A context of the program, which no schema describes."""

    def __init__(self, user: str) -> None:
        self.user = user


SessionArgument = Annotated[Session, lton.Hidden]


def list_orders(session: SessionArgument, limit: int = 2, **more: int) -> str:
    """List orders."""
    return f"{session.user} {limit} {more}"


def cancel(session: Annotated[Session, lton.Hidden()], number: int, /) -> str:
    return f"{session.user} {number}"


async def greet(*, name: str, session: "SessionArgument") -> str:
    return f"{session.user} greets {name}"


def show_all(at: SessionArgument = Session("nobody")) -> str:  # noqa: B008 - never changed
    return at.user


ORDERS: Any = [list_orders, cancel, show_all]


def test_a_hidden_parameter_is_filled_by_the_program() -> None:
    """The model does not see a parameter with the mark, and `run` gets its value."""
    tools = Toolbox(*ORDERS)
    signature = "list_orders(limit?:int=2 ...:int)\ncancel(number:int)\nshow_all()"
    assert tools.prompt(descriptions=False) == signature
    assert lton.ToolSet.from_tools(ORDERS).prompt(descriptions=False) == signature
    text = "list_orders 5 a=1\ncancel 7\nshow_all"
    answers = tools.run(text, hidden={"session": Session("Ann")})
    assert str(answers) == (
        '!result list_orders "Ann 5 {\'a\': 1}"\n!result cancel "Ann 7"\n!result show_all nobody'
    )
    (call,) = tools.decode("cancel 7")
    assert call(session=Session("Bo")) == "Bo 7"
    assert lton.encode(partial(call, session=Session("Bo")), tools) == "cancel 7"
    assert lton.encode(partial(list_orders, Session("Bo"), 3), tools) == "list_orders 3"


def test_hidden_parameters_of_coroutines_and_partials() -> None:
    """The mark also works for coroutine functions, with `using`, and in a `partial`."""
    tools: Toolbox[Any] = Toolbox(show=partial(list_orders, limit=1))
    assert tools.prompt(descriptions=False) == "show(limit?:int=1 ...:int)"
    using = tools.run("show", using=lambda call: call(), hidden={"session": Session("Ann")})
    assert str(using) == '!result show "Ann 1 {}"'
    other: Toolbox[Any] = Toolbox(partial(list_orders, Session("Cy")))
    assert str(other.run("list_orders")) == '!result list_orders "Cy 2 {}"'
    greetings = Toolbox(greet).run_async("greet Bo", hidden={"session": Session("Ann")})
    assert str(asyncio.run(greetings)) == '!result greet "Ann greets Bo"'


def test_an_annotation_that_cannot_be_evaluated_is_not_hidden() -> None:
    """The error says which name pydantic does not find."""

    def unknown(context: "Annotated[Missing, lton.Hidden]") -> None:  # type: ignore[name-defined]  # noqa: F821
        """Do nothing."""

    with pytest.raises(SchemaError, match="name 'Missing' is not defined"):
        Toolbox(unknown)


@pytest.mark.parametrize("text", ["cancel(session=1, number=7)", "list_orders(session=1)"])
def test_a_call_that_names_a_hidden_parameter_is_an_error(text: str) -> None:
    """Only the program gives the value, also if a function takes any other arguments."""
    tools = Toolbox(*ORDERS)
    for read in (tools.decode, lambda text: lton.decode(text, tools)):
        with pytest.raises(DecodeError, match="session") as raised:
            read(text)
        assert raised.value.code in (Code.PARAMETER, Code.CONSTRAINT)
    with pytest.raises(DecodeError, match="session"):
        tools.run(text, lenient=True, hidden={"session": Session("Ann")})


def test_hidden_values_are_complete_and_known() -> None:
    """A value that is missing, and one that no tool has, are errors before any call runs."""
    tools = Toolbox(*ORDERS)
    with pytest.raises(LTONError, match=r"nothing fills .*'session' of 'cancel'; pass it: run"):
        tools.run("show_all\ncancel 7")
    with pytest.raises(LTONError, match="no tool has the hidden parameter 'sesion'"):
        tools.run("show_all", hidden={"sesion": Session("Ann")})


class Marked(BaseModel):
    user: Annotated[str, lton.Hidden()] = "x"


class MarkedStruct(msgspec.Struct):
    user: Annotated[str, lton.Hidden] = "x"


class Outer(BaseModel):
    inner: Marked


@pytest.mark.parametrize("source", [Marked, MarkedStruct, Outer])
def test_a_field_of_a_class_cannot_be_hidden(source: Any) -> None:
    """The error says that the mark is for parameters of functions."""
    with pytest.raises(SchemaError, match="parameters of functions, not fields") as raised:
        Toolbox(source)
    assert raised.value.code == Code.DEFINITION


def test_a_history_is_made_of_instances() -> None:
    """A message has the calls of instances, and a wrong call is an error."""
    tools = Toolbox(Wait, add)
    message = tools.message(Wait(3), partial(add, 1), Call("add", {"a": 4}), text="First this.")
    assert (message.role, message.text) == ("assistant", "First this.")
    assert [call.call for call in message.calls] == [
        Call("Wait", {"minutes": 3}), Call("add", {"a": 1}), Call("add", {"a": 4}),
    ]  # fmt: skip
    assert len({call.id for call in message.calls}) == 3
    with pytest.raises(EncodeError, match="expected an integer"):
        tools.message(Call("add", {"a": "x"}))
    with pytest.raises(TypeError, match=r"pass lton.Toolbox\(Base\)"):
        tools.message(Base())


@pytest.mark.parametrize(
    ("text", "options", "end_text"),
    [
        ("add 1\nadd x", {}, "x"),
        ("\n  add 1\nadd x\n\n", {}, "x"),
        ("<think>a</think>\nadd 1\nadd x", {}, "x"),
        ("add 1\n&x", {}, "x"),
        ("add 1\n& x", {}, "x"),
        ("  Sure.\n!call add 1\n!call add x", {"prose": True}, "x"),
        ("  Sure.\nadd(a=x)", {"lenient": True}, "x"),
        ("\n\nSure:\nadd(a=1)", {"lenient": True}, "add"),
    ],
)
def test_positions_count_from_the_start_of_the_text(
    text: str, options: dict[str, Any], end_text: str
) -> None:
    """An error has its position in the whole text, also after other calls, prose and blanks."""
    for read in (TOOLS.decode, TOOLS.run):
        with pytest.raises(DecodeError) as caught:
            read(text, **options)
        assert (caught.value.doc, caught.value.pos) == (text, text.rindex(end_text))
        line = text[: caught.value.pos].count("\n") + 1
        assert caught.value.line == line
        assert caught.value.picture().endswith("^")
