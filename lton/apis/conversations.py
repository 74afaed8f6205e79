"""Cache work on earlier messages, so that a request with one new message is fast.

Each request contains the whole conversation. Messages with the same JSON are replaced by the same
objects, so cached work is found by identity.
"""

import marshal
from collections.abc import Callable, Hashable, Mapping, Sequence
from operator import is_
from threading import Lock
from typing import Any, TypeAlias

from lton.chat.beginnings import Latest, iterate_digests_of_beginnings

MAX_CONVERSATIONS = 64
MAX_BYTES = 16 * 1024 * 1024  # of messages; the work on them takes several times as much
_LEAST = 16  # the fewest messages of a cached conversation
_LAST = 4  # last messages that may still change: agents move cache marks, and retry
_State: TypeAlias = tuple[Sequence[Any], Any]
_OpenConversation: TypeAlias = tuple[int, Sequence[Any], "KeptParts"]


class KeptParts:
    """Cached values that were computed from the first messages of a conversation.

    Requests share this object, so copy values before changing them.
    """

    def __init__(self, settled: int = 0, parts: Mapping[Hashable, _State] | None = None) -> None:
        self.settled = settled
        self._parts = dict(parts or {})

    def find_start(self, name: Hashable, items: Sequence[Any]) -> tuple[int, Any]:
        before, state = self._parts.get(name, ((), None))
        is_known = 0 < len(before) <= len(items) and all(map(is_, before, items))
        return (len(before), state) if is_known else (0, None)

    def store_result(self, name: Hashable, items: Sequence[Any], state: Any) -> None:
        if items:
            self._parts[name] = items, state

    def map_new_items(
        self,
        name: Hashable,
        items: Sequence[Any],
        do: Callable[[Sequence[Any]], Sequence[Any]],
        settled: int | None = None,
    ) -> list[Any]:
        """Apply `do` to the new items and cache the results for the first `settled` items."""
        settled = self.settled if settled is None else settled
        start, before = self.find_start(name, items)
        results = [*(before or ()), *do(items[start:])]
        self.store_result(name, items[:settled], results[:settled])
        return results

    def copy_from_settled(self, settled: int) -> "KeptParts":
        """Return the same cache for a request that has more messages."""
        return KeptParts(settled, self._parts)


class Conversation(list[Any]):
    """The messages of a request, with cached values."""

    parts: KeptParts


def cache_of_conversation(body: Mapping[str, Any]) -> KeptParts:
    """Return the cache for a body's conversation, or an empty cache for a new conversation."""
    for conversation in body.values():
        if isinstance(conversation, Conversation):
            return conversation.parts
    return KeptParts()


class KnownConversations:
    """Remembers the latest conversations by their first messages."""

    def __init__(self, most: int = MAX_CONVERSATIONS, most_bytes: int = MAX_BYTES) -> None:
        self.most = most
        self.most_bytes = most_bytes
        self._lock = Lock()
        self._open = Latest[str, _OpenConversation](
            most, most_bytes, lambda conversation: conversation[0]
        )
        """By digests of first messages: their size, the messages, and the work on them."""

    def with_known_messages(self, body: dict[str, Any], key: str) -> dict[str, Any]:
        """Replace the messages of a body, its member `key`, with equal objects of earlier ones."""
        messages = body.get(key)
        if not isinstance(messages, list) or len(messages) < _LEAST or not self.most:
            return body
        try:
            return {**body, key: self._find_conversation(messages)}
        except ValueError:  # nested too deep to pack
            return body

    def _find_conversation(self, messages: list[Any]) -> Conversation:
        # `marshal` is four times as fast as JSON, and its bytes differ if the JSON differs, for
        # example for `1` and `1.0`. Version 0 writes the same bytes for the same values.
        packed = [marshal.dumps(message, 0) for message in messages]
        digests = [*iterate_digests_of_beginnings(packed)]
        with self._lock:
            candidates = (
                at for at in range(len(messages), 0, -1) if self._open.get(digests[at - 1])
            )
            count = next(candidates, 0)
            longest = digests[count - 1]
            _, settled_messages, parts = self._open.get(longest, (0, (), KeptParts()))
            conversation = Conversation([*settled_messages, *messages[len(settled_messages) :]])
            settled = max(len(messages) - _LAST, len(settled_messages))
            conversation.parts = parts.copy_from_settled(settled)
            size = sum(map(len, packed[:settled]))
            if size <= self.most_bytes:
                self._open.remove(longest)
                self._open.store(
                    digests[settled - 1], (size, conversation[:settled], conversation.parts)
                )
        return conversation
