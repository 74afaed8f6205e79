"""Convert a tree of values to arguments that fit the schema, and collect the repairs.

A value that fits without a repair is never repaired. Limits are not checked here. The caller
encodes the call, which checks everything.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace

from lton._patterns import compiled_when_used
from lton._syntax import BARE, LITERALS, MAX_DEPTH, MAX_DIGITS, NUMBER, SKIP, try_read_number
from lton.codec._decode import read_value
from lton.errors import Code, DecodeError, RepairCode, escape
from lton.lenient._strings import Strings, unescape
from lton.lenient._tree import Bracketed, Entry, Leaf, Loose, Tree, Unreadable
from lton.schema.types import ANY, JSON, Object, Param, String, Type

_LOOSE_LITERALS: dict[str, JSON] = {**LITERALS, "none": None}
_LOOSE_NUMBER = compiled_when_used(
    r"([+-]?)(?=\.?[0-9])((?>(?:[0-9]++_)*)[0-9]*+)((?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)"
)
_NUMERIC = compiled_when_used(r"[+-]?\.?[0-9]")
_NO_VALUE = object()
_ESCAPED = compiled_when_used(r"[\[{][\[{\s]*\\\"")  # JSON that was escaped twice


def normalize_name(name: str) -> str:
    """Normalize a name: convert it to lower case, and replace `-` with `_`."""
    return name.casefold().replace("-", "_")


def find_similar_name(name: str, candidates: Iterable[str]) -> str | None:
    """Return the only known name with the same normalized form as `name`, or None."""
    folded = normalize_name(name)
    matches = [other for other in candidates if normalize_name(other) == folded]
    return matches[0] if len(matches) == 1 else None


class Coercion:
    """Converts a tree of values to arguments.

    With `python`, the tree comes from Python, in which text without quotes is never a string.
    """

    def __init__(
        self,
        src: str,
        repairs: Iterable[tuple[int, RepairCode]],
        depth: int = 0,
        *,
        python: bool = False,
    ) -> None:
        self.src = src
        self.depth = depth  # the number of strings that enclose the source
        self.is_python = python
        self.repairs = dict.fromkeys(repairs)
        self.places: dict[str, int] = {}

    def _add_repair(self, code: RepairCode, pos: int) -> None:
        self.repairs[pos, code] = None

    def _make_refusal(self, pos: int, path: str, code: Code, msg: str) -> Unreadable:
        return Unreadable(DecodeError(code, msg, doc=self.src, pos=pos, path=path))

    def position_of(self, path: str) -> int:
        """Return the position of a value, or of the innermost enclosing value that has one."""
        while path not in self.places:
            path = path.rpartition("/")[0]
        return self.places[path]

    # --- members --------------------------------------------------------------------------------

    def convert_members(self, group: Bracketed, node: Object, path: str = "") -> dict[str, JSON]:
        """Convert a group to an object's members: positional values first, then keyed values."""
        if not path:
            self.places[path] = group.end - 1 if group.opener else group.end
        node = _branch_of(group, node)
        names = [self._find_parameter_name(entry, node, path) for entry in group.entries]
        targets = iter(self._positional_parameters(group, names, node, path))
        values: dict[str, JSON] = {}
        assigned: set[str] = set()
        for entry, key in zip(group.entries, names, strict=True):
            param = next(targets) if key is None else node.by_name.get(key)
            name = param.name if param and key is None else key or ""
            if name in assigned:
                raise self._make_refusal(
                    entry.start, path, Code.DUPLICATE, f"{name!r} is given twice"
                )
            assigned.add(name)
            type_ = node.find_type(name)
            assert type_ is not None  # `_find_parameter_name` refuses undeclared names
            value = entry.value
            is_skip = isinstance(value, Leaf) and (value.kind, value.text) == ("word", SKIP)
            if key is None and is_skip:
                continue
            if param and not param.required and self._is_left_out(value, type_):
                self._add_repair(RepairCode.NULL, value.start)
                continue
            values[name] = self.convert_value(value, type_, f"{path}/{escape(name)}")
        return values

    def _find_parameter_name(self, entry: Entry, node: Object, path: str) -> str | None:
        key = entry.key
        if key is None or node.find_type(key) is not None:
            return key
        name = find_similar_name(key, node.by_name)
        if name is None:
            raise self._make_refusal(
                entry.start, path, Code.PARAMETER, f"no parameter {key[:200]!r}"
            )
        self._add_repair(RepairCode.NAME, entry.start)
        return name

    def _positional_parameters(
        self, group: Bracketed, names: list[str | None], node: Object, path: str
    ) -> list[Param]:
        """Return the parameters to which the positional arguments belong.

        If positional arguments follow a keyed one, these are the required parameters that have no
        key. There must be as many of these as arguments, so that no other reading is possible.
        """
        starts = [e.start for e, key in zip(group.entries, names, strict=True) if key is None]
        first_key = next((i for i, key in enumerate(names) if key is not None), len(names))
        targets = list(node.turns)
        if len(starts) > first_key:
            targets = [p for p in targets if p.required and p.name not in names]
            late = starts[first_key]
            if len(targets) != len(starts):
                msg = "expected a keyed argument after a keyed one"
                raise self._make_refusal(late, path, Code.ORDER, msg)
            self._add_repair(RepairCode.ORDER, late)
        if len(starts) > len(targets):
            msg = f"expected at most {len(targets)} positional arguments"
            raise self._make_refusal(starts[len(targets)], path, Code.SURPLUS, msg)
        return targets

    @staticmethod
    def _is_left_out(value: Tree, node: Type) -> bool:
        """Return whether null means that an argument is omitted (its type does not allow null)."""
        if node.null or not isinstance(value, Leaf) or value.text.lower() not in ("null", "none"):
            return False
        labels = node.string.values if node.string else ()
        is_string = labels is None or value.text.lower() in map(str.lower, labels)
        return value.kind == "literal" or (value.kind in ("word", "raw") and not is_string)

    # --- values ---------------------------------------------------------------------------------

    def convert_value(self, value: Tree, node: Type, path: str) -> JSON:
        self.places[path] = value.start
        if isinstance(value, Bracketed):
            return self._convert_group(value, node, path)
        if value.kind == "label" and node.string and node.string.values is None:
            self._add_repair(RepairCode.LENGTH, value.start)
        if value.kind in ("text", "label"):
            return self._convert_text(value, node, path)
        if value.kind in ("raw", "json"):
            return self._convert_raw(value, node, path)
        return self._convert_word(value, node, path)

    def _convert_group(self, group: Bracketed, node: Type, path: str) -> JSON:
        if group.is_table:
            return self._convert_table(group, node, path)
        has_keys = any(entry.key is not None for entry in group.entries)
        if group.opener == "[" and node.array:
            return self._convert_items(group, node.array.items, path)
        if (
            group.opener != "["
            and node.object
            and (group.opener == "{" or not node.object.is_map or has_keys)
        ):
            if not group.json and (group.opener == "{") != node.object.is_map:
                self._add_repair(RepairCode.BRACKETS, group.start)
            return self.convert_members(group, node.object, path)
        if group.opener == "(" and node.array and not has_keys:
            self._add_repair(RepairCode.BRACKETS, group.start)
            return self._convert_items(group, node.array.items, path)
        raise self._unfit_error(group, node, path)

    def _convert_table(self, group: Bracketed, node: Type, path: str) -> JSON:
        table = read_value(self.src, group.start, node)
        if isinstance(table, DecodeError):
            raise self._make_refusal(table.pos, path + table.path, table.code, table.msg)
        return table[0]

    def _convert_items(self, group: Bracketed, items: Type, path: str) -> list[JSON]:
        return [
            self.convert_value(one.value, items, f"{path}/{i}")
            for i, one in enumerate(group.entries)
        ]

    def _unfit_error(self, value: Tree, node: Type, path: str) -> Unreadable:
        text = self.src[value.start : min(value.end, value.start + 40)]
        code = Code.LABEL if node.has_labels and isinstance(value, Leaf) else Code.TYPE
        return self._make_refusal(value.start, path, code, f"expected {node.noun}, found {text!r}")

    def _find_matching_string(self, leaf: Leaf, node: String | None) -> str | None:
        """Return the string, or the allowed string that differs only in case, or None."""
        if node is None:
            return None
        if node.values is None or leaf.text in node.values:
            return leaf.text
        text = leaf.text.casefold()
        labels = [label for label in node.values if label.casefold() == text]
        if len(labels) != 1:
            return None
        self._add_repair(RepairCode.LABEL, leaf.start)
        return labels[0]

    def _convert_text(self, leaf: Leaf, node: Type, path: str) -> JSON:
        text = self._find_matching_string(leaf, node.string)
        if text is None:
            value = self._convert_text_as_json(leaf, node, path)
            self._add_repair(RepairCode.KIND, leaf.start)
            return value
        if text != leaf.text and self._has_other_reading(leaf, node, path):
            raise self._unfit_error(leaf, node, path)
        return text

    def _has_other_reading(self, leaf: Leaf, node: Type, path: str) -> bool:
        """Return whether a listed string in other case may also be another value: `"TRUE"`."""
        try:
            self._convert_text_as_json(leaf, node, path)
        except Unreadable:
            return False
        return True

    def _convert_raw(self, leaf: Leaf, node: Type, path: str) -> JSON:
        """Convert an element's text to the type that the element declares, or to one that fits.

        Text in brackets is read as an array or object if the schema allows this in addition to
        strings. Without a schema, such text is a string. R-304 applies to all other values.
        """
        text = leaf.text.strip()
        is_named = node is not ANY and text.startswith(("[", "{"))
        if node.string and (leaf.kind == "json" or is_named):
            with suppress(Unreadable):
                return self._convert_text_as_json(leaf, node, path)
        if node.takes_bare(text):
            string = self._find_matching_string(leaf, node.string)
            if string is None:  # only a listed string may have white space around it
                string = self._find_matching_string(replace(leaf, text=text), node.string)
            if string is not None:
                return string
        return self._convert_text_as_json(leaf, node, path)

    def _convert_text_as_json(self, leaf: Leaf, node: Type, path: str) -> JSON:
        """Parse a string's text as JSON, because the schema allows no string at this position."""
        if self.depth == MAX_DEPTH:
            msg = f"nested deeper than {MAX_DEPTH}"
            raise self._make_refusal(leaf.start, path, Code.DEPTH, msg)
        text = leaf.text.strip()
        loose = Loose(Strings(text), len(text))
        if leaf.kind == "raw" and _ESCAPED.match(text):
            value = self._convert_text_as_json(
                replace(leaf, text=unescape(text), kind="text"), node, path
            )
            self._add_repair(RepairCode.ESCAPE, leaf.start)
            return value
        try:
            tree = loose.read_value(0, json=True)
            inner = Coercion(text, loose.repairs, self.depth + 1)
            value = inner.convert_value(tree, replace(node, string=None), path)
        except Unreadable as problem:
            if not text.startswith(("{", "[")):
                raise self._unfit_error(leaf, node, path) from None
            inner_error = problem.error
            msg = f"{inner_error.msg}, in the text of a value"
            raise self._make_refusal(leaf.start, inner_error.path, inner_error.code, msg) from None
        if tree.end != len(text):
            raise self._unfit_error(leaf, node, path)
        for _, code in inner.repairs:
            self._add_repair(code, leaf.start)
        return value

    def _convert_word(self, leaf: Leaf, node: Type, path: str) -> JSON:
        """Read a bare word as LTON does if possible, and otherwise as the only value that fits."""
        word = leaf.text
        if len(word) > MAX_DIGITS and node.number and NUMBER.fullmatch(word):
            raise self._make_refusal(
                leaf.start, path, Code.DIGITS, "too many characters of a number"
            )
        if self.is_python and self._is_expression(leaf, node):
            raise self._make_refusal(
                leaf.start, path, Code.TYPE, f"expected a value, found {word[:40]!r}"
            )
        is_bare = leaf.kind != "literal"
        if is_bare and node.takes_bare(word) and word != SKIP:
            text = self._find_matching_string(leaf, node.string)
            if text is not None:
                if not BARE.fullmatch(word):
                    self._add_repair(RepairCode.BARE, leaf.start)
                return text
        value = self._convert_scalar(leaf, node)
        if value is _NO_VALUE and not is_bare and word.lower() not in _LOOSE_LITERALS:
            text = self._find_matching_string(leaf, node.string)
            if text is not None:
                is_digits = NUMBER.fullmatch(word)
                self._add_repair(RepairCode.KIND if is_digits else RepairCode.BARE, leaf.start)
                return text
        if value is _NO_VALUE or (value is None and not node.null):
            raise self._unfit_error(leaf, node, path)
        return value  # type: ignore[return-value]

    @staticmethod
    def _is_expression(leaf: Leaf, node: Type) -> bool:
        """Return whether a bare word can only be an expression of Python, such as a name."""
        word = leaf.text
        if leaf.kind == "phrase":
            return True
        is_listed = node.string is not None and word in (node.string.values or ())
        is_literal = word.lower() in _LOOSE_LITERALS or _NUMERIC.match(word) is not None
        return not (is_listed or is_literal or word == SKIP)

    def _convert_scalar(self, leaf: Leaf, node: Type) -> object:
        """Convert a word to a literal or a number, or return `_NO_VALUE`."""
        word = leaf.text
        value = _LOOSE_LITERALS.get(word.lower(), _NO_VALUE)
        if (value is None and node.null) or value in node.booleans:
            if word not in LITERALS:
                self._add_repair(RepairCode.LITERAL, leaf.start)
            return value
        if node.number is None:
            return _NO_VALUE
        if NUMBER.fullmatch(word) and (number := try_read_number(word)) is not None:
            return number
        match = _LOOSE_NUMBER.fullmatch(word)
        if match is None or len(word) > MAX_DIGITS:
            return _NO_VALUE
        digits = match[2].replace("_", "").lstrip("0") or "0"
        sign = "-" if match[1] == "-" else ""
        number = try_read_number(sign + digits + match[3])
        if number is None and node.number.integer and digits == "0" and not match[3]:
            number = 0  # the integer `-0` can only be 0
        if number is None:
            return _NO_VALUE
        self._add_repair(RepairCode.NUMBER, leaf.start)
        return number


def _branch_of(group: Bracketed, members: Object) -> Object:
    """Return the branch that the labels of an object choose, at every level of unions (R-439)."""
    by_position = [entry.value for entry in group.entries if entry.key is None]
    by_key = {entry.key: entry.value for entry in group.entries if entry.key is not None}
    while members.label is not None:
        index = [param.name for param in members.turns].index(members.label)
        in_turn = by_position[index] if index < len(by_position) else None
        value = by_key.get(members.label, in_turn)
        branch = members.find_branch(value.text) if isinstance(value, Leaf) else None
        if branch is None:
            return members
        members = branch
    return members
