"""Identify conversations by a digest of their first messages and cache the most recent ones."""

from collections.abc import Callable, Hashable, Iterable, Iterator
from hashlib import blake2b
from typing import Generic, TypeVar

_K = TypeVar("_K", bound=Hashable)
_V = TypeVar("_V")


class Latest(Generic[_K, _V]):
    """A table of limited size that drops the least recently used entries.

    `most` limits the number of entries, and `most_size` the sum of their sizes.
    """

    def __init__(
        self, most: int, most_size: float = float("inf"), size: Callable[[_V], int] = lambda _: 0
    ) -> None:
        self.most = most
        self.most_size = most_size
        self._size_of = size
        self._values: dict[_K, _V] = {}
        self._size = 0
        self.get = self._values.get
        self.items = self._values.items

    def __len__(self) -> int:
        return len(self._values)

    def store(self, key: _K, value: _V) -> None:
        self.remove(key)
        self._values[key] = value
        self._size += self._size_of(value)
        while len(self._values) > self.most or self._size > self.most_size:
            self.remove(next(iter(self._values)))

    def get_or_make(self, key: _K, make: Callable[[], _V]) -> _V:
        """Return the value of a key. If the key is missing, create the value with `make` first."""
        value = self._values[key] if key in self._values else make()
        self.store(key, value)
        return value

    def remove(self, key: _K) -> None:
        if key in self._values:
            self._size -= self._size_of(self._values.pop(key))


def iterate_digests_of_beginnings(texts: Iterable[str | bytes]) -> Iterator[str]:
    """Yield a digest of the first string, of the first two strings, and so on."""
    digest = blake2b(digest_size=16)
    for text in texts:
        data = text if isinstance(text, bytes) else text.encode(errors="surrogatepass")
        digest.update(b"%d " % len(data))
        digest.update(data)
        yield digest.hexdigest()
