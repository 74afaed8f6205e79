"""Manage a context: add documents, and read the text that its image omits."""

import json
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from lton.chat import ToolCall
from lton.codec import encode
from lton.context.audit import FIRST, group_into_batches, lines_of, read_last_hash, read_log
from lton.context.compress import LEXICAL, Ranker, ranker_named
from lton.context.directives import ROLES, DocumentRole
from lton.context.image import Document, Image, Policy, line_count
from lton.context.ingest import plan_image
from lton.context.records import (
    make_document_record,
    make_failure_record,
    make_request_record,
    read_document,
)
from lton.context.sources import Loader, Source, Unread, iterate_documents
from lton.errors import Code, IngestError, LTONError, TranscriptError
from lton.schema import Call, ToolSet
from lton.stores import Store, open_store
from lton.stores.contents import read_bytes, read_lines, to_bytes, to_text
from lton.tokens.counting import TokenCounter

PAGED_IN = 800  # The default priority of a document that is paged in
_MOST_LISTED = 20  # references in an error
_LOG = "context"  # the store's log of ingested documents


_CONTEXT_READ = json.loads(Path(__file__).with_name("context_read.json").read_bytes())


class ContextManager:
    r"""Builds context images within a budget, and reads the text that the images omit.

    `ranker` scores relevance, as in `lton.context.compress`. `audit` is a file to which decisions
    are appended. A new manager with this file and the same persistent store continues where the
    last manager stopped. Managers may share a store, but not an audit log.

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
        self.budget = budget
        self.counter = counter
        self.ranker = ranker
        self.store = store or open_store("memory:")
        self.policy = policy or Policy()
        self.image: Image | None = None
        self._audit = None if audit is None else Path(audit)
        self._query: str | None = None
        self._documents: list[dict[str, Any]] = []
        self._known: dict[tuple[str, str], str] = {}
        self._by_name: dict[str, dict[str, Any]] = {}
        self._by_ref: dict[str, dict[str, Any]] = {}
        self._size = 0
        self._lines = 0
        self._head = FIRST
        if self._audit is not None and self._audit.exists():
            self._continue_log(self._audit.read_bytes())

    def _continue_log(self, content: bytes) -> None:
        records = read_log(content)
        self._size = len(content)
        self._lines = len(records)
        self._head = read_last_hash(content)
        for batch in group_into_batches(records):
            documents = [record for record in batch if record["event"] == "document"]
            self._register_documents(documents)
            if batch[-1]["event"] == "image":
                self._documents = documents
                self._query = batch[0]["query"]

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
        """Build an image from documents, each given as a path, a pattern, or (name, text).

        A document that is given twice is used once, in the first of its classes. The classes of
        `sources` follow from front matter and folders. With a `query`, the most relevant parts are
        shown. `load` fetches a URL. Directives and front matter are used only in `trusted`
        documents. By default these are files, but not (name, text), which may come from a search.

        Raises `CriticalOverflowError` (E701) if the core does not fit (the previous image stays),
        and `IngestError` (E706) for an unreadable source. If a document has an invalid directive,
        or pins that do not fit, it is dropped, and its page states the reason.
        """
        documents: dict[tuple[str, str], Document] = {}
        unread: dict[Unread, None] = {}
        for group, role in zip((core, skills, refs, sources), (*ROLES, None), strict=True):
            for document in iterate_documents(group, role, load=load, trusted=trusted):
                if isinstance(document, Unread):
                    unread[document] = None
                else:
                    documents.setdefault((document.name, document.digest), document)
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
        """Add a document to the image, or replace the document that has the same name.

        To make room, less important documents are compressed further, least important first, except
        core documents and pins. If that is not enough, the new document is compressed. Raises the
        errors of `ingest`.
        """
        (document,) = iterate_documents([source], role, load=load, trusted=trusted)
        if isinstance(document, Unread):
            raise IngestError(Code.SOURCE, f"{document.name!r}: {document.reason}")
        late = replace(document, priority=priority, ratio=ratio)
        others = [record for record in self._documents if record["name"] != late.name]
        there = [read_document(record, self.store) for record in others]
        return self._plan([*there, late], self._query, ())

    def _plan(
        self, documents: Sequence[Document], query: str | None, unread: Sequence[Unread]
    ) -> Image:
        named = []
        for item in documents:
            new = f"r{len(self._known) + 1}"
            ref = self._known.setdefault((item.name, item.digest), new)
            named.append(replace(item, ref=ref))
        options = self.counter, self.policy, self.ranker
        records, image = _plan_image(named, self.budget, query, *options)
        records[0]["unread"] = [list(item) for item in unread]
        self._store_records(named, records)
        if isinstance(image, LTONError):
            raise image
        self.image = replace(image, records=tuple(records))
        self._query = query
        self._documents = [item for item in records if item["event"] == "document"]
        self._register_documents(self._documents)
        return self.image

    def _register_documents(self, documents: Iterable[dict[str, Any]]) -> None:
        """Make documents readable by name and by reference, even if no image shows them."""
        for record in documents:
            self._known[record["name"], record["raw"]] = record["ref"]
            self._by_name[record["name"]] = self._by_ref[record["ref"]] = record

    def _store_records(
        self, documents: Sequence[Document], records: Sequence[dict[str, Any]]
    ) -> None:
        """Store documents before the audit log, so that no log refers to a missing document."""
        lines = lines_of(records, head=self._head, number=self._lines)
        contents = [to_bytes(document.text) for document in documents]
        contents += [document.content for document in documents if document.content is not None]
        while not self.store.append(
            _LOG, lines, at=len(self.store.entries(_LOG)), contents=contents
        ):
            pass  # another process has appended in between
        if self._audit is not None:
            with self._audit.open("ab") as file:
                if file.tell() != self._size:
                    msg = f"another program wrote to {str(self._audit)!r}"
                    raise IngestError(Code.CHANGED, msg)
                file.write(lines)
                file.flush()
                os.fsync(file.fileno())
        self._size += len(lines)
        self._lines += len(records)
        self._head = read_last_hash(lines)

    def read(
        self,
        ref: str,
        span: tuple[int, int] | None = None,
        *,
        lines: tuple[int, int] | None = None,
        bytes: tuple[int, int] | None = None,  # noqa: A002 - what it is
        mark: int | None = None,
    ) -> str:
        """Return the text of a document, or a part of it.

        `ref` is its reference or name. `span` and `bytes` count code points or bytes from 0, and
        exclude the end; `lines` count from 1 and include the last line. `mark` selects the text
        that a mark replaces in the document's last image, by its number from 1. A part may extend
        past the end. Raises `TranscriptError` (E712) if there is no such document or part.
        """
        content = self._read_content(ref, "raw")
        text = to_text(content)
        if lines is not None:
            return read_lines(text, *lines)
        if bytes is not None:
            return read_bytes(content, *bytes)
        if mark is not None:
            span = self._marked_gap(ref, mark)
        start, end = span or (0, len(text))
        if not 0 <= start <= min(end, len(text)):
            msg = f"no characters {start} to {end} in {ref!r}"
            raise TranscriptError(Code.FILE, msg, hint=f"it has {len(text)}")
        return text[start:end]

    def _marked_gap(self, ref: str, mark: int) -> tuple[int, int]:
        gaps = (self._by_ref.get(ref) or self._by_name[ref]).get("left", [])
        if not 0 < mark <= len(gaps):
            msg = f"no mark {mark} in {ref!r}"
            raise TranscriptError(Code.FILE, msg, hint=f"it has {len(gaps)}")
        start, end = gaps[mark - 1]
        return start, end

    def lines(self, ref: str) -> int:
        return line_count(to_text(self._read_content(ref, "raw")))

    def original(self, ref: str) -> bytes:
        """Return the original bytes of a document, such as a PDF."""
        return self._read_content(ref, "origin")

    def _read_content(self, ref: str, what: str) -> bytes:
        # References come first, so that a document's name never hides a reference.
        if (record := self._by_ref.get(ref) or self._by_name.get(ref)) is not None:
            return self.store.get(record[what])
        references = ", ".join([*self._by_ref][:_MOST_LISTED])
        more = len(self._by_ref) - _MOST_LISTED
        hint = f"there are {references}" if references else "there are none"
        hint += f" and {more} more" if more > 0 else ""
        raise TranscriptError(Code.FILE, f"no document {ref[:60]!r}", hint=hint)

    @property
    def tools(self) -> ToolSet:
        """The tool with which a model reads omitted text."""
        return ToolSet.from_tools([_CONTEXT_READ])

    def answer(self, call: Call | ToolCall) -> str:
        """Answer a model's call to the tool. Raises `EncodeError` for an invalid call."""
        call = call.call if isinstance(call, ToolCall) else call
        encode(call, self.tools)
        arguments = dict(call.arguments)
        start = arguments.get("start_line")
        end = arguments.get("end_line")
        if start is None and end is None:
            return self.read(arguments["ref"])
        return self.read(arguments["ref"], lines=(start or 1, end or 10**9))

    def close(self) -> None:
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def replay_log(
    content: bytes,
    store: Store,
    counter: Callable[[str], TokenCounter],
    *,
    ranker: Callable[[str], Ranker] = ranker_named,
    head: str | None = None,
) -> int:
    """Build the images in an audit log again, check them, and return their number.

    `counter` and `ranker` return the counter or ranker with an id. Raises `IngestError` (E707) if
    the log was changed or an image differs, and `StoreError` (E715) if a document is missing.
    """
    logged = group_into_batches(read_log(content, head=head))
    for number, batch in enumerate(logged, 1):
        again = _rebuild_records(batch, store, counter, ranker)
        for was, now in zip(batch, again, strict=True):
            if was != now:
                where = was.get("ref", was["event"])
                msg = f"image {number} differs: {where}"
                raise IngestError(Code.CHANGED, msg)
    return len(logged)


def _rebuild_records(
    batch: Sequence[dict[str, Any]],
    store: Store,
    counter: Callable[[str], TokenCounter],
    ranker: Callable[[str], Ranker],
) -> list[dict[str, Any]]:
    first, *records, _ = batch
    options = counter(first["counter"]), Policy(**first["policy"]), ranker(first["ranker"])
    documents = [read_document(record, store) for record in records]
    records, _image = _plan_image(documents, first["budget"], first["query"], *options)
    records[0]["unread"] = first["unread"]
    return records


def _plan_image(
    documents: Sequence[Document], budget: int, query: str | None, *options: Any
) -> tuple[list[dict[str, Any]], Image | LTONError]:
    counter, policy, ranker = options
    settings = {"counter": counter, "policy": policy, "ranker": ranker, "query": query}
    try:
        image = plan_image(documents, budget=budget, **settings)
    except LTONError as error:
        head = make_request_record(budget, counter.id, ranker.id, policy, query)
        return [head, *map(make_document_record, documents), make_failure_record(error)], error
    return [dict(record) for record in image.records], image
