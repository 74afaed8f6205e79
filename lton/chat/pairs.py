"""Which call each result of a turn answers: by its id, else by its tool's name, else the next."""

from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from typing import TypeAlias

from lton.chat.records import ToolCall, ToolResult

_Key: TypeAlias = Callable[[ToolCall], object]
_Wanted: TypeAlias = Callable[[ToolResult], object]

_KEYS: tuple[tuple[_Key, _Wanted], ...] = (
    (lambda call: call.id, lambda result: result.call_id),
    (lambda call: call.name, lambda result: None if _has_id(result) else result.name or None),
    (lambda _: "", lambda result: None if _has_id(result) or result.name else ""),
)
"""What a call has, and what a result says of its call, the surest first; None if it says nothing.

Each result says one of the three.
"""


def _has_id(result: ToolResult) -> bool:
    return result.call_id is not None


class Pairing:
    """The calls of a turn, and which of them have been answered."""

    def __init__(self, calls: Sequence[ToolCall] = ()) -> None:
        self.calls = calls
        self._answered: set[int] = set()
        self._waiting = [defaultdict[object, deque[int]](deque) for _ in _KEYS]
        for waiting, (key, _) in zip(self._waiting, _KEYS, strict=True):
            for index, call in enumerate(calls):
                waiting[key(call)].append(index)

    def answer(self, results: Sequence[ToolResult]) -> list[int | None]:
        """Get for each result the index of the call that it answers, as `pair` does.

        No later result answers that call.
        """
        found: list[int | None] = [None] * len(results)
        for waiting, (_, wanted) in zip(self._waiting, _KEYS, strict=True):
            for place, result in enumerate(results):
                if (said := wanted(result)) is not None and said in waiting:
                    found[place] = self._first(waiting[said])
        return found

    def _first(self, indexes: deque[int]) -> int | None:
        while indexes:
            if (index := indexes.popleft()) not in self._answered:
                self._answered.add(index)
                return index
        return None


def pair(calls: Sequence[ToolCall], results: Sequence[ToolResult]) -> list[int | None]:
    """Get for each result the index of the call that it answers, or None if it answers none.

    A result with an id answers the call with that id. One without an id answers the first call of
    the tool that it names. One without both answers the first call that is left. Each call is
    answered once. The surest pairs are made first, whatever the order of the results.

    >>> calls = [ToolCall("look", id="a"), ToolCall("wait", id="b"), ToolCall("stop", id="c")]
    >>> pair(calls, [ToolResult(()), ToolResult((), name="wait"), ToolResult((), "a")])
    [2, 1, 0]
    """
    return Pairing(calls).answer(results)
