"""Test the pages of engines, word for word, with a real model.

The page of vLLM runs in `tests/extra/vllmserver`.
"""

import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from lton.gateway.command import find_free_port
from tests.examples import blocks_of

pytestmark = [
    pytest.mark.engines,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
PAGES = Path(__file__).parents[2] / "docs/guides/engines"
PROGRAMS = [
    ("llama-cpp-python.md", 1),
    ("outlines.md", 2),
    ("transformers.md", 2),
    ("mistral-rs.md", 1),
]
"""The pages whose engine runs in this process, and how many programs each has."""
IMPORTED = "from pydantic import BaseModel"
NESTED_IMPORTS = f"from typing import Annotated, Literal\n\n{IMPORTED}, Field"
SHOWN = '''
class Weather(BaseModel):
    """Get the weather of a city."""

    city: str
    days: int = 1
'''
"""The class of the pages."""
NESTED = '''
class Address(BaseModel):
    street: str
    city: str


class Cat(BaseModel):
    kind: Literal["cat"]
    name: str


class Dog(BaseModel):
    kind: Literal["dog"]
    breed: str


class Weather(BaseModel):
    """Register an owner."""

    address: Address
    pet: Annotated[Cat | Dog, Field(discriminator="kind")]
    former: list[Cat] = Field(max_length=1)
'''
"""A class with an object, a union and a list."""
NESTED_CHANGES = {SHOWN: NESTED, IMPORTED: NESTED_IMPORTS}
NESTED_OUTPUT = r"\[Weather\(address=Address\(.*\), pet=(Cat|Dog)\(.*\), former=\[.*\]\)\]\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder to which the first page has copied the model."""
    monkeypatch.chdir(tmp_path)
    assert next(printed("index.md")) == ""
    return tmp_path


def printed(page: str, **changes: str) -> Iterator[str]:
    """Run the programs of a page one after the other, and return the output of each."""
    names: dict[str, Any] = {"__name__": "__main__"}
    text = (PAGES / page).read_text("utf-8")
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    for block in blocks_of(text):
        if block.kind == "python":
            with redirect_stdout(StringIO()) as output:
                exec(compile(block.text, page, "exec"), names)
            yield output.getvalue()


@pytest.mark.parametrize(("page", "programs"), PROGRAMS)
def test_a_page_prints_an_instance(page: str, programs: int, folder: Path) -> None:
    """The page prints an instance; the number of days depends on the model."""
    assert folder.is_dir()
    outputs = [*printed(page)]
    assert len(outputs) == programs
    for text in outputs:
        assert re.fullmatch(r"\[Weather\(city='[^']*', days=-?\d+\)\]\n", text), text


def test_a_page_of_a_server_prints_an_instance(folder: Path) -> None:
    """The page starts its server, on another port in this test, and prints an instance."""
    assert folder.is_dir()
    with find_free_port() as connection:
        port = connection.getsockname()[1]
    [_, text] = printed("llama-server.md", **{"8080": str(port)})
    assert re.fullmatch(r"\[Weather\(city='[^']*', days=-?\d+\)\]\n", text), text


@pytest.mark.parametrize(("page", "programs"), PROGRAMS)
def test_a_page_makes_a_nested_class_a_union_and_a_list(
    page: str, programs: int, folder: Path
) -> None:
    """Each program of the page prints an instance of a class with all three."""
    assert folder.is_dir()
    outputs = [*printed(page, **NESTED_CHANGES)]
    assert len(outputs) == programs
    for text in outputs:
        assert re.fullmatch(NESTED_OUTPUT, text), text


def test_a_page_of_a_server_makes_a_nested_class_a_union_and_a_list(folder: Path) -> None:
    """The last program of the page prints an instance of a class with all three."""
    assert folder.is_dir()
    with find_free_port() as listener:
        port = str(listener.getsockname()[1])
    [_, text] = printed("llama-server.md", **NESTED_CHANGES, **{"8080": port})
    assert re.fullmatch(NESTED_OUTPUT, text), text


@pytest.mark.parametrize("page", ["sglang.md", "openai.md"])
def test_a_page_of_what_does_not_run_here_has_a_program(
    page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program of a page that cannot run here works up to the request, which OpenAI's client
    accepts.
    """
    import openai

    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    with pytest.raises(openai.APIConnectionError):
        [*printed(page)]
