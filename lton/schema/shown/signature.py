"""Write the signatures of tools (§7).

    weather.v1(city days:int unit:C|F note?="none")

A parameter without a type is a string. The text is unambiguous, so `lton.schema.shown.parse` can
read it: a label that looks like the name of a type is quoted. A label that could end the line or
control a terminal is escaped, so no label can imitate another tool.
"""

from collections.abc import Iterator

from lton._syntax import BARE, NAME, STEERING, quoted, spell_number
from lton.schema.types import ANY, JSON, Object, Param, Tool, Type

TYPE_NAMES = frozenset(["any", "bool", "false", "int", "never", "null", "num", "str", "true"])
MORE = "..."  # the mark for undeclared members
_ANY_KIND = "str|num|bool|[any]|{any}|null"


def signature(tool: Tool, *, defaults: bool = True) -> str:
    """Write a tool on one line: its name, and its parameters with their types.

    `?` marks optional parameters, `=` precedes a default, and `...` allows undeclared parameters.
    """
    return name_of(tool) + TypeWriter(defaults=defaults).members(tool.args)


def fingerprint(*tools: Tool) -> str:
    """Return a hash of the tools' signatures: 8 hexadecimal digits (R-702)."""
    import hashlib  # noqa: PLC0415 - loads OpenSSL, which few programs need

    lines = sorted(signature(tool, defaults=False) for tool in tools)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:8]


class TypeWriter:
    """Writes the types of parameters."""

    def __init__(self, *, defaults: bool = True) -> None:
        self._defaults = defaults
        self._texts: dict[int, str] = {}  # the texts of types, by identity

    def members(self, members: Object) -> str:
        return f"({' '.join(text for text, _ in self.parts(members))})"

    def parts(self, members: Object) -> Iterator[tuple[str, Param | None]]:
        for param in members.params:
            yield self._param(param), param
        if members.extra:
            yield f"{MORE}:{self.type(members.extra)}", None

    def _param(self, param: Param) -> str:
        mark = "" if param.required else "?"
        kind = self.type(param.type)
        text = f"{spell_member(param.name)}{mark}" + ("" if kind == "str" else f":{kind}")
        if self._defaults and not param.required and param.default is not None:
            text += f"={_default(param.default)}"
        return text

    def type(self, node: Type) -> str:
        """Write a type: the kinds of values in a fixed order, separated by `|`.

        All references to a definition share its type, which is written only once. Otherwise the
        work would double with each definition that refers to the next one twice.
        """
        text = self._texts.get(id(node))
        if text is None:
            text = self._texts[id(node)] = self.spell_type(node)
        return text

    def spell_type(self, node: Type) -> str:
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
            parts.append(f"[{self.type(node.array.items)}]")
        if node.object and node.object.is_map and node.object.extra:
            parts.append(f"{{{self.type(node.object.extra)}}}")
        elif node.object:
            parts.append(self.object(node.object))
        if node.null:
            parts.append("null")
        text = "|".join(parts) or "never"
        return "any" if text == _ANY_KIND else text

    def object(self, members: Object) -> str:
        if members.branches:
            return "|".join(dict.fromkeys(self.object(branch) for branch in members.branches))
        return self.members(members)


def name_of(tool: Tool) -> str:
    """Return a tool's name for its signature, as `alias=name` if the tool has an alias."""
    own = _name(tool.name)
    return f"{_name(tool.alias)}={own}" if tool.alias else own


def spell_member(name: str) -> str:
    """Write the name of a member, in quotes if it looks like the mark `...`."""
    return f'"{name}"' if name == MORE else _name(name)


def _name(name: str) -> str:
    return name if NAME.fullmatch(name) else _quoted(name)


def _quoted(text: str) -> str:
    """Write a string in quotes, or as `@` and JSON if quotes are impossible or unsafe."""
    text = str.__str__(text)  # members of an enumeration format differently
    if not STEERING.search(text) and (found := quoted(text)):
        return found
    import json  # noqa: PLC0415 - rarely needed, and takes long to import

    escaped = json.dumps(text, ensure_ascii=False)
    return "@" + STEERING.sub(lambda match: json.dumps(match[0])[1:-1], escaped)


def _label(value: str) -> str:
    is_other = value in TYPE_NAMES or value.startswith("@")
    return _quoted(value) if is_other else _text(value)


def _text(value: str) -> str:
    is_bare = BARE.fullmatch(value) and ANY.takes_bare(value)
    return str.__str__(value) if is_bare else _quoted(value)


def _default(value: JSON) -> str:
    """Write a default value as in a call."""
    if isinstance(value, bool) or value is None:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        return spell_number(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list):
        return f"[{' '.join(map(_default, value))}]"
    return f"{{{' '.join(f'{_name(k)} {_default(v)}' for k, v in value.items())}}}"
