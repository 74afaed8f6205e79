"""Compare the server's requests through the gateway with the agent's direct requests."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from lton import Decoder, ToolSet
from lton.events import Answer, CallEnd
from tests.extra.agents.upstream import Scripted, copied, has_tools, results_in

Body: TypeAlias = Mapping[str, Any]
UNLIKE = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"  # ids of turns and sessions
    r"|ses_\w+|\b1[78]\d{11}\b|Chunk ID: \w+|Wall time: [\d.]+|\bcch=\w+"
)
"""What agents themselves make new in each run: ids, and times in milliseconds."""


def alike(value: Any) -> Any:
    """Return a JSON value without the parts that change in each run."""
    return json.loads(UNLIKE.sub("NEW", json.dumps(value)))


def in_order(bodies: Sequence[Body]) -> list[Body]:
    """Sort request bodies, because some are sent at the same time."""
    return sorted(bodies, key=lambda body: (has_tools(body), results_in(body)))


def without_results(value: Any) -> Any:
    """Return a body without the text of its results."""
    match value:
        case {"role": "tool", "content": _}:
            return {**value, "content": None}
        case {"type": "tool_result", "content": _}:
            return {**value, "content": None}
        case {"type": "function_call_output", "output": _}:
            return {**value, "output": None}
        case dict():
            return {key: without_results(member) for key, member in value.items()}
        case list():
            return [without_results(item) for item in value]
    return value


def messages_of(body: Body) -> list[Any]:
    """Return the messages or items of a request."""
    return list(body.get("messages") or body.get("input") or ())


def _parts(content: Any) -> Iterator[Any]:
    yield from content if isinstance(content, list) else [{"type": "text", "text": content or ""}]


def texts_of(body: Body) -> list[str]:
    """Return the text of the user and system messages of a request, in any API."""
    texts = [body.get("instructions") or "", *_texts(body.get("system"))]
    for message in messages_of(body):
        if message.get("role") in ("user", "system", "developer"):
            texts += _texts(message.get("content"))
    return [text for text in texts if text]


def _texts(content: Any) -> Iterator[str]:
    for part in _parts(content):
        if part.get("type") in ("text", "input_text"):
            yield part["text"]


def results_of(body: Body) -> list[str]:
    """Return the text of the results of a request, in any API."""
    results = list[str]()
    for message in messages_of(body):
        if message.get("role") == "tool":
            results.append("".join(_texts(message["content"])))
        elif str(message.get("type")).endswith("call_output"):
            results.append("".join(_texts(message["output"])))
        for part in _parts(message.get("content")):
            if part.get("type") == "tool_result":
                results.append("".join(_texts(part.get("content"))))
    return results


def read(text: str, tools: ToolSet | None) -> list[Any]:
    """Return the calls and the values of results in a text of LTON."""
    decoder = Decoder(tools, prose=True)
    decoder.feed(text)
    decoder.close()
    events = list[Any]()
    for event in decoder:
        match event:
            case CallEnd(call):
                events.append((call.name, dict(call.arguments)))
            case Answer(result):
                events.append(result.value)
    return events


def value_of(text: str) -> Any:
    """Return the value of a result if it is JSON, else its text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def check_results(direct: Sequence[Body], through: Sequence[Body]) -> None:
    """Check that bodies differ only in results with equal values."""
    here, there = in_order(through), in_order(direct)
    assert alike(without_results(here)) == alike(without_results(there))
    for one, other in zip(here, there, strict=True):
        for text, plain in zip(results_of(one), results_of(other), strict=True):
            if alike(text) != alike(plain):
                assert len(text) < len(plain)
                value = value_of(text)
                (result,) = read(f"!result x {text}", None) if value == text else [value]
                assert result == json.loads(plain)


def check_same_said(direct: Body, other: Body, scripted: Scripted) -> None:
    """Check that a request in LTON has the agent's text, calls, results and options."""
    assert not {"tools", "tool_choice"} & other.keys()
    for key in ("model", "temperature", "top_p"):
        assert direct.get(key) == other.get(key)
    request_text = str(alike("\n".join(texts_of(other))))
    for text in texts_of(direct):
        assert str(alike(text)) in request_text
    results = [value_of(text) for text in results_of(direct)]
    expected = list[Any]()
    for (name, arguments), result in zip(scripted.calls, results, strict=False):
        expected += [(name, copied(arguments, other)), result]
    texts = (text for message in messages_of(other)[1:] for text in _texts(message["content"]))
    parsed = [event for text in texts for event in read(text, scripted.tools)]
    assert len(parsed) == len(expected)
    for here, there in zip(parsed, expected, strict=True):
        if isinstance(there, tuple | list) and isinstance(here, tuple):
            assert here[0] == there[0]
            assert there[1].items() <= here[1].items()  # an agent may add defaults
        else:  # of an agent that edits files, results are texts
            assert alike(value_of(here) if isinstance(here, str) else here) == alike(there)
