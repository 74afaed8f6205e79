"""The manager of a context: what is ingested, what is paged in later, and what can be read again.

It reads files by `sources`, keeps texts in its store, and writes the audit log, the only file that
it writes.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from lton.chat import ToolCall
from lton.codec import encode
from lton.context.audit import FIRST, batches, head_of, lines_of, read_log
from lton.context.compress import LEXICAL, Ranker, ranker_named
from lton.context.directives import DocumentRole
from lton.context.image import Document, Image, Policy, line_count
from lton.context.ingest import plan
from lton.context.records import asked, described, refused, restored
from lton.context.sources import Loader, Source, Unread, read_sources
from lton.errors import Code, IngestError, LTONError, TranscriptError
from lton.schema import Call, ToolSet
from lton.stores import Store, open_store
from lton.stores.contents import read_bytes, read_lines, to_bytes, to_text
from lton.tokens.counting import TokenCounter

PAGED_IN = 800
"""The priority of what is paged in."""
_LOG = "context"
"""The log of a store that keeps what was ingested."""


_CONTEXT_READ = {
    "name": "context_read",
    "description": (
        "Read a document of which only a part is shown: lines from 1 on, or all of it."
    ),
    "parameters": {
        "type": "object",
        "properties": {
            "ref": {"type": "string", "description": "Such as r2."},
            "start_line": {"type": "integer", "minimum": 1},
            "end_line": {"type": "integer", "minimum": 1},
        },
        "required": ["ref"],
    },
}


class ContextManager:
    r"""Makes images of contexts within a budget, and reads what they leave out.

    `ranker` says what matters, as those of `lton.context.compress` do. `audit` is a file: what is
    decided is appended to it, and a manager that is given it again, with a store that lasts, goes
    on where the other was. Several may share a store, but not a log.

    >>> from lton.tokens import counter
    >>> manager = ContextManager(budget=40, counter=counter("bytes"))
    >>> notes = "".join(f"Day {day}: it rained {day} mm.\n" for day in range(1, 60))
    >>> image = manager.ingest(core=[("rules", "Use the notes.")], refs=[("notes", notes)])
    >>> image.tokens <= 40, image.core, manager.read("r2", lines=(7, 7))
    (True, 'Use the notes.', 'Day 7: it rained 7 mm.\n')
    """

    def __init__(
        self,
        *,
        budget: int,
        counter: TokenCounter,
        store: Store | None = None,
        policy: Policy | None = None,
        ranker: Ranker = LEXICAL,
        audit: str | os.PathLike[str] | None = None,
    ) -> None:
        self.budget, self.counter, self.ranker = budget, counter, ranker
        self.store = store or open_store("memory:")
        self.policy = policy or Policy()
        self.image: Image | None = None
        self._audit = None if audit is None else Path(audit)
        self._query: str | None = None
        self._documents: list[dict[str, Any]] = []
        self._known: dict[tuple[str, str], str] = {}
        self._by_name: dict[str, dict[str, Any]] = {}
        self._by_ref: dict[str, dict[str, Any]] = {}
        self._size, self._lines, self._head = 0, 0, FIRST
        if self._audit is not None and self._audit.exists():
            self._go_on(self._audit.read_bytes())

    def _go_on(self, content: bytes) -> None:
        records = read_log(content)
        self._size, self._lines, self._head = len(content), len(records), head_of(content)
        for batch in batches(records):
            documents = [each for each in batch if each["event"] == "document"]
            self._remember(documents)
            if batch[-1]["event"] == "image":
                self._documents, self._query = documents, batch[0]["query"]

    def ingest(
        self,
        *,
        core: Iterable[Source] = (),
        skills: Iterable[Source] = (),
        refs: Iterable[Source] = (),
        sources: Iterable[Source] = (),
        query: str | None = None,
        load: Loader | None = None,
        trusted: bool | None = None,
    ) -> Image:
        """Get the image of these and no other documents, each a path, a pattern or (name, text).

        What is given twice is taken once, in the first of its classes. The classes of `sources`
        follow from their front matter and folders. With a `query` what is shown of documents is
        what says most to it. `load` gets what is at a URL. Directives in documents, and what their
        front matter asks for, count in what is `trusted`: files, if nothing else is said, and no
        (name, text), which a search may have found.

        Raises `CriticalOverflowError` (E701) if what is core does not fit: the image that there was
        stays. `IngestError` (E706) for what cannot be read. A document with a wrong directive, or
        with pins that do not fit, is dropped alone, and its page says why.
        """
        given: tuple[tuple[Iterable[Source], DocumentRole | None], ...] = (
            (core, "core"),
            (skills, "skills"),
            (refs, "refs"),
            (sources, None),
        )
        documents: dict[tuple[str, str], Document] = {}
        unread: dict[Unread, None] = {}
        for each, role in given:
            for found in read_sources(each, role, load=load, trusted=trusted):
                if isinstance(found, Unread):
                    unread[found] = None
                else:
                    documents.setdefault((found.name, found.digest), found)
        return self._plan([*documents.values()], query, [*unread])

    def page_in(
        self,
        source: Source,
        *,
        priority: int = PAGED_IN,
        role: DocumentRole = "refs",
        ratio: float = 1.0,
        load: Loader | None = None,
        trusted: bool | None = None,
    ) -> Image:
        """Get the image with one document more, or with this in the place of the one of its name.

        What is less important than `priority` is compressed further for it, first what is least
        important; never the core, nor what is pinned. It is compressed itself if that does not do.
        Raises as `ingest` does.
        """
        (found,) = read_sources([source], role, load=load, trusted=trusted)
        if isinstance(found, Unread):
            raise IngestError(Code.SOURCE, f"{found.name!r}: {found.reason}")
        late = replace(found, priority=priority, ratio=ratio)
        others = [each for each in self._documents if each["name"] != late.name]
        there = [restored(each, self.store) for each in others]
        return self._plan([*there, late], self._query, ())

    def _plan(
        self, documents: Sequence[Document], query: str | None, unread: Sequence[Unread]
    ) -> Image:
        named = [replace(each, ref=self._ref(each)) for each in documents]
        records, image = _planned(named, self.budget, self.counter, self.policy, query, self.ranker)
        records[0]["unread"] = [list(each) for each in unread]
        self._keep(named, records)
        if isinstance(image, LTONError):
            raise image
        self.image = replace(image, records=tuple(records))
        self._query = query
        self._documents = [each for each in records if each["event"] == "document"]
        self._remember(self._documents)
        return self.image

    def _remember(self, documents: Iterable[dict[str, Any]]) -> None:
        """Know documents by what they are called, also when they are in no image any more."""
        for each in documents:
            self._known[each["name"], each["raw"]] = each["ref"]
            self._by_name[each["name"]] = self._by_ref[each["ref"]] = each

    def _ref(self, document: Document) -> str:
        """Get the reference of a document: the one that it had, or a new one."""
        key = document.name, document.digest
        return self._known.setdefault(key, f"r{len(self._known) + 1}")

    def _keep(self, documents: Sequence[Document], records: Sequence[dict[str, Any]]) -> None:
        """Keep the texts, then write the audit: it speaks of nothing that is not kept."""
        lines = lines_of(records, head=self._head, number=self._lines)
        contents = [to_bytes(each.text) for each in documents]
        contents += [each.content for each in documents if each.content is not None]
        while not self.store.append(
            _LOG, lines, at=len(self.store.entries(_LOG)), contents=contents
        ):
            pass  # somebody else appended
        if self._audit is not None:
            with self._audit.open("ab") as file:
                if file.tell() != self._size:
                    msg = f"somebody else wrote to {str(self._audit)!r}"
                    raise IngestError(Code.CHANGED, msg)
                file.write(lines)
                file.flush()
                os.fsync(file.fileno())
        self._size += len(lines)
        self._lines += len(records)
        self._head = head_of(lines)

    # Reading

    def read(
        self,
        ref: str,
        span: tuple[int, int] | None = None,
        *,
        lines: tuple[int, int] | None = None,
        bytes: tuple[int, int] | None = None,  # noqa: A002 - what it is
        mark: int | None = None,
    ) -> str:
        """Get the text of a document that was ingested, as it was: all, or a part of it.

        `ref` is its reference or its name. `span` are code points from 0 on to before the second,
        `bytes` the same of its bytes, `lines` are from 1 on with the last. `mark` is the
        number, from 1 on, of a mark that the last image with it shows: of what that stands for.
        What is past the end is left out. Raises `TranscriptError` (E712) if there is no such
        document or part of it.
        """
        content = self._content(ref, "raw")
        text = to_text(content)
        if lines is not None:
            return read_lines(text, *lines)
        if bytes is not None:
            return read_bytes(content, *bytes)
        if mark is not None:
            span = self._left(ref, mark)
        start, end = span or (0, len(text))
        if not 0 <= start <= min(end, len(text)):
            msg = f"no characters {start} to {end} in {ref!r}"
            raise TranscriptError(Code.FILE, msg, hint=f"it has {len(text)}")
        return text[start:end]

    def _left(self, ref: str, mark: int) -> tuple[int, int]:
        left = (self._by_ref.get(ref) or self._by_name[ref]).get("left", [])
        if not 0 < mark <= len(left):
            msg = f"no mark {mark} in {ref!r}"
            raise TranscriptError(Code.FILE, msg, hint=f"it has {len(left)}")
        start, end = left[mark - 1]
        return start, end

    def lines(self, ref: str) -> int:
        """Get how many lines a document has."""
        return line_count(to_text(self._content(ref, "raw")))

    def original(self, ref: str) -> bytes:
        """Get the bytes that a document was made of: of a PDF the PDF."""
        return self._content(ref, "origin")

    def _content(self, ref: str, what: str) -> bytes:
        # No name of a document hides another's reference.
        if (record := self._by_ref.get(ref) or self._by_name.get(ref)) is not None:
            return self.store.get(record[what])
        known = ranges(int(each[1:]) for each in self._by_ref)
        hint = f"there are {known}" if known else "there are none"
        raise TranscriptError(Code.FILE, f"no document {ref[:60]!r}", hint=hint)

    @property
    def tools(self) -> ToolSet:
        """The tool by which a model reads what it is not shown."""
        return ToolSet.from_tools([_CONTEXT_READ])

    def answer(self, call: Call | ToolCall) -> str:
        """Get what the tool answers; raises `EncodeError` for a call that it does not take."""
        call = call.call if isinstance(call, ToolCall) else call
        encode(call, self.tools)
        given = dict(call.arguments)
        start, end = given.get("start_line"), given.get("end_line")
        if start is None and end is None:
            return self.read(given["ref"])
        return self.read(given["ref"], lines=(start or 1, end or 10**9))

    def close(self) -> None:
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def ranges(numbers: Iterable[int]) -> str:
    """Get references, those that follow each other as a range.

    >>> ranges([3, 1, 2, 5])
    'r1 to r3, r5'
    """
    found: list[list[int]] = []
    for number in sorted(numbers):
        if found and found[-1][1] == number - 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return ", ".join(f"r{a}" if a == b else f"r{a} to r{b}" for a, b in found)


def replay(
    content: bytes,
    store: Store,
    counter: Callable[[str], TokenCounter],
    *,
    ranker: Callable[[str], Ranker] = ranker_named,
    head: str | None = None,
) -> int:
    """Make again all images of an audit log, and get how many there are.

    `counter` gets the counter of an id, as `lton.tokens.counter` does of those that it knows, and
    `ranker` the ranker of an id.
    Raises `IngestError` (E707) if the log was changed, or another image comes out than it says;
    `StoreError` (E715) if the store has not the texts.
    """
    found = batches(read_log(content, head=head))
    for number, batch in enumerate(found, 1):
        again = _again(batch, store, counter, ranker)
        for was, now in zip(batch, again, strict=True):
            if was != now:
                where = was.get("ref", was["event"])
                msg = f"image {number} comes out otherwise: {where}"
                raise IngestError(Code.CHANGED, msg)
    return len(found)


def _again(
    batch: Sequence[dict[str, Any]],
    store: Store,
    counter: Callable[[str], TokenCounter],
    ranker: Callable[[str], Ranker],
) -> list[dict[str, Any]]:
    """Get the records that come of what was given when those of a batch were written."""
    first, *records, _ = batch
    named = counter(first["counter"])
    documents = [restored(each, store) for each in records]
    policy, by = Policy.of(first["policy"]), ranker(first["ranker"])
    records, _image = _planned(documents, first["budget"], named, policy, first["query"], by)
    records[0]["unread"] = first["unread"]
    return records


def _planned(
    documents: Sequence[Document],
    budget: int,
    counter: TokenCounter,
    policy: Policy,
    query: str | None,
    ranker: Ranker,
) -> tuple[list[dict[str, Any]], Image | LTONError]:
    """Get an image, or why there is none, and what the audit says of it."""
    try:
        image = plan(
            documents, budget=budget, counter=counter, policy=policy, query=query, ranker=ranker
        )
    except LTONError as error:
        head = asked(budget, counter.id, ranker.id, policy, query)
        return [head, *map(described, documents), refused(error)], error
    return [dict(each) for each in image.records], image
