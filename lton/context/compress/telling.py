"""Score how informative each line of tool output is, without rules for specific tools.

Words and line formats that many tools use indicate failures, their locations, expected values, and
the final result. No rule names a tool. The more lines a class has, the lower the score of each.
A line that differs from earlier lines only in numbers gets a lower score each time. Lines near a
message get part of its score.
"""

from array import array
from collections import Counter
from collections.abc import Callable, Sequence
from math import sqrt
from typing import TypeAlias

from lton._patterns import compiled_when_used

_Scores: TypeAlias = "array[float]"
_ANSI = compiled_when_used(r"\x1b\[[0-9;]*[A-Za-z]")
_STAMP = compiled_when_used(
    r"(?:\[ *\d+\.\d{6}\] )?"
    r"(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:[\d.,]+(?:Z|[+-]\d\d:?\d\d)?\]? ?)?(?:==\d+==)?"
)
_NONE = compiled_when_used(
    r"(?i:\b(?:0|no|without|zero)\s+(?:known )?(?:errors?|failures?|failed|failing|warnings?"
    r"|problems?|issues?|vulnerabilit\w+|conflicts?)\b|\b(?:errors?|failed|failures?)\s*[=:]\s*0\b)"
)
_PASSED = compiled_when_used(
    r"\s*(?:ok \d|[✓✔√]|(?:\S++ ++){0,6}?(?:[A-Z]+-)?PASS(?:ED)?\b)"
    r"|.*(?:\b(?:PASSED|OK|ok|PASS)|✓|✔)\s*(?:\|\s*|\[[ \d%]+\])?$"
)
_FAILED = compiled_when_used(
    r"(?<![\w/\\.-])(?i:errors?|fail(?:ed|ures?)?|fatal|panic(?:ked)?|exception|aborted|conflict"
    r"|rejected)(?:\[[\w.-]+\]|\([\w.-]+\))?[\])]?(?: ?:(?![:\w])|\]| - )"
    r"|^\W*(?i:error|fail(?:ed|ure)?|fatal|panic|exception|conflict|traceback)\b"
    r"|\b(?:[A-Z]+[-_])*(?:FAIL(?:ED|URE)?|ERROR|CRASH(?:ED)?|TIMEOUT|PANIC|ABORT(?:ED)?)\b"
    r"|\b[A-Za-z_][\w.]{0,80}(?:Error|Exception|Failure|Exit|Interrupt)\b(?!\()|\bE\d{3,5}\b"
    r"|\b(?:ERR|CRIT|CRITICAL|ALERT|EMERG|SEVERE|BUG|LEAK|SIG[A-Z]{3,5}|E[A-Z]{4,})\b|\bpanicked\b"
    r"|\b[A-Z]\w*+(?:(?<=Group)|(?<=Warning)): |^\s*not ok\b|^\[?!\]? |^[eE]: |\[[EF]\] "
    r"|HTTP/[\d.]+ [45]\d\d|\"\s[45]\d\d\b|^(?:[\w./-]+: )?\*\*\* |(?i:segmentation fault)"
)
_FAILING = compiled_when_used(
    r"(?<![\w/\\.-])(?i:error(?:s|ed)?|fail(?:ed|s|ure|ures|ing)?|fatal|panic(?:ked)?|exception"
    r"|abort(?:ed|ing)?|crash(?:ed)?|killed|conflict|rejected|evicted|unhealthy)(?![\w/\\-]|\.\w)"
)
_REFUSED = compiled_when_used(
    r"[✗✘✕✖×❌●](?= )|(?i:\b(?:denied|refused|forbidden|unauthori[sz]ed|not found|no such|cannot"  # noqa: RUF001
    r"|can't|could not|couldn't|can ?not|unable to|undefined|unresolved|missing|invalid"
    r"|mismatch(?:ed)?|time[d-]* ?out|unexpected|unknown|unsupported|unreachable|incompatible"
    r"|not (?:allowed|assignable|permitted|supported|defined|valid|callable|subscriptable|in|a)"
    r"|expired|overflow|leak(?:ed|s)?|lost|corrupt(?:ed)?|broken|violat\w+|unreadable|nonexist\w*"
    r"|does(?: not|n't)|is not|has no|exit(?:ed)? (?:with )?(?:code|status) [1-9]\d*|exited with"
    r"|wrong|exceeded|unused|must (?:be|have|not)|no \w+ (?:for|named)|already|(?:will|would) be"
    r"|depends on|required|unverified|self-signed|too (?:few|many|long|short|large))\b)"
)
_MILD = compiled_when_used(
    r"(?!.*?(?i:\berror\b|\bfail))(?:[wW]: "
    r"|.*?(?:(?i:\bwarn(?:ing)?(?:\[[\w-]*+\])?(?:\]| ?:))|\[W\] |\bWARN\b))"
)
_WARNED = compiled_when_used(r"(?i:\bwarn(?:ing)?s?\b|\bdeprecat\w+|\bcaution\b|\bnotice\b)")
_FINDING = compiled_when_used(
    r"(?:\s*+(?:(?:[A-Za-z]:)?+[\w./\\<>@-]++[:(]\d+(?:[:,]\d+)?\)?:?\s|\d+:\d+\s+\w)"
    r"|[A-Z]{1,5}\d{3,5}\s|[\w./-]+: line \d+)"
)
_WHERE = compiled_when_used(
    r"(?<![\w./\\@<>-])[\w./\\@<>-]+\.\w{1,6}(?::\d+|\(\d+[,)])|\bline \d+"
    r"|^\s*(?:-->|❯|at |›|Location:) ?\S|\bOrigin: "  # noqa: RUF001
)
_COMPARED = compiled_when_used(
    r"\s*+(?:[|<>]|E\s|[-+]\s|[\"'])?\s*+(?i:expected|actual|received|found|got|required|reason"
    r"|symbol|left|right|want|have|message|msg|because|cause|caused by|help|hint|note|fix|error"
    r"|code|suggestion|detail|status|result|location|retry-after)\b[\"']?\s*[:=]"
    r"|.*(?:!==?|<>) ?\S|>> \w+: "
)
_COUNTED = compiled_when_used(
    r"(?i:\b\d+ (?:[a-z]+ ){0,3}(?:passed|failed|failing|passing|errors?|warnings?|problems?"
    r"|skipped|failures?|issues?|vulnerabilit\w+|changed|insertions?|deletions?|total|tests?|files?"
    r"|findings?|to (?:add|change|destroy))\b)|(?i:^\W*(?:total|summary|results?|build|plan|found"
    r"|ran|tests?|test (?:result|suites|files)|finished|aborted|successfully|recap|stopped|done)\b"
    r"[^a-z]{0,3}.*\d)|\bBUILD \w+$|\b\w+=\d+\s+\w+=\d+|\+\+\+ exited"
    r"|^(?:FAILED|OK)\b|\brated at\b|(?i:^\W*(?:summary|return code|would |on branch))"
)
_FRAME = compiled_when_used(
    r"\s*(?:[|+]\s*)*(?:at (?:\S+ ?[<(\[]|\S+:\d|async |new )|File \"|#\d+ |\d+: (?:0x|\S+::)"
    r"|by 0x|at 0x|\.\.\. \d+ more|File <)|^\s+[\w.<>-]+ \(\S+:\d+:\d+\)$"
)
_LIBRARY = compiled_when_used(
    r"site-packages|/lib(?:exec)?/|<frozen|node:|/rustc/|node_modules|java\.base/|internal/"
    r"|\.\./\.\./|^\s*\d+: (?:core|std|rust_begin)|\[as runMain\]|libc_start|\.\.\. \d+ more"
)
_QUOTED = compiled_when_used(
    r"\s*+>?\s*+\d+ ?[|│]|[=_*#-]{4}\D*[=_*#-]{4}$|[─-╿⎯]{4}.*[─-╿⎯]{4}$"
    r"|\s*+(?:from \S+ )?import [\w.]|\s+(?:raise|throw) \w"
)
"""A line of a quoted program, or a heading."""
_PROGRESS = compiled_when_used(
    r"\b(?i:fail(?:ed|ure)?|error)(?!\w)[^\w\[]*+(?:\[ *+\d++%\])?[^\w\[]*+$"
)
"""A line that ends with the status of a test, perhaps with the share of tests that were run."""
_POINTER = compiled_when_used(r"(?!.*[^\W\d_]{3})")
NAMES = compiled_when_used(
    r"'[^']{0,80}'|\"[^\"]{0,80}\"|`[^`]{0,80}`|(?<!\S)[^\s/\\.]*[/\\.]\S*|\d+|\s+"
)
_WORD = compiled_when_used(r"[^\W\d_]\w+")
_CLASSES = (1.0, 0.75, 0.6, 0.6, 0.8, 0.25)
"""The maximum score of each class: failed, refused, warned, finding, compared, where."""
_MESSAGES = (0, 1, 2, 3)
"""The classes of messages, which other lines explain."""
_SUMMED = 0.8
_LAST = (1.0, 0.3, 0.15)
_LAST_AFTER_SUMMARY = (0.3, 0.3, 0.15)
"""The scores of the last lines; a summary before the last line has told the result."""
_FIRST = 0.15
_ODD = 0.2
_PLACE = 0.75  # The share for a message's location
_FRAMED = 0.1  # The score of a frame
_NEAR = (0.4, 0.25, 0.15)  # Shares for the lines after a message; lines before it get half
_GOES_ON = 0.9  # The share for the line after a message that ends with a colon
_YIELDS = 0.8  # The factor for warnings if there are errors
_AGAIN = 0.75  # The factor for a line that repeats another except for names and numbers
_NAMED_AGAIN = 0.4  # The factor for a line of progress, if another line names the same test
_FEW_WORDS = 4  # A line of progress with fewer words names no test
_SEEN = 400  # The number of characters of a line that are read


def score_lines(lines: Sequence[str]) -> _Scores:
    """Score how informative each line is, on a scale from 0 to about 1.

    >>> [round(each, 1) for each in score_lines(["start", "x.c:3: error: no", "busy", "1 error"])]
    [0.2, 0.8, 0.3, 1.0]
    """
    if not lines:
        return array("d")
    bodies = [body_of_line(line) for line in lines]
    loose = [NAMES.sub("", body) for body in bodies]
    classes = _classify_lines(bodies)
    counts = Counter(rank for rank, _ in {*zip(classes, loose, strict=True)})
    shares = (sqrt(counts[rank] / len(lines)) for rank in range(len(_CLASSES)))
    worth = [weight * (1 - 0.5 * share) for weight, share in zip(_CLASSES, shares, strict=True)]
    if counts[0]:
        worth[2] *= _YIELDS
    own = array("d", (0.0 if rank is None else worth[rank] for rank in classes))
    _raise_ends(bodies, own)
    _fade_repeats(loose, classes, own)
    _fade_progress(bodies, classes, own)
    _raise_locations(bodies, classes, own)
    messages = (0, 1) if counts[0] else (0, 1, 2, 3, 4)
    scores = _with_neighbours(bodies, [rank in messages for rank in classes], own)
    late = 0.4 if len(lines) >= 300 else 0.0  # The end of a long output tells more
    for at, body in enumerate(bodies):
        scores[at] *= (0.4 if _POINTER.match(body) else 1) * (1 - late * (1 - at / len(lines)))
    return scores


def _with_neighbours(
    bodies: Sequence[str], is_diagnostic_line: Sequence[bool], own: _Scores
) -> _Scores:
    scores = array("d", own)
    for at, value in enumerate(own):
        if value < 0.3 or not is_diagnostic_line[at]:
            continue
        shares = (_GOES_ON, *_NEAR[1:]) if bodies[at].rstrip().endswith(":") else _NEAR
        for step, share in enumerate(shares, 1):
            if at + step < len(scores) and not _FRAME.match(bodies[at + step]):
                scores[at + step] = max(scores[at + step], share * value)
            if at >= step:
                scores[at - step] = max(scores[at - step], share * value / 2)
    return scores


def body_of_line(line: str) -> str:
    """Return a line without its time stamp and colour codes."""
    body = line[:_SEEN]
    if "\x1b" in body:
        body = _ANSI.sub("", body)
    return body[_STAMP.match(body).end() :] if body[:1] in "[=0123456789" else body  # type: ignore[union-attr]


_READERS: Sequence[tuple[int, Callable[[str], object]]] = (
    (2, _MILD.match),
    (0, _FAILED.search),
    (4, _COMPARED.match),
    (1, _FAILING.search),
    (1, _REFUSED.search),
    (2, _WARNED.search),
    (3, _FINDING.match),
    (5, _WHERE.search),
)


def _classify_lines(bodies: Sequence[str]) -> list[int | None]:
    classes: list[int | None] = []
    for at, body in enumerate(bodies):
        if body.startswith("E   "):  # pytest: the message, then the compared values
            classes.append(4 if at and bodies[at - 1].startswith("E ") else 0)
        else:
            classes.append(_find_line_rank(body))
    return classes


def _find_line_rank(body: str) -> int | None:
    if _FRAME.match(body) or _QUOTED.match(body) or _PASSED.match(body):
        return None
    text = _NONE.sub("", body)
    return next((rank for rank, holds in _READERS if holds(text)), None)


def is_diagnostic_line(body: str) -> bool:
    """Return whether a line reports a failure or a finding.

    >>> is_diagnostic_line("x.c:3: error: no"), is_diagnostic_line("    x = 3;")
    (True, False)
    """
    return _find_line_rank(body) in _MESSAGES


def _raise_ends(bodies: Sequence[str], own: _Scores) -> None:
    last = len(bodies) - 1
    is_summed = False
    for at, body in enumerate(bodies):
        if not _COUNTED.search(body):
            continue
        is_late = at > last / 2
        own[at] = max(own[at], _SUMMED if is_late else _SUMMED / 2)
        is_summed |= is_late and at < last
    ends = _LAST if not is_summed or own[last] >= _SUMMED else _LAST_AFTER_SUMMARY
    for step, score in enumerate(ends[: last + 1]):
        own[last - step] = max(own[last - step], score)
    own[0] = max(own[0], _FIRST)


def _fade_repeats(loose: Sequence[str], classes: Sequence[int | None], own: _Scores) -> None:
    counts = Counter(loose)
    repeats = Counter[str]()
    odd = _ODD * (1 - len(counts) / len(loose))
    for at, body in enumerate(loose):
        is_again = at > 1 and classes[at] == classes[at - 1] == 4 and classes[at - 2] in (0, 4)
        own[at] *= _AGAIN ** repeats[body] * (0.6 if is_again else 1)
        repeats[body] += 1
        if counts[body] == 1:
            own[at] = max(own[at], odd)


def _fade_progress(bodies: Sequence[str], classes: Sequence[int | None], own: _Scores) -> None:
    """Lower the scores of lines that end with a failure, if other failures have all their words.

    Test runners print such a line while a test runs, and name the test again above its message.
    """
    failures = [at for at, rank in enumerate(classes) if rank in (0, 1)]
    progress = {at for at in failures if _PROGRESS.search(bodies[at])}
    words_of_failures: set[str] = set()
    for at in failures:
        if at not in progress:
            words_of_failures.update(_WORD.findall(bodies[at]))
    for at in progress:
        words = _WORD.findall(bodies[at])
        if len(words) >= _FEW_WORDS and words_of_failures.issuperset(words):
            own[at] *= _NAMED_AGAIN


def _raise_locations(bodies: Sequence[str], classes: Sequence[int | None], own: _Scores) -> None:
    """Raise the scores of lines that locate an error by a path or a stack frame."""
    frames: list[int] = []
    message: int | None = None
    scored = set[str]()  # Frames that are already scored; shared frames get a lower score
    for at, body in enumerate(bodies):
        if _FRAME.match(body):
            own[at] = _FRAMED
            is_after = message is not None and (at - message <= 9 or frames[-1:] == [at - 1])
            if is_after and message is not None and not _LIBRARY.search(body):
                is_known = bool(_WHERE.search(bodies[message]))
                own[at] = _PLACE * own[message]
                if is_known:
                    own[at] /= 2
                message = None
            frames.append(at)
        elif classes[at] in (0, 1):
            near = frames[-60:] if frames and at - frames[-1] <= 4 else []
            ours = [frame for frame in near if not _LIBRARY.search(bodies[frame])]
            for frame in {*near[-1:], *ours[-1:]}:
                score = _PLACE * own[at] * (_FRAMED if bodies[frame] in scored else 1)
                own[frame] = max(own[frame], score)
                scored.add(bodies[frame])
            frames = []
            message = at
        elif classes[at] == 5 and message is not None and at - message <= 3:
            own[at] = _PLACE * own[message]
