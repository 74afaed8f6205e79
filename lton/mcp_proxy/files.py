"""Write files that other programs read, or that contain keys."""

import shutil
import tempfile
from pathlib import Path


def write_whole(file: Path, text: str) -> None:
    """Write a file completely or not at all. Keep its mode, and make a new file private.

    If the file is a link, its target is written.
    """
    file = file.resolve()
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f"{file.name}.", dir=file.parent)
    part = Path(name)
    with open(handle, "w", encoding="utf-8") as written:
        written.write(text)
    if file.exists():
        shutil.copymode(file, part)
    part.replace(file)
