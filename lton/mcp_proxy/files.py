"""Files that others read at the same time, or that hold keys."""

import os
import shutil
from pathlib import Path


def write_whole(file: Path, text: str) -> None:
    """Write a file whole or not at all; its mode stays, and a new one is for its user alone.

    A link stays a link: the file that it leads to is written.
    """
    file = file.resolve()
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(f"{file.name}.{os.getpid()}")
    part.touch(0o600)
    part.write_text(text, "utf-8")
    if file.exists():
        shutil.copymode(file, part)
    part.replace(file)
