"""LTON: a compact, schema-first notation for tool calls, without escaping."""

from lton import grammar
from lton.codec import Decoder, decode, encode, events
from lton.errors import DecodeError, EncodeError, IncompleteError, LTONError, SchemaError
from lton.lenient import decode_lenient
from lton.schema import Call, Result, ToolSet

SPEC_VERSION = "0.1"

__all__ = [
    "SPEC_VERSION",
    "Call",
    "DecodeError",
    "Decoder",
    "EncodeError",
    "IncompleteError",
    "LTONError",
    "Result",
    "SchemaError",
    "ToolSet",
    "decode",
    "decode_lenient",
    "encode",
    "events",
    "grammar",
]
