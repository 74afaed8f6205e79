"""Test that artifacts have the same bytes each time, and that any changed byte is found."""

from pathlib import Path

import pytest

from lton.cli import main
from lton.context import ContextManager, Document, Policy
from lton.context.artifacts import (
    MANIFEST,
    iterate_built_documents,
    iterate_faults,
    make_artifact,
    read_manifest,
    write_manifest,
)
from lton.context.sources import bytes_of
from lton.errors import IngestError
from lton.tokens import counter
from tests.context.documents import NOTES, fill

BYTES = counter("bytes")
BUILD = ["context", "build", "--tokenizer", "bytes"]


@pytest.fixture
def build_folders(tmp_path: Path) -> tuple[Path, Path]:
    """Return the built artifacts and the folder from which they were built."""
    source, out = fill(tmp_path / "in"), tmp_path / "out"
    assert main([*BUILD, str(source), "--out", str(out)]) == 0
    return out, source


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_the_same_bytes_each_time(
    build_folders: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Building again gives the same bytes, also into the folder itself and over existing files."""
    out, source = build_folders
    first = contents(out)
    assert list(first) == [
        "core/rules.md.pwc.md",
        "docs/data.json.pwc.md",
        "docs/late.md.pwc.md",
        "docs/notes.md.pwc.md",
        MANIFEST,
        "skills/read/SKILL.md.pwc.md",
    ]
    assert first["core/rules.md.pwc.md"] == b"Answer from the notes.\r\n"
    assert len(first["docs/notes.md.pwc.md"]) <= len(NOTES) / 4
    inside = source / "out"
    for folder in tmp_path / "two", inside, inside:
        assert main([*BUILD, str(source), "--out", str(folder)]) == 0
        assert contents(folder) == first
        assert "docs/picture.bin is left out" in capsys.readouterr().err


def test_what_is_built_is_used(build_folders: tuple[Path, Path]) -> None:
    """Built artifacts are used unchanged, with their classes, and changed artifacts are not
    used.
    """
    out, _ = build_folders
    image = ContextManager(budget=900, counter=BYTES).ingest(sources=[out])
    assert image.core.startswith("Answer from the notes.\r\n---\npwo-class: core\n")
    assert {page.action for page in image.pages} == {"kept"}
    refs = ContextManager(budget=900, counter=BYTES).ingest(refs=[out])
    assert (refs.core, len(refs.pages)) == ("", 5)
    (out / "docs/notes.md.pwc.md").write_bytes(b"Forged.")
    with pytest.raises(IngestError, match=r"docs/notes\.md\.pwc\.md was changed"):
        ContextManager(budget=900, counter=BYTES).ingest(sources=[out])


def test_each_changed_byte_is_found(build_folders: tuple[Path, Path]) -> None:
    """Each changed byte of the manifest, of an artifact or of a source file is found."""
    out, source = build_folders
    there, origin = contents(out), contents(source)
    manifest = read_manifest(there[MANIFEST])
    assert list(iterate_faults(manifest, there, there.__getitem__, origin.__getitem__)) == []
    whole = there[MANIFEST]
    for at in range(0, len(whole), 5):
        with pytest.raises(IngestError, match=r"manifest\.json was changed") as caught:
            read_manifest(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert caught.value.code == "E707"
    for name, content in there.items():
        for at in range(0, len(content), 9) if name != MANIFEST else ():
            changed = {**there, name: content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]}
            assert list(iterate_faults(manifest, there, changed.__getitem__)) == [
                f"{name} was changed"
            ]
    other = {**origin, "core/rules.md": b"Guess."}
    assert list(iterate_faults(manifest, there, there.__getitem__, other.__getitem__)) == [
        "core/rules.md has changed since core/rules.md.pwc.md was built"
    ]
    more = {**there, "new.md": b""}
    del more["docs/data.json.pwc.md"]
    assert list(iterate_faults(manifest, more, more.__getitem__)) == [
        "new.md is not in the manifest",
        "docs/data.json.pwc.md is missing",
    ]


@pytest.mark.parametrize("content", [b"", b"[]\n", b"{", b"\xff", b"{}\n"])
def test_what_is_no_manifest(content: bytes) -> None:
    """An invalid manifest counts as changed."""
    with pytest.raises(IngestError, match="was changed"):
        read_manifest(content)


def test_a_manifest_does_not_depend_on_an_order() -> None:
    """The entries of a manifest are sorted, and name their sources."""
    policy = Policy(refs=0.25)
    artifacts = [make_artifact(Document(name, NOTES), BYTES, policy) for name in "ab"]
    entries = [entry for entry, _ in artifacts]
    content = write_manifest(entries, "bytes", policy)
    assert content == write_manifest(reversed(entries), "bytes", policy)
    entry = read_manifest(content)["artifacts"][0]
    assert (entry["file"], entry["class"], entry["pinned"]) == ("a.pwc.md", "refs", [])
    assert entry["ratio"] == round(entry["after"] / entry["before"], 4) <= 0.25
    texts = [NOTES[start:end] for start, end in entry["spans"]]
    assert "On day 1 the gauge read 1 mm." in "".join(texts)
    files = {entry["file"]: content for entry, content in artifacts}
    (first, _) = iterate_built_documents(content, files.__getitem__)
    assert (first.ratio, first.authored, first.text) == (1.0, False, artifacts[0][1].decode())


def test_verify_says_what_was_changed(
    build_folders: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """`verify` sets the exit status, and reports a missing file in one line."""
    out, source = build_folders
    capsys.readouterr()
    verify = ["context", "verify", str(out), "--source", str(source)]
    assert main(verify) == 0
    assert capsys.readouterr().out == "5 files are as they were built\n"
    (out / "docs/notes.md.pwc.md").write_bytes(b"Forged.")
    assert main(verify) == 1
    assert capsys.readouterr().out == "docs/notes.md.pwc.md was changed\n"
    (source / "docs/notes.md").unlink()
    assert main(verify) == 1
    assert "it cannot be read: No such file" in capsys.readouterr().err
    with pytest.raises(IngestError, match="cannot be read"):
        bytes_of(out / "none")


def test_what_cannot_be_built(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder that does not exist is an error."""
    assert main([*BUILD, "none", "--out", str(tmp_path / "out")]) == 1
    assert "expected a folder, found 'none'" in capsys.readouterr().err
