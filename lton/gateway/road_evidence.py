"""Choose by evidence how a model's calls are made, if the user has not chosen (`--calls auto`).

A model on a server begins natively. The first call that it makes in a conversation shows whether
the server delivers calls, or returns them as text. Then the calls stay native, are read from the
text, or are guided. They are guided only if the server has probabilities of tokens, and if guided
calls of this model were measured to be better (`MEASURED`). An answer that has begun stays as it
is.

Later calls of a conversation are no evidence, because a model imitates the calls before, which the
server's template writes in the syntax that its parser reads.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from math import comb

MOST_MODELS = 100
"""The models of a server that are told apart. Their names come from clients."""
_SHOWN_NAME = 80  # characters


class CallsState(Enum):
    """How the calls of a model on a server are made."""

    UNSEEN = auto()
    """Natively, and no call has shown yet whether the server delivers calls."""
    NATIVE = auto()
    """Natively, because the server delivers them."""
    RESCUED = auto()
    """Natively, but the server returns them as text, from which the gateway reads them."""
    GUIDED = auto()
    """With guided generation in answers to a first message, and otherwise as in `RESCUED`."""


WRITING_CALLS = (CallsState.RESCUED, CallsState.GUIDED)
"""The states of a model whose calls the server returns as text."""


class CallEvidence(Enum):
    """What an answer shows about a model on a server."""

    DELIVERED = auto()  # the server delivered a call
    IN_TEXT = auto()  # the server returned a call as text
    BETTER_GUIDED = auto()  # the same, and guided calls are better for this model
    FAILED = auto()  # a guided answer failed


TRANSITIONS: Mapping[tuple[CallsState, CallEvidence], CallsState] = {
    (CallsState.UNSEEN, CallEvidence.DELIVERED): CallsState.NATIVE,
    (CallsState.UNSEEN, CallEvidence.IN_TEXT): CallsState.RESCUED,
    (CallsState.UNSEEN, CallEvidence.BETTER_GUIDED): CallsState.GUIDED,
    (CallsState.RESCUED, CallEvidence.DELIVERED): CallsState.NATIVE,
    (CallsState.GUIDED, CallEvidence.DELIVERED): CallsState.NATIVE,
    (CallsState.GUIDED, CallEvidence.FAILED): CallsState.RESCUED,
}
"""The evidence that changes a state. All other evidence changes nothing."""


@dataclass(frozen=True, kw_only=True)
class MeasuredCalls:
    """How well a model called tools in one way: numbers of cases of BFCL."""

    right: int
    needed_count: int  # the cases that need one call
    declined: int
    unneeded_count: int  # the cases without a fitting tool

    def __str__(self) -> str:
        right = f"{self.right} of {self.needed_count} calls right"
        return f"{right}, {self.declined} of {self.unneeded_count} unneeded ones declined"


@dataclass(frozen=True, kw_only=True)
class MeasuredModel:
    """How well the calls of a model arrive if a server returns them as text."""

    name: str
    rescued: MeasuredCalls
    guided: MeasuredCalls
    gained: int  # the cases that only guided calls got right
    lost: int  # the cases that only calls read from text got right
    heeds_first_token: bool = False  # whether guided calls were measured so (`lton.generate`)

    @property
    def is_better_guided(self) -> bool:
        """Whether more cases were gained than lost, and chance rarely does as much (sign test)."""
        differing = self.gained + self.lost
        as_good = sum(comb(differing, count) for count in range(self.gained, differing + 1))
        return as_good < MOST_CHANCE * float(2**differing)


MOST_CHANCE = 0.05
"""The probability with which chance alone may make guided calls look better."""
MEASURED: Mapping[str, MeasuredModel] = {
    "server/630167424/485452288": MeasuredModel(
        name="Qwen2.5-Coder 0.5B",
        rescued=MeasuredCalls(right=74, needed_count=120, declined=20, unneeded_count=40),
        guided=MeasuredCalls(right=70, needed_count=120, declined=28, unneeded_count=40),
        gained=22,
        lost=17,
    ),
    "server/1777088000/1111370240": MeasuredModel(
        name="Qwen2.5-Coder 1.5B",
        rescued=MeasuredCalls(right=98, needed_count=120, declined=12, unneeded_count=37),
        guided=MeasuredCalls(right=90, needed_count=120, declined=35, unneeded_count=40),
        gained=27,
        lost=15,
        heeds_first_token=True,
    ),
}
"""The measured models of llama.cpp's server, by the identity of their weights.

The figures are those of `docs/results/servers.md`, of single questions that need one call or none.
In conversations, guided calls over a server were not measured to be better
(`docs/results/declining.md`).
"""


@dataclass(frozen=True, kw_only=True)
class ModelOnServer:
    """A model, as a request names it, and what is known of its server."""

    name: str
    identity: str = ""  # of its weights (`lton.generate.need.server_identity`)
    has_probabilities: bool = False  # whether the server has those that guided calls need

    @property
    def key(self) -> str:
        return self.identity or self.name

    @property
    def measured(self) -> MeasuredModel | None:
        return MEASURED.get(self.identity)

    @property
    def is_better_guided(self) -> bool:
        """Whether calls are guided if the server returns them as text."""
        measured = self.measured
        if measured is None or not self.has_probabilities:
            return False
        return measured.is_better_guided


class RoadEvidence:
    """The state of each model on a server. `say` gets a line when it changes a model's road."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self.say = say
        self._states: dict[str, CallsState] = {}

    def state_of(self, model: ModelOnServer) -> CallsState:
        return self._states.get(model.key, CallsState.UNSEEN)

    def note_call(self, model: ModelOnServer, *, is_text: bool) -> None:
        """Take a call as evidence, which the server has returned as text, or delivered."""
        evidence = CallEvidence.DELIVERED
        if is_text:
            evidence = (
                CallEvidence.BETTER_GUIDED if model.is_better_guided else CallEvidence.IN_TEXT
            )
        self._set_evidence(model, evidence, _reason_for_evidence(model, evidence))

    def note_failure(self, model: ModelOnServer, error: str) -> None:
        """Take a failed guided answer as evidence."""
        self._set_evidence(
            model, CallEvidence.FAILED, f"a guided answer failed ({error[:_SHOWN_NAME]})"
        )

    def _set_evidence(self, model: ModelOnServer, evidence: CallEvidence, why: str) -> None:
        before = self.state_of(model)
        after = TRANSITIONS.get((before, evidence), before)
        if after is before or (model.key not in self._states and len(self._states) >= MOST_MODELS):
            return
        self._states[model.key] = after
        if (before, after) != (CallsState.UNSEEN, CallsState.NATIVE):  # the road stays the same
            self.say(f"calls of {_printable_name(model)}: {_ROADS[after]}, because {why}")


_ROADS = {
    CallsState.NATIVE: "native from now on",
    CallsState.RESCUED: "read from the text of answers",
    CallsState.GUIDED: "guided from now on in answers to a first message",
}


def _reason_for_evidence(model: ModelOnServer, evidence: CallEvidence) -> str:
    if evidence is CallEvidence.DELIVERED:
        return "the server delivers them"
    reason = "the server returns them as text"
    measured = model.measured
    if measured is None:
        return f"{reason}, and guided calls of this model on such a server were not measured"
    figures = f"{measured.guided}; if read from text, {measured.rescued}"
    if evidence is CallEvidence.IN_TEXT:
        return f"{reason}, and guided calls are impossible or not clearly better ({figures})"
    return f"{reason}, and guided calls were measured to be better ({figures})"


def _printable_name(model: ModelOnServer) -> str:
    name = model.measured.name if model.measured else model.name
    return repr(name[:_SHOWN_NAME])
