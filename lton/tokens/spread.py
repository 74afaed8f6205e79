"""Map the tokens of a normalized text to bytes of the original text."""

from itertools import accumulate, pairwise


def spread(tokens: list[bytes], text: str) -> list[bytes]:
    r"""Split the original text into one piece per token of its normalized form.

    Before the first change and after the last one, the pieces are the tokens themselves. Between
    the changes, the text is split in proportion.

    >>> spread([b"a ", "caf\u00e9".encode(), b" b"], "a cafe\u0301 b")
    [b'a ', b'cafe\xcc\x81', b' b']
    """
    data = text.encode()
    if not tokens or b"".join(tokens) == data:
        return tokens
    head = _common(tokens, data)
    rest = data[sum(map(len, head)) :]
    middle = tokens[len(head) :]
    backwards = [token[::-1] for token in reversed(middle)]
    tail = [token[::-1] for token in reversed(_common(backwards, rest[::-1]))]
    middle = middle[: len(middle) - len(tail)]
    if not middle:  # the changed text was omitted completely, so a neighbour gets it
        middle, head, tail = (head[-1:], head[:-1], tail) if head else (tail[:1], [], tail[1:])
    rest = data[sum(map(len, head)) : len(data) - sum(map(len, tail))]
    ends = list(accumulate(map(len, middle), initial=0))
    cuts = [end * len(rest) // ends[-1] if ends[-1] else 0 for end in ends[:-1]] + [len(rest)]
    return [*head, *(rest[start:end] for start, end in pairwise(cuts)), *tail]


def _common(tokens: list[bytes], data: bytes) -> list[bytes]:
    end = 0
    for index, token in enumerate(tokens):
        if not data.startswith(token, end):
            return tokens[:index]
        end += len(token)
    return tokens
