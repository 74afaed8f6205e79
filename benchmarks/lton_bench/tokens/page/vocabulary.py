"""Vocabularies for the page: packed in Python, unpacked in the browser (`bpe.mjs`)."""

import zlib
from base64 import b64encode
from collections.abc import Mapping

NAMES = ("o200k", "cl100k")
"""Those that the page can cut texts for; the first is the one it begins with."""


def pack(ranks: Mapping[bytes, int]) -> str:
    r"""Return a vocabulary as text: sorted tokens without what they share with the one before.

    Base64 of zlib of: the count in four bytes; for each token a byte in each of five columns (how
    many bytes it shares, how many are its own, three of its rank, the lowest first); and the
    bytes of its own. Columns of one kind compress far better than records: o200k takes 1.1 MB
    so, and 1.3 MB by rank.

    >>> from base64 import b64decode
    >>> zlib.decompress(b64decode(pack({b"at": 1, b"a": 0})))
    b'\x00\x00\x00\x02\x00\x01\x01\x01\x00\x01\x00\x00\x00\x00at'
    """
    shared, own, rest = bytearray(), bytearray(), bytearray()
    before = b""
    tokens = sorted(ranks)
    for token in tokens:
        common = _common(before, token)
        shared.append(common)
        own.append(len(token) - common)
        rest += token[common:]
        before = token
    columns = (bytes(ranks[token] >> shift & 0xFF for token in tokens) for shift in (0, 8, 16))
    packed = b"".join((len(tokens).to_bytes(4, "big"), shared, own, *columns, rest))
    return b64encode(zlib.compress(packed, 9)).decode("ascii")


def _common(one: bytes, other: bytes) -> int:
    """Return how many bytes two tokens share from the beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
