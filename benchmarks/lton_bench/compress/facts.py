"""Find the facts of a document, and count the facts that are whole in a shortened document.

The rules are independent of the compressor's rules.
"""

import re
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?"
CLASSES = {
    "date": rf"\b{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:, \d{{4}})?\b|\b\d{{1,2}} {_MONTH} \d{{4}}\b"
    rf"|\b{_MONTH} \d{{4}}\b|\b\d{{4}}-\d\d-\d\d\b|\b\d{{1,2}}/\d{{1,2}}/\d{{2,4}}\b",
    "identifier": r"https?://[^\s\"<>]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?:[\w.-]+/)+[\w-]+\.\w+"
    r"|\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])\w+(?:-\w+)*\b|\b\w+_\w+\b|\b[a-z]+[A-Z]\w*\b",
    "number": r"(?:[$€£] ?)?\d(?:[\d,]*\d)?(?:\.\d+)?(?: ?%| (?:million|billion|percent)\b)?",
    "negation": r"\b(?:(?:\w+ )?not|\w+n['’]t|never|cannot|no|without|nor|neither) \w+",  # noqa: RUF001
}
_FACT = re.compile("|".join(f"(?P<{name}>{rule})" for name, rule in CLASSES.items()))
_TOKEN = re.compile(r"\d|[^\W\d_]+|[^\w\s]|_")


def facts(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the class, the start and the end of each fact.

    >>> [name for name, _, _ in facts("It must not begin before June 30, 2025, at $1,250 (A-17).")]
    ['negation', 'date', 'number', 'identifier']
    """
    for found in _FACT.finditer(text):
        yield found.lastgroup or "", found.start(), found.end()


def fates(text: str, shorter: str) -> Counter[tuple[str, str]]:
    """Count the whole, cut and lost facts of a document by class.

    `difflib` compares both documents by words, digits and signs. A fact is cut if only some of its
    elements are left.

    >>> sorted(fates("It must not end before June 30, 2025.", "It must end before June").items())
    [(('date', 'cut'), 1), (('negation', 'cut'), 1)]
    """
    words = list(_TOKEN.finditer(text))
    matcher = SequenceMatcher(
        None, [word[0] for word in words], _TOKEN.findall(shorter), autojunk=False
    )
    kept = {
        at for first, _, size in matcher.get_matching_blocks() for at in range(first, first + size)
    }
    starts = {word.start(): at for at, word in enumerate(words)}
    found: Counter[tuple[str, str]] = Counter()
    for name, start, end in facts(text):
        inside = [starts[at] in kept for at in range(start, end) if at in starts]
        fate = "whole" if all(inside) else "cut" if any(inside) else "gone"
        found[name, fate] += 1
    return found
