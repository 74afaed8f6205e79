"""Test that variables and other expressions of programs are never read as strings."""

import pytest

from lton import decode_lenient
from lton.errors import Code, RepairCode
from tests.cases import INT, tool, tools_of, undoubted_calls

STRING = {"type": "string"}
TOOLS = tools_of(
    tool("remove", {"path": STRING, "limit": INT}, ["path"]),
    tool("mail", {"to": STRING, "cc": {"type": ["string", "null"]}, "kind": {"enum": ["short"]}}),
    tool("tag", {"names": {"type": "array", "items": STRING}, "on": {"type": "boolean"}}),
    tool("weather.v1", {"city": STRING}, ["city"]),
)
PYTHON = [
    "[{0}]",
    "So:\n[{0}]",
    '[remove(path="x"), {0}]',
    "<|tool_call_start|>[{0}]<|tool_call_end|>",
    "<|python_start|>{0}<|python_end|>",
    "<|python_start|>[{0}]<|python_end|>",
    "<|python_tag|>{0}",
    "```tool_code\n{0}\n```",
    "```tool_call\n{0}\n```",
    '```tool_code\nremove(path="x")\n{0}\n```',
    "<function_calls>\n{0}\n</function_calls>",
]
"""Marks in which models write Python."""
EXPRESSIONS = (
    "path user.home args.cmd *paths **kw str home ls a+b -x paths[0] get() os.path.join('a','b')"
    ' f"a{b}" r"a" (a) ... self.x[0].y None $HOME x.y() a.txt notes'
).split()
EXPRESSIONS += ["x or y", "not x", "lambda: 1", '"a" + b', '"a" % b', "x if y else z"]
"""Expressions that are not literals."""


@pytest.mark.parametrize("around", PYTHON)
def test_expressions_are_errors_in_python(around: str) -> None:
    """An expression in a text parameter is an error in every mark around Python."""
    for expression in EXPRESSIONS:
        for call in (f"remove(path={expression})", f"remove({expression})"):
            result = decode_lenient(around.replace("{0}", call), TOOLS, safe=False)
            assert all(one.arguments == {"path": "x"} for one in result.calls), call
            assert result.errors, call


@pytest.mark.parametrize("around", PYTHON)
def test_literals_are_values_in_python(around: str) -> None:
    """Strings, numbers, the three literals and listed strings are values in Python."""
    for call, expected in (
        ('remove(path="notes.txt", limit=5)', {"path": "notes.txt", "limit": 5}),
        ("remove(path='user.home')", {"path": "user.home"}),
        ("remove('a', limit=None)", {"path": "a"}),
        ("mail(to='a', cc=None)", {"to": "a", "cc": None}),
        ("mail(to='a', kind=short)", {"to": "a", "kind": "short"}),
        ("tag(names=['a', 'b'], on=True)", {"names": ["a", "b"], "on": True}),
        ("tag(names=[], on=False)", {"names": [], "on": False}),
        ("remove(path=12)", {"path": "12"}),
    ):
        result = decode_lenient(around.replace("{0}", call), TOOLS)
        assert undoubted_calls(result)[-1].arguments == expected, call
        assert not result.errors


@pytest.mark.parametrize("call", ["tag(names=[a, 'b'])", "mail(to='a', kind=long)", "mail(kind=x)"])
def test_expressions_in_other_places(call: str) -> None:
    """Names in lists, and names that are not listed, are errors, too."""
    (error,) = decode_lenient(f"[{call}]", TOOLS).errors
    assert error.code in (Code.TYPE, Code.LABEL)


def test_python_ends_with_its_mark() -> None:
    """After the end of Python, bare words are strings of LTON again."""
    text = "<function_calls>\nremove(path='a')\n</function_calls>\nremove(Rome)"
    assert [call.arguments["path"] for call in decode_lenient(text, TOOLS).calls] == ["a", "Rome"]


def test_marks_in_a_string_open_nothing() -> None:
    """A mark of Python in a string of a call says nothing about the next call."""
    text = "So:\nremove(path='a <function_calls> b')\nremove(Rome)"
    calls = undoubted_calls(decode_lenient(text, TOOLS))
    assert [call.arguments["path"] for call in calls] == ["a <function_calls> b", "Rome"]


VARIABLES = ["user.home", "args.cmd", "os.environ.HOME", "self.path", "*paths", "**kw", "$HOME"]
FILES = ["notes.txt", "config.yaml", "README.md", "main.py", "a.tar.gz", "example.com", "Rome"]


@pytest.mark.parametrize("around", ["So:\n{0}", "Action: {0}", "```python\n{0}\n```", "- {0}\n"])
def test_variables_on_a_line_are_uncertain(around: str) -> None:
    """On a line, a word that looks like a variable makes its call uncertain."""
    for word in (*VARIABLES, "None", "path"):
        result = decode_lenient(around.replace("{0}", f"remove(path={word})"), TOOLS)
        assert [one.code for one in result.uncertain] == [RepairCode.EXAMPLE], word
    for word in FILES:
        result = decode_lenient(around.replace("{0}", f"remove(path={word})"), TOOLS)
        assert [call.arguments for call in undoubted_calls(result)] == [{"path": word}]


@pytest.mark.parametrize(
    "text",
    [
        'So:\nremove(path="user.home")',
        "So:\nremove 'user.home'",
        "So:\nremove s9:user.home",
        '{"name": "remove", "arguments": {"path": "user.home"}}',
        "<function=remove>\n<parameter=path>\nuser.home\n</parameter>\n</function>",
    ],
)
def test_quoted_text_is_no_variable(text: str) -> None:
    """Text in quotes, JSON or elements is a string, even if it looks like a variable."""
    (call,) = undoubted_calls(decode_lenient(text, TOOLS))
    assert call.arguments == {"path": "user.home"}


@pytest.mark.parametrize("word", [*VARIABLES[:4], *FILES])
def test_strict_text_has_no_doubt(word: str) -> None:
    """Text that can be read strictly is read so, with bare words as strings (R-1001)."""
    for text in (f"remove(path={word})\n", f"remove {word}\n"):
        (call,) = decode_lenient(text, TOOLS).calls
        assert call.arguments == {"path": word}


def test_names_of_tools_are_no_variables() -> None:
    """A dot in the name of the tool does not matter."""
    (call,) = undoubted_calls(decode_lenient("So:\nweather.v1(city=Rome)", TOOLS))
    assert call.arguments == {"city": "Rome"}
