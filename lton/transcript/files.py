"""Store long content in virtual files and read parts of these files."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from lton.errors import Code, TranscriptError
from lton.schema.jsonschema.patterns import Matcher, try_convert_to_python
from lton.stores.contents import digest_of, lines_of, read_bytes, read_lines, to_text
from lton.tokens import TokenCounter

_MOST_USES = 20  # The maximum number of recent reads in the list of files
MOST_MATCHES = 50  # The default limit of `file_regex`
_MOST_LINE = 500  # The maximum number of shown characters of a matching line
_MOST_WORK = 20_000_000  # The maximum steps of a search (some seconds), against hostile patterns


@dataclass(frozen=True, slots=True)
class VirtualFile:
    """Stored content with a short id, its origin (`name`) and its size in bytes."""

    id: str
    name: str
    digest: str
    size: int
    tokens: int


@dataclass(slots=True)
class FileTable:
    """The files of a conversation, and the parts that the model has read."""

    files: dict[str, VirtualFile] = field(default_factory=dict)
    uses: dict[str, list[str]] = field(default_factory=dict)  # parts that were read, by file
    _ids: dict[str, str] = field(default_factory=dict)

    def find_file(self, content: bytes) -> VirtualFile | None:
        file_id = self._ids.get(digest_of(content)) if self._ids else None
        return self.files[file_id] if file_id else None

    def add(self, content: bytes, name: str, tokens: int) -> VirtualFile:
        if (existing := self.find_file(content)) is not None:
            return existing
        file = VirtualFile(self.next_id, name, digest_of(content), len(content), tokens)
        self._ids[file.digest] = file.id
        self.files[file.id] = file
        return file

    @property
    def next_id(self) -> str:
        return f"f{len(self.files) + 1}"

    def get(self, file_id: str) -> VirtualFile:
        """Return the file with the given id. Raises `TranscriptError` (E712) for an unknown id.

        >>> FileTable().get("f1")
        Traceback (most recent call last):
        lton.errors.TranscriptError: no file 'f1'; there are none [E712]
        """
        if (file := self.files.get(file_id.strip("[]"))) is None:
            hint = f"there are {', '.join(self.files)}" if self.files else "there are none"
            raise TranscriptError(Code.FILE, f"no file {file_id[:60]!r}", hint=hint)
        return file

    def record_use(self, file_id: str, use: str) -> None:
        uses = self.uses.setdefault(file_id, [])
        if use not in uses:
            uses.append(use)

    def write_listing(self, most: int, count: Callable[[str], int]) -> list[str]:
        """Describe each file on a line, in at most `most` tokens. Omit the oldest if necessary."""
        lines = list(map(self._describe_file, self.files.values()))
        first = len(lines)
        while first and (most := most - count(lines[first - 1]) - 1) >= 0:
            first -= 1
        return [*([f"({first} earlier files are not listed)"] if first else []), *lines[first:]]

    def _describe_file(self, file: VirtualFile) -> str:
        head = f"{file.id}: {file.name}, {file.size} bytes, {file.tokens} tokens"
        uses = ", ".join(self.uses.get(file.id, ())[-_MOST_USES:])
        return f"{head}; read: {uses}" if uses else head


Tell: TypeAlias = Literal["nothing", "files", "all"]


def write_status_note(
    tell: Tell,
    files: FileTable | None,
    tokens: int,
    room: int,
    count: Callable[[str], int],
    *,
    skilled: bool = False,
) -> str:
    """Return the note that tells a model its files and free tokens, or "" if it does not fit.

    >>> write_status_note("all", None, 10, 100, len)
    '[context: 10 tokens used, 90 free]'
    """
    lines: list[str] = []
    if files and tell != "nothing":
        how = " (load_skill large_files says how)" if skilled else ""
        lines = [f"[files that you can read{how}:", *files.write_listing(room // 16, count), "]"]
    if tell == "all":
        lines.append(f"[context: {tokens} tokens used, {room - tokens} free]")
    note = "\n".join(lines)
    return note if note and tokens + count(f"\n\n{note}") <= room else ""


def write_file_note(file: VirtualFile) -> str:
    """Return the line that follows the beginning of a file and says how to read the rest.

    >>> write_file_note(VirtualFile("f3", "t42 read big.txt", "", 84213, 21034))
    '[file f3: this is its beginning; it has 84213 bytes, 21034 tokens: file_read and file_regex]'
    """
    size = f"it has {file.size} bytes, {file.tokens} tokens"
    return f"[file {file.id}: this is its beginning; {size}: file_read and file_regex]"


def beginning_within(text: str, tokens: int, counter: TokenCounter) -> str:
    r"""Return the first lines of a string, or part of the first, that fit into `tokens` tokens.

    >>> from lton.tokens import counter
    >>> beginning_within("one two\nthree four\nfive", 4, counter("bytes"))
    'one two\n'
    """
    length = max(tokens, 1)
    while length < len(text) and counter.count(text[:length]).tokens <= tokens:
        length *= 2
    line_ends: Sequence[int] = [at + 1 for at, char in enumerate(text[:length]) if char == "\n"]
    for ends in (line_ends, range(1, min(length, len(text)) + 1)):
        fit = bisect_right(ends, tokens, key=lambda end: counter.count(text[:end]).tokens)
        if fit:
            return text[: ends[fit - 1]]
    return ""


def pages_of(text: str) -> list[str]:
    r"""Split a file into pages at form feeds.

    >>> pages_of("one\n\ftwo"), pages_of("one")
    (['one', 'two'], ['one'])
    """
    return [page.removesuffix("\n") for page in text.split("\f")] if "\f" in text else [text]


def read_part(
    content: bytes,
    most: int,
    counter: TokenCounter,
    *,
    start_line: int | None = None,
    end_line: int | None = None,
    start_byte: int | None = None,
    end_byte: int | None = None,
    page: int | None = None,
) -> tuple[str, str]:
    """Return the label and the text of part of a file, cut to `most` tokens (E712 if missing)."""
    text = to_text(content)
    lines = (start_line, end_line) != (None, None)
    span = (start_byte, end_byte) != (None, None)
    if [lines, span, page is not None].count(True) > 1:
        raise TranscriptError(Code.FILE, "expected lines, bytes or a page, found several")
    if lines:
        first = start_line or 1
        last = end_line or text.count("\n") + 1
        return f"lines {first}-{last}", read_lines(text, first, last)
    if span:
        first = start_byte or 0
        last = len(content) if end_byte is None else end_byte
        return f"bytes {first}-{last}", read_bytes(content, first, last)
    if page is not None:
        pages = pages_of(text)
        if page > len(pages):
            raise TranscriptError(Code.FILE, f"expected a page up to {len(pages)}, found {page}")
        return f"page {page}", pages[page - 1]
    if counter.count(text).tokens <= most:
        return "all", text
    preview = beginning_within(text, most, counter)
    notice = f"[its first {preview.count(chr(10)) or 1} lines: read on by lines, bytes or pages]"
    return "its beginning", f"{preview}{notice}"


def write_matching_lines(text: str, pattern: str, most: int) -> str:
    r"""Return the numbered lines that match a pattern, and whether more lines match.

    Patterns are regular expressions without back-references, and are matched in linear and limited
    time. Raises `TranscriptError` (E713) for an invalid pattern, or a pattern that takes too much
    work.

    >>> print(write_matching_lines("one\ntwo\nthree\n", "^t", 1))
    2: two
    (more lines match)
    """
    matcher = _compile_matcher(pattern)
    budget = [_MOST_WORK]

    def spend_steps(steps: int) -> None:
        budget[0] -= steps
        if budget[0] < 0:
            msg = "the search takes too much work"
            raise TranscriptError(Code.PATTERN, msg, hint="a simpler pattern")

    matches: list[str] = []
    for number, line in enumerate(lines_of(text), 1):
        spend_steps(1)
        if matcher.has_match(line.rstrip("\r\n"), spend_steps):
            if len(matches) == most:
                return "\n".join([*matches, "(more lines match)"])
            content = line.rstrip()
            more = "…" if len(content) > _MOST_LINE else ""
            matches.append(f"{number}: {content[:_MOST_LINE]}{more}")
    return "\n".join(matches) or "(no line matches)"


def _compile_matcher(pattern: str) -> Matcher:
    try:
        spelling = try_convert_to_python(pattern)
    except ValueError as error:
        msg = f"{pattern[:60]!r} is not a regular expression: {error}"
        raise TranscriptError(Code.PATTERN, msg) from None
    if spelling is None:
        refused = f"{pattern[:60]!r} is too large, or has a back-reference"
        raise TranscriptError(Code.PATTERN, refused)
    return Matcher(spelling.python)
