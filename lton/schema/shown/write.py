"""Write the prompt that shows tools to a model."""

from collections import Counter
from collections.abc import Container, Iterable, Iterator
from itertools import chain, count
from typing import NamedTuple

from lton._syntax import NAME, STEERING
from lton.schema.shown.signature import MORE, TypeWriter, hint_of, name_of, spell_member
from lton.schema.types import ANY, FREE, Array, Object, Param, Recursion, Tool, Type

_WORTH_A_NAME = 20  # the minimum length of a repeated object that gets a name
_MOST_VISITS = 2  # an object that occurs twice is treated like one that occurs more often

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
    limits: bool = True,
) -> str:
    """Write the prompt: one line for each tool and, with descriptions, for each parameter.

    An object that occurs more than once gets a name and a line that defines it. With `limits`,
    types have their formats, bounds and lengths, tuples have a type for each position, and the
    inner occurrences of a recursive type have its name (R-703). Tools whose names
    are in `bare` are shown without descriptions. With `choices`, every union of objects is shown
    as `(a)|(b)`, also if its layout is not split (R-438), and calls must use keys.
    """
    tools = list(tools)
    writer = _PromptWriter(descriptions=descriptions, choices=choices, limits=limits)
    definitions = writer.write_definitions(tools, bare)
    lines = (writer.write_tool(tool, bare=tool.name in bare) for tool in tools)
    return "\n".join(chain(definitions, lines))


class _ChoiceWriter(TypeWriter):
    """Writes types. With `choices`, a union of objects is written as its alternatives."""

    def __init__(self, *, choices: bool, limits: bool) -> None:
        super().__init__(limits=limits)
        self._choices = choices

    def write_type_kinds(self, node: Type) -> str:
        if node == ANY and node.object and len(self.choices_of(node.object)) > 1:
            return self.write_object(node.object)
        return super().write_type_kinds(node)

    def write_object(self, members: Object) -> str:
        branches = self.choices_of(members)
        if len(branches) > 1:
            texts = ("any" if branch == FREE else self.write_object(branch) for branch in branches)
            return "|".join(dict.fromkeys(texts))
        return self.write_one_object(members)

    def write_one_object(self, members: Object) -> str:
        return self.name_of(members) or self.write_members(members)

    def name_of(self, _members: Object) -> str:
        return ""

    def join_union(self, name: str, recursion: Recursion) -> str:
        """Write the name of a recursive object and the other types of its union."""
        return name if recursion.others is None else f"{name}|{self.write_type(recursion.others)}"

    def describe_param(self, param: Param) -> str:
        """Return the description of a parameter, with a hint on its values if limits are shown."""
        hint = hint_of(param) if self.shows_limits else ""
        return " ".join(filter(None, [_one_line(param.description), _one_line(hint)]))

    def description_lines(self, descriptions: Iterable[tuple[str, str]]) -> list[str]:
        """Write one line for each path, because a program that reads the prompt expects one.

        With `choices`, each description of a path is written, because only models read the prompt.
        """
        lines: dict[str, str] = {}
        for path, text in descriptions:
            line = f"  {path} {text}"
            lines.setdefault(line if self._choices else path, line)
        return list(lines.values())

    def iterate_inner_descriptions(self, node: Type, path: str) -> Iterator[tuple[str, str]]:
        """Yield the paths of the members inside a type, with their descriptions."""
        if node is ANY:
            return
        if node.array:
            yield from self.iterate_inner_descriptions(node.array.items, path)
        for members in self.choices_of(node.object) if node.object else ():
            if not self.name_of(members):
                yield from self.iterate_member_descriptions(members, f"{path}.")

    def iterate_member_descriptions(
        self, members: Object, prefix: str
    ) -> Iterator[tuple[str, str]]:
        for param in members.params:
            path = f"{prefix}{spell_member(param.name)}"
            if line := self.describe_param(param):
                yield path, line
            yield from self.iterate_inner_descriptions(param.type, path)
        if members.extra:
            yield from self.iterate_inner_descriptions(members.extra, f"{prefix}{MORE}")

    def choices_of(self, members: Object) -> tuple[Object, ...]:
        if members.branches:
            return tuple(chain.from_iterable(map(self.choices_of, members.branches)))
        return members.choices if self._choices and members.choices else (members,)


class _StartWriter(_ChoiceWriter):
    """Writes only the start of each inner object, which shows whether the object is long."""

    def write_one_object(self, members: Object) -> str:
        return self.write_members(members)[:_WORTH_A_NAME]

    def is_long(self, members: Object, *, descriptions: bool) -> bool:
        """Return whether an object is long enough for a name."""
        start = self.write_members(members)
        if len(start) < _WORTH_A_NAME and descriptions:  # only a small object is read again
            start = "\n".join(
                [start, *self.description_lines(self.iterate_member_descriptions(members, ""))]
            )
        return len(start) >= _WORTH_A_NAME


class _KeyWriter(_ChoiceWriter):
    """Gives objects keys, which are equal if the objects have the same text and descriptions.

    The text of an object may be exponentially longer than its schema. In a key, a number stands
    for each inner object.
    """

    def __init__(self, *, descriptions: bool, choices: bool, limits: bool) -> None:
        super().__init__(choices=choices, limits=limits)
        self._descriptions = descriptions
        self._keys: dict[int, str] = {}  # by the identity of the object
        self._by_text: dict[str, str] = {}

    def write_key(self, members: Object) -> str:
        key = self._keys.get(id(members))
        if key is None:
            lines = [self.write_members(members)]
            if self._descriptions:
                lines += [f"{param.name} {self.describe_param(param)}" for param in members.params]
            key = self._by_text.setdefault("\n".join(lines), f"@{len(self._by_text)}")
            self._keys[id(members)] = key
        return key

    def write_one_object(self, members: Object) -> str:
        return self.write_key(members)

    def write_recursion(self, recursion: Recursion) -> str:
        return self.join_union(f"@ {recursion.name}", recursion)


class _NamedObject(NamedTuple):
    """An object inside the arguments of a tool, which may get a name."""

    tool: Tool
    key: str
    base: str  # the name, unless another object has it
    members: Object


class _PromptWriter(_ChoiceWriter):
    def __init__(self, *, descriptions: bool, choices: bool, limits: bool) -> None:
        super().__init__(choices=choices, limits=limits)
        self._descriptions = descriptions
        self._names: dict[str, str] = {}  # the names of objects, by key
        self._recursive: dict[str, dict[str, str]] = {}  # names by schema, by the tool's name
        self._tool = ""  # the name of the tool whose types are written
        self._keys = _KeyWriter(descriptions=descriptions, choices=choices, limits=limits)
        self._starts = _StartWriter(choices=choices, limits=limits)

    def write_recursion(self, recursion: Recursion) -> str:
        name = self._recursive.get(self._tool, {}).get(recursion.name)
        return "any" if name is None else self.join_union(name, recursion)

    def write_tool(self, tool: Tool, *, bare: bool) -> str:
        self._tool = tool.name
        name = name_of(tool)
        if bare or not self._descriptions:
            return name + self.write_members(tool.args)
        lines = [_with_description(name, tool.description)]
        for text, param in self.iterate_parts(tool.args):
            lines.append(" " + _with_description(text, self.describe_param(param) if param else ""))
            if param:
                inner = self.iterate_inner_descriptions(param.type, spell_member(param.name))
                lines += self.description_lines(inner)
        return "\n".join(lines)

    def write_definitions(self, tools: Iterable[Tool], bare: Container[str]) -> list[str]:
        """Name the objects that occur several times or inside themselves, and define the names."""
        objects = [
            _NamedObject(tool, self._keys.write_key(node), self._base_name(name, node), node)
            for tool in tools
            for name, node in self._iterate_named_objects(tool.args, Counter())
        ]
        named = self._choose_names(objects, self._name_arguments(tools))
        described = {one.key for one in objects if one.tool.name not in bare}
        return [self._write_definition(one, is_told=one.key in described) for one in named]

    def _name_arguments(self, tools: Iterable[Tool]) -> set[str]:
        """Let recursive arguments have the name of their tool. Return the names of such tools."""
        names: set[str] = set()
        for tool in tools:
            name = tool.alias or tool.name
            if self._is_recursive(tool.args) and NAME.fullmatch(name):
                self._recursive[tool.name] = {tool.args.name or "": f"@{name}"}
                names.add(name)
        return names

    def _choose_names(self, objects: list[_NamedObject], names: set[str]) -> list[_NamedObject]:
        often = Counter(one.key for one in objects)
        named: list[_NamedObject] = []
        for one in objects:
            is_recursive = self._is_recursive(one.members)
            is_worth = is_recursive or (often[one.key] > 1 and self._is_long(one.members))
            if is_worth and one.key not in self._names:
                self._names[one.key] = f"@{_take_name(one.base, names)}"
                named.append(one)
            if is_recursive:
                scope = self._recursive.setdefault(one.tool.name, {})
                scope.setdefault(one.members.name or "", self._names[one.key])
        return named

    def _write_definition(self, one: _NamedObject, *, is_told: bool) -> str:
        self._tool = one.tool.name
        lines = [f"{self._names[one.key]}={self.write_members(one.members)}"]
        if self._descriptions and is_told:
            lines += self.description_lines(self.iterate_member_descriptions(one.members, ""))
        return "\n".join(lines)

    def _is_long(self, members: Object) -> bool:
        return self._starts.is_long(members, descriptions=self._descriptions)

    def _is_recursive(self, members: Object) -> bool:
        """Return whether an inner occurrence of an object is shown by the object's name."""
        if not self.shows_limits or members.name is None:
            return False
        return _refers_to(members, members.name, set())

    def _base_name(self, name: str, members: Object) -> str:
        if self._is_recursive(members) and members.name:
            name = members.name
        return name if NAME.fullmatch(name) else "object"

    def name_of(self, members: Object) -> str:
        return self._names.get(self._keys.write_key(members), "") if self._names else ""

    def _iterate_named_objects(
        self, root: Object, visits: Counter[int], name: str = ""
    ) -> Iterator[tuple[str, Object]]:
        """Yield the named objects inside an object, innermost first.

        The content of a type that occurs more than twice is yielded only twice. `visits` counts
        the visits of types, by identity.
        """
        inner = [(param.name, param.type) for param in root.params]
        for inner_name, node in [*inner, (name, root.extra or ANY)]:
            yield from self._iterate_named_objects_in(node, visits, inner_name)

    def _iterate_named_objects_in(
        self, node: Type, visits: Counter[int], name: str
    ) -> Iterator[tuple[str, Object]]:
        visits[id(node)] += 1
        if node is ANY or visits[id(node)] > _MOST_VISITS:
            return
        if node.array:
            yield from self._iterate_named_objects_in(node.array.items, visits, name)
        for members in self.choices_of(node.object) if node.object else ():
            yield from self._iterate_named_objects(members, visits, name)
            if members.params:
                yield name, members


def _refers_to(members: Object, name: str, visited: set[int]) -> bool:
    """Return whether a schema with this name recurs inside an object."""
    inner = [param.type for param in members.params]
    inner += [] if members.extra is None else [members.extra]
    if any(_recurs_in(node, name, visited) for node in inner):
        return True
    return any(_refers_to(branch, name, visited) for branch in members.branches)


def _recurs_in(node: Type, name: str, visited: set[int]) -> bool:
    if node.recursion is not None:
        others = node.recursion.others
        return node.recursion.name == name or (
            others is not None and _recurs_in(others, name, visited)
        )
    if node == ANY or id(node) in visited:
        return False
    visited.add(id(node))
    items = _item_types(node.array) if node.array else []
    if any(_recurs_in(item, name, visited) for item in items):
        return True
    return node.object is not None and _refers_to(node.object, name, visited)


def _item_types(array: Array) -> list[Type]:
    types = [array.items, *array.positions]
    return types if array.further is None else [*types, array.further]


def _take_name(base: str, names: set[str]) -> str:
    """Return the first name that is free, such as `node`, `node2`, and add it to `names`."""
    numbered = (f"{base}{number}" for number in count(2))
    name = next(name for name in chain([base], numbered) if name not in names)
    names.add(name)
    return name


def _with_description(text: str, description: str) -> str:
    line = _one_line(description)
    return f"{text} {line}" if line else text


def _one_line(text: str) -> str:
    """Join the lines of a string and remove characters that control a terminal or reverse text."""
    return STEERING.sub("\ufffd", " ".join(text.split()))
