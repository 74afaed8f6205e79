"""The texts of the conformance suite that are read without an error: what editors show."""

from spec.conformance.run import read_cases


def texts() -> list[str]:
    """Get them, each once."""
    found: set[str] = set()
    for case in read_cases():
        if case["kind"] in ("decode", "canonical") and "error" not in case:
            found |= {case[key] for key in ("text", "canonical") if key in case}
    return sorted(found)
