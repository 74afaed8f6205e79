"""Text and values, both ways. No input and output anywhere."""

from lton.codec._decode import decode
from lton.codec._encode import encode
from lton.codec.decoder import Decoder

__all__ = ["Decoder", "decode", "encode"]
