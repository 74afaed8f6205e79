"""What commands write as JSON: calls, a line each, and data."""

import json

from lton._json import minified
from lton.schema import Call


def as_json(call: Call) -> str:
    """Get a call as a line of JSON, without the line's end."""
    return minified({"name": call.name, "arguments": call.arguments})


def indented(value: object) -> str:
    """Get data as JSON over many lines."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
