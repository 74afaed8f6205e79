"""Lay out chats with a server's template, without a request for each chat.

For chats with the same roles, a template writes the same text around the contents. So the template
is asked once for a sequence of roles, with one private character instead of each content, and the
contents are then filled in. Templates treat some contents in another way: they remove white space
around them, or look for marks like `</think>`. Chats with such contents are sent to the server.
"""

import re
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, TypeAlias

from lton.engines.turns import Turns

LayOut: TypeAlias = Callable[[Turns], str]
"""Returns the text of a chat up to the start of the answer."""
_PLACEHOLDERS = range(0xF0000, 0x10FFFE)
"""Private characters, more than a chat has messages."""
_MARK = re.compile(r"<[^\s<>]{1,80}>|\[/?[A-Z_]{2,80}\]")
"""The form of the marks that templates look for in contents."""
_LAYOUTS = 256
"""The maximum number of cached layouts. A conversation has one for each of its turns."""


class LayoutCache:
    """Keeps the texts that a template writes around contents."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, ...], Sequence[str] | None] = {}
        """The texts before, between and after the contents, or None if contents are changed."""

    def try_render_from_cache(self, messages: Turns, ask: LayOut) -> str | None:
        """Return the text of a chat, or None if the template may change its contents.

        `ask` lays out a chat with the template.
        """
        around = (
            self._find_cached_texts_around(messages, ask) if all(map(_is_plain, messages)) else None
        )
        if around is None:
            return None
        contents = [message["content"] for message in messages]
        return "".join(chain(*zip(around, [*contents, ""], strict=True)))

    def _find_cached_texts_around(self, messages: Turns, ask: LayOut) -> Sequence[str] | None:
        roles = tuple(message["role"] for message in messages)
        if roles not in self._known:
            if len(self._known) >= _LAYOUTS:
                self._known.clear()
            self._known[roles] = _find_layout_texts(roles, ask)
        return self._known[roles]


def _find_layout_texts(roles: Sequence[str], ask: LayOut) -> Sequence[str] | None:
    placeholders = [chr(code) for code, _ in zip(_PLACEHOLDERS, roles, strict=False)]
    messages = [
        {"role": role, "content": content}
        for role, content in zip(roles, placeholders, strict=True)
    ]
    layout = ask(messages)
    texts = []
    for placeholder in placeholders:
        before, separator, layout = layout.partition(placeholder)
        if not separator:
            return None
        texts.append(before)
    texts.append(layout)
    is_repeated = any(placeholder in text for placeholder in placeholders for text in texts)
    return None if is_repeated else texts


def _is_plain(message: Any) -> bool:
    """Return whether templates copy the content of a message, as far as is known."""
    content = message.get("content")
    if message.keys() != {"role", "content"} or not isinstance(content, str):
        return False
    is_trimmed = bool(content) and content == content.strip()
    has_private_characters = any(ord(char) in _PLACEHOLDERS for char in content)
    return is_trimmed and not has_private_characters and not _MARK.search(content)
