"""The grammars and JSON Schemas that are compared, with the calls in the notation of each."""

import json
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from lton import Call, EncodeError, ToolSet, decode, encode
from lton.grammar import to_ebnf, to_gbnf, to_lark
from lton_bench.grammars.engines import (
    COMPACT,
    Engine,
    RefusedError,
)
from lton_bench.grammars.report import BY_DEFAULT, FORM_NAMES, UNBOUNDED
from lton_bench.grammars.tools import Definition, Known, arrange_members, close_schema
from lton_bench.internals import BARE, Form

PRINTERS: dict[str, Callable[..., str]] = {"lark": to_lark, "ebnf": to_ebnf, "gbnf": to_gbnf}
JSON_SCHEMA = "JSON Schema"
_MARK = 0xF0000
"""This is added to the first character of a string that should not be a bare word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Tools in one grammar, some of their calls, and the forms of LTON to compare."""

    tools: Sequence[Definition]
    calls: Sequence[Call]
    max_length: int | None
    forms: Sequence[Form]
    counted: Sequence[int]

    @classmethod
    def of(
        cls,
        known: Sequence[Known],
        most: int,
        max_length: int | None,
        *,
        forms: Sequence[Form] = FORM_NAMES,
        counted: Sequence[int] = (),
    ) -> "Group":
        """Return some tools and up to `most` of their calls, taken from each tool in turn."""
        tools = [
            {
                "type": "function",
                "function": {
                    "name": entry.name,
                    "parameters": close_schema(entry.parameters, max_length),
                },
            }
            for entry in known
        ]
        deepest = max(len(entry.calls) for entry in known)
        calls = [e.calls[i] for i in range(deepest) for e in known if i < len(e.calls)]
        return cls(
            tools=tools, calls=calls[:most], max_length=max_length, forms=forms, counted=counted
        )

    @property
    def schema(self) -> str:
        """The JSON Schema of one call."""
        options = [
            {
                "type": "object",
                "properties": {"name": {"const": name}, "arguments": parameters},
                "required": ["name", "arguments"],
                "additionalProperties": False,
            }
            for name, parameters in self.parameters.items()
        ]
        schema = options[0] if len(options) == 1 else {"anyOf": options}
        return json.dumps(schema, separators=COMPACT, ensure_ascii=False)

    @property
    def parameters(self) -> dict[str, Any]:
        return {tool["function"]["name"]: tool["function"]["parameters"] for tool in self.tools}

    def as_json(self, *, required_first: bool) -> list[str]:
        """Return each call as JSON without whitespace, with members in the order of the schema."""
        tools, parameters = ToolSet.from_tools(self.tools), self.parameters
        texts = []
        for call in self.calls:
            arguments = (
                decode(encode(call, tools), tools)[0].arguments  # the order of the layout
                if required_first
                else arrange_members(call.arguments, parameters[call.name])
            )
            value = {"name": call.name, "arguments": arguments}
            texts.append(json.dumps(value, separators=COMPACT, ensure_ascii=False))
        return texts


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A grammar or a JSON Schema, and the calls in that notation."""

    name: str
    grammar: str
    texts: Sequence[str]
    is_schema: bool = False


def quote_strings(call: Call, tools: ToolSet, form: Form) -> str:
    """Return a call with all strings in quotes, except the strings that a type lists.

    >>> tools = ToolSet.from_prompt("go(to unit:C|F)")
    >>> quote_strings(Call("go", {"to": "Paris", "unit": "C"}), tools, "wire")
    'go "Paris" C'
    """
    marked: dict[str, Any] = deepcopy(dict(call.arguments))
    for container, key in [*_words(marked)]:
        word = container[key]
        container[key] = chr(_MARK + ord(word[0])) + word[1:]
        try:
            encode(Call(call.name, marked), tools)
        except EncodeError:  # a type that lists its strings, or has a pattern
            container[key] = word
    text = encode(Call(call.name, marked), tools, form=form)
    return "".join(chr(ord(char) - _MARK) if ord(char) > _MARK else char for char in text)


def _words(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the container and the key of each string that could be a bare word."""
    members = value.items() if isinstance(value, dict) else enumerate(value)
    for key, member in members:
        if isinstance(member, dict | list):
            yield from _words(member)
        elif isinstance(member, str) and BARE.fullmatch(member):
            yield value, key


def sides(engine: Engine, group: Group) -> tuple[list[Side], dict[str, str]]:
    """Return the grammars to compare, JSON Schema first, and the reasons why others are missing.

    LTON has grammars with and without bounds. Canonical calls have bare words. A Lark grammar has
    no bare words by default, so its calls have all strings in quotes.
    """
    compared, refused = [], {}
    try:
        schema = engine.given(group.schema)
        texts = group.as_json(required_first=engine.required_first)
        compared.append(Side(name=JSON_SCHEMA, grammar=schema, texts=texts, is_schema=True))
    except RefusedError as error:
        refused[JSON_SCHEMA] = str(error)
    tools = ToolSet.from_tools(group.tools)
    emit = PRINTERS[engine.dialect]
    bounded = "quoted" if engine.dialect == "lark" else True

    def add(name: str, form: Form, **options: Any) -> None:
        texts = [encode(call, tools, form=form) for call in group.calls]
        grammar = emit(tools, form=form, bare=True, **options)
        compared.append(Side(name=name, grammar=grammar, texts=texts))

    for form in group.forms:
        if engine.dialect == "lark":
            texts = [quote_strings(call, tools, form) for call in group.calls]
            name = f"{form}, {BY_DEFAULT}"
            compared.append(Side(name=name, grammar=emit(tools, form=form), texts=texts))
        if engine.dialect != "ebnf":
            add(form, form, bounded=bounded)
        if engine.dialect == "ebnf" or group.max_length is None:
            add(f"{form}, {UNBOUNDED}", form, bounded=False)
    for most in group.counted:
        options = {} if engine.dialect == "ebnf" else {"bounded": bounded}
        add(f"wire, counted {most:,}", "wire", counted=most, **options)
    return compared, refused
