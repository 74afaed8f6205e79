"""Artifacts: documents compressed beforehand, each a file, and the manifest that vouches for them.

They are what a policy allows of each document alone, so the same documents give the same bytes.
The manifest has the hashes of what went in and came out, and one of itself: a byte that is changed
in any of them is found. Who changes a file and the manifest together is not: sign the manifest.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from lton._workers import in_processes
from lton.context.audit import as_written
from lton.context.image import Document, Policy
from lton.context.ingest import plan
from lton.context.records import COMPRESSOR
from lton.errors import Code, IngestError
from lton.stores.contents import digest_of, to_bytes, to_text
from lton.tokens import TokenCounter, counter

MANIFEST = "manifest.json"
SUFFIX = ".pwc.md"
_NO_BOUND = 10**12
"""Tokens: what bounds an artifact is the ratio alone."""
Artifact: TypeAlias = tuple[dict[str, Any], bytes]
"""The entry of a manifest, and the bytes of the file that it is of."""


@dataclass(frozen=True, slots=True)
class Building:
    """How artifacts are built: by the counter of a name, under a policy, for a question or none."""

    counter: str
    policy: Policy
    query: str | None = None


def build(
    documents: Iterable[Document], building: Building, *, jobs: int = 1
) -> Iterator[Artifact]:
    """Return the artifacts of documents in their order, made by some processes."""
    work = partial(_built, building)
    return (found for _, found in in_processes(work, documents, jobs))


def _built(building: Building, document: Document) -> Artifact:
    return artifact(document, counter(building.counter), building.policy, building.query)


def artifact(
    document: Document, by: TokenCounter, policy: Policy, query: str | None = None
) -> Artifact:
    """Get what a document is compressed to, and the entry of the manifest that says so.

    >>> from lton.tokens import counter
    >>> entry, content = artifact(Document("a.md", "Rain."), counter("bytes"), Policy())
    >>> entry["file"], content, entry["ratio"]
    ('a.md.pwc.md', b'Rain.', 1.0)
    """
    (page,) = plan([document], budget=_NO_BOUND, counter=by, policy=policy, query=query).pages
    content = to_bytes(page.body)
    return {
        "file": f"{document.name}{SUFFIX}",
        "class": document.role,
        "origin": document.origin,
        "raw": document.digest,
        "result": digest_of(content),
        "before": page.before,
        "after": page.after,
        "ratio": page.ratio,
        "priority": document.priority,
        "spans": [[span.start, span.end] for span in page.spans],
        "pinned": [[span.start, span.end] for span in page.spans if span.pinned],
    }, content


def manifest_of(entries: Iterable[Mapping[str, Any]], building: Building) -> bytes:
    """Get the manifest of artifacts; their order does not matter."""
    found: dict[str, Any] = {
        "format": "lton.context/1",
        "compressor": COMPRESSOR,
        "counter": building.counter,
        "policy": building.policy.as_json(),
        "query": building.query,
        "artifacts": sorted(entries, key=lambda entry: entry["file"]),
    }
    return _bytes({**found, "sha256": digest_of(_bytes(found))})


def read_manifest(content: bytes) -> dict[str, Any]:
    """Get what a manifest says; `IngestError` (E707) if it is not what was written."""
    found = as_written(content, _bytes)
    if found is None or found.pop("sha256", None) != digest_of(_bytes(found)):
        raise _changed(f"{MANIFEST} is not what was written")
    return found


def faults(
    manifest: Mapping[str, Any],
    files: Iterable[str],
    read: Callable[[str], bytes],
    source: Callable[[str], bytes] | None = None,
) -> Iterator[str]:
    """Get what is not as a manifest says: a sentence for each file.

    `files` are those that are there, `read` gets the bytes of one, and `source` those of what it
    was made of, if that is at hand.
    """
    entries = {entry["file"]: entry for entry in manifest["artifacts"]}
    there = set(files) - {MANIFEST}
    for name in sorted(there - set(entries)):
        yield f"{name} is in no manifest"
    for name, entry in entries.items():
        if name not in there:
            yield f"{name} is missing"
        elif digest_of(read(name)) != entry["result"]:
            yield f"{name} is not what was written"
        original = name.removesuffix(SUFFIX)
        if source is not None and digest_of(source(original)) != entry["origin"]:
            yield f"{original} is not what {name} was made of"


def read_built(content: bytes, read: Callable[[str], bytes]) -> Iterator[Document]:
    """Get the documents of a manifest as they were compressed; E707 for one that was changed.

    They may be compressed further where room is short; their directives were followed already.
    """
    for entry in read_manifest(content)["artifacts"]:
        built = read(entry["file"])
        if digest_of(built) != entry["result"]:
            raise _changed(f"{entry['file']} is not what was written")
        yield Document(
            entry["file"],
            to_text(built),
            entry["class"],
            priority=entry["priority"],
            ratio=1.0,
            authored=False,
        )


def _bytes(found: Mapping[str, Any]) -> bytes:
    return to_bytes(json.dumps(found, ensure_ascii=False, indent=1) + "\n")


def _changed(msg: str) -> IngestError:
    return IngestError(Code.CHANGED, f"what was built was changed: {msg}")
