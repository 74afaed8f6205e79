"""Read files of logs, line by line or whole."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from io import BytesIO
from itertools import chain, count
from pathlib import Path
from typing import IO, Any, TypeAlias

from lton._json import fault_of
from lton._terminal import progress
from lton.cost.counted import CountedAnswers
from lton.cost.logs import Record, records
from lton.cost.sessions import SessionFile, is_session_line
from lton.cost.streams import Streams, find_event_data, try_identify_event
from lton.errors import ConversionError

Take: TypeAlias = Callable[[Record], None]
MAX_LINE = 2**24  # longer lines are skipped, and never held in memory
_MAX_FILE = 2**28  # the maximum bytes of a file that is a single value
_MB = 10**6
_MOST_HELD = 1_000  # the maximum number of errors that wait until it is known what a file is


def iterate_log_errors(
    log: str, take: Take, answers: CountedAnswers | None = None
) -> Iterator[tuple[int, str]]:
    """Pass the records in a log to `take` and yield an error for each unreadable line.

    `answers` contains the answers in earlier logs, which are answers only once. In a file of an
    agent's session, an object that is not a request is not an error.
    """
    sessions = SessionFile(answers)
    line = 0
    number = 0
    waiting = list[tuple[int, str, bool]]()  # errors from the first object on that is not a request
    with ExitStack() as opened, progress() as show:
        file = sys.stdin.buffer if log == "-" else opened.enter_context(Path(log).open("rb"))
        size = 0 if log == "-" else Path(log).stat().st_size

        def add_record(record: Record) -> None:
            nonlocal number
            take(record)
            number += 1
            show_count()

        def show_count() -> None:
            of = f" of {size // _MB:,} MB" if size > _MB else ""
            show(f"{log}{of}: line {line:,}, {number:,} requests and other records")

        for line, value in _iterate_values(file):
            show_count()
            error, is_foreign = _read_line(value, sessions, add_record)
            if error and (is_foreign or waiting):
                waiting.append((line, error, is_foreign))
            elif error:
                yield line, error
            if sessions.is_session or len(waiting) >= _MOST_HELD:
                yield from _iterate_errors_of(waiting, sessions)
                waiting.clear()
        yield from _iterate_errors_of(waiting, sessions)
        if error := _add_records_or_error(_iterate_answered_records(sessions.flush()), add_record):
            yield line, error


def _iterate_errors_of(
    waiting: Iterable[tuple[int, str, bool]], sessions: SessionFile
) -> Iterator[tuple[int, str]]:
    """Yield the errors of lines, in a session without those of objects that are not requests."""
    for line, error, is_foreign in waiting:
        if not (is_foreign and sessions.is_session):
            yield line, error


def _read_line(value: Any, sessions: SessionFile, add: Take) -> tuple[str | None, bool]:
    """Read a line. Return its error, and whether the line is an object that is not a request."""
    if isinstance(value, ValueError):
        return str(value), False
    if is_session_line(value):
        return _add_records_or_error(_iterate_answered_records(sessions.feed(value)), add), False
    return _add_records_or_error(records(value), add), isinstance(value, dict)


def _iterate_answered_records(all_records: Iterable[Record]) -> Iterator[Record]:
    """Omit unanswered requests, because they may never have been sent."""
    return (record for record in all_records if not record.is_pending)


def _add_records_or_error(new_records: Iterable[Record], add: Take) -> str | None:
    try:
        for record in new_records:
            add(record)
    except ConversionError as error:
        return str(error)
    return None


def _iterate_values(stream: IO[bytes]) -> Iterator[tuple[int, Any]]:
    """Yield the number of each line in a file, with its JSON value or a `ValueError`."""
    lines = _iterate_lines(stream)
    first = next(lines, None)
    if first is None:
        return
    number, line = first
    is_event = line is not None and find_event_data(line) is not None
    if line is not None and not is_event and isinstance(_parse_line_or_error(line), ValueError):
        others = stream.read(_MAX_FILE)
        whole = _parse_line_or_error(line + others)
        if not isinstance(whole, ValueError):
            yield number, whole
            return
        lines = _iterate_lines(BytesIO(others), number + 1)
    yield from _iterate_line_values(chain([first], lines))


def _iterate_line_values(lines: Iterable[tuple[int, bytes | None]]) -> Iterator[tuple[int, Any]]:
    """Yield the value of each line. The events of a stream become the answer that they form."""
    streams = Streams()
    for number, line in lines:
        data = None if line is None else find_event_data(line)
        if data is None:
            yield number, _parse_line_or_error(line)
        elif data:
            value = _parse_line_or_error(data)
            streamed = try_identify_event(value)
            values = streams.feed(streamed) if streamed else [value]
            yield from ((number, answer) for answer in values)
    yield from ((number, answer) for answer in streams.flush())


def _iterate_lines(stream: IO[bytes], start: int = 1) -> Iterator[tuple[int, bytes | None]]:
    """Yield the lines of a file that are not empty. A line that is too long becomes None."""
    for number in count(start):
        line: bytes | None = stream.readline(MAX_LINE)
        piece = line
        if not piece:
            return
        while not piece.endswith(b"\n") and (piece := stream.readline(MAX_LINE)):
            line = None
        if line is None or line.strip():
            yield number, line


def _parse_line_or_error(line: bytes | None) -> Any:
    if line is None:
        return ValueError(f"more than {MAX_LINE:,} bytes")
    try:
        return json.loads(line.removeprefix(b"\xef\xbb\xbf"))
    except RecursionError:
        return ValueError("nested too deep")
    except ValueError as error:  # also for invalid UTF-8
        return ValueError(f"not JSON: {fault_of(error)}")
