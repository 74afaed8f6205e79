"""What the audit says of an image, and documents made again from that."""

from collections.abc import Iterator
from typing import Any

from lton.context.image import Document, Image, Policy
from lton.errors import LTONError
from lton.stores import Store
from lton.stores.contents import digest_of, to_bytes, to_text

COMPRESSOR = "lton.extractive/6"
"""Who compresses, for the audit: a compressor that chooses otherwise has another name."""


def records_of(image: Image) -> Iterator[dict[str, Any]]:
    """Get what the audit says of an image: what was asked, each document, and what came of it."""
    yield asked(image.budget, image.counter, image.ranker, image.policy, image.query)
    for page in image.pages:
        document = page.document
        yield {
            **described(document),
            "action": page.action,
            "reason": page.reason,
            "budget": page.budget,
            "before": page.before,
            "after": page.after,
            "ratio": page.ratio,
            "result": digest_of(to_bytes(page.body)),
            "left": [list(span) for span in page.left or ()],
            "pinned": [list(span[:2]) for span in page.spans if span.pinned],
        }
    yield {
        "event": "image",
        "tokens": image.tokens,
        "budget": image.budget,
        "exact": image.exact,
        "classes": image.classes,
        "image": digest_of(to_bytes(image.text)),
    }


def asked(
    budget: int, counter: str, ranker: str, policy: Policy, query: str | None
) -> dict[str, Any]:
    """Get the record of what was asked for."""
    return {
        "event": "ingest",
        "budget": budget,
        "counter": counter,
        "compressor": COMPRESSOR,
        "ranker": ranker,
        "policy": policy.as_json(),
        "query": query,
    }


def described(document: Document) -> dict[str, Any]:
    """Get the record of a document: with its text it can be made again."""
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


def refused(error: LTONError) -> dict[str, Any]:
    """Get the record of what could not be ingested."""
    return {"event": "refused", "code": error.code, "reason": str(error)}


def restored(record: dict[str, Any], store: Store) -> Document:
    """Get the document that a record is of; `StoreError` (E715) if the store has not its text."""
    content = None
    if record["origin"] != record["raw"]:
        content = store.get(record["origin"])
    return Document(
        record["name"],
        to_text(store.get(record["raw"])),
        record["class"],
        ref=record["ref"],
        priority=record["priority"],
        ratio=record["limit"],
        kind=record["kind"],
        authored=record["authored"],
        content=content,
    )
