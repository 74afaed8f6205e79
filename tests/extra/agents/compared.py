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


def alike(found: Any) -> Any:
    """Return a JSON value without the parts that change in each run."""
    return json.loads(UNLIKE.sub("NEW", json.dumps(found)))


def in_order(bodies: Sequence[Body]) -> list[Body]:
    """Sort request bodies, because some are sent at the same time."""
    return sorted(bodies, key=lambda each: (has_tools(each), results_in(each)))


def without_results(found: Any) -> Any:
    """Return a body without the text of its results."""
    match found:
        case {"role": "tool", "content": _}:
            return {**found, "content": None}
        case {"type": "tool_result", "content": _}:
            return {**found, "content": None}
        case {"type": "function_call_output", "output": _}:
            return {**found, "output": None}
        case dict():
            return {key: without_results(each) for key, each in found.items()}
        case list():
            return [without_results(each) for each in found]
    return found


def messages_of(body: Body) -> list[Any]:
    """Return the messages or items of a request."""
    return list(body.get("messages") or body.get("input") or ())


def _parts(content: Any) -> Iterator[Any]:
    yield from content if isinstance(content, list) else [{"type": "text", "text": content or ""}]


def texts_of(body: Body) -> list[str]:
    """Return the text of the user and system messages of a request, in any API."""
    found = [body.get("instructions") or "", *_texts(body.get("system"))]
    for message in messages_of(body):
        if message.get("role") in ("user", "system", "developer"):
            found += _texts(message.get("content"))
    return [text for text in found if text]


def _texts(content: Any) -> Iterator[str]:
    for part in _parts(content):
        if part.get("type") in ("text", "input_text"):
            yield part["text"]


def results_of(body: Body) -> list[str]:
    """Return the text of the results of a request, in any API."""
    found = list[str]()
    for message in messages_of(body):
        if message.get("role") == "tool":
            found.append("".join(_texts(message["content"])))
        elif str(message.get("type")).endswith("call_output"):
            found.append("".join(_texts(message["output"])))
        for part in _parts(message.get("content")):
            if part.get("type") == "tool_result":
                found.append("".join(_texts(part.get("content"))))
    return found


def read(text: str, tools: ToolSet | None) -> list[Any]:
    """Return the calls and the values of results in a text of LTON."""
    decoder = Decoder(tools, prose=True)
    decoder.feed(text)
    decoder.close()
    found = list[Any]()
    for event in decoder:
        match event:
            case CallEnd(call):
                found.append((call.name, dict(call.arguments)))
            case Answer(result):
                found.append(result.value)
    return found


def value_of(text: str) -> Any:
    """Return the value of a result if it is JSON, else its text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def check_results(direct: Sequence[Body], sent: Sequence[Body]) -> None:
    """Check that bodies differ only in results with equal values."""
    here, there = in_order(sent), in_order(direct)
    assert alike(without_results(here)) == alike(without_results(there))
    for one, other in zip(here, there, strict=True):
        for text, plain in zip(results_of(one), results_of(other), strict=True):
            if alike(text) != alike(plain):
                assert len(text) < len(plain)
                found = value_of(text)
                (said,) = read(f"!result x {text}", None) if found == text else [found]
                assert said == json.loads(plain)


def check_same_said(direct: Body, sent: Body, scripted: Scripted) -> None:
    """Check that a request in LTON has the agent's text, calls, results and options."""
    assert not {"tools", "tool_choice"} & sent.keys()
    for key in ("model", "temperature", "top_p"):
        assert direct.get(key) == sent.get(key)
    said = str(alike("\n".join(texts_of(sent))))
    for text in texts_of(direct):
        assert str(alike(text)) in said
    results = [value_of(text) for text in results_of(direct)]
    expected = list[Any]()
    for (name, given), result in zip(scripted.calls, results, strict=False):
        expected += [(name, copied(given, sent)), result]
    spoken = (text for each in messages_of(sent)[1:] for text in _texts(each["content"]))
    found = [each for text in spoken for each in read(text, scripted.tools)]
    assert len(found) == len(expected)
    for here, there in zip(found, expected, strict=True):
        if isinstance(there, tuple | list) and isinstance(here, tuple):
            assert here[0] == there[0]
            assert there[1].items() <= here[1].items()  # an agent may add defaults
        else:  # of an agent that edits files, results are texts
            assert alike(value_of(here) if isinstance(here, str) else here) == alike(there)
