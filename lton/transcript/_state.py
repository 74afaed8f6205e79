"""Compute the state of a conversation from the entries of its log.

The state depends only on the entries, the limits and the counter, so every process that reads the
log shows the same view. The shown form of a message is decided once, when the message is appended.
Only a clearing or a compaction changes it, and these are also entries.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, TypeAlias

from lton._shells import is_shell, is_terminal
from lton.chat import Message, Text, ToolCall, ToolResult
from lton.results import ForModels
from lton.stores import Store
from lton.stores.contents import to_bytes, to_text
from lton.tokens import TokenCounter
from lton.tokens.billing import Prices, count_common_start
from lton.transcript._journal import messages_of
from lton.transcript._token_counts import TokenCounts
from lton.transcript.base_tools import SKILL_TOOL
from lton.transcript.clearing_cost import Account, Clear, Cleared, Waiting
from lton.transcript.compaction import Compaction
from lton.transcript.files import FileTable, VirtualFile, beginning_within, write_file_note
from lton.transcript.first_sight import SeenLines, choose_shown_form
from lton.transcript.pointers import (
    PointerStyle,
    Reference,
    looks_like_pointer,
    spell_first_pointer,
    spell_pointer,
    with_own_marks_quoted,
)
from lton.transcript.turns import PINNED, Turn, extend_turns, is_error, is_text
from lton.transcript.view import Shown, TurnAction, TurnDecision, with_notes_quoted

_KEPT = ("not a text", "skill", "error")  # Reasons why a result is never cleared
_LEAST_PREVIEW = 16  # The minimum tokens shown of a result that does not fit


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The options of a transcript."""

    window: int
    reserve: int
    hot_turns: int
    pointer: PointerStyle
    clear: Clear
    prices: Prices
    file_over: int
    preview: int
    compact_at: float
    short_json: bool
    file_requests: bool = False

    @property
    def room(self) -> int:
        return self.window - self.reserve

    @property
    def threshold(self) -> float:
        return self.compact_at * self.room


@dataclass(frozen=True, slots=True)
class _KnownResult:
    """A result with its call and texts, which are found once, and used whenever it is shown."""

    call: ToolCall
    result: ToolResult
    text: str
    short: str
    """The text without terminal noise and, if this is wanted, with shorter JSON."""


PlannedMessage: TypeAlias = tuple[Message, list[Turn]]
"""A message, and the turns that replace the last turn when the message is added."""


class State:
    """The turns, files, shown messages and costs of a conversation."""

    def __init__(self, limits: Limits, counter: TokenCounter) -> None:
        self.limits = limits
        self.turns: list[Turn] = []
        self.files = FileTable()
        self.added_files = 0  # The number of files from `add_file`
        self.compaction: Compaction | None = None
        self.cleared: Cleared | None = None
        self._is_rewritten = False  # Whether the last request was already shortened
        self.before = 1  # Results of turns from this number on are not cleared
        self.account = Account(limits.prices)
        self.full = 0  # An estimate of the tokens of all original messages
        self.last_request = 0  # The number of the user's last turn, or 0
        self.same = 0  # The number of messages unchanged since a caller set this
        self.shown: list[Shown] = []
        self._sums = [0]  # Estimates of the tokens of the first 0, 1, 2, … shown messages
        self._starts: dict[int, int] = {}  # The index in `shown` of each turn
        self._seen = SeenLines()
        self._narrow: set[int] = set()
        self._explained: int | None = None  # The turn whose pointer explains pointers, or 0
        self._explaining: set[int] = set()  # Turns with which a first clearing may start
        self._old: set[int] = set()  # The turns whose results are pointers
        self._waiting = Waiting()
        self._weighed = 1  # The gains of clearing turns before `_weighed`
        self._counter = counter
        self._counts = TokenCounts(counter)
        self.count = self._counts.count_text
        self._beginnings: dict[str, str] = {}
        self._results: dict[tuple[int, int], _KnownResult] = {}  # by turn and number

    # --- entries ---------------------------------------------------------------------------------

    def plan_messages(self, messages: Iterable[Message]) -> list["PlannedMessage"]:
        """Return each message with the turns that replace the last turn when it is added.

        Raises `TranscriptError` (E710) for messages that do not fit. The state does not change.
        """
        planned = []
        turns = self.turns[-1:]
        for message in messages:
            turns = extend_turns(turns[-1:], message)
            planned.append((message, turns))
        return planned

    def apply_entry(
        self,
        entry: Mapping[str, Any],
        store: Store,
        planned: Sequence["PlannedMessage"] | None = None,
    ) -> None:
        """Apply an entry of the log. `planned` are its messages, if they are already planned."""
        match entry:
            case {"cleared": fields}:
                self._apply_clearing(Cleared.read(fields))
            case {"compacted": fields}:
                self._apply_compaction(Compaction(**fields))
            case {"file": {"name": name, "digest": digest}}:
                self.added_files += 1
                self.add_file(store.get(digest), name)
            case {"use": {"file": id, "part": part}}:
                self.files.record_use(id, part)
        if planned is None:
            planned = self.plan_messages(messages_of(entry))
        for message, turns in planned:
            self._add_message(message, turns)

    def _add_message(self, message: Message, turns: Sequence[Turn]) -> None:
        """Add a message, with the turns that replace the last turn."""
        self._queue_old_turns()
        if message.role == "assistant":
            self.account.bill_request(self.tokens, self.full)
            self._is_rewritten = False
        count = len(self.turns)
        results = len(self.turns[-1].results) if count else 0
        self.turns[-1:] = turns
        self.full += self._counts.count_message(message)
        for turn in turns:
            is_new = turn.number > count
            if not is_new and len(turn.results) == results:
                continue
            for number in range(1 if is_new else results + 1, len(turn.results) + 1):
                self._add_long_file(self._find_result(turn, number).short, turn, number)
            if is_new and turn.message.role == "user":
                before, self.last_request = self.last_request, turn.number
                self._add_long_file(turn.message.text, turn)
                self._queue_late_turn(before)
            self._append_shown(
                self._render_turn(turn, 0 if is_new else results + 1, self._seen), turn
            )

    def add_file(self, content: bytes, name: str) -> VirtualFile:
        return self.files.add(content, name, self.count(to_text(content)))

    def _add_long_file(
        self, text: str, turn: Turn, number: int = 0, over: int | None = None
    ) -> None:
        if self.count(text) > (self.limits.file_over if over is None else over):
            name = f"t{turn.number} user"
            if number:
                result = self._find_result(turn, number)
                name = spell_pointer(turn.reference(number), result.call)[1:-1]
                text = result.text
            self.add_file(to_bytes(text), name)

    # --- messages shown --------------------------------------------------------------------------

    @property
    def tokens(self) -> int:
        return self._sums[-1]

    def tokens_of(self, messages: int) -> int:
        return self._sums[messages]

    @property
    def hot(self) -> int:
        return max(1, len(self.turns) - self.limits.hot_turns + 1)

    @property
    def is_narrow(self) -> bool:
        """Whether even the results in the last turn are cut to fit the window."""
        return len(self.turns) in self._narrow

    def cost_of_prompt(self, *messages: Message) -> int:
        """Return the sum of the tokens of each message."""
        return sum(map(self._counts.count_message, messages))

    def start_of_turn(self, turn: int) -> int:
        return self._starts[turn] if turn in self._starts else len(self.shown)

    def _append_shown(self, items: Iterable[Shown], turn: Turn | None = None) -> None:
        if turn:
            self._starts.setdefault(turn.number, len(self.shown))
        tokens = self.tokens
        for item in items:
            tokens += self._counts.count_message(item.message)
            self.shown.append(item)
            self._sums.append(tokens)

    def _shown_messages(self, start: int = 0) -> list[Message]:
        return [item.message for item in self.shown[start:]]

    # --- clearing --------------------------------------------------------------------------------

    def _queue_old_turns(self) -> Waiting:
        """Add the turns that have become old to the waiting list, and return this list."""
        hot = self.hot
        while self._weighed < hot:
            self._waiting.add_turn(*self._weigh_clearing(self._weighed), self.account.requests)
            self._weighed += 1
        return self._waiting

    def _queue_late_turn(self, late: int) -> None:
        """Rebuild the waiting list if the call in an old turn can now be shortened."""
        first = self.compaction.through + 1 if self.compaction else 1
        if first <= late < self._weighed and self._weigh_clearing(late)[-1] > 0:
            self._waiting = Waiting()
            for turn in range(first, self._weighed):
                if turn == late or turn not in self._old:
                    self._waiting.add_turn(*self._weigh_clearing(turn), self.account.requests)

    def _weigh_clearing(self, turn: int) -> tuple[int, int, int]:
        """Return a turn's number, the tokens before it, and the tokens saved by clearing it."""
        begin = self._sums[self.start_of_turn(turn)]
        end = self._sums[self.start_of_turn(turn + 1)]
        old_turn = self.turns[turn - 1]
        after = self._counts.count_message(self._render_old_message(old_turn).message)
        can_explain = not old_turn.results
        for number, first in enumerate(self._render_unseen(old_turn), 1):
            text = self._try_write_pointer(old_turn, number, first, explain=False)
            message = first.message
            if text is not None:
                message = self._pointer_message(old_turn, number, text)
            after += self._counts.count_message(message)
            if self._explained is None and not can_explain:
                can_explain = bool(self._try_write_pointer(old_turn, number, first, explain=True))
        if self._explained is None and can_explain:
            self._explaining.add(turn)
        return turn, begin, end - begin - after

    def find_clearing(self, *, expired: bool) -> Cleared | None:
        """Return the clearing that saves the most, or None if no clearing is worth its cost."""
        if self._is_rewritten and self.limits.clear == "pays":
            return None
        waiting = self._queue_old_turns()
        tokens = self.tokens
        starts = waiting.starts()
        if self._explained is None:
            starts = [at for at in starts if waiting.turns[at] in self._explaining]
        if self.limits.clear == "always":
            at = starts[0] if starts else None
        else:
            at = self.account.find_best_first_turn(tokens, waiting, starts, expired=expired)
        if at is None:
            return None
        laid = self._lay_out_again(waiting.turns[at], self.hot)
        alike = laid.start + count_common_start(self._shown_messages(laid.start), laid.messages)
        after = self._sums[laid.start] + self.cost_of_prompt(*laid.messages)
        since = waiting.since[-1] - waiting.since[at]
        exact = self.account.sum_clearing(tokens, after, self._sums[alike], since, expired=expired)
        if self.limits.clear == "pays" and not exact.pays:
            return None
        return Cleared(waiting.turns[at], self.hot, self.limits.clear, exact)

    def _lay_out_again(self, since: int, before: int) -> "_Laid":
        """Render the turns from `since` on again, with pointers instead of older results."""
        is_kept = self._explained is not None and self._explained < since
        laid = _Laid(self.start_of_turn(since), SeenLines(), self._explained if is_kept else None)
        return self._with_turns(laid, since, before)

    def _with_turns(self, laid: "_Laid", since: int, before: int) -> "_Laid":
        """Render the turns from `since` on, with pointers for the results before turn `before`."""
        for turn in self.turns[since - 1 :]:
            if turn.number < before or turn.number in self._old:
                items = self._render_cleared_turn(
                    turn, self._render_unseen(turn), explain=laid.explained is None
                )
                if laid.explained is None and any(item.pointer for item in items):
                    laid.explained = turn.number
            else:
                items = self._render_turn(turn, 0, laid.seen_lines)
            laid.turns.append((turn, items))
        return laid

    def _apply_clearing(self, cleared: Cleared) -> None:
        self.cleared = cleared
        self._is_rewritten = True
        if cleared.narrow:
            turn = self.turns[-1]
            self._narrow.add(turn.number)
            for number in range(1, len(turn.results) + 1):
                text = self._find_result(turn, number).text
                self._add_long_file(text, turn, number, over=_LEAST_PREVIEW)
        self._replace_shown(self._lay_out_again(cleared.since, cleared.before))
        self._old.update(range(cleared.since, cleared.before))
        self._drop_from_waiting(cleared.since, cleared.before)

    def _drop_from_waiting(self, since: int, before: int) -> None:
        """Remove turns from the waiting list after they have been cleared."""
        self._waiting.drop_turns_from(since)
        self.before = max(self.before, before)
        self._weighed = max(self._weighed, self.before)

    def _replace_shown(self, laid: "_Laid") -> None:
        old = self._shown_messages(laid.start)
        del self.shown[laid.start :], self._sums[laid.start + 1 :]
        for turn, items in laid.turns:
            self._starts.pop(turn.number if turn else 0, None)
            self._append_shown(items, turn)
        self._seen = laid.seen_lines
        self._explained = laid.explained
        same_count = laid.start + count_common_start(old, laid.messages)
        self.same = min(self.same, same_count)
        self.account.shared = min(self.account.shared, self._sums[same_count])

    # --- compaction ------------------------------------------------------------------------------

    def cost_after_compaction(self, compaction: Compaction) -> int:
        """Estimate how many tokens are shown after a compaction."""
        return self.cost_of_prompt(*self._laid_out_after(compaction).messages)

    def _apply_compaction(self, compaction: Compaction) -> None:
        self.compaction = compaction
        self.add_file(to_bytes(compaction.window), f"turns 1 to {compaction.through}")
        self._replace_shown(self._laid_out_after(compaction))
        self._drop_from_waiting(1, compaction.through + 1)

    def _laid_out_after(self, compaction: Compaction) -> "_Laid":
        laid = _Laid(0, SeenLines(), explained=0)
        laid.turns.append((None, list(self._iterate_compaction(compaction))))
        return self._with_turns(laid, compaction.through + 1, before=0)

    def _iterate_compaction(self, compaction: Compaction) -> Iterator[Shown]:
        old = self.turns[: compaction.through]
        for turn in old:
            if turn.message.role in PINNED:
                yield Shown(turn.number, turn.message)
        skills = dict.fromkeys(
            turn.result(number).text
            for turn in old
            for number in range(1, len(turn.results) + 1)
            if turn.call_of(number).name == SKILL_TOOL and not is_error(turn.result(number))
        )
        for text in skills:
            yield Shown(0, Message.saying("system", text))
        file = self.files.find_file(to_bytes(compaction.window))
        message = compaction.to_message(file.id if file else self.files.next_id)
        before = self.cost_of_prompt(*chain.from_iterable(turn.messages for turn in old))
        reference = f"t1-t{compaction.through}"
        after = self.count(message.text)
        decision = TurnDecision(reference, "compacted", "window", before, after)
        yield Shown(0, message, decision)
        if 0 < self.last_request <= compaction.through:
            request = self.turns[self.last_request - 1]
            yield Shown(request.number, with_notes_quoted(request.message))

    # --- a turn ----------------------------------------------------------------------------------

    def _render_turn(self, turn: Turn, since: int, earlier_lines: SeenLines) -> list[Shown]:
        numbers = range(max(1, since), len(turn.results) + 1)
        results = [self._render_result(turn, number, earlier_lines) for number in numbers]
        return results if since else [self._make_shown_item(turn), *results]

    def _make_shown_item(self, turn: Turn) -> Shown:
        if turn.message.role != "user":
            return Shown(turn.number, turn.message)
        item = Shown(turn.number, with_notes_quoted(turn.message))
        return self._render_as_file(turn, item) if self.limits.file_requests else item

    def _render_unseen(self, turn: Turn) -> list[Shown]:
        """Render the results of a turn as if nothing had been shown before."""
        count = len(turn.results)
        start = self.start_of_turn(turn.number) + 1
        items = self.shown[start : start + count]
        is_shown = len(items) == count and turn.number not in self._narrow
        if not count or (is_shown and all(map(_is_unseen, items))):
            return items
        return [self._render_result(turn, number, SeenLines()) for number in range(1, count + 1)]

    def _render_cleared_turn(
        self, turn: Turn, unseen: Sequence[Shown], *, explain: bool = False
    ) -> list[Shown]:
        """Render a turn with pointers for its results. `explain` explains the first pointer."""
        items = [self._render_old_message(turn)]
        for number, first in enumerate(unseen, 1):
            items.append(self._render_pointer(turn, number, first, explain=explain))
            explain = explain and items[-1].pointer is None
        return items

    def _render_old_message(self, turn: Turn) -> Shown:
        """Render the message of an old turn. A long request is shown as a file."""
        first = self._make_shown_item(turn)
        is_old = turn.message.role == "user" and turn.number != self.last_request
        return self._render_as_file(turn, first) if is_old else first

    def _render_as_file(self, turn: Turn, first: Shown) -> Shown:
        """Show only the beginning of a message if the whole message is stored as a file."""
        message = turn.message
        file = self.files.find_file(to_bytes(message.text))
        if file is None or not all(isinstance(part, Text) for part in message.parts):
            return first
        text = self._write_beginning(file, message.text, self.limits.preview)
        before = self.count(message.text)
        after = self.count(text)
        decision = TurnDecision(str(Reference(turn.number)), "file", file.id, before, after)
        item = Shown(turn.number, replace(message, parts=(Text(text),)), decision)
        return item if after < before else first

    def _render_pointer(self, turn: Turn, number: int, first: Shown, *, explain: bool) -> Shown:
        """Render a result as a pointer, if this is shorter than the result in its first form."""
        decision = first.decision
        text = self._try_write_pointer(turn, number, first, explain=explain)
        if decision is None or text is None:
            return first
        cleared_decision = replace(decision, action="pointer", reason="old", after=self.count(text))
        content = to_bytes(self._find_result(turn, number).text)
        return Shown(
            turn.number,
            self._pointer_message(turn, number, text),
            cleared_decision,
            (text, content),
        )

    def _pointer_message(self, turn: Turn, number: int, text: str) -> Message:
        result = turn.result(number)
        return self._with_result_text(
            turn, number, text, name=None if result.call_id else result.name
        )

    def _try_write_pointer(
        self, turn: Turn, number: int, first: Shown, *, explain: bool
    ) -> str | None:
        """Return the pointer to a result, or None if it is not shorter than the first form."""
        decision = first.decision
        if decision is None or decision.reason in _KEPT:
            return None
        reference = turn.reference(number)
        call = turn.call_of(number) if self.limits.pointer == "compact" else None
        text = spell_first_pointer(reference, call) if explain else spell_pointer(reference, call)
        return text if self.count(text) < decision.after else None

    def _render_result(self, turn: Turn, number: int, earlier_lines: SeenLines) -> Shown:
        result = self._find_result(turn, number)
        action, reason, text = self._choose_form(turn, number, earlier_lines)
        before = self.count(result.text)
        after = self.count(text)
        decision = TurnDecision(str(turn.reference(number)), action, reason, before, after)
        if action == "kept":
            return Shown(turn.number, with_notes_quoted(turn.results[number - 1]), decision)
        return Shown(
            turn.number,
            self._with_result_text(turn, number, text, name=result.result.name),
            decision,
        )

    def _with_result_text(self, turn: Turn, number: int, text: str, *, name: str | None) -> Message:
        message = turn.results[number - 1]
        result = turn.result(number)
        new_result = ToolResult((Text(text),), result.call_id, name, result.is_error, result.extra)
        return Message(message.role, (new_result,), message.name, message.api, message.extra)

    def _choose_form(
        self, turn: Turn, number: int, earlier_lines: SeenLines
    ) -> tuple[TurnAction, str, str]:
        """Return the action for a result, the reason, and the text to show."""
        result = self._find_result(turn, number)
        text = result.text
        short = result.short
        is_narrow = turn.number in self._narrow
        is_short = self.count(text) <= self.limits.room // 2 and not is_narrow
        for reason, holds in (
            ("not a text", not is_text(result.result)),
            ("skill", result.call.name == SKILL_TOOL),
            ("error", is_short and is_error(result.result, text)),
        ):
            if holds:
                earlier_lines.remember(with_own_marks_quoted(text))
                return "kept", reason, text
        is_file = is_narrow or self.count(short) > self.limits.file_over
        file = self.files.find_file(to_bytes(text)) if is_file else None
        if file:
            room = self.limits.room // (4 * len(turn.results))
            most = max(_LEAST_PREVIEW, min(room, self.limits.preview))
            preview = self._write_beginning(file, text, most if is_narrow else self.limits.preview)
            if self.count(preview) < self.count(short):
                earlier_lines.remember(preview)
                return "file", file.id, preview
        return self._shorten_result_text(text, short, earlier_lines)

    def _find_result(self, turn: Turn, number: int) -> _KnownResult:
        key = turn.number, number
        cached = self._results.get(key)
        if cached is None:
            call = turn.call_of(number)
            result = turn.result(number)
            text = result.text
            is_noisy = is_shell(call.name) and is_terminal(call.name, call.arguments)
            models: ForModels | None = "any" if self.limits.short_json else None
            short = choose_shown_form(text, for_models=models, is_terminal=is_noisy)
            cached = _KnownResult(call, result, text, short)
            self._results[key] = cached
        return cached

    def _shorten_result_text(
        self, text: str, short: str, earlier_lines: SeenLines
    ) -> tuple[TurnAction, str, str]:
        """Return the action that shortens a result most, the reason, and the shortened text."""
        is_shorter = short != text and self.count(short) < self.count(text)
        if not is_shorter or looks_like_pointer(short.strip()):
            short = with_own_marks_quoted(text)
        noted = earlier_lines.replace_seen(short)
        if noted != short and self.count(noted) < self.count(short):
            return "repeat", "stood before", noted
        return ("kept", "as it came", text) if short in text else ("short", "in short", short)

    def _write_beginning(self, file: VirtualFile, text: str, most: int) -> str:
        key = f"{most} {file.digest}"
        if key not in self._beginnings:
            preview = beginning_within(
                choose_shown_form(text, for_models=None), most, self._counter
            )
            clean = with_own_marks_quoted(preview)
            end = "" if clean.endswith("\n") or not clean else "\n"
            self._beginnings[key] = f"{clean}{end}{write_file_note(file)}"
        return self._beginnings[key]


def _is_unseen(item: Shown) -> bool:
    """Return whether a shown result does not depend on what was shown before it."""
    decision = item.decision
    return decision is not None and decision.action not in ("repeat", "pointer")


@dataclass(slots=True)
class _Laid:
    start: int
    seen_lines: SeenLines
    explained: int | None
    turns: list[tuple[Turn | None, list[Shown]]] = field(default_factory=list)

    @property
    def messages(self) -> list[Message]:
        return [item.message for _, items in self.turns for item in items]
