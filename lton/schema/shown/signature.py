"""Types to the compact text that a model is shown, and that the fingerprint is made of (§7).

    weather.v1(city days:int unit:C|F note?="none")

A parameter without a type is a string. A label that could be read as the name of a type is quoted,
so that the text has one reading: `lton.schema.shown.prompt` reads it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, count

from lton._syntax import NAME, spell_name, spell_number, spell_text
from lton.schema.types import ANY, JSON, Object, Param, Tool, Type

TYPE_NAMES = frozenset(["any", "bool", "false", "int", "never", "null", "num", "str", "true"])
MORE = "..."
"""Stands for the members that are not declared."""
_ANY_KIND = "str|num|bool|[any]|{any}|null"
_WORTH_A_NAME = 20
"""Characters of an object's signature from which on it is worth a name if it occurs twice."""


_TYPES = (
    "Tools: name(parameter:type ...), or a line for each parameter. No type means text; ? means"
    " optional; =x is the default; a|b is a choice; [T] is a list, {T} a map, (...) an object, @x"
    " an object above. Call one:"
)
PRIMERS = {
    "wire": f'{_TYPES} its name and the values in this order, with spaces between; "quotes" around'
    " text with spaces; lists as [a b], objects as (a b), maps as {key value}; _ for what you leave"
    " out, or name=value.",
    "keyed": f'{_TYPES} its name, then name=value for each, with spaces between; "quotes" around'
    " text with spaces; lists as [a b], objects as (name=a), maps as {key value}.",
    "punctuated": f'{_TYPES} name(parameter=value, ...); text in "quotes"; lists as [a, b], objects'
    " as (name=a), maps as {key value}.",
}
"""What explains the notation to a model, for each form that it may write."""


def signature(tool: Tool, *, defaults: bool = True) -> str:
    """Get a tool as one line: its name, and its parameters in layout order with their types.

    `?` marks what may be left out, `=` shows a default, `...` takes members that are not declared.
    """
    return _name(tool) + _Writer(defaults=defaults).members(tool.args)


def spell_type(node: Type) -> str:
    """Get a type as signatures have it; strings, which they leave out, as `str`."""
    return _Writer().type(node)


def fingerprint(*tools: Tool) -> str:
    """Get 8 hexadecimal digits of the SHA-256 of the signatures, without defaults (R-702)."""
    import hashlib  # noqa: PLC0415 - loads OpenSSL, which few programs need

    lines = sorted(signature(tool, defaults=False) for tool in tools)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:8]


def write_prompt(tools: Iterable[Tool], *, descriptions: bool) -> str:
    """Get what a model is shown: a line a tool; with descriptions, also a line a parameter.

    An object that is in it more than once has a line and a name of its own.
    """
    tools = list(tools)
    writer = _Writer(descriptions=descriptions)
    definitions = list(writer.define([tool.args for tool in tools]))
    return "\n".join(chain(definitions, map(writer.tool, tools)))


class _Writer:
    """Writes types; objects that have a name by their name."""

    def __init__(self, *, defaults: bool = True, descriptions: bool = False) -> None:
        self._defaults = defaults
        self._descriptions = descriptions
        self._names: dict[str, str] = {}
        """Names of objects, by their text: signature and descriptions."""

    # --- tools ----------------------------------------------------------------------------------

    def tool(self, tool: Tool) -> str:
        name = _name(tool)
        if not self._descriptions:
            return name + self.members(tool.args)
        lines = [_described(name, tool.description)]
        for text, param in self._parts(tool.args):
            lines.append(" " + _described(text, param.description if param else ""))
            if param:
                lines += self._inner_descriptions(param.type, spell_member(param.name))
        return "\n".join(lines)

    def define(self, roots: Iterable[Object]) -> Iterator[str]:
        """Give a name to each object that occurs there twice; get the lines that say so."""
        found = [(name, node) for root in roots for name, node in _objects(root)]
        texts = [self._text(node) for _, node in found]
        often = Counter(texts)
        taken: set[str] = set()
        for (name, node), text in zip(found, texts, strict=True):
            if often[text] < 2 or len(text) < _WORTH_A_NAME or text in self._names:
                continue
            line = self.members(node)  # what is in it has its name by now
            base = name if NAME.fullmatch(name) else "object"
            unique = next(n for n in _numbered(base) if n not in taken)
            taken.add(unique)
            self._names[text] = f"@{unique}"
            lines = [f"@{unique}={line}"]
            if self._descriptions:
                lines += self._member_descriptions(node, "")
            yield "\n".join(lines)

    def _text(self, node: Object) -> str:
        plain = _Writer(defaults=self._defaults)
        about = list(plain._member_descriptions(node, "")) if self._descriptions else []
        return "\n".join([plain.members(node), *about])

    def _inner_descriptions(self, node: Type, path: str) -> Iterator[str]:
        if node == ANY:
            return
        if node.array:
            yield from self._inner_descriptions(node.array.items, path)
        members = node.object
        if members is None or (self._names and self._text(members) in self._names):
            return
        yield from self._member_descriptions(members, f"{path}.")

    def _member_descriptions(self, members: Object, prefix: str) -> Iterator[str]:
        for param in members.params:
            path = f"{prefix}{spell_member(param.name)}"
            if line := _one_line(param.description):
                yield f"  {path} {line}"
            yield from self._inner_descriptions(param.type, path)
        if members.extra:
            yield from self._inner_descriptions(members.extra, f"{prefix}{MORE}")

    # --- types ----------------------------------------------------------------------------------

    def members(self, members: Object) -> str:
        return f"({' '.join(text for text, _ in self._parts(members))})"

    def _parts(self, members: Object) -> Iterator[tuple[str, Param | None]]:
        for param in members.params:
            yield self._param(param), param
        if members.extra:
            yield f"{MORE}:{self.type(members.extra)}", None

    def _param(self, param: Param) -> str:
        mark = "" if param.required else "?"
        kind = self.type(param.type)
        text = f"{spell_member(param.name)}{mark}" + ("" if kind == "str" else f":{kind}")
        if self._defaults and param.has_default and param.default is not None:
            text += f"={_default(param.default)}"
        return text

    def type(self, node: Type) -> str:
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
            parts.append(f"[{self.type(node.array.items)}]")
        if node.object and node.object.is_map and node.object.extra:
            parts.append(f"{{{self.type(node.object.extra)}}}")
        elif node.object:
            parts.append(self._object(node.object))
        if node.null:
            parts.append("null")
        text = "|".join(parts) or "never"
        return "any" if text == _ANY_KIND else text

    def _object(self, members: Object) -> str:
        if self._names and (name := self._names.get(self._text(members))):
            return name
        return self.members(members)


def _name(tool: Tool) -> str:
    own = spell_name(tool.name)
    return f"{spell_name(tool.alias)}={own}" if tool.alias else own


def spell_member(name: str) -> str:
    """Get the name of a member as a signature has it: not like the mark of the undeclared ones."""
    return f'"{name}"' if name == MORE else spell_name(name)


def _objects(root: Object, name: str = "") -> Iterator[tuple[str, Object]]:
    """Get every object with members inside of this one, inner ones first, each with its name."""
    for inner, node in [(p.name, p.type) for p in root.params] + [(name, root.extra or Type())]:
        yield from _objects_of(node, inner)


def _objects_of(node: Type, name: str) -> Iterator[tuple[str, Object]]:
    if node == ANY:
        return
    if node.array:
        yield from _objects_of(node.array.items, name)
    if node.object:
        yield from _objects(node.object, name)
        if node.object.params:
            yield name, node.object


def _numbered(base: str) -> Iterator[str]:
    yield base
    yield from (f"{base}{number}" for number in count(2))


def _label(value: str) -> str:
    bare = ANY.takes_bare(value) and value not in TYPE_NAMES and not value.startswith("@")
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


def _described(text: str, description: str) -> str:
    line = _one_line(description)
    return f"{text} {line}" if line else text


def _one_line(text: str) -> str:
    return " ".join(text.split())
