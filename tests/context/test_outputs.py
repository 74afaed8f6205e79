"""Test that errors, their places, counts and last lines of tool output survive compression."""

import gzip
import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lton.context.compress import compress
from lton.context.compress.kinds import OUTPUTS, guess_kind, split_into_units
from lton.context.compress.outputs import is_output
from lton.context.compress.selection import CENTRAL, NAMED, rank_by_weight
from lton.context.compress.telling import is_diagnostic_line, score_lines
from lton.context.compress.units import Unit, UnitList
from lton.tokens import counter
from tests.context.test_joins import check_marks

O200K = counter("o200k")
REAL = [
    json.loads(line)
    for line in gzip.decompress(
        (Path(__file__).parent / "compressed/outputs.jsonl.gz").read_bytes()
    ).splitlines()
]
TOOLS = [
    json.loads(line)
    for line in gzip.decompress(
        (Path(__file__).parent / "compressed/tools.jsonl.gz").read_bytes()
    ).splitlines()
]
NOISE = "\n".join(f"collecting part {n} of the whole, done in {n * 3} ms" for n in range(60))
SURVIVE = {
    "tests": (
        "============ test session starts ============\n{noise}\n______ test_sum ______\n"
        "    def test_sum():\n>       assert f(1) == 3\nE       assert 2 == 3\nE        + where\n"
        "tests/test_f.py:7: AssertionError\n{noise}\n"
        "FAILED tests/test_f.py::test_sum - assert 2 == 3\n===== 1 failed, 60 passed in 0.2s =====",
        [
            "E       assert 2 == 3",
            "tests/test_f.py:7: AssertionError",
            "FAILED tests/test_f.py::test_sum",
            "1 failed, 60 passed",
        ],
    ),
    "diagnostics": (
        "{noise}\nsrc/a.c: In function 'main':\nsrc/a.c:3:9: error: expected ';'\n    3 | int x\n"
        "src/a.c:9:1: warning: unused\n{noise}\nerror[E0382]: borrow of moved value: `v`\n"
        " --> src/main.rs:5:20\n  |\n{noise}\nFound 2 errors.",
        ["src/a.c:3:9: error", "error[E0382]", "--> src/main.rs:5:20", "Found 2 errors."],
    ),
    "trace": (
        "Traceback (most recent call last):\n"
        + "".join(
            f'  File "/usr/lib/python3.11/site-packages/m{n}.py", line {n}, in f{n}\n    f{n}()\n'
            for n in range(9)
        )
        + '  File "/home/ann/app.py", line 12, in load\n    read(path)\n'
        + "".join(
            f'  File "/usr/lib/python3.11/json/m{n}.py", line {n}, in g{n}\n    g{n}()\n'
            for n in range(9)
        )
        + "ValueError: no value at 7\n",
        ["ValueError: no value at 7", '"/home/ann/app.py", line 12', "json/m8.py"],
    ),
    "install": (
        "Collecting shop\nnpm http fetch GET 200\n{noise}\nnpm warn old\nnpm error code ERESOLVE\n"
        "npm http x\nnpm http y\n{noise}\nERROR: No matching distribution for shop==9\n",
        ["npm error code ERESOLVE", "ERROR: No matching distribution"],
    ),
}


@pytest.mark.parametrize("kind", SURVIVE)
@pytest.mark.parametrize("query", [None, "How long did part 7 take?"])
def test_what_came_out_survives(kind: str, query: str | None) -> None:
    """The required lines are kept by rule, with and without a query about something else."""
    text, survive = SURVIVE[kind]
    text = text.replace("{noise}", NOISE)
    short = compress(text, budget=140, counter=O200K, query=query, kind=kind)
    assert all(line in short.text for line in survive)
    check_marks(text, short.text, short.spans)
    if "{noise}" not in SURVIVE[kind][0] or kind == "tests":
        assert guess_kind(text) == "output"


@pytest.mark.parametrize("kind", ["search", "listing", "git"])
def test_what_is_asked_for_is_found(kind: str) -> None:
    """Lines that match the query are kept, with the directory, file or commit above them."""
    lines = {
        "search": [f"./lib/m{n}.py:{n}:    raise Error{n}" for n in range(90)],
        "listing": [
            "./lib:",
            *(f"m{n}.py" for n in range(90)),
            "./doc:",
            *(f"d{n}.md" for n in range(90)),
        ],
        "git": [f"commit {n:040x}\nAuthor: Ann\n\n    Change part m{n}" for n in range(1, 90)],
    }[kind]
    text = "\n".join(lines)
    assert guess_kind(text) == "output"
    short = compress(text, budget=110, counter=O200K, query="Where is m77?").text
    assert "m77" in short
    over = {"listing": "./lib:", "git": f"commit {77:040x}", "search": "./lib/m77.py:77:"}
    assert over[kind] in short


def test_changes_are_shown_under_their_file_and_place() -> None:
    text = "".join(
        f"diff --git a/f{n}.py b/f{n}.py\n--- a/f{n}.py\n+++ b/f{n}.py\n"
        f"@@ -{n},2 +{n},2 @@ def f():\n"
        f" kept {n}\n-old value {n}\n+new value {n}\n"
        for n in range(40)
    )
    assert guess_kind(text) == "output"
    short = compress(text, budget=120, counter=O200K, query="new value 17").text
    head = short.index("diff --git a/f17.py")
    assert head < short.index("@@ -17,2") < short.index("+new value 17")


def test_a_page_shows_what_it_says_under_its_headings() -> None:
    """A page is shown as text under its headings, without scripts, styles and menus."""
    many = "".join(
        f"<p>About <b>matter {n}</b> nothing is known to us today.</p>" for n in range(60)
    )
    text = (
        "<!DOCTYPE html><html><head><title>T</title></head><body><nav>menu matter 17</nav>"
        f"<script>if (a < b) matter17()</script><h2>One</h2>{many}<H3>Two</H3><!-- matter -->"
        f"<p>The key is in the vault.</p>{many}<style>p {{ x: matter }}</style>"
        "<script>matter matter"
    )
    assert guess_kind(text) == "html"
    short = compress(text, budget=80, counter=O200K, query="Where is the key?").text
    assert short.index("Two") < short.index("The key is in the vault")
    excerpt = compress(text, budget=80, counter=O200K, query="matter 17").text
    assert "matter 17" in excerpt
    assert not re.search(r"menu|matter17|matter matter|-->", excerpt)
    assert "matter 17" in compress(many, budget=80, counter=O200K, query="17", kind="html").text


def test_marks_say_how_many_lines_are_missing_and_whether_they_are_alike() -> None:
    text = "\n".join(
        [
            *(
                f"2026-05-09 12:{n // 60:02}:{n % 60:02} INFO request {n} was served"
                for n in range(300)
            ),
            "2026-05-09 12:05:00 ERROR the pool is exhausted",
        ]
    )
    short = compress(text, budget=60, counter=O200K, query="Why is the pool exhausted?").text
    counts = [int(number) for number in re.findall(r"\[… (\d+) lines? ?a?l?i?k?e?\]", short)]
    assert 291 < sum(counts) + len(re.findall(r"INFO|ERROR", short)) <= 301
    assert "lines alike]" in short


def test_a_text_that_has_such_marks_has_others() -> None:
    text = "\n".join(
        ["[… 3 lines]", *(f"a.py:{n}: error: no {n} [… 14 lines alike]" for n in range(50))]
    )
    short = compress(text, budget=90, counter=O200K, kind="diagnostics")
    check_marks(text, short.text, short.spans)
    assert "[…… " in short.text


def test_numbered_code_is_code() -> None:
    code = "def one():\n    a = 1\n    return a\n\ndef two():\n    b = 2\n    return b\n"
    text = "\n".join(f"{n:6}\t{line}" for n, line in enumerate(code.splitlines(), 1))
    assert guess_kind(text) == "code"
    more = "".join(f"\n{n:6}\t    some.thing({n})" for n in range(8, 90))
    short = compress(f"{text}{more}", budget=60, counter=O200K, query="b = 2").text
    assert re.search(r"5\tdef two\(\):\s+6\t    b = 2", short)


@pytest.mark.parametrize(
    "text",
    [
        "It rained.\nSnow fell.",
        "# Title\n\n```\nTraceback (most recent call last):\n```\n",
        "Ann: error: it rained.\nBob: No.",
        "commit to it\nand rest",
    ],
)
def test_what_no_tool_printed(text: str) -> None:
    assert not is_output(text.splitlines())


@pytest.mark.untraced
def test_real_outputs_are_marked_and_fit() -> None:
    """Each real output is recognized as tool output, fits into a fifth of its tokens, and has
    marks.
    """
    guessed = 0
    for output in REAL[::3]:
        text, budget = output["text"], O200K.count(output["text"]).tokens // 5
        short = compress(text, budget=budget, counter=O200K, query=output["query"])
        assert short.tokens <= budget
        if guess_kind(text) != "json":
            check_marks(text, short.text, short.spans)
        guessed += guess_kind(text) in (*OUTPUTS, "html", "json", "log") or output["kind"] in (
            "read",
            "swe",
        )
    assert guessed > 0.95 * len(REAL[::3])


LINES = st.sampled_from(
    [
        "E   assert",
        "FAILED a::b - c",
        "Ran 3 tests in 1s",
        "a.c:1:2: error: x",
        '  File "a", line 3, in f',
        "ValueError: x",
        "commit " + "a" * 40,
        "diff --git a/x b/x",
        "@@ -1 +1 @@",
        "./a:",
        "-old",
        "",
        "[… 3 lines]",
        "___ t ___",
        "<p>One.</p>",
        "<script>",
        "</script>",
        "<!--",
        "-->",
        "<h1>T</h1>",
        "  x = 1",
        "npm error y",
    ]
)


@given(st.lists(LINES, max_size=40), st.integers(0, 90), st.sampled_from([*OUTPUTS, "html", None]))
def test_any_lines_are_marked_and_fit(lines: list[str], budget: int, kind: str | None) -> None:
    text = "\n".join(lines)
    short = compress(text, budget=budget, counter=O200K, kind=kind)
    assert short.tokens <= budget
    if short.text:
        check_marks(text, short.text, short.spans)
    units = split_into_units(UnitList(text), kind)
    assert all(before.end <= after.start for before, after in pairwise(units))


def test_lines_of_code_are_asked_for_by_the_signatures_that_they_are_in() -> None:
    """Of similar bodies, those of the requested function are shown, and the first line is not."""
    names = ("alpha", "bravo", "delta", "golf", "hotel", "india", "kilo", "lima")
    body = "    total = first + second\n    check(total)\n    return total\n\n"
    text = "".join(f"def {name}(first, second):\n{body}" for name in names)
    short = compress(text, budget=50, counter=O200K, query="What does hotel give?").text
    assert "def hotel(first, second):\n    total = first + second\n" in short


def test_an_error_without_another_name_survives() -> None:
    text = (
        f"> shop@1.0.0 build\n> node missing.js\n{NOISE}\nError: Cannot find module 'a.js'\n{NOISE}"
    )
    assert (
        "Error: Cannot find module 'a.js'"
        in compress(text, budget=60, counter=O200K, kind="install", query="part of the whole").text
    )


def test_the_first_tests_that_fail_are_shown_with_what_they_say() -> None:
    cases = [
        f"{'=' * 70}\nFAIL: test_{n} (tests.test_a.TestA.test_{n})\n{'-' * 70}\n"
        f'Traceback (most recent call last):\n  File "tests/test_a.py", line {n}, in test_{n}\n'
        f"    self.assertEqual(f({n}), {n + 7})\nAssertionError: {n} != {n + 7}\n"
        for n in range(30)
    ]
    text = "\n".join([*cases, "Ran 30 tests in 0.1s\n\nFAILED (failures=30)"])
    short = compress(text, budget=300, counter=O200K, query="Let me run the tests that fail.").text
    for failure in (
        "FAIL: test_0 ",
        "line 0, in",
        "AssertionError: 0 != 7",
        "AssertionError: 2 != 9",
    ):
        assert failure in short


def test_few_alerts_of_a_log_come_first_and_many_do_not() -> None:
    def log(alerts: range) -> str:
        return "\n".join(
            f"12:{n // 60:02}:{n % 60:02} "
            + ("WARN slow query" if n in alerts else f"INFO request {n} ended")
            for n in range(600)
        )

    def show_alerts(alerts: range) -> str:
        return compress(log(alerts), budget=300, counter=O200K, query="Why did requests fail?").text

    assert "12:05:00 WARN slow query" in show_alerts(range(300, 301))
    assert "INFO request 7 ended" in show_alerts(range(100, 600))


def test_a_value_of_json_is_asked_for_by_what_names_its_record() -> None:
    people = [
        {
            "name": name,
            "place": {"city": f"{name[::-1]}ville", "floor": n, "note": "x" * 150},
            "pay": {"sum": 100 + n, "currency": "EUR", "note": "y" * 150},
        }
        for n, name in enumerate("Anna Bernard Cecile Dimitri Esther Farid Gudrun Hugo".split())
    ]
    text = json.dumps(people, indent=1)
    short = compress(text, budget=130, counter=O200K, query="Which city is Farid in?").text
    assert '"city": "diraFville"' in short
    assert '"name": "Farid"' in short


def test_exceptions_of_a_group_show_what_they_say() -> None:
    """Frames that are common to several exceptions are shown once, so that the messages have
    room.
    """
    parts = "".join(
        f"    +---------------- {n} ----------------\n    | Traceback (most recent call last):\n"
        '    |   File "/home/ann/run.py", line 5, in <module>\n    |     try: one(n)\n'
        f'    |   File "/home/ann/run.py", line 2, in one\n    | ValueError: bad row {n}\n'
        for n in range(1, 9)
    )
    text = (
        "  + Exception Group Traceback (most recent call last):\n"
        '  |   File "/home/ann/run.py", line 7, in <module>\n'
        f"  | ExceptionGroup: rows (8 sub-exceptions)\n{parts}    +-----------------\n"
    )
    short = compress(text, budget=250, counter=O200K, query="Let me run it.").text
    assert [short.count(f"ValueError: bad row {n}") for n in range(1, 5)] == [1] * 4
    assert short.count("line 5, in <module>") < 8


def test_what_pip_and_cargo_print_is_of_installers() -> None:
    """The output of pip and cargo is recognized as that of installers, and its last line is
    shown.
    """
    pip = [
        "Looking in links: /srv/wheels",
        *(f"Collecting part{n}\n  Downloading part{n}-1.0.whl (22 kB)" for n in range(30)),
        "Successfully installed part0-1.0 part1-1.0",
    ]
    cargo = [*(f"   Compiling part{n} v1.0.{n}" for n in range(40)), "    Finished in 3.1s"]
    for lines in (pip, cargo):
        text = "\n".join(lines)
        assert guess_kind(text) == "output"
        assert compress(text, budget=60, counter=O200K).text.endswith(lines[-1])


def test_lines_are_counted_as_editors_do() -> None:
    """Lines are counted as in an editor: a form feed does not begin a new line."""
    lines = [f"src/a{n}.py:{n}: error: bad\u2028thing\x0c number {n * 7 % 13}" for n in range(20)]
    excerpt = compress("\n".join(lines), budget=30, counter=O200K)
    missing = re.findall(r"\[… (\d+) lines?", excerpt.text)
    assert sum(map(int, missing)) == 20 - excerpt.text.count("error") > 0


def count_kept_lines(output: dict[str, Any], share: float, query: str | None) -> set[int]:
    """Return the numbers of the lines of an output that are left whole."""
    text = output["text"]
    budget = int(O200K.count(text).tokens * share)
    short = compress(text, budget=budget, counter=O200K, query=query)
    assert short.tokens <= budget
    kept_lines, at = set(), 0
    for number, line in enumerate(text.split("\n")):
        first, last = at + len(line) - len(line.lstrip()), at + len(line.rstrip(" \t\r,"))
        at += len(line) + 1
        if first < last and any(start <= first and last <= end for start, end in short.spans):
            kept_lines.add(number)
    return kept_lines


LINED = [tool for tool in TOOLS[::3] if guess_kind(tool["text"]) in ("json", "table", *OUTPUTS)]


@pytest.mark.parametrize("output", LINED, ids=[output["id"] for output in LINED])
@pytest.mark.untraced
def test_more_room_never_keeps_less(output: dict[str, Any]) -> None:
    """Lines that are shown at one budget are shown at any larger budget."""
    last: set[int] = set()
    for share in (0.05, 0.1, 0.2, 0.21, 0.35, 0.5, 0.8):
        now = count_kept_lines(output, share, output["query"])
        assert last <= now, share
        last = now


LIKE_TEXT = {
    "headings": "".join(f"# ** Note: step {n} is done.\n# Time: {n} us\n" for n in range(20)),
    "sentences": "".join(f"Test case '{n}' of the suite has passed in {n} s.\n" for n in range(20)),
}


@pytest.mark.parametrize("kind", LIKE_TEXT)
def test_printed_lines_that_look_like_a_document_are_output(kind: str) -> None:
    """In Markdown headings are apart, and in prose sentences differ."""
    assert guess_kind(LIKE_TEXT[kind]) == "output"
    assert guess_kind("# One\n\nIt rained all day.\n\n## Two\n\nIt was dry again.\n") == "markdown"


@pytest.mark.parametrize(
    ("high", "low"),
    [
        ("a.c:9: error: no such name x", "a.c:2: warning: unknown name y"),
        ("e: a.kt: no such name", "w: a.kt: unknown name"),
        ("CHECK-FAIL | page.html", "CHECK-PASS | page.html | getError was called"),
        ("ERROR: the disk is full", "echo the script may fail here"),
    ],
)
def test_marked_failures_outrank_warnings_and_mentions(high: str, low: str) -> None:
    scores = score_lines(["start", low, "one", "two", "three", high, "four", "five", "end"])
    assert scores[5] > scores[1]


def test_late_failures_outrank_early_ones_in_long_outputs() -> None:
    """In a short output the first failure tells as much as the last."""
    noise = [f"part {chr(97 + n % 26)} is done" for n in range(400)]
    for lines in (noise, noise[:40]):
        scores = score_lines([*lines[:9], "error: early", *lines, "error: late", *lines[:9]])
        assert (scores[-10] > scores[9] * 1.1) == (len(lines) == 400)


@given(st.lists(LINES, min_size=2, max_size=40), st.integers(10, 200), st.integers(0, 60))
def test_more_room_never_keeps_less_of_any_lines(lines: list[str], budget: int, more: int) -> None:
    text = "\n".join(lines)
    whole = {}
    for room in (budget, budget + more):
        spans = compress(text, budget=room, counter=O200K, kind="output").spans
        whole[room] = {at for start, end in spans for at in range(start, end)}
    is_cut = any(
        text[end : end + 1].strip()
        for _, end in compress(text, budget=budget, counter=O200K, kind="output").spans
    )
    assert is_cut or whole[budget] <= whole[budget + more]


@pytest.mark.untraced
def test_no_less_is_kept_than_by_plain_ways() -> None:
    """LTON keeps at least as many needed lines as simple rules, at 50 % and 20 %, with and without
    a query.
    """
    rows = [tool for tool in TOOLS if tool["half"] == "development"]
    for share in (0.5, 0.2):
        count = {"tail": 0, "ends": 0, "grep": 0, "asked": 0, "nothing asked": 0}
        for output in rows:
            lines, needed_lines = output["text"].split("\n"), {*output["used"]}
            costs = [
                line_count.tokens for line_count in O200K.count_all(f"{line}\n" for line in lines)
            ]
            budget = int(O200K.count(output["text"]).tokens * share)
            numbers = range(len(lines))
            errors = [at for at in numbers if re.search("(?i)error|fail|warn|panic", lines[at])]
            orders = {
                "tail": [*reversed(numbers)],
                "ends": [at for low in numbers for at in (low, len(lines) - 1 - low)],
                "grep": [*errors, *(at + 1 for at in errors if at + 1 < len(lines))],
            }
            for name, order in orders.items():
                room, kept_lines = budget, set()
                for at in dict.fromkeys(order):
                    if costs[at] <= room:
                        room -= costs[at]
                        kept_lines.add(at)
                count[name] += len(kept_lines & needed_lines)
            count["asked"] += len(count_kept_lines(output, share, output["query"]) & needed_lines)
            count["nothing asked"] += len(count_kept_lines(output, share, None) & needed_lines)
        plain = max(count["tail"], count["ends"], count["grep"])
        assert min(count["asked"], count["nothing asked"]) >= plain, (share, count)


@pytest.mark.parametrize(
    ("name", "survives"),
    [
        ("cargo_test", "test result: FAILED"),
        ("mvn_offline", "BUILD FAILURE"),
        ("terraform_plan", "Plan: 0 to add, 1 to change, 3 to destroy."),
        ("junit_xml", "AssertionError: assert 'declined' == 'paid'"),
        ("java_run", "Exception in thread"),
        ("curl_v", '"quota_exceeded"'),
        ("csv_weather", "date,precipitation"),
        ("kubectl_json", "registry.local/api:3.2"),
        ("pyright", "12 errors, 1 warning"),
        ("coverage", "TOTAL"),
        ("ansible", "failed=1"),
        ("tsc_pretty", "Found "),
        ("gdb", "SIGFPE"),
        ("strace", "exit_group(3)"),
        ("py_chained", "SystemError: step"),
        ("s_client", "Verify return code"),
        ("gxx_template", "t.cpp:12:39: error"),
    ],
)
def test_what_is_needed_survives_of_tools_of_any_kind(name: str, survives: str) -> None:
    """At 30 %, the message, the summary and the header are kept for any kind of tool."""
    (output,) = (tool for tool in TOOLS if tool["id"] == name)
    budget = int(0.3 * O200K.count(output["text"]).tokens)
    assert (
        survives
        in compress(output["text"], budget=budget, counter=O200K, query=output["query"]).text
    )


def test_a_name_is_kept_with_a_field_of_its_record() -> None:
    """The name of a record is kept with a field of the record, for example in the metadata of
    Kubernetes.
    """
    (output,) = (tool for tool in TOOLS if tool["id"] == "kubectl_json")
    short = compress(output["text"], budget=300, counter=O200K, query="Which image has api-3?").text
    assert '"name": "api-3"' in short
    assert "api:3.2" in short


def test_no_lines_tell_nothing() -> None:
    """A text without lines has no scores."""
    assert not score_lines([])


def test_what_grep_and_tail_find_is_chosen_earlier() -> None:
    """Lines that `grep` and `tail` would find come first, unless the query names something in the
    text.
    """
    texts = [f"visit place {chr(97 + n)}" for n in range(26)]
    texts[17] = "see the traceback"
    units = [Unit(0, len(text), text, tells=0.2) for text in texts]
    central, named = (
        rank_by_weight(units, [0.0] * 26, [4] * 26, query, range(26)) for query in (CENTRAL, NAMED)
    )
    assert named == [*range(26)]
    assert central.index(17) < 10
    assert central.index(25) < central.index(15)
    assert central.index(16) > central.index(15)


MISTAKEN = {
    "table": "id,name,total\n" + "".join(f"{n},part {n},{n}.5\n" for n in range(30)),
    "code": "".join(f"int f{n}(void) {{\n  return {n};\n}}\n" for n in range(20)),
    "prose": "It rained all day in the valley.\n" * 3 + "The river rose at night.\n",
}
FAILURES = (
    "Error: the disk is full",
    "Build Error at lists.txt:4 (find):",
    "│ Error: Missing argument",
    "ERROR: no such relation",
    "a.c:3:1: error: no such name",
)


@pytest.mark.parametrize("kind", MISTAKEN)
def test_a_failure_beats_the_form_of_the_other_lines(kind: str) -> None:
    """Code, a table or prose with one line that reports a failure was printed by a tool."""
    assert guess_kind(MISTAKEN[kind]) == kind
    for failure in FAILURES:
        assert guess_kind(f"{MISTAKEN[kind]}{failure}\n") == "output", failure


def test_members_that_are_named_like_errors_are_code() -> None:
    """Neither a key of YAML nor an indented member of an object reports a failure."""
    yaml = "".join(f"part{n}:\n  name: a{n}\n  Error: none\n" for n in range(20))
    assert guess_kind(f"{yaml}Error: not found\n") == "code"
    members = "".join(f"  TypeError: f{n},\n  g{n};\n" for n in range(20))
    assert guess_kind(f"const table = {{\n{members}}};\n") == "code"


def test_the_last_line_tells_less_after_a_summary() -> None:
    """Without a summary the last line is the result of an output."""
    lines = ["busy"] * 9
    assert score_lines([*lines, "Took 3 s"])[-1] == 1
    assert score_lines([*lines, "2 failed, 7 passed", "Took 3 s"])[-1] < 0.5
    assert score_lines([*lines, "busy", "2 failed, 7 passed"])[-1] == 1


def test_a_line_of_progress_tells_less_than_the_failure() -> None:
    """A line of progress tells nothing if the name of its test is in another failure."""
    lines = ["run a.py::checks::adds ... FAILED [ 10%]", *["busy"] * 9]
    alone = score_lines(lines)
    named = score_lines([*lines, "FAILED: checks::adds in run of a.py", *["busy"] * 9])
    assert named[0] < 0.5 * alone[0]


@pytest.mark.parametrize(
    "line",
    [
        "from shop import CartError",
        "import shop.CartException",
        "    raise CartError(name)",
        "──── Error ────",
    ],
)
def test_quoted_programs_and_headings_are_no_messages(line: str) -> None:
    """A line that only names an error does not report one."""
    assert not is_diagnostic_line(line)
    assert is_diagnostic_line("CartError: no such name")
