"""Calls with code: whole files, and edits."""

import hashlib
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from lton.schema import Call
from lton_bench.packages import folder
from lton_bench.tokens.pieces import Definition, Turn

NAME = "Code"
ABOUT = (
    "Calls that write and edit real files, chosen under a fixed seed: Python, JavaScript and HTML"
    " of Django 5.2.19, C++ of pybind11 3.1.0 (both BSD-3-Clause); 36 calls for each"
    " language. An edit replaces a line with another line of the same file."
)

_SOURCES = {
    "Python": ("django", "**/*.py"),
    "JavaScript": ("django", "contrib/admin/static/admin/js/*.js"),
    "HTML": ("django", "contrib/**/*.html"),
    "C++": ("pybind11", "include/**/*.h"),
}
_WRITTEN, _EDITS = 12, 24
"""Calls of a kind for each language."""
_WHOLE = range(10, 200)
"""The number of lines in a file that a model writes at once."""
_EDITED = range(3, 13)
"""The number of lines that an edit replaces."""


def _text(description: str) -> dict[str, str]:
    return {"type": "string", "description": description}


TOOLS: tuple[Definition, ...] = (
    {
        "name": "write_file",
        "description": "Write a file; what was there is lost.",
        "parameters": {
            "type": "object",
            "properties": {"path": _text("Where."), "content": _text("The whole file.")},
            "required": ["path", "content"],
        },
    },
    {
        "name": "edit_file",
        "description": "Replace a part of a file.",
        "parameters": {
            "type": "object",
            "properties": {
                "path": _text("Which file."),
                "old_text": _text("What is there now, to the letter."),
                "new_text": _text("What takes its place."),
            },
            "required": ["path", "old_text", "new_text"],
        },
    },
)


def load() -> Iterator[Turn]:
    """Yield 144 turns of one call."""
    for language in _SOURCES:
        chance = random.Random(f"code {language}")  # noqa: S311 - no secret
        files = {path: text.split("\n") for path, text in _files(language).items()}
        whole = [path for path, lines in files.items() if len(lines) in _WHOLE]
        for path in sorted(chance.sample(whole, _WRITTEN)):
            yield _turn("write_file", path=path, content="\n".join(files[path]))
        long = [path for path, lines in files.items() if len(lines) > 2 * _EDITED.stop]
        for path in sorted(chance.choices(long, k=_EDITS)):
            old, new = _edit(files[path], chance)
            yield _turn("edit_file", path=path, old_text=old, new_text=new)


def digests() -> dict[str, str]:
    """Return the SHA-256 of each language's files."""
    return {
        language: hashlib.sha256("\0".join(_files(language).values()).encode()).hexdigest()
        for language in _SOURCES
    }


def _turn(name: str, **arguments: str) -> Turn:
    return Turn((Call(name, dict(arguments)),), TOOLS)


def _edit(lines: list[str], chance: random.Random) -> tuple[str, str]:
    """Return some lines, and the same lines with one line replaced."""
    count = chance.choice(_EDITED)
    start = chance.randrange(len(lines) - count)
    old = lines[start : start + count]
    new = [*old]
    new[chance.randrange(count)] = chance.choice([line for line in lines if line.strip()])
    return "\n".join(old), "\n".join(new)


@cache
def _files(language: str) -> dict[str, str]:
    """Return the files of a language by path; all line ends are newlines."""
    package, pattern = _SOURCES[language]
    root = folder(package)
    paths = sorted(_relative(path, root) for path in root.glob(pattern))
    return {f"{package}/{path}": (root / path).read_text("utf-8") for path in paths}


def _relative(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()
