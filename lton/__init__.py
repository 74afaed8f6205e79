"""LTON: a compact, schema-first notation for tool calls, without escaping."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lton import chat, engines, events, generate, grammar, results
    from lton._syntax import Form
    from lton.codec import Decoder, decode, encode
    from lton.errors import (
        Code,
        DecodeError,
        EncodeError,
        GrammarError,
        IncompleteError,
        LTONError,
        RepairCode,
        SchemaError,
    )
    from lton.lenient import LenientResult, Repair, decode_lenient
    from lton.schema import Call, Result, ToolSet
    from lton.typed import Hidden, Toolbox, anthropic, openai

__version__ = "0.1.0"
SPEC_VERSION = "0.1"

__all__ = [
    "SPEC_VERSION",
    "Call",
    "Code",
    "DecodeError",
    "Decoder",
    "EncodeError",
    "Form",
    "GrammarError",
    "Hidden",
    "IncompleteError",
    "LTONError",
    "LenientResult",
    "Repair",
    "RepairCode",
    "Result",
    "SchemaError",
    "ToolSet",
    "Toolbox",
    "__version__",
    "anthropic",
    "chat",
    "decode",
    "decode_lenient",
    "encode",
    "engines",
    "events",
    "generate",
    "grammar",
    "openai",
    "results",
]

_MODULES = ("chat", "engines", "events", "generate", "grammar", "results")
_HOMES = ("errors", "_syntax", "schema", "codec", "lenient", "typed")
"""The modules that define the other public names, in the order in which they are imported."""


if not TYPE_CHECKING:  # with `__getattr__`, a type checker would accept any name

    def __getattr__(name: str) -> object:
        """Import a public name when it is first used, so that `import lton` is fast."""
        if name in _MODULES:
            return import_module(f"lton.{name}")
        for home in _HOMES if name in __all__ else ():
            if (attribute := getattr(import_module(f"lton.{home}"), name, None)) is not None:
                globals()[name] = attribute
                return attribute
        raise AttributeError(f"module 'lton' has no attribute {name!r}", name=name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
