"""Define the parts of a conversation as frozen dataclasses.

`extra` contains the other fields that a record has in its API.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self, TypeAlias

from lton._json import minified, read_json
from lton.errors import ConversionError
from lton.schema.types import JSON, Call

Extra: TypeAlias = Mapping[str, Any]
Role: TypeAlias = Literal["system", "developer", "user", "assistant", "tool"]
ApiName: TypeAlias = Literal["chat", "responses", "messages", "gemini"]
"""OpenAI's two APIs, Anthropic's and Google's."""


@dataclass(frozen=True, slots=True)
class Text:
    """A string in a message. `extra` is only set if the string came from a block."""

    text: str
    extra: Extra = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Thought:
    """A thought of the model. Its text is empty if only the provider can read it."""

    text: str
    extra: Extra = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call to a tool. `given` contains the original arguments: a JSON value, or a string.

    `custom` tools accept plain text, which is never parsed.

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
        """The arguments by name or, if they are not a JSON object, as the original text."""
        if isinstance(self.given, Mapping):
            return self.given
        if self.custom or not isinstance(self.given, str):
            return self.written
        try:
            value = read_json(self.given or "{}")
        except ValueError:
            return self.given
        return value if isinstance(value, dict) else self.given

    @property
    def written(self) -> str:
        """The arguments as a string: the original string, or the original value as JSON."""
        return self.given if isinstance(self.given, str) else minified(self.given)

    @property
    def call(self) -> Call:
        """The call as an `lton.Call`. Raises `ConversionError` if `arguments` is a string."""
        arguments = self.arguments
        if isinstance(arguments, str):
            is_text = isinstance(self.given, str)
            raise make_mismatch_error(
                "arguments in JSON" if is_text else "an object of arguments", self.given
            )
        return Call(self.name, arguments)


@dataclass(frozen=True, slots=True)
class Other:
    """A block that is not text, such as an image, a file, or a call to a provider's tool."""

    value: Any

    @property
    def kind(self) -> str:
        """The type of the block in its API.

        >>> Other({"type": "image_url"}).kind
        'image_url'
        """
        kind = self.value.get("type") if isinstance(self.value, dict) else None
        return kind if isinstance(kind, str) else "part"


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a call, or an error.

    OpenAI's APIs have no `is_error`, and only chat has the tool's `name`.
    """

    parts: "tuple[Text | Other, ...]"
    call_id: str | None = None
    name: str | None = None
    is_error: bool = False
    extra: Extra = field(default_factory=dict)

    @property
    def text(self) -> str:
        return join_texts(self.parts)


Part: TypeAlias = Text | Thought | ToolCall | ToolResult | Other


@dataclass(frozen=True, slots=True)
class Message:
    """A message of a conversation. `extra` is written again only for its own `api`.

    A message with only results has the role "tool", even from Anthropic's API.
    """

    role: Role
    parts: tuple[Part, ...]
    name: str | None = None
    api: ApiName | None = None
    extra: Extra = field(default_factory=dict)
    calls: tuple[ToolCall, ...] = field(init=False, repr=False, compare=False)
    results: tuple[ToolResult, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        calls = []
        results = []
        for part in self.parts:
            match part:
                case ToolCall():
                    calls.append(part)
                case ToolResult():
                    results.append(part)
        object.__setattr__(self, "calls", tuple(calls))
        object.__setattr__(self, "results", tuple(results))

    @classmethod
    def saying(cls, role: Role, text: str) -> Self:
        """Return a message with a single `Text` part.

        >>> Message.saying("user", "Hi").text
        'Hi'
        """
        return cls(role, (Text(text),))

    @property
    def text(self) -> str:
        """The text of the message, without the text of tool results."""
        return join_texts(self.parts)

    @property
    def thoughts(self) -> tuple[Thought, ...]:
        return tuple([part for part in self.parts if isinstance(part, Thought)])

    @property
    def content(self) -> tuple[Text | Other, ...]:
        """The parts of a message other than thoughts, calls and results."""
        return tuple([part for part in self.parts if isinstance(part, Text | Other)])


def join_texts(parts: tuple[Part, ...]) -> str:
    """Join the text of message parts."""
    match parts:
        case (Text(text),):
            return text
    return "".join([part.text for part in parts if isinstance(part, Text)])


def make_mismatch_error(expected: str, value: object, path: str = "") -> ConversionError:
    """Build the error for a value of an unexpected kind."""
    try:
        text = repr(value) if isinstance(value, str) else minified(value)
    except (TypeError, ValueError, RecursionError):
        text = f"a {type(value).__name__}"
    excerpt = text if len(text) <= 60 else f"{text[:60]}…"
    return ConversionError(f"expected {expected}, found {excerpt}", path=path)
