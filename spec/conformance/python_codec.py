"""Our codec as the conformance runner asks for it: a request a line, an answer a line.

python spec/conformance/run.py python spec/conformance/python_codec.py
"""

import json
import sys
from collections.abc import Callable
from typing import Any

from lton import Call, LTONError, ToolSet, decode, encode
from lton.schema.signature import signature

FORMS: dict[str, dict[str, Any]] = {
    "wire": {"form": "wire"},
    "keyed": {"form": "keyed"},
    "punctuated": {"form": "keyed", "punctuated": True},
    "tagged": {"form": "tagged"},
}


def _decode(request: dict[str, Any], tools: ToolSet | None) -> dict[str, Any]:
    calls = decode(request["text"], tools)
    return {"calls": [{"name": call.name, "arguments": call.arguments} for call in calls]}


def _encode(request: dict[str, Any], tools: ToolSet | None) -> dict[str, Any]:
    calls = [Call(**call) for call in request["calls"]]
    fingerprint = request.get("fingerprint", False)
    return {"text": encode(calls, tools, **FORMS[request["form"]], fingerprint=fingerprint)}


def _canonical(request: dict[str, Any], tools: ToolSet | None) -> dict[str, Any]:
    calls = decode(request["text"], tools)
    return {"canonical": encode(calls, tools, **FORMS[request["form"]])}


def _schema(_: dict[str, Any], tools: ToolSet | None) -> dict[str, Any]:
    assert tools is not None
    return {"signatures": [signature(tool) for tool in tools], "fingerprint": tools.fingerprint}


ANSWERS: dict[str, Callable[[dict[str, Any], ToolSet | None], dict[str, Any]]] = {
    "decode": _decode,
    "encode": _encode,
    "canonical": _canonical,
    "schema": _schema,
    # "lenient" and "stream" come with lenient reading and reading in chunks (§15).
}


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Get what the codec says to a request: the members that a case has, or the error."""
    if request["kind"] not in ANSWERS:
        return {"unsupported": True}
    try:
        tools = None if request["tools"] is None else ToolSet.from_tools(request["tools"])
        return ANSWERS[request["kind"]](request, tools)
    except LTONError as error:
        places = ("pos", "path", "pointer")
        place = {name: getattr(error, name) for name in places if hasattr(error, name)}
        return {"error": {"code": error.code, **place}}


if __name__ == "__main__":
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps({"id": asked["id"], **answer(asked)}), flush=True)
