"""Match tool results to the calls of a turn by id, by tool name or, as a last resort, in order."""

from collections import defaultdict, deque
from collections.abc import Sequence

from lton.chat.records import ToolCall, ToolResult


class Pairing:
    """Matches tool results to the calls of a turn."""

    def __init__(self, calls: Sequence[ToolCall] = ()) -> None:
        self.calls = calls
        self._answered: set[int] = set()
        self._by_id = defaultdict[object, deque[int]](deque)
        self._by_name = defaultdict[object, deque[int]](deque)
        self._in_order = deque[int]()
        for index, call in enumerate(calls):
            self._by_id[call.id].append(index)
            self._by_name[call.name].append(index)
            self._in_order.append(index)

    def match_results(self, results: Sequence[ToolResult]) -> list[int | None]:
        """Match results to calls as `pair_calls_with_results` does, and mark the calls."""
        matches: list[int | None] = [None] * len(results)
        unnamed = list[int]()
        named = list[int]()
        for index, result in enumerate(results):
            if result.call_id is None:
                (named if result.name else unnamed).append(index)
            elif result.call_id in self._by_id:
                matches[index] = self._take_first_unanswered(self._by_id[result.call_id])
        for index in named:
            name = results[index].name
            if name in self._by_name:
                matches[index] = self._take_first_unanswered(self._by_name[name])
        for index in unnamed:
            matches[index] = self._take_first_unanswered(self._in_order)
        return matches

    def _take_first_unanswered(self, indexes: deque[int]) -> int | None:
        while indexes:
            if (index := indexes.popleft()) not in self._answered:
                self._answered.add(index)
                return index
        return None


def pair_calls_with_results(
    calls: Sequence[ToolCall], results: Sequence[ToolResult]
) -> list[int | None]:
    """For each result, return the index of the call that the result answers, or None.

    A result with an id answers the call with that id. A result with only a name answers the first
    call to that tool, and a result with neither answers the first remaining call. Each call is
    answered once. The most reliable pairs are made first, for results in any order.

    >>> calls = [ToolCall("look", id="a"), ToolCall("wait", id="b"), ToolCall("stop", id="c")]
    >>> pair_calls_with_results(calls,
    ...     [ToolResult(()), ToolResult((), name="wait"), ToolResult((), "a")])
    [2, 1, 0]
    """
    return Pairing(calls).match_results(results)
