"""Code whose inferred types are asserted."""

from dataclasses import dataclass
from functools import partial
from typing import Any, assert_type

from pydantic import BaseModel
from typing_extensions import TypedDict

import lton
from lton.typed import AsyncTypedClient


class Book(BaseModel):
    room: str


@dataclass
class Wait:
    minutes: int


class Search(TypedDict):
    query: str


class ApiClient:
    """A client of an API."""

    def close(self) -> None:
        """Close the connections."""


class AsyncApiClient:
    """An asynchronous client of an API."""

    async def close(self) -> None:
        """Close the connections."""


def forecast(city: str, days: int = 3) -> float:
    return days * 1.5


def greet(name: str) -> str:
    return f"Hello {name}"


@lton.results.mcp
def named(book: str) -> list[Book]:
    return [Book(room=book)]


@lton.results.mcp(for_models="large")
async def later(book: str) -> Book:
    return Book(room=book)


def inferred(text: str) -> None:
    """Assert the types of instances of one class, of several, of functions, and without a type."""
    assert_type(lton.Toolbox(Book).decode(text), list[Book])
    assert_type(lton.openai(ApiClient()).create(Book), Book)
    assert_type(lton.anthropic(ApiClient()).create(list[Book]), list[Book])
    for arriving in lton.openai(ApiClient()).stream_partial(Book):
        assert_type(arriving.instance, Book)
    assert_type(lton.openai(AsyncApiClient()), AsyncTypedClient)
    tools = lton.Toolbox(Book, Wait, Search)
    assert_type(tools.decode(text), list[Book | Wait | Search])
    for instance in tools.decode(text):
        if isinstance(instance, Book):
            assert_type(instance.room, str)
        elif isinstance(instance, Wait):
            assert_type(instance.minutes, int)
        else:
            assert_type(instance["query"], str)
    assert_type(lton.Toolbox(forecast).decode(text), list[partial[float]])
    assert_type(lton.Toolbox(forecast).decode(text)[0](), float)
    assert_type(lton.Toolbox(Book, forecast).decode(text), list[Book | partial[float]])
    assert_type(lton.Toolbox(forecast, Book).decode(text), list[partial[float] | Book])
    mixed = lton.Toolbox(Book, forecast, Wait)
    assert_type(mixed.decode(text), list[Book | partial[float] | Wait])
    assert_type(
        lton.Toolbox(greet, Book, forecast).decode(text)[0], partial[str] | Book | partial[float]
    )
    for call in mixed.decode(text):
        if isinstance(call, partial):
            assert_type(call(), float)
        elif isinstance(call, Book):
            assert_type(call.room, str)
        else:
            assert_type(call.minutes, int)
    assert_type(lton.Toolbox(Wait, mine=Book).decode(text), list[Wait | Book])
    assert_type(lton.Toolbox(forecast, greet).decode(text), list[partial[float] | partial[str]])
    assert_type(lton.Toolbox(mine=Book).decode(text), list[Book])
    assert_type(lton.Toolbox(forecast, forecast, forecast, Book).decode(text), list[Any])
    assert_type(lton.Toolbox(Book, forecast, Wait, greet).decode(text), list[Any])
    assert_type(lton.Toolbox({"name": "wait"}).decode(text), list[Any])
    assert_type(str(tools.run(text, using=lambda function: function)), str)
    assert_type(lton.grammar.to_gbnf(tools), str)
    assert_type(lton.decode(text, tools), list[lton.Call])
    assert_type(named(text), list[Book])
    assert_type(lton.results.write([1], for_models="large"), str)
