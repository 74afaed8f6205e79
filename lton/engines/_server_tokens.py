"""Tokenize chats and texts with a llama.cpp server, several in one request.

`/tokenize` accepts an array of texts and tokens, and -1, which is not a token, separates the texts.
An older server that refuses arrays is asked for each text. The tokens of texts are cached.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

from lton._http import NoAnswerError, Why
from lton.engines._layouts import LayoutCache
from lton.engines._link import Link
from lton.engines.engine import Chat
from lton.engines.turns import Turns, cut_turns, list_possible_special_names, tokenize_chat

Tokens: TypeAlias = tuple[int, ...]
_TEXTS = 1024
"""The maximum number of texts with cached tokens."""
_CHARACTERS = 1 << 22
"""The maximum total length of these texts."""
_SEPARATOR = -1


class ServerTokenizer:
    """Tokenizes chats and texts with a server."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self.layouts = LayoutCache()
        self.begins: Tokens | None = None
        """The tokens with which every chat begins, once known."""
        self.cached_tokens: dict[tuple[str, bool], Tokens] = {}
        """The tokens of each text, without and with special tokens."""
        self.characters = 0
        """The total length of the texts with known tokens."""
        self.can_batch = True
        self.pieces: dict[int, bytes] = {}
        """The text of each token that was scored."""

    def prompt(self, messages: Chat) -> list[int]:
        if self.begins is None:
            self.begins = self.ask_for_tokens("", special=True, begins=True)
        return [*self.begins, *tokenize_chat(messages, self.write_prompt_text, self.tokens)]

    def tokens(self, text: str, special: bool = False) -> Tokens:
        if not text:
            return ()
        if (text, special) not in self.cached_tokens:
            self._prefetch_texts([text], special=special)
        return self.cached_tokens[text, special]

    def prefetch(self, chats: Sequence[Chat], texts: Sequence[str]) -> None:
        names = sorted({name for chat in chats for name in list_possible_special_names(chat)})
        self._prefetch_texts(names, special=True)
        self._prefetch_texts(names, special=False)
        parts = [
            part for chat in chats for part in cut_turns(chat, self.write_prompt_text, self.tokens)
        ]
        own = [part for part, is_special in parts if is_special]
        contents = [part for part, is_special in parts if not is_special]
        self._prefetch_texts(own, special=True)
        self._prefetch_texts([*contents, *texts], special=False)

    def _prefetch_texts(self, texts: Sequence[str], *, special: bool) -> None:
        distinct = dict.fromkeys(text for text in texts if text)
        unknown = [text for text in distinct if (text, special) not in self.cached_tokens]
        if not unknown:
            return
        tokenized = self.ask_for_batch(unknown, special=special)
        size = sum(map(len, unknown))
        if len(self.cached_tokens) + len(unknown) > _TEXTS or self.characters + size > _CHARACTERS:
            self.cached_tokens.clear()
            self.characters = 0
        self.characters += size
        for text, tokens in zip(unknown, tokenized, strict=True):
            self.cached_tokens[text, special] = tokens

    def write_prompt_text(self, messages: Turns) -> str:
        text = self.layouts.try_render_from_cache(messages, self.ask_for_layout)
        return self.ask_for_layout(messages) if text is None else text

    def ask_for_layout(self, messages: Turns) -> str:
        """Ask the server for the text of a chat."""
        reply = self.link.post_json("/apply-template", messages=list(messages))
        text = reply.get("prompt") if isinstance(reply, dict) else None
        if not isinstance(text, str):
            raise self.link.make_error("no prompt")
        return text

    def ask_for_batch(self, texts: Sequence[str], *, special: bool) -> list[Tokens]:
        """Ask the server for the tokens of each text."""
        if self.can_batch and len(texts) > 1:
            try:
                batch = self._try_ask_for_array(texts, special=special)
            except NoAnswerError as refusal:
                if refusal.why is Why.AWAY:
                    raise
                batch = None
            if batch is not None:
                return batch
            self.can_batch = False
        return [self.ask_for_tokens(text, special=special) for text in texts]

    def _try_ask_for_array(self, texts: Sequence[str], *, special: bool) -> list[Tokens] | None:
        """Return the tokens of each text, or None if the server does not separate them."""
        content = [part for text in texts for part in (text, _SEPARATOR)]
        reply = self.link.post_json(
            "/tokenize", content=content, add_special=False, parse_special=special
        )
        tokens = self.tokens_of(reply)
        if tokens.count(_SEPARATOR) != len(texts):
            return None
        tokenized = []
        start = 0
        for position, token in enumerate(tokens):
            if token == _SEPARATOR:
                tokenized.append(tokens[start:position])
                start = position + 1
        return tokenized

    def ask_for_tokens(self, text: str, *, special: bool, begins: bool = False) -> Tokens:
        """Ask the server for the tokens of a text; if the text `begins`, it is a whole prompt."""
        reply = self.link.post_json(
            "/tokenize", content=text, add_special=begins, parse_special=special
        )
        return self.tokens_of(reply)

    def tokens_of(self, reply: Any) -> Tokens:
        tokens = reply.get("tokens") if isinstance(reply, dict) else None
        if not isinstance(tokens, list) or not all(type(token) is int for token in tokens):
            raise self.link.make_error("no tokens")
        return tuple(tokens)

    def try_learn_pieces(self, tokens: Sequence[int]) -> bool:
        """Ask for the texts of new tokens. Return False if the server does not report them."""
        unknown = [token for token in dict.fromkeys(tokens) if token not in self.pieces]
        if not unknown:
            return True
        reply = self.link.post_json(
            "/tokenize", content=unknown, add_special=False, with_pieces=True
        )
        entries = reply.get("tokens") if isinstance(reply, dict) else None
        try:
            texts = {entry["id"]: _text_of(entry["piece"]) for entry in entries or ()}
            self.pieces |= {token: texts[token] for token in unknown}
        except (LookupError, TypeError, ValueError):
            return False
        return True


def _text_of(piece: Any) -> bytes:
    """Return the text of a token: a string, or the bytes of a part of a character."""
    return piece.encode() if isinstance(piece, str) else bytes([*piece])
