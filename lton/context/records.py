"""Build the records of the audit log and restore documents from records."""

from collections.abc import Iterator
from typing import Any, TypeAlias

from lton.context.image import Document, Image, Policy
from lton.errors import LTONError
from lton.stores import Store
from lton.stores.contents import digest_of, to_bytes, to_text

_Record: TypeAlias = dict[str, Any]
COMPRESSOR = "lton.extractive/8"  # Renamed if the compressor changes its choices
_OF_PAGE = ("action", "reason", "budget", "before", "after", "ratio")


def iterate_records_of_image(image: Image) -> Iterator[_Record]:
    """Yield the records of an image: its request, its documents, and its result."""
    yield make_request_record(image.budget, image.counter, image.ranker, image.policy, image.query)
    for page in image.pages:
        document = page.document
        yield {
            **make_document_record(document),
            **{name: getattr(page, name) for name in _OF_PAGE},
            "result": digest_of(to_bytes(page.body)),
            "left": [list(span) for span in page.left or ()],
            "pinned": [list(span[:2]) for span in page.spans if span.pinned],
        }
    yield {
        "event": "image",
        **{name: getattr(image, name) for name in ("tokens", "budget", "exact", "classes")},
        "image": digest_of(to_bytes(image.text)),
    }


def make_request_record(
    budget: int, counter: str, ranker: str, policy: Policy, query: str | None
) -> _Record:
    """Build the record of a request."""
    return {
        "event": "ingest",
        "budget": budget,
        "counter": counter,
        "compressor": COMPRESSOR,
        "ranker": ranker,
        "policy": policy.as_json(),
        "query": query,
    }


def make_document_record(document: Document) -> _Record:
    """Build the record of a document. `read_document` restores the document from it."""
    return {
        "event": "document",
        "ref": document.ref,
        "name": document.name,
        "class": document.role,
        "priority": document.priority,
        "limit": document.ratio,
        "kind": document.kind,
        "authored": document.authored,
        "origin": document.origin,
        "raw": document.digest,
    }


def make_failure_record(error: LTONError) -> _Record:
    """Build the record of a failed request."""
    return {"event": "refused", "code": error.code, "reason": str(error)}


def read_document(record: _Record, store: Store) -> Document:
    """Restore a document from its record. Raises `StoreError` (E715) if its text is missing."""
    content = store.get(record["origin"]) if record["origin"] != record["raw"] else None
    fields = {key: record[key] for key in ("ref", "priority", "kind", "authored")}
    text = to_text(store.get(record["raw"]))
    ratio = record["limit"]
    return Document(record["name"], text, record["class"], ratio=ratio, content=content, **fields)
