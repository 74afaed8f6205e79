"""Parse calls in LTON for the tool parsers of vLLM and SGLang.

`lton.integrations.vllm` and `lton.integrations.sglang` wrap this module in the classes of their
servers. The chat template `TEMPLATE` shows signatures to the model. Calls always begin with `!call
`, as in this template.
"""

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lton._json import minified
from lton.chat import (
    ArgumentsDelta,
    ContentDelta,
    Delta,
    ImitatedAnswer,
    Reader,
    RepeatedCall,
    ThoughtDelta,
    ToolCallStart,
    new_call_id,
)
from lton.grammar import Named, ToolChoice
from lton.grammar.requests import Server, make_cached_request
from lton.schema.toolset import ToolSet, compile_cached_tools

_log = logging.getLogger("lton.integrations")
TEMPLATE = Path(__file__).with_name("chat_template.jinja")
"""A chat template with the turns of ChatML, for `--chat-template`.

It renders conversations as `lton.chat.render` does, with two differences. JSON results stay
strings, because Jinja cannot parse JSON, and calls to unknown tools have no tables.
"""


@dataclass(frozen=True, slots=True)
class CallPiece:
    """The start of a call, or another piece of its arguments (without id and name)."""

    index: int
    arguments: str
    id: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """The content and the pieces of calls in a chunk of text."""

    content: str = ""
    thoughts: str = ""
    calls: tuple[CallPiece, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.content or self.thoughts or self.calls)


def find_callable_tools(body: Mapping[str, Any]) -> ToolSet | None:
    """Return the tools that a request allows the model to call.

    Raises the errors of `ToolSet.from_tools`.
    """
    tools = [tool for tool in body.get("tools") or () if tool.get("type") == "function"]
    if not tools or body.get("tool_choice") == "none":
        return None
    return compile_cached_tools(minified(tools))


def constraint(
    body: Mapping[str, Any], server: Server, *, dialect: str | None = None
) -> Mapping[str, Any]:
    r"""Return the request fields that make a server's model write prose and calls only.

    The result is empty if no tool may be called, or if the request already constrains the model.
    Raises `ValueError` for a JSON answer with optional tools, because servers have no grammar for
    both, and ignoring one of them silently would be worse. Also raises the errors of
    `lton.grammar.request`.
    """
    tools = find_callable_tools(body)
    if not tools or any(body.get(own) for own in _OWN):
        return {}
    choice = _read_choice(body.get("tool_choice"))
    format_ = body.get("response_format") or (body.get("text") or {}).get("format") or {}
    if choice == "auto" and format_.get("type", "text") != "text":
        raise ValueError('response_format with tools: set tool_choice to "none" or "required"')
    parallel = body.get("parallel_tool_calls") is not False
    return make_cached_request(
        tools, server, dialect=dialect, tool_choice=choice, parallel=parallel, sigil=True
    )


_OWN = ("structured_outputs", "ebnf", "regex")


def _read_choice(value: object) -> ToolChoice:
    match value:
        case None | "auto":
            return "auto"
        case "required":
            return "required"
        case {"function": {"name": str(name)}} | {"name": str(name)}:
            return Named(name)
    raise ValueError('tool_choice: expected "none", "auto", "required" or a function')


def openai_calls(piece: Piece) -> list[dict[str, Any]]:
    """Write a piece's calls in the format of a streamed chunk of OpenAI's API."""
    return [
        {
            "index": call.index,
            **({"id": call.id, "type": "function"} if call.id else {}),
            "function": {"arguments": call.arguments, **({"name": call.name} if call.id else {})},
        }
        for call in piece.calls
    ]


class Stream:
    r"""Parses an answer that arrives in chunks. Without tools, all text is content.

    If a call becomes unreadable, its arguments stay invalid JSON, and no later text is content.
    Text that only looks like the start of a call is content. Repeated calls are omitted and logged,
    and so are tool results that the model makes up.
    """

    def __init__(self, tools: ToolSet | None, *, call_id: Callable[[], str] = new_call_id) -> None:
        self._reader = Reader(tools, call_id=call_id) if tools else None
        self._is_over = False

    def feed(self, text: str) -> Piece:
        """Add a chunk and return its content and the pieces of its calls."""
        return _piece_of(self.feed_deltas(text))

    def flush(self) -> Piece:
        """Return the rest of the answer. Later text is ignored."""
        return _piece_of(self.flush_deltas())

    def feed_deltas(self, text: str) -> list[Delta]:
        """Add a chunk and return its content and calls as deltas."""
        if self._is_over:
            return []
        if self._reader is None:
            return [ContentDelta(text)] if text else []
        deltas = self._reader.feed(text)
        return (
            deltas if self._reader.error is None else [*deltas, *self._close_reader(self._reader)]
        )

    def flush_deltas(self) -> list[Delta]:
        """End the answer and return the rest of it as deltas."""
        deltas = self._close_reader(self._reader) if self._reader else []
        self._is_over = True
        return deltas

    def _close_reader(self, reader: Reader) -> list[Delta]:
        deltas = reader.close()
        reply = reader.reply
        self._reader = None
        if reply.cut:
            self._is_over = True
        elif reply.rest:
            deltas.append(ContentDelta("\n" + reply.rest if reply.content else reply.rest))
        return deltas


def parse_whole_answer(text: str, tools: ToolSet | None) -> Piece:
    r"""Parse a complete answer into content and calls.

    >>> parse_whole_answer("Sure.\n!call nap()", ToolSet.from_prompt("wait(minutes:int)"))
    Piece(content='Sure.\n!call nap()', thoughts='', calls=())
    """
    stream = Stream(tools)
    return _piece_of([*stream.feed_deltas(text), *stream.flush_deltas()])


def _piece_of(deltas: Iterable[Delta]) -> Piece:
    content = ""
    thoughts = ""
    calls = dict[int, CallPiece]()
    for delta in deltas:
        match delta:
            case ContentDelta(text):
                content += text
            case ThoughtDelta(text):
                thoughts += text
            case ToolCallStart(index, call_id, name):
                calls[index] = CallPiece(index, "", call_id, name)
            case ArgumentsDelta(index, text):
                before = calls.get(index, CallPiece(index, ""))
                calls[index] = replace(before, arguments=before.arguments + text)
            case RepeatedCall(call):
                _log.warning("left out: a call to %s that was made before", call.name)
            case ImitatedAnswer():
                _log.warning("left out: the answer of a tool that the model imitated")
    return Piece(content, thoughts, tuple(calls.values()))
