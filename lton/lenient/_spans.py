"""Store the spans of calls, including calls that cannot be read."""

from dataclasses import dataclass

from lton.errors import DecodeError, RepairCode
from lton.lenient._candidates import Candidate
from lton.lenient._doubt import Doubt


@dataclass(frozen=True, slots=True)
class CallSpan:
    """The span of a call. `candidate` is None if the call cannot be read."""

    start: int
    end: int
    candidate: Candidate | None = None
    doubt: RepairCode | None = None
    fence: int | None = None
    repeats: bool = False
    marks: int = 0  # the start of the marks before the call


class Spans:
    """The call spans found so far, and facts about the marks before the current position."""

    def __init__(self, doubt: Doubt) -> None:
        self.doubt = doubt
        self.call_spans: list[CallSpan] = []
        self.errors: list[DecodeError] = []
        self.above: str | None = None  # the name of the previous call, if it was readable
        self.spot = 0  # the start of the marks before the current position
        self.is_tagged = False  # whether one of these marks opens a call
        self.is_special = False  # whether one of these marks is a special token
        self.fresh = -1  # the position where the model continues after another speaker

    @property
    def end(self) -> int:
        return self.call_spans[-1].end if self.call_spans else 0

    def is_in_sentence(self, end: int, *, is_tagged: bool) -> bool:
        after = max(self.end, self.fresh)
        return self.doubt.is_in_sentence(
            self.spot, end, after, is_tagged=is_tagged, is_special=self.is_special
        )

    def accept_candidate(
        self,
        start: int,
        candidate: Candidate,
        doubt: RepairCode | None = None,
        *,
        repeats: bool = False,
    ) -> int:
        """Store a call that was read, with any reason to doubt it, and return its end."""
        damage = candidate.damage
        end = start if damage.at_end or damage.inside else candidate.end
        doubt = self.doubt.find_doubt_of_call(start, end) or doubt
        if candidate.is_torn:
            doubt = doubt or RepairCode.LEFT
        if damage.inside:
            doubt = doubt or RepairCode.DAMAGE
        if damage.at_end:
            self.doubt.doubt_later_calls(RepairCode.DAMAGE)
        fence = self.doubt.fence
        span = CallSpan(start, candidate.end, candidate, doubt, fence, repeats, self.spot)
        self.call_spans.append(span)
        self.above = candidate.call.name
        return candidate.end

    def add_error(self, start: int, end: int, error: DecodeError, *, is_damaged: bool) -> int:
        """Store a call that cannot be read, and return its end."""
        self.call_spans.append(CallSpan(start, end, marks=min(self.spot, start)))
        self.errors.append(error)
        self.above = None
        if is_damaged:
            self.doubt.doubt_later_calls(RepairCode.DAMAGE)
        return end
