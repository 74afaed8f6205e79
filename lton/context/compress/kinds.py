"""What kind of text it is, and the units of each kind."""

from collections.abc import Callable, Sequence

from lton._patterns import compiled_when_used
from lton.context.compress.code import add_code, is_python
from lton.context.compress.data import (
    add_json,
    add_log,
    add_table,
    add_turns,
    begins_record,
    begins_turn,
    is_json,
    is_table,
)
from lton.context.compress.markdown import add_markdown
from lton.context.compress.outputs import OUTPUTS, add_html, add_output, output_kind
from lton.context.compress.prose import add_titled
from lton.context.compress.units import Unit, UnitList, lines
from lton.errors import SectionError

_KINDS = ("prose", "markdown", "code", "json", "log", "chat", "table", "html", *OUTPUTS)
_LINES = ("code", "log", "table", *OUTPUTS)
"""Kinds of text that is read by its lines."""
_LOOKED_AT = 20_000
"""Characters of a text that its kind is guessed by, where that can be."""
_MARKDOWN = compiled_when_used(
    r"(?m:^(?: {0,3}#{1,6} \S|[ \t]*[-*+] \S|[ \t]*\d{1,9}[.)] \S|```|~~~|\|[^\n]*\|))"
)
_HTML = compiled_when_used(r"(?i:\s*<(?:!doctype html|html)\b)")
_NUMBERED = compiled_when_used(r"\s*\d+(?:[\t:|→]|$)")
_PYTHON = compiled_when_used(r"[ \t]*(?:def|class|import|from|async|with|for|while)\b|@\w")
_YAML = compiled_when_used(r"[ \t]*(?:- )*[a-z_/\"'][\w.\"'/-]*:(?: |$)")
_INDENTED = compiled_when_used(r"[ \t]+\S")
_SAID = compiled_when_used(r"[.!?։।॥۔؟။።។。！？…:;,](?=[\s\"'”’»)」]|$)")  # noqa: RUF001
"""What is in the lines of sentences, and in few of names, paths and values."""
_LISTED = 200
_CODE = compiled_when_used(  # ";" after a Greek letter asks
    r"(?<![Ͱ-Ͽἀ-῿])[;{}]$|^[ \t]*(?://|/\*|#include|func |fn |package |use )"
)


def split(units: UnitList, kind: str | None) -> list[Unit]:
    """Get the units of a text, whose list is empty yet.

    Without a kind it is guessed. An unknown one raises `SectionError` (E703).
    """
    text = units.text
    name, _, language = (kind or guess(text)).partition(":")
    units.counts = name in _LINES
    match name:
        case "markdown":
            add_markdown(units)
        case "code":
            add_code(units, language)
        case "json" if is_json(text):
            add_json(units)
        case "log":
            add_log(units)
        case "chat":
            add_turns(units)
        case "table":
            add_table(units)
        case "html":
            add_html(units)
        case _ if name in OUTPUTS:
            add_output(units, name)
        case "prose" | "json":
            add_titled(units)
        case _:
            raise SectionError(f"expected one of {', '.join(_KINDS)} as kind, found {kind!r}")
    return units.found


def guess(text: str) -> str:
    r"""Get the kind of a text, by its first lines.

    >>> guess("# Title\n\n- one\n"), guess('{"a": 1}'), guess("def f():\n    pass\n")
    ('markdown', 'json', 'code:python')
    """
    if is_json(text) or _HTML.match(text):
        return "json" if text.lstrip()[0] != "<" else "html"
    seen = text[:_LOOKED_AT]
    spans = list(lines(seen))[:200]

    def share(holds: Callable[[str], object]) -> float:
        return sum(bool(holds(seen[slice(*span)])) for span in spans) / max(1, len(spans))

    if len(spans) > 1 and share(begins_record) > 0.5:
        return "log"
    if found := output_kind([seen[slice(*span)] for span in spans]):
        return found
    if share(_PYTHON.match) > 0.05 and is_python(text):
        return "code:python"
    is_chat = len(spans) > 1 and share(begins_turn) > 0.5
    is_yaml = not is_chat and share(_YAML.match) > 0.6 and share(_INDENTED.match) > 0.2
    if is_yaml or share(_CODE.search) > 0.3 or share(_NUMBERED.match) > 0.9:
        return "code"
    return _guess_text(seen, spans, is_chat=is_chat)


def _guess_text(text: str, spans: Sequence[tuple[int, int]], *, is_chat: bool) -> str:
    if is_chat:
        return "chat"
    if is_table(text, spans):
        return "table"
    if _MARKDOWN.search(text):
        return "markdown"
    said = sum(bool(_SAID.search(text, *span)) for span in spans)
    is_listed = all(end - start < _LISTED for start, end in spans) and len(spans) > 4
    return "listing" if is_listed and said < len(spans) / 10 else "prose"
