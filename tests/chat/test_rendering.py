"""Test the text of a conversation that a model reads, for any history."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lton import Call, Decoder, Result, ToolSet, decode
from lton._syntax import FORMS, Form
from lton.chat import (
    Departure,
    Message,
    Other,
    Rendered,
    Text,
    Thought,
    ToolCall,
    ToolResult,
    from_anthropic,
    from_openai,
    from_responses,
    instructions,
    read,
    render,
    to_openai,
)
from lton.errors import Code
from lton.events import Answer, CallEnd
from tests.chat.test_chat import TAU
from tests.strategies import NASTY_NAMES, NASTY_TEXTS, examples

TOOLS = ToolSet.from_prompt("look(city days?:int)\nstop()")
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}


def called(name: str, arguments: Any, id_: str = "1") -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {"id": id_, "type": "function", "function": function}


def answered(content: Any, id_: str = "1", **more: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id_, "content": content, **more}


def calling(*calls: dict[str, Any], content: Any = None) -> dict[str, Any]:
    return {"role": "assistant", "content": content, "tool_calls": list(calls)}


def render_texts(*messages: dict[str, Any], **options: Any) -> tuple[list[str], list[Departure]]:
    """Return the conversation after the system prompt, and the list of departures."""
    rendered = render(from_openai(messages), TOOLS, **options)
    return [message.text for message in rendered.messages[1:]], list(rendered.departures)


def test_calls_and_answers_are_in_lton() -> None:
    two = calling(
        called("look", '{"city": "Oslo", "days": 5}', "a"),
        called("stop", "", "b"),
        content="Let me see.",
    )
    texts, departures = render_texts(
        {"role": "user", "content": "Hi"},
        two,
        answered("stopped", "b"),
        answered('{"sun": [1, 2.5]}', "a"),
        {"role": "assistant", "content": "It is sunny."},
    )
    assert texts == [
        "Hi",
        'Let me see.\n!call look(city="Oslo", days=5)\n!call stop()',
        "!result look {sun [1 2.5]}\n!result stop stopped",
        "It is sunny.",
    ]
    assert not departures


@pytest.mark.parametrize("form", FORMS)
def test_calls_are_in_the_form_that_is_asked_for(form: Any) -> None:
    for sigil in (True, False):
        message = calling(called("look", '{"city": "Oslo"}'))
        (text,) = render_texts(message, form=form, sigil=sigil)[0]
        assert decode(text, TOOLS) == [Call("look", {"city": "Oslo"})]
        assert text.startswith("!call ") == (sigil or form == "tagged")


def test_a_turn_of_prose_and_calls_has_sigils_in_any_case() -> None:
    (text,) = render_texts(calling(called("stop", "{}"), content="Yes.\n"), sigil=False)[0]
    assert text == "Yes.\n!call stop()"


def test_tools_are_at_the_end_of_the_system_prompt() -> None:
    prompt = instructions(TOOLS)
    assert prompt.startswith('Lines that begin with "!call " are calls;')
    assert "\nlook\n city\n days?:int\nstop\nCall a tool only if" in prompt
    assert "like this: !call look(city=...). If" in prompt
    user = Message.saying("user", "Hi")
    image = Other(IMAGE)

    def first(*parts: Any, role: Any = "system") -> Message:
        return render([Message(role, parts), user], TOOLS).messages[0]

    assert first(Text("Be kind.")).text == f"Be kind.\n\n{prompt}"
    assert first(Text("Be kind."), role="developer").role == "developer"
    assert first().text == first(Text("")).text == prompt
    assert first(image).parts == (image, Text(f"\n\n{prompt}"))
    assert render([user], TOOLS).messages == (Message.saying("system", prompt), user)
    assert render([], TOOLS).messages == (Message.saying("system", prompt),)
    assert render([user], None).messages == render([user], ToolSet(())).messages == (user,)


def test_what_is_told_of_tools_can_be_shorter() -> None:
    assert instructions(TOOLS, sigil=False, primer=False, descriptions=False) == (
        "look(city days?:int)\nstop()"
    )
    tagged = instructions(TOOLS, form="tagged", descriptions=False)
    assert tagged.splitlines()[1:3] == ["look(city days?:int)", "stop()"]


def test_instructions_end_with_an_example_whose_spelling_models_copy() -> None:
    """Without it, models copy types from the signature into values. Only required arguments, and
    few levels, are in the example.
    """
    for prompt, example in (
        ("f(city days?:int)", 'f(city="...")'),
        ("f(days?:int)", "f(days=1)"),
        ("f(kind:cat|dog n:2|3 ok:bool)", "f(kind=cat, n=2, ok=false)"),
        ("f(x:[(a b:(c:int))])", 'f(x=[(a="...", b=(c=1))])'),
        ("f(x:(a:(b:(c:(d)))))", "f(x=(a=(b=(c=()))))"),
        ("f(x:[[[[int]]]])", "f(x=[[[[]]]])"),
        ("f(x:{int} y:null)", "f(x={}, y=null)"),
        ("f()", "f()"),
    ):
        prompt_text = instructions(ToolSet.from_prompt(prompt), sigil=False)
        assert prompt_text.rpartition("\nExample: ")[2] == example
    unions = {
        "anyOf": [
            {
                "type": "object",
                "properties": {"kind": {"const": kind}, name: {"type": "string"}},
                "required": ["kind", name],
            }
            for kind, name in (("cat", "meow"), ("dog", "bark"))
        ]
    }
    tools = ToolSet.from_tools(
        [
            {
                "name": "f",
                "parameters": {
                    "type": "object",
                    "properties": {"pet": unions},
                    "required": ["pet"],
                },
            }
        ]
    )
    assert instructions(tools, sigil=False).endswith('Example: f(pet=(kind=cat, meow="..."))')
    assert "Example" not in instructions(TOOLS, sigil=False, form="wire")
    assert "Example" not in instructions(ToolSet(()), sigil=False)


@pytest.mark.parametrize(
    ("schema", "example"),
    [
        ({"type": "string", "examples": ["Oslo"]}, '"..."'),
        ({"type": "string", "minLength": 5, "examples": ["Paris"]}, '"....."'),
        ({"type": "string", "minLength": 10**12}, '"..."'),
        ({"type": "string", "maxLength": 2}, '".."'),
        ({"type": "string", "pattern": "^[A-Z]{3}$", "example": "EUR"}, '"EUR"'),
        ({"type": "string", "pattern": "^[A-Z]{3}$", "example": 5}, '"..."'),
        ({"type": "string", "pattern": "^[A-Z]", "example": "A\nb"}, '"..."'),
        ({"type": "string", "pattern": "^[A-Z]", "example": "A" * 41}, '"..."'),
        ({"type": "string", "pattern": "^[.]+$", "example": "A"}, '"..."'),
        ({"type": "string", "format": "date-time"}, '"2026-05-03T14:30:00"'),
        ({"type": "string", "format": "date-time", "pattern": "Z$"}, '"2026-05-03T14:30:00Z"'),
        ({"type": "string", "format": "regex"}, '"..."'),
        ({"type": "string", "format": "date", "examples": ["2001-12-31"]}, '"2001-12-31"'),
        ({"type": "array", "items": {"type": "string", "format": "time"}}, '["14:30:00"]'),
        ({"type": "integer", "minimum": 5, "maximum": 9}, "5"),
        ({"type": "integer", "maximum": -2}, "-2"),
        ({"type": "integer", "exclusiveMinimum": 5}, "1"),
        ({"type": "integer", "minimum": 5, "examples": [7]}, "7"),
        ({"type": "integer", "minimum": 5, "examples": [True]}, "5"),
    ],
)
def test_an_example_is_a_value_that_the_type_allows(schema: dict[str, Any], example: str) -> None:
    """Only if the placeholder is not allowed, and the schema or its format has another value."""
    parameters = {"type": "object", "properties": {"x": schema}, "required": ["x"]}
    tools = ToolSet.from_tools([{"name": "f", "parameters": parameters}])
    assert instructions(tools, sigil=False).endswith(f"\nExample: f(x={example})")


def test_when_to_call_is_said_in_the_form_of_the_calls() -> None:
    forms: tuple[Form, ...] = ("punctuated", "keyed", "wire")
    likeness = [instructions(TOOLS, form=form).rpartition("like this: ")[2] for form in forms]
    calls = [text.partition(". If none")[0] for text in likeness]
    assert calls == ["!call look(city=...)", "!call look city=...", "!call look ..."]
    assert "like this: !call look(city=...)." in instructions(ToolSet.from_prompt("look(city?)"))
    assert "like this" not in instructions(ToolSet(()))


@pytest.mark.parametrize(
    ("call", "text", "code"),
    [
        (called("old_tool", '{"x": 1}'), "!call old_tool{x 1}", Code.TOOL),
        (called("look", '{"city": 9}'), "!call look{city 9}", Code.TYPE),
        (called("look", '{"days": 9}'), "!call look{days 9}", Code.MISSING),
        (
            called("look", '{"city": "Ro'),
            '{"name":"look","arguments":"{\\"city\\": \\"Ro"}',
            Code.CONVERSION,
        ),
        (called("look", [1]), '{"name":"look","arguments":[1]}', Code.CONVERSION),
        (
            called("look", {"city": "a\0"}),
            '{"name":"look","arguments":{"city":"a\\u0000"}}',
            Code.VALUE,
        ),
        (called("look", {"city": "\ud800"}), '{"name":"look","arguments":{"city":"\ufffd"}}', None),
    ],
)
def test_a_call_that_the_tools_do_not_take_is_said_otherwise(
    call: dict[str, Any], text: str, code: Code | None
) -> None:
    (content,), departures = render_texts(calling(call, content="Well."))
    assert content == f"Well.\n{text}".rstrip("\n")
    assert [departure.path for departure in departures][:1] == ["/0"]
    assert code is None or departures[0].code == code


@pytest.mark.parametrize("odd", [["x"], {"a": 1}])
def test_an_id_or_a_name_that_is_none_is_passed_by(odd: Any) -> None:
    """An invalid id or name is ignored, and no answer is lost because of it."""
    history = [
        {"role": "assistant", "tool_calls": [called("stop", "{}", odd)]},
        {"role": "tool", "tool_call_id": odd, "name": odd, "content": "done"},
    ]
    messages = from_openai(history)
    assert [message.text for message in render(messages, None).messages] == [
        "!call stop{}",
        "!result stop done",
    ]
    assert to_openai(messages)[1] == history[1]


def test_a_bad_call_spoils_no_other() -> None:
    (content,), departures = render_texts(
        calling(called("look", '{"city": "Oslo"}'), called("no", "{}"), called("stop", "{}"))
    )
    assert content == '!call look(city="Oslo")\n!call no{}\n!call stop()'
    assert len(departures) == 1


def test_a_custom_tool_takes_a_text() -> None:
    custom = {"id": "1", "type": "custom", "custom": {"name": "patch", "input": "a\nb"}}
    (content,), _ = render_texts(calling(custom))
    assert content == "!call patch{input s3:a\nb}"


@pytest.mark.parametrize(
    "line", ["!call me maybe", "  !result look 3", "!error: no", "!error", "!tool x", "!call"]
)
def test_prose_that_looks_like_a_call_is_a_quotation(line: str) -> None:
    (content,), (departure,) = render_texts({"role": "assistant", "content": f"So:\n{line}\nYes."})
    assert content == f"So:\n> {line}\nYes."
    assert (departure.path, departure.code) == ("/0", Code.FRAME)
    for lenient in (True, False):
        reply = read(content, TOOLS, lenient=lenient)
        assert (reply.content, reply.calls, reply.error) == (content, (), None)


def test_only_the_assistant_is_quoted() -> None:
    texts, departures = render_texts({"role": "user", "content": "!call stop()"})
    assert (texts, departures) == (["!call stop()"], [])


def test_results_that_are_no_json_are_their_text() -> None:
    call = calling(called("look", '{"city": "a"}'))
    for content, text in [
        ("two\nlines", "!result look s9:two\nlines"),
        ("NaN", "!result look NaN"),
        ("", '!result look ""'),
        ('{"a": 1, "a": 2}', '!result look \'{"a": 1, "a": 2}\''),
        ("5", "!result look 5"),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "!result look ab"),
    ]:
        assert render_texts(call, answered(content)) == (['!call look(city="a")', text], [])


@pytest.mark.parametrize("content", ["a\0b", "[" * 70 + "]" * 70, f"1{'0' * 4200}"])
def test_a_result_that_cannot_be_said_is_a_text(content: str) -> None:
    (_, result_text), (departure,) = render_texts(calling(called("stop", "{}")), answered(content))
    (event,) = _events(result_text)
    assert event == Answer(Result("stop", content.replace("\0", "\ufffd")))
    assert departure.path == "/1"


def test_errors_are_errors() -> None:
    use = {"type": "tool_use", "id": "1", "name": "stop", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "1", "content": "no\nway", "is_error": True}
    chat: list[dict[str, Any]] = [
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [result, {"type": "text", "text": "Again!"}]},
    ]
    rendered = render(from_anthropic(chat), TOOLS)
    assert [message.text for message in rendered.messages[1:]] == [
        "!call stop()",
        "!error stop s6:no\nway",
        "Again!",
    ]
    of_none = Message("tool", (ToolResult((Text("no tool 'x'"),), is_error=True),))
    assert render([of_none], None).messages[0].text == "!error: \"no tool 'x'\""


def test_an_answer_to_no_call_is_of_an_unknown_tool() -> None:
    assert render_texts(answered("5", "x")) == (
        ["!result unknown 5"],
        [Departure("/0", "an answer without a call", Code.PAIRING)],
    )
    assert render_texts(answered("5", "x", name="look")) == (["!result look 5"], [])


def test_an_answer_to_a_call_without_a_name_is_of_an_unknown_tool() -> None:
    """No API has calls without a name, but a model may have written one."""
    texts, departures = render_texts(calling(called("", "{}", "a")), answered("5", "a"))
    assert texts[1] == "!result unknown 5"
    assert departures[-1] == Departure("/1", "an answer without a call", Code.PAIRING)


def test_images_of_results_follow_the_frames() -> None:
    call = calling(called("stop", "{}", "a"), called("stop", "{}", "b"))
    messages = from_openai([call, answered([IMAGE], "b"), answered("5", "a")])
    last = render(messages, TOOLS).messages[-1]
    assert last.parts == (
        Text('!result stop 5\n!result stop "[image_url]"'),
        Other(IMAGE),
    )
    assert to_openai([last])[0]["content"][1] == IMAGE


def test_answers_can_be_messages_of_tools() -> None:
    call = calling(called("stop", "{}", "a"), called("stop", "{}", "b"))
    messages = from_openai([call, answered("6", "b"), answered("5", "a")])
    rendered = render(messages, TOOLS, results="tool")
    assert to_openai(rendered.messages)[2:] == [
        {"role": "tool", "content": "!result stop 5"},
        {"role": "tool", "content": "!result stop 6"},
    ]


def test_parts_of_the_assistant_that_are_no_text_are_named() -> None:
    message = Message("assistant", (Thought("hm"), Text("See "), Other({"type": "audio"})))
    rendered = render([message, Message("assistant", (Other(5),))], None)
    assert rendered == Rendered(
        (
            Message("assistant", (Thought("hm"), Text("See [audio]"))),
            Message("assistant", (Text("[part]"),)),
        ),
        (
            Departure("/0", "only the kind of a part is shown: audio"),
            Departure("/1", "only the kind of a part is shown: part"),
        ),
    )


def test_names_are_those_that_texts_have() -> None:
    tools = ToolSet.from_prompt("weather=get_weather(city)")
    call = calling(called("get_weather", '{"city": "a"}'))
    rendered = render(from_openai([call, answered("5")]), tools)
    assert [message.text for message in rendered.messages[1:]] == [
        '!call weather(city="a")',
        "!result weather 5",
    ]


@pytest.mark.parametrize("sigil", [True, False])
def test_conversations_of_agents_lose_nothing(sigil: bool) -> None:
    """Without definitions, calls of real agents are written in the map form and read back."""
    for messages in TAU[:20]:
        neutral = from_openai(messages)
        rendered = render(neutral, None, sigil=sigil)
        texts = [one.text for one in rendered.messages if one.role == "assistant"]
        turns = [message for message in neutral if message.role == "assistant"]
        events = [
            event
            for text, turn in zip(texts, turns, strict=True)
            for event in _events(text, prose=sigil or bool(turn.content))
        ]
        calls = [call.call for message in neutral for call in message.calls]
        assert [event.call for event in events if isinstance(event, CallEnd)] == calls
        assert not any(message.calls or message.results for message in rendered.messages)


def _events(text: str, *, prose: bool = True) -> list[Any]:
    decoder = Decoder(None, prose=prose)
    decoder.feed(text)
    decoder.close()
    return list(decoder)


texts = st.one_of(st.sampled_from(NASTY_TEXTS), st.text(), st.just("!call stop()\n"))
contents = st.one_of(
    texts,
    st.none(),
    st.lists(st.one_of(texts.map(lambda text: {"type": "text", "text": text}), st.just(IMAGE))),
)
arguments = st.one_of(
    texts,
    st.none(),
    st.recursive(st.one_of(texts, st.floats(), st.integers()), st.lists),
    st.dictionaries(texts, st.one_of(texts, st.floats(), st.integers(-5, 5))),
    st.dictionaries(texts, texts).map(json.dumps),
)
names = st.one_of(st.sampled_from([*NASTY_NAMES, "look", "stop", ""]), texts)
ids = st.sampled_from(["1", "2", "3"])
messages_of_any = st.lists(
    st.one_of(
        st.fixed_dictionaries(
            {"role": st.sampled_from(["system", "user", "assistant"]), "content": contents}
        ),
        st.builds(calling, st.builds(called, names, arguments, ids), content=contents),
        st.builds(answered, contents, ids, name=names),
    ),
    max_size=6,
)


@examples(300)
@given(messages_of_any, st.sampled_from(FORMS), st.booleans())
def test_no_history_is_refused_and_no_text_of_it_becomes_a_call(
    messages: list[dict[str, Any]], form: Any, sigil: bool
) -> None:
    neutral = from_openai(messages)
    rendered = render(neutral, TOOLS, form=form, sigil=sigil)
    assert not any(message.calls or message.results for message in rendered.messages)
    to_openai(rendered.messages)
    if sigil:
        turns = [message for message in neutral if message.role == "assistant"]
        texts = [message.text for message in rendered.messages if message.role == "assistant"]
        for turn, text in zip(turns, texts, strict=True):
            reply = read(text, None if form == "tagged" else TOOLS)
            assert len(reply.calls) <= len(turn.calls)


def test_a_reply_is_said_as_the_model_wrote_it() -> None:
    """The next turn shows the model's reply exactly as the model wrote it."""
    text = 'Let me see.\n!call look(city="Oslo", days=5)\n!call stop()'
    assert render([read(text, TOOLS).to_message()], TOOLS).messages[1].text == text


def test_items_of_responses_are_rendered_too() -> None:
    items = [
        {"type": "function_call", "call_id": "1", "name": "stop", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "1", "output": "5"},
    ]
    rendered = render(from_responses(items), TOOLS)
    assert [message.text for message in rendered.messages[1:]] == [
        "!call stop()",
        "!result stop 5",
    ]


@pytest.mark.parametrize("id_", ["same", None, ""])
def test_calls_with_one_id_are_answered_in_their_order(id_: Any) -> None:
    """Calls with the same id are answered in order, even if an earlier call with this id has no
    answer.
    """
    answers = [{"role": "tool", "tool_call_id": id_, "content": text} for text in ("4", "5")]
    rendered = render(
        from_openai(
            [
                {"role": "assistant", "tool_calls": [called("stop", "{}", id_)]},
                {"role": "user", "content": "And?"},
                {
                    "role": "assistant",
                    "tool_calls": [called("look", '{"city":"A"}', id_), called("stop", "{}", id_)],
                },
                *answers,
            ]
        ),
        TOOLS,
    )
    assert rendered.messages[-1].text == "!result look 4\n!result stop 5"


def test_a_call_without_an_id_is_answered_by_the_tool_that_its_result_names() -> None:
    message = Message("assistant", (ToolCall("stop", "{}"),))
    answer = Message("tool", (ToolResult((Text("5"),), None, "look"),))
    assert render([message, answer], TOOLS).messages[-1].text == "!result look 5"
    unnamed = Message("tool", (ToolResult((Text("5"),)),))
    assert render([message, unnamed], TOOLS).messages[-1].text == "!result stop 5"
