"""Files that others read at the same time, or that hold keys."""

import shutil
import tempfile
from pathlib import Path


def write_whole(file: Path, text: str) -> None:
    """Write a file whole or not at all; its mode stays, and a new one is for its user alone.

    A link stays a link: the file that it leads to is written.
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
