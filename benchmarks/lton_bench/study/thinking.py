"""The conditions in which a model thinks before a call: the marks and the length of thoughts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from lton import Call
from lton._syntax import THINK, Marks
from lton.generate.spelling import spell
from lton_bench import bfcl
from lton_bench.study.conditions import Condition
from lton_bench.study.tasks import Case

__all__ = ["CONDITIONS", "SHORT", "STYLES", "TRIED", "Thinking", "by_rule"]

SHORT: Marks = ("(*", "*)")
"""Marks that are one token each in the vocabularies of both models; those of `THINK` are three."""

_BY_HAND = {
    "simple_python_197": "The air quality is asked for. The place is San Diego, the time 12pm.",
    "multiple_18": "This is about a battle, not about a war or a leader: the Battle of Stalingrad.",
    "parallel_39": "Two museums: the National Museum in Washington D.C. and the Louvre in Paris."
    " For each the opening hours, and tickets for adults and children.",
    "irrelevance_105": "Flowers have nothing to do with an elevation. No tool fits.",
}
"""The thoughts of the examples, written without looking at other cases."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thinking(Condition):
    """A condition in which the model first thinks, if it has marks, up to `most` tokens.

    `style` is the style of the examples' thoughts. The condition is compared with the condition
    `beside`. If it `is_free`, there is no grammar, also not for the call.
    """

    marks: Marks | None = None
    most: int = 0
    style: str = ""
    beside: str = ""
    is_free: bool = False


def by_rule(calls: Sequence[Call]) -> str:
    """Return a sentence that lists the arguments.

    >>> by_rule([Call("f", {"place": "Rome", "days": 3})])
    '"Rome" is the place, 3 is the days.'
    """
    said = dict.fromkeys(
        f"{spell(value)} is the {key}" for call in calls for key, value in call.arguments.items()
    )
    return f"{', '.join(said)}." if said else "No tool fits."


STYLES: Mapping[str, Callable[[Case], str]] = {
    "": lambda _: "",
    "rule": lambda case: by_rule([Call(*call) for call in bfcl.gold(case)]),
    "hand": lambda case: _BY_HAND[case.id],
}
"""The thoughts of an example: nothing, its arguments, or sentences."""


def _thinks(
    base: Thinking, marks: Marks, most: int, *, style: str = "rule", name: str = ""
) -> Thinking:
    name = name or f"{base.name}, {marks[0]} {most}"
    return replace(base, name=name, marks=marks, most=most, style=style, beside=base.name)


_GUIDED = Thinking(name="guided", scaffold="python")
_JSON = Thinking(name="JSON minified", form="json")
_KEYED = Thinking(name="LTON keyed", form="keyed")
_JSON_THINKS = _thinks(_JSON, THINK, 32)
TRIED: tuple[Thinking, ...] = (
    _GUIDED,
    _thinks(_GUIDED, THINK, 32, style="", name="guided, examples without thoughts"),
    _thinks(_GUIDED, THINK, 32, style="rule", name="guided, thoughts by rule"),
    _thinks(_GUIDED, THINK, 32, style="hand", name="guided, thoughts by hand"),
)
"""The conditions for development cases.

SmolLM2 had 6 of 15 cases right with thoughts by rule and by hand, and 3 without a thought in the
examples. Thoughts by rule have 24 tokens, and thoughts by hand 29."""
CONDITIONS: tuple[Thinking, ...] = (
    _GUIDED,
    _thinks(_GUIDED, THINK, 32),
    _thinks(_GUIDED, THINK, 96),
    _thinks(_GUIDED, SHORT, 32),
    _JSON,
    _JSON_THINKS,
    replace(
        _JSON_THINKS,
        name=f"{_JSON_THINKS.name}, no grammar",
        beside=_JSON_THINKS.name,
        is_free=True,
    ),
    _KEYED,
    _thinks(_KEYED, THINK, 32),
)
"""The conditions for reported cases."""
