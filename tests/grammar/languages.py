"""Which texts of the tables the grammars have, and which they leave out on purpose (§13)."""

from typing import Any

from lton.errors import Code
from lton.schema.types import Type
from tests.cases import Bad

FORMS = ["wire", "keyed", "punctuated"]
BEYOND = {
    "double-as-integer": "§13: no doubles where integers are expected",
    "fence-in-text": "§13: fences of three backticks",
    "long-fence-in-text": "§13: fences of three backticks",
}
"""Cases with a form that is not in the language, and why."""

BEYOND_GRAMMARS = {
    Code.BOUNDS,
    Code.CONSTRAINT,
    Code.DUPLICATE,
    Code.DEPTH,
    Code.DIGITS,
    Code.NUMBER,
    Code.TYPE,
    Code.LABEL,
}
"""§13: the errors that a text in the language may have."""


def options(form: str) -> dict[str, Any]:
    """Get the options of a grammar for all that the encoder writes in a form."""
    if form == "punctuated":
        return {"form": "keyed", "punctuated": True, "parallel": True}
    return {"form": form, "parallel": True, "count_digits": 1}


def in_no_language(case: Bad) -> bool:
    """Say whether the text of a case is one that a grammar can be asked for, and has to refuse."""
    if case.tools is None or not case.tools.tools or len(case.text) > 1000:
        return False
    if any("\ud800" <= char <= "\udfff" for char in case.text):
        return False
    never = any(param.type == Type() for tool in case.tools for param in tool.args.params)
    return case.code not in BEYOND_GRAMMARS and not never
