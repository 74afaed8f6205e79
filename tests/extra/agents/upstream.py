"""A server that makes an agent call its tools one after the other, in each of three APIs.

The server writes native calls, or calls as text. Its next answer depends on the number of results
in the request, so a repeated request gets the same answer. It copies the line to edit from the
request.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from lton import Call, ToolSet, encode
from tests.gateway.native import PATHS, stream, whole

WriteCall: TypeAlias = Callable[[str, Any, ToolSet], str]


def in_lton(name: str, arguments: Any, tools: ToolSet) -> str:
    """Write a call as a model does after reading about LTON."""
    return encode(Call(name, arguments), tools, form="punctuated", sigil=True)


def in_a_fence(name: str, arguments: Any, _: ToolSet) -> str:
    """Write a call as Qwen2.5-Coder does."""
    call = json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)
    return f"```json\n{call}\n```"


@dataclass
class Scripted:
    """A scripted server, and the requests that it received."""

    calls: Sequence[tuple[str, Any]] = ()
    last: str = "Done."
    """What it says after the calls, and to a request without tools."""
    write: WriteCall | None = None
    """How it writes calls as text; natively without."""
    tools: ToolSet = field(default_factory=lambda: ToolSet.from_tools([]))
    """What the calls are of, where they are written in LTON."""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    async def answer(self, request: Request) -> Response:
        """Return the next answer."""
        body = json.loads(await request.body())
        if not {"messages", "input"} & body.keys():  # a gateway asks whether the API is there
            return JSONResponse({"error": {"message": "nothing is asked"}}, 400)
        self.bodies.append(body)
        self.paths.append(request.url.path)
        api = next(api for api, path in PATHS.items() if path == request.url.path)
        turn = results_in(body) if has_tools(body) else len(self.calls)
        calls, text = [], copied(self.last, body)
        is_custom = False
        if turn < len(self.calls):
            name, arguments = self.calls[turn][0], copied(self.calls[turn][1], body)
            is_custom = isinstance(arguments, str)
            if self.write and not is_custom:
                text = self.write(name, arguments, self.tools)
            else:
                calls, text = [(name, arguments if is_custom else json.dumps(arguments))], ""
        if not body.get("stream"):
            return Response(_named(whole(api, text, calls), turn), media_type="application/json")
        events = [_named(chunk, turn) for chunk in stream(api, text, calls)]
        if is_custom:
            events = [_custom(event) for event in events]
        return StreamingResponse(iter(events), media_type="text/event-stream")

    async def count(self, request: Request) -> Response:
        """Estimate the number of tokens of a request."""
        return JSONResponse({"input_tokens": len(await request.body()) // 4})

    @property
    def app(self) -> Starlette:
        """Return the server."""
        routes = [Route(path, self.answer, methods=["POST"]) for path in PATHS.values()]
        routes.append(Route("/v1/messages/count_tokens", self.count, methods=["POST"]))
        return Starlette(routes=routes)


def copied(value: Any, body: Mapping[str, Any]) -> Any:
    """Return the model's output, with the line of the file as the request shows it."""
    if isinstance(value, Mapping):
        return {key: copied(member, body) for key, member in value.items()}
    if isinstance(value, str) and "@FILE" in value:
        texts = "\n".join(_texts(body.get("messages") or body.get("input")))
        return value.replace("@FILE", _KEPT.findall(texts)[-1])
    if not isinstance(value, str) or "@SHOWN" not in value + "@SHOWN" * ("@RENAMED" in value):
        return value
    line = shown_line(body)
    return value.replace("@SHOWN", line).replace("@RENAMED", line.replace("Ada", "Grace"))


_KEPT = re.compile(r"tokens left out; all of it: (.*)\]")
"""The file that a note names."""
_NUMBER = re.compile(r"^\s*\d+(?:→|\t|: |\| ?)")
"""What agents put before the lines of a file, and models leave out."""


def shown_line(body: Mapping[str, Any]) -> str:
    """Return the last line with Ada in a request, without its line number."""
    lines = [
        _NUMBER.sub("", line)
        for text in _texts(body.get("messages") or body.get("input"))
        for line in text.split("\n")
        if re.search(r"\bAda\b", line) and "Grace" not in line
    ]
    return lines[-1] if lines else "no line with that name was shown"


def _texts(content: Any) -> Iterator[str]:
    """Return all text of some messages, in order."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, Mapping):
        for block in content.values():
            yield from _texts(block)
    elif isinstance(content, list):
        for item in content:
            yield from _texts(item)


def _named(data: bytes, turn: int) -> bytes:
    """Give the answers and calls of each turn unique ids."""
    return re.sub(rb'"(call_|fc_|toolu_|msg_|resp_|c)[01]"', rb'"\g<1>%d"' % turn, data)


def _custom(event: bytes) -> bytes:
    """Turn an event of a call into one of a custom tool call, whose input is a string."""
    for old, new in (
        (b"function_call_arguments", b"custom_tool_call_input"),
        (b'"type": "function_call"', b'"type": "custom_tool_call"'),
        (b'"arguments": ', b'"input": '),
    ):
        event = event.replace(old, new)
    return event


def has_tools(body: Mapping[str, Any]) -> bool:
    """Return whether a request shows tools, as JSON or in LTON."""
    return bool(body.get("tools")) or "!call " in json.dumps(body)


def results_in(body: Mapping[str, Any]) -> int:
    """Count the results in a request, in any API or in LTON."""
    count = 0
    for message in body.get("messages") or body.get("input") or ():
        if not isinstance(message, dict):
            continue
        content = message.get("content")
        parts = content if isinstance(content, list) else [{"type": "text", "text": content or ""}]
        kind = str(message.get("type"))
        count += message.get("role") == "tool" or kind.endswith("call_output")
        count += sum(part.get("type") == "tool_result" for part in parts)
        texts = (str(part.get("text", "")) for part in parts)
        count += sum(text.startswith(("!result", "!error")) for text in texts)
    return count
