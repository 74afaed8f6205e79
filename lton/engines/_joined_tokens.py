"""Tokenize chats and texts with a server that tokenizes one text in a request, such as vLLM.

Texts are joined by a special token that none of them contains, and tokenized together. The server
has no path for the text of a chat, so a chat is tokenized, and its tokens are turned into text.
Both ways are first compared with separate requests.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from lton._http import NoAnswerError, run
from lton.engines._link import Link
from lton.engines._server_tokens import ServerTokenizer, Tokens
from lton.engines.engine import Chat
from lton.engines.turns import Turns, disarm_special_names, list_possible_special_names

_SEPARATORS = ("<|endoftext|>", "<|end_of_text|>", "<eos>", "</s>", "<pad>", "<unk>")
"""Names of special tokens that hardly any template writes. A vocabulary has one of them."""
_SAMPLE = " a\n b"
"""A text whose white space a separator must not change."""


class JoiningTokenizer(ServerTokenizer):
    """Tokenizes chats and texts with a vLLM server.

    `model` is the name of the model on the server, by default the first in its list.
    """

    detokenizing: ClassVar[Mapping[str, Any]] = {}
    """More fields of a request that turns tokens into text with special tokens."""
    detokenized: ClassVar[str] = "prompt"
    """The field of the answer with the text."""

    def __init__(self, link: Link, model: str = "") -> None:
        super().__init__(link)
        self.model = model
        self.separators: dict[str, int] | None = None
        """The special tokens that can separate texts, once known."""

    @property
    def named(self) -> dict[str, str]:
        if not self.model:
            listed = run(self.link.asker.get(f"{self.link.base}/v1/models"))
            try:
                self.model = str(listed["data"][0]["id"])
            except (LookupError, TypeError):
                raise self.link.make_error("no list of models") from None
        return {"model": self.model}

    def prompt(self, messages: Chat) -> list[int]:
        # vLLM reads special tokens in the whole string, in contents as well as in the template.
        turns = disarm_special_names(messages, self._token_ids)
        text = self.layouts.try_render_from_cache(turns, self.ask_for_layout)
        return list(self._ask_for_chat(turns) if text is None else self.tokens(text))

    def prefetch(self, chats: Sequence[Chat], texts: Sequence[str]) -> None:
        names = sorted({name for chat in chats for name in list_possible_special_names(chat)})
        self._prefetch_texts(names, special=False)
        turns = [disarm_special_names(chat, self._token_ids) for chat in chats]
        layouts = [self.layouts.try_render_from_cache(turn, self.ask_for_layout) for turn in turns]
        rendered = [text for text in layouts if text is not None]
        self._prefetch_texts([*rendered, *texts], special=False)

    def _token_ids(self, text: str, special: bool) -> Sequence[int]:
        """Tokenize a string. Without `special`, return (-1,) if it is a special token."""
        tokens = self.tokens(text)
        return (-1,) if not special and len(tokens) == 1 else tokens

    def _ask_for_chat(self, turns: Turns) -> Tokens:
        body = {"messages": list(turns), "add_generation_prompt": True}
        return self.tokens_of(self.link.post_json("/tokenize", **self.named, **body))

    def ask_for_layout(self, messages: Turns) -> str:
        """Return the text of a chat, or "" if its tokens cannot be turned into text."""
        tokens = self._ask_for_chat(messages)
        try:
            body = {**self.named, "tokens": list(tokens), **self.detokenizing}
            reply = self.link.post_json("/detokenize", **body)
        except NoAnswerError:
            return ""
        text = reply.get(self.detokenized) if isinstance(reply, dict) else None
        is_same = isinstance(text, str) and self.tokens(text) == tokens
        return str(text) if is_same else ""

    def ask_for_batch(self, texts: Sequence[str], *, special: bool) -> list[Tokens]:
        separators = self._find_separators() if len(texts) > 1 else {}
        for name, token in separators.items():
            if not any(name in text for text in texts):
                tokens = self.ask_for_tokens(name.join(texts), special=special)
                if tokens.count(token) == len(texts) - 1:
                    return _split_tokens_at(token, tokens)
        return [self.ask_for_tokens(text, special=special) for text in texts]

    def _find_separators(self) -> dict[str, int]:
        if self.separators is None:
            self.separators = {}
            sample = self.ask_for_tokens(_SAMPLE, special=False)
            for name in _SEPARATORS:
                tokens = self.ask_for_tokens(name + _SAMPLE + name, special=False)
                if tokens[1:-1] == sample and tokens[0] == tokens[-1]:
                    self.separators[name] = tokens[0]
                    break
        return self.separators

    def ask_for_tokens(self, text: str, *, special: bool, begins: bool = False) -> Tokens:
        del special
        body: dict[str, Any] = {"prompt": text, "add_special_tokens": begins}
        return self.tokens_of(self.link.post_json("/tokenize", **self.named, **body))


def _split_tokens_at(separator: int, tokens: Tokens) -> list[Tokens]:
    positions = [position for position, token in enumerate(tokens) if token == separator]
    starts = [0, *(position + 1 for position in positions)]
    return [tokens[start:end] for start, end in zip(starts, [*positions, len(tokens)], strict=True)]
