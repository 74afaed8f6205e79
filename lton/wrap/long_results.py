"""Cut long results of commands, searches and the web, and store the complete text in files.

The file is in a folder that the agent may read, so the agent opens it with its own tools. A cut
result has the same bytes in every later request, because it depends only on the output, on its call
and on the agent's words before the call.
"""

import json
import logging
import os
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from shutil import rmtree
from stat import S_ISDIR
from time import time
from typing import Any

from lton._json import minified
from lton._shells import can_be_cut

_log = logging.getLogger("lton.gateway")
LEAST = 2_000  # the fewest tokens, of four bytes each, of a result that is cut
_MOST = 256 * 1024  # the most characters of a result that is cut: cutting a longer result is slow
_SHARE = 5  # a fifth of a result remains
_LEAST_LEFT = 250  # but at least these tokens
_MOST_ASKED = 2_000  # characters of the agent's text and call, by which lines are chosen
_HEAD = 1_000
_FAILED = re.compile(r"(?i)\b(?:exit(?:ed)?|return)[ _]?(?:with )?(?:code|status)\W{0,3}[1-9]")
"""The line that agents add at the start of an output if the command failed."""
_FEW_CUTS = 4  # after these cuts, stop if the model read too many results again
_READ_AGAIN = 0.25  # the share of cut results that the model may read again
_MOST_FILES = 1_000  # the most files in a folder
_DAY = 86_400
_NAME = re.compile("[0-9a-f]{8}(?:-[0-9]+)?")  # the name of a session's folder


class ResultFolder:
    """A private folder that stores whole results."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.left_out: dict[str, int] = {}  # tokens omitted, by the name of the file
        self.read_again: dict[str, int] = {}  # tokens read from the folder, by call
        self.is_off = False  # whether a conversation has turned the cutting off for itself

    def try_store_text(self, text: str) -> Path | None:
        """Store a result, and return its file, or None if the file cannot be written."""
        data = text.encode(errors="surrogatepass")
        path = self.path / f"{blake2b(data, digest_size=4).hexdigest()}.txt"
        if len(self.left_out) >= _MOST_FILES and path.name not in self.left_out:
            return None
        try:
            if path.exists():
                return path if path.read_bytes() == data else None
            handle, name = tempfile.mkstemp(dir=self.path)  # readable only for its owner
            with open(handle, "wb") as file:
                file.write(data)
            os.replace(name, path)
        except OSError as error:
            _log.warning("a long result is sent whole: %s: %s", path, error.strerror)
            return None
        return path

    def is_named_in(self, arguments: Any) -> bool:
        path = minified(str(self.path))[1:-1]
        return path in json.dumps(arguments, ensure_ascii=False, default=str)


def base_folder() -> Path:
    """Return the folder that contains the folders of all sessions."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    user = getattr(os, "getuid", int)()
    name = "lton" if runtime else f"lton-{user}"
    return Path(runtime or tempfile.gettempdir()).resolve() / name


def try_make_session_folder(name: str, base: Path) -> ResultFolder | None:
    """Create a folder that only this user can read, or return None. Old folders are removed."""
    user = getattr(os, "getuid", int)()
    digest = blake2b(name.encode(errors="surrogatepass"), digest_size=4).hexdigest()
    try:
        base.mkdir(0o700, exist_ok=True)
        status = base.lstat()
        if (
            not S_ISDIR(status.st_mode)
            or status.st_uid != user
            or (user and status.st_mode & 0o077)
        ):
            return None
        for entry in base.iterdir():
            if _NAME.fullmatch(entry.name) and time() - entry.lstat().st_mtime > _DAY:
                rmtree(entry, ignore_errors=True)
        path = base / digest
        path.mkdir(0o700, exist_ok=True)
    except OSError as error:
        _log.warning("long results are sent whole: %s: %s", base, error.strerror)
        return None
    return ResultFolder(path)


def build_query(words: str, arguments: Any) -> str:
    """Build a query from the agent's last words and its call, to select lines of the result."""
    values = arguments.values() if isinstance(arguments, Mapping) else [arguments]
    strings = " ".join(value for value in values if isinstance(value, str))
    return f"{words[-_MOST_ASKED:]}\n{strings[:_MOST_ASKED]}"


def cut_to_budget(text: str, query: str, folder: ResultFolder, whole: str | None = None) -> str:
    """Return the most important lines of a long result, with a note that names its file.

    `whole` is the content of the file, if it differs from the text. Short results, results that
    cannot be stored, and the output of failed commands do not change.
    """
    if len(text) > _MOST or _FAILED.search(text[:_HEAD]):
        return text
    if (selection := _try_select_lines(text, query)) is None:
        return text
    omitted = selection[1]
    size = selection[2]
    path = folder.try_store_text(text if whole is None else whole)
    shortened = f"{selection[0]}\n{_write_note(omitted, size, path)}"
    if path is None or len(shortened) >= len(text):
        return text
    folder.left_out[path.name] = omitted
    return shortened


def _write_note(omitted: int, size: int, path: Path | None) -> str:
    return f"[{omitted:,} of {size:,} tokens left out; all of it: {path}]"


def _estimate_tokens(text: str) -> int:
    return -(-len(text.encode(errors="surrogatepass")) // 4)


@lru_cache(64)
def _try_select_lines(text: str, query: str) -> tuple[str, int, int] | None:
    """Return the compressed text, and the omitted and total tokens, or None for a short text."""
    if (size := _estimate_tokens(text)) <= LEAST:
        return None
    # Imported late, because most results are short, and a hook has to start fast.
    from lton.context.compress import compress  # noqa: PLC0415
    from lton.tokens.counting import ByteHeuristic  # noqa: PLC0415

    budget = max(_LEAST_LEFT, size // _SHARE)
    short = compress(text, budget=budget, counter=ByteHeuristic(), query=query)
    return short.text, size - short.tokens, size


@dataclass
class ResultCutter:
    """Cuts the long results in a conversation."""

    folder: ResultFolder
    words: str = ""  # the agent's last words
    queries: dict[str, str] = field(default_factory=dict)  # by calls whose results may be cut
    reads: set[str] = field(default_factory=set)  # calls that name the folder: shown completely
    cuts: int = 0

    def note_call(self, id: str, tool: str, arguments: Any) -> None:  # noqa: A002 - as APIs say
        self.queries.pop(id, None)
        if self.folder.is_named_in(arguments):
            self.reads.add(id)
        elif can_be_cut(tool, arguments):
            self.queries[id] = build_query(self.words, arguments)

    @property
    def is_off(self) -> bool:
        """Whether cutting has stopped because the model reads too many results again."""
        return self.cuts >= _FEW_CUTS and len(self.reads) > _READ_AGAIN * self.cuts

    def shorten_result(self, short: str, call: str, whole: str) -> str:
        """Return the text of a result for the model. `whole` is the original text."""
        if call in self.reads:
            self.folder.read_again[call] = _estimate_tokens(whole)
        if call not in self.queries:
            return short
        if self.is_off:
            if not self.folder.is_off:
                _log.warning("long results are sent whole: too many were read again")
            self.folder.is_off = True
            return short
        text = cut_to_budget(short, self.queries[call], self.folder, whole)
        if text is not short:
            self.cuts += 1
        return text
