"""Return the valid texts of the conformance suite."""

import re

from spec.conformance.run import read_cases

_ON_LINES = re.compile(r"\[\d+\(")
"""Rows on lines (R-317), which models read and nobody edits: editors show no colours of them."""


def texts() -> list[str]:
    """Return the texts, each once."""
    text_set: set[str] = set()
    for case in read_cases():
        if case["kind"] in ("decode", "canonical") and "error" not in case:
            text_set |= {case[key] for key in ("text", "canonical") if key in case}
    return sorted(text for text in text_set if not _ON_LINES.search(text))
