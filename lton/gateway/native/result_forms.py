"""Implement `--results`: shorten the results in a request with native calls.

The output depends only on the result, its call, and earlier results. So every later request has the
same bytes, and prompt caches work. A file is shown byte for byte, because a model edits it by
quoting the exact text. A line becomes a note only if the request already contains the line, and the
server removes no results.
"""

import json
import marshal
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from lton._shells import is_terminal
from lton.apis.api import Api
from lton.apis.conversations import cache_of_conversation
from lton.chat import Text, ToolResult
from lton.chat.tool_results import iterate_gemini_functions, with_results
from lton.results import FORMS, MAX_RESULT, ForModels, short_items
from lton.transcript.first_sight import SeenLines, choose_shown_form
from lton.transcript.pointers import with_own_marks_quoted
from lton.transcript.turns import is_error

ResultsForm: TypeAlias = Literal["tidy", "short", "small", "lton", "as-is"]
"""Without terminal noise and repeated lines, also with shorter JSON (three forms), or unchanged."""
_NEAR = 200_000  # characters, about 50,000 tokens, up to which a note refers back
_EDITS = ("clear_thinking", "compact")  # edits that remove no results, or follow a summary
_SHELL_CALLS = ("local_shell_call", "shell_call")


@dataclass
class ShownResults:
    """Remembers the lines and results that a model has seen. Without `seen` there are no notes."""

    for_models: ForModels | None = None
    seen_lines: SeenLines | None = field(default_factory=lambda: SeenLines(_NEAR))
    terminals: set[str] = field(default_factory=set)  # calls with the output of a terminal

    def copy(self) -> "ShownResults":
        return replace(
            self,
            seen_lines=self.seen_lines and self.seen_lines.copy(),
            terminals={*self.terminals},
        )

    def note_call(self, id: str, tool: str, arguments: Any) -> None:  # noqa: A002 - as APIs say
        (self.terminals.add if is_terminal(tool, arguments) else self.terminals.discard)(id)

    def write_result(self, text: str, call: str) -> str:
        """Return the text of a result for the model. Errors and huge results do not change."""
        if len(text) > MAX_RESULT or is_error(ToolResult((Text(text),))):
            return text
        short = choose_shown_form(
            text, for_models=self.for_models, is_terminal=call in self.terminals
        )
        if len(short) >= len(text):
            short = with_own_marks_quoted(text)
        return self.seen_lines.replace_seen(short) if self.seen_lines else short

    def try_join_texts(self, texts: Sequence[str]) -> str | None:
        """Return a table of texts that are the items of one list, or None."""
        if self.for_models is None or sum(map(len, texts)) > MAX_RESULT:
            return None
        return short_items(texts, self.for_models)

    def shorten_message(self, message: Any) -> Any:
        """Return the next message or input item, with its results in the chosen form."""
        for id_, tool, arguments in iterate_calls_in(message):
            self.note_call(id_, tool, arguments)
        (converted,) = with_results(
            [message], self.write_result, errors=False, join=self.try_join_texts
        )
        if self.seen_lines and _is_compacted(message):
            self.seen_lines = SeenLines(_NEAR)
        elif self.seen_lines:
            self.seen_lines.skip_text(_count_characters_of(message))
        return converted


def with_short_results(
    body: Mapping[str, Any],
    api: Api,
    form: ResultsForm,
    *,
    keeps: bool,
) -> Mapping[str, Any]:
    """Write the results in a body in the given form. Return the same object if none changes."""
    key = api.conversation_key
    messages = body.get(key)
    if form == "as-is" or not isinstance(messages, list):
        return body
    is_noted = keeps and keeps_results(body)
    cache = cache_of_conversation(body)
    name = ("results", form, is_noted)
    start, cached = cache.find_start(name, messages)
    if start:
        sight = cached[0].copy()
        converted = [*cached[1]]
    else:
        sight = ShownResults(FORMS.get(form), SeenLines(_NEAR) if is_noted else None)
        converted = []
    settled = max(start, cache.settled)
    converted += map(sight.shorten_message, messages[start:settled])
    cache.store_result(
        name, messages[:settled], (sight.copy() if cache.settled else None, (*converted,))
    )
    converted += map(sight.shorten_message, messages[settled:])
    return body if converted == messages else {**body, key: converted}


def keeps_results(body: Mapping[str, Any]) -> bool:
    """Return whether the server keeps all tool results of a request."""
    if body.get("previous_response_id") or body.get("conversation") or body.get("transforms"):
        return False
    match body.get("context_management"):
        case None:
            edits: list[Any] = []
        case {"edits": [*edits]} | [*edits]:
            pass
        case _:
            return False
    kinds = [edit.get("type") if isinstance(edit, dict) else None for edit in edits]
    is_known = all(str(kind).startswith(_EDITS) for kind in kinds)
    return is_known and body.get("truncation") in (None, "disabled")


def iterate_calls_in(message: Any) -> Iterator[tuple[str, str, Any]]:
    """Yield the id, tool and arguments of each call in a message of any API."""
    for id_, name, arguments in iterate_written_calls_in(message):
        yield id_, name, read_arguments(arguments)


def iterate_written_calls_in(message: Any) -> Iterator[tuple[str, str, Any]]:
    """Yield the same with the arguments as they are written, often as text."""
    match message:
        case {"type": "function_call" | "custom_tool_call", "call_id": str(id_), "name": str(name)}:
            yield id_, name, message.get("arguments", message.get("input"))
        case {"type": kind, "call_id": str(id_), "action": dict(action)} if kind in _SHELL_CALLS:
            yield id_, "shell", action
        case {"role": "assistant", "tool_calls": [*calls]}:
            for call in calls:
                match call:
                    case {"id": str(id_), "function": {"name": str(name), "arguments": arguments}}:
                        yield id_, name, arguments
        case {"role": "assistant", "content": [*blocks]}:
            yield from _iterate_calls_in_blocks(blocks)
        case {"role": "model", "parts": [*_]}:
            for _, id_, function in iterate_gemini_functions(message, "functionCall"):
                yield id_, function["name"], function.get("args") or {}


def _iterate_calls_in_blocks(blocks: Sequence[Any]) -> Iterator[tuple[str, str, Any]]:
    for block in blocks:
        match block:
            case {"type": "tool_use", "id": str(id_), "name": str(name), "input": arguments}:
                yield id_, name, arguments


def iterate_results_in(message: Any) -> Iterator[tuple[str, Any]]:
    """Yield the id of the call and the content of each result in a message of any API."""
    match message:
        case {"role": "tool", "tool_call_id": str(id_), "content": content}:
            yield id_, _without_cache_marks(content)
        case {"type": "function_call_output", "call_id": str(id_), "output": output}:
            yield id_, output
        case {"role": "user", "content": [*blocks]}:
            for block in blocks:
                match block:
                    case {"type": "tool_result", "tool_use_id": str(id_)}:
                        yield id_, _without_cache_marks(block.get("content"))
        case {"parts": [*_]}:
            for _, id_, function in iterate_gemini_functions(message, "functionResponse"):
                yield id_, function.get("response")


def _without_cache_marks(content: Any) -> Any:
    """Return the parts of a result without cache marks, which agents move."""
    if not isinstance(content, list):
        return content
    parts = [part for part in content if isinstance(part, Mapping)]
    return [{key: part[key] for key in part if key != "cache_control"} for part in parts]


def read_arguments(arguments: Any) -> Any:
    """Return arguments as values, if they are JSON, or as they are."""
    try:
        return json.loads(arguments)
    except (TypeError, ValueError, RecursionError):
        return arguments


def _is_compacted(message: Any) -> bool:
    """Return whether a message is or contains a summary of earlier messages."""
    if not isinstance(message, dict):
        return False
    content = message.get("content")
    parts = [message, *(content if isinstance(content, list) else ())]
    return any(
        isinstance(part, dict) and str(part.get("type")).startswith("compaction") for part in parts
    )


def _count_characters_of(message: Any) -> int:
    match message:
        case {"role": "assistant" | "model"} | {
            "type": "function_call" | "custom_tool_call" | "reasoning"
        }:
            try:
                return len(marshal.dumps(message, 0))
            except ValueError:  # nested too deep
                return 0
        case {"role": "user" | "system" | "developer", "content": str(text)}:
            return len(text)
        case {"role": str(), "content": [*parts]} | {"parts": [*parts]}:
            texts = (part.get("text") for part in parts if isinstance(part, dict))
            return sum(len(part) for part in texts if isinstance(part, str))
    return 0
