"""Define context images, with their documents, policy and pages."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, asdict, dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias

from lton.context.cuts import replace_unprintable
from lton.context.directives import ROLES, DocumentRole
from lton.context.marks import find_spans_left_out
from lton.errors import Code, IngestError
from lton.stores.contents import digest_of, to_bytes

Placed: TypeAlias = Literal["kept", "compressed", "dropped"]
PRIORITY = 500  # The default priority; a lower number is less important


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Limits on how much of each document is shown.

    `skills` and `refs` limit the share of a document's tokens that is shown. At 1, only the budget
    applies. A lower ratio applies even if there is room, and the report states this. These ratios
    do not apply to documents of at most `whole` tokens. If fewer than `least` tokens of a document
    fit, it is not shown. Parts that contain a word of `keep` are omitted last. With `raw` nothing
    is compressed: a document is shown completely or not at all.

    Invalid values raise `IngestError` (E706).

    >>> Policy(refs=0)
    Traceback (most recent call last):
    lton.errors.IngestError: expected a ratio above 0, up to 1, as refs, found 0 [E706]
    """

    skills: float = 1.0
    refs: float = 1.0
    whole: int = 100
    least: int = 24
    keep: tuple[str, ...] = ()
    raw: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "keep", tuple(self.keep))
        for fault in self._iterate_faults():
            raise IngestError(Code.SOURCE, f"expected {fault}")

    def _iterate_faults(self) -> Iterator[str]:
        for name in ("skills", "refs"):
            value = getattr(self, name)
            if not is_ratio(value):
                yield f"a ratio above 0, up to 1, as {name}, found {value!r}"
        for name in ("whole", "least"):
            value = getattr(self, name)
            if type(value) is not int or value < 0:
                yield f"an integer >= 0 as {name}, found {value!r}"
        if not all(isinstance(word, str) and word for word in self.keep):
            yield f"words as keep, found {self.keep!r}"

    def as_json(self) -> dict[str, Any]:
        """Return the policy as JSON for the audit log."""
        return {**asdict(self), "keep": list(self.keep)}


def is_ratio(value: object) -> bool:
    """Return whether a value is a number greater than 0 and at most 1."""
    return type(value) in (int, float) and 0 < value <= 1  # type: ignore[operator]


@dataclass(frozen=True, slots=True)
class Document:
    """A document: its text, its name, its class and a short reference.

    `ratio` limits the shown share of the text; None means the limit of the policy. Its directives
    are used only if it is `authored`, which means that its author is trusted. A fetched page is
    not. `content` has the bytes from which the text was extracted, if any.

    Invalid values raise `IngestError` (E706).

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
        for fault in self._iterate_faults():
            raise IngestError(Code.SOURCE, f"{self.name!r}: expected {fault}")

    def _iterate_faults(self) -> Iterator[str]:
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
        return digest_of(to_bytes(self.text))

    @property
    def origin(self) -> str:
        return self.digest if self.content is None else digest_of(self.content)

    @property
    def label(self) -> str:
        """The name on one line, without unprintable characters."""
        return replace_unprintable(" ".join(self.name.split())[:200])


class Span(NamedTuple):
    """A shown part of a document's text, and whether its author pinned it."""

    start: int
    end: int
    pinned: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """A document in an image: the spans shown, their token counts, and why they were chosen.

    `budget` is the number of tokens that were allotted to it. `before` and `after` are the tokens
    of the document and of `body`, each counted separately. The page is between `start` and `end` in
    the image's text, starting with its `head`.
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
    by_ratio: bool = False  # whether a ratio, and not the budget, limits the page

    @property
    def ref(self) -> str:
        return self.document.ref

    @property
    def ratio(self) -> float:
        """The share of the document's tokens that is shown."""
        return round(self.after / self.before, 4) if self.before else 1.0

    @property
    def left(self) -> list[tuple[int, int]] | None:
        """The span that each mark replaces, or None if the body does not consist of spans."""
        return find_spans_left_out(self.body, self.document.text, [span[:2] for span in self.spans])

    def __str__(self) -> str:
        sizes = f"{self.before:,} -> {self.after:,}"
        return f"{self.ref} {self.document.label}: {self.action}, {sizes} ({self.reason})"


@dataclass(frozen=True, slots=True)
class Image:
    """A context that fits its budget: the text, and a page for each document.

    `tokens` is the count of the whole text. `counter` and `ranker` are the ids of the counter and
    the ranker. `sidecar` has every document by its `ref`. `records` are written to the audit log.
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
    """The last line of the text, which names the documents that are not shown."""
    records: tuple[Mapping[str, Any], ...] = ()

    def text_of_role(self, role: DocumentRole) -> str:
        pages = [page for page in self.pages if page.document.role == role and page.end]
        return self.text[pages[0].start : pages[-1].end] if pages else ""

    @property
    def core(self) -> str:
        return self.text_of_role("core")

    @property
    def skills(self) -> str:
        return self.text_of_role("skills")

    @property
    def refs(self) -> str:
        return self.text_of_role("refs")

    @property
    def classes(self) -> dict[str, int]:
        sizes = dict.fromkeys(map(str, ROLES), 0)
        for page in self.pages:
            sizes[page.document.role] += page.after
        return sizes

    @property
    def sidecar(self) -> Mapping[str, Document]:
        return MappingProxyType({page.ref: page.document for page in self.pages})

    def report(self) -> str:
        """Describe the image in one line, and then each document in one line."""
        total = f"{self.tokens:,} of {self.budget:,} tokens ({self.counter})"
        return "\n".join([total, *self._iterate_unused_ratios(), *map(str, self.pages)])

    def _iterate_unused_ratios(self) -> Iterator[str]:
        """Yield a line for each class of documents whose ratio omits text."""
        for role, ratio in (("skills", self.policy.skills), ("refs", self.policy.refs)):
            bound = (page for page in self.pages if page.document.role == role)
            omitted = sum(page.before - page.after for page in bound if page.by_ratio)
            if ratio < 1 and omitted:
                yield f"{omitted:,} tokens left by the ratio {ratio:g} of {role}"


class Places:
    r"""Converts offsets to line numbers or, if form feeds divide the text, to page numbers.

    >>> places = Places("a\nb\fc\n")
    >>> (places.line_number_at(0), places.line_number_at(4), places.page_number_at(4),
    ...     places.describe_span(Span(0, 5)))
    (1, 2, 2, 'pages 1-2')
    """

    def __init__(self, text: str) -> None:
        self._lines = [match.end() for match in re.finditer("\n", text)]
        self._pages = [match.end() for match in re.finditer("\f", text)]

    def line_number_at(self, at: int) -> int:
        return bisect_right(self._lines, at) + 1

    def page_number_at(self, at: int) -> int:
        return bisect_right(self._pages, at) + 1

    def describe_span(self, span: Span) -> str:
        """Describe a span by its page numbers or, without pages, by its line numbers."""
        number, unit = (
            (self.page_number_at, "page") if self._pages else (self.line_number_at, "line")
        )
        first = number(span.start)
        last = number(max(span.start, span.end - 1))
        return f"{unit} {first}" if first == last else f"{unit}s {first}-{last}"


def line_count(text: str) -> int:
    r"""Return the number of lines in `text`.

    >>> [line_count(text) for text in ("", "a", "a\n", "a\nb")]
    [0, 1, 1, 2]
    """
    count = text.count("\n")
    if text and not text.endswith("\n"):
        count += 1  # the last line
    return count


def share_of_tokens(tokens: int, ratio: float) -> int:
    """Multiply a number of tokens by a ratio, and round down without floating-point errors.

    >>> share_of_tokens(10, 0.7), share_of_tokens(3, 0.25)
    (7, 0)
    """
    return int(tokens * Fraction(str(ratio)))
