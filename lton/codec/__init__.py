"""Text and values, both ways. No input and output anywhere."""

from lton.codec.decode import decode
from lton.codec.decoder import Decoder
from lton.codec.encode import encode

__all__ = ["Decoder", "decode", "encode"]
