"""Python's own descriptions of arguments, as tool definitions: functions and types.

Needs the extra `python`: `pydantic` knows what annotations mean, `docstring_parser` docstrings.
"""

import inspect
import reprlib
from typing import Any

from lton._require import require
from lton.errors import Code, SchemaError


def define(source: object, pointer: str) -> dict[str, Any]:
    """Get the definition of a function, or of a type whose fields are the arguments.

    A type is a pydantic model, a dataclass or a `TypedDict`, or a `TypeAdapter` of one. The
    arguments of a function can all be given by name. Descriptions come from docstrings.

    Raises `SchemaError` for what pydantic has no schema of.
    """
    pydantic = require("pydantic", "tools")
    adapter = source if isinstance(source, pydantic.TypeAdapter) else None
    try:
        adapter = adapter or pydantic.TypeAdapter(source)
        schema = adapter.json_schema()
    except Exception as error:  # annotations are code, and raise what they like
        problem = str(error).partition("\n")[0]
        msg = f"{reprlib.repr(source)} has no schema: {problem}"
        raise SchemaError(Code.DEFINITION, msg, pointer=pointer) from error
    name = getattr(source, "__name__", None) or schema.get("title")
    is_function = inspect.isroutine(source)
    about = _docstring(inspect.getdoc(source) if is_function else schema.get("description"))
    for param in about.params if is_function else ():
        part = schema.get("properties", {}).get(param.arg_name)
        if part is not None and param.description:
            part.setdefault("description", param.description)
    return {"name": name, "description": about.description or "", "parameters": schema}


def _docstring(text: str | None) -> Any:
    return require("docstring_parser", "tools").parse(text or "")
