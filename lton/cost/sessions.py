"""Read the session files of coding agents.

These are files of Claude Code (`~/.claude/projects/*/*.jsonl`), Codex
(`~/.codex/sessions/**/*.jsonl`) and qwen-code (`~/.qwen/projects/*/chats/*.jsonl`), in the versions
that `tests/cost/README.md` lists. None of them contains the definitions of tools, and only those of
Codex contain a system prompt.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, TypeAlias

from lton.apis.gemini.contents import try_read_messages
from lton.chat import Message, from_anthropic, from_responses
from lton.cost.counted import CodexCopy, CountedAnswers
from lton.cost.logs import LoggedTurns, Record
from lton.tokens.billing import PromptTokens
from lton.tokens.usage import ReportedUsage, try_read_usage, without_cache_marks

_Line: TypeAlias = Mapping[str, Any]
REQUESTS_OF = "requests of "
CLAUDE = f"{REQUESTS_OF}Claude Code"
CODEX = f"{REQUESTS_OF}Codex"
QWEN = f"{REQUESTS_OF}qwen-code"
_CODEX = frozenset(["timestamp", "type", "payload"])
_NO_MODEL = "<synthetic>"  # the model of messages that Claude Code wrote itself
_SILENT = ("ghost_snapshot",)  # items of Codex that the model does not see
_MOST = 64  # the maximum number of open conversations per file; another ends the oldest


class SessionFile:
    """The conversations of an agent and its subagents in a session file.

    `counted` contains the answers in earlier files. A resumed or forked session begins with a copy
    of another session, whose answers were already paid for.
    """

    def __init__(self, answers: CountedAnswers | None = None) -> None:
        self.is_session = False
        """Whether the file contains a line of an agent's session."""
        self._open: dict[str, LoggedTurns] = {}
        self._total: Any = None
        self._counted = answers or CountedAnswers()
        self._copy = CodexCopy(self._counted)
        self._places: dict[tuple[str, str], tuple[int, int]] = {}
        """The place in a conversation after each line, by the `uuid` of the line."""

    def feed(self, line: _Line) -> Iterator[Record]:
        """Add a session's line and return the requests that it completes.

        Iterating raises `ConversionError` for an invalid message.
        """
        self.is_session = True
        match line:
            case {"payload": Mapping() as payload} if line.keys() >= _CODEX:
                return self._iterate_codex_records(line, payload)
        key = f"{line['sessionId']} {line.get('agentId')} {line.get('isSidechain')}"
        return self._iterate_answer_records(line, key)

    def flush(self) -> Iterator[Record]:
        """Yield the requests that are still open at the end of the file."""
        for turns in self._open.values():
            yield from turns.flush()
        self._open.clear()

    def _open_turns(self, key: str, form: str, line: _Line) -> LoggedTurns:
        turns = self._open.setdefault(key, LoggedTurns(form, ()))
        turns.at = _try_parse_seconds(line.get("timestamp"))
        return turns

    def _iterate_answer_records(self, line: _Line, key: str) -> Iterator[Record]:
        if (key, str(line.get("uuid"))) in self._places:
            return  # a resumed session repeats lines
        message = line.get("message")
        if line.get("subtype") == "compact_boundary" and key in self._open:
            yield from self._open[key].feed_summary(())
        if isinstance(message, Mapping) and not line.get("isApiErrorMessage"):
            yield from self._iterate_message_records(line, message, key)
        if key in self._open and isinstance(line.get("uuid"), str):
            self._places[key, line["uuid"]] = self._open[key].here

    def _iterate_message_records(self, line: _Line, message: _Line, key: str) -> Iterator[Record]:
        turns = self._open_turns(key, QWEN if "parts" in message else CLAUDE, line)
        messages = _read_messages(message)
        position = self._places.get((key, str(line.get("parentUuid"))))
        if position and all(one.role == "user" and not one.results for one in messages):
            yield from turns.feed_return_to(position)  # a prompt may follow an earlier answer
        answer = message.get("id")
        is_repeated = self._is_repeated(message, turns)
        for one in messages:
            yield from turns.feed(one, answer)
        if turns.is_answered:
            turns.is_repeated = is_repeated
        yield from self._iterate_records_with_usage(line, message, turns)
        if message.get("model") != _NO_MODEL:
            turns.model = str(message.get("model") or line.get("model") or turns.model)
        yield from self._iterate_records_of_oldest_conversation()

    def _is_repeated(self, message: _Line, turns: LoggedTurns) -> bool:
        """Return whether the answer of a line was counted before, or came from no model."""
        answer = message.get("id")
        if not isinstance(answer, str) or answer == turns.answer_id:
            return turns.is_repeated
        return self._counted.is_repeated(answer) or message.get("model") == _NO_MODEL

    def _iterate_records_of_oldest_conversation(self) -> Iterator[Record]:
        """Yield the requests of the oldest open conversation if there are too many."""
        if len(self._open) > _MOST:
            yield from self._open.pop(next(iter(self._open))).flush()

    def _iterate_records_with_usage(
        self, line: _Line, message: _Line, turns: LoggedTurns
    ) -> Iterator[Record]:
        """Set the usage of the current answer.

        An answer may span several lines, which repeat its usage. The last has all its output. If
        another answer was logged in between, only the additional output is counted.
        """
        usage = try_read_usage(message.get("usage") or line.get("usageMetadata"))
        if usage is None:
            return
        output = self._counted.add_output(message.get("id"), usage.output)
        if not turns.is_repeated:
            if turns.usage is None or usage.output >= turns.usage.output:
                turns.usage = usage
        elif output:
            yield Record(
                form=CLAUDE, usage=ReportedUsage(PromptTokens(), output), model=turns.model
            )

    def _iterate_codex_records(self, line: _Line, payload: _Line) -> Iterator[Record]:
        turns = self._open_turns("", CODEX, line)
        match line["type"], payload:
            case "session_meta", _:
                yield from self._feed_codex_session(payload, turns)
            case "turn_context", {"model": str(model)}:
                turns.model = model
            case "compacted", _:
                summary = {"role": "user", "content": str(payload.get("message", ""))}
                history = payload.get("replacement_history") or [summary]
                yield from turns.feed_summary(from_responses(history))
            case "response_item", {"type": kind} if kind not in _SILENT:
                for message in from_responses([payload]):
                    yield from self._feed_codex_message(message, payload, turns)
            case "event_msg", {"type": "token_count", "info": Mapping() as info}:
                # Such a line repeats the usage if only the limits have changed.
                if (total := info.get("total_token_usage")) != self._total:
                    self._total = total
                    last = info.get("last_token_usage")
                    if not self._copy.is_repeated([total, last]):
                        yield Record(form=CODEX, usage=try_read_usage(last), model=turns.model)

    def _feed_codex_session(self, meta: _Line, turns: LoggedTurns) -> Iterator[Record]:
        self._copy.add_session(meta)
        match meta:
            case {"base_instructions": {"text": str(text)}} if turns.is_empty:
                yield from turns.feed(Message.saying("system", text))

    def _feed_codex_message(
        self, message: Message, item: _Line, turns: LoggedTurns
    ) -> Iterator[Record]:
        was_answered = turns.is_answered
        was_repeated = turns.is_repeated
        yield from turns.feed(message)
        if message.role == "assistant":
            is_repeated = self._copy.is_repeated(item)
            turns.is_repeated = is_repeated and (was_repeated or not was_answered)


def is_session_line(value: Any) -> bool:
    """Return whether the value of a line belongs to an agent's session."""
    match value:
        case {"type": str(), "sessionId": str()}:
            return True
        case {"payload": Mapping()}:
            return bool(value.keys() >= _CODEX)
    return False


def _try_parse_seconds(timestamp: Any) -> float | None:
    try:
        return datetime.fromisoformat(timestamp).timestamp()
    except (TypeError, ValueError, OverflowError):
        return None


def _read_messages(message: _Line) -> list[Message]:
    """Read a message as Claude Code or qwen-code stores it."""
    if "parts" in message:
        return [*(try_read_messages({"contents": [message]}) or ())]
    content = without_cache_marks(message.get("content"))
    return [*from_anthropic([{"role": message.get("role"), "content": content}])]
