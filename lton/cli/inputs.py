"""Read text, JSON and tools from files and standard input."""

import json
import sys
from collections.abc import Iterator
from typing import Any

from lton.errors import Code, DecodeError, LTONError, SchemaError
from lton.schema import ToolSet


def iterate_named_inputs(files: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each input. `-` or no file means standard input."""
    for name in files or ["-"]:
        if name == "-" and sys.stdin is None:
            raise OSError("standard input is closed")
        data = sys.stdin.buffer.read() if name == "-" else _bytes_of(name)
        try:
            yield name, data.decode()
        except UnicodeDecodeError as error:
            fault = f"the byte 0x{data[error.start]:02x} at {error.start}"
            msg = f"{name}: expected text in utf-8, found {fault}"
            raise LTONError(Code.CHARACTER, msg) from error


def _bytes_of(name: str) -> bytes:
    with open(name, "rb") as file:  # `Path("")` would be a folder
        return file.read()


def read_optional_tools(file: str | None) -> ToolSet | None:
    return None if file is None else read_tools(*next(iterate_named_inputs([file])))


def read_tools(name: str, text: str) -> ToolSet:
    """Compile tools given as JSON: one definition, a list of them, or an object with `tools`."""
    value = parse_json_input(name, text)
    return require_tools(
        ToolSet.from_tools(value if isinstance(value, dict | list) else [value]), name
    )


def require_tools(tools: ToolSet, source: str) -> ToolSet:
    """Return `tools`; raise `SchemaError` if the set is empty."""
    if not len(tools):
        raise SchemaError(Code.DEFINITION, f"{source}: expected definitions of tools, found none")
    return tools


def parse_json_input(name: str, text: str) -> Any:
    """Parse the JSON in a file or line. Error messages contain the name."""
    if not text.strip():
        raise LTONError(Code.SYNTAX, f"{name}: expected JSON, found nothing")
    try:
        return json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        msg = f"{name}: {error.msg}"
        hint = "convert YAML to JSON first" if name.endswith((".yaml", ".yml")) else None
        raise DecodeError(Code.SYNTAX, msg, doc=error.doc, pos=error.pos, hint=hint) from error
    except RecursionError as error:
        raise LTONError(Code.DEPTH, f"{name}: nested too deep") from error
    except ValueError as error:  # raised for an integer with too many digits for Python
        raise LTONError(Code.DIGITS, f"{name}: {error}") from error
