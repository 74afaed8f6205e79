"""Test that the audit log is read again, and that any changed byte is found."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lton.context.audit import FIRST, group_into_batches, lines_of, read_last_hash, read_log
from lton.errors import IngestError

RECORDS: list[dict[str, Any]] = [
    {"event": "ingest", "budget": 9},
    {"event": "document", "name": "ä\udc80"},
    {"event": "image"},
]
LOG = lines_of(RECORDS)


def test_records_are_read_again() -> None:
    """Records are read back in order, also after more records were appended."""
    assert read_log(b"") == []
    assert read_log(LOG) == RECORDS
    more = lines_of(RECORDS, head=read_last_hash(LOG), number=3)
    assert read_log(LOG + more, head=read_last_hash(more)) == RECORDS * 2
    assert group_into_batches(read_log(LOG + more)) == [RECORDS, RECORDS]
    assert (read_last_hash(b""), len(read_last_hash(LOG))) == (FIRST, 64)


def test_each_changed_byte_is_found() -> None:
    """Each byte of the log that is changed, doubled or removed is found."""
    for at in range(len(LOG)):
        was = LOG[at : at + 1]
        for other in {bytes([LOG[at] ^ 1]), b"", was * 2, b" ", b"\n"} - {was}:
            with pytest.raises(IngestError, match="was changed") as caught:
                read_log(LOG[:at] + other + LOG[at + 1 :])
            assert caught.value.code == "E707"


def test_each_line_has_its_place() -> None:
    """A line at another place, or repeated, is found."""
    first, second, third = LOG.splitlines(keepends=True)
    for changed in (second + third, first + third, first + first, first + second + second):
        with pytest.raises(IngestError, match="does not follow the line before it"):
            read_log(changed)


@given(st.permutations(LOG.splitlines(keepends=True)), st.integers(1, 3))
def test_lines_have_one_order(lines: list[bytes], number: int) -> None:
    """A log with lines in another order is invalid, and so is a shortened log if its head is
    known.
    """
    changed = b"".join(lines[:number])
    if changed == LOG:
        assert read_log(changed, head=read_last_hash(LOG)) == RECORDS
    else:
        with pytest.raises(IngestError):
            read_log(changed, head=read_last_hash(LOG))


def test_a_head_that_is_not_the_last_is_found() -> None:
    """If the last batches are missing, the known head shows this."""
    longer = LOG + lines_of(RECORDS, head=read_last_hash(LOG), number=3)
    with pytest.raises(IngestError, match="it ends with"):
        read_log(LOG, head=read_last_hash(longer))


@pytest.mark.parametrize("events", [["image"], ["ingest"], ["ingest", "ingest"], ["document"]])
def test_what_belongs_together_is_together(events: list[str]) -> None:
    """Each batch has a beginning and an end."""
    with pytest.raises(IngestError, match=r"out of order|within a batch"):
        group_into_batches([{"event": event} for event in events])
