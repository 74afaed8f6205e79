"""Write the prompt that shows tools to a model."""

from collections import Counter
from collections.abc import Container, Iterable, Iterator
from itertools import chain, count

from lton._syntax import NAME, STEERING
from lton.schema.shown.signature import MORE, TypeWriter, name_of, spell_member
from lton.schema.types import ANY, FREE, Object, Tool, Type

_WORTH_A_NAME = 20  # the minimum length of a repeated object that gets a name

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
"""An explanation of the notation, for each form that a model may write."""


def write_prompt(
    tools: Iterable[Tool],
    *,
    descriptions: bool,
    bare: Container[str] = frozenset(),
    choices: bool = False,
) -> str:
    """Write the prompt: one line for each tool and, with descriptions, for each parameter.

    An object that occurs more than once gets a name and a line that defines it. Tools whose names
    are in `bare` are shown without descriptions. With `choices`, a union of objects is shown as
    `(a)|(b)` instead of as the merged layout, and calls must use keys.
    """
    tools = list(tools)
    writer = _PromptWriter(descriptions=descriptions, choices=choices)
    definitions = writer.define(tools, bare)
    lines = (writer.tool(tool, bare=tool.name in bare) for tool in tools)
    return "\n".join(chain(list(definitions), lines))


class _PromptWriter(TypeWriter):
    def __init__(self, *, descriptions: bool, choices: bool) -> None:
        super().__init__()
        self._descriptions = descriptions
        self._choices = choices
        self._names: dict[str, str] = {}  # the names of objects, by signature and descriptions

    def tool(self, tool: Tool, *, bare: bool) -> str:
        name = name_of(tool)
        if bare or not self._descriptions:
            return name + self.members(tool.args)
        lines = [_described(name, tool.description)]
        for text, param in self.parts(tool.args):
            lines.append(" " + _described(text, param.description if param else ""))
            if param:
                inner = self._inner_descriptions(param.type, spell_member(param.name))
                lines += dict.fromkeys(inner)
        return "\n".join(lines)

    def define(self, tools: Iterable[Tool], bare: Container[str]) -> Iterator[str]:
        """Name the objects that occur several times, and yield lines that define the names."""
        found = [(tool, *each) for tool in tools for each in self._objects(tool.args)]
        texts = [self._text(node) for _, _, node in found]
        often, taken = Counter(texts), set[str]()
        told = {
            text for (tool, *_), text in zip(found, texts, strict=True) if tool.name not in bare
        }
        for (_, name, node), text in zip(found, texts, strict=True):
            if often[text] < 2 or len(text) < _WORTH_A_NAME or text in self._names:
                continue
            line = self.members(node)  # objects inside this one already have names
            base = name if NAME.fullmatch(name) else "object"
            unique = next(n for n in _numbered(base) if n not in taken)
            taken.add(unique)
            self._names[text] = f"@{unique}"
            lines = [f"@{unique}={line}"]
            if self._descriptions and text in told:
                lines += self._member_descriptions(node, "")
            yield "\n".join(lines)

    def _text(self, node: Object) -> str:
        plain = _PromptWriter(descriptions=True, choices=self._choices)
        about = list(plain._member_descriptions(node, "")) if self._descriptions else []
        return "\n".join([plain.members(node), *about])

    def _inner_descriptions(self, node: Type, path: str) -> Iterator[str]:
        if node is ANY:
            return
        if node.array:
            yield from self._inner_descriptions(node.array.items, path)
        for members in self._shown(node.object) if node.object else ():
            if not (self._names and self._text(members) in self._names):
                yield from self._member_descriptions(members, f"{path}.")

    def _member_descriptions(self, members: Object, prefix: str) -> Iterator[str]:
        for param in members.params:
            path = f"{prefix}{spell_member(param.name)}"
            if line := _one_line(param.description):
                yield f"  {path} {line}"
            yield from self._inner_descriptions(param.type, path)
        if members.extra:
            yield from self._inner_descriptions(members.extra, f"{prefix}{MORE}")

    def type(self, node: Type) -> str:
        if node == ANY and node.object and len(self._shown(node.object)) > 1:
            return self.object(node.object)
        return super().type(node)

    def object(self, members: Object) -> str:
        shown = self._shown(members)
        if len(shown) > 1:
            texts = ("any" if each == FREE else self.object(each) for each in shown)
            return "|".join(dict.fromkeys(texts))
        if self._names and (name := self._names.get(self._text(members))):
            return name
        return super().object(members)

    def _shown(self, members: Object) -> tuple[Object, ...]:
        return members.choices if self._choices and members.choices else (members,)

    def _objects(self, root: Object, name: str = "") -> Iterator[tuple[str, Object]]:
        """Yield the named objects inside an object, innermost first."""
        inner = [(param.name, param.type) for param in root.params]
        for inner_name, node in [*inner, (name, root.extra or Type())]:
            yield from self._objects_of(node, inner_name)

    def _objects_of(self, node: Type, name: str) -> Iterator[tuple[str, Object]]:
        if node is ANY:
            return
        if node.array:
            yield from self._objects_of(node.array.items, name)
        for members in self._shown(node.object) if node.object else ():
            yield from self._objects(members, name)
            if members.params:
                yield name, members


def _numbered(base: str) -> Iterator[str]:
    yield base
    yield from (f"{base}{number}" for number in count(2))


def _described(text: str, description: str) -> str:
    line = _one_line(description)
    return f"{text} {line}" if line else text


def _one_line(text: str) -> str:
    """Join the lines of a string and remove characters that control a terminal or reverse text."""
    return STEERING.sub("\ufffd", " ".join(text.split()))
