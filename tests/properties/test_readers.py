"""Test that every reader returns what was written, also if texts begin or end with white space."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lton import Call, Decoder, Toolbox, ToolSet, decode, decode_lenient, encode
from lton._syntax import FORMS
from lton.apis.answer_notes import AssistantMessage
from lton.apis.chat_api import read_chat
from lton.chat import Reader, ToolCall, read
from lton.engines.generation import read_completion
from lton.events import CallEnd
from lton.gateway.apis.choices import ReadChoice
from lton.integrations.tool_parser import Stream
from lton.lenient._shown_calls import is_template
from tests.cases import loop_over
from tests.strategies import examples, texts

DEFINITIONS: list[dict[str, Any]] = [
    {
        "name": "Write",
        "parameters": {
            "type": "object",
            "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
            "required": ["path", "content"],
        },
    },
    {
        "name": "Note",
        "parameters": {
            "type": "object",
            "properties": {"lines": {"type": "array", "items": {"type": "string"}}, "more": {}},
            "required": ["lines"],
        },
    },
]
TOOLS = ToolSet.from_tools(DEFINITIONS)
TOOLBOX: Toolbox[Call] = Toolbox(*DEFINITIONS)
SPACES = ["", " ", "\n", "\n\n", "\r\n", "\r", "\t", " \n", "\n ", "\u00a0\x85", "\u2028"]
Reading = Callable[[str, int], Sequence[Call]]  # a text, and the size of its chunks


def chunks(text: str, size: int) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


def stream(text: str, size: int, *, prose: bool = False) -> list[Call]:
    decoder = Decoder(TOOLS, prose=prose)
    calls_read = list[Call]()
    for chunk in [*chunks(text, size), ""]:
        decoder.feed(chunk)
        if not chunk:
            decoder.close()
        calls_read += [event.call for event in decoder if isinstance(event, CallEnd)]
    return calls_read


def calls_of(calls: Sequence[ToolCall]) -> list[Call]:
    return [call.call for call in calls]


def read_chunks(text: str, size: int, **options: Any) -> list[Call]:
    reader = Reader(TOOLS, repeat_calls=True, **options)
    for chunk in chunks(text, size):
        reader.feed(chunk)
    reader.close()
    assert reader.reply.error is None
    return calls_of(reader.reply.calls)


def read_at_once(text: str, **options: Any) -> list[Call]:
    return calls_of(read(text, TOOLS, repeat_calls=True, **options).calls)


def read_in_gateway(text: str, size: int, choice: str) -> list[Call]:
    functions = [{"type": "function", "function": definition} for definition in DEFINITIONS]
    request = read_chat({"messages": [], "tools": functions, "tool_choice": choice})
    reader = Reader(request.callable, prose=choice == "auto", repeat_calls=True)
    answer = ReadChoice(request, reader)
    for chunk in chunks(text, size):
        answer.receive_text(chunk)
    answer.reason = "stop"
    answer.close()
    return calls_of(AssistantMessage.from_deltas(answer.deltas).calls)


def read_in_plugin(text: str, size: int) -> list[Call]:
    parser = Stream(TOOLS)
    pieces = [*map(parser.feed, chunks(text, size)), parser.flush()]
    calls_by_index = dict[int, tuple[str, str]]()
    for call in [call for piece in pieces for call in piece.calls]:
        name, arguments = calls_by_index.get(call.index, ("", ""))
        calls_by_index[call.index] = name or call.name or "", arguments + call.arguments
    return [ToolCall(name, arguments).call for name, arguments in calls_by_index.values()]


READERS: dict[str, Reading] = {
    "decode": lambda text, _: decode(text, TOOLS),
    "decode, with a last newline": lambda text, _: decode(f"{text}\n", TOOLS),
    "Decoder": stream,
    "Toolbox": lambda text, _: TOOLBOX.decode(text),
    "Toolbox, between blank lines": lambda text, _: TOOLBOX.decode(f"\n \n{text}\n\r\n\n"),
    "Toolbox, lenient": lambda text, _: TOOLBOX.decode(text, lenient=True),
    "Reader": lambda text, size: read_chunks(text, size, prose=False),
    "Reader, between blank lines": lambda text, size: read_chunks(
        f"\n {text}\r\n\n", size, prose=False
    ),
    "Reader, lenient": lambda text, size: read_chunks(text, size, lenient=True),
    "read": lambda text, _: read_at_once(text, prose=False),
    "read, lenient": lambda text, _: read_at_once(text, lenient=True),
    "decode_lenient": lambda text, _: decode_lenient(text, TOOLS).calls,
    "completions": lambda text, _: read_completion(text, TOOLS, cut=False),
    "the gateway": lambda text, size: read_in_gateway(text, size, "required"),
}
PROSE_READERS: dict[str, Reading] = {
    "Decoder": lambda text, size: stream(text, size, prose=True),
    "Toolbox": lambda text, _: TOOLBOX.decode(text, prose=True),
    "Reader": read_chunks,
    "read": lambda text, _: read_at_once(text),
    "decode_lenient": lambda text, _: decode_lenient(text, TOOLS).calls,
    "completions": lambda text, _: read_completion(text, TOOLS, cut=False, tool_choice="auto"),
    "the gateway": lambda text, size: read_in_gateway(text, size, "auto"),
    "the plug-ins": read_in_plugin,
}


def check_readers(calls: Sequence[Call], form: Any, size: int) -> None:
    """Check that all readers return the calls that were written in a form."""
    text = encode(calls, TOOLS, form=form)
    for name, reading in READERS.items():
        assert [*reading(text, size)] == calls, name
    text = encode(calls, TOOLS, form=form, sigil=True)
    for name, reading in PROSE_READERS.items():
        assert [*reading(text, size)] == calls, name


@pytest.mark.parametrize("form", FORMS)
@loop_over(["", " ", "\n"], SPACES)
@pytest.mark.untraced
def test_white_space_around_a_text_is_kept(before: str, after: str, form: Any) -> None:
    """Each reader keeps the white space at the start and the end of the last text of an answer."""
    text = f"{before}x = 1{after}"
    check_readers([Call("Write", {"path": "a.py", "content": text})], form, 1)
    check_readers([Call("Note", {"lines": [text], "more": before})], form, 3)


@pytest.mark.parametrize("form", FORMS)
@examples(60)
@given(
    st.lists(
        st.tuples(st.sampled_from(SPACES), texts(), st.sampled_from(SPACES)).map("".join),
        min_size=2,
        max_size=6,
    ),
    st.integers(1, 40),
)
def test_any_texts_are_read_as_they_were_written(form: Any, parts: list[str], size: int) -> None:
    """Each reader returns any texts as they were written, in chunks of any size.

    Placeholders are left out, because lenient reading doubts them, and no call is repeated.
    """
    calls = [Call("Note", {"lines": parts, "more": parts[1]})]
    paths = dict.fromkeys(parts[:-1])
    calls += [Call("Write", {"path": path, "content": parts[-1]}) for path in paths]
    assume(not any(is_template(call, TOOLS.by_name) for call in calls))
    check_readers(calls, form, size)
