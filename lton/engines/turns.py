"""Tokenize chats so that no message can contain a special token.

A template renders a chat as one string, in which `<|im_end|>` ends a turn. In a user's message or a
tool's result, this string must not end the turn, because users and tools could forge turns. So
contents with names of special tokens are marked, and the output of the template is split at the
marks. A template may omit other parts of a message, such as thoughts, so names of special tokens in
them are broken up.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

from lton.errors import Code, LTONError
from lton.tokens.special import without_special_names

Turns: TypeAlias = Sequence[Mapping[str, Any]]
"""Messages as in OpenAI's API. Content is a string, a list of parts, or None."""
Tokenize: TypeAlias = Callable[[str, bool], Sequence[int]]
"""Returns the tokens of a string. The second argument also recognizes special tokens in it."""

_NAME = re.compile(r"(?=(<[^\s<>]{1,80}>|[\[\]][^\s\[\]]{1,80}[\[\]]|>>\w{1,80}<<))")
"""The form of special tokens in all known vocabularies. Other text may have the same form.

Names may overlap: `>>a<<|im_end|>` has two."""
_MARKS = range(0xF0000, 0x10FFFE)
"""Private code points, more than fit in a context."""


@dataclass(frozen=True, slots=True)
class Marked:
    """Messages with their contents between two marker characters that occur in no message."""

    messages: Turns
    contents: Sequence[str]
    begin: str
    end: str

    def cut_prompt(self, prompt: str) -> list[tuple[str, bool]]:
        """Split a prompt at the marks. Return each part, and whether it may contain special tokens.

        Raises `LTONError` if the template did not include each content completely and once.
        """
        own, *marked_parts = prompt.split(self.begin)
        parts = [part.split(self.end) for part in marked_parts]
        if [part[0] for part in parts] != self.contents or any(len(part) != 2 for part in parts):
            msg = "the model's template changes a message that names a special token"
            raise LTONError(Code.MODEL, msg)
        pairs = (pair for content, after in parts for pair in ((content, False), (after, True)))
        return [(own, True), *pairs]


def join_possible_special_names(messages: Turns) -> str:
    """Return the strings in messages that may name special tokens, separated by spaces."""
    return " ".join(list_possible_special_names(messages))


def list_possible_special_names(messages: Turns) -> list[str]:
    """Return the strings in messages that may name special tokens."""
    return sorted({name for text in _iterate_texts(messages) for name in _NAME.findall(text)})


def is_special_name(text: str) -> bool:
    """Return whether a whole string has the form of a special token's name."""
    return text in _NAME.findall(text)


def mark_texts(messages: Turns, *, forged: bool) -> Marked:
    """Mark the contents of messages that may contain names of special tokens."""
    used_chars = {char for text in _iterate_texts(messages) for char in text}
    begin, end = islice((char for char in map(chr, _MARKS) if char not in used_chars), 2)
    contents: list[str] = []

    def mark_text(text: str) -> str:
        if not _NAME.search(text):
            return text
        contents.append(text)
        return f"{begin}{text}{end}"

    new_messages = [_with_texts(message, mark_text) for message in messages] if forged else messages
    return Marked(new_messages, contents, begin, end)


def tokenize_chat(
    messages: Turns, lay_out: Callable[[Turns], str], tokenize: Tokenize
) -> list[int]:
    """Render a chat with a template and tokenize it. Raises the errors of `Marked.cut_prompt`."""
    parts = cut_turns(messages, lay_out, tokenize)
    return [token for part, special in parts for token in tokenize(part, special)]


def cut_turns(
    messages: Turns, lay_out: Callable[[Turns], str], tokenize: Tokenize
) -> list[tuple[str, bool]]:
    """Render a chat with a template. Return the parts, and whether each may have special tokens.

    Raises the errors of `Marked.cut_prompt`.
    """
    marked = mark_texts(messages, forged=_contain_special_names(messages, tokenize))
    return [
        (part, special) for part, special in marked.cut_prompt(lay_out(marked.messages)) if part
    ]


def disarm_special_names(messages: Turns, tokenize: Tokenize) -> list[dict[str, Any]]:
    """Insert a space into names of special tokens, for engines that accept only text.

    Raises `LTONError` if a space does not break up a name.
    """
    new_messages = [
        _with_texts(message, without_special_names)
        if _contain_special_names([message], tokenize)
        else {**message}
        for message in messages
    ]
    if _contain_special_names(new_messages, tokenize):
        raise LTONError(Code.MODEL, "a message contains the name of a special token")
    return new_messages


def _contain_special_names(messages: Turns, tokenize: Tokenize) -> bool:
    return any(
        [*tokenize(name, True)] != [*tokenize(name, False)]
        for name in list_possible_special_names(messages)
    )


def _iterate_texts(messages: Turns) -> Iterable[str]:
    for message in messages:
        yield from (
            text for key, text in message.items() if isinstance(text, str) and key != "role"
        )
        content = message.get("content")
        if not isinstance(content, str):
            yield from (part["text"] for part in content or () if "text" in part)


def _with_texts(message: Mapping[str, Any], change: Callable[[str], str]) -> dict[str, Any]:
    """Apply `change` to the contents of a message, and disarm its other strings."""
    content = message.get("content")
    message = {
        key: without_special_names(text) if isinstance(text, str) and key != "role" else text
        for key, text in message.items()
    }
    if isinstance(content, str):
        return {**message, "content": change(content)}
    if not content:
        return message
    parts = [{**part, "text": change(part["text"])} if "text" in part else part for part in content]
    return {**message, "content": parts}
