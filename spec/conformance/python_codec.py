"""Answer the conformance runner with the Python codec: one request per line, one answer per line.

python spec/conformance/run.py python spec/conformance/python_codec.py
"""

import json
import sys
from collections.abc import Callable
from typing import Any

from lton import (
    Call,
    DecodeError,
    Decoder,
    LTONError,
    ToolSet,
    decode,
    decode_lenient,
    encode,
    events,
    results,
)
from lton.schema.shown.signature import write_signature


def _decode(request: dict[str, Any], tools: ToolSet | None) -> dict[str, Any]:
    calls = decode(request["text"], tools)
    return {"calls": [_call(call) for call in calls]}


def _encode(request: dict[str, Any], tools: ToolSet | None) -> dict[str, Any]:
    calls = [Call(**call) for call in request["calls"]]
    fingerprint = request.get("fingerprint", False)
    return {"text": encode(calls, tools, form=request["form"], fingerprint=fingerprint)}


def _canonical(request: dict[str, Any], tools: ToolSet | None) -> dict[str, Any]:
    calls = decode(request["text"], tools)
    return {"canonical": encode(calls, tools, form=request["form"])}


def _schema(_: dict[str, Any], tools: ToolSet | None) -> dict[str, Any]:
    assert tools is not None
    return {
        "signatures": [write_signature(tool) for tool in tools],
        "fingerprint": tools.fingerprint,
        "prompt": tools.prompt(descriptions=False),
        "described": tools.prompt(),
    }


def _lenient(request: dict[str, Any], tools: ToolSet | None) -> dict[str, Any]:
    names = ("safe", "ended", "syntax", "seen")
    options = {name: request[name] for name in names if name in request}
    found = decode_lenient(request["text"], tools, **options)
    return {
        "calls": [_call(call) for call in found.calls],
        "repairs": [{"code": repair.code, "pos": repair.pos} for repair in found.repairs],
        "errors": [{"code": error.code, "pos": error.pos} for error in found.errors],
        "uncertain": [
            {**_call(one.call), "code": one.code, "pos": one.pos} for one in found.uncertain
        ],
    }


def _stream(request: dict[str, Any], tools: ToolSet | None) -> dict[str, Any]:
    options: dict[str, Any] = {
        name: request[name] for name in ("prose", "max_call") if name in request
    }
    if "thoughts" in request:
        options["thoughts"] = tuple(request["thoughts"])
    decoder = Decoder(tools, **options)
    told: list[list[Any]] = []
    try:
        for chunk in [*request["chunks"], None]:
            told.append([])
            if chunk is None:
                decoder.close()
            else:
                decoder.feed(chunk)
            while (event := decoder.next_event()) is not None:
                told[-1].append(_event(event))
    except DecodeError as error:
        return {"events": told, "error": {"code": error.code, "pos": error.pos}}
    return {"events": told}


def _event(  # noqa: PLR0911 - one way out for each kind of event
    event: events.Event,
) -> dict[str, Any]:
    match event:
        case events.CallStart(name):
            return {"start": name}
        case events.Argument(name, value):
            return {"argument": name, "value": value}
        case events.ArgumentDelta(path, text):
            return {"delta": list(path), "text": text}
        case events.CallEnd(call):
            return {"end": _call(call)}
        case events.Answer(result):
            told = {"name": result.name, "value": result.value, "error": result.is_error}
            return {"result": told}
        case events.Prose(text):
            return {"prose": text}
        case events.Thinking(text, complete):
            return {"thought": text, "complete": complete}


def _call(call: Call) -> dict[str, Any]:
    return {"name": call.name, "arguments": call.arguments}


def _write(request: dict[str, Any], _: ToolSet | None) -> dict[str, Any]:
    return {"text": results.write(request["value"], for_models="small")}


def _read(request: dict[str, Any], _: ToolSet | None) -> dict[str, Any]:
    return {"value": results.read(request["text"])}


ANSWERS: dict[str, Callable[[dict[str, Any], ToolSet | None], dict[str, Any]]] = {
    "decode": _decode,
    "encode": _encode,
    "canonical": _canonical,
    "schema": _schema,
    "lenient": _lenient,
    "stream": _stream,
    "write": _write,
    "read": _read,
}


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return the codec's answer to a request: the members of a case, or the error."""
    if request["kind"] not in ANSWERS:
        return {"unsupported": True}
    try:
        tools = None
        if request["tools"] is not None:
            standard = request.get("standard", False)
            tools = ToolSet.from_tools(request["tools"], standard=standard)
        return ANSWERS[request["kind"]](request, tools)
    except LTONError as error:
        places = ("pos", "path", "pointer")
        place = {name: getattr(error, name) for name in places if hasattr(error, name)}
        return {"error": {"code": error.code, **place}}


if __name__ == "__main__":
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps({"id": asked["id"], **answer(asked)}), flush=True)
