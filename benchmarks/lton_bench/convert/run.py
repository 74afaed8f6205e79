"""Convert a file in several processes, in the original order."""

import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from lton_bench.convert.files import MAX_LINE, Output, chunks, open_source
from lton_bench.convert.lines import Chunk, Converted, Mark, Settings, Tally, convert_lines
from lton_bench.processes import in_processes


def convert_file(
    source: str,
    out: Path | None,
    settings: Settings | None = None,
    *,
    jobs: int = 1,
    limit: int | None = None,
    max_line: int = MAX_LINE,
    progress: Callable[[int, int | None], None] = lambda done, size: None,
) -> Tally:
    """Convert the lines of a source, one example each; return the tally.

    `source` is a file name, `-` for standard input, or what a package adds: `bfcl` with lton-bench.
    OUT.rejected.jsonl has the line, code and reason of what is left out. Without `out`, lines go to
    standard output, and reasons to standard error. `jobs` processes start a script anew: call this
    under `if __name__ == "__main__"`. `limit` takes only the first lines, `max_line` leaves longer
    ones out, and `progress` gets the bytes of the input that are done, and their total.

    An interrupted run resumes if it is started again with the same arguments, unless it reads
    standard input; the output is the same.

    Raises `ValueError` or `OSError` for an input, an output or an option that has changed;
    `MissingExtraError` for a library that schemas or the tokenizer need.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     tally = convert_file("bfcl:simple_python", Path(folder) / "out.jsonl", limit=5)
    >>> tally.converted
    5
    """
    settings = settings or Settings()
    with open_source(source) as (stream, size):
        if out is None:
            tally = Tally()
            todo = chunks(stream, limit=limit, max_line=max_line)
            for mark, converted in converted_by(jobs, todo, settings):
                sys.stdout.buffer.write(converted.text)
                sys.stdout.buffer.flush()
                sys.stderr.write(converted.rejected.decode())
                tally += converted.tally
                progress(mark.offset, size)
            return tally
        with Output(out, settings, limit=limit, resumable=size is not None) as output:
            progress(output.mark.offset, size)
            todo = chunks(stream, output.mark, limit=limit, max_line=max_line)
            for mark, converted in converted_by(jobs, todo, settings):
                output.write(converted, mark)
                progress(mark.offset, size)
            output.complete()
            return output.tally


def converted_by(
    jobs: int, chunks: Iterable[Chunk], settings: Settings
) -> Iterator[tuple[Mark, Converted]]:
    """Yield converted chunks, each with its end; raise `ChildProcessError` if a process dies."""
    work = partial(_convert, settings)
    return ((chunk.end, converted) for chunk, converted in in_processes(work, chunks, jobs))


def _convert(settings: Settings, chunk: Chunk) -> Converted:
    return convert_lines(chunk.first, chunk.lines, settings)
