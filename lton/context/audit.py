"""Write and read the audit log, whose lines of JSON form a chain of hashes.

The log contains no times and no paths, so equal decisions produce identical bytes. A changed byte
or a missing line breaks the chain. Only a log that lacks its last batches stays valid. To detect
this, keep the head (the hash of the last line) elsewhere.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from lton._json import minified, read_json
from lton.errors import Code, IngestError
from lton.stores.contents import digest_of, to_bytes

FIRST = "0" * 64  # The `prev` of the first line


def lines_of(records: Iterable[Mapping[str, Any]], *, head: str = FIRST, number: int = 0) -> bytes:
    """Write records as lines that continue a log of `number` lines with the last hash `head`.

    >>> line = lines_of([{"event": "image", "tokens": 7}])
    >>> line.decode()[:70]
    '{"n":1,"prev":"0000000000000000000000000000000000000000000000000000000'
    >>> [record["tokens"] for record in read_log(line)]
    [7]
    """
    lines: list[bytes] = []
    for record in records:
        number += 1
        line = {"n": number, "prev": head, **record}
        head = _hash_record(line)
        lines.append(_to_bytes({**line, "hash": head}))
    return b"".join(lines)


def read_log(content: bytes, *, head: str | None = None) -> list[dict[str, Any]]:
    """Parse the records of a log. `head` is the expected hash of the last line, if known.

    Raises `IngestError` (E707) with the number of the first line that breaks the chain.
    """
    records: list[dict[str, Any]] = []
    last = FIRST
    *lines, tail = content.split(b"\n")
    for number, line in enumerate(lines, 1):
        record = try_parse_unchanged(line + b"\n", _to_bytes)
        if record is None or record.pop("hash", None) != _hash_record(record):
            raise _make_changed_error(f"line {number} was changed")
        if (record.pop("n", None), record.pop("prev", None)) != (number, last):
            raise _make_changed_error(f"line {number} does not follow the line before it")
        last = line[-66:-2].decode()
        records.append(record)
    if tail:
        raise _make_changed_error(f"line {len(lines) + 1} does not end")
    if head is not None and head != last:
        raise _make_changed_error(f"it ends with {last[:12]}…, not with {head[:12]}…")
    return records


def read_last_hash(content: bytes) -> str:
    """Return the hash in the last line of a log."""
    return content[-67:-3].decode() if content else FIRST


def group_into_batches(records: Iterable[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Group records into batches, each of which ends with an `image` or `refused` record."""
    groups: list[list[dict[str, Any]]] = []
    is_open = False
    for number, record in enumerate(records, 1):
        begins = record.get("event") == "ingest"
        ends = record.get("event") in ("image", "refused")
        if begins == is_open:
            raise _make_changed_error(f"line {number} is out of order")
        if begins:
            groups.append([])
        groups[-1].append(record)
        is_open = not ends
    if is_open:
        raise _make_changed_error("it ends within a batch")
    return groups


def try_parse_unchanged(
    content: bytes, write: Callable[[Mapping[str, Any]], bytes]
) -> dict[str, Any] | None:
    """Parse a JSON object; return None if `write` would write the object with different bytes."""
    try:
        record = read_json(content.decode("utf-8", "surrogatepass"))
    except ValueError:
        return None
    return record if isinstance(record, dict) and write(record) == content else None


def _hash_record(record: Mapping[str, Any]) -> str:
    return digest_of(_to_bytes(record))


def _to_bytes(record: Mapping[str, Any]) -> bytes:
    return to_bytes(minified(record)) + b"\n"


def _make_changed_error(msg: str) -> IngestError:
    return IngestError(Code.CHANGED, f"the audit log was changed: {msg}")
