"""The state of an answer that is passed on: how far it has come, and why it is held back.

An answer is open until the server ends it (`OVER`). In chat, the usage and a last mark follow the
end; after these, or after the end in another API, nothing else follows (`LAST`). If the last mark
comes without an end, the answer is broken off (`BROKEN_OFF`). The gateway itself ends an answer
that repeats itself (`CUT`), and ignores its rest.
"""

from enum import Enum, Flag, auto


class AnswerState(Enum):
    """How far an answer has come."""

    OPEN = auto()
    OVER = auto()
    LAST = auto()
    BROKEN_OFF = auto()
    CUT = auto()

    @property
    def is_over(self) -> bool:
        """Whether the server, or the gateway, has ended the answer."""
        return self in (AnswerState.OVER, AnswerState.LAST, AnswerState.CUT)

    @property
    def is_last(self) -> bool:
        """Whether no event follows that a client needs."""
        return self in (AnswerState.LAST, AnswerState.BROKEN_OFF, AnswerState.CUT)


class AnswerStep(Enum):
    """What happens to an answer."""

    END = auto()
    """The server ends the answer."""
    CLOSE = auto()
    """No other event follows."""
    CUT = auto()
    """The gateway ends the answer."""


TRANSITIONS = {
    (AnswerState.OPEN, AnswerStep.END): AnswerState.OVER,
    (AnswerState.OPEN, AnswerStep.CLOSE): AnswerState.BROKEN_OFF,
    (AnswerState.OPEN, AnswerStep.CUT): AnswerState.CUT,
    (AnswerState.OVER, AnswerStep.CLOSE): AnswerState.LAST,
    (AnswerState.BROKEN_OFF, AnswerStep.END): AnswerState.LAST,
    (AnswerState.BROKEN_OFF, AnswerStep.CUT): AnswerState.CUT,
}
"""The steps that change the state of an answer; other steps change nothing."""


class Hold(Flag):
    """Why an answer is held back: the model may have to be asked again."""

    EMPTY = auto()
    """The answer says nothing yet: the server may have dropped a call."""
    WRONG_CALL = auto()
    """A call in the answer may be wrong."""
