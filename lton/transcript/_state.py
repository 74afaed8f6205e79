"""What a conversation has come to, as a fold over the entries of its log.

All of it follows from the entries, the limits and the counter: a process that reads the log has
the same state, and shows the same.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from lton._json import minified
from lton._syntax import Form
from lton.chat import Message, Text, to_anthropic, to_openai
from lton.errors import ConversionError
from lton.schema import ToolSet
from lton.stores import Store
from lton.stores.contents import to_bytes, to_text
from lton.tokens import TokenCounter, TurnCache
from lton.transcript._journal import messages_of
from lton.transcript.base_tools import SKILL_TOOL
from lton.transcript.compaction import Compaction
from lton.transcript.files import FileTable, VirtualFile, beginning, note
from lton.transcript.pointers import (
    SECTION,
    PointerStyle,
    Reference,
    looks_like_pointer,
    spell_pointer,
    told_apart,
)
from lton.transcript.turns import PINNED, Turn, add_message, is_error, is_text
from lton.transcript.view import TurnAction, TurnDecision
from lton.transcript.written import in_lton

_MOST_COSTS = 10_000
"""Messages whose tokens are kept."""


def wire(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Get messages as an API has them: OpenAI's, or Anthropic's if they hold what is only there."""
    messages = list(messages)
    try:
        return to_openai(messages)
    except ConversionError:
        found = to_anthropic(messages)
        return [
            *({"role": "system", "content": each} for each in [found.get("system")] if each),
            *found["messages"],
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The options of a transcript."""

    window: int
    reserve: int
    hot_turns: int
    pointer: PointerStyle
    clear_at_least: int
    file_over: int
    preview: int
    compact_at: float
    history: Form | None
    tools: ToolSet | None

    @property
    def room(self) -> int:
        return self.window - self.reserve

    @property
    def threshold(self) -> float:
        """The tokens from which on turns are compacted."""
        return self.compact_at * self.room


@dataclass(frozen=True, slots=True)
class Shown:
    """Messages as they are shown, what was decided, and the pointer in them with its content."""

    turn: int
    messages: tuple[Message, ...]
    decision: TurnDecision | None = None
    pointer: tuple[str, bytes] | None = None

    @property
    def points(self) -> bool:
        """Whether it names something that was left out: a result, or the turns of a summary."""
        compacted = self.decision is not None and self.decision.action == "compacted"
        return compacted or self.pointer is not None


def _told_apart(message: Message) -> Message:
    """Get the message of a result, or of a user, in which nothing is spelled as our own lines."""
    if not message.results:
        if (told := told_apart(message.text)) == message.text:
            return message
        rest = (part for part in message.parts if not isinstance(part, Text))
        return replace(message, parts=(Text(told), *rest))
    result = message.results[0]
    is_pointer = looks_like_pointer(result.text.strip())
    told = minified(result.text) if is_pointer else told_apart(result.text)
    if told == result.text:
        return message
    others = (part for part in result.parts if not isinstance(part, Text))
    return replace(message, parts=(replace(result, parts=(Text(told), *others)),))


def _messages(shown: Iterable[Shown]) -> list[Message]:
    return [message for each in shown for message in each.messages]


class State:
    """The turns, the files, the last compaction, and how far results are pointers."""

    def __init__(self, limits: Limits, counter: TokenCounter) -> None:
        self.limits = limits
        self.turns: list[Turn] = []
        self.files = FileTable()
        self.compaction: Compaction | None = None
        self.boundary = 1
        """The results of turns before this number are pointers."""
        self.full = 0
        """About the tokens of all messages, as they came."""
        self._counter = counter
        self._cache = TurnCache()
        self._beginnings: dict[str, str] = {}
        self._costs: dict[int, tuple[Message, int]] = {}
        """By the message itself, which is kept so that no other has its place in memory."""
        self._pointers: dict[Reference, Shown] = {}
        self._written: dict[int, list[Shown]] = {}

    # --- what happened ---------------------------------------------------------------------------

    def apply(self, entry: Mapping[str, Any], store: Store) -> None:
        """Take in an entry of the log."""
        match entry:
            case {"compacted": found}:
                self.compaction = Compaction.read(found)
                self.add_file(to_bytes(found["window"]), f"turns 1 to {self.compaction.through}")
            case {"file": {"name": name, "digest": digest}}:
                self.add_file(store.get(digest), name)
            case {"use": {"file": id, "part": part}}:
                self.files.record(id, part)
        for message in messages_of(entry):
            self._add(message)

    def _add(self, message: Message) -> None:
        known = len(self.turns)
        add_message(self.turns, message)
        self.full += self.cost(message)
        for turn in self.turns[max(0, known - 1) :]:
            for number in range(1, len(turn.results) + 1):
                self._long_file(turn.result(number).text, self._name(turn, number))
            if turn.message.role == "user":
                self._long_file(turn.message.text, f"t{turn.number} user")
        self._advance()

    def add_file(self, content: bytes, name: str) -> VirtualFile:
        """Get the file of a content, which may be new."""
        return self.files.add(content, name, self.tokens(to_text(content)))

    def _long_file(self, text: str, name: str) -> None:
        if self.tokens(text) > self.limits.file_over:
            self.files.add(to_bytes(text), name, self.tokens(text))

    def _name(self, turn: Turn, number: int) -> str:
        return spell_pointer(turn.reference(number), turn.call_of(number))[1:-1]

    def _advance(self) -> None:
        """Let more results be pointers, if that wins enough, or if the window fills."""
        waiting = [turn for turn in self.turns[self.boundary - 1 : self.hot - 1] if turn.results]
        won = sum(map(self._gain, waiting))
        if won and (won >= self.limits.clear_at_least or self._is_filling()):
            self.boundary = self.hot

    def _is_filling(self) -> bool:
        threshold = self.limits.threshold
        return self.full > threshold and self.cost(*self.chat(self.shown())) > threshold

    def _gain(self, turn: Turn) -> int:
        """Get about the tokens that are won when a turn is old."""
        now, then = (self._turn(turn, old=old) for old in (False, True))
        return self.cost(*_messages(now)) - self.cost(*_messages(then))

    # --- what is shown ---------------------------------------------------------------------------

    @property
    def hot(self) -> int:
        """The number of the first turn that is shown word for word."""
        return max(1, len(self.turns) - self.limits.hot_turns + 1)

    def tokens(self, text: str) -> int:
        return self._cache.count(self._counter, text).tokens

    def cost(self, *messages: Message) -> int:
        """Get about the tokens of messages, one by one."""
        return sum(map(self._cost, messages))

    def _cost(self, message: Message) -> int:
        known = self._costs.get(id(message))
        if known is None or known[0] is not message:
            if len(self._costs) >= _MOST_COSTS:
                self._costs.clear()
            counts = [self._cache.count(self._counter, each).tokens for each in wire([message])]
            known = self._costs[id(message)] = message, sum(counts)
        return known[1]

    def chat(self, shown: list[Shown]) -> list[Message]:
        """Get the messages, and after the instructions what explains pointers, if there are any."""
        messages = _messages(shown)
        if any(each.points for each in shown):
            first = next(
                (at for at, each in enumerate(messages) if each.role not in PINNED), len(messages)
            )
            messages.insert(first, Message.saying("system", SECTION))
        return messages

    def shown(self, compaction: Compaction | None = None) -> list[Shown]:
        """Get what is shown, as if these turns were compacted (or those that were)."""
        compaction = compaction or self.compaction
        through = compaction.through if compaction else 0
        begun = list(self._instead(compaction)) if compaction else []
        for turn in self.turns[through:]:
            begun += self._turn(turn, old=turn.number < self.boundary)
        return begun

    def _instead(self, compaction: Compaction) -> Iterator[Shown]:
        """Get what is shown of compacted turns: instructions, skills, the summary, the request."""
        old = self.turns[: compaction.through]
        for turn in old:
            if turn.message.role in PINNED:
                yield Shown(turn.number, (turn.message,))
        skills = dict.fromkeys(
            turn.result(number).text
            for turn in old
            for number in range(1, len(turn.results) + 1)
            if turn.call_of(number).name == SKILL_TOOL and not is_error(turn.result(number))
        )
        for text in skills:
            yield Shown(0, (Message.saying("system", text),))
        file = self.files.of(to_bytes(compaction.window))
        message = compaction.message(file.id if file else self.files.next_id)
        before = self.cost(*(each for turn in old for each in turn.messages))
        reference = f"t1-t{compaction.through}"
        after = self.tokens(message.text)
        decision = TurnDecision(reference, "compacted", "window", before, after)
        yield Shown(0, (message,), decision)
        if self.last_request and self.last_request <= compaction.through:
            request = self.turns[self.last_request - 1]
            yield Shown(request.number, (_told_apart(request.message),))

    @property
    def last_request(self) -> int:
        """The number of the last turn that is the user's, or 0."""
        users = (turn.number for turn in reversed(self.turns) if turn.message.role == "user")
        return next(users, 0)

    def _turn(self, turn: Turn, *, old: bool) -> list[Shown]:
        """Get a turn as it is shown; old ones are those before the boundary."""
        numbers = range(1, len(turn.results) + 1)
        shown = [self._message(turn), *(self._result(turn, n, old=old) for n in numbers)]
        form = self.limits.history
        if form is None or not turn.results or not old:
            return shown
        if turn.number not in self._written:
            self._written[turn.number] = self._in_lton(turn, shown, form)
        return self._written[turn.number]

    def _in_lton(self, turn: Turn, shown: list[Shown], form: Form) -> list[Shown]:
        """Get a turn in LTON if it can be, and is shorter so."""
        answers = [(each.messages[0].results[0].text, bool(each.pointer)) for each in shown[1:]]
        written = in_lton(turn, answers, form, self.limits.tools)
        before = self.cost(*_messages(shown))
        if written is None or (after := self.cost(*written)) >= before:
            return shown
        decision = TurnDecision(str(Reference(turn.number)), "lton", form, before, after)
        results = (replace(each, messages=()) for each in shown[1:])
        return [Shown(turn.number, written, decision), *results]

    def _message(self, turn: Turn) -> Shown:
        """Get the message of a turn; a long one of the user is a file once there is another."""
        message = turn.message
        told = _told_apart(message) if message.role == "user" else message
        is_old = message.role == "user" and turn.number != self.last_request
        file = self.files.of(to_bytes(message.text)) if is_old else None
        if file is None or not all(isinstance(part, Text) for part in message.parts):
            return Shown(turn.number, (told,))
        text = self._beginning(file, message.text)
        before, after = self.tokens(message.text), self.tokens(text)
        if after >= before:
            return Shown(turn.number, (told,))
        decision = TurnDecision(str(Reference(turn.number)), "file", file.id, before, after)
        return Shown(turn.number, (replace(message, parts=(Text(text),)),), decision)

    def _result(self, turn: Turn, number: int, *, old: bool) -> Shown:
        key = turn.reference(number)
        if old and key in self._pointers:
            return self._pointers[key]
        result = turn.result(number)
        action, reason, text = self._choice(turn, number, old=old)
        before, after = self.tokens(result.text), self.tokens(text)
        if action != "kept" and after >= before:
            action, reason, text, after = "kept", "not smaller", result.text, before
        decision = TurnDecision(str(key), action, reason, before, after)
        if action == "kept":
            return Shown(turn.number, (_told_apart(turn.results[number - 1]),), decision)
        # The call says the name of the tool.
        name = None if result.call_id else result.name
        short = replace(
            result, parts=(Text(text),), name=name if action == "pointer" else result.name
        )
        message = replace(turn.results[number - 1], parts=(short,))
        if action == "file":
            return Shown(turn.number, (message,), decision)
        shown = Shown(turn.number, (message,), decision, (text, to_bytes(result.text)))
        self._pointers[key] = shown
        return shown

    def _choice(self, turn: Turn, number: int, *, old: bool) -> tuple[TurnAction, str, str]:
        """Get what becomes of a result, why, and the text that is shown."""
        result, call = turn.result(number), turn.call_of(number)
        text = result.text
        file = self.files.of(to_bytes(text))
        for reason, holds in (
            ("not a text", not is_text(result)),
            ("skill", call.name == SKILL_TOOL),
            ("error", is_error(result) and self.tokens(text) <= self.limits.room // 2),
        ):
            if holds:
                return "kept", reason, text
        begun = self._beginning(file, text) if file else text
        is_compact = self.limits.pointer == "compact"
        pointer = spell_pointer(turn.reference(number), call if is_compact else None)
        is_smaller = self.tokens(pointer) < self.tokens(begun)
        if old and is_smaller:
            return "pointer", "old", pointer
        if file:
            return "file", file.id, begun
        is_hot = turn.number >= self.hot
        return "kept", "hot" if is_hot else "cached" if is_smaller else "not smaller", text

    def _beginning(self, file: VirtualFile, text: str) -> str:
        if file.digest not in self._beginnings:
            begun = told_apart(beginning(text, self.limits.preview, self._counter))
            end = "" if begun.endswith("\n") or not begun else "\n"
            self._beginnings[file.digest] = f"{begun}{end}{note(file)}"
        return self._beginnings[file.digest]
