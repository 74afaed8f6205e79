"""Session files of coding agents, a line an event: each answer in them was a request.

Claude Code's (`~/.claude/projects/*/*.jsonl`), Codex's rollouts (`~/.codex/sessions/**/*.jsonl`)
and qwen-code's (`~/.qwen/projects/*/chats/*.jsonl`), as of the versions in `tests/cost/README.md`.
None holds the definitions of tools, and Codex's alone a system prompt.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, TypeAlias

from lton.chat import Message, from_anthropic, from_responses
from lton.cost import gemini
from lton.cost.logs import LoggedTurns, Record
from lton.tokens.usage import read_usage, unmarked

_Line: TypeAlias = Mapping[str, Any]
CLAUDE, CODEX, QWEN = "requests of Claude Code", "requests of Codex", "requests of qwen-code"
_CODEX = frozenset(["timestamp", "type", "payload"])
_OF_CLAUDE = ("summary", "file-history-snapshot")
"""Lines of Claude Code that name no session."""
_SILENT = ("ghost_snapshot",)
"""Items of Codex that its model never sees."""
_MOST = 64
"""Conversations of a file that go on; with more the oldest is ended."""


class SessionFile:
    """The conversations of a session file: an agent's own, and those of its subagents."""

    def __init__(self) -> None:
        self._open: dict[str, LoggedTurns] = {}
        self._total: Any = None

    def add(self, line: Any) -> Iterator[Record] | None:
        """Get the requests that a line ends; None if it is of no session.

        Reading them raises `ConversionError` for a message that is none.
        """
        match line:
            case {"payload": Mapping() as payload} if line.keys() >= _CODEX:
                return self._codex(line, payload)
            case {"type": str(), "sessionId": str(session)}:
                return self._said(
                    line, f"{session} {line.get('agentId')} {line.get('isSidechain')}"
                )
            case {"type": kind} if kind in _OF_CLAUDE and self._open:
                return iter(())
        return None

    def end(self) -> Iterator[Record]:
        """Get what is left when the file ends."""
        for turns in self._open.values():
            yield from turns.end()
        self._open.clear()

    def _turns(self, key: str, form: str, line: _Line) -> LoggedTurns:
        turns = self._open.setdefault(key, LoggedTurns(form, ()))
        turns.at = _seconds(line.get("timestamp"))
        return turns

    def _said(self, line: _Line, key: str) -> Iterator[Record]:
        message = line.get("message")
        if line.get("subtype") == "compact_boundary" and key in self._open:
            yield from self._open[key].restart(())
        if not isinstance(message, Mapping) or line.get("isApiErrorMessage"):
            return
        is_qwen = "parts" in message
        turns = self._turns(key, QWEN if is_qwen else CLAUDE, line)
        for each in _of_gemini(message) if is_qwen else _of_anthropic(message):
            yield from turns.add(each)
        # One answer may be several lines, which repeat its usage.
        usage = read_usage(message.get("usage") or line.get("usageMetadata"))
        turns.usage = usage or turns.usage
        turns.model = str(message.get("model") or line.get("model") or turns.model)
        if len(self._open) > _MOST:
            yield from self._open.pop(next(iter(self._open))).end()

    def _codex(self, line: _Line, payload: _Line) -> Iterator[Record]:
        turns = self._turns("", CODEX, line)
        match line["type"], payload:
            case "session_meta", {"base_instructions": {"text": str(text)}}:
                yield from turns.add(Message.saying("system", text))
            case "turn_context", {"model": str(model)}:
                turns.model = model
            case "compacted", _:
                history = payload.get("replacement_history") or _summary(payload)
                yield from turns.restart(from_responses(history))
            case "response_item", {"type": kind} if kind not in _SILENT:
                for message in from_responses([payload]):
                    yield from turns.add(message)
            case "event_msg", {"type": "token_count", "info": Mapping() as info}:
                # It is said again where only the limits changed.
                if (total := info.get("total_token_usage")) != self._total:
                    self._total = total
                    usage = read_usage(info.get("last_token_usage"))
                    yield Record(form=CODEX, usage=usage, model=turns.model)


def _of_gemini(message: _Line) -> Iterable[Message]:
    return gemini.messages({"contents": [message]}) or ()


def _of_anthropic(message: _Line) -> Iterable[Message]:
    content = unmarked(message.get("content"))
    return from_anthropic([{"role": message.get("role"), "content": content}])


def _summary(payload: _Line) -> list[Any]:
    return [{"role": "user", "content": str(payload.get("message", ""))}]


def _seconds(given: Any) -> float | None:
    try:
        return datetime.fromisoformat(given).timestamp()
    except (TypeError, ValueError, OverflowError):
        return None
