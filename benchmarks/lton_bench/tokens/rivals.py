"""Other notations, written by their own libraries if there are any."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from lton.schema import Call, ToolSet
from lton.schema.types import JSON
from lton_bench.internals import minified, require
from lton_bench.tokens.pieces import (
    MINIFIED,
    PYTHON,
    JSONStyle,
    Piece,
    Pieces,
    Role,
    between,
    key,
    mark,
    name,
    value,
)
from lton_bench.tokens.positions import by_position

EXTRA = "bench"


def plain(call: Call) -> dict[str, JSON]:
    """Return a call as an object for JSON."""
    return {"name": call.name, "arguments": dict(call.arguments)}


def one_or_all(values: list[Any]) -> Any:
    """Return the only value, or a list of several values."""
    return values[0] if len(values) == 1 else values


def toon(calls: Sequence[Call], _: ToolSet) -> Pieces:
    """Yield calls as the object of JSON, in TOON."""
    whole = one_or_all([plain(call) for call in calls])
    yield from cut_toon(write_toon(whole), (call.name for call in calls))


def toon_by_name(calls: Sequence[Call], _: ToolSet) -> Pieces:
    """Yield an object with one member: the arguments, by the name of the tool."""
    whole = one_or_all([{call.name: dict(call.arguments)} for call in calls])
    yield from cut_toon(write_toon(whole), (call.name for call in calls))


def write_toon(whole: JSON) -> str:
    """Return a value as TOON."""
    text: str = require("toon_format", EXTRA).encode(whole)
    return text


_TOON = re.compile(
    r'(?P<indent>^\ *(?:-\ )*)|(?P<quoted>"(?:[^"\\]|\\.)*")'
    r'|(?P<word>[^\s,:\[\]{}"][^,:\[\]{}"\n]*)'
    r"|(?P<length>\[[^\]]*\])|(?P<mark>.)",
    re.MULTILINE | re.DOTALL | re.VERBOSE,
)


def cut_toon(text: str, names: Iterable[str]) -> Pieces:
    r"""Yield the pieces of calls in TOON, for tools with these names.

    A word before `:`, `[` or `{` is a key, and so is a word in braces.

    >>> from lton_bench.tokens.pieces import text_of
    >>> text_of(piece for piece in cut_toon("f:\n  x[2]: 1,2", ["f"]) if piece.role == "value")
    '12'
    """
    named = iter(names)
    next_name = next(named, None)
    depth = 0
    for match in _TOON.finditer(text):
        word = match["quoted"] or match["word"]
        if word is None:
            depth += (match["mark"] == "{") - (match["mark"] == "}")
            yield mark(match[0])
            continue
        quote, inner = (word[:1], word[1:-1]) if match["quoted"] else ("", word)
        is_key = depth > 0 or text[match.end() : match.end() + 1] in (":", "[", "{")
        yield mark(quote)
        if inner == next_name:
            yield name(inner)
            next_name = next(named, None)
        else:
            yield key(inner) if is_key else value(inner)
        yield mark(quote)


def yaml_block(calls: Sequence[Call], _: ToolSet) -> Pieces:
    """Yield the object of JSON as YAML, and several calls as a sequence."""
    text = write_yaml(one_or_all([plain(call) for call in calls]))
    yaml = require("yaml", EXTRA)
    spans = sorted(_yaml_spans(yaml.compose(text, Loader=yaml.SafeLoader), "value"))
    at = 0
    for start, end, role in spans:
        quote = text[start] in "\"'" and end - start > 1
        yield mark(text[at : start + quote])
        yield Piece(text[start + quote : end - quote], role)
        at = end - quote
    yield mark(text[at:])


def _yaml_spans(node: Any, role: Role, depth: int = 0) -> Iterator[tuple[int, int, Role]]:
    if isinstance(node.value, str):
        yield node.start_mark.index, node.end_mark.index, role
    elif node.id == "sequence":
        for item in node.value:
            yield from _yaml_spans(item, "value", depth)
    else:
        for index, (key_node, value_node) in enumerate(node.value):
            is_name = depth == 0 and index == 0
            yield from _yaml_spans(key_node, "key", depth + 1)
            yield from _yaml_spans(value_node, "name" if is_name else "value", depth + 1)


_YAML_BLOCK = re.compile(r"[:-] \|[0-9+]*\n")


def write_yaml(whole: JSON) -> str:
    r"""Return a value as YAML in block style, with literal blocks for strings of several lines.

    >>> write_yaml({"path": "a.py", "content": "x\ny\n"})
    'path: a.py\ncontent: |\n  x\n  y\n'
    """
    text: str = require("yaml", EXTRA).dump(
        whole, Dumper=_dumper(), sort_keys=False, allow_unicode=True, width=float("inf")
    )
    # The line end behind the last line belongs to a text in a block, and to nothing else.
    return text if _YAML_BLOCK.search(text) else text.removesuffix("\n...\n").removesuffix("\n")


@cache
def _dumper() -> Any:
    yaml = require("yaml", EXTRA)

    class Dumper(yaml.SafeDumper):  # type: ignore[name-defined, misc]
        def ignore_aliases(self, _data: object) -> bool:
            return True

    def represent(dumper: Any, text: str) -> Any:
        style = "|" if "\n" in text else None
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)

    Dumper.add_representer(str, represent)
    return Dumper


_XML_NAME = re.compile(r"(?!(?i:xml))[A-Za-z_][\w.-]*", re.ASCII)


def xml(calls: Sequence[Call], _: ToolSet) -> Pieces:
    """Yield an element per call, each on a line."""
    yield from between("\n", (element(call.name, dict(call.arguments), name) for call in calls))


def element(tag: str, whole: JSON, piece: Callable[[str], Piece] = key) -> Pieces:
    """Yield an element with elements for members and items, or with text.

    >>> from lton_bench.tokens.pieces import text_of
    >>> text_of(element("f", {"city": "A & B", "days": [1, 2]}))
    '<f><city>A &amp; B</city><days><item>1</item><item>2</item></days></f>'
    """
    is_name = _XML_NAME.fullmatch(tag)
    yield mark("<" if is_name else "<arg name=")
    yield piece(tag if is_name else quoteattr(tag))
    yield mark(">")
    if isinstance(whole, dict):
        for member, part in whole.items():
            yield from element(member, part)
    elif isinstance(whole, list | tuple):
        for part in whole:
            yield from element("item", part)
    else:
        text = whole if isinstance(whole, str) else minified(whole)
        yield value(escape(text, {"\r": "&#13;"}))
    yield mark("</")
    yield piece(tag) if is_name else mark("arg")
    yield mark(">")


def csv(calls: Sequence[Call], tools: ToolSet) -> Pieces:
    """Yield a row per call, or JSON if the call does not fit a row."""
    for index, call in enumerate(calls):
        yield mark("\n" if index else "")
        row = by_position(call, tools)
        if row is None:
            yield from MINIFIED.call(call)
            continue
        yield from cell(call.name, name)
        for part in row:
            yield mark(",")
            yield from cell(part)


def cell(whole: JSON, piece: Callable[[str], Piece] = value) -> Pieces:
    """Yield a cell of CSV with the quotes of RFC 4180: empty for null, and JSON for other types."""
    if whole is None:
        return
    text = whole if isinstance(whole, str) else minified(whole)
    quote = '"' if not text or re.search('[,"\r\n]', text) else ""
    yield mark(quote)
    yield piece(text.replace('"', '""') if quote else text)
    yield mark(quote)


def python(calls: Sequence[Call], _: ToolSet) -> Pieces:
    """Yield a call per line, with keywords."""
    yield from between("\n", map(python_call, calls))


def python_call(call: Call) -> Pieces:
    """Yield a call in Python, with keywords.

    >>> from lton_bench.tokens.pieces import text_of
    >>> text_of(python_call(Call("f", {"a": "x", "b": True})))
    'f(a="x", b=True)'
    """
    members = (
        [key(member), mark("="), *PYTHON.write(part)] for member, part in call.arguments.items()
    )
    yield from (name(call.name), mark("("), *between(", ", members), mark(")"))


def glyph(calls: Sequence[Call], _: ToolSet) -> Pieces:
    """Yield a call per line, with bare words and quotes, and a letter for true and false."""
    for index, call in enumerate(calls):
        yield mark("\n" if index else "")
        yield name(call.name)
        yield from _glyph_value(dict(call.arguments))


_GLYPH_WORD = re.compile(r"(?!(?:t|f|true|false|null|none|_)\Z)[A-Za-z_][\w./-]*", re.ASCII)


def _glyph_value(whole: JSON) -> Pieces:
    if isinstance(whole, dict):
        parts = ([key(member), mark("="), *_glyph_value(part)] for member, part in whole.items())
        yield from (mark("{"), *between(" ", parts), mark("}"))
    elif isinstance(whole, list | tuple):
        yield from (mark("["), *between(" ", map(_glyph_value, whole)), mark("]"))
    elif isinstance(whole, str) and _GLYPH_WORD.fullmatch(whole):
        yield value(whole)
    else:
        yield from JSONStyle(literals=("_", "t", "f")).write(whole)
