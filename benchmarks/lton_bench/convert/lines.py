"""Convert lines of JSON, and report the lines that cannot be converted."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from functools import lru_cache
from typing import Any, NamedTuple

from lton.chat import Message, Text, from_openai
from lton.errors import Code, LTONError, MissingExtraError
from lton.tokens import TokenCounter, counter
from lton_bench.convert.example import Answers, convert_example
from lton_bench.internals import FOR_MODELS, Form, fault_of, minified, read_json


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The options of `convert_example`, and the tokenizer that counts examples."""

    form: Form = FOR_MODELS
    answers: Answers = "frames"
    sigil: bool = False
    descriptions: bool = True
    primer: bool = True
    tokenizer: str | None = None


@dataclass(slots=True)
class Tally:
    """Numbers of converted lines, and of those left out by error code.

    With a tokenizer also the tokens of whole chats, and of the assistant, with calls as minified
    JSON.
    """

    converted: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    before: int = 0
    after: int = 0
    said_before: int = 0
    said_after: int = 0

    def __iadd__(self, other: "Tally") -> "Tally":
        for member in fields(self):
            setattr(self, member.name, getattr(self, member.name) + getattr(other, member.name))
        return self

    def as_json(self) -> dict[str, Any]:
        """Return the tally as JSON values; `Tally.of` reverses this."""
        return {member.name: getattr(self, member.name) for member in fields(self)}

    @classmethod
    def of(cls, data: dict[str, Any]) -> "Tally":
        return cls(**{**data, "left_out": Counter(data["left_out"])})


class Mark(NamedTuple):
    """A place in the input: the bytes and lines before it, and the SHA-256 of those bytes."""

    offset: int
    line: int
    digest: str


class Chunk(NamedTuple):
    """Lines with the number of the first (None: a line is too long), and the place after them."""

    first: int
    lines: tuple[bytes | None, ...]
    end: Mark


class Converted(NamedTuple):
    """A converted chunk: lines, a report for each line left out, and their tally."""

    text: bytes
    rejected: bytes
    tally: Tally


def convert_lines(first: int, lines: tuple[bytes | None, ...], settings: Settings) -> Converted:
    """Convert lines, skipping blank ones. Only a missing extra stops it."""
    texts: list[bytes] = []
    rejected: list[bytes] = []
    tally = Tally()
    for number, line in enumerate(lines, start=first):
        if line is not None and not line.strip():
            continue
        try:
            texts.append(_convert(line, settings, tally))
        except MissingExtraError:
            raise
        except LTONError as error:
            tally.left_out[error.code] += 1
            row = {"line": number, "code": error.code, "reason": str(error)}
            rejected.append(
                json.dumps(row).encode() + b"\n"
            )  # ASCII, because a reason may quote anything
        else:
            tally.converted += 1
    return Converted(b"".join(texts), b"".join(rejected), tally)


def _convert(line: bytes | None, settings: Settings, tally: Tally) -> bytes:
    if line is None:
        raise LTONError(Code.CALL_SIZE, "the line is too long")
    try:
        example = _example(line)
        options = {key: value for key, value in asdict(settings).items() if key != "tokenizer"}
        converted = convert_example(example, **options)
        text = _write(converted)
    except RecursionError:
        raise LTONError(Code.DEPTH, "nested too deep") from None
    if settings.tokenizer is not None:
        tally += _tokens(example, converted, _tokenizer(settings.tokenizer))
    return text


def _tokens(example: dict[str, Any], converted: dict[str, Any], tokenizer: TokenCounter) -> Tally:
    old, new = example["messages"], converted["messages"]
    before = tokenizer.count_messages(old, example.get("tools") or ()).tokens
    after = tokenizer.count_messages(new).tokens
    assistant_tokens = [
        sum(count.tokens for count in tokenizer.count_all(_assistant_texts(from_openai(messages))))
        for messages in (old, new)
    ]
    return Tally(0, Counter(), before, after, *assistant_tokens)


def _assistant_texts(messages: Iterable[Message]) -> list[str]:
    """Return the assistant's text, with calls as the minified JSON that templates expect."""
    texts: list[str] = []
    for message in messages:
        if message.role == "assistant":
            texts += [part.text for part in message.content if isinstance(part, Text)]
            for call in message.calls:
                texts.append(minified({"name": call.name, "arguments": call.arguments}))
    return texts


def _example(line: bytes) -> dict[str, Any]:
    try:
        example = read_json(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise LTONError(Code.CHARACTER, f"no UTF-8 at byte {error.start}") from None
    except ValueError as error:
        raise LTONError(Code.SYNTAX, f"expected JSON: {fault_of(error)}") from None
    if not isinstance(example, dict):
        raise LTONError(Code.SYNTAX, "expected an object")
    return example


def _write(example: dict[str, Any]) -> bytes:
    try:
        text = json.dumps(example, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return text.encode() + b"\n"
    except UnicodeEncodeError as error:
        character = f"U+{ord(error.object[error.start]):04X}"
        raise LTONError(Code.CHARACTER, f"{character} is not allowed in a text") from None
    except ValueError:
        raise LTONError(Code.VALUE, "a number that JSON does not have") from None


@lru_cache(maxsize=1)
def _tokenizer(name: str) -> TokenCounter:
    return counter(name)
