"""Test instances of classes while their arguments arrive."""

import json
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, Any, Literal

import msgspec
import pytest
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

import lton
from lton.typed import Partial
from lton.typed.open_json import read_open_object
from lton.typed.partials import make_partial
from tests.typed.scripted import OpenAI, chat_chunks


class Cat(BaseModel):
    kind: Literal["cat"]
    meows: int


class Dog(BaseModel):
    kind: Literal["dog"]
    breed: str


class Line(BaseModel):
    article: Annotated[str, Field(min_length=3)]
    count: int = 1


class Order(BaseModel):
    customer: str = Field(alias="by")
    day: date | None
    pet: Annotated[Cat | Dog, Field(discriminator="kind")]
    lines: list[Line] = Field(default_factory=list)
    note: str | None = None


@dataclass(frozen=True)
class Wait:
    minutes: int
    tags: list[str] = field(default_factory=list)
    why: str = "tea"


class Search(TypedDict):
    query: str
    limit: int


class Pay(msgspec.Struct, rename="camel"):
    amount_due: float
    to_whom: str = "Ann"


@pytest.mark.parametrize(
    ("kind", "arguments", "members"),
    [
        (Wait, {}, {"minutes": None, "tags": [], "why": "tea"}),
        (Wait, {"minutes": 5, "tags": ["a"]}, {"minutes": 5, "tags": ["a"], "why": "tea"}),
        (Pay, {}, {"amount_due": None, "to_whom": "Ann"}),
        (Pay, {"amountDue": 2}, {"amount_due": 2.0, "to_whom": "Ann"}),
        (Line, {"article": "a"}, {"article": "a", "count": 1}),
        (Cat, {"kind": "c"}, {"kind": None, "meows": None}),
    ],
)
def test_members_that_have_not_arrived_have_defaults(
    kind: Any, arguments: Any, members: dict[str, Any]
) -> None:
    """A partial instance is of its class, and each of its members can be read."""
    instance = make_partial(kind, arguments)
    assert type(instance) is kind
    assert {name: getattr(instance, name) for name in members} == members


def test_a_typed_dictionary_has_what_has_arrived() -> None:
    """A `TypedDict` has no other members, as its instances are dictionaries."""
    assert make_partial(Search, {"query": "a"}) == {"query": "a"}


TEXT = (
    '{"by": "Kim", "day": "2026-05-03", "pet": {"kind": "dog", "breed": "beagle"},'
    ' "lines": [{"article": "apples", "count": 2}, {"article": "pears"}], "note": "fast"}'
)


def test_nested_members_arrive() -> None:
    """At each character, the instance has the members so far, and in the end it is the whole."""
    orders = [make_partial(Order, read_open_object(TEXT[:end])) for end in range(len(TEXT) + 1)]
    assert orders[-1] == Order.model_validate_json(TEXT)
    assert (orders[0].customer, orders[0].lines, orders[0].pet) == (None, [], None)
    assert {order.customer for order in orders} == {None, "", "K", "Ki", "Kim"}
    assert {order.day for order in orders} == {None, date(2026, 5, 3)}
    assert {type(order.pet) for order in orders} == {type(None), Dog}
    assert {order.pet.breed for order in orders if order.pet} >= {None, "bea", "beagle"}
    counts = [[line.count for line in order.lines] for order in orders]
    assert [2, 1] in counts
    assert "fa" in [order.note for order in orders]


def test_a_union_is_chosen_by_what_has_arrived() -> None:
    """While two classes fit, there is no instance, and a wrong label fits none."""
    cases: list[tuple[Any, Any]] = [
        ({}, None), ({"meows": 1}, Cat), ({"kind": "do"}, Dog), ({"kind": "x"}, None),
        ({"kind": 5}, None),
    ]  # fmt: skip
    for pet, kind in cases:
        pet_instance = make_partial(Order, {"pet": pet}).pet
        assert (pet_instance and type(pet_instance)) == kind


def test_streams_have_instances() -> None:
    """`Partial.instance` grows with the stream, and is the complete instance at the end."""
    pieces = [(0, "Order", "")]
    pieces += [(0, "", TEXT[at : at + 7]) for at in range(0, len(TEXT), 7)]
    client = lton.openai(OpenAI(chat_chunks(*pieces)), model="m")
    partials: list[Partial[Order]] = [*client.stream_partial(Order, messages=[])]
    assert {type(partial.instance) for partial in partials} == {Order}
    assert [partial.instance.customer for partial in partials[:2]] == [None, "Kim"]
    assert partials[-1].instance is partials[-1].value
    assert partials[-1].instance == Order.model_validate(json.loads(TEXT))
