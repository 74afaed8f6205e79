"""Conversations that go on: what was made of their beginning is kept, so a turn costs what is new.

A request has its whole conversation, most of which was in the one before. Messages that are the
same JSON are given as the same objects; so what was made of them is found again by identity.
"""

import marshal
from collections.abc import Callable, Hashable, Mapping, Sequence
from operator import is_
from threading import Lock
from typing import Any, TypeAlias

from lton.chat.beginnings import Latest

MAX_CONVERSATIONS = 64
MAX_BYTES = 16 * 1024 * 1024
"""Bytes of the messages that are kept; what is made of them takes several times as many."""
_LEAST = 16
"""Messages of a conversation that is worth it."""
_LAST = 4
"""Messages at the end that may change: agents move marks of a cache, and ask again."""
_KEYS = ("messages", "input")
_HEAD = 5
"""Bytes that say that a list follows, and how long."""
_State: TypeAlias = tuple[Sequence[Any], Any]
_Begun: TypeAlias = tuple[int, Sequence[Any], "KeptParts"]


class KeptParts:
    """What was made of the first messages of a conversation: `settled` are as many as stay.

    What is kept is shared by requests: who changes it changes a copy.

    >>> made, items = KeptParts(2), ["a", "b", "c"]
    >>> made.mapped("large", items, lambda texts: [text.upper() for text in texts])
    ['A', 'B', 'C']
    >>> made.begun("large", items)
    (2, ['A', 'B'])
    """

    def __init__(self, settled: int = 0, parts: Mapping[Hashable, _State] | None = None) -> None:
        self.settled = settled
        self._parts = dict(parts or {})

    def begun(self, name: Hashable, items: Sequence[Any]) -> tuple[int, Any]:
        """Get how many items were done before, and what was made of them; 0 if none was."""
        before, state = self._parts.get(name, ((), None))
        is_known = 0 < len(before) <= len(items) and all(map(is_, before, items))
        return (len(before), state) if is_known else (0, None)

    def keep(self, name: Hashable, items: Sequence[Any], state: Any) -> None:
        """Keep what was made of the first items."""
        if items:
            self._parts[name] = items, state

    def mapped(
        self,
        name: Hashable,
        items: Sequence[Any],
        do: Callable[[Sequence[Any]], Sequence[Any]],
        settled: int | None = None,
    ) -> list[Any]:
        """Get what `do` makes of items, one of each and each by itself; so many of them stay."""
        settled = self.settled if settled is None else settled
        done, before = self.begun(name, items)
        made = [*(before or ()), *do(items[done:])]
        self.keep(name, items[:settled], made[:settled])
        return made

    def after(self, settled: int) -> "KeptParts":
        """Get the same for a request that has more messages."""
        return KeptParts(settled, self._parts)


class Conversation(list[Any]):
    """The messages of a request, and what was made of their beginning."""

    made: KeptParts


def kept_parts(body: Mapping[str, Any]) -> KeptParts:
    """Get what was made of the conversation of a body; nothing of one that is not known."""
    found = next((each for key in _KEYS if isinstance(each := body.get(key), Conversation)), None)
    return found.made if found is not None else KeptParts()


class KnownConversations:
    """The conversations that go on; those that were asked longest ago make room.

    >>> said = [{"role": "user", "content": str(n)} for n in range(20)]
    >>> known = KnownConversations()
    >>> first = known.known({"messages": said})["messages"]
    >>> later = known.known({"messages": [dict(each) for each in said]})["messages"]
    >>> later[0] is first[0], later == said
    (True, True)
    """

    def __init__(self, most: int = MAX_CONVERSATIONS, most_bytes: int = MAX_BYTES) -> None:
        self.most, self.most_bytes = most, most_bytes
        self._lock = Lock()
        self._open = Latest[bytes, _Begun](most, most_bytes, lambda begun: begun[0])
        """By the first messages, packed: their size, the messages, and what was made of them."""

    def known(self, body: dict[str, Any]) -> dict[str, Any]:
        """Get a body whose messages are the objects of the request before, if it had them."""
        for key in _KEYS:
            given = body.get(key)
            if isinstance(given, list) and len(given) >= _LEAST and self.most:
                try:
                    return {**body, key: self._known(given)}
                except ValueError:  # nested deeper than bytes can be made of
                    return body
        return body

    def _known(self, given: list[Any]) -> Conversation:
        text = _packed(given)
        settled = len(given) - _LAST
        beginning = text[: len(text) - len(_packed(given[settled:]))]
        with self._lock:
            begun = (key for key, _ in self._open.items() if text.startswith(key))
            longest = max(begun, key=len, default=b"")
            _, known, made = self._open.get(longest, (0, (), KeptParts()))
            found = Conversation([*known, *given[len(known) :]])
            settled = max(settled, len(known))
            found.made = made.after(settled)
            if len(beginning) <= self.most_bytes:
                self._open.drop(longest)
                beginning = max(beginning, longest, key=len)
                self._open.put(beginning, (len(beginning), found[:settled], found.made))
        return found


def _packed(messages: Sequence[Any]) -> bytes:
    """Get messages as bytes that tell apart what JSON does, `1` and `1.0`, also in their order.

    Each value says where it ends: what begins with the bytes of some begins with these messages.
    `marshal` is four times as fast as JSON; these bytes are only compared, and never read.
    """
    return marshal.dumps([*messages], 0)[_HEAD:]  # 0: the same bytes for the same values
