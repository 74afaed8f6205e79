"""Text and values, both ways. No input and output anywhere."""

from lton.codec.decode import decode
from lton.codec.decoder import Decoder
from lton.codec.encode import encode
from lton.codec.lenient import decode_lenient

__all__ = ["Decoder", "decode", "decode_lenient", "encode"]
