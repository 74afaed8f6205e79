"""Write the signatures of tools (§7).

    weather.v1(city days:int unit:C|F note?="none")

A parameter without a type is a string. The text is unambiguous, so `lton.schema.shown.parse` can
read it: a label that looks like the name of a type is quoted. A label that could end the line or
control a terminal is escaped, so no label can imitate another tool.
"""

from collections.abc import Iterator

from lton._syntax import BARE, NAME, STEERING, spell_number, try_write_quoted
from lton.schema.types import (
    ANY,
    FORMAT_NAMES,
    JSON,
    Array,
    Number,
    Object,
    Param,
    Recursion,
    String,
    Tool,
    Type,
)

TYPE_NAMES = frozenset(["any", "bool", "false", "int", "never", "null", "num", "str", "true"])
MORE = "..."  # the mark for undeclared members
_BEYOND_LIMITS = 2**53 - 1  # a bound of this size only says what a program can hold
_MOST_OF_A_HINT = 24  # characters of an example or a pattern
_ANY_KIND = "str|num|bool|[any]|{any}|null"


def write_signature(tool: Tool) -> str:
    """Write a tool on one line: its name, and its parameters with their types.

    `?` marks optional parameters, `=` precedes a default, and `...` allows undeclared parameters.
    Limits are left out.
    """
    return name_of(tool) + TypeWriter().write_members(tool.args)


def make_fingerprint(*tools: Tool) -> str:
    """Return a hash of the tools' signatures: 8 hexadecimal digits (R-702)."""
    import hashlib  # noqa: PLC0415 - loads OpenSSL, which few programs need

    lines = sorted(name_of(tool) + _LayoutWriter().write_members(tool.args) for tool in tools)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:8]


def hint_of(param: Param) -> str:
    """Return the hint on the values of a parameter: a short example, or a short pattern (R-704).

    An example that the description contains, or that is the default, is not repeated.
    """
    for example in param.examples:
        text = _write_default(example)
        is_told = isinstance(example, str) and example in param.description
        is_default = param.has_default and text == _write_default(param.default)
        if len(text) <= _MOST_OF_A_HINT and not is_told and not is_default:
            return f"e.g. {text}"
    is_plain = not STEERING.search(param.pattern) and param.pattern not in param.description
    if is_plain and len(param.pattern) <= _MOST_OF_A_HINT:
        return f"pattern {param.pattern}"
    return ""


class TypeWriter:
    """Writes the types of parameters, with their limits if wanted (R-703)."""

    shows_defaults = True
    type_names = TYPE_NAMES | FORMAT_NAMES  # labels with these names are quoted

    def __init__(self, *, limits: bool = False) -> None:
        self.shows_limits = limits
        self._texts: dict[int, str] = {}  # the texts of types, by identity

    def write_members(self, members: Object) -> str:
        return f"({' '.join(text for text, _ in self.iterate_parts(members))})"

    def iterate_parts(self, members: Object) -> Iterator[tuple[str, Param | None]]:
        for param in members.params:
            yield self._write_param(param), param
        if members.extra:
            yield f"{MORE}:{self.write_type(members.extra)}", None

    def _write_param(self, param: Param) -> str:
        mark = "" if param.required else "?"
        kind = self.write_type(param.type)
        text = f"{spell_member(param.name)}{mark}" + ("" if kind == "str" else f":{kind}")
        if self.shows_defaults and not param.required and param.default is not None:
            text += f"={_write_default(param.default)}"
        return text

    def write_type(self, node: Type) -> str:
        """Write a type: the kinds of values in a fixed order, separated by `|`.

        All references to a definition share its type, which is written only once. Otherwise the
        work would double with each definition that refers to the next one twice.
        """
        text = self._texts.get(id(node))
        if text is None:
            text = self._texts[id(node)] = self.write_type_kinds(node)
        return text

    def write_type_kinds(self, node: Type) -> str:
        if node == ANY:
            return self.write_recursion(node.recursion) if node.recursion else "any"
        parts: list[str] = []
        if node.string:
            parts += self._write_string_kinds(node.string)
        if node.number:
            parts += self._write_number_kinds(node.number)
        if node.booleans:
            parts.append(_boolean_kind(node.booleans))
        if node.array:
            parts.append(self._write_array_kind(node.array))
        if node.object:
            parts.append(self._write_object_kind(node.object))
        if node.null:
            parts.append("null")
        text = "|".join(parts) or "never"
        return "any" if text == _ANY_KIND else text

    def write_recursion(self, _recursion: Recursion) -> str:
        return "any"

    def _write_string_kinds(self, node: String) -> list[str]:
        if node.values is not None:
            return [self._write_label_of_type(value) for value in node.values]
        if not self.shows_limits:
            return ["str"]
        return [node.format or f"str{_range_of_sizes(node.min_length, node.max_length)}"]

    def _write_number_kinds(self, node: Number) -> list[str]:
        if node.values is not None:
            return [spell_number(value) for value in node.values]
        kind = "int" if node.integer else "num"
        return [f"{kind}{_range_of_numbers(node)}" if self.shows_limits else kind]

    def _write_array_kind(self, node: Array) -> str:
        """Write an array. A tuple has the types of its positions, and then of further items."""
        if not self.shows_limits:
            return f"[{self.write_type(node.items)}]"
        least = node.min_items
        most = node.max_items
        parts = [self.write_type(position) for position in node.positions]
        if len(parts) < 2 and (not parts or node.further is None):
            return f"[{self.write_type(node.items)}]{_range_of_sizes(least, most)}"
        usual_most: int | None = len(parts)
        if node.further is not None:
            parts.append(f"{MORE}:{self.write_type(node.further)}")
            usual_most = None
        is_usual = (least, most) == (len(node.positions), usual_most)
        return f"[{' '.join(parts)}]{'' if is_usual else _range_of_sizes(least, most)}"

    def _write_object_kind(self, node: Object) -> str:
        if node.is_map and node.extra:
            return f"{{{self.write_type(node.extra)}}}"
        return self.write_object(node)

    def _write_label_of_type(self, value: str) -> str:
        is_other = value in self.type_names or value.startswith("@")
        return _write_quoted(value) if is_other else _write_label(value)

    def write_object(self, members: Object) -> str:
        if members.branches:
            return "|".join(dict.fromkeys(self.write_object(branch) for branch in members.branches))
        return self.write_members(members)


class _LayoutWriter(TypeWriter):
    """Writes only the layout, which the fingerprint hashes (R-702)."""

    shows_defaults = False
    type_names = TYPE_NAMES


def _boolean_kind(values: tuple[bool, ...]) -> str:
    return "bool" if len(values) > 1 else str(values[0]).lower()


def _range_of_sizes(least: int, most: int | None) -> str:
    return _write_range(_write_bound(least or None), _write_bound(most))


def _range_of_numbers(node: Number) -> str:
    """Write the bounds of numbers. `>` and `<` mark bounds that are not allowed themselves."""
    low = _write_bound(node.minimum)
    high = _write_bound(node.maximum)
    above = _write_bound(node.exclusive_minimum, ">")
    below = _write_bound(node.exclusive_maximum, "<")
    if above and not (low and node.minimum > node.exclusive_minimum):  # type: ignore[operator]
        low = above
    if below and not (high and node.maximum < node.exclusive_maximum):  # type: ignore[operator]
        high = below
    return _write_range(low, high)


def _write_bound(value: float | None, mark: str = "") -> str:
    """Write a bound, but not one that only says which integers a program can hold."""
    if value is None or not abs(value) < _BEYOND_LIMITS:
        return ""
    return mark + spell_number(value)


def _write_range(low: str, high: str) -> str:
    if low == high:
        return f"({low})" if low else ""
    return f"({low}..{high})"


def name_of(tool: Tool) -> str:
    """Return a tool's name for its signature, as `alias=name` if the tool has an alias."""
    own = _write_name(tool.name)
    return f"{_write_name(tool.alias)}={own}" if tool.alias else own


def spell_member(name: str) -> str:
    """Write the name of a member, in quotes if it looks like the mark `...`."""
    return f'"{name}"' if name == MORE else _write_name(name)


def _write_name(name: str) -> str:
    return name if NAME.fullmatch(name) else _write_quoted(name)


def _write_quoted(text: str) -> str:
    """Write a string in quotes, or as `@` and JSON if quotes are impossible or unsafe."""
    text = str.__str__(text)  # members of an enumeration format differently
    if not STEERING.search(text) and (quoted := try_write_quoted(text)):
        return quoted
    import json  # noqa: PLC0415 - rarely needed, and takes long to import

    escaped = json.dumps(text, ensure_ascii=False)
    return "@" + STEERING.sub(lambda match: json.dumps(match[0])[1:-1], escaped)


def _write_label(value: str) -> str:
    is_bare = BARE.fullmatch(value) and ANY.takes_bare(value)
    return str.__str__(value) if is_bare else _write_quoted(value)


def _write_default(value: JSON) -> str:
    """Write a default value as in a call."""
    if isinstance(value, bool) or value is None:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        return spell_number(value)
    if isinstance(value, str):
        return _write_label(value)
    if isinstance(value, list):
        return f"[{' '.join(map(_write_default, value))}]"
    return f"{{{' '.join(f'{_write_name(k)} {_write_default(v)}' for k, v in value.items())}}}"
