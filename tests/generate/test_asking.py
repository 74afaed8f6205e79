"""Test asking a model again after an unreadable answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import BaseModel, field_validator

from lton import Call, DecodeError, EncodeError, IncompleteError, LTONError, Toolbox, ToolSet
from lton.chat import Message
from lton.errors import Code
from lton.generate import Shot, ask
from tests.generate.scripted import Scripted


class Book(BaseModel):
    guest: str

    @field_validator("guest")
    @classmethod
    def is_welcome(cls, guest: str) -> str:
        if guest == "Bob":
            raise ValueError("Bob is banned")
        return guest


@dataclass
class Writer:
    """A model that returns scripted answers, and records its prompts."""

    texts: list[str]

    def __post_init__(self) -> None:
        self.shown: list[list[str]] = []

    def __call__(self, messages: list[dict[str, Any]]) -> str:
        self.shown.append([f"{message['role']}: {message['content']}" for message in messages])
        return self.texts.pop(0)


TOOLS = Toolbox(Book)


def test_what_can_be_read_is_not_asked_again() -> None:
    """A readable answer is not asked again; by default answers are read leniently."""
    writer = Writer(['{"name": "Book", "arguments": {"guest": "Ann"}}'])
    answer = ask(writer, "Book a room for Ann.", TOOLS)
    assert (answer.values, answer.errors) == ([Book(guest="Ann")], ())
    assert writer.shown[0][1:] == ["user: Book a room for Ann."]
    assert "Book" in writer.shown[0][0]
    writer = Writer(['{"name": "Book", "arguments": {"guest": "Ann"}}', "Book(guest=Ann)"])
    assert len(ask(writer, "?", TOOLS, lenient=False).errors) == 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Book(guest=Bob)", "Bob is banned (line 1, column 12, at /guest) [E214]"),
        ("Book(gast=Ann)", "no parameter"),
        ("Boo(guest=Ann)", ""),
        ("Sure, I will do that!", "expected a call, found none (line 1, column 1) [E101]"),
        (
            'For example: `{"name": "Book", "arguments": {"guest": "Ann"}}`',
            "found one that is uncertain",
        ),
        ("", "expected a call, found none"),
    ],
)
def test_the_model_is_shown_its_text_and_the_error(text: str, why: str) -> None:
    """The model gets its answer and the error with code, place and expected value."""
    writer = Writer([text, "Book(guest=Ann)"])
    answer = ask(writer, "?", TOOLS)
    assert answer.values == [Book(guest="Ann")]
    assert len(answer.errors) == 1
    *messages, error = writer.shown[1]
    assert (f"assistant: {text}" in messages) is bool(text)
    assert error.startswith("user: !error: ")
    assert why in error.replace('\\"', '"')
    assert answer.errors[0].code.value in error


def test_an_error_is_raised_after_so_many_retries() -> None:
    """After the retries, the last error is raised with the tokens of all answers."""
    for retries in (0, 1, 3):
        writer = Writer(["Book(guest=Bob)"] * (retries + 1))
        with pytest.raises(DecodeError, match="Bob is banned"):
            ask(writer, "?", TOOLS, retries=retries)
        assert len(writer.shown) == retries + 1


def test_prose_is_an_answer_where_no_call_is_wanted() -> None:
    """If a call is optional, prose is an answer, and calls are on lines of their own."""
    tools = ToolSet.from_prompt("wait(minutes:int)")
    messages = [
        Message.saying("user", "Hi"),
        Message.saying("assistant", "Hi!"),
        Message.saying("user", "Wait!"),
    ]
    writer = Writer(["Sure.", "Sure.\n!call wait(minutes=5)"])
    assert ask(writer, messages, tools, tool_choice="auto").values == []
    assert writer.shown[0][1:] == ["user: Hi", "assistant: Hi!", "user: Wait!"]
    assert ask(writer, messages, tools, tool_choice="auto").values == [Call("wait", {"minutes": 5})]


def test_an_engine_is_guided_and_asked_again() -> None:
    """An engine samples only values. A value that a class refuses is told, and asked for again."""
    model = Scripted('Bob"', 'Ann"')
    answer = ask(model, "Book a room for Ann.", TOOLS, weigh=False)
    assert answer.values == [Book(guest="Ann")]
    assert answer.calls == [Call("Book", {"guest": "Ann"})]
    assert [error.code for error in answer.errors] == [Code.CONSTRAINT]
    assert answer.text == 'Book({"guest": "Ann"})'
    assert answer.spent.sampled > 0


def test_a_guided_model_is_told_its_call_and_the_error() -> None:
    """The conversation has the examples, the call in the model's own form, and the error."""
    conversations: list[list[str]] = []

    class Told(Scripted):
        def prompt(self, messages: Sequence[Mapping[str, str]]) -> list[int]:
            conversations.append(
                [f"{message['role']}: {message['content']}" for message in messages]
            )
            return super().prompt(messages)

    model = Told('Bob"', 'Ann"')
    shots = [Shot("A room for Eve!", [Book(guest="Eve")])]
    ask(model, "And for Ann.", TOOLS, shots=shots, weigh=False)
    assert 'assistant: Book({"guest": "Eve"})' in conversations[0]
    *_, again = conversations[-1]
    assert conversations[-1][-2] == 'assistant: Book({"guest": "Bob"})'
    assert conversations[-1][1:4] == [
        "user: A room for Eve!", 'assistant: Book({"guest": "Eve"})', "user: And for Ann.",
    ]  # fmt: skip
    assert again.startswith("user: !error Book ")
    assert "Bob is banned" in again
    assert again.endswith("without the mistake.")


def test_a_guided_model_that_fails_again_raises_its_error() -> None:
    """After the retries the error of the class is raised, and other errors are at once."""
    with pytest.raises(EncodeError, match="Bob is banned"):
        ask(Scripted('Bob"', 'Bob"'), "?", TOOLS, retries=1, weigh=False)
    with pytest.raises(IncompleteError):
        ask(Scripted("Bob"), "?", TOOLS, max_tokens=1, weigh=False)


def test_a_function_takes_no_options_of_guidance() -> None:
    """The options of sampling are those of the function."""
    with pytest.raises(ValueError, match="takes no option 'max_tokens'"):
        ask(Writer([]), "?", TOOLS, max_tokens=5)


def test_what_is_no_model_is_an_error_that_says_so() -> None:
    """The error for an object that is not a model names its type, and how to load a model."""
    with pytest.raises(LTONError, match=r"found a int; .*load") as caught:
        ask(5, "?", TOOLS)
    assert caught.value.code == Code.MODEL
