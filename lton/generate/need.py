"""Read from a model's state whether the user's last message needs a tool.

Before its first token, a model has worked out what it is going to do, and a line through its states
separates the messages that need a tool from all others: thanks, refusals, questions about earlier
results, and near misses. No text has to be read for it. ("When2Tool", arXiv 2605.09252, finds the
same for six models of 1.7 billion parameters and more.) The line is measured for each model,
because every model has states of its own: see `lton.probe.calibration`.

What the model would rather say is not enough: Qwen2.5-Coder 1.5B separates 162 reported messages
with an area under the curve of 0.85 by its first token, and of 0.94 by its state.
"""

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from math import exp
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from lton._json import minified
from lton.engines.engine import StateReader
from lton.schema.toolset import ToolSet
from lton.schema.types import Effect, Tool

_STEEPEST = 500.0
"""Beyond this logarithm of odds, a probability is 0 or 1 anyway, and `exp` would overflow."""
_Line = TypeVar("_Line")
_UNREADABLE = (OSError, ValueError, TypeError, KeyError, AttributeError)
EVEN_ODDS = 0.5
"""The probability from which a measured model's message counts as one that needs a tool."""
FirstTokens: TypeAlias = Mapping[str, float]
"""The texts of the likeliest first tokens of an answer, with the logarithms of probabilities."""
CAUTION: Mapping[Effect, float] = {
    Effect.UNSTATED: 1.0,
    Effect.READS: 1.0,
    Effect.CHANGES: 2.0,
    Effect.DESTROYS: 4.0,
}
"""How many times larger the odds for a call have to be, by the effect that its tool states."""


@dataclass(frozen=True, slots=True)
class NeedLine:
    """The line through a model's states, with the number of messages that it was fitted to.

    With `constant`, a probability of 0.5 is the point at which as many messages lead to calls as
    the goal of the calibration allows.
    """

    weights: tuple[float, ...]
    constant: float
    messages: int

    def probability_of_call(self, state: Sequence[float]) -> float:
        """Return the probability that a tool is needed.

        >>> NeedLine(weights=(1.0, -1.0), constant=0.0, messages=2).probability_of_call([3.0, 3.0])
        0.5
        """
        return _to_probability(_sum_evidence(self.constant, self.weights, state))


@dataclass(frozen=True, slots=True)
class FirstTokenLine:
    """The line through the logarithms of the probabilities of an answer's first token.

    A server shows no states, but the probabilities of the likeliest first tokens, and the logarithm
    of each is the product of the state and a vector of the token. So this line is a part of a line
    through the states. `weights` are by the text of the token. A token that is not among the
    likeliest counts like the least likely of them.
    """

    weights: Mapping[str, float]
    constant: float
    messages: int

    def probability_of_call(self, likeliest: FirstTokens) -> float:
        """Return the probability that a tool is needed.

        >>> line = FirstTokenLine(weights={"{": 2.0, "Hi": -2.0}, constant=0.0, messages=2)
        >>> line.probability_of_call({"{": -3.0, "I": -3.0})
        0.5
        """
        return _to_probability(self.log_odds_of_call(likeliest))

    def log_odds_of_call(self, likeliest: FirstTokens) -> float:
        """Return the logarithm of the odds that a tool is needed."""
        coordinates = self.coordinates_of_tokens(likeliest)
        return _sum_evidence(self.constant, self.weights.values(), coordinates)

    def coordinates_of_tokens(self, likeliest: FirstTokens) -> list[float]:
        """Return the logarithm of the probability of each token that has a weight."""
        return first_token_coordinates([*self.weights], likeliest)


def _sum_evidence(constant: float, weights: Iterable[float], coordinates: Iterable[float]) -> float:
    """Return the logarithm of the odds at a point, by a line."""
    total = constant
    for weight, number in zip(weights, coordinates, strict=True):
        total += weight * number
    return total


def first_token_coordinates(tokens: Sequence[str], likeliest: FirstTokens) -> list[float]:
    """Return the logarithm of each token's probability. An unlisted token counts as the last."""
    least = min(likeliest.values(), default=0.0)
    return [likeliest.get(token, least) for token in tokens]


def caution_about_tools(called: Iterable[Tool], tools: ToolSet) -> float:
    """Return how many times larger than usual the odds for calls of some tools have to be.

    This is the largest of their factors in `CAUTION`. If any tool of the set states its effect, a
    tool that states none may change something.

    >>> tools = ToolSet.from_tools(
    ...     [{"name": "read", "annotations": {"readOnlyHint": True}}, {"name": "send"}])
    >>> caution_about_tools([tools.by_name["send"]], tools)
    2.0
    """
    is_stated = any(tool.effect is not Effect.UNSTATED for tool in tools)
    factors = [1.0]
    for tool in called:
        is_silent = is_stated and tool.effect is Effect.UNSTATED
        factors.append(CAUTION[Effect.CHANGES if is_silent else tool.effect])
    return max(factors)


def least_probability_for_calls(least: float, called: Iterable[Tool], tools: ToolSet) -> float:
    """Return the least probability of a need for calls of some tools.

    >>> tools = ToolSet.from_tools([{"name": "wipe", "annotations": {"destructiveHint": True}}])
    >>> least_probability_for_calls(0.5, tools, tools)
    0.8
    """
    factor = caution_about_tools(called, tools)
    return factor * least / (1.0 - least + factor * least)


def find_line(engine: Any) -> NeedLine | None:
    """Return the line that was measured for an engine's model, or None.

    A line that the user has measured replaces the shipped one.
    """
    if not isinstance(engine, StateReader):
        return None
    identity = engine.identity
    return _read_user_lines(_parse_need_lines).get(identity) or _shipped_lines().get(identity)


def find_first_token_line(identity: str) -> FirstTokenLine | None:
    """Return the line that was measured for the model of a server, or None."""
    return _read_user_lines(_parse_first_token_lines).get(identity) or _shipped_first_lines().get(
        identity
    )


def server_identity(models: Mapping[str, Any]) -> str:
    """Return a string that is the same for the same weights, from a server's list of models.

    It is empty if the list has not exactly one model, or does not describe it. llama.cpp's server
    reports the number of parameters and the size in bytes.

    >>> server_identity({"data": [{"id": "a.gguf", "meta": {"n_params": 7, "size": 9}}]})
    'server/7/9'
    """
    match models.get("data"):
        case [{"meta": {"n_params": int(parameters), "size": int(size)}}]:
            return f"server/{parameters}/{size}"
        case [{"owned_by": "vllm" | "sglang" as owner, "id": str(name)}]:
            return f"{owner}/{name}"
    return ""


def user_file() -> Path:
    """Return the path of the lines that the user has measured."""
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(home) / "lton" / "need-lines.json"


def store_line_of_model(identity: str, line: NeedLine | FirstTokenLine) -> Path:
    """Store a line for a model, and return the path of the file."""
    path = user_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    stored = {
        **_read_user_lines(_parse_need_lines),
        **_read_user_lines(_parse_first_token_lines),
        identity: line,
    }
    lines = {name: asdict(one) for name, one in stored.items()}
    path.write_text(minified(lines), "utf-8")
    return path


def _to_probability(log_odds: float) -> float:
    return 1.0 / (1.0 + exp(-max(-_STEEPEST, min(_STEEPEST, log_odds))))


@cache
def _shipped_lines() -> Mapping[str, NeedLine]:
    return _parse_need_lines(_read_shipped_text())


@cache
def _shipped_first_lines() -> Mapping[str, FirstTokenLine]:
    return _parse_first_token_lines(_read_shipped_text())


def _read_shipped_text() -> str:
    return files("lton.generate").joinpath("need_lines.json").read_text("utf-8")


def _read_user_lines(parse: Callable[[str], Mapping[str, _Line]]) -> Mapping[str, _Line]:
    """Return the lines that the user has measured, of the kind that `parse` reads."""
    try:
        return parse(user_file().read_text("utf-8"))
    except _UNREADABLE:
        return {}  # none was measured, or another program wrote the file


def _parse_need_lines(text: str) -> Mapping[str, NeedLine]:
    return {
        identity: NeedLine(
            weights=tuple(map(float, line["weights"])),
            constant=float(line["constant"]),
            messages=int(line["messages"]),
        )
        for identity, line in json.loads(text).items()
        if isinstance(line["weights"], list)
    }


def _parse_first_token_lines(text: str) -> Mapping[str, FirstTokenLine]:
    """Return the lines whose weights belong to tokens."""
    return {
        identity: FirstTokenLine(
            weights={str(token): float(weight) for token, weight in line["weights"].items()},
            constant=float(line["constant"]),
            messages=int(line["messages"]),
        )
        for identity, line in json.loads(text).items()
        if isinstance(line["weights"], dict)
    }
