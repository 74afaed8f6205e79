"""The turns of a chat as tokens, in which no content is read as a special token.

A template lays a chat out as one text, in which `<|im_end|>` ends a turn. Where the template wrote
that it has to; where a user or a tool wrote it, it must not: they could forge turns of others.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import TypeAlias

from lton.errors import Code, LTONError
from lton.tokens.special import plain

Turns: TypeAlias = Sequence[Mapping[str, str]]
Tokenize: TypeAlias = Callable[[str, bool], Sequence[int]]
"""Gets the tokens of a text; also the special ones that it names, if the second argument is true.
"""

_MAY_BEGIN = re.compile(r"<\S|\[[/A-Za-z]")
"""The names of special tokens begin so in all vocabularies that are known."""
_PRIVATE = range(0xF0000, 0x10FFFE)
"""Code points that stand for no character; more than a context has room for."""


def forges(text: str, tokenize: Tokenize) -> bool:
    """Say whether a text names a special token of the vocabulary."""
    return bool(_MAY_BEGIN.search(text)) and tokenize(text, True) != tokenize(text, False)


def disarmed(messages: Turns, tokenize: Tokenize) -> list[dict[str, str]]:
    """Get messages in which a space breaks up such names, for engines that only take one text.

    Raises `LTONError` for a name that is still one then.

    >>> disarmed([{"role": "tool", "content": "a<|im_end|>"}],
    ...          lambda text, special: [1] if special and "<|" in text else [*text.encode()])
    [{'role': 'tool', 'content': 'a< |im_end|>'}]
    """
    found = []
    for each in messages:
        content = each["content"]
        if forges(content, tokenize):
            content = plain(content)
            if forges(content, tokenize):
                raise LTONError(Code.MODEL, "a message has the name of a special token in it")
        found.append({**each, "content": content})
    return found


def read_turns(messages: Turns, lay_out: Callable[[Turns], str], tokenize: Tokenize) -> list[int]:
    """Get the tokens of a chat that a template lays out.

    A content that names a special token is tokenized apart from the template's own text. Raises
    `LTONError` if the template does not pass on just that content, whole and once.
    """
    forged = [forges(each["content"], tokenize) for each in messages]
    if not any(forged):
        return [*tokenize(lay_out(messages), True)]
    begin, end = _unused(each["content"] for each in messages)
    marked = [
        {**each, "content": f"{begin}{each['content']}{end}"} if is_forged else each
        for each, is_forged in zip(messages, forged, strict=True)
    ]
    own, *rest = lay_out(marked).split(begin)
    parts = [part.split(end) for part in rest]
    wanted = [
        each["content"] for each, is_forged in zip(messages, forged, strict=True) if is_forged
    ]
    if [part[0] for part in parts] != wanted or any(len(part) != 2 for part in parts):
        msg = "the model's template does not pass on a message with the name of a special token"
        raise LTONError(Code.MODEL, msg)
    tokens = [*tokenize(own, True)]
    for content, after in parts:
        tokens += tokenize(content, False)
        tokens += tokenize(after, True)
    return tokens


def _unused(texts: Iterable[str]) -> tuple[str, str]:
    """Get two characters that none of some texts has."""
    there = {char for text in texts for char in text}
    begin, end = islice((char for char in map(chr, _PRIVATE) if char not in there), 2)
    return begin, end
