"""Guess the kind of a document, such as code or a log, and split it into units."""

from collections.abc import Callable

from lton._patterns import compiled_when_used
from lton.context.compress.code import NUMBER, add_code, is_python
from lton.context.compress.data import (
    add_json,
    add_table,
    add_turns,
    begins_record,
    is_chat,
    is_json,
    is_table,
)
from lton.context.compress.markdown import add_markdown
from lton.context.compress.outputs import add_html, add_output, is_output, reports_failure
from lton.context.compress.prose import add_titled
from lton.context.compress.telling import NAMES
from lton.context.compress.units import Unit, UnitList, iterate_line_spans
from lton.errors import SectionError

OUTPUTS = "output log tests diagnostics trace git search listing install".split()  # most are old
_KINDS = ("prose", "markdown", "code", "code:python", "json", "chat", "table", "html", *OUTPUTS)
_LINES = ("code", "code:python", "table", *OUTPUTS)  # Kinds that consist of lines
_LIKE_OUTPUT = ("chat", "code", "markdown", "prose", "table")
"""The kinds for which output may be mistaken."""
_LOOKED_AT = 20_000  # The number of characters from which the kind is guessed, if possible
_MARKDOWN = compiled_when_used(
    r"(?m:^(?: {0,3}#{1,6} \S|[ \t]*[-*+] \S|[ \t]*\d{1,9}[.)] \S|```|~~~|\|[^\n]*\|))"
)
_HEADED = compiled_when_used(r"(?m:^(?:#{1,6} \S|```|~~~|\|[ |:-]*+$))")
_ENDED = compiled_when_used(r"[.!?…。！？：։؟।။።][\"'”’»)」]*$")  # noqa: RUF001
_HTML = compiled_when_used(r"(?i:\s*<(?:!doctype html|html)\b)")
_PYTHON = compiled_when_used(r"[ \t]*(?:def|class|import|from|async|with|for|while)\b|@\w")
_YAML = compiled_when_used(r"[ \t]*(?:- )*[a-z_/\"'][\w.\"'/-]*:(?: |$)")
_INDENTED = compiled_when_used(r"[ \t]+\S")
_WORDS = compiled_when_used(
    r"\W{0,8}(?:[^\W\d_][\w'’-]*[.,;:!?…)\"”»]{0,3}[\s—–]+[(\"„“«]?){5}"  # noqa: RUF001
    r"|.*[^\x00-\u024f]{8}|.*[.!?][)\"”]? [A-Z]"
)
"""The start of a line of prose: words, but no path, value or name."""
_CODE = compiled_when_used(  # ";" after a Greek letter is a question mark
    r"(?<![Ͱ-Ͽἀ-῿])[;{}]$|^[ \t]*(?://|/\*|#include|func |fn |package |use )"
)


def split_into_units(units: UnitList, kind: str | None) -> list[Unit]:
    """Split a document into units, according to its kind. Raises `SectionError` (E703)."""
    text = units.text
    name = kind or guess_kind(text)
    units.shared = units.shared._replace(counts=name in _LINES)
    match name:
        case "markdown":
            add_markdown(units)
        case "code" | "code:python":
            add_code(units, is_python=name != "code")
        case "json" if kind is None or is_json(text):
            add_json(units)
        case "chat":
            add_turns(units)
        case "table":
            add_table(units)
        case "html":
            add_html(units)
        case _ if name in OUTPUTS:
            add_output(units)
        case "prose" | "json":
            add_titled(units)
        case _:
            raise SectionError(f"expected one of {', '.join(_KINDS)} as kind, found {kind!r}")
    return units.units


def guess_kind(text: str) -> str:
    r"""Guess the kind of a document.

    >>> guess_kind("# Title\n\n- one\n"), guess_kind('{"a": 1}'), guess_kind("def f():\n    pass\n")
    ('markdown', 'json', 'code:python')
    """
    if is_json(text) or _HTML.match(text):
        return "json" if text.lstrip()[0] != "<" else "html"
    start = text[:_LOOKED_AT]
    spans = list(iterate_line_spans(start))[:200]

    texts = [start[slice(*span)] for span in spans]

    def compute_share_of_lines(holds: Callable[[str], object]) -> float:
        return sum(bool(holds(line)) for line in texts) / max(1, len(texts))

    if len(texts) > 1 and compute_share_of_lines(begins_record) > 0.5:
        is_headed = not begins_record(texts[0]) and is_table(text, spans)
        return "table" if is_headed else "log"
    if is_output(texts):
        return "output"
    if compute_share_of_lines(_PYTHON.match) > 0.05 and is_python(text):
        return "code:python"
    is_yaml = (
        compute_share_of_lines(_YAML.match) > 0.6 and compute_share_of_lines(_INDENTED.match) > 0.2
    )
    is_code = (
        is_yaml
        or compute_share_of_lines(_CODE.search) > 0.3
        or compute_share_of_lines(NUMBER.match) > 0.9
    )
    ended = compute_share_of_lines(_ENDED.search)
    words = sum(len(line) for line in texts if _WORDS.match(line))
    prose_share = words / max(1, sum(map(len, texts)))  # the share of characters in lines of words
    is_listed = bool(_MARKDOWN.search(start)) and max(ended, prose_share) > 0.25
    firsts = "".join(line[0] for line in texts)
    is_printed = (
        "\n\n" not in start and len({NAMES.sub("", line) for line in texts}) < len(texts) / 2
    )
    kinds = {
        "chat": is_chat(texts),
        "code": is_code,
        "table": is_table(start, spans),
        "output": firsts.count("##") > max(2, firsts.count("#") / 4),
        "markdown": is_listed or bool(_HEADED.search(start)),
        "prose": len(texts) < 3 or (not is_printed and (ended > 0.4 or prose_share > 0.5)),
    }
    kind = next((kind for kind, holds in kinds.items() if holds), "output")
    if kind not in _LIKE_OUTPUT or (kind == "code" and is_yaml):  # a key of YAML may be "Error"
        return kind
    all_lines = [text[slice(*span)] for span in iterate_line_spans(text)]
    if kind == "code":  # indented lines may be members of an object, such as "TypeError: 1,"
        all_lines = [line for line in all_lines if not line[0].isspace()]
    return "output" if reports_failure(all_lines) else kind  # one such line is enough
