"""Match tool results to the calls of a turn by id, by tool name or, as a last resort, in order."""

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
"""How to match calls and results, most reliable first: the key of a call, and the key that a result
refers to, or None."""


def _has_id(result: ToolResult) -> bool:
    return result.call_id is not None


class Pairing:
    """Matches tool results to the calls of a turn."""

    def __init__(self, calls: Sequence[ToolCall] = ()) -> None:
        self.calls = calls
        self._answered: set[int] = set()
        self._waiting = [defaultdict[object, deque[int]](deque) for _ in _KEYS]
        for waiting, (key, _) in zip(self._waiting, _KEYS, strict=True):
            for index, call in enumerate(calls):
                waiting[key(call)].append(index)

    def answer(self, results: Sequence[ToolResult]) -> list[int | None]:
        """Match results to calls as `pair` does and mark the matched calls as answered."""
        found: list[int | None] = [None] * len(results)
        for waiting, (_, wanted) in zip(self._waiting, _KEYS, strict=True):
            for place, result in enumerate(results):
                if (said := wanted(result)) is not None and said in waiting:
                    found[place] = self._first_free(waiting[said])
        return found

    def _first_free(self, indexes: deque[int]) -> int | None:
        while indexes:
            if (index := indexes.popleft()) not in self._answered:
                self._answered.add(index)
                return index
        return None


def pair(calls: Sequence[ToolCall], results: Sequence[ToolResult]) -> list[int | None]:
    """For each result, return the index of the call that the result answers, or None.

    A result with an id answers the call with that id. A result with only a name answers the first
    call to that tool, and a result with neither answers the first remaining call. Each call is
    answered once. The most reliable pairs are made first, for results in any order.

    >>> calls = [ToolCall("look", id="a"), ToolCall("wait", id="b"), ToolCall("stop", id="c")]
    >>> pair(calls, [ToolResult(()), ToolResult((), name="wait"), ToolResult((), "a")])
    [2, 1, 0]
    """
    return Pairing(calls).answer(results)
