"""The audit log: a line of JSON for each decision, each with the hash of the line before it.

A log has no clock and no place in it, so the same decisions give the same bytes. Where a byte is
changed, or a line is left out, the chain does not hold. Whole batches that are cut off at its end
are found by its head, the hash of the last line: keep it elsewhere.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from lton._json import minified, read_json
from lton.errors import Code, IngestError
from lton.stores.contents import digest_of, to_bytes

FIRST = "0" * 64
"""What the first line has for the hash of the line before it."""


def lines_of(records: Iterable[Mapping[str, Any]], *, head: str = FIRST, number: int = 0) -> bytes:
    r"""Get the lines of records, which follow `number` lines, the last with the hash `head`.

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
        head = _hash(line)
        lines.append(_bytes({**line, "hash": head}))
    return b"".join(lines)


def read_log(content: bytes, *, head: str | None = None) -> list[dict[str, Any]]:
    """Get the records of a log whose chain holds; `head` is the hash of its last line, if known.

    Raises `IngestError` (E707) with the number of the first line that is not what was written.
    """
    records: list[dict[str, Any]] = []
    last = FIRST
    *lines, rest = content.split(b"\n")
    for number, line in enumerate(lines, 1):
        record = as_written(line + b"\n", _bytes)
        if record is None or record.pop("hash", None) != _hash(record):
            raise _changed(f"line {number} is not what was written")
        if (record.pop("n", None), record.pop("prev", None)) != (number, last):
            raise _changed(f"line {number} does not follow the line before it")
        last = line[-66:-2].decode()
        records.append(record)
    if rest:
        raise _changed(f"line {len(lines) + 1} does not end")
    if head is not None and head != last:
        raise _changed(f"it ends with {last[:12]}…, not with {head[:12]}…")
    return records


def head_of(content: bytes) -> str:
    """Get the hash of the last line of a log that was read."""
    return content[-67:-3].decode() if content else FIRST


def batches(records: Iterable[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Divide records into what belongs together: from one that asks to the one that says the end.

    Raises `IngestError` (E707) where an end is missing, or there is one without a beginning.
    """
    found: list[list[dict[str, Any]]] = []
    is_open = False
    for number, record in enumerate(records, 1):
        begins, ends = record.get("event") == "ingest", record.get("event") in ("image", "refused")
        if begins == is_open:
            raise _changed(f"line {number} is not where it belongs")
        if begins:
            found.append([])
        found[-1].append(record)
        is_open = not ends
    if is_open:
        raise _changed("it ends in the middle")
    return found


def as_written(
    content: bytes, write: Callable[[Mapping[str, Any]], bytes]
) -> dict[str, Any] | None:
    """Return the object of JSON in some bytes, or None if it is not written just so."""
    try:
        found = read_json(content.decode("utf-8", "surrogatepass"))
    except ValueError:
        return None
    return found if isinstance(found, dict) and write(found) == content else None


def _hash(record: Mapping[str, Any]) -> str:
    return digest_of(_bytes(record))


def _bytes(record: Mapping[str, Any]) -> bytes:
    return to_bytes(minified(record)) + b"\n"


def _changed(msg: str) -> IngestError:
    return IngestError(Code.CHANGED, f"the audit log was changed: {msg}")
