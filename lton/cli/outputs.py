"""Write calls and data as JSON."""

import json

from lton._json import minified
from lton.schema import Call


def as_json(call: Call) -> str:
    """Write a call as JSON on one line."""
    return minified({"name": call.name, "arguments": call.arguments})


def indent_json(value: object) -> str:
    """Write a value as indented JSON."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
