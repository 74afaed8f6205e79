"""Test whole conversions: chunks, processes, files, and a killed process."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lton.cli import run_program
from lton_bench import bfcl
from lton_bench.convert import Settings, command, convert_file
from lton_bench.convert.files import Output, chunks
from lton_bench.convert.lines import Chunk, Mark
from lton_bench.convert.run import converted_by

needs_proc = pytest.mark.skipif(
    not Path("/proc/self/task").exists(), reason="finds child processes in /proc"
)
CATEGORY = "live_multiple"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file of cases with bad lines among them, of several megabytes."""
    path = tmp_path_factory.mktemp("data") / "chats.jsonl"
    with path.open("wb") as file:
        for number, line in enumerate(bfcl.lines(CATEGORY)):
            file.write(line)
            if number % 100 == 0:
                file.write(b"{\n\n")
    return path


@pytest.fixture(scope="module")
def whole(data: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes]:
    """Return the output of an uninterrupted run in one process."""
    out = tmp_path_factory.mktemp("whole") / "out.jsonl"
    tally = convert_file(str(data), out)
    assert tally.converted > 1000
    assert tally.left_out["E101"] == 11
    return both(out)


def both(out: Path) -> tuple[bytes, bytes]:
    return out.read_bytes(), rejected(out).read_bytes()


def rejected(out: Path) -> Path:
    return out.with_name(f"{out.name}.rejected.jsonl")


def progress(out: Path) -> Path:
    return out.with_name(f"{out.name}.progress.json")


def test_chunks_are_the_lines() -> None:
    """Chunks number their lines, end at line ends, and contain no line that is too long."""
    text = b"a\n" + b"b" * 10 + b"\n" + b"c" * 9 + b"\n\nlast"
    (chunk,) = chunks(io.BytesIO(text), max_line=10)
    assert (chunk.first, chunk.lines) == (1, (b"a\n", None, b"c" * 9 + b"\n", b"\n", b"last"))
    assert chunk.end[:2] == (len(text), 5)
    (two,) = chunks(io.BytesIO(text), limit=2)
    (last,) = chunks(io.BytesIO(text), two.end)
    assert (last.first, last.lines[0], last.end) == (3, b"c" * 9 + b"\n", chunk.end)
    assert list(chunks(io.BytesIO(text), two.end, limit=2)) == []
    with pytest.raises(ValueError, match="changed since the interrupted run"):
        list(chunks(io.BytesIO(text.replace(b"a", b"A")), two.end))
    with pytest.raises(ValueError, match="changed since the interrupted run"):
        list(chunks(io.BytesIO(b"a\n"), two.end))


def test_processes_keep_the_order(data: Path, whole: tuple[bytes, bytes], tmp_path: Path) -> None:
    """Two processes write the same output as one process."""
    positions: list[int] = []
    convert_file(
        str(data),
        tmp_path / "out",
        jobs=2,
        progress=lambda position, size: positions.append(position),
    )
    assert both(tmp_path / "out") == whole
    assert positions == sorted(positions)
    assert (positions[0], positions[-1]) == (0, data.stat().st_size)
    assert not progress(tmp_path / "out").exists()


def test_few_chunks_are_read_ahead() -> None:
    """Only a few chunks for each process are in memory, however long the input is."""
    read = 0

    def endless() -> object:
        nonlocal read
        while True:
            read += 1
            yield Chunk(read, (b"{\n",), Mark(read, read, ""))

    results = converted_by(2, endless(), Settings())  # type: ignore[arg-type]
    for _ in range(20):
        next(results)
    assert read <= 20 + 6
    results.close()  # type: ignore[attr-defined]


def alive(pid: int) -> bool:
    """Return whether a process runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@needs_proc
@pytest.mark.parametrize("jobs", [1, 2])
def test_killed_in_the_middle(
    data: Path, whole: tuple[bytes, bytes], tmp_path: Path, jobs: int
) -> None:
    """A process that is killed twice completes the same bytes in its third run, and leaves no
    child.
    """
    out = tmp_path / "out.jsonl"
    program = [sys.executable, "-m", "lton_bench.convert", str(data)]
    program += ["--out", str(out), "--jobs", str(jobs)]
    for certain in (1, 700_000):
        with subprocess.Popen(program, stderr=subprocess.PIPE) as process:
            end = time.monotonic() + 60
            while offset(out) < certain and time.monotonic() < end:
                time.sleep(0.005)
            tasks = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            process.send_signal(signal.SIGKILL)
            process.wait()
        assert certain <= offset(out) < data.stat().st_size
        while any(alive(int(child)) for child in tasks):
            assert time.monotonic() < end
            time.sleep(0.01)
    with out.open("ab") as file:
        file.write(b'{"half a li')  # what was on its way when it was killed
    completed = subprocess.run(program, capture_output=True, text=True, check=True)
    assert both(out) == whole
    counts = whole[0].count(b"\n"), whole[1].count(b"\n")
    assert completed.stderr.startswith(f"converted {counts[0]:,}\nleft out {counts[1]:,}: ")
    assert not progress(out).exists()


def offset(out: Path) -> int:
    """Return how much of the input is certainly converted, or 0 without a sidecar file."""
    if not progress(out).exists():
        return 0
    return int(json.loads(progress(out).read_text())["input"]["offset"])


def interrupt(data: Path, out: Path, **options: object) -> None:
    """Run until two chunks are written, and then stop as Ctrl-C does."""

    def stop(position: int, size: int | None) -> None:
        if position > 400_000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        convert_file(str(data), out, progress=stop, **options)  # type: ignore[arg-type]


def test_interrupted_with_other_engines(
    data: Path, whole: tuple[bytes, bytes], tmp_path: Path
) -> None:
    """A run in one process can be completed by two processes."""
    interrupt(data, tmp_path / "out")
    convert_file(str(data), tmp_path / "out", jobs=2)
    assert both(tmp_path / "out") == whole


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data, out: data.write_bytes(b" " + data.read_bytes()), "the input has changed"),
        (lambda data, out: data.write_bytes(b"\n"), "the input has changed"),
        (lambda data, out: out.write_bytes(b""), "has changed since the interrupted run"),
        (lambda data, out: rejected(out).unlink(), "has changed since the interrupted run"),
        (lambda data, out: progress(out).write_text("{}"), "is not a progress file"),
        (lambda data, out: progress(out).write_text("["), "is not a progress file"),
        (lambda data, out: progress(out).unlink(), "remove it first"),
    ],
)
def test_only_the_same_run_goes_on(
    data: Path, tmp_path: Path, change: object, message: str
) -> None:
    """Files of another run, and changed files, are refused and not written to."""
    copy, out = tmp_path / "copy.jsonl", tmp_path / "out"
    copy.write_bytes(data.read_bytes())
    interrupt(copy, out)
    change(copy, out)  # type: ignore[operator]
    before = out.read_bytes()
    with pytest.raises((ValueError, OSError), match=message):
        convert_file(str(copy), out)
    assert out.read_bytes() == before


def test_other_options_do_not_go_on(data: Path, tmp_path: Path) -> None:
    """A run is not resumed with other options, because the rest would be in another form."""
    interrupt(data, tmp_path / "out")
    with pytest.raises(ValueError, match="had another form, limit"):
        convert_file(str(data), tmp_path / "out", Settings(form="wire"), limit=5)


def test_a_complete_output_is_not_overwritten(data: Path, tmp_path: Path) -> None:
    """A second run does not change a complete output."""
    convert_file(str(data), tmp_path / "out", limit=3)
    before = both(tmp_path / "out")
    with pytest.raises(FileExistsError, match="remove it first"):
        convert_file(str(data), tmp_path / "out", limit=3)
    assert both(tmp_path / "out") == before


@needs_proc
def test_a_process_that_dies(
    data: Path, whole: tuple[bytes, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a worker process dies, the run ends with an error and can be resumed."""
    killed: list[int] = []

    def kill(position: int, size: int | None) -> None:
        if not position or killed:
            return
        for child in Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split():
            if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                os.kill(int(child), signal.SIGKILL)
                killed.append(int(child))

    with pytest.raises(ChildProcessError, match="has died"):
        convert_file(str(data), tmp_path / "out", jobs=2, progress=kill)
    convert_file(str(data), tmp_path / "out")
    assert both(tmp_path / "out") == whole


# --- the command --------------------------------------------------------------------------------


def test_command(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """BFCL is converted by name in one process with token counts, and the summary is on standard
    error.
    """
    out = tmp_path / "out.jsonl"
    options = ["--limit", "10", "--jobs", "1", "--tokenizer", "o200k"]
    assert run_program(command, ["bfcl:simple_java", "--out", str(out), *options]) == 0
    output = capfd.readouterr()
    assert output.out == ""
    assert output.err.startswith("converted 10\nleft out 0\ntokens of the chats: ")
    assert out.read_bytes().count(b"\n") == 10


def test_standard_streams(data: Path, whole: tuple[bytes, bytes]) -> None:
    """The command reads standard input, writes standard output, and writes reasons to standard
    error.
    """
    program = [sys.executable, "-m", "lton_bench.convert", "-", "--jobs", "1"]
    with data.open("rb") as stream:
        process = subprocess.run(program, stdin=stream, capture_output=True, check=True)
    assert process.stdout == whole[0]
    assert process.stderr.startswith(whole[1])


def test_standard_input_to_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run from standard input cannot be resumed, so it writes no sidecar file."""
    out = tmp_path / "out"
    for message in ("converted 0\nleft out 1: E101 1\n", "remove it first\n"):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"{")))
        assert run_program(command, ["-", "--jobs", "1", "--out", str(out)]) == 1
        assert capsys.readouterr().err.endswith(message)
        assert not progress(out).exists()


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["bfcl:multi"], 2, "expected one of simple_python"),
        (["nothing.jsonl"], 1, "No such file"),
        (["bfcl", "--tokenizer", "gpt-9"], 2, "gpt-9"),
    ],
)
def test_wrong_options(
    arguments: list[str], status: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Wrong options are reported before anything is converted."""
    assert run_program(command, [*arguments]) == status
    assert message in capsys.readouterr().err


def test_options_that_are_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_program(command, ["nothing.jsonl", "--jobs", "0"]) == 2
    assert "expected at least one process" in capsys.readouterr().err


def test_an_unknown_source_is_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_program(command, ["other:part"]) == 1
    assert "No such file" in capsys.readouterr().err


def read_all(terminal: int) -> bytes:
    """Return the output of a terminal until no process has it open."""
    output = b""
    while True:
        try:
            data = os.read(terminal, 65536)
        except OSError:  # how Linux says that it ends
            return output
        if not data:
            return output
        output += data


def test_bar(data: Path) -> None:
    """On a terminal, a bar shows how much of the input is done, and the output does not
    disturb it.
    """
    ours, theirs = os.openpty()
    program = [
        sys.executable,
        "-m",
        "lton_bench.convert",
        str(data),
        "--jobs",
        "1",
        "--limit",
        "300",
    ]
    with (
        ThreadPoolExecutor(1) as pool,
        subprocess.Popen(program, stdout=subprocess.PIPE, stderr=theirs) as process,
    ):
        os.close(theirs)
        output = pool.submit(read_all, ours)
        stdout, _ = process.communicate()
    os.close(ours)
    assert b"converting" in output.result()
    assert stdout.count(b"\n") == sum(b"{" in line for line in stdout.splitlines()) > 250


def test_interrupted_command(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C ends the command with the usual status, and the command prints how to resume."""

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Output, "write", interrupted)
    status = run_program(command, [str(data), "--jobs", "1", "--out", str(tmp_path / "out")])
    assert (status, capsys.readouterr().err) == (
        130,
        "lton: interrupted; the same command resumes\n",
    )
