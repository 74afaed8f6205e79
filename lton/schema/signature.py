"""Types to the compact text that a model is shown, and that the fingerprint is made of (§7).

    weather.v1(city:str, days:int, unit:C|F, note?:str="none")

A label that could be read as the name of a type is quoted, so that the text has one reading.
"""

import hashlib
from collections.abc import Iterator

from lton._syntax import spell_name, spell_number, spell_text
from lton.schema.types import ANY, JSON, Object, Param, Tool, Type

TYPE_NAMES = frozenset(["any", "bool", "false", "int", "never", "null", "num", "str", "true"])


def signature(tool: Tool, *, defaults: bool = True) -> str:
    """Get a tool as one line: its name, and its parameters in layout order with their types.

    `?` marks what may be left out, `=` shows a default, `...` takes members that are not declared.
    """
    return spell_name(tool.name) + _members(tool.args, defaults)


def describe(tool: Tool) -> str:
    """Get the signature with every description: the tool's behind it, a parameter's below it."""
    head = f"{signature(tool)} - {_one_line(tool.description)}".removesuffix(" - ")
    return "\n".join([head, *_descriptions(tool.args, "")])


def fingerprint(*tools: Tool) -> str:
    """Get 8 hexadecimal digits of the SHA-256 of the signatures, without defaults (R-20)."""
    lines = sorted(signature(tool, defaults=False) for tool in tools)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:8]


def _descriptions(members: Object, prefix: str) -> Iterator[str]:
    for param in members.params:
        path = f"{prefix}{spell_name(param.name)}"
        if param.description:
            yield f"  {path}: {_one_line(param.description)}"
        if param.type.object:
            yield from _descriptions(param.type.object, f"{path}.")


def _members(members: Object, defaults: bool) -> str:
    parts = [_param(param, defaults) for param in members.params]
    if members.extra:
        parts.append(f"...:{_type(members.extra, defaults)}")
    return f"({', '.join(parts)})"


def _param(param: Param, defaults: bool) -> str:
    mark = "" if param.required else "?"
    text = f"{spell_name(param.name)}{mark}:{_type(param.type, defaults)}"
    if defaults and param.has_default and param.default is not None:
        text += f"={_default(param.default)}"
    return text


def _type(node: Type, defaults: bool) -> str:
    """Get a type: its kinds in a fixed order, with `|` between them."""
    if node == ANY:
        return "any"
    parts: list[str] = []
    if node.string:
        values = node.string.values
        parts += ["str"] if values is None else [_label(value) for value in values]
    if node.number:
        name = "int" if node.number.integer else "num"
        parts += [name] if node.number.values is None else map(spell_number, node.number.values)
    if len(node.booleans) == 1:
        parts.append(str(node.booleans[0]).lower())
    elif node.booleans:
        parts.append("bool")
    if node.array:
        parts.append(f"[{_type(node.array.items, defaults)}]")
    if node.object and node.object.is_map and node.object.extra:
        parts.append(f"{{{_type(node.object.extra, defaults)}}}")
    elif node.object:
        parts.append(_members(node.object, defaults))
    if node.null:
        parts.append("null")
    return "|".join(parts) or "never"


def _label(value: str) -> str:
    bare = ANY.takes_bare(value) and value not in TYPE_NAMES
    return spell_text(value, bare=bare)


def _default(value: JSON) -> str:
    """Get a default as it would be written in a call; arrays and maps as at any position."""
    if isinstance(value, bool) or value is None:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        return spell_number(value)
    if isinstance(value, str):
        return spell_text(value, bare=ANY.takes_bare(value))
    if isinstance(value, list):
        return f"[{' '.join(map(_default, value))}]"
    return f"{{{' '.join(f'{spell_name(k)} {_default(v)}' for k, v in value.items())}}}"


def _one_line(text: str) -> str:
    return " ".join(text.split())
