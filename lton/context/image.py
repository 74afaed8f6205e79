"""What an image of a context is made of, and what comes of it: documents, a policy, pages."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, asdict, dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias

from lton.context.cuts import printable
from lton.context.directives import ROLES, DocumentRole
from lton.context.marks import left_out
from lton.errors import Code, IngestError
from lton.stores.contents import digest_of, to_bytes

Placed: TypeAlias = Literal["kept", "compressed", "dropped"]
PRIORITY = 500
"""The priority of a document that has none: what is less important has less."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """How much of documents is shown, at most, and what is never cut out of them.

    `skills` and `refs` are ratios: the tokens of a document that are shown by those that it has.
    By default the budget alone decides; less than 1 bounds what is shown also where there is room,
    and the report says so. A document of at most `whole` tokens is not
    compressed for them, and less than `least` tokens of one are not shown. What says one of the
    words in `keep` goes last. `order` is that within a document: as it is there ("input"), or the
    best at both ends ("ends"). With `raw` nothing is compressed: all fits, or nothing is shown.

    What is wrong raises `IngestError` (E706).

    >>> Policy(refs=0)
    Traceback (most recent call last):
    lton.errors.IngestError: expected a ratio above 0, up to 1, as refs, found 0 [E706]
    """

    skills: float = 1.0
    refs: float = 1.0
    whole: int = 100
    least: int = 24
    keep: tuple[str, ...] = ()
    order: Literal["input", "ends"] = "input"
    raw: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "keep", tuple(self.keep))
        for fault in self._faults():
            raise IngestError(Code.SOURCE, f"expected {fault}")

    def _faults(self) -> Iterator[str]:
        for name in ("skills", "refs"):
            if not is_ratio(found := getattr(self, name)):
                yield f"a ratio above 0, up to 1, as {name}, found {found!r}"
        for name in ("whole", "least"):
            if type(found := getattr(self, name)) is not int or found < 0:
                yield f"an integer >= 0 as {name}, found {found!r}"
        if not all(isinstance(word, str) and word for word in self.keep):
            yield f"words as keep, found {self.keep!r}"
        if self.order not in ("input", "ends"):
            yield f"'input' or 'ends' as order, found {self.order!r}"

    def as_json(self) -> dict[str, Any]:
        """Get it as a record has it; `Policy.of` reads that."""
        return {**asdict(self), "keep": list(self.keep)}

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "Policy":
        return cls(**data)


def is_ratio(value: object) -> bool:
    """Say whether a value is a number above 0, up to 1."""
    return type(value) in (int, float) and 0 < value <= 1  # type: ignore[operator]


@dataclass(frozen=True, slots=True)
class Document:
    """A text with a name and a class; `ref` is the short name by which it can be read.

    `ratio` bounds how much of it is shown, None is what the policy says. Directives in it are read
    if it is `authored`: if who gave it wrote it, which is not so of a page that was fetched.
    `content` is what the text was made of, where that is not the text itself.

    What is wrong raises `IngestError` (E706).

    >>> Document("a.md", "Rain.", "news")
    Traceback (most recent call last):
    lton.errors.IngestError: 'a.md': expected core, skills or refs, found 'news' [E706]
    """

    name: str
    text: str = field(repr=False)
    role: DocumentRole = "refs"
    _: KW_ONLY
    ref: str = ""
    priority: int = PRIORITY
    ratio: float | None = None
    kind: str | None = None
    authored: bool = True
    content: bytes | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for fault in self._faults():
            raise IngestError(Code.SOURCE, f"{self.name!r}: expected {fault}")

    def _faults(self) -> Iterator[str]:
        if not isinstance(self.name, str) or not self.name:
            yield "a name"
        if not isinstance(self.text, str):
            yield f"a text, found {type(self.text).__name__}"
        if self.role not in ROLES:
            yield f"core, skills or refs, found {self.role!r}"
        if type(self.priority) is not int:
            yield f"an integer as priority, found {self.priority!r}"
        if self.ratio is not None and not is_ratio(self.ratio):
            yield f"a ratio above 0, up to 1, found {self.ratio!r}"

    @property
    def digest(self) -> str:
        """The SHA-256 of the text in UTF-8."""
        return digest_of(to_bytes(self.text))

    @property
    def origin(self) -> str:
        """The SHA-256 of what the text was made of."""
        return self.digest if self.content is None else digest_of(self.content)

    @property
    def label(self) -> str:
        """Its name on one line, whatever is in it; what cannot be printed is U+FFFD."""
        return printable(" ".join(self.name.split())[:200])


class Span(NamedTuple):
    """A part of a document's text that is shown, and whether its author pinned it."""

    start: int
    end: int
    pinned: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """What became of a document: which spans of it are shown, as what, and why.

    `budget` is what it was allotted, `before` and `after` are its tokens and those of `body`, each
    alone. In the text of the image it is from `start` to before `end`, with its `head` first.
    """

    document: Document
    action: Placed
    reason: str
    budget: int
    before: int
    after: int
    spans: tuple[Span, ...]
    head: str
    body: str
    start: int = 0
    end: int = 0
    by_ratio: bool = False
    """Whether a ratio, and not the budget, bounds what is shown."""

    @property
    def ref(self) -> str:
        return self.document.ref

    @property
    def ratio(self) -> float:
        """The tokens that are shown by those that there are, to four places."""
        return round(self.after / self.before, 4) if self.before else 1.0

    @property
    def left(self) -> list[tuple[int, int]] | None:
        """What each mark stands for, in offsets of the document; None if that cannot be said."""
        return left_out(self.body, self.document.text, [span[:2] for span in self.spans])

    def __str__(self) -> str:
        sizes = f"{self.before:,} -> {self.after:,}"
        return f"{self.ref} {self.document.label}: {self.action}, {sizes} ({self.reason})"


@dataclass(frozen=True, slots=True)
class Image:
    """A context that fits: its `text` in the order core, skills, refs, and what was shown of each.

    `tokens` is the count of the whole text by the counter with the id `counter`; `ranker` is the id
    of what ranked; `sidecar` has
    every document by its `ref`, to be read with the manager; `records` are what the audit says.
    """

    text: str
    tokens: int
    budget: int
    counter: str
    exact: bool
    query: str | None
    ranker: str
    policy: Policy
    pages: tuple[Page, ...]
    names: str = ""
    """The last line of the text, which names the documents of which nothing is shown."""
    records: tuple[Mapping[str, Any], ...] = ()

    def of(self, role: DocumentRole) -> str:
        """Get the text of a class, as it is in the image."""
        shown = [page for page in self.pages if page.document.role == role and page.end]
        return self.text[shown[0].start : shown[-1].end] if shown else ""

    @property
    def core(self) -> str:
        """What is shown byte for byte."""
        return self.of("core")

    @property
    def skills(self) -> str:
        return self.of("skills")

    @property
    def refs(self) -> str:
        return self.of("refs")

    @property
    def classes(self) -> dict[str, int]:
        """The tokens of each class."""
        sizes = dict.fromkeys(map(str, ROLES), 0)
        for page in self.pages:
            sizes[page.document.role] += page.after
        return sizes

    @property
    def sidecar(self) -> Mapping[str, Document]:
        return MappingProxyType({page.ref: page.document for page in self.pages})

    def report(self) -> str:
        """Get a line for the whole and one for each document, for people."""
        total = f"{self.tokens:,} of {self.budget:,} tokens ({self.counter})"
        return "\n".join([total, *self._left_by_ratios(), *map(str, self.pages)])

    def _left_by_ratios(self) -> Iterator[str]:
        """Get a line for each class of which a ratio, and not the budget, bounds what is shown."""
        for role, ratio in (("skills", self.policy.skills), ("refs", self.policy.refs)):
            bound = (page for page in self.pages if page.document.role == role)
            left = sum(page.before - page.after for page in bound if page.by_ratio)
            if ratio < 1 and left:
                yield f"{left:,} tokens left by --{role}-ratio {ratio:g}"


class Places:
    r"""Numbers the lines of a text, and its pages, where form feeds divide it.

    >>> places = Places("a\nb\fc\n")
    >>> places.line(0), places.line(4), places.page(4), places.shown(Span(0, 5))
    (1, 2, 2, 'pages 1-2')
    """

    def __init__(self, text: str) -> None:
        self._lines = [found.end() for found in re.finditer("\n", text)]
        self._pages = [found.end() for found in re.finditer("\f", text)]

    def line(self, at: int) -> int:
        return bisect_right(self._lines, at) + 1

    def page(self, at: int) -> int:
        return bisect_right(self._pages, at) + 1

    def shown(self, span: Span) -> str:
        """Get the pages that a span is on, or its lines if there are no pages, for people."""
        number, unit = (self.page, "page") if self._pages else (self.line, "line")
        first, last = number(span.start), number(max(span.start, span.end - 1))
        return f"{unit} {first}" if first == last else f"{unit}s {first}-{last}"


def line_count(text: str) -> int:
    r"""Get how many lines a text has.

    >>> [line_count(text) for text in ("", "a", "a\n", "a\nb")]
    [0, 1, 1, 2]
    """
    return text.count("\n") + (not text.endswith("\n") and text != "")


def share(tokens: int, ratio: float) -> int:
    """Get a ratio of a number of tokens, rounded down; 0.7 of 10 is 7.

    >>> share(10, 0.7), share(3, 0.25)
    (7, 0)
    """
    return int(tokens * Fraction(str(ratio)))
