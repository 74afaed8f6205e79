"""What a conversation is made of: messages, and their parts, as frozen records.

Each has `extra`: what its API says besides, by the API's own names.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self, TypeAlias

from lton._json import minified, read_json
from lton.errors import ConversionError
from lton.schema.types import JSON, Call

Extra: TypeAlias = Mapping[str, Any]
Role: TypeAlias = Literal["system", "developer", "user", "assistant", "tool"]
Api: TypeAlias = Literal["openai", "responses", "anthropic"]


@dataclass(frozen=True, slots=True)
class Text:
    """Text that is read or was written. A bare string of an API has no `extra`, a block has."""

    text: str
    extra: Extra = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Thought:
    """What a model thought; "" if only its API can read that."""

    text: str
    extra: Extra = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool. `given` are its arguments as they came: a JSON value, or JSON in a string.

    `custom` says that the tool takes a text, which is never read as JSON.

    >>> ToolCall("wait", '{"minutes": 5}').arguments
    {'minutes': 5}
    >>> ToolCall("wait", '{"minutes": ').arguments
    '{"minutes": '
    """

    name: str
    given: "JSON | Mapping[str, JSON]" = ""
    id: str | None = None
    custom: bool = False
    extra: Extra = field(default_factory=dict)

    @property
    def arguments(self) -> Mapping[str, JSON] | str:
        """The arguments by name, or the text that holds none; an empty text is no arguments."""
        if isinstance(self.given, Mapping):
            return self.given
        if self.custom or not isinstance(self.given, str):
            return self.written
        try:
            found = read_json(self.given or "{}")
        except ValueError:
            return self.given
        return found if isinstance(found, dict) else self.given

    @property
    def written(self) -> str:
        """The arguments as text: as it came, else the shortest JSON."""
        return self.given if isinstance(self.given, str) else minified(self.given)

    @property
    def call(self) -> Call:
        """The call that the codec takes; `ConversionError` if the arguments cannot be read."""
        if isinstance(arguments := self.arguments, str):
            broken = (
                "arguments in JSON" if isinstance(self.given, str) else "an object of arguments"
            )
            raise mismatch(broken, self.given)
        return Call(self.name, arguments)


@dataclass(frozen=True, slots=True)
class Other:
    """A block that is no text, as its API has it: an image, a file, its own tools."""

    value: Any

    @property
    def kind(self) -> str:
        """What kind of thing it is, by its API's name.

        >>> Other({"type": "image_url"}).kind
        'image_url'
        """
        kind = self.value.get("type") if isinstance(self.value, dict) else None
        return kind if isinstance(kind, str) else "part"


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a call gave back, or why it failed, and the id of the call.

    OpenAI's APIs have no `is_error`, and only its chat has the `name` of the tool.
    """

    parts: "tuple[Text | Other, ...]"
    call_id: str | None = None
    name: str | None = None
    is_error: bool = False
    extra: Extra = field(default_factory=dict)

    @property
    def text(self) -> str:
        """Its texts, joined."""
        return joined(self.parts)


Part: TypeAlias = Text | Thought | ToolCall | ToolResult | Other


@dataclass(frozen=True, slots=True)
class Message:
    """A message. `api` is where it came from: only there `extra` is written again.

    Results of tools alone are a message of the role "tool", also Anthropic's.
    """

    role: Role
    parts: tuple[Part, ...]
    name: str | None = None
    api: Api | None = None
    extra: Extra = field(default_factory=dict)

    @classmethod
    def saying(cls, role: Role, text: str) -> Self:
        """Get a message of one text.

        >>> Message.saying("user", "Hi").text
        'Hi'
        """
        return cls(role, (Text(text),))

    @property
    def text(self) -> str:
        """Its texts, joined; those of results are not among them."""
        return joined(self.parts)

    @property
    def thoughts(self) -> tuple[Thought, ...]:
        return tuple(part for part in self.parts if isinstance(part, Thought))

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        return tuple(part for part in self.parts if isinstance(part, ToolCall))

    @property
    def results(self) -> tuple[ToolResult, ...]:
        return tuple(part for part in self.parts if isinstance(part, ToolResult))

    @property
    def content(self) -> tuple[Text | Other, ...]:
        """What is neither thought nor call nor result."""
        return tuple(part for part in self.parts if isinstance(part, Text | Other))


def joined(parts: tuple[Part, ...]) -> str:
    """Get the texts among some parts as one."""
    return "".join(part.text for part in parts if isinstance(part, Text))


def mismatch(expected: str, found: object, path: str = "") -> ConversionError:
    """Get the error that says what was expected and what was found."""
    try:
        text = repr(found) if isinstance(found, str) else minified(found)
    except (TypeError, ValueError, RecursionError):
        text = f"a {type(found).__name__}"
    shown = text if len(text) <= 60 else f"{text[:60]}…"
    return ConversionError(f"expected {expected}, found {shown}", path=path)
