"""How much work a text may be: each character is paid for as often as it is read."""

_A_CHARACTER = 60
_AT_LEAST = 1_000_000


class Spent(Exception):  # noqa: N818 - no error: the search ends, and says so
    """There is no effort left."""


class Effort:
    """What reading a text may still cost, in characters."""

    def __init__(self, size: int) -> None:
        self.left = _AT_LEAST + _A_CHARACTER * size

    def spend(self, characters: int) -> None:
        """Pay for reading so many. Raises `Spent` if there is not so much left."""
        self.left -= characters
        if self.left < 0:
            raise Spent
