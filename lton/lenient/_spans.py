"""Spans: the parts of a text that are calls, or would be if they could be read."""

from dataclasses import dataclass

from lton.errors import DecodeError, RepairCode
from lton.lenient._candidates import Candidate
from lton.lenient._doubt import Doubt


@dataclass(frozen=True, slots=True)
class CallSpan:
    """A part of the text that is a call; `candidate` is None if the call cannot be read."""

    start: int
    end: int
    candidate: Candidate | None = None
    doubt: RepairCode | None = None
    fence: int | None = None
    repeats: bool = False
    marks: int = 0  # where the marks before the call begin


class Spans:
    """The spans up to where the search is now, and what is known of that position."""

    def __init__(self, doubt: Doubt) -> None:
        self.doubt = doubt
        self.found: list[CallSpan] = []
        self.errors: list[DecodeError] = []
        self.above: str | None = None  # the name of the call before, if it could be read
        self.spot = 0  # where the marks begin that are before the current position
        self.is_tagged = False  # whether one of those marks opens a call
        self.is_special = False  # whether one of those marks is a special token of a model
        self.fresh = -1  # where the author speaks again after somebody else did

    @property
    def end(self) -> int:
        """The end of the call before."""
        return self.found[-1].end if self.found else 0

    def in_sentence(self, end: int, *, is_tagged: bool) -> bool:
        """Say whether the text from the marks up to `end` is a part of a sentence."""
        after = max(self.end, self.fresh)
        return self.doubt.in_sentence(
            self.spot, end, after, is_tagged=is_tagged, is_special=self.is_special
        )

    def accept(
        self,
        start: int,
        candidate: Candidate,
        doubt: RepairCode | None = None,
        *,
        repeats: bool = False,
    ) -> int:
        """Keep a call, and the doubt about it: get its end."""
        damage = candidate.damage
        end = start if damage.at_end or damage.inside else candidate.end
        doubt = self.doubt.at(start, end) or doubt
        if candidate.is_torn:
            doubt = doubt or RepairCode.LEFT
        if damage.inside:
            doubt = doubt or RepairCode.DAMAGE
        if damage.at_end:
            self.doubt.rest(RepairCode.DAMAGE)
        fence = self.doubt.fence
        span = CallSpan(start, candidate.end, candidate, doubt, fence, repeats, self.spot)
        self.found.append(span)
        self.above = candidate.call.name
        return candidate.end

    def fail(self, start: int, end: int, error: DecodeError, *, is_damaged: bool) -> int:
        """Report a call that cannot be read: get its end."""
        self.found.append(CallSpan(start, end, marks=min(self.spot, start)))
        self.errors.append(error)
        self.above = None
        if is_damaged:
            self.doubt.rest(RepairCode.DAMAGE)
        return end
