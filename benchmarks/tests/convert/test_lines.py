"""Test converting lines: all of BFCL in each form, and hostile lines."""

import json
from collections import Counter
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lton import Decoder, ToolSet, events
from lton._syntax import FORMS, Form
from lton.errors import Code, MissingExtraError
from lton.tokens import counter
from lton_bench import bfcl
from lton_bench.convert.lines import Settings, convert_lines
from tests.strategies import examples

TOOL = {"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}}}


def line(content: object = None, name: str = "f", arguments: object = "{}") -> str:
    calls = [{"function": {"name": name, "arguments": arguments}}]
    message = {"role": "assistant", "content": content, "tool_calls": calls}
    return json.dumps({"messages": [{"role": "user", "content": "?"}, message], "tools": [TOOL]})


@pytest.mark.deep
@pytest.mark.parametrize("form", FORMS)
def test_bfcl(form: Form) -> None:
    """All gold calls of BFCL that fit their schemas are read back unchanged."""
    cases = bfcl.load()
    text, rejected, tally = convert_lines(1, tuple(bfcl.lines()), Settings(form=form))
    assert (tally.converted, tally.left_out) == (2462, {"E203": 28, "E204": 7, "E202": 4})
    left_out = {json.loads(row)["line"] for row in rejected.splitlines()}
    fitting = [case for number, case in enumerate(cases, start=1) if number not in left_out]
    for case, row in zip(fitting, text.split(b"\n")[:-1], strict=True):
        converted = json.loads(row)
        decoder = Decoder(ToolSet.from_tools(case.tools))
        decoder.feed(converted["messages"][-1]["content"])
        decoder.close()
        calls = [event.call for event in decoder if isinstance(event, events.CallEnd)]
        assert (converted["id"], [(c.name, c.arguments) for c in calls]) == (case.id, case.calls)
        assert converted["messages"][1] == {"role": "user", "content": case.question}


HOSTILE: list[tuple[bytes | None, Code]] = [
    (b"{", Code.SYNTAX),
    (b"[]", Code.SYNTAX),
    (b'{"messages": NaN}', Code.SYNTAX),
    (b'{"messages": [], "messages": []}', Code.SYNTAX),
    (b"\xff", Code.CHARACTER),
    (b"[" * 100_000, Code.SYNTAX),
    (line(name="g").encode(), Code.TOOL),
    (line(arguments='{"a": "b"}').encode(), Code.TYPE),
    (line(content="\ud800").encode(), Code.CHARACTER),
    (line().replace('"integer"', '"whole"').encode(), Code.KEYWORD),
    (line().replace('"?"', '"?", "weight": 1e999').encode(), Code.VALUE),
    (None, Code.CALL_SIZE),
]


def test_hostile_lines() -> None:
    """Each bad line is reported with its number and code, and the lines around it are converted."""
    good = b"\xef\xbb\xbf" + line().encode() + b"\r\n"
    lines = [hostile_line for bad, _ in HOSTILE for hostile_line in (good, bad)]
    text, rejected, tally = convert_lines(101, (*lines, b" \n"), Settings())
    rows = [json.loads(row) for row in rejected.splitlines()]
    assert text.count(b"\n") == tally.converted == len(HOSTILE)
    assert [(row["line"], row["code"]) for row in rows] == [
        (102 + 2 * index, code) for index, (_, code) in enumerate(HOSTILE)
    ]
    assert tally.left_out == Counter(code for _, code in HOSTILE)
    assert all(row["reason"].endswith(f"[{row['code']}]") for row in rows)
    assert not any(": line " in row["reason"] for row in rows)  # its number is beside


@pytest.mark.parametrize("depth", range(0, 1500, 30))
def test_depth(depth: int) -> None:
    """A line that is nested too deep, for LTON or for Python, is left out."""
    nested = '{"items": ' * depth + "{}" + "}" * depth
    for text in (
        line().replace('"?"', nested),
        line().replace('"?"', f'"?", "weight": {nested}'),
        line().replace('{"type": "integer"}', nested),
        line(arguments=f'{{"a": {nested}}}').replace('{"type": "integer"}', "{}"),
    ):
        tally = convert_lines(1, (text.encode(),), Settings()).tally
        assert tally.converted + tally.left_out.total() == 1
        assert not tally.converted or depth < 1000


def test_tokens_are_counted_before_and_after() -> None:
    """With a tokenizer, the summary has the tokens of the converted chats before and after."""
    lines = (*islice(bfcl.lines("multiple"), 50), b"{")
    settings = Settings(form="wire", primer=False, tokenizer="o200k")
    tally = convert_lines(1, lines, settings).tally
    assert (tally.converted, tally.left_out.total()) == (50, 1)
    assert 0 < tally.after < 0.8 * tally.before
    assert 0 < tally.said_after < 0.6 * tally.said_before
    once = tally.said_before
    tally += convert_lines(1, lines, Settings(tokenizer="o200k")).tally
    assert (tally.converted, tally.left_out["E101"], tally.said_before) == (100, 2, 2 * once)


def test_tokens_of_the_assistant() -> None:
    """The tokens of the assistant are those of prose and of calls as minified JSON."""
    lines = (line("Hi", arguments='{ "a": 1 }').encode(), line("Hi", arguments="").encode())
    tally = convert_lines(1, lines, Settings(tokenizer="o200k")).tally
    texts = ["Hi", '{"name":"f","arguments":{"a":1}}', "Hi", '{"name":"f","arguments":{}}']
    call_texts = ["Hi\n!call f(a=1)", "Hi\n!call f()"]
    for token_count, expected in ((tally.said_before, texts), (tally.said_after, call_texts)):
        assert token_count == sum(count.tokens for count in counter("o200k").count_all(expected))


def test_a_missing_library_stops_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing library stops the run with an error, instead of dropping each line that needs
    it.
    """
    draft = "https://json-schema.org/draft/2020-12/schema"
    checked = line().replace('"type": "integer"', f'"$ref": "{draft}"')
    assert draft in checked
    monkeypatch.setitem(__import__("sys").modules, "jsonschema_specifications", None)
    with pytest.raises(MissingExtraError, match="pip install"):
        convert_lines(1, (checked.encode(),), Settings())


KEYS = ["messages", "tools", "role", "content", "tool_calls", "function", "name", "arguments", "id"]
TEXTS = st.sampled_from(
    ["user", "assistant", "tool", "system", "f", "{}", '{"a": 1}', "!call f", ""]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5)
    ),
    max_leaves=20,
)
MESSAGES = st.fixed_dictionaries(
    {"role": TEXTS, "content": VALUES},
    optional={
        "tool_calls": st.lists(
            st.fixed_dictionaries(
                {"function": st.fixed_dictionaries({"name": TEXTS, "arguments": VALUES})},
                optional={"id": VALUES},
            )
            | VALUES
        ),
        "tool_call_id": VALUES,
        "name": VALUES,
    },
)
EXAMPLES = st.fixed_dictionaries(
    {"messages": st.lists(MESSAGES, max_size=4)},
    optional={"tools": st.just([TOOL]) | st.lists(VALUES, max_size=3) | VALUES},
)


@examples(500)
@given(EXAMPLES | VALUES, st.sampled_from(FORMS), st.sampled_from([None, "bytes"]))
def test_nothing_else_is_raised(value: object, form: Form, tokenizer: str | None) -> None:
    """Any JSON is either converted or left out with a code."""
    text, rejected, tally = convert_lines(
        1, (json.dumps(value).encode(),), Settings(form=form, tokenizer=tokenizer)
    )
    assert (text.count(b"\n"), rejected.count(b"\n")) in [(1, 0), (0, 1)]
    assert tally.converted + tally.left_out.total() == 1
