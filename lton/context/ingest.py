"""Build a context image: divide the budget among documents, and compress each document.

Theory of operation. Core documents and pinned blocks are shown byte for byte, or not at all. The
rest of the budget goes to the documents of the highest priority first. Documents of equal priority
share it in proportion to their ratios. With a question, documents of the same priority and class
are compressed together, so the share of each depends on its relevance to the question. Token counts
do not add up, so the whole text is counted. While it exceeds the budget, the least important
document is compressed further, and the rest of the budget is allotted again.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from lton.context.compress import LEXICAL, Compressed, Ranker
from lton.context.compress.compressor import Compressor
from lton.context.directives import ROLES
from lton.context.drafts import Draft, DraftPiece, choose_fence_around, divide_budget
from lton.context.image import Document, Image, Policy, Span
from lton.context.invariants import check_image
from lton.context.layout import lay_out
from lton.context.marks import make_unused_mark
from lton.context.records import iterate_records_of_image
from lton.context.sections import Section, join_sections
from lton.errors import Code, CriticalOverflowError, IngestError
from lton.tokens.counting import TokenCounter

_ROUNDS = 3
_MOST_HELD = 20_000_000  # The maximum length of documents that stay split between rounds
_RANK_OF_ROLE = {role: rank for rank, role in enumerate(ROLES)}


def plan_image(
    documents: Iterable[Document],
    *,
    budget: int,
    counter: TokenCounter,
    policy: Policy | None = None,
    query: str | None = None,
    ranker: Ranker = LEXICAL,
) -> Image:
    """Build a context image from documents. Equal arguments give equal images.

    Raises `CriticalOverflowError` (E701) if the core does not fit, and `IngestError` (E706) for two
    documents with the same reference. If a document has an invalid directive, or its pins do not
    fit, it is dropped, and its page states the reason.

    >>> from lton.tokens import counter
    >>> rules = Document("rules.md", "Answer from the notes, in one sentence.", "core")
    >>> image = plan_image([rules], budget=20, counter=counter("bytes"))
    >>> image.core, image.tokens
    ('Answer from the notes, in one sentence.', 10)
    """
    if type(budget) is not int or budget < 0:
        raise IngestError(Code.SOURCE, f"expected an integer >= 0 as budget, found {budget!r}")
    numbered = _with_refs(documents)
    composer = _Plan(numbered, budget, counter, policy or Policy(), query, ranker)
    composer.fit_to_budget()
    image = composer.build_image()
    check_image(image, counter)
    return replace(image, records=tuple(iterate_records_of_image(image)))


def _with_refs(documents: Iterable[Document]) -> list[Document]:
    numbered = enumerate(documents, 1)
    with_refs = [
        document if document.ref else replace(document, ref=f"r{at}") for at, document in numbered
    ]
    if len({document.ref for document in with_refs}) < len(with_refs):
        raise IngestError(Code.SOURCE, "expected a different reference for each document")
    return sorted(with_refs, key=lambda document: _RANK_OF_ROLE[document.role])


@dataclass(slots=True)
class _Job:
    """Blocks that are compressed together, to at most `budget` tokens."""

    pieces: list[tuple[Draft, DraftPiece]]
    budget: int = 0
    last_budget: int = -1
    required: int = 0  # The minimum tokens, for `keep` and heads
    compressor: Compressor | None = None  # created once, for several budgets

    @property
    def cap(self) -> int:
        return sum(piece.cap for _, piece in self.pieces)

    @property
    def is_bound(self) -> bool:
        return self.budget >= self.cap < sum(piece.tokens for _, piece in self.pieces)

    @property
    def page(self) -> Draft:
        return self.pieces[0][0]

    @property
    def documents(self) -> list[str]:
        return list(dict.fromkeys(page.document.ref for page, _ in self.pieces))


class _Plan:
    def __init__(
        self,
        documents: Sequence[Document],
        budget: int,
        counter: TokenCounter,
        policy: Policy,
        query: str | None,
        ranker: Ranker,
    ) -> None:
        self.budget = budget
        self.counter = counter
        self.policy = policy
        self.query = query
        self.ranker = ranker
        self.fence = choose_fence_around(documents)
        self.names = ""
        self.cached_size = 0
        sizes = [item.tokens for item in counter.count_all(item.text for item in documents)]
        sized = zip(documents, sizes, strict=True)
        self.pages = [Draft(document, size, self.fence) for document, size in sized]
        refs_by_digest: dict[str, str] = {}
        for page in sorted(self.pages, key=_make_priority_key):
            divide_budget(page, refs_by_digest, counter, policy)
        self.jobs = list(self._iterate_jobs())

    def _iterate_jobs(self) -> Iterator[_Job]:
        """Group the blocks that will be compressed, the most important first."""
        together: dict[tuple[int, str], _Job] = {}
        for page in sorted(self.pages, key=lambda page: -page.document.priority):
            free = [(page, piece) for piece in page.pieces if not piece.pinned]
            yield from (_Job([pair]) for pair in free if pair[1].apart)
            shared = [pair for pair in free if not pair[1].apart]
            key = page.document.priority, page.document.role
            if shared and self.query is not None and key in together:
                together[key].pieces += shared
            elif shared:
                yield together.setdefault(key, _Job(shared)) if self.query else _Job(shared)

    def require_critical(self) -> int:
        """Return the budget left by core documents and pins. Raises an error if they do not fit."""
        if not self.policy.raw:
            self.drop_pins_over_budget()
        sections = [
            Section(f"{page.document.ref} {page.document.label}", text)
            for page in self.pages
            if (text := page.text)
        ]
        return self.budget - lay_out(sections, budget=self.budget, counter=self.counter).tokens

    def drop_pins_over_budget(self) -> None:
        """Drop a document if more important documents leave no room for its pinned blocks."""
        pages = [page for page in sorted(self.pages, key=_make_priority_key) if page.text]
        core = [page for page in pages if page.document.role == "core"]
        others = [page for page in pages if page.document.role != "core"]
        room = self.budget - sum(self._count_tokens_with_gap(core))
        if room >= 0 and self.count_tokens() > self.budget:
            for page, size in zip(others, self._count_tokens_with_gap(others), strict=True):
                if size > room:
                    page.drop_text(f"its pins take {size:,} tokens, and there is room for {room:,}")
                else:
                    room -= size
        while others and self.count_tokens() > self.budget:
            others.pop().drop_text("its pins do not fit")
        for job in self.jobs:
            job.pieces = [entry for entry in job.pieces if not entry[0].why]
        self.jobs = [job for job in self.jobs if job.pieces]

    def _count_tokens_with_gap(self, pages: Sequence[Draft]) -> list[int]:
        return [count.tokens + 1 for count in self.counter.count_all(page.text for page in pages)]

    def fit_to_budget(self) -> None:
        """Compress the documents until the image fits, and list the hidden documents at the end."""
        room = self.require_critical()
        names = 0
        for _ in range(_ROUNDS):
            self.spend_tokens(room - names, self.budget - names)
            self.names = self.write_hidden_line(room // 4)
            if (size := self.count_line(self.names)) <= names:
                break
            names = size
        while self.names and (over := self.count_tokens() - self.budget) > 0:
            self.names = self.write_hidden_line(self.count_line(self.names) - over - 1)

    def spend_tokens(self, room: int, most: int) -> None:
        """Divide `room` among the jobs, and shrink jobs until the image fits `most` tokens."""
        self.names = ""
        self.divide_among_jobs(room)
        spare = most - self.shrink_to_fit(most)
        if spare > max(8, self.budget // 25) and any(job.budget < job.cap for job in self.jobs):
            self.divide_among_jobs(room + spare)
            self.shrink_to_fit(most)

    def write_hidden_line(self, most: int) -> str:
        """Name the hidden documents on a line of at most `most` tokens."""
        pages = sorted(self.pages, key=_make_priority_key)
        names = [
            f"{page.document.ref} {page.document.label}"
            for page in pages
            if not page.body and page.document.role != "core"
        ]

        def write_line_with_names(count: int) -> str:
            others = [f"{len(names) - count:,} more"] if count < len(names) else []
            return f"{self.fence} not shown: {', '.join([*names[:count], *others])}"

        count = bisect_right(
            range(len(names) + 1),
            most,
            key=lambda number: self.count_line(write_line_with_names(number)),
        )
        return write_line_with_names(count - 1) if names and count else ""

    def count_line(self, line: str) -> int:
        return self.counter.count(line).tokens + 1 if line else 0

    def divide_among_jobs(self, room: int) -> None:
        for _, jobs in groupby(self.jobs, key=lambda job: job.page.document.priority):
            group = list(jobs)
            shares = self.shares_of_group(group, room)
            for job, (tokens, head) in zip(group, shares, strict=True):
                room -= tokens + head
                self.run_job(job, tokens)

    def shares_of_group(self, group: Sequence[_Job], room: int) -> list[tuple[int, int]]:
        """Divide `room` among jobs of equal priority. Return each job's text and heading tokens."""
        heads = [self._head_size(job) for job in group]
        least = [min(job.cap, self.policy.least) for job in group]
        visible = []
        for job, head, few in zip(group, heads, least, strict=True):
            is_shown = job.cap > 0 and few + head <= room
            if is_shown:
                room -= few + head
            visible.append(is_shown)
        limits = zip(group, least, visible, strict=True)
        more = [job.cap - few if is_shown else 0 for job, few, is_shown in limits]
        total = max(1, sum(more))
        room = min(room, sum(more))
        return [
            (few + extra * room // total, head) if is_shown else (0, 0)
            for few, extra, head, is_shown in zip(least, more, heads, visible, strict=True)
        ]

    def _head_size(self, job: _Job) -> int:
        """Return the tokens of a page's heading, or 0 if other blocks show the heading anyway."""
        if len(job.documents) > 1 or any(piece.pinned for piece in job.page.pieces):
            return 0
        return self.counter.count(job.page.write_head(10**5)).tokens + 1

    def shrink_to_fit(self, most: int) -> int:
        """Compress the least important jobs until the image fits `most` tokens. Return its size."""
        slack = 0
        while True:
            size = self.count_tokens()
            over = size - most
            if over <= 0:
                return size
            excess = over + slack
            for job in reversed(self.jobs):
                less = min(excess, job.budget - job.required)
                excess -= less
                self.run_job(job, job.budget - less)
            if excess == over + slack and size <= self.budget:
                return size
            if excess == over + slack:
                required = [
                    (job.page.document.label, job.required) for job in self.jobs if job.required
                ]
                raise CriticalOverflowError(required, size, budget=self.budget)
            slack = 2 * slack + 1

    def count_tokens(self) -> int:
        return self.counter.count(self.join_pages()).tokens

    def join_pages(self) -> str:
        return join_sections([*(page.text for page in self.pages), self.names], "\n")

    def run_job(self, job: _Job, budget: int) -> None:
        """Compress the blocks of a job to a budget, without omitting required parts."""
        job.budget = max(budget, job.required)
        if job.last_budget == job.budget:
            return
        try:
            results = self.compress_job(job)
        except CriticalOverflowError as error:
            job.budget = job.required = error.required
            results = self.compress_job(job)
        job.last_budget = job.budget
        for (page, piece), result in zip(job.pieces, results, strict=True):
            if result.tokens > piece.tokens:  # the marks cost more than the omitted text
                piece.text = page.document.text[piece.start : piece.end]
                piece.spans = (Span(piece.start, piece.end),)
                continue
            piece.text = result.text
            piece.spans = tuple(Span(piece.start + a, piece.start + b) for a, b in result.spans)

    def compress_job(self, job: _Job) -> Sequence[Compressed]:
        documents = [page.document for page, _ in job.pieces]
        texts = [page.document.text[piece.start : piece.end] for page, piece in job.pieces]
        compressor = job.compressor or Compressor(
            [(document.label, text) for document, text in zip(documents, texts, strict=True)],
            self.counter,
            query=self.query,
            ranker=self.ranker,
            keep=self.policy.keep,
            kinds=[document.kind for document in documents],
            render=self.render_passages if len(job.documents) > 1 else _join_texts,
            marks=[make_unused_mark(document.text) for document in documents],
            sizes=[piece.tokens for _, piece in job.pieces],
        )
        if job.compressor is None:
            self.cached_size += sum(map(len, texts))
            job.compressor = compressor if self.cached_size <= _MOST_HELD else None
        return compressor.compress_to_budget(job.budget).documents

    def render_passages(self, passages: Sequence[tuple[str, str]]) -> str:
        """Render passages with headings that are at least as long as the final ones."""
        texts = []
        before = ""
        for label, text in passages:
            if label != before:
                texts.append(f"{self.fence} r999 {label}, 999 of 9999 lines")
            texts.append(text)
            before = label
        return join_sections(texts, "\n")

    def build_image(self) -> Image:
        texts = [page.text for page in self.pages]
        text = self.join_pages()
        total = self.counter.count(text)
        sizes = [count.tokens for count in self.counter.count_all(page.body for page in self.pages)]
        shared: dict[str, list[_Job]] = {page.document.ref: [] for page in self.pages}
        for job in self.jobs:
            for ref in job.documents:
                shared[ref].append(job)
        pages = []
        start = 0
        for page, page_text, size in zip(self.pages, texts, sizes, strict=True):
            jobs = shared[page.document.ref]
            allotted = sum(job.budget for job in jobs)
            is_bound = any(job.is_bound for job in jobs)
            sharing = max((len(job.documents) for job in jobs), default=1)
            final = page.to_page(size, allotted, sharing, by_ratio=is_bound)
            pages.append(
                replace(final, start=start, end=start + len(page_text)) if page_text else final
            )
            start += len(page_text)
            if page_text and not page_text.endswith("\n"):
                start += 1  # the newline that separates two pages
        fields = text, total.tokens, self.budget, self.counter.id, total.exact, self.query
        return Image(*fields, self.ranker.id, self.policy, tuple(pages), self.names)


def _make_priority_key(page: Draft) -> tuple[bool, int]:
    return page.document.role != "core", -page.document.priority


def _join_texts(passages: Sequence[tuple[str, str]]) -> str:
    return join_sections((text for _, text in passages), "\n")
