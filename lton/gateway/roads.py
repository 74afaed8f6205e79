"""Choose the road of a request: who reads it, and in which format the model makes its calls.

`CASES` is the whole decision. A case names the facts that it needs, and the first case that fits
decides. The endpoints (`call_mode`, `serving`) collect the facts, and build the exchange of the
road.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Literal, TypeAlias

RoadMode: TypeAlias = Literal["off", "native", "guided", "lton"]
"""The format of calls that the client's header, the options or probing have chosen."""


class Road(Enum):
    """What happens to a request."""

    FORWARD = auto()  # the server gets its bytes, and the client the bytes of the answer
    COUNTED = auto()  # the same, and the tokens of the request in LTON are counted
    GUIDED = auto()  # the model writes only the values of its calls
    NATIVE = auto()  # native calls, in one API
    TRANSLATED = auto()  # native calls, between two APIs
    LTON = auto()  # calls in LTON
    FITTED = auto()  # an answer in words, to a conversation that is perhaps shortened
    TEXT = auto()  # an answer in words, in the API of the client


@dataclass(frozen=True, kw_only=True)
class RoadFacts:
    """The facts about a request and its server that decide on the road."""

    mode: RoadMode
    has_tools: bool
    has_api: bool = False  # whether the server has the API of the client
    only_counts: bool = False  # whether the gateway only counts tokens (`dry-run`)
    may_be_fitted: bool = False  # whether the gateway may shorten the conversation (`--context`)
    has_own_text: bool = False  # whether the server answers this client's requests without tools
    may_be_guided: bool = False  # whether evidence speaks for guided calls (`road_evidence`)


CASES: tuple[tuple[Mapping[str, Any], Road], ...] = (
    ({"mode": "off"}, Road.FORWARD),
    ({"mode": "guided", "has_tools": True}, Road.GUIDED),
    ({"mode": "guided", "has_api": True}, Road.NATIVE),
    ({"mode": "guided"}, Road.TRANSLATED),
    ({"mode": "native", "has_tools": True, "may_be_guided": True}, Road.GUIDED),
    ({"mode": "native", "has_api": True}, Road.NATIVE),
    ({"mode": "native"}, Road.TRANSLATED),
    ({"only_counts": True, "has_tools": True}, Road.COUNTED),
    ({"only_counts": True}, Road.FORWARD),
    ({"has_tools": True}, Road.LTON),
    ({"may_be_fitted": True}, Road.FITTED),
    ({"has_own_text": True}, Road.FORWARD),
    ({}, Road.TEXT),
)
"""The cases, of which the first that fits decides. From the eighth on, calls are in LTON."""


def choose_road(facts: RoadFacts) -> Road:
    """Return the road of a request."""
    return next(road for case, road in CASES if _is_case_met(case, facts))


def _is_case_met(case: Mapping[str, Any], facts: RoadFacts) -> bool:
    return all(getattr(facts, name) == value for name, value in case.items())
