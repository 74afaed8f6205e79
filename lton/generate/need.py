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
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from math import exp
from pathlib import Path
from typing import Any

from lton._json import minified
from lton.engines.engine import StateReader

_STEEPEST = 500.0
"""Beyond this logarithm of odds, a probability is 0 or 1 anyway, and `exp` would overflow."""


@dataclass(frozen=True, slots=True)
class NeedLine:
    """The line through a model's states, with the number of messages that it was fitted to.

    `constant` is chosen so that at the probability 0.5, as many tools are called as the goal of the
    calibration allows.
    """

    weights: tuple[float, ...]
    constant: float
    messages: int

    def probability(self, state: Sequence[float]) -> float:
        """Return the probability that a tool is needed.

        >>> NeedLine(weights=(1.0, -1.0), constant=0.0, messages=2).probability([3.0, 3.0])
        0.5
        """
        total = self.constant
        for weight, number in zip(self.weights, state, strict=True):
            total += weight * number
        return 1.0 / (1.0 + exp(-max(-_STEEPEST, min(_STEEPEST, total))))


def find_line(engine: Any) -> NeedLine | None:
    """Return the line that was measured for an engine's model, or None.

    A line that the user has measured replaces the shipped one.
    """
    if not isinstance(engine, StateReader):
        return None
    identity = engine.identity
    return _read_lines(user_file()).get(identity) or _shipped_lines().get(identity)


def user_file() -> Path:
    """Return the path of the lines that the user has measured."""
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(home) / "lton" / "need-lines.json"


def store_line(identity: str, line: NeedLine) -> Path:
    """Store a line for a model, and return the path of the file."""
    path = user_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = {name: asdict(one) for name, one in _read_lines(path).items()}
    lines[identity] = asdict(line)
    path.write_text(minified(lines), "utf-8")
    return path


@cache
def _shipped_lines() -> Mapping[str, NeedLine]:
    return _parse(files("lton.generate").joinpath("need_lines.json").read_text("utf-8"))


def _read_lines(path: Path) -> Mapping[str, NeedLine]:
    try:
        return _parse(path.read_text("utf-8"))
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}  # none was measured, or another program wrote the file


def _parse(text: str) -> Mapping[str, NeedLine]:
    return {
        identity: NeedLine(
            weights=tuple(map(float, line["weights"])),
            constant=float(line["constant"]),
            messages=int(line["messages"]),
        )
        for identity, line in json.loads(text).items()
    }
