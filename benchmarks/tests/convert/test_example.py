"""Test converting one example to each form, and the reasons for refusing it."""

import json
from typing import Any

import pytest

from lton import Call, LTONError, ToolSet, decode
from lton._syntax import FORMS, Form
from lton.chat.writing import Writer
from lton.errors import Code
from lton_bench.convert import convert_example

WAIT = {
    "name": "wait",
    "description": "Wait.",
    "parameters": {
        "type": "object",
        "properties": {"minutes": {"type": "number"}, "why": {"type": "string"}},
        "required": ["minutes"],
    },
}
LOOK = {"name": "look", "parameters": {"type": "object", "properties": {}}}
TOOLS = [{"type": "function", "function": WAIT}, {"type": "function", "function": LOOK}]
MIXED = 'Lines that begin with "!call " are calls; every other line is text for the user.'
USER = {"role": "user", "content": "Wait!"}


def call(name: str = "wait", arguments: Any = '{"minutes": 5}', **more: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "arguments": arguments}, **more}


def says(content: Any, *calls: Any, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, "tool_calls": list(calls), **more}


def answer(content: Any, **more: Any) -> dict[str, Any]:
    return {"role": "tool", "content": content, **more}


def example(*messages: Any, tools: Any = TOOLS) -> dict[str, Any]:
    return {"messages": [USER, *messages], "tools": tools}


def contents(chat: dict[str, Any], **options: Any) -> list[Any]:
    """Return the contents of the messages after the system prompt and the question."""
    return [message["content"] for message in convert_example(chat, **options)["messages"][2:]]


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("wire", "wait 5 tea\n& 1.0\nlook"),
        ("keyed", "wait minutes=5 why=tea\nwait minutes=1.0\nlook"),
        ("punctuated", 'wait(minutes=5, why="tea")\nwait(minutes=1.0)\nlook()'),
        ("tagged", "!call wait\n(u1:5 s3:tea)\n!call wait\n(f3:1.0)\n!call look\n()"),
    ],
)
def test_forms(form: Form, text: str) -> None:
    """Several calls become a text of several frames in each form, which decodes to the same
    calls.
    """
    calls = call(arguments='{"minutes": 5, "why": "tea"}'), call(arguments={"minutes": 1.0})
    chat = example(says(None, *calls, call("look", "")))
    assert contents(chat, form=form) == [text]
    assert decode(text, ToolSet.from_tools(TOOLS)) == [
        Call("wait", {"minutes": 5, "why": "tea"}),
        Call("wait", {"minutes": 1.0}),
        Call("look", {}),
    ]


@pytest.mark.parametrize("form", FORMS)
def test_prose_stays_and_gives_calls_sigils(form: Form) -> None:
    """If the assistant also writes prose, each call has a sigil, and the prompt explains this."""
    chat = example(says("I wait.\n", call(), call()), says("Done."))
    first, last = contents(chat, form=form)
    assert (first[: len("I wait.\n!call wait")], first.count("!call "), last) == (
        "I wait.\n!call wait",
        2,
        "Done.",
    )
    system = convert_example(chat, form=form)["messages"][0]["content"]
    assert system.startswith(f"{MIXED}\n")


def test_sigil_on_demand() -> None:
    """Without prose, calls have a sigil only on request."""
    chat = example(says("", call()))
    assert contents(chat) == ["wait(minutes=5)"]
    assert contents(chat, sigil=True) == ["!call wait(minutes=5)"]


def test_system_prompt() -> None:
    """Signatures and the primer of the form follow the text of the system prompt."""
    chat = {"messages": [{"role": "system", "content": "Be kind."}, USER], "tools": TOOLS}
    system, user = convert_example(chat, form="wire", descriptions=False)["messages"]
    prompt = ToolSet.from_tools(TOOLS).prompt(primer="wire", descriptions=False)
    assert system == {"role": "system", "content": f"Be kind.\n\n{prompt}"}
    assert user == USER
    tagged = convert_example({"messages": [USER], "tools": TOOLS}, form="tagged")["messages"][0]
    assert f"\n{ToolSet.from_tools(TOOLS).prompt()}\nCall a tool only if" in tagged["content"]


@pytest.mark.parametrize("form", FORMS[:3])
def test_no_primer(form: Form) -> None:
    """Without a primer, the prompt has signatures and the line that says where calls are."""
    prompt = ToolSet.from_tools(TOOLS).prompt()
    for chat, expected in (
        (example(says(None, call())), prompt),
        (example(says("Hi", call())), f"{MIXED}\n{prompt}\nCall a tool only if"),
    ):
        system = convert_example(chat, form=form, primer=False)["messages"][0]
        assert system["content"].startswith(expected)


@pytest.mark.parametrize("tools", [None, []])
def test_no_tools(tools: Any) -> None:
    """Without tools the system prompt is unchanged, and other members are copied."""
    chat = {"id": 7, "messages": [USER, says("Hi", name="x")], "tools": tools}
    assert convert_example(chat) == {
        "id": 7,
        "messages": [USER, {"role": "assistant", "content": "Hi", "name": "x"}],
    }


def test_tagged_needs_no_tools() -> None:
    """The tagged form with keys can be read without tools."""
    converted = convert_example({"messages": [USER, says(None, call())]}, form="tagged")
    assert converted["messages"][1]["content"] == "!call wait\n(minutes u1:5)"


def test_answers_are_frames_in_the_order_of_the_calls() -> None:
    """An answer belongs to the call with its id, else with its name, else to the next call."""
    calls = says(None, call(id="a"), call("look", "{}", id="b"), call(id="c"))
    chat = example(
        calls,
        answer("two\nlines", tool_call_id="c"),
        answer('{"sky": ["clear", 1.0]}', name="look"),
        answer([{"type": "text", "text": "5"}]),
        says("Bye."),
    )
    assert contents(chat)[1:] == [
        "!result wait 5",
        "!result look {sky [clear 1.0]}",
        "!result wait s9:two\nlines",
        "Bye.",
    ]


def test_answers_are_kept() -> None:
    """Answers to keep are unchanged."""
    result = answer("5", tool_call_id="a")
    converted = convert_example(example(says(None, call(id="a")), result), answers="kept")
    assert converted["messages"][-1] == result


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2}', "NaN", "[" * 100_000, "7" * 5000, "{"])
def test_answers_that_are_no_json_are_text(text: str) -> None:
    """An answer that is not unambiguous JSON becomes a string."""
    (frame,) = contents(example(says(None, call()), answer(text)))[1:]
    assert text in frame


@pytest.mark.parametrize(
    ("chat", "code", "path"),
    [
        ({}, Code.CONVERSION, ""),
        ({"messages": []}, Code.CONVERSION, ""),
        ({"messages": ["Hi"]}, Code.CONVERSION, "/messages/0"),
        ({"messages": [{"role": ["user"]}]}, Code.CONVERSION, "/messages/0"),
        ({"messages": [{"role": "function", "content": ""}]}, Code.CONVERSION, "/messages/0"),
        (example(says(7)), Code.CONVERSION, "/messages/1/content"),
        (example({**says(None), "function_call": {}}), Code.CONVERSION, "/messages/1"),
        (
            example({**says(None), "tool_calls": {"a": 1}}),
            Code.CONVERSION,
            "/messages/1/tool_calls",
        ),
        (example(says(None, {"type": "custom"})), Code.CONVERSION, "/messages/1/tool_calls/0"),
        (example(says([{"type": "audio"}])), Code.CONVERSION, "/messages/1/content"),
        (example(answer("x")), Code.CONVERSION, "/messages/1"),
        (example(says(None, call(id="a")), answer("", tool_call_id="b")), Code.CONVERSION, None),
        (example(says(None, call()), answer(""), answer("")), Code.CONVERSION, "/messages/3"),
        (example(says(None, call()), answer("\0")), Code.VALUE, "/messages/2/content"),
        (example(says("So:\n!call wait 5")), Code.CONVERSION, "/messages/1/content"),
        (example(says("So:\n  !call wait 5")), Code.CONVERSION, "/messages/1/content"),
        (example(says("So:\n\t!call\twait 5")), Code.CONVERSION, "/messages/1/content"),
        (example(says(" !call wait 5")), Code.CONVERSION, "/messages/1/content"),
        (example(says("!tool wait(minutes=5)")), Code.CONVERSION, "/messages/1/content"),
        (example(says("!result wait 5")), Code.CONVERSION, "/messages/1/content"),
        (example(tools={"tools": TOOLS}), Code.CONVERSION, "/tools"),
        (example(tools=[print]), Code.CONVERSION, "/tools"),
        (example(says(None, call()), tools=None), Code.SCHEMALESS, None),
    ],
)
def test_refused(chat: Any, code: Code, path: str | None) -> None:
    """An example that cannot be converted is refused with a code and a place."""
    with pytest.raises(LTONError) as caught:
        convert_example(chat)
    assert caught.value.code == code
    assert path is None or getattr(caught.value, "path", None) == path


@pytest.mark.parametrize(
    ("refused", "code", "member"),
    [
        (call("walk"), Code.TOOL, ""),
        (call(arguments="{}"), Code.MISSING, ""),
        (call(arguments='{"minutes": "5"}'), Code.TYPE, "/minutes"),
        (call(arguments='{"minutes": 5, "who": 1}'), Code.PARAMETER, ""),
        (call(arguments={"minutes": 5, "why": "\ud800"}), Code.VALUE, "/why"),
        (call(arguments={"minutes": float("nan")}), Code.VALUE, "/minutes"),
        (call(arguments='{"minutes": NaN}'), Code.CONVERSION, ""),
        (call(arguments='{"minutes": 1, "minutes": 2}'), Code.CONVERSION, ""),
        (call(arguments="[" * 100_000), Code.CONVERSION, ""),
        (call(arguments="[]"), Code.CONVERSION, ""),
    ],
)
def test_refused_calls(refused: Any, code: Code, member: str) -> None:
    """A call that does not fit the tools is named, also after a call that fits."""
    with pytest.raises(LTONError) as caught:
        convert_example(example(says(None, call(), refused)))
    error = caught.value
    assert error.code == code
    assert getattr(error, "path", "") == f"/messages/1/tool_calls/1/function/arguments{member}"


def test_what_other_messages_hold_is_copied() -> None:
    """Blocks of other APIs, thoughts and names are copied, also next to converted calls."""
    results = [{"type": "tool_result", "tool_use_id": id_} for id_ in ("a", "b")]
    user = {"role": "user", "name": "Ann", "content": [*results, {"type": "image_url"}]}
    chat = example(user, says(None, call(id="a"), reasoning_content="Hm.", refusal=None))
    assert convert_example(chat)["messages"][2:] == [
        user,
        {
            "role": "assistant",
            "content": "wait(minutes=5)",
            "reasoning_content": "Hm.",
            "refusal": None,
        },
    ]


def test_broken_schema() -> None:
    """A tool without a layout is refused with a JSON Pointer into the example."""
    tools = [{"name": "f", "parameters": {"type": "object", "properties": {"a": {"$ref": "#/x"}}}}]
    with pytest.raises(LTONError, match=r"at /tools/0/parameters/properties/a") as caught:
        convert_example(example(tools=tools))
    assert caught.value.code == Code.REFERENCE


def test_what_does_not_read_as_it_was_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls and answers are read back, so that a wrong writer is found."""
    chat = example(says(None, call()), answer("1"))
    for name, text in [("answer", "!result wait 2"), ("turn", "wait(minutes=5.0)")]:
        monkeypatch.setattr(Writer, name, lambda *_, text=text, **__: text)
        with pytest.raises(LTONError, match="decodes to something else"):
            convert_example(chat)


def test_options_are_checked() -> None:
    """An unknown form is an error of the program."""
    with pytest.raises(ValueError, match="no form 'json'"):
        convert_example(example(), form="json")  # type: ignore[arg-type]


def test_examples_are_not_changed() -> None:
    """The input is not modified."""
    chat = example(says("Hm", call(id="a")), answer("1", tool_call_id="a"))
    before = json.dumps(chat)
    convert_example(chat)
    assert json.dumps(chat) == before
