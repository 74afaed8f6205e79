"""LTON: a compact, schema-first notation for tool calls, without escaping."""

from lton import grammar
from lton.codec import decode, encode
from lton.errors import DecodeError, EncodeError, IncompleteError, LTONError, SchemaError
from lton.schema import Call, ToolSet

SPEC_VERSION = "0.1"

__all__ = [
    "SPEC_VERSION",
    "Call",
    "DecodeError",
    "EncodeError",
    "IncompleteError",
    "LTONError",
    "SchemaError",
    "ToolSet",
    "decode",
    "encode",
    "grammar",
]
