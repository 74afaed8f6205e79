"""Text and values, both ways. No input and output anywhere."""

from lton.codec.decode import decode
from lton.codec.encode import encode

__all__ = ["decode", "encode"]
