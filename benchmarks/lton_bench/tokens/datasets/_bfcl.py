"""The turns of BFCL, and the descriptions of its functions."""

import ast
from collections.abc import Iterator
from functools import cache

from lton.schema import Call
from lton_bench import bfcl
from lton_bench.bfcl import Optionals
from lton_bench.tokens.pieces import Definition, Turn

MULTI_TURN = ("base", "long_context", "miss_func", "miss_param")

_FILES = {
    "GorillaFileSystem": "gorilla_file_system",
    "MathAPI": "math_api",
    "MessageAPI": "message_api",
    "TicketAPI": "ticket_api",
    "TradingBot": "trading_bot",
    "TravelAPI": "travel_booking",
    "TwitterAPI": "posting_api",
    "VehicleControlAPI": "vehicle_control",
}
"""The files with the functions of each class of BFCL."""


def single_turns(optionals: Optionals) -> Iterator[Turn]:
    for case in bfcl.load(optionals=optionals):
        calls = tuple(Call(name, arguments) for name, arguments in case.calls)
        yield Turn(calls, tuple(case.tools))


def multi_turns(optionals: Optionals) -> Iterator[Turn]:
    for category in MULTI_TURN:
        for classes, texts in bfcl.multi_turn(category):
            tools = _tools(tuple(classes))
            for text in texts:
                yield Turn((_parse(text, tools, optionals),), tools)


@cache  # turns with the same tools share one tuple of them: to compile them once is easy
def _tools(classes: tuple[str, ...]) -> tuple[Definition, ...]:
    return tuple(tool for name in classes for tool in _functions(_FILES[name]))


@cache
def _functions(file: str) -> list[Definition]:
    return list(bfcl.multi_turn_functions(file))


def _parse(text: str, tools: tuple[Definition, ...], optionals: Optionals) -> Call:
    """Parse a call in Python; arguments by position get their names from the function."""
    node = ast.parse(text, mode="eval").body
    assert isinstance(node, ast.Call)
    name = ast.unparse(node.func)
    function = next(t["function"] for t in tools if t["function"]["name"] == name)
    properties = function["parameters"]["properties"]
    arguments = dict(zip(properties, map(ast.literal_eval, node.args), strict=False))
    arguments |= {word.arg: ast.literal_eval(word.value) for word in node.keywords if word.arg}
    if optionals == "omitted":
        required = function["parameters"].get("required", [])
        arguments = {
            key: value
            for key, value in arguments.items()
            if key in required or value != properties.get(key, {}).get("default", ...)
        }
    return Call(name, arguments)
