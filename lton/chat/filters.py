"""State the interface of filters, which take a stream in pieces and pass on what is certain."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Protocol, TypeVar

_Piece_contra = TypeVar("_Piece_contra", contravariant=True)
_Result_co = TypeVar("_Result_co", covariant=True)
_T = TypeVar("_T")


class Filter(Protocol[_Piece_contra, _Result_co]):
    """Takes the pieces of a stream in order: chunks of text, events or deltas.

    A filter passes on each piece as soon as later pieces cannot change it, and holds back all
    others. The joined results do not depend on how a text is cut into pieces. All classes that hold
    pieces back have these two methods.
    """

    def feed(self, piece: _Piece_contra, /) -> Iterable[_Result_co]:
        """Add a piece and return what is certain now. This may include earlier pieces."""

    def flush(self) -> Iterable[_Result_co]:
        """Return what is held back, because nothing follows that could change it.

        A second call returns nothing. If more pieces are fed, they begin anew.
        """


def feed_through(pieces: Iterable[_T], *filters: Filter[_T, _T]) -> Iterator[_T]:
    """Yield the pieces that pass all filters. Each piece goes through all before the next one.

    >>> from lton.chat.stops import StopTexts
    >>> "".join(feed_through(["Wait", " here, STO", "P now"], StopTexts(("STOP",))))
    'Wait here, '
    """
    for one_filter in filters:
        pieces = chain.from_iterable(map(one_filter.feed, pieces))
    return iter(pieces)
