"""Find the calls in a JSON value, and everything in the value that no call used.

*Theory of operation.* The value is walked from its root through lists and envelopes. An object is a
call if one of its keys holds a tool's name, and another one the arguments. If both keys are known,
the object is a call even if the arguments do not fit, so that the reader reports an error. If one
of them is unknown, the arguments have to fit the tool's schema.

Nothing is dropped: a key or an element that no call used and that is not metadata is *left*, and
makes all calls of the value uncertain. A tool's name without arguments is *unread*, an error.
"""

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import chain

from lton._patterns import compiled_when_used
from lton.lenient._call_elements import MAX_ENVELOPES, CallShape, empty_group
from lton.lenient._json_keys import (
    ARGUMENTS,
    NAMES,
    TELLING,
    envelopes_of,
    is_empty,
    is_metadata,
    is_own_type,
    may_name,
)
from lton.lenient._shown_calls import is_definition
from lton.lenient._strings import TAG, Strings
from lton.lenient._tree import JSON_OBJECT, Bracketed, Entry, Leaf, Loose, Tree, Unreadable
from lton.schema.types import Tool

_PREFIX = compiled_when_used(r"(?:functions|default_api)\.")
_JSON_IN_STRING = compiled_when_used(rf"\s*+(?:(?:{TAG.pattern})\s*+)*+(?=[\[{{])")
_MAX_STRING = 100_000  # the number of characters of a string that is searched for a call


@dataclass(frozen=True, slots=True)
class JSONCalls:
    """The calls in a JSON value, with the positions of what no call used."""

    shapes: tuple[CallShape, ...] = ()
    leftover: tuple[int, ...] = ()  # keys and elements that may belong to the arguments of a call
    unread: tuple[int, ...] = ()  # names of tools without arguments, and calls in strings


_NOTHING = JSONCalls()


@dataclass(frozen=True, slots=True)
class JSONReader:
    """Finds the calls in JSON values.

    `bare` has the names of tools that may be called without arguments. `fits` returns whether a
    value fits a tool's schema as its arguments.
    """

    tools: Mapping[str, Tool]
    bare: Container[str]
    fits: Callable[[str, Tree], bool]

    def find_calls(self, node: Tree, depth: int = 0) -> JSONCalls:
        """Find the calls in a value. Calls in other data are only quoted, so they are not read."""
        if isinstance(node, Leaf) or depth > MAX_ENVELOPES or _is_chat(node):
            return _NOTHING
        if node.opener == "[":
            return self._find_in_list(node, depth)
        return self._find_in_object(node, depth)

    def _find_in_list(self, node: Bracketed, depth: int) -> JSONCalls:
        parts = [(entry, self.find_calls(entry.value, depth + 1)) for entry in node.entries]
        unused = (
            entry.start
            for entry, inner in parts
            if not (inner.shapes or inner.unread or is_empty(entry.value))
        )
        shapes = chain.from_iterable(inner.shapes for _, inner in parts)
        leftover = chain(chain.from_iterable(inner.leftover for _, inner in parts), unused)
        unread = chain.from_iterable(inner.unread for _, inner in parts)
        return JSONCalls(tuple(shapes), tuple(leftover), tuple(unread))

    def _find_in_object(self, node: Bracketed, depth: int) -> JSONCalls:
        fields: dict[str | None, Entry] = {}
        for entry in node.entries:
            fields.setdefault(entry.key, entry)  # the first of duplicates
        opened = self._find_in_envelope(node, fields, depth)
        if opened.shapes:
            return opened
        if is_definition(node, self.tools):
            return _NOTHING
        if calls := self._try_read_named_call(
            node, fields
        ) or self._try_read_call_with_unknown_keys(node):
            return calls
        if all(e.key in self.tools and isinstance(e.value, Bracketed) for e in node.entries):
            shapes = (CallShape(e.start, e.key or "", e.start, e.value) for e in node.entries)
            return JSONCalls(tuple(shapes))
        unread = opened.unread or self._name_without_call(node) or self._call_in_string(node)
        return replace(_NOTHING, unread=unread)

    # --- envelopes ------------------------------------------------------------------------------

    def _find_in_envelope(
        self, node: Bracketed, fields: Mapping[str | None, Entry], depth: int
    ) -> JSONCalls:
        """Find the calls in the first envelope with calls. All other keys are unused."""
        unread: tuple[int, ...] = ()
        for key in envelopes_of(node):
            inner = self.find_calls(fields[key].value, depth + 1)
            if inner.shapes:
                return self._with_unused_entries(inner, _other_entries(node, fields[key]))
            unread += inner.unread
        return replace(_NOTHING, unread=unread)

    def _with_unused_entries(self, inner: JSONCalls, entries: list[Entry]) -> JSONCalls:
        leftover, others = _unused_entries(entries, {shape.name for shape in inner.shapes})
        second = next((e.start for e in entries if self._names_other_tool(e, inner.shapes)), None)
        shapes = (
            replace(
                shape,
                second=second if shape.second is None else shape.second,
                other_keys=(*shape.other_keys, *others),
            )
            for shape in inner.shapes
        )
        return JSONCalls(tuple(shapes), (*inner.leftover, *leftover), inner.unread)

    def _names_other_tool(self, entry: Entry, shapes: Iterable[CallShape]) -> bool:
        name = entry.value.text if entry.key in NAMES and isinstance(entry.value, Leaf) else None
        return name in self.tools and any(name != shape.name for shape in shapes)

    # --- objects --------------------------------------------------------------------------------

    def _try_read_named_call(
        self, node: Bracketed, fields: Mapping[str | None, Entry]
    ) -> JSONCalls | None:
        """Return the call of an object with known keys for the name and the arguments."""
        names = [fields[key] for key in NAMES if key in fields]
        arguments = [fields[key] for key in ARGUMENTS if key in fields]
        if not names or not isinstance(names[0].value, Leaf):
            return None
        name = names[0].value
        leftover, others = _unused_entries(
            _other_entries(node, names[0], *arguments[:1]), {name.text}
        )
        second = self._find_second(node, name, names[1:])
        if not arguments and len(node.entries) == 1 and name.text in self.bare:
            group: Tree = empty_group(name.end)
        elif arguments and (len(arguments) == 1 or name.text in self.tools):
            group = _unwrap_group(arguments[0].value)
        else:
            return None
        if len(arguments) > 1 and second is None:
            second = arguments[1].start
        if arguments and isinstance(group, Bracketed) and group.opener == "[":
            others = (*others, arguments[0].key)  # perhaps a parameter, and not all arguments
        shape = CallShape(node.start, name.text, name.start, group, second, others)
        return JSONCalls((shape,), leftover)

    def _find_second(self, node: Bracketed, name: Leaf, others: list[Entry]) -> int | None:
        """Return the position of a second tool name or second arguments, or None."""
        for other in others:
            value = other.value
            if isinstance(value, Leaf) and value.text != name.text and value.text in self.tools:
                return value.start
        keys = set()
        for entry in node.entries:
            if entry.key in keys and entry.key in TELLING:
                return entry.start
            keys.add(entry.key)
        return None

    def _try_read_call_with_unknown_keys(self, node: Bracketed) -> JSONCalls | None:
        """Return the call of an object by its values, if only one reading is possible."""
        named = [entry for entry in node.entries if self._find_tool_of(entry) is not None]
        if len(named) != 1:
            return None
        (entry,) = named
        name = self._find_tool_of(entry) or ""
        groups = [
            one
            for one in _other_entries(node, entry)
            if self._can_only_be_arguments(one, entry, name)
        ]
        if len(groups) != 1:
            return None
        leftover, others = _unused_entries(_other_entries(node, entry, groups[0]), {name})
        group = _unwrap_group(groups[0].value)
        shape = CallShape(node.start, name, entry.value.start, group, None, others)
        return JSONCalls((shape,), leftover)

    def _find_tool_of(self, entry: Entry) -> str | None:
        """Return the tool that an entry names exactly, perhaps with the prefix of its namespace."""
        if entry.key is None or not isinstance(entry.value, Leaf):
            return None
        name = _PREFIX.sub("", entry.value.text, count=1)
        return name if name in self.tools else None

    def _can_only_be_arguments(self, entry: Entry, named: Entry, name: str) -> bool:
        """Return whether an entry can only be the arguments of the tool that another one names."""
        if entry.key in ARGUMENTS and may_name(named.key or ""):
            return True
        value = entry.value
        if is_empty(value) or not (isinstance(value, Leaf) or value.opener == "{"):
            return False
        is_object = isinstance(value, Bracketed) or value.text.lstrip().startswith("{")
        return is_object and self.fits(name, value)

    # --- what is not read -----------------------------------------------------------------------

    def _name_without_call(self, node: Bracketed) -> tuple[int, ...]:
        """Return the position of a tool's name next to which its arguments are missing."""
        for entry in node.entries:
            name = self._find_tool_of(entry) if entry.key and may_name(entry.key) else None
            if name and self.tools[name].args.by_name:
                return (entry.value.start,)
        return ()

    def _call_in_string(self, node: Bracketed) -> tuple[int, ...]:
        """Return the position of a string with a call, if the object contains nothing else."""
        entries = [
            e for e in node.entries if not (is_metadata(e.key, e.value) or is_empty(e.value))
        ]
        if len(entries) != 1 or not isinstance(entries[0].value, Leaf):
            return ()
        text = entries[0].value.text
        start = _JSON_IN_STRING.match(text)
        if start is None or not _is_json(text, start.end()) or len(text) > _MAX_STRING:
            return ()
        try:
            tree = Loose(Strings(text), len(text)).read_group(start.end(), json=True)
        except Unreadable:
            return ()
        calls = self.find_calls(tree, MAX_ENVELOPES - 2)
        return (entries[0].value.start,) if calls.shapes else ()


def _other_entries(node: Bracketed, *exceptions: Entry) -> list[Entry]:
    starts = {entry.start for entry in exceptions}
    return [entry for entry in node.entries if entry.start not in starts]


def _is_json(text: str, pos: int) -> bool:
    return text[pos] == "[" or JSON_OBJECT.match(text, pos) is not None


def _unused_entries(
    entries: Iterable[Entry], names: Container[str]
) -> tuple[tuple[int, ...], tuple[str | None, ...]]:
    """Return the positions of the entries that are not metadata, and the keys of the others."""
    leftover = []
    others = []
    for entry in entries:
        value = entry.value
        is_name = entry.key in NAMES and isinstance(value, Leaf) and value.text in names
        if is_name or is_empty(value) or is_own_type(entry.key, value):
            continue
        if is_metadata(entry.key, value):
            others.append(entry.key)
        else:
            leftover.append(entry.start)
    return tuple(leftover), tuple(others)


def _unwrap_group(node: Tree) -> Tree:
    if isinstance(node, Leaf) and is_empty(node):
        return empty_group(node.start, node.end)
    return node


def _is_chat(node: Bracketed) -> bool:
    members = (
        member
        for entry in node.entries
        if node.opener == "[" and isinstance(entry.value, Bracketed)
        for member in entry.value.entries
    )
    return any(
        member.key == "role" and isinstance(member.value, Leaf) and member.value.text != "assistant"
        for member in members
    )
