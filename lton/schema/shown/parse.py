"""Parse prompts that show tools (§7)."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, NoReturn, TypeAlias

from lton._patterns import compiled_when_used
from lton._syntax import (
    BARE,
    BOOLEANS,
    FORBIDDEN,
    LINE,
    LINE_TEXT,
    LITERALS,
    MAX_DEPTH,
    MAX_DIGITS,
    NAME,
    NUMBER,
    QUOTE,
    STEERING,
    try_read_number,
)
from lton.errors import Code, DecodeError
from lton.schema.shown.signature import MORE, spell_member
from lton.schema.shown.write import PRIMERS
from lton.schema.types import (
    ANY,
    CHARACTERS_A_POSITION,
    FORMAT_NAMES,
    JSON,
    MAX_POSITIONS,
    Array,
    Number,
    Object,
    Param,
    Recursion,
    String,
    Tool,
    Type,
)

_STRING = compiled_when_used(f'{QUOTE.pattern}|@"')
_ESCAPED = compiled_when_used(r'(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-f]{4}))*+"')
"""The rest of a JSON string after its first quotation mark."""
_BOUND = r"-?(?:0|[1-9][0-9]{0,15})(?:\.[0-9]{1,20})?(?:e-?[0-9]{1,3})?"
_RANGE = compiled_when_used(rf"\((?:({_BOUND})|(>?{_BOUND})?\.\.(<?{_BOUND})?)\)")
"""The bounds of numbers or lengths: one number, or the ends of a range (R-703)."""


Unite: TypeAlias = Callable[[list[Type]], Type]  # builds the type of a union of objects


def read_prompt(text: str, unite: Unite) -> list[Tool]:
    """Parse the tools in a prompt that `ToolSet.prompt` has written.

    Raises `DecodeError` at the first character that is not allowed.
    """
    return _Prompt(text, unite).parse_tools()


class _Named(NamedTuple):
    """An object that a line of the prompt defines under a name."""

    members: Object
    levels: int
    positions: int
    characters: int


class _Prompt:
    def __init__(self, text: str, unite: Unite) -> None:
        self.text = text
        self.unite = unite
        self.pos = 0
        self.named: dict[str, _Named] = {}
        self.current = ""  # the name of the object or tool that is being read
        self.current_is_object = False
        self.recursive: dict[str, int] = {}  # where each recursive name occurs first
        self.levels = self.positions = self.characters = 0  # counts for the current line

    def parse_tools(self) -> list[Tool]:
        tools: list[Tool] = []
        for primer in PRIMERS.values():
            self._skip_if_next(f"{primer}\n")
        while self.pos < len(self.text):
            self.levels = self.positions = self.characters = 0
            if not self._is_string() and self._skip_if_next("@"):
                self._parse_named_object()
            else:
                self.current_is_object = False
                tools.append(self._parse_tool())
            if self.pos < len(self.text):
                self._expect("\n")
        self._check_recursive_names({tool.alias or tool.name for tool in tools})
        return tools

    def _check_recursive_names(self, tool_names: set[str]) -> None:
        for name, start in self.recursive.items():
            if name not in self.named and name not in tool_names:
                self._refuse(f"an object of this prompt, not {name[:40]!r}", start)

    def _parse_named_object(self) -> None:
        """Parse the rest of a line that gives an object a name, after the `@`."""
        start = self.pos - 1
        name = self._expect_match(NAME, "the name of an object")[0]
        self._expect("=")
        self.current = name
        self.current_is_object = True
        members = self._parse_inner_descriptions(self._parse_members(0))
        if name in self.recursive:
            members = replace(members, name=name)
        size = self.pos - start + self.characters
        self.named[name] = _Named(members, self.levels, self.positions, size)

    def _parse_tool(self) -> Tool:
        name = self._parse_shown_name("the name of a tool")
        alias = ""
        if self._skip_if_next("="):
            alias, name = name, self._parse_shown_name("the name of a tool")
        self.current = alias or name
        if self.text.startswith("(", self.pos):
            return Tool(name=name, args=self._named_arguments(self._parse_members(0)), alias=alias)
        description = self._parse_description()
        params: list[Param] = []
        names: set[str] = set()
        extra: Type | None = None
        while self.text.startswith("\n ", self.pos):
            self.pos += 2
            if self.text.startswith(f"{MORE}:", self.pos):
                extra = self._parse_more(0)
            else:
                param = self._parse_new_param(0, names)
                param = replace(param, description=self._parse_description())
                members = Object(params=(param,))
                params.append(self._parse_inner_descriptions(members).params[0])
        args = self._named_arguments(Object(params=tuple(params), extra=extra))
        return Tool(name=name, args=args, description=description, alias=alias)

    def _named_arguments(self, members: Object) -> Object:
        """Return the arguments of the current tool, with a name if they are recursive."""
        is_recursive = self.current in self.recursive and self.current not in self.named
        return replace(members, name=self.current) if is_recursive else members

    def _parse_description(self) -> str:
        if not self._skip_if_next(" "):
            return ""
        match = LINE.match(self.text, self.pos)
        self.pos = match.end() if match else self.pos
        return match[0] if match else ""

    def _parse_inner_descriptions(self, members: Object) -> Object:
        about: dict[str, str] = {}
        while self.text.startswith("\n  ", self.pos):
            self.pos += 3
            start = self.pos
            self._parse_name("the path of a member")
            while self._is_string() or self.text.startswith(".", self.pos):
                self._parse_name("the path of a member")
            path = self.text[start : self.pos]
            about[path] = self._parse_description()
        return _Descriptions(about).describe_members(members, "") if about else members

    def _parse_members(self, depth: int) -> Object:
        self._expect("(")
        params: list[Param] = []
        names: set[str] = set()
        for _ in self._iterate_parts(")"):
            if self.text.startswith(f"{MORE}:", self.pos):
                extra = self._parse_more(depth)
                self._expect(")")
                return Object(params=tuple(params), extra=extra)
            params.append(self._parse_new_param(depth, names))
        return Object(params=tuple(params))

    def _parse_more(self, depth: int) -> Type:
        self.pos += len(MORE) + 1
        return self._parse_type(depth)

    def _parse_new_param(self, depth: int, names: set[str]) -> Param:
        """Parse a parameter, whose name must not be in `names`, and add its name."""
        start = self.pos
        param = self._parse_param(depth)
        if param.name in names:
            msg = f"two parameters have the name {param.name[:40]!r}"
            raise DecodeError(Code.SYNTAX, msg, doc=self.text, pos=start)
        names.add(param.name)
        return param

    def _parse_param(self, depth: int) -> Param:
        self._count_positions(1)
        name = self._parse_shown_name("a parameter")
        required = not self._skip_if_next("?")
        node = self._parse_type(depth) if self._skip_if_next(":") else Type(string=String())
        if not self._skip_if_next("="):
            return Param(name=name, type=node, required=required)
        default = self._parse_value(0)
        return Param(name=name, type=node, required=required, default=default, has_default=True)

    def _parse_type(self, depth: int) -> Type:
        kinds = _Kinds()
        self._parse_into_kinds(kinds, depth)
        while self._skip_if_next("|"):
            self._parse_into_kinds(kinds, depth)
        return kinds.to_type(self.unite)

    def _parse_into_kinds(self, kinds: "_Kinds", depth: int) -> None:
        self._count_level(depth)
        char = self.text[self.pos : self.pos + 1]
        if char == "[":
            self.pos += 1
            kinds.array = self._parse_array(depth + 1)
        elif char == "{":
            self.pos += 1
            kinds.objects.append(Object(extra=self._parse_type(depth + 1)))
            self._expect("}")
        elif char == "(":
            kinds.objects.append(self._parse_members(depth + 1))
        elif self._is_string():
            kinds.labels.append(self._parse_string())
        elif self._skip_if_next("@"):
            start = self.pos
            name = self._expect_match(NAME, "the name of an object")[0]
            is_inside = self.current_is_object or name == self.current
            if name not in self.named and is_inside:
                self.recursive.setdefault(name, start)
                kinds.recursion = name
                return
            if name not in self.named:
                self._refuse(f"an object of a line above, not {name[:40]!r}", start)
            members, levels, positions, characters = self.named[name]
            kinds.objects.append(members)
            self._count_level(depth + 1 + levels)
            self.characters += characters
            self._count_positions(positions)
        else:
            self._parse_word_into_kinds(kinds)

    def _parse_word_into_kinds(self, kinds: "_Kinds") -> None:
        word = self._parse_word("a type")
        if word in FORMAT_NAMES:
            kinds.string = String(format=word)
        elif word == "str":
            least, most = self._parse_sizes()
            kinds.string = String(min_length=least or 0, max_length=most)
        elif word in ("int", "num"):
            kinds.number = Number(integer=word == "int", **self._parse_bounds_as_fields())
        else:
            kinds.add_word(word)

    def _parse_array(self, depth: int) -> Array:
        """Parse an array after its bracket: the type of all items, or a type for each position."""
        positions = [self._parse_type(depth)]
        further: Type | None = None
        while not self._skip_if_next("]"):
            self._expect(" ")
            self._count_positions(1)
            if self.text.startswith(f"{MORE}:", self.pos):
                further = self._parse_more(depth)
                self._expect("]")
                break
            positions.append(self._parse_type(depth))
        sizes = self._parse_sizes()
        if len(positions) == 1 and further is None:
            return Array(items=positions[0], min_items=sizes[0] or 0, max_items=sizes[1])
        types = positions if further is None else [*positions, further]
        if sizes == (None, None):
            sizes = (len(positions), len(positions) if further is None else None)
        return Array(
            items=self.unite(types),
            min_items=sizes[0] or 0,
            max_items=sizes[1],
            positions=tuple(positions),
            further=further,
        )

    def _parse_sizes(self) -> tuple[int | None, int | None]:
        """Parse a range of lengths, such as `(1..5)`."""
        start = self.pos
        low, high = self._parse_range()
        for bound in (low, high):
            if bound is not None and not bound.isdigit():
                self._refuse("a length", start)
        return (None if low is None else int(low), None if high is None else int(high))

    def _parse_bounds_as_fields(self) -> dict[str, Any]:
        """Parse a range of numbers, such as `(1..10)` or `(>0..<1)`."""
        low, high = self._parse_range()
        bounds: dict[str, Any] = {}
        if low is not None:
            name = "exclusive_minimum" if low.startswith(">") else "minimum"
            bounds[name] = try_read_number(low.removeprefix(">"))
        if high is not None:
            name = "exclusive_maximum" if high.startswith("<") else "maximum"
            bounds[name] = try_read_number(high.removeprefix("<"))
        return bounds

    def _parse_range(self) -> tuple[str | None, str | None]:
        if not self.text.startswith("(", self.pos):
            return None, None
        match = self._expect_match(_RANGE, "a range")
        return (match[1], match[1]) if match[1] else (match[2], match[3])

    def _parse_value(self, depth: int) -> JSON:
        self._check_depth(depth)
        if self._skip_if_next("["):
            return [self._parse_value(depth + 1) for _ in self._iterate_parts("]")]
        if self._skip_if_next("{"):
            pairs: dict[str, JSON] = {}
            for _ in self._iterate_parts("}"):
                key = self._parse_name("a key")
                self._expect(" ")
                pairs[key] = self._parse_value(depth + 1)
            return pairs
        if self._is_string():
            return self._parse_string()
        return _value_of_word(self._parse_word("a value"))

    def _iterate_parts(self, closer: str) -> Iterator[None]:
        """Let the caller read each part of a group, and then read the closing bracket."""
        separator = ""
        while not self._skip_if_next(closer):
            self._expect(separator)
            separator = " "
            yield

    def _parse_word(self, what: str) -> str:
        return self._expect_match(BARE, what)[0]

    def _parse_name(self, what: str) -> str:
        match = NAME.match(self.text, self.pos)
        if match:
            self.pos = match.end()
            return match[0]
        if not self._is_string():
            self._refuse(what)
        return self._parse_string()

    def _parse_shown_name(self, what: str) -> str:
        start = self.pos
        name = self._parse_name(what)
        if STEERING.search(name):
            self._refuse(f"{what} without control characters", start)
        return name

    def _is_string(self) -> bool:
        return _STRING.match(self.text, self.pos) is not None

    def _parse_string(self) -> str:
        start = self.pos
        if self._skip_if_next('@"'):
            import json  # noqa: PLC0415 - rarely needed, and takes long to import

            end = self._expect_match(_ESCAPED, "a string of JSON").end()
            text: str = json.loads(self.text[start + 1 : end])
            if FORBIDDEN.search(text):
                msg = "a character that no text can have"
                raise DecodeError(Code.CHARACTER, msg, doc=self.text, pos=start)
            return text
        quote = self.text[self.pos]
        inside = self._expect_match(LINE_TEXT[quote], "a string", self.pos + 1)[0]
        self._expect(quote)
        return inside

    def _expect_match(
        self, pattern: re.Pattern[str], what: str, pos: int | None = None
    ) -> re.Match[str]:
        match = pattern.match(self.text, self.pos if pos is None else pos)
        if match is None:
            self._refuse(what)
        self.pos = match.end()
        return match

    def _check_depth(self, depth: int) -> None:
        if depth > MAX_DEPTH:
            msg = f"nested deeper than {MAX_DEPTH}"
            raise DecodeError(Code.DEPTH, msg, doc=self.text, pos=self.pos)

    def _count_level(self, level: int) -> None:
        self._check_depth(level)
        self.levels = max(self.levels, level)

    def _count_positions(self, positions: int) -> None:
        """Count positions and raise an error above the limit (R-1105)."""
        self.positions += positions
        if self.positions + self.characters // CHARACTERS_A_POSITION > MAX_POSITIONS:
            msg = f"a tool of more than {MAX_POSITIONS} positions"
            raise DecodeError(Code.SCHEMA_SIZE, msg, doc=self.text, pos=self.pos)

    def _skip_if_next(self, text: str) -> bool:
        if not self.text.startswith(text, self.pos):
            return False
        self.pos += len(text)
        return True

    def _expect(self, text: str) -> None:
        if not self._skip_if_next(text):
            self._refuse("a newline" if text == "\n" else repr(text))

    def _refuse(self, expected: str, pos: int | None = None) -> NoReturn:
        pos = self.pos if pos is None else pos
        next_char = repr(self.text[pos]) if pos < len(self.text) else "the end of the text"
        msg = f"expected {expected}, found {next_char}"
        raise DecodeError(Code.SYNTAX, msg, doc=self.text, pos=pos)


class _Kinds:
    def __init__(self) -> None:
        self.words: list[str] = []
        self.labels: list[str] = []
        self.numbers: list[int | float] = []
        self.string: String | None = None
        self.number: Number | None = None
        self.array: Array | None = None
        self.recursion: str | None = None
        self.objects: list[Object] = []

    def add_word(self, word: str) -> None:
        value = _value_of_word(word)
        if isinstance(value, int | float) and not isinstance(value, bool):
            self.numbers.append(value)
        elif word in _TYPES or word in LITERALS:
            self.words.append(word)
        else:
            self.labels.append(word)

    def to_type(self, unite: Unite) -> Type:
        words = self.words
        if "any" in words:
            return ANY
        booleans = [value for word, value in BOOLEANS.items() if word in words or "bool" in words]
        node = Type(
            null="null" in words,
            booleans=tuple(sorted(booleans)),
            number=self.number or self.find_listed_numbers(),
            string=String(values=tuple(self.labels)) if self.labels else self.string,
            array=self.array,
            object=unite([Type(object=members) for members in self.objects]).object,
        )
        if self.recursion is None:
            return node
        others = None if node == Type() else node
        return replace(ANY, recursion=Recursion(self.recursion, others))

    def find_listed_numbers(self) -> Number | None:
        if not self.numbers:
            return None
        is_whole = all(isinstance(value, int) for value in self.numbers)
        return Number(integer=is_whole, values=tuple(self.numbers))


_TYPES = frozenset(["any", "bool", "int", "never", "num", "str"])


def _value_of_word(word: str) -> JSON:
    """Return the value of a bare word for a type that allows every kind of value (R-304)."""
    if word in LITERALS:
        return LITERALS[word]
    if NUMBER.fullmatch(word) and len(word) <= MAX_DIGITS:
        number = try_read_number(word)
        return word if number is None else number
    return word


class _Descriptions:
    """Descriptions of members by path, for adding them to the types of a tool."""

    def __init__(self, about: Mapping[str, str]) -> None:
        self._about = about
        self._paths = sorted(about)

    def describe_members(self, members: Object, prefix: str) -> Object:
        params = []
        for param in members.params:
            path = f"{prefix}{spell_member(param.name)}"
            node = self._describe_type(param.type, path)
            about_it = self._about.get(path, param.description)
            params.append(replace(param, type=node, description=about_it))
        extra = members.extra and self._describe_type(members.extra, f"{prefix}{MORE}")
        branches = tuple(self.describe_members(branch, prefix) for branch in members.branches)
        return replace(members, params=tuple(params), extra=extra, branches=branches)

    def _describe_type(self, node: Type, path: str) -> Type:
        if node == ANY or not self._has_below(path):
            return node
        if node.array:
            node = replace(
                node, array=replace(node.array, items=self._describe_type(node.array.items, path))
            )
        if node.object:
            node = replace(node, object=self.describe_members(node.object, f"{path}."))
        return node

    def _has_below(self, path: str) -> bool:
        """Return whether a path inside the given one has a description.

        Otherwise its type need not change. The types of shared objects have exponentially many
        paths.
        """
        at = bisect_left(self._paths, f"{path}.")
        return at < len(self._paths) and self._paths[at].startswith(f"{path}.")
