"""Split tool output into nested lines, and HTML pages into blocks.

`lton.context.compress.telling` scores the lines. A line is shown with its parent: the message that
it explains, the file of a change, the start of a log record, or the last line with less
indentation.
"""

from collections.abc import Sequence

from lton._patterns import compiled_when_used
from lton.context.compress.data import begins_record
from lton.context.compress.findings import find_messages_of_lines
from lton.context.compress.telling import body_of_line, is_diagnostic_line, score_lines
from lton.context.compress.units import UnitList, iterate_line_spans, trim_span

_HEAD = compiled_when_used(
    r"diff --git |commit [0-9a-f]{7,64}\b|_{3,} .+ _{3,}$|[.~\w/][\w./ -]*:$"
)
_HUNK = compiled_when_used(r"@@ .* @@")
_PRINTED = compiled_when_used(
    r"\S*:\d+(?::\d+)?:? -? ?(?:fatal )?(?:error|warning|note)\b|\S+\(\d+,\d+\): "
    r"|\S+:\d+:\d+: [A-Z]{1,5}\d|\s*(?:[|+]\s*)*(?:at \S.*:\d+\)?$"
    r"|File \"[^\"\n]+\", line \d|Traceback \(most recent)"
    r"|(?:[a-z][\w.-]*: )?(?:error|fatal|warning|panic|FAIL(?:ED)?|ERROR|WARN(?:ING)?|E)"
    r"(?:\[\w+\])?: |npm (?:error|ERR!|warn) |(?:not )?ok \d|\[(?:\w{4,8}|!)\] ?:? "
    r"|={4,} .* ={4,}$|diff --git |commit [0-9a-f]{40}$|On branch |[*<>] [A-Za-z-]+: \S"
    r"|(?:FAILED|PASSED|FAIL|PASS|ERROR) \S+|\S.*\.\.\. (?:ok|FAILED|FAIL|ERROR|done)$"
    r"|[A-Z]{1,5}\d{3,5} \S|(?:\S+:\s*)?\*\*\* |\s*-->? \S+:\d+|<\?xml |[-dlrwxst.+]{10,11} +\d"
    r"|total \d+$"
)
"""Lines that only tools print."""
_CHANGE = compiled_when_used(r"diff --git |commit [0-9a-f]{40}$|On branch |<\?xml ")
_COLUMNS = compiled_when_used(r"[^\s.!?:] {2,}\S")
_LONG_HEAD = 160  # A longer line is not shown above other lines
_DEEPEST = 12  # The maximum nesting of lines


_FAILED = compiled_when_used(
    r"\s*+(?:(?=[A-Za-z]*+[^\sA-Za-z])\S++ ){0,2}?"
    r"\[?(?:FATAL|ERROR|CRITICAL|SEVERE|PANIC)(?:\]|:| -|$)"
    r"|(?:[│|] )?(?:[A-Z]\w+ )?(?:Error|Fatal|Failure)(?:: (?!.*[.!?]$)\S| at \S+:\d)"
    r"|\s*+(?:FAIL|FAILED|FAILURE):? +\S|\s*+\w++(?:(?<=\wError)|(?<=\wException)): \S"
    r"|\s*+(?:[A-Za-z]:)?+[\w./\\<>@-]++(?:\(\d+(?:,\d+)?\)|:\d+(?::\d+)?) ?:"
    r" (?i:fatal )?(?i:error|warning)\b|\s*+\d+:\d+ +(?i:error|warning) "
    r"|\s*+(?:\[\d+\] )?[./]*+[\w/@-]++(?:\.[\w/@-]++)++:\d+:\d+\b"
)
"""A line in which a tool says first that something failed, or where."""


def reports_failure(texts: Sequence[str]) -> bool:
    """Return whether a line begins by reporting a failure, as only the output of a tool does.

    >>> reports_failure(["Busy.", "E-12: ERROR: no"]), reports_failure(["Is this an ERROR?"])
    (True, False)
    """
    is_plain = not any(line.startswith(("```", "~~~")) for line in texts)
    return is_plain and any(_FAILED.match(body_of_line(line)) for line in texts)


def is_output(texts: Sequence[str]) -> bool:
    """Return whether lines look like the output of a program.

    >>> is_output(["a.c:1:2: error: no", "  1 | x"]), is_output(["It rained.", "It did."])
    (True, False)
    """
    if len(texts) < 2 or any(line.startswith(("```", "~~~")) for line in texts):
        return False
    printed = [bool(_PRINTED.match(body_of_line(line))) for line in texts]
    return bool(_CHANGE.match(texts[0])) or sum(printed) > 0.03 * len(texts)


def add_output(units: UnitList) -> None:
    """Add the lines of tool output, each with its score."""
    spans = list(iterate_line_spans(units.text))
    bodies = [units.text[start : min(end, start + 500)] for start, end in spans]
    tells = score_lines(bodies)
    head: int | None = None
    hunk: int | None = None
    opened: list[tuple[int, int]] = []  # Indentation and place of lines that contain other lines
    is_log = sum(map(begins_record, bodies)) > len(bodies) / 2
    if sum(bool(_COLUMNS.search(line)) for line in bodies) >= max(3, 0.8 * len(bodies)):
        head = units.next  # the names of the columns
    is_xml = units.text.startswith("<?xml")
    messages = find_messages_of_lines([body_of_line(line) for line in bodies], is_diagnostic_line)
    indexes: list[int] = []  # The place of each line
    for at, (start, end) in enumerate(spans):
        body = body_of_line(bodies[at])
        indented = len(body) - len(body.lstrip(" \t"))
        if _HEAD.match(body):
            head = units.add_heading(start, end, tells=tells[at])
            indexes.append(head)
            hunk = None
            opened = []
            continue
        if is_log:
            indented = 0 if begins_record(bodies[at]) else indented + 1
        elif is_xml and not body.lstrip().startswith("<"):
            indented = len(body) + 999  # text belongs to the enclosing element
        while opened and opened[-1][0] >= indented:
            opened.pop()
        over = head if hunk is None else hunk
        if opened:
            over = opened[-1][1]
        if head is not None and _HUNK.match(body):
            hunk = units.next
            opened = []
            over = head
        over = None if over == units.next else over
        message = messages[at]
        over = over if message is None else indexes[message]
        index = units.add_unit(start, end, parent=over, cuttable=True, tells=tells[at])
        indexes.append(index)
        if hunk is None and end - start < _LONG_HEAD and len(opened) < _DEEPEST:
            opened.append((indented, index))


_UNSEEN = compiled_when_used(r"(?i:<(script|style|svg|nav|head|template|noscript)\b|<!--)")
_HEADING = compiled_when_used(r"(?i:<h[1-6]\b)")
_TAG = compiled_when_used(r"<[^<>]*>")
_PIECE = compiled_when_used(
    r"(?i:\n|(?=<(?:p|div|li|h[1-6]|tr|section|article|ul|ol|table|pre|dt|dd|blockquote|td)\b))"
)


def add_html(units: UnitList) -> None:
    """Add the visible text of an HTML page, nested under its headings."""
    text = units.text
    lower = units.text.lower()
    at = 0
    heads: list[int] = []
    while at < len(text):
        hidden = _UNSEEN.search(text, at)
        _add_blocks(units, at, hidden.start() if hidden else len(text), heads)
        if not hidden:
            break
        closer = f"</{hidden[1].lower()}" if hidden[1] else "-->"
        close = lower.find(closer, hidden.end())
        at = len(text) if close < 0 else (text.find(">", close) + 1 or len(text))
        units.add_unit(hidden.start(), at, role="frame")


def _add_blocks(units: UnitList, start: int, end: int, heads: list[int]) -> None:
    text = units.text
    ends = [tag.start() for tag in _PIECE.finditer(text, start, end)]
    for first, last in zip([start, *ends], [*ends, end], strict=True):
        visible = _TAG.sub("", text[first:last]).strip()
        if not visible:
            continue
        span = trim_span(text, first, last)
        if _HEADING.match(text, span[0]):
            heads[:] = [units.add_heading(*span, visible)]
        else:
            units.add_text(*span, heads[-1] if heads else None)
