"""Store conversations, and shrink them to fit the model's window."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Self

from lton._json import minified, read_json
from lton.chat import Message, ToolCall, from_openai
from lton.chat.records import make_mismatch_error
from lton.codec import encode
from lton.documents import DocumentError, text_of
from lton.errors import Code, ConversionError, StoreError, TranscriptError
from lton.schema import Call, ToolSet
from lton.stores import Store
from lton.stores.contents import digest_of, to_bytes, to_text
from lton.tokens import TokenCounter
from lton.tokens.billing import PRICES, Prices
from lton.tokens.counting import adds_up_texts
from lton.transcript._journal import (
    entry_of,
    iterate_stored_texts,
    messages_of,
    read_entry,
    write_entry,
)
from lton.transcript._state import Limits, PlannedMessage, State
from lton.transcript.base_tools import LARGE_FILES, TOOLS, Skills
from lton.transcript.clearing_cost import CLEARS, Clear, Cleared
from lton.transcript.compaction import Compaction, Summarize, write_digest, write_window_text
from lton.transcript.files import (
    MOST_MATCHES,
    Tell,
    beginning_within,
    pages_of,
    read_part,
    write_matching_lines,
    write_status_note,
)
from lton.transcript.pairing import check_budget, check_pairs, check_recall
from lton.transcript.pointers import (
    STYLES,
    PointerStyle,
    read_reference,
    with_own_marks_quoted,
    write_locator,
)
from lton.transcript.turns import PINNED, check_answered
from lton.transcript.view import TurnDecision, View, write_messages_for_wire


class Transcript:
    """A stored conversation that is shrunk to fit a model's window.

    - `window` and `reserve`: a view has at most `window - reserve` tokens, counted by `counter`.
      The reserve is for the answer and for the definitions of tools.
    - A result is shortened when it is first shown, and never changes afterwards: terminal noise is
      removed, notes replace lines that were shown before, and with `short_json` JSON is shortened.
    - `file_over` and `preview`: a result of more than `file_over` tokens becomes a file, shown up
      to `preview` tokens. In a small window, these are at most half and an eighth of the room.
    - `clear`: when results before the last `hot_turns` turns become pointers (`[t42]`), if the
      pointers are shorter: "pays" (when the savings by `prices`, see `lton.tokens.billing.PRICES`,
      cover the cost, so that a conversation never costs more), "always" or "never". A full window
      always clears results. Errors are never cleared. With `pointer="compact"`, pointers name the
      call.
    - `compact_at`: if a view would exceed this share of the room, the turns before the hot turns
      become a file and a summary. The summary is the result of `summarize`, or by default a line
      for each message. Instructions and loaded skills are kept. If `summarize` fails, the lines are
      used only if the view would otherwise not fit. The view reports a failure, and also a summary
      that is not shorter.
    - If the view is still too long, fewer turns stay hot, and finally only the starts of the newest
      results are shown. The user's last message is always shown word for word, but lines that look
      like our own notes are quoted in all messages.
    - `tell`: the contents of the note after the newest message. "files" lists added files and the
      parts that were read. "all" adds used and free tokens, in about 12 tokens per request.
      "nothing" omits the note.
    - `file_requests`: whether a user's message with more than `file_over` tokens is shown as a file
      from the start.
    - `skills`: an object whose `body(name)` answers `load_skill`.

    Appended messages survive the process if the store does. Processes may share a conversation, but
    threads may not share this object.

    >>> from lton.stores import open_store
    >>> from lton.tokens import counter
    >>> chat = Transcript(counter=counter("bytes"), store=open_store("memory:"), hot_turns=1,
    ...                   clear="always")
    >>> call = {"id": "1", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    >>> for message in [{"role": "user", "content": "What is in it?"},
    ...                 {"role": "assistant", "content": None, "tool_calls": [call]},
    ...                 {"role": "tool", "tool_call_id": "1", "content": "A long story. " * 30},
    ...                 {"role": "assistant", "content": "A long story."}]:
    ...     chat.append(message)
    >>> view = chat.render()
    >>> [message["content"] for message in view.messages][-2:]
    ['[t2 left out to save space: recall("t2") returns it word for word]', 'A long story.']
    >>> chat.answer(Call("recall", {"result": "t2"})) == "A long story. " * 30
    True
    """

    def __init__(
        self,
        *,
        counter: TokenCounter,
        store: Store,
        window: int = 128_000,
        reserve: int = 4_000,
        hot_turns: int = 3,
        pointer: PointerStyle = "auto",
        clear: Clear = "pays",
        prices: Prices = PRICES["anthropic"],
        file_over: int = 10_000,
        preview: int = 1_000,
        compact_at: float = 0.8,
        summarize: Summarize | None = None,
        skills: Skills | None = None,
        short_json: bool = False,
        tell: Tell = "files",
        file_requests: bool = False,
        chat_id: str | None = None,
    ) -> None:
        if not 0 <= reserve < window or hot_turns < 1 or not 0 < compact_at <= 1:
            raise ValueError("expected 0 <= reserve < window, hot_turns >= 1, 0 < compact_at <= 1")
        if min(file_over, preview) < 0 or pointer not in STYLES or clear not in CLEARS:
            words = f"pointer one of {', '.join(STYLES)}, and clear one of {', '.join(CLEARS)}"
            raise ValueError(f"expected no negative sizes, {words}")
        self._limits = Limits(
            window=window,
            reserve=reserve,
            hot_turns=hot_turns,
            pointer=pointer,
            clear=clear,
            prices=prices,
            file_over=min(file_over, (window - reserve) // 2),
            preview=min(preview, (window - reserve) // 8),
            compact_at=compact_at,
            short_json=short_json,
            file_requests=file_requests,
        )
        self._counter = counter
        self._store = store
        self._summarize = summarize
        self._skills = skills
        self._tell = tell
        self._state = State(self._limits, counter)
        self.entries = 0  # The number of log entries that this object has read
        self.id = chat_id or store.new_log()
        self.tools = ToolSet.from_tools(TOOLS if skills is not None else TOOLS[:-1])
        self._read_new_entries()
        if not self.entries:
            self._log_entry({"begun": 1})

    @classmethod
    def load(cls, store: Store, chat_id: str, **options: Any) -> Self:
        """Load a conversation. Raises `StoreError` (E715) if it is unknown."""
        if not store.entries(chat_id):
            raise StoreError(Code.STORE, f"the store has no conversation {chat_id!r}")
        return cls(store=store, chat_id=chat_id, **options)

    # --- appending -------------------------------------------------------------------------------

    def append(self, message: Mapping[str, Any] | Message) -> None:
        """Append a message in the format of OpenAI's chat API, or a `Message`.

        Raises `ConversionError` for an invalid message, and `TranscriptError` (E710) for a result
        without an open call or for another message while a call waits for its result.
        """
        self.append_at(message, None)

    def append_at(self, message: Mapping[str, Any] | Message, entries: int | None) -> bool:
        """Append a message if the log has exactly `entries` entries (None: any number).

        Return False and append nothing if another writer has appended.
        """
        entry, parts = _entry_and_messages(message)
        texts = list(iterate_stored_texts(parts))
        while True:
            self._read_new_entries()
            if entries not in (None, self.entries):
                return False
            if self._try_to_log(entry, texts, self._state.plan_messages(parts)):
                return True

    def add_file(self, name: str, content: str | bytes) -> str:
        r"""Add a file that the model may read, and return its id.

        >>> from lton.stores import open_store
        >>> from lton.tokens import counter
        >>> chat = Transcript(counter=counter("bytes"), store=open_store("memory:"))
        >>> chat.add_file("notes.txt", "one\ntwo")
        'f1'
        >>> chat.answer(Call("file_read", {"file": "f1", "start_line": 2, "end_line": 2}))
        'two'
        """
        content = to_bytes(content) if isinstance(content, str) else content
        safe = write_locator(ToolCall("", {"path": name})) or "file"
        self._read_new_entries()
        if self._state.files.find_file(content) is None:
            self._log_entry({"file": {"name": safe, "digest": digest_of(content)}}, content)
        file = self._state.files.find_file(content)
        return file.id if file else ""

    def _log_entry(self, entry: dict[str, Any], *contents: bytes) -> None:
        while not self._try_to_log(entry, contents):
            self._read_new_entries()

    def _try_to_log(
        self,
        entry: dict[str, Any],
        contents: Iterable[bytes] = (),
        planned: Sequence[PlannedMessage] | None = None,
    ) -> bool:
        """Append an entry to the log, unless another process has appended one in the meantime.

        `planned` are the messages of the entry, if they have been read and planned already.
        """
        line, texts = write_entry(entry)
        all_contents = dict.fromkeys([*texts, *contents])
        if not self._store.append(self.id, line, at=self.entries, contents=all_contents):
            if not self._store.entries(self.id, self.entries):
                msg = f"the store accepts no entry of {self.id!r}, and has no other"
                raise StoreError(Code.STORE, msg)
            return False
        self.entries += 1
        self._state.apply_entry(entry, self._store, planned)
        return True

    def _read_new_entries(self) -> None:
        for line in self._store.entries(self.id, self.entries):
            self._state.apply_entry(read_entry(line, self._store), self._store)
            self.entries += 1

    # --- views -----------------------------------------------------------------------------------

    def render(self, *, now: float | None = None, asked: float | None = None) -> View:
        """Return the messages to send to the model now.

        `now` and `asked` (the time of the last request) are seconds of one clock, which decide
        whether the cache has expired. If it has, clearing costs nothing. Without these times, the
        cache is assumed not to have expired.

        Raises `TranscriptError`: E710 while a call waits for its result, E714 with the sizes of all
        parts if the required parts do not fit.
        """
        self._read_new_entries()
        state = self._state
        limits = self._limits
        check_answered(state.turns[-1:])
        expired = None not in (now, asked) and now - asked > limits.prices.lifetime  # type: ignore[operator]
        self._clear_results(expired=expired)
        tokens = self._count_tokens()
        failure = list[TurnDecision]()
        if tokens > limits.threshold:
            failure = self._make_room()
            tokens = self._count_tokens()
        check_budget(tokens, limits.room, self._measure_parts() if tokens > limits.room else {})
        self._check_new_messages()
        files = state.files if state.added_files else None
        skilled = self._skills is not None
        note = write_status_note(
            self._tell, files, tokens, limits.room, state.count, skilled=skilled
        )
        same = state.same
        state.same = len(state.shown) - 1 if note else len(state.shown)
        tokens += state.count(f"\n\n{note}") if note else 0
        of_all = (*self._iterate_clearing_decisions(), *failure)
        cached = state.tokens_of(same)
        fields = tuple(state.shown), tokens, limits.room, state.full, of_all
        return View(*fields, limits.pointer, cached, note)

    def _count_tokens(self) -> int:
        state = self._state
        count = self._counter.count_messages
        if adds_up_texts(self._counter):
            return state.tokens + count([]).tokens
        return count(write_messages_for_wire(item.message for item in state.shown)).tokens

    def _check_new_messages(self) -> None:
        items = self._state.shown
        at = self._state.same
        while 0 < at < len(items) and items[at].message.results:
            at -= 1
        check_pairs([item.message for item in items[at:]])
        check_recall(dict(item.pointer for item in items[at:] if item.pointer), self._store)

    def _measure_parts(self) -> dict[str, int]:
        sizes = {"instructions": 0, "old turns": 0, "hot turns": 0}
        for item in self._state.shown:
            kind = "hot turns" if item.turn >= self._state.hot else "old turns"
            is_pinned = item.message.role in PINNED
            sizes["instructions" if is_pinned else kind] += self._state.cost_of_prompt(item.message)
        return sizes

    # --- clearing and compaction -----------------------------------------------------------------

    def _clear_results(self, *, expired: bool) -> None:
        while self._limits.clear != "never" and (
            clearing := self._state.find_clearing(expired=expired)
        ):
            if self._try_to_log({"cleared": asdict(clearing)}):
                break
            self._read_new_entries()

    def _iterate_clearing_decisions(self) -> Iterable[TurnDecision]:
        if cleared := self._state.cleared:
            saved = cleared.sum.saved if cleared.sum else 0
            reason = f"{cleared.why}: {cleared.sum}" if cleared.sum else cleared.why
            turns = f"t{cleared.since}-t{cleared.before - 1}"
            yield TurnDecision(turns, "cleared", reason, saved, 0)

    def _make_room(self) -> list[TurnDecision]:
        """Clear results and compact turns until the conversation fits the window."""
        state = self._state
        failure = list[TurnDecision]()
        hot = self._limits.hot_turns
        most = self._limits.threshold
        while self._count_tokens() > most:
            before = max(1, len(state.turns) - max(1, hot) + 1)
            if before > state.before or not (hot or state.is_narrow):
                since = state.compaction.through + 1 if state.compaction else 1
                cleared = Cleared(since, before, "window", narrow=not hot)
                self._log_entry({"cleared": asdict(cleared)})
            if hot and self._count_tokens() > most:
                failure = self._compact_turns(before - 1)
            if not hot:
                break
            hot = min(hot, len(state.turns)) // 2
            most = self._limits.room
        return failure

    def _compact_turns(self, through: int) -> list[TurnDecision]:
        """Replace the turns up to `through` with a summary and return the decisions about them."""
        state = self._state
        turns = f"t1-t{through}"
        failure = list[TurnDecision]()
        if through <= (state.compaction.through if state.compaction else 0):
            return []
        items = [item for item in state.shown if item.turn <= through]
        old = [item for item in items if item.message.role not in PINNED]
        messages = [item.message for item in old]
        before = state.cost_of_prompt(*messages)
        try:
            summary = self._summarize_turns(through, messages)
        except Exception as error:  # the caller's function may raise any error
            failure = [TurnDecision(turns, "kept", f"no summary: {error}", before, before)]
            if state.tokens <= self._limits.room:
                return failure
            summary = self._write_digest(through)  # otherwise the view would not fit
        files = "\n".join(state.files.write_listing(self._limits.room // 16, state.count))
        before_it = [state.compaction.window] if state.compaction else []
        fresh = write_window_text(item.message for item in old if item.turn)
        window = "\n".join([*before_it, fresh])  # complete lines, without a summary
        compaction = Compaction(through, summary, window, files)
        now = state.tokens
        then = state.cost_after_compaction(compaction)
        if then >= now:
            return [TurnDecision(turns, "kept", "a summary that is no shorter", now, then)]
        if self._try_to_log({"compacted": asdict(compaction)}, [to_bytes(compaction.window)]):
            return failure
        self._read_new_entries()
        return self._compact_turns(through)

    def _write_digest(self, through: int) -> str:
        return write_digest(self._state.turns[:through], self._limits.room // 8, self._counter)

    def _summarize_turns(self, through: int, messages: list[Message]) -> str:
        """Call `summarize` with the shown messages, or with the most recent ones if not all fit."""
        if self._summarize is None:
            return self._write_digest(through)
        first = 0
        while first < len(messages) and (
            messages[first].results
            or self._state.cost_of_prompt(*messages[first:]) > self._limits.room
        ):
            first += 1
        summary = self._summarize(write_messages_for_wire(messages[first:]))
        if not isinstance(summary, str) or not summary.strip():
            raise ValueError("it is empty")
        return summary

    # --- reading omitted parts -------------------------------------------------------------------

    def answer(self, call: Call | ToolCall) -> str:
        """Answer a call to one of the tools that read omitted parts.

        Raises `EncodeError` for a call that does not fit the tools, and `TranscriptError` for: E711
        a missing result or skill, E712 a missing file or part, E713 an invalid pattern.
        """
        call = call.call if isinstance(call, ToolCall) else call
        encode(call, self.tools)
        self._read_new_entries()
        arguments = dict(call.arguments)
        match call.name:
            case "recall":
                return self._recall_result(arguments["result"])
            case "file_read":
                return self._read_file(**arguments)
            case "file_regex":
                return self._search_file(**arguments)
            case "extract_file":
                return self._extract_text(arguments["file"])
        return self._load_skill(arguments["name"])

    def _recall_result(self, pointer: str) -> str:
        reference = read_reference(pointer)
        turns = self._state.turns
        if not 1 <= reference.turn <= len(turns):
            raise TranscriptError(Code.POINTER, f"there is no turn {reference.turn} yet")
        turn = turns[reference.turn - 1]
        if reference.result is None and not turn.results:
            return self._stored_text(turn.message.text)
        if (reference.result or 1) > len(turn.results):
            msg = f"turn {turn.number} has {len(turn.results)} results"
            raise TranscriptError(Code.POINTER, msg)
        if reference.result or len(turn.results) == 1:
            return self._stored_text(turn.result(reference.result or 1).text)
        texts = [
            with_own_marks_quoted(self._stored_text(turn.result(n).text), pointers=True)
            for n in range(1, len(turn.results) + 1)
        ]
        return "\n".join(f"[{turn.reference(n)}]\n{text}" for n, text in enumerate(texts, 1))

    def _stored_text(self, text: str) -> str:
        return to_text(self._store.get(digest_of(to_bytes(text)))) if text else ""

    def _read_content(self, file_id: str) -> tuple[str, bytes]:
        file = self._state.files.get(file_id)
        return file.id, self._store.get(file.digest)

    def _read_file(self, file: str, **ranges: int) -> str:
        file_id, content = self._read_content(file)
        part, text = read_part(content, self._limits.room // 2, self._counter, **ranges)
        self._log_entry({"use": {"file": file_id, "part": part}})
        return text

    def _search_file(self, file: str, pattern: str, max_matches: int = MOST_MATCHES) -> str:
        file_id, content = self._read_content(file)
        text = write_matching_lines(to_text(content), pattern, max_matches)
        self._log_entry({"use": {"file": file_id, "part": "search"}})
        return text

    def _extract_text(self, file: str) -> str:
        file_id, content = self._read_content(file)
        try:
            text = text_of(content)
        except DocumentError as error:
            raise TranscriptError(Code.FILE, str(error)) from error
        new = self.add_file(f"text_of_{file_id}", text)
        self._log_entry({"use": {"file": file_id, "part": "text"}})
        text_file = self._state.files.get(new)
        pages = len(pages_of(text))
        unit = "pages" if pages > 1 else "page"
        size = f"{text_file.size} bytes, {text_file.tokens} tokens, {pages} {unit}"
        is_short = text_file.tokens <= self._limits.preview
        most = self._limits.preview
        preview = text if is_short else beginning_within(text, most, self._counter)
        return f"file {text_file.id}: {size}\n{preview}"

    def _load_skill(self, name: str) -> str:
        assert self._skills is not None  # the tool is offered only with skills
        try:
            return self._skills.body(name)
        except LookupError:
            if name == "large_files":
                return LARGE_FILES
            raise TranscriptError(Code.POINTER, f"no skill {name[:60]!r}") from None


def _entry_and_messages(
    message: Mapping[str, Any] | Message,
) -> tuple[dict[str, Any], tuple[Message, ...]]:
    """Return the log entry for a message, and the messages that are read from this entry.

    Raises `ConversionError` for a message that is invalid or not JSON.
    """
    if isinstance(message, dict) and (read := _try_read_once(message)):
        return read
    parsed = message if isinstance(message, Message) else from_openai([message])[0]
    try:
        entry = read_json(minified(entry_of(parsed)))
    except (ValueError, RecursionError):
        raise make_mismatch_error("values of JSON", message) from None
    return entry, messages_of(entry)


def _try_read_once(
    message: dict[str, Any],
) -> tuple[dict[str, Any], tuple[Message, ...]] | None:
    """Return the entry and messages for a message that is JSON, which its entry contains as it is.

    Reading the entry again returns the same messages.
    """
    try:
        copy = read_json(minified(message))
        return ({"openai": [copy]}, from_openai([copy])) if copy == message else None
    except (ValueError, RecursionError, ConversionError):
        return None
