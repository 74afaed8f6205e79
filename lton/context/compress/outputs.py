"""What tools print: errors, where they are, counts and the last line survive by rule.

Each line is a unit. Lines that say what came out (`result`, `count`) are chosen before all others,
whatever is asked; then warnings and what is beside results; then the rest, by its score.
"""

from collections.abc import Callable, Iterator, Sequence

from lton._patterns import compiled_when_used
from lton.context.compress.units import UnitList, UnitRole, lines, trimmed

_ROOM = r"[\s|+]*"  # within a group of exceptions
_FAILS = r"(?:FAILED|FAIL|ERROR|XPASS|not ok|✖|✗|✕|●|---? FAIL)(?:[: ]|$)"
_NAMED = (
    r"(?:[a-z_]\w*\.)*(?:Error|Exception"
    r"|[A-Z]\w*(?:Error|Exception|Group|Warning|Exit|Interrupt|Undefined\w{0,40}))\b"
)
_RESULT = compiled_when_used(
    rf"{_FAILS}"
    rf"|{_ROOM}{_NAMED}(?: \[|:|$| \()"
    r"|(?:[\w./\\<>-]+):\d+(?::\d+)?: (?:fatal )?(?:error\b|[A-Z]{1,5}\d{2,4}\b)"
    r"|\S+\.\w+:\d+: (?:\w+Error|\w+Exception|Failed)?$"
    r"|(?:error|fatal|CONFLICT|Caused by)\b(?:\[\w+\])?[: ]|\S*:? ?(?:fatal )?error: "
    r"|\s*(?:ERROR|error): |npm (?:error|ERR!) (?!A complete log|\s*$)"
    r"|(?:thread '.*' panicked at|assertion .*failed|panic:)"
    r"|(?:/|file:|[A-Z]:\\)\S+:\d+$"
    r"|[A-Z]{1,5}\d{3,4} (?:\[\*\] )?\S"
)
_COUNT = compiled_when_used(
    r"=+ (?=.*\b(?:passed|failed|errors?|skipped|no tests ran)\b).*=$|\d+ (?:passed|failed)\b"
    r"|Ran \d+ tests?\b|(?:FAILED|OK)\b \(|Found \d+|test result:|Tests?: |# (?:tests|pass|fail) \d"
    r"|\s*\d+ (?:errors?|warnings?|passing|failing|problems?|files? changed)\b|On branch |total \d"
    r"|Success(?:fully)?\b|error: could not compile|\s*\d+ total$"
)
_WARNING = compiled_when_used(
    r"(?:\S+:\d+(?::\d+)?: )?warning\b|npm warn|WARNING|.{0,80}required from here|\s*>|E {3}"
)
_FILE = compiled_when_used(rf'{_ROOM}File "([^"\n]+)", line \d+|\s*(?:-->|at .*:\d+\)?$)')
_LIBRARY = compiled_when_used(r"site-packages|/lib/python|<frozen|node:|/rustc/|node_modules")
_HEAD = compiled_when_used(
    r"diff --git |commit [0-9a-f]{7,64}\b|_{3,} .+ _{3,}$|-{5,} .+ -{5,}$|[.~\w/][\w./ -]*:$"
)
_CASE = compiled_when_used(r"(?:ERROR|FAIL): \w+ \(")
_HUNK = compiled_when_used(r"@@ .* @@")
_NEAR = 4
"""How many lines after an error may say where it is."""

_TESTS = compiled_when_used(
    r"=+ (?:test session starts|FAILURES|ERRORS|short test summary info) =+$|_{3,} .+ _{3,}$"
    r"|(?:FAILED|ERROR) \S+::|(?:FAIL|ERROR): \w+ \(|\S+ .*\.\.\. (?:ok|FAILED|FAIL|ERROR)$"
    r"|(?=\S\S*?::\S)\S++ (?:PASSED|FAILED|ERROR|SKIPPED)\b"
    r"|(?:=+ )?\d+ (?:passed|failed)\b.* in [\d.]+s"
    r"|Ran \d+ tests? in |TAP version|not ok \d|--- FAIL|test result: "
)
_DIAGNOSTICS = compiled_when_used(
    r"\S+:\d+(?::\d+)?: (?:fatal )?(?:error|warning)|(?:error|warning)(?:\[\w+\])?: "
    r"|\S+:\d+:\d+: [A-Z]{1,5}\d{2,4} |\s+--> \S+:\d+"
)
_TRACE = compiled_when_used(
    rf'{_ROOM}Traceback \(most recent|\s+at .*[:(][^\s:(]+:\d+\)?$|{_ROOM}File "[^"\n]+", line \d+'
)
_GIT = compiled_when_used(
    r"diff --git |commit [0-9a-f]{40}$|On branch |[0-9a-f]{7,40} (?!\d)\S| \S.* \| +(?:\d+|Bin)"
    r"|\^?[0-9a-f]{7,40} .*\d\)"
)
_INSTALL = compiled_when_used(
    r"npm (?:error|ERR!|warn|http|verbose)|\s*(?:ERROR: |WARNING: |Collecting |Processing /"
    r"|Downloading |Using cached |Requirement already |Looking in (?:indexes|links): "
    r"|Installing collected |Successfully |Building wheel|Compiling \S+ v|Downloaded \S+ v"
    r"|Get:\d+ http|Hit:\d+ http|Selecting prev|Preparing to unpack|Unpacking |Setting up )"
)
_SEARCH = compiled_when_used(r"[\w./\\-]+(?::\d+:|-\d+-)|--$")
_LISTING = compiled_when_used(
    r"[-dlrwxst.+]{10,11} +\d|total \d|[.~\w/][\w./-]*:$"
    r"|(?:\s*\d+ )?\.{0,2}/\S+$|[\w.@+-]+(?:/[\w.@+-]+)*/?$"
)
_KINDS: Sequence[tuple[str, Callable[[str], object], float]] = (
    ("tests", _TESTS.match, 0.0),
    ("diagnostics", _DIAGNOSTICS.match, 0.02),
    ("trace", _TRACE.match, 0.05),
    ("install", _INSTALL.match, 0.1),
    ("search", _SEARCH.match, 0.7),
    ("git", _GIT.match, 0.0),
    ("listing", _LISTING.match, 0.85),
)
"""What each kind of output is told by, and the share of the lines that say so, more than that."""
OUTPUTS = tuple(name for name, _, _ in _KINDS)


def output_kind(said: Sequence[str]) -> str | None:
    """Get the kind of output that lines are of, if they are one's.

    >>> output_kind(["a.c:1:2: error: no", "  1 | x"]), output_kind(["It rained."])
    ('diagnostics', None)
    """
    if len(said) < 2 or any(line.startswith(("```", "~~~")) for line in said):
        return None
    for name, holds, least in _KINDS:
        if name == "git" and not holds(said[0]):
            continue
        if sum(bool(holds(line[:500])) for line in said) > least * len(said):
            return name
    return None


def add_output(units: UnitList, kind: str) -> None:
    """Add the lines of what a tool of a kind printed."""
    spans = list(lines(units.text))
    said = [units.text[start : min(end, start + 500)] for start, end in spans]
    tells = kind not in ("search", "listing", "git")
    roles = _roles(said) if tells else {}
    if kind == "trace":  # exceptions of a group have the frames of the one before
        first = {line: at for at, line in reversed([*enumerate(said)])}
        roles = {at: role for at, role in roles.items() if role == "count" or first[said[at]] == at}
    head: int | None = None
    hunk: int | None = None
    for at, (start, end) in enumerate(spans):
        role = roles.get(at, "text")
        if _COUNT.match(said[at]) and (tells or at > len(spans) - 3 or at < 1):
            role = "count"
        is_head = role == "text" and kind in ("git", "tests", "listing") and _HEAD.match(said[at])
        if is_head or (kind == "tests" and _CASE.match(said[at])):
            head, hunk = units.head(start, end), None
        elif role == "text" and head is not None and _HUNK.match(said[at]):
            hunk = units.add(start, end, parent=head, cuttable=True)
        else:
            over = None if role == "count" else head if hunk is None else hunk
            units.add(start, end, parent=over, role=role, cuttable=True)


def _roles(said: Sequence[str]) -> dict[int, UnitRole]:
    """Get the roles of lines that say what came out, by their numbers."""
    roles: dict[int, UnitRole] = {}
    frames: list[int] = []
    for at, line in enumerate(said):
        if _FILE.match(line):
            frames.append(at)
            is_first = not any(each in roles for each in frames[-2:-1] if at - each < _NEAR)
            if is_first and any(roles.get(at - back) == "result" for back in range(1, _NEAR)):
                roles[at] = "result"
        elif line.startswith("E ") and not said[at - 1].startswith("E "):
            roles[at] = "result"
        elif _RESULT.match(line):
            roles[at] = "result"
            roles |= dict.fromkeys(_culprits(said, frames), "result")
            frames = []
        elif _WARNING.match(line):
            roles[at] = "warning"
    roles[len(said) - 1] = "count"
    return roles


def _culprits(said: Sequence[str], frames: Sequence[int]) -> Iterator[int]:
    """Get the last frame of a stack, and the last that is in no library."""
    yield from frames[-1:]
    own = (at for at in reversed(frames) if not _LIBRARY.search(said[at]))
    yield from (at for at, _ in zip(own, range(2), strict=False))


_UNSEEN = compiled_when_used(r"(?i:<(script|style|svg|nav|head|template|noscript)\b|<!--)")
_HEADING = compiled_when_used(r"(?i:<h[1-6]\b)")
_TAG = compiled_when_used(r"<[^<>]*>")
_PIECE = compiled_when_used(
    r"(?i:\n|(?=<(?:p|div|li|h[1-6]|tr|section|article|ul|ol|table|pre|dt|dd|blockquote|td)\b))"
)


def add_html(units: UnitList) -> None:
    """Add what a page shows, by its lines and blocks, under its headings; no scripts."""
    text, lower, at = units.text, units.text.lower(), 0
    heads: list[int] = []
    while at < len(text):
        hidden = _UNSEEN.search(text, at)
        _add_blocks(units, at, hidden.start() if hidden else len(text), heads)
        if not hidden:
            break
        closer = f"</{hidden[1].lower()}" if hidden[1] else "-->"
        found = lower.find(closer, hidden.end())
        at = len(text) if found < 0 else (text.find(">", found) + 1 or len(text))
        units.add(hidden.start(), at, role="frame")


def _add_blocks(units: UnitList, start: int, end: int, heads: list[int]) -> None:
    text = units.text
    ends = [found.start() for found in _PIECE.finditer(text, start, end)]
    for first, last in zip([start, *ends], [*ends, end], strict=True):
        said = _said(text, first, last)
        if not said:
            continue
        span = trimmed(text, first, last)
        if _HEADING.match(text, span[0]):
            heads[:] = [units.head(*span, said)]
        else:
            units.add_text(*span, heads[-1] if heads else None)


def _said(text: str, start: int, end: int) -> str:
    """Get what is between tags."""
    parts = []
    for tag in _TAG.finditer(text, start, end):
        parts.append(text[start : tag.start()])
        start = tag.end()
    return "".join([*parts, text[start:end]]).strip()
