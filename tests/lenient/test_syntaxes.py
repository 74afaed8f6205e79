"""Test the table of call syntaxes."""

import re
from pathlib import Path

import pytest

from lton import ToolSet, decode_lenient
from lton.gateway.native.rescues import Allowed, read_calls
from lton.lenient.syntaxes import (
    FAMILIES,
    PARAMETERS,
    SYNTAXES,
    Syntax,
    find_opening,
    pattern_of_column,
    read_syntaxes,
    syntaxes_in_template,
    syntaxes_of_model,
)
from spec.conformance.run import read_cases

NAMES = [syntax.name for syntax in SYNTAXES]
CASES = {case["id"]: case for case in read_cases() if case["kind"] == "lenient"}
TOOLS = ToolSet.from_prompt("delete_file(path:str)")
ROOT = Path(__file__).parents[2]
SPEC = (ROOT / "spec" / "LTON-0.1.md").read_text("utf-8")
GUIDE = (ROOT / "docs" / "guides" / "evidence.md").read_text("utf-8")


def test_several_rows_may_have_an_element_with_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each row's name of a call is a group of its own."""
    marks = ("<call-a {}>", "<call-b {}>")
    rows = tuple(
        Syntax(
            name=mark,
            opening=re.compile(mark[:7]),
            is_special=False,
            call_element=mark.format(r"(?P<own>\w+)"),
        )
        for mark in marks
    )
    monkeypatch.setattr("lton.lenient.syntaxes.SYNTAXES", rows)
    pattern = re.compile(pattern_of_column("call_element"))
    for number, mark in enumerate(marks):
        match = pattern.match(mark.format("wait"))
        assert match is not None
        assert match[f"own{number}"] == "wait"


@pytest.mark.parametrize("name", NAMES)
def test_each_row_is_used_by_a_text(name: str) -> None:
    """For each syntax, a case has a certain call after prose, which is uncertain otherwise."""
    case = CASES[f"evidence-after-prose-{name.replace('_', '-')}"]
    assert case["syntax"] == [name]
    assert len(case["calls"]) == 1
    assert name in syntaxes_in_template(case["text"])
    tools = ToolSet.from_prompt("delete_file(path:str)")
    assert len(decode_lenient(case["text"], tools, syntax=name).calls) == 1
    (doubt,) = decode_lenient(case["text"], tools).uncertain
    assert doubt.code == "L129"


def test_the_specification_has_the_same_table() -> None:
    """The names and kinds of the syntaxes are those in the specification."""
    rows = re.findall(r"^\| `(\w+)` \| .* \| (tags|special tokens) \|$", SPEC, re.MULTILINE)
    kinds = {True: "special tokens", False: "tags"}
    assert rows == [(syntax.name, kinds[syntax.is_special]) for syntax in SYNTAXES]


def test_the_guide_shows_the_table() -> None:
    """The guide has a row for each syntax: how it begins, its arguments, and the gateway's view."""
    rows = re.findall(r"^\| `\w+` \| `+.*`+ \| .* \| .* \| (?:yes|no) \|$", GUIDE, re.MULTILINE)
    assert rows == [_row_of_guide(syntax) for syntax in SYNTAXES]


def _row_of_guide(syntax: Syntax) -> str:
    text = CASES[f"evidence-after-prose-{syntax.name.replace('_', '-')}"]["text"]
    opening = syntax.opening.search(text)
    assert opening is not None
    names = frozenset([syntax.name])
    allowed = Allowed(tools=TOOLS, names=frozenset(TOOLS.by_name), syntaxes=names)
    is_delivered = read_calls(text, allowed).rescue is not None
    mark = opening[0].strip().replace("|", "\\|")
    mark = f"`` {mark} ``" if "`" in mark else f"`{mark}`"
    kind = "special tokens" if syntax.is_special else "tags"
    elements = {form.name for form in PARAMETERS}
    values = f"elements (`{syntax.values}`)" if syntax.values in elements else syntax.values
    delivered = "yes" if is_delivered else "no"
    return f"| `{syntax.name}` | {mark} | {values} | {kind} | {delivered} |"


def test_names_are_unique_and_families_use_them() -> None:
    """Names of syntaxes are unique, and families of models have only known names."""
    assert len(set(NAMES)) == len(NAMES)
    assert {name for family in FAMILIES for name in family.syntaxes} <= set(NAMES)


def test_an_unknown_name_is_an_error_that_lists_the_names() -> None:
    """The error for an unknown name lists all names."""
    with pytest.raises(ValueError, match="found 'qwen'") as caught:
        decode_lenient("", None, syntax=["tool_call", "qwen"])
    assert all(name in str(caught.value) for name in NAMES)


def test_names_may_be_one_string_or_several() -> None:
    """One name needs no list."""
    assert read_syntaxes("lton") == read_syntaxes(["lton"]) == {"lton"}
    assert read_syntaxes(()) == frozenset()


@pytest.mark.parametrize(
    ("model", "syntaxes"),
    [
        ("Qwen/Qwen3-8B", {"tool_call", "function"}),
        ("deepseek-ai/DeepSeek-V3.1", {"deepseek", "dsml"}),
        ("openai/gpt-oss-20b", {"harmony"}),
        ("google/functiongemma-270m", {"functiongemma"}),
        ("mistralai/Mistral-Small", {"mistral"}),
        ("my-model", set()),
    ],
)
def test_models_have_syntaxes(model: str, syntaxes: set[str]) -> None:
    """The first family whose pattern matches a model's name gives its syntaxes."""
    assert syntaxes_of_model(model) == syntaxes


def test_the_first_mark_decides() -> None:
    """If marks of several syntaxes precede a call, the first opens it."""
    text = "<tool_calls><tool_call>{}"
    opening = find_opening(text, 0, text.index("{"), NAMES)
    assert opening is not None
    assert (opening[0].name, opening[1]) == ("tool_calls", 0)
    assert find_opening(text, 0, text.index("{"), ["lton"]) is None


def _as_text(pattern: str) -> str:
    """Return the shortest text that the pattern of a mark matches."""
    return re.sub(r"\\s(?:\{0,9\}|\*)", "", pattern).replace("\\", "")


@pytest.mark.parametrize(
    "syntax", [syntax for syntax in SYNTAXES if syntax.thought], ids=lambda syntax: syntax.name
)
def test_a_call_in_a_thought_is_not_a_call(syntax: Syntax) -> None:
    """The marks of thoughts in a row are those of the reader."""
    assert syntax.thought is not None
    opening, closing = map(_as_text, syntax.thought)
    call = '{"name": "delete_file", "arguments": {"path": "a"}}'
    tools = ToolSet.from_prompt("delete_file(path:str)")
    thought = f"{opening}I could write {call}{closing}"
    assert not decode_lenient(thought, tools, syntax=syntax.name).calls
    assert len(decode_lenient(f"{thought}\n{call}", tools, syntax=syntax.name).calls) == 1


@pytest.mark.parametrize(
    "syntax", [syntax for syntax in SYNTAXES if syntax.after_name], ids=lambda syntax: syntax.name
)
def test_a_name_may_be_before_json_that_repeats_it(syntax: Syntax) -> None:
    text = f'{_as_text(syntax.after_name)}{{"name": "delete_file", "args": {{"path": "a"}}}}'
    tools = ToolSet.from_prompt("delete_file(path:str)")
    (call,) = decode_lenient(f"delete_file{text}", tools, syntax=syntax.name).calls
    assert (call.name, call.arguments) == ("delete_file", {"path": "a"})
