"""Test definitions in tiers: the shown descriptions, and the answers for the others."""

import pytest

from lton.schema.shown.tiers import Describer, read_budget, tools_without_description, write_example
from lton.schema.toolset import ToolSet

PROMPT = f"""long {"Do much. " * 20}
 id:int
read_file Read a file.
 path
find Find files.
stop()"""
TOOLS = ToolSet.from_prompt(PROMPT)


@pytest.mark.parametrize(
    ("budget", "names"),
    [(None, set()), (0, {"long", "read_file", "find"}), (10, {"long"}), (100, set())],
)
def test_descriptions_are_shown_that_fit(budget: int | None, names: set[str]) -> None:
    """A short description that fits is shown after a long one that does not."""
    assert tools_without_description(TOOLS, budget) == names


def test_tools_that_are_named_are_described_alone() -> None:
    """With names only, those tools are described; a text that only shares a word with a name is a
    question.
    """
    describer = Describer(TOOLS)
    assert describer.describe_tools("find") == "find Find files."
    both = "find Find files.\nread_file Read a file.\n path"
    assert describer.describe_tools("find, read_file") == both
    assert describer.describe_tools("how to find a file") == both
    assert describer.describe_tools("zebra") == "no tool fits; there are: long read_file find stop"


@pytest.mark.parametrize("text", ["", "some", "budget=", "budget=-1", "budget=1.5", "budget=x"])
def test_what_is_no_budget_is_named(text: str) -> None:
    with pytest.raises(ValueError, match="show: expected all, names or budget=N"):
        read_budget(text)


@pytest.mark.parametrize(
    ("signature", "expected"),
    [
        ("f(a b:[int] c:{int} d:[[(x)]])", ""),
        ("f(a b?:(x y:int) c?)", "f(a=..., b=(x=..., y=...))"),
        ("f(a?:[(x? y?)] b:[int])", "f(b=[...], a=[(x=...)])"),
        ('"f g"("a b":(x:(y:(z:(u:(v))))))', '"f g"("a b"=(x=(y=(z=...))))'),
    ],
)
def test_records_have_an_example(signature: str, expected: str) -> None:
    (tool,) = ToolSet.from_prompt(signature)
    assert write_example(tool) == expected
    assert (
        Describer([tool])
        .describe_tools(tool.name)
        .endswith(f"Like this: {expected}" if expected else "")
    )


def test_what_holds_itself_has_an_end() -> None:
    loop = {"type": "object", "properties": {"next": {"$ref": "#"}, "id": {"type": "string"}}}
    (tool,) = ToolSet.from_tools([{"name": "f", "parameters": loop}])
    assert len(write_example(tool)) < 200
