"""Test `lton context`: its output, its files, its messages and its exit status."""

from pathlib import Path

import pytest

from lton.cli import main
from tests.context.documents import NOTES, fill, pdf


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Enter a folder with files."""
    monkeypatch.chdir(fill(tmp_path))
    return tmp_path


def run(*words: str, status: int = 0) -> None:
    assert main(["context", *words]) == status


def test_ingest_read_and_replay(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The image is printed, omitted parts can be read, and the audit can be verified."""
    ingest = ["ingest", "--tokenizer", "bytes", "--budget", "150"]
    run(*ingest, ".", "--query", "day 9")
    output = capsys.readouterr()
    assert output.out.startswith("Answer from the notes.\r\n")
    assert "On day 9 the gauge read 9 mm." in output.out
    assert "docs/picture.bin is left out" in output.err
    assert "of 150 tokens (bytes)" in output.err
    run("read", "docs/notes.md", "--lines", "3:4")
    assert capsys.readouterr().out == "On day 1 the gauge read 1 mm.\n\n"
    run("read", "docs/notes.md", "--lines", "119:200")
    output = capsys.readouterr()
    assert (output.out, output.err) == (
        "On day 59 the gauge read 59 mm.\n\n",
        "lton: it has 120 lines\n",
    )
    run("read", "docs/notes.md", "--mark", "1")
    assert capsys.readouterr().out.startswith("\n\nOn day 6 the gauge read 6 mm.\n")
    run("read", "r1", "--raw", "rules")
    assert (here / "rules").read_bytes() == b"Answer from the notes.\r\n"
    run("audit", "show")
    assert capsys.readouterr().out.count('"event":"document"') == 5
    run("audit", "verify")
    assert capsys.readouterr().out.startswith("1 image comes out the same; head ")
    run("audit", "verify", "--head", "0" * 64, status=1)
    assert "it ends with" in capsys.readouterr().err
    run("stats")
    output = capsys.readouterr()
    assert output.out.splitlines()[0].endswith("of 150 tokens (bytes)")
    assert "r1 core/rules.md core 6 6 1.00 6 " in " ".join(output.out.split())


def test_classes_and_budgets(
    here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Options set classes. If the budget is too small for the core, nothing is printed."""
    ingest = [
        "ingest",
        "--tokenizer",
        "bytes",
        "--core",
        "core",
        "--refs",
        "docs/n*.md",
        "--budget",
    ]
    run(*ingest, "9000")
    assert NOTES in capsys.readouterr().out
    run(*ingest, "300", "--skills", "docs/notes.md")
    assert "r2 docs/notes.md: compressed" in capsys.readouterr().err
    run("stats")
    assert "r2 docs/notes.md skills" in " ".join(capsys.readouterr().out.split())
    run(*ingest, "1", status=1)
    output = capsys.readouterr()
    assert (output.out, "[E701]" in output.err) == ("", True)
    (other := tmp_path / "other").mkdir()
    monkeypatch.chdir(other)
    run("stats", status=1)
    run("read", "r1", status=1)
    run("audit", "verify", status=1)
    assert "nothing was ingested into '.lton' of this folder" in capsys.readouterr().err
    assert not (other / ".lton").exists()
    run("ingest", "--budget", "1", "--core", "../core", "--tokenizer", "bytes", status=1)
    run("stats", status=1)
    assert "there is no image yet" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("ingest --budget 9", "expected files"),
        ("ingest docs --budget -1", "expected a --budget of 0 or more"),
    ],
)
def test_wrong_options_are_a_mistake_of_usage(
    here: Path, capsys: pytest.CaptureFixture[str], options: str, message: str
) -> None:
    """Incorrect options give the exit status 2, and no files are written."""
    run(*options.split(), status=2)
    assert message in capsys.readouterr().err
    assert not (here / "built").exists()
    run("build", "none", "--out", "built", status=1)
    assert "expected a folder, found 'none'" in capsys.readouterr().err


def test_a_report_is_written(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The report is written to a file, in addition to the printed image."""
    run(
        "ingest", "--tokenizer", "bytes", "--budget", "90", "docs/notes.md", "--html", "report.html"
    )
    assert "docs/notes.md" in (here / "report.html").read_text("utf-8")
    assert capsys.readouterr().out.startswith(":::: r1 docs/notes.md, ")


def test_quiet_and_untrusted(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With `--quiet` only omissions are reported, and with `--untrusted` no directive has an
    effect.
    """
    (here / "docs/picture.bin").unlink()
    run("ingest", "--tokenizer", "bytes", "--budget", "9000", "-q", "--untrusted", "docs")
    output = capsys.readouterr()
    assert output.err == ""
    assert "pwo-class: core" in output.out
    run("stats")
    assert "core" not in capsys.readouterr().out.replace("0 core", "")


def test_a_document_that_is_wrong_stops_no_other(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A wrong document is named on the terminal or in the image, and the others are shown."""
    (here / "docs/bogus.md").write_text("It rained.\n:::pwo:bogus\n")
    (here / "docs/class.md").write_text("---\npwo-priority: high\n---\n")
    run("ingest", "--tokenizer", "bytes", "--budget", "9000", "docs")
    output = capsys.readouterr()
    assert NOTES in output.out
    assert output.out.splitlines()[-1].endswith(" docs/bogus.md")
    assert "docs/class.md is left out: expected pwo-class" in output.err
    assert "docs/picture.bin is left out: expected UTF-8" in output.err


def test_wrong_ranges(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An invalid range gives the exit status 2."""
    for lines in ("1", "a:b", "1-2"):
        with pytest.raises(SystemExit):
            main(["context", "read", "r1", "--lines", lines])
    assert "expected A:B, two numbers, found '1-2'" in capsys.readouterr().err


def test_the_file_of_a_document_comes_back(here: Path) -> None:
    """The original file of a document is returned: a PDF, although its text is shown."""
    pytest.importorskip("pypdf")
    content = pdf("Five gauges.", "Two rivers.")
    (here / "a.pdf").write_bytes(content)
    run("ingest", "--tokenizer", "bytes", "--budget", "90", "a.pdf")
    run("read", "r1", "--raw", "b.pdf")
    assert (here / "b.pdf").read_bytes() == content
