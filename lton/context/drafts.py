"""Draft the pages of a context image before their final limits are known."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from lton._patterns import compiled_when_used
from lton.context.directives import Block, read_directives
from lton.context.image import (
    Document,
    Page,
    Placed,
    Places,
    Policy,
    Span,
    line_count,
    share_of_tokens,
)
from lton.context.marks import (
    lines_of_text,
    make_unused_mark,
    read_mark_after,
    read_mark_at,
    write_mark_with_count,
)
from lton.context.sections import join_sections
from lton.errors import Code, DecodeError, IngestError
from lton.tokens.counting import TokenCounter

_MOST_COLONS = 100
_COLONS = compiled_when_used(":{3,}")


@dataclass(slots=True)
class DraftPiece:
    """A block of a document in a draft."""

    start: int
    end: int
    pinned: bool
    apart: bool
    tokens: int
    cap: int
    text: str = ""
    spans: tuple[Span, ...] = ()


@dataclass(slots=True)
class Draft:
    """A page of an image whose limits are not final yet."""

    document: Document
    before: int
    fence: str  # The colons at the start of the page's head
    pieces: list[DraftPiece] = field(default_factory=list)
    why: str = ""

    def drop_text(self, why: str) -> None:
        self.pieces = []
        self.why = why

    @property
    def body(self) -> str:
        return join_sections(self._texts(), "\n")

    def _texts(self) -> list[str]:
        text = self.document.text
        passages = list[str]()
        omitted = ""
        for piece in self.pieces:
            if not piece.spans:
                omitted += text[piece.start : piece.end]
                continue
            if passages or read_mark_at(piece.text, make_unused_mark(text)):
                omitted += text[piece.start : piece.spans[0].start]
            self._add_passage(passages, omitted, piece.text)
            omitted = text[piece.spans[-1].end : piece.end]
        if passages and not self.pieces[-1].spans:
            self._add_passage(passages, omitted)
        return passages

    def _add_passage(self, passages: list[str], omitted: str, more: str = "") -> None:
        """Append a passage and, before it, a mark for the omitted text."""
        mark = make_unused_mark(self.document.text)
        after = read_mark_after(passages[-1], mark) if passages else ""
        first = read_mark_at(more, mark)
        if omitted.strip():
            is_plain = mark in (after, first)
            between = mark if is_plain else write_mark_with_count(mark, len(lines_of_text(omitted)))
            if after:
                passages[-1] = f"{passages[-1].removesuffix(after)}{between}"
                more = more[len(first) + 1 :] if first else more
            elif first:
                more = f"{between}{more.removeprefix(first)}"
            else:
                passages.append(between)
        if more:
            passages.append(more)

    @property
    def spans(self) -> tuple[Span, ...]:
        return tuple(span for piece in self.pieces for span in piece.spans)

    @property
    def is_whole(self) -> bool:
        text = self.document.text
        return all(
            piece.text.strip() == text[piece.start : piece.end].strip() for piece in self.pieces
        )

    @property
    def head(self) -> str:
        if self.document.role == "core":
            return ""
        if self.is_whole:
            return self.write_head(0)
        return self.write_head(_lines_in(self.document.text, self.spans))

    def write_head(self, lines: int) -> str:
        """Return the heading of a page that shows `lines` lines (0: all lines)."""
        name = f"{self.fence} {self.document.ref} {self.document.label}"
        return f"{name}, {lines} of {line_count(self.document.text)} lines" if lines else name

    @property
    def text(self) -> str:
        body = self.body
        return f"{self.head}\n{body}" if body and self.document.role != "core" else body

    def to_page(self, after: int, allotted: int, sharing: int, *, by_ratio: bool) -> Page:
        """Build the final page, whose body has `after` tokens."""
        body = self.body
        budget = sum(piece.tokens for piece in self.pieces if piece.pinned) + allotted
        action, reason = self._action_and_reason(budget, sharing)
        by_ratio = by_ratio and not self.is_whole
        if by_ratio:
            reason = f"its ratio allows {budget:,}"
        if sharing > 1:  # documents share by relevance: the budget of each is its result
            budget = after
        record = self.document, action, reason, budget, self.before, after, self.spans
        return Page(*record, self.head if body else "", body, by_ratio=by_ratio)

    def _action_and_reason(self, budget: int, sharing: int) -> tuple[Placed, str]:
        shared = f" for {sharing:,} documents together" if sharing > 1 else ""
        if self.why:
            return "dropped", self.why
        if not self.pieces:
            return "dropped", "empty"
        if self.document.role == "core":
            return "kept", "core"
        if self.is_whole:
            return "kept", "pinned" if all(piece.pinned for piece in self.pieces) else "fits"
        return "compressed" if self.body else "dropped", f"allotted {budget:,}{shared}"


def choose_fence_around(documents: Iterable[Document]) -> str:
    """Return the mark for headings: a longer run of colons than any document contains."""
    longest = 3
    for document in documents:
        colons = max(map(len, _COLONS.findall(document.text + document.label)), default=0)
        if colons > _MOST_COLONS:
            msg = f"{document.label!r} has {colons:,} colons in a row"
            raise IngestError(Code.SOURCE, msg, hint=f"at most {_MOST_COLONS} are allowed")
        longest = max(longest, colons)
    return ":" * (longest + 1)


def divide_budget(
    page: Draft, refs_by_digest: dict[str, str], counter: TokenCounter, policy: Policy
) -> None:
    """Split the document of a page into blocks, or drop it if it duplicates an earlier one."""
    document = page.document
    is_core = document.role == "core"
    first = refs_by_digest.setdefault(document.digest, document.ref)
    if first != document.ref and not is_core:
        page.why = f"the same as {first}"
        return
    pinned = is_core or policy.raw
    blocks = [Block(0, len(document.text), pinned, None)]
    if document.authored and not pinned:
        try:
            blocks = read_directives(document.text)
        except DecodeError as error:
            page.why = str(error)
            return
    texts = [document.text[part.start : part.end] for part in blocks]
    counts = counter.count_all(texts) if len(blocks) > 1 else []
    tokens = [count.tokens for count in counts] or [page.before]
    for block, text, size in zip(blocks, texts, tokens, strict=False):
        if not text.strip() and not is_core:
            continue
        is_apart = block.ratio is not None or document.ratio is not None
        cap = size if block.pinned else _max_tokens(page, block, size, policy)
        piece = DraftPiece(block.start, block.end, block.pinned, is_apart, size, cap)
        if block.pinned:
            piece.text = text
            piece.spans = (Span(block.start, block.end, pinned=True),)
        page.pieces.append(piece)


def _max_tokens(page: Draft, block: Block, size: int, policy: Policy) -> int:
    ratio = block.ratio if block.ratio is not None else page.document.ratio
    if ratio is not None:
        return share_of_tokens(size, ratio)
    if page.before <= policy.whole:
        return size
    role = page.document.role
    return share_of_tokens(size, policy.skills if role == "skills" else policy.refs)


def _lines_in(text: str, spans: Iterable[Span]) -> int:
    places = Places(text)
    total = 0
    last = 0
    for span in spans:
        first = places.line_number_at(span.start)
        end = places.line_number_at(max(span.start, span.end - 1))
        total += max(0, end - max(first, last + 1) + 1)
        last = max(last, end)
    return total
