"""The state of an answer that is passed on: how far it has come, and why it is held back.

An answer is open until the server ends it (`OVER`). In chat, the usage and a last mark follow the
end; after these, or after the end in another API, nothing else follows (`LAST`). If the last mark
comes without an end, the answer is broken off (`BROKEN_OFF`). The gateway itself ends an answer
that repeats itself (`CUT`), and ignores its rest.
"""

from enum import Enum, Flag, auto


class AnswerState(Enum):
    """How far an answer has come."""

    OPEN = "open", False, False
    OVER = "over", True, False
    LAST = "last", True, True
    BROKEN_OFF = "broken off", False, True
    CUT = "cut", True, True

    # Attributes, because a property would be called for every chunk.
    def __init__(self, label: str, is_over: bool, is_last: bool) -> None:
        self.label = label
        self.is_over = is_over
        """Whether the server, or the gateway, has ended the answer."""
        self.is_last = is_last
        """Whether no event follows that a client needs."""


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
    UNNEEDED_CALL = auto()
    """The message may need no call."""


NOT_HELD = Hold(0)
"""The only value without a reason. Comparing with it takes no function call, unlike its truth."""
