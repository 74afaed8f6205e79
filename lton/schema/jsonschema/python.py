"""Convert Python functions and types to tool definitions.

This needs the extra `tools`: `pydantic` interprets annotations, and `docstring_parser` docstrings.
msgspec describes its own structs.
"""

import inspect
import reprlib
from typing import Any

from lton._require import require
from lton.errors import Code, MissingExtraError, SchemaError


def define(source: object, pointer: str) -> dict[str, Any]:
    """Return the tool definition of a function, or of a type whose fields are the arguments.

    A type is a pydantic model, a dataclass, a `TypedDict`, a msgspec struct, or a `TypeAdapter` of
    one of these. A function must accept all parameters as keyword arguments. Descriptions are
    taken from docstrings.

    Raises `SchemaError` if pydantic or msgspec cannot generate a schema.
    """
    make = _struct_schema if is_struct(source) else _pydantic_schema
    try:
        schema = make(source)
    except MissingExtraError:
        raise
    except Exception as error:  # evaluating annotations may raise anything
        problem = str(error).partition("\n")[0]
        msg = f"{reprlib.repr(source)} has no schema: {problem}"
        hint = "annotate it with types that JSON Schema has, or describe the tool in JSON"
        raise SchemaError(Code.DEFINITION, msg, pointer=pointer, hint=hint) from error
    name = getattr(source, "__name__", None) or schema.get("title")
    is_function = inspect.isroutine(source)
    own = schema.get("$defs", {}).get(schema.get("$ref", "").rpartition("/")[2], schema)
    text = inspect.getdoc(source) if is_function else own.get("description")
    about = require("docstring_parser", "tools").parse(text or "")
    for param in about.params if is_function else ():
        part = schema.get("properties", {}).get(param.arg_name)
        if part is not None and param.description:
            part.setdefault("description", param.description)
    return {"name": name, "description": about.description or "", "parameters": schema}


def is_struct(source: object) -> bool:
    """Return whether an object is a msgspec struct."""
    return isinstance(source, type) and hasattr(source, "__struct_fields__")


def _struct_schema(source: Any) -> dict[str, Any]:
    schema: dict[str, Any] = require("msgspec", "msgspec>=0.22,<0.23").json.schema(source)
    return schema


def _pydantic_schema(source: Any) -> dict[str, Any]:
    adapter = require("pydantic", "tools").TypeAdapter
    adapted = source if isinstance(source, adapter) else adapter(source)
    schema: dict[str, Any] = adapted.json_schema()
    return schema
