"""The conditions of the study: the form of answers, and the definitions in the prompt."""

from dataclasses import dataclass

__all__ = ["BASELINES", "CONDITIONS", "CORE", "EXTRAS", "Condition"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A condition, with either a `form` (direct) or a `scaffold` (guided)."""

    name: str
    form: str = ""
    scaffold: str = ""
    weigh: bool = True
    cue: str = ""
    shots: int = 2
    definitions: str = "signatures"
    """One of "signatures", "described" (with descriptions) and "schema" (minified JSON Schema)."""


CONDITIONS = (
    Condition(name="JSON minified", form="json"),
    Condition(name="JSON spaced", form="json-spaced"),
    Condition(name="Python call", form="python"),
    Condition(name="LTON wire", form="wire"),
    Condition(name="LTON keyed", form="keyed"),
    Condition(name="LTON punctuated", form="punctuated"),
    Condition(name="guided, JSON", scaffold="json", weigh=False),
    Condition(name="guided, call", scaffold="call"),
    Condition(name="guided, Python", scaffold="python"),
)
BASELINES = ("JSON minified", "JSON spaced", "guided, JSON")
"""The baselines: direct JSON, minified and with spaces, and guided JSON."""

CORE = (*BASELINES, "LTON wire", "LTON punctuated", "guided, call")
"""The conditions for slow models: those of JSON, two forms of LTON, and LTON's default."""

EXTRAS = (
    Condition(name="JSON minified, 0 shots", form="json", shots=0),
    Condition(name="JSON minified, 4 shots", form="json", shots=4),
    Condition(name="JSON minified, JSON Schema", form="json", definitions="schema"),
    Condition(name="guided, call, sampled", scaffold="call", weigh=False),
    Condition(name="guided, JavaScript", scaffold="javascript"),
    Condition(name="guided, Python, 0 shots", scaffold="python", shots=0),
    Condition(name="guided, Python, 4 shots", scaffold="python", shots=4),
    Condition(name="guided, Python, JSON Schema", scaffold="python", definitions="schema"),
    Condition(name="guided, Python, described", scaffold="python", definitions="described"),
    Condition(name="guided, Python, types as cues", scaffold="python", cue="type"),
    Condition(name="guided, Python, a line each", scaffold="python-lines"),
    Condition(name="guided, lines", scaffold="lines"),
    Condition(name="guided, LTON keyed", scaffold="keyed"),
    Condition(name="guided, LTON tagged", scaffold="tagged"),
)
"""The conditions that are only asked for a part of the simple cases."""
