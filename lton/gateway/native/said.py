"""What an event of any API says, as far as it matters to calls."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from lton.gateway.apis.protocol import RefusedError
from lton.gateway.native.rescues import Rescue
from lton.gateway.native.streams import RawEvent

Key: TypeAlias = tuple[int, int]
"""Which call: the choice, and its place there."""


@dataclass(frozen=True, slots=True)
class TextEvent:
    """More of the text for the user."""

    text: str


@dataclass(frozen=True, slots=True)
class TextBoundary:
    """What is around a text, which begins or ends: it stands and falls with it."""


@dataclass(frozen=True, slots=True)
class ThoughtEvent:
    """More of what the model thinks, or what is around that."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class OtherEvent:
    """Whatever else an answer may be: a refusal, which is a text, a sound, a tool of the server."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class CallStartEvent:
    """A call begins that the model made natively."""

    key: Key
    name: str
    space: str = ""
    id: str = ""


@dataclass(frozen=True, slots=True)
class ArgumentsEvent:
    """More of the arguments of a call."""

    key: Key
    json: str


@dataclass(frozen=True, slots=True)
class CallEndEvent:
    """A call ends."""

    key: Key


@dataclass(frozen=True, slots=True)
class FinishEvent:
    """An answer ends: why, by the reasons of chat. `stop` if nothing cut it."""

    reason: str

    @property
    def is_plain(self) -> bool:
        return self.reason == "stop"


@dataclass(frozen=True, slots=True)
class StreamEndEvent:
    """Nothing has to follow: a stream that ends now is whole."""


ApiEvent: TypeAlias = (
    TextEvent
    | TextBoundary
    | ThoughtEvent
    | OtherEvent
    | CallStartEvent
    | ArgumentsEvent
    | CallEndEvent
    | FinishEvent
    | StreamEndEvent
)


@dataclass(frozen=True, kw_only=True)
class WholeChoice:
    """What one choice of an answer says that does not stream."""

    text: str = ""
    calls: Sequence[tuple[CallStartEvent, str]] = ()
    """Each with its arguments, as text."""
    has_more: bool = False
    """Whether it is more than text and calls."""
    is_plain: bool = False


@dataclass
class ServerUsage:
    """The tokens of an answer, as its server counts them."""

    prompt: int = 0
    completion: int = 0
    cached: int = 0
    stored: int = 0
    """Tokens that were written to a cache, where a server says so."""

    def update(self, found: Any, prompt: str, completion: str, cached: Iterable[str]) -> None:
        """Take in a count, by the names that an API has; later counts replace earlier ones."""
        if not isinstance(found, dict):
            return
        self.prompt = _count(found.get(prompt), self.prompt)
        self.completion = _count(found.get(completion), self.completion)
        for key in cached:
            found = found.get(key) if isinstance(found, dict) else None
        self.cached = _count(found, self.cached)

    @classmethod
    def sum(cls, several: "Iterable[ServerUsage]") -> "ServerUsage":
        """Get the tokens of several answers."""
        total = cls()
        for each in several:
            for name in vars(total):
                setattr(total, name, getattr(total, name) + getattr(each, name))
        return total

    def as_openai(self) -> dict[str, Any]:
        """Get the tokens as OpenAI names them."""
        return {
            "prompt_tokens": self.prompt,
            "completion_tokens": self.completion,
            "total_tokens": self.prompt + self.completion,
            "prompt_tokens_details": {
                "cached_tokens": self.cached,
                **({"cache_creation_tokens": self.stored} if self.stored else {}),
            },
        }


def _count(found: Any, before: int) -> int:
    return found if type(found) is int and found >= 0 else before


class ApiShape(Protocol):
    """How an API says it. It sees the events of one stream, in order."""

    usage: ServerUsage
    may_be_empty: bool
    """Whether an answer of nothing is one."""

    def read(self, event: RawEvent) -> list[ApiEvent]:
        """Get what an event says; what is not known says nothing."""

    def split(
        self, event: RawEvent, events: Sequence[ApiEvent]
    ) -> list[tuple[RawEvent, list[ApiEvent]]]:
        """Get several events that say the same, each with one call at most."""

    def rescued(self, rescue: Rescue, end: RawEvent) -> list[RawEvent]:
        """Get the events of calls in place of the text, and then the end."""

    def without(
        self, event: RawEvent, dropped: Sequence[Key], notes: Sequence[Mapping[str, Any]]
    ) -> RawEvent:
        """Get an event as if some calls had not been; an end says so in `notes`."""

    def fail(self, refusal: RefusedError) -> bytes:
        """Get the end of a stream that an error cut off."""

    def whole(self, body: Mapping[str, Any]) -> list[WholeChoice]:
        """Get what an answer says that does not stream."""

    def whole_rescued(self, body: Mapping[str, Any], rescue: Rescue) -> Mapping[str, Any]:
        """Get an answer with calls in place of its text."""

    def whole_without(
        self,
        body: Mapping[str, Any],
        dropped: Sequence[Key],
        notes: Sequence[Mapping[str, Any]],
    ) -> Mapping[str, Any]:
        """Get an answer without some of its calls."""
