"""The ways to shorten the results of a session: LTON's gateway and hook, and simple rules."""

import json
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any

import httpx2
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from lton.gateway.command import address_of_listener, find_free_port
from lton.wrap.claude_hook import try_answer_hook
from lton.wrap.long_results import ResultFolder, build_query, cut_to_budget
from lton_bench.context.bills import Chat, asks
from lton_bench.gateway.bill_sums import calls_of
from lton_bench.internals import can_be_cut
from lton_bench.study.servers.gateway import served_by_lton

__all__ = ["by_hook", "change_results", "filter_output", "head_and_tail", "serve_sessions"]

Change = Callable[[str, Mapping[str, Any], str], str]
"""A function that changes a result; it gets the call and the agent's words before the call."""


@contextmanager
def recording() -> Iterator[tuple[str, list[Any]]]:
    """Yield the address of a server that records request bodies, and the list of bodies."""
    bodies: list[Any] = []
    answer = {"role": "assistant", "content": "Done."}
    whole = {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "message": answer, "finish_reason": "stop"}],
    }

    async def keep(request: Request) -> JSONResponse:
        bodies.append(await request.json())
        return JSONResponse(whole)

    app = Starlette(routes=[Route("/v1/chat/completions", keep, methods=["POST"])])
    server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
    with find_free_port() as listener:
        thread = Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        while not server.started:
            sleep(0.01)
        try:
            yield address_of_listener(listener), bodies
        finally:
            server.should_exit = True
            thread.join()


def serve_sessions(chats: Sequence[Chat], *options: str) -> Iterator[list[Chat]]:
    """Yield the requests that a gateway sends for each session."""
    native_calls = ("--calls", "native", "--engine", "vllm", "--quiet", *options)
    with (
        recording() as (url, bodies),
        served_by_lton("--upstream", url, *native_calls) as address,
        httpx2.Client(timeout=120, trust_env=False) as client,
    ):
        for chat in chats:
            bodies.clear()
            for at in asks(chat):
                body = {"model": "m", "messages": chat[:at]}
                client.post(f"{address}/v1/chat/completions", json=body).raise_for_status()
            yield [body_sent["messages"] for body_sent in bodies if body_sent.get("messages")]


def change_results(chat: Chat, change: Change) -> list[Chat]:
    """Return the requests of a session, in which each result is changed once."""
    new_chat: list[Mapping[str, Any]] = []
    words, calls = "", calls_of(chat)
    for message in chat:
        if message["role"] == "assistant":
            words = message.get("content") or words
        elif message["role"] == "tool":
            text = change(message["content"], calls[message["tool_call_id"]], words)
            message = {**message, "content": text}  # noqa: PLW2901 - the message as it is sent
        new_chat.append(message)
    return [new_chat[:at] for at in asks(chat)]


def by_hook(base: Path) -> Change:
    """Return a result as the hook changes it."""

    def change(text: str, call: Mapping[str, Any], words: str) -> str:
        tool, arguments = call["function"]["name"], json.loads(call["function"]["arguments"])
        session = base / "session.jsonl"
        prose = {"type": "text", "text": words}
        use = {"type": "tool_use", "id": call["id"], "name": tool, "input": arguments}
        line = {"type": "assistant", "message": {"content": [prose, use]}}
        session.write_text(json.dumps(line))
        answer = try_answer_hook(
            {
                "session_id": "s",
                "transcript_path": str(session),
                "hook_event_name": "PostToolUse",
                "tool_name": "Bash" if tool == "bash" else tool,
                "tool_input": arguments,
                "tool_response": {"stdout": text, "stderr": ""},
                "tool_use_id": call["id"],
            },
            base / "lton",
        )
        return answer["hookSpecificOutput"]["updatedToolOutput"]["stdout"] if answer else text

    return change


def head_and_tail(text: str, call: Mapping[str, Any], words: str) -> str:
    """Cut the results that LTON cuts to the same tokens, keeping lines from both ends."""
    function = call["function"]
    arguments = json.loads(function["arguments"])
    if not can_be_cut(function["name"], arguments):
        return text
    with tempfile.TemporaryDirectory() as name:
        ours = cut_to_budget(text, build_query(words, arguments), ResultFolder(name))
    room, head, tail = len(ours), list[str](), list[str]()
    lines = text.split("\n")
    if ours == text:
        return text
    while lines and room > len(lines[0]):
        side = head if len(head) <= len(tail) else tail
        line = lines.pop(0 if side is head else -1)
        room -= len(line) + 1
        side.append(line)
    return "\n".join([*head, f"[{len(lines)} lines left out]", *reversed(tail)])


# --- rules like those of rtk ---------------------------------------------------------------------

_PROGRAM = re.compile(
    r"(?:^|&&|;)\s*(?:\w+=\S+\s+)*(grep|rg|ls|curl|git|pytest|python -m pytest)\b"
)
_FOUND = re.compile(r"^([^:\s][^:]*):(.*)")
_PASSED = re.compile(r"\bPASSED\b|\.\.\. ok$|^[\w/.-]+\.py [.sx]+ +\[")
_HIDDEN = ("node_modules", ".git", "target", "__pycache__", ".next", "dist", "build", ".cache")


def filter_output(text: str, call: Mapping[str, Any], words: str) -> str:
    """Filter the output of a command by rules like those that rtk documents.

    rtk is not used here: the limits of matches, lines and characters are those of its page on
    filtering, and files are shown as they are.
    """
    del words
    arguments = json.loads(call["function"]["arguments"])
    programs = _PROGRAM.findall(arguments.get("command", ""))
    lines = text.split("\n")
    match programs[-1] if programs else "":
        case "grep" | "rg":
            return _group_matches(lines)
        case "ls":
            return "\n".join(_shorten_listing(lines))
        case "curl":
            return "\n".join(line[:200] for line in lines[:30])
        case "git":
            return "\n".join(line[:200] for line in lines[:100])
        case "pytest" | "python -m pytest":
            return "\n".join(line[:200] for line in lines if not _PASSED.search(line))
    return text


def _group_matches(lines: Sequence[str]) -> str:
    """Return matches by file: at most 25 of a file and 200 in all, of 150 characters each."""
    files: dict[str, list[str]] = {}
    other_lines = list[str]()
    for line in lines:
        if match := _FOUND.match(line):
            files.setdefault(match[1], []).append(match[2][:150])
        else:
            other_lines.append(line[:150])
    room, output_lines = 200, list[str]()
    for name, matches in files.items():
        most = max(0, min(25, room))
        room -= most
        output_lines += [f"[file] {name} ({len(matches)}):", *matches[:most]]
        output_lines += [f"+{len(matches) - most}"] * (len(matches) > most)
    return "\n".join([*output_lines, *other_lines])


def _shorten_listing(lines: Sequence[str]) -> Iterator[str]:
    """Yield the names and sizes of a long listing, without folders of builds and caches."""
    for line in lines:
        parts = line.split(maxsplit=8)
        is_long = len(parts) == 9 and len(parts[0]) >= 10
        name = parts[8] if is_long else line
        if name.strip("/") not in _HIDDEN:
            size = "/" if is_long and line[0] == "d" else f"  {parts[4]}" if is_long else ""
            yield f"{name}{size}"
