"""Find the statements of a program by a tree-sitter grammar (`lton[context]`)."""

from bisect import bisect_right
from collections.abc import Iterator
from operator import itemgetter
from typing import Any

from lton._patterns import compiled_when_used
from lton._require import require
from lton.errors import SectionError

EXTRA = "context"
_NAME = compiled_when_used(r"[a-z][a-z0-9_]{0,30}\Z")
_HOLDS = compiled_when_used(
    r"(?:program|source_file|translation_unit|.*(?:block|body|suite|_case|case_statement|_default)"
    r"|(?:expression_switch|type_switch|select|compound)_statement"
    r"|(?:field_)?declaration_list|statement_list)\Z"
)
"""Node types that contain statements, in the grammars of the tree-sitter project."""
_FUNCTION = {"typescript": "language_typescript", "php": "language_php"}
"""Entry points other than `language`."""


def statements(text: str, language: str) -> list[tuple[int, int]]:
    r"""Return the spans of statements with several lines, and of signatures without bodies.

    The language is the suffix of a package's name after `tree_sitter_`: `javascript`, `go`. A
    syntax error affects only the statements around it. Raises `SectionError` (E703) for an invalid
    name, and `MissingExtraError` if the package is missing.

    >>> code = "int add(\n  int a, int b)\n{\n  return a;\n}\n"
    >>> [code[start:end] for start, end in statements(code, "c")]
    ['int add(\n  int a, int b)\n{']
    """
    tree = _parser(language).parse(text.encode("utf-8", "replace"))
    starts = [0]
    while newline := text.find("\n", starts[-1]) + 1:
        starts.append(newline)
    starts.append(len(text) + 1)
    spans = []
    for first, last in _rows(tree.root_node):
        if last > first:
            spans.append((starts[first], starts[last + 1] - 1))
    return sorted(set(spans))


def _parser(language: str) -> Any:
    library = require("tree_sitter", EXTRA)
    if not _NAME.match(language):
        raise SectionError(f"expected a language, as in tree_sitter_go, found {language!r}")
    grammar = require(f"tree_sitter_{language}", EXTRA)
    function = getattr(grammar, _FUNCTION.get(language, "language"))
    return library.Parser(library.Language(function()))


def _rows(root: Any) -> Iterator[tuple[int, int]]:
    """Yield the first and last row of statements, but of blocks only up to the first statement."""
    nodes = [(root, False)]
    found: list[Any] = []
    holders: list[tuple[int, int]] = []
    while nodes:
        node, holds = nodes.pop()
        is_holder = bool(_HOLDS.match(node.type))
        nodes += [(each, is_holder) for each in node.children]
        if node.end_point[0] == node.start_point[0]:
            continue
        if is_holder:
            holders.append((node.start_byte, node.start_point[0]))
        elif holds and node.is_named:
            found.append(node)
    holders.sort()
    for node in found:
        first, last = node.start_point[0], node.end_point[0]
        at = bisect_right(holders, node.start_byte, key=itemgetter(0))
        yield first, min(last, holders[at][1]) if at < len(holders) else last
