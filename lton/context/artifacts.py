"""Compress documents to files in advance and write a manifest with the hashes of the files.

An artifact depends only on its document and the policy, so equal documents produce identical bytes.
The manifest contains the hashes of inputs and outputs, and its own hash. So every changed byte is
detected, unless both a file and the manifest are changed. To detect this, sign the manifest.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from lton.context.audit import try_parse_unchanged
from lton.context.image import Document, Policy
from lton.context.ingest import plan_image
from lton.context.records import COMPRESSOR
from lton.errors import Code, IngestError
from lton.stores.contents import digest_of, to_bytes, to_text
from lton.tokens import TokenCounter

MANIFEST = "manifest.json"
SUFFIX = ".pwc.md"
_NO_BOUND = 10**12  # The budget in tokens, so that only the ratio limits an artifact
Artifact: TypeAlias = tuple[dict[str, Any], bytes]  # A manifest entry, and the bytes of its file


def make_artifact(document: Document, by: TokenCounter, policy: Policy) -> Artifact:
    """Compress a document. Return its entry in the manifest, and the compressed bytes.

    >>> from lton.tokens import counter
    >>> entry, content = make_artifact(Document("a.md", "Rain."), counter("bytes"), Policy())
    >>> entry["file"], content, entry["ratio"]
    ('a.md.pwc.md', b'Rain.', 1.0)
    """
    (page,) = plan_image([document], budget=_NO_BOUND, counter=by, policy=policy).pages
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


def write_manifest(entries: Iterable[Mapping[str, Any]], tokenizer: str, policy: Policy) -> bytes:
    """Write the manifest of a build, with the entries sorted by file name."""
    manifest: dict[str, Any] = {
        "format": "lton.context/1",
        "compressor": COMPRESSOR,
        "counter": tokenizer,
        "policy": policy.as_json(),
        "artifacts": sorted(entries, key=lambda entry: entry["file"]),
    }
    return _to_bytes({**manifest, "sha256": digest_of(_to_bytes(manifest))})


def read_manifest(content: bytes) -> dict[str, Any]:
    """Parse a manifest. Raises `IngestError` (E707) if its hash is wrong."""
    manifest = try_parse_unchanged(content, _to_bytes)
    if manifest is None or manifest.pop("sha256", None) != digest_of(_to_bytes(manifest)):
        raise _build_changed(f"{MANIFEST} was changed")
    return manifest


def iterate_faults(
    manifest: Mapping[str, Any],
    files: Iterable[str],
    read: Callable[[str], bytes],
    source: Callable[[str], bytes] | None = None,
) -> Iterator[str]:
    """Yield a description of each file that differs from the manifest."""
    entries = {entry["file"]: entry for entry in manifest["artifacts"]}
    there = set(files) - {MANIFEST}
    for name in sorted(there - set(entries)):
        yield f"{name} is not in the manifest"
    for name, entry in entries.items():
        if name not in there:
            yield f"{name} is missing"
        elif digest_of(read(name)) != entry["result"]:
            yield f"{name} was changed"
        original = name.removesuffix(SUFFIX)
        if source is not None and digest_of(source(original)) != entry["origin"]:
            yield f"{original} has changed since {name} was built"


def iterate_built_documents(content: bytes, read: Callable[[str], bytes]) -> Iterator[Document]:
    """Yield the compressed documents that are listed in a manifest."""
    for entry in read_manifest(content)["artifacts"]:
        content_built = read(entry["file"])
        if digest_of(content_built) != entry["result"]:
            raise _build_changed(f"{entry['file']} was changed")
        fields = {"priority": entry["priority"], "ratio": 1.0, "authored": False}
        yield Document(entry["file"], to_text(content_built), entry["class"], **fields)


def _to_bytes(record: Mapping[str, Any]) -> bytes:
    return to_bytes(json.dumps(record, ensure_ascii=False, indent=1) + "\n")


def _build_changed(msg: str) -> IngestError:
    return IngestError(Code.CHANGED, f"the build was changed: {msg}")
