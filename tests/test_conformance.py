"""Test that the cases of spec/conformance are complete, valid and passed, and test the runner."""

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from lton.errors import Code
from spec.conformance.format import spell
from spec.conformance.run import (
    MAX_STARTS,
    Question,
    compare,
    main,
    questions,
    read_cases,
    read_toolsets,
)

ROOT = Path(__file__).parent.parent
SUITE = ROOT / "spec" / "conformance"
FILES = sorted(SUITE.glob("*/*.json"))
SCHEMA = json.loads((SUITE / "case.schema.json").read_text("utf-8"))
CASES = list(read_cases())


# --- the files ----------------------------------------------------------------------------------


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
@pytest.mark.untraced
def test_files_are_as_their_schema_has_them(path: Path) -> None:
    """Each file is valid, and is in the folder of its kind."""
    file = json.loads(path.read_text("utf-8"))
    jsonschema.Draft202012Validator(SCHEMA).validate(file)
    assert file["kind"] == path.parent.name


def test_toolsets_are_as_the_schema_has_them() -> None:
    """tools.json is valid, and cases use exactly the toolsets in it."""
    toolsets = read_toolsets()
    schema = {"$ref": "#/$defs/toolsets", "$defs": SCHEMA["$defs"]}
    jsonschema.Draft202012Validator(schema).validate(toolsets)
    assert {case["tools"] for case in CASES if isinstance(case["tools"], str)} == toolsets.keys()


BROKEN: list[tuple[str, dict[str, Any]]] = [
    ("decode", {"text": ""}),
    ("decode", {"text": "", "calls": [], "error": {"code": "E101", "pos": 0, "path": ""}}),
    ("decode", {"text": "", "error": {"code": "E101", "path": ""}}),
    ("decode", {"text": "", "error": {"code": "E101", "pos": -1, "path": ""}}),
    ("decode", {"text": "", "calls": [], "typo": 1}),
    ("decode", {"text": "", "calls": [], "id": "Not kebab"}),
    ("decode", {"text": "", "calls": [], "rule": "R-1"}),
    ("encode", {"calls": [], "texts": {"json": ""}}),
    ("encode", {"calls": [], "error": {"code": "E401", "path": ""}}),
    ("canonical", {"text": "", "form": "wire"}),
    ("schema", {"signatures": []}),
    ("lenient", {"text": "", "calls": [], "repairs": [{"code": "L1"}], "errors": []}),
    ("stream", {"chunks": []}),
    ("stream", {"chunks": [], "events": [[{"end": "f"}]]}),
]


@pytest.mark.parametrize(("kind", "members"), BROKEN)
def test_the_schema_refuses(kind: str, members: dict[str, Any]) -> None:
    """A case without an outcome, with two outcomes, or with unknown members is invalid."""
    case = {"id": "a-case", "rule": "R-301", "tools": [], **members}
    file = {"kind": kind, "about": "", "cases": [case]}
    assert not jsonschema.Draft202012Validator(SCHEMA).is_valid(file)


@pytest.mark.parametrize(
    ("kind", "members"),
    [
        (
            "lenient",
            {
                "text": "f 1 ",
                "calls": [{"name": "f", "arguments": {"x": 1}}],
                "repairs": [{"code": "L1", "pos": 3}],
                "errors": [{"code": "E101", "pos": 3}],
            },
        ),
        (
            "stream",
            {
                "chunks": ["f ", "1"],
                "events": [
                    [{"start": "f"}],
                    [],
                    [{"argument": "x", "value": 1}, {"end": {"name": "f", "arguments": {"x": 1}}}],
                ],
            },
        ),
        ("stream", {"chunks": ["g"], "error": {"code": "E201", "pos": 0}}),
    ],
)
def test_the_schema_takes_kinds_to_come(kind: str, members: dict[str, Any]) -> None:
    """The schema also accepts cases of lenient reading and of chunks."""
    case = {"id": "a-case", "rule": "R-301", "tools": None, **members}
    file = {"kind": kind, "about": "", "cases": [case]}
    assert not [*jsonschema.Draft202012Validator(SCHEMA).iter_errors(file)]


@pytest.mark.parametrize("path", sorted(SUITE.rglob("*.json")), ids=lambda path: path.stem)
def test_files_are_formatted(path: Path) -> None:
    """Each file is formatted as by `python spec/conformance/format.py`."""
    text = path.read_text("utf-8")
    assert text == spell(json.loads(text)) + "\n"


# --- what they cover ----------------------------------------------------------------------------


def test_ids_are_unique() -> None:
    """The ids of cases, and of the questions made from them, are unique."""
    for ids in ([case["id"] for case in CASES], [question.id for question in questions()]):
        assert [name for name, count in Counter(ids).items() if count > 1] == []


def test_every_rule_has_a_case() -> None:
    """The cases cite exactly the rules that the specification defines."""
    spec = (ROOT / "spec" / "LTON-0.1.md").read_text("utf-8")
    defined = set(re.findall(r"^(?:\| )?(R-\d+)(?::| \|)", spec, re.MULTILINE))
    assert {case["rule"] for case in CASES} == defined


def test_every_code_of_the_core_has_a_case() -> None:
    """Each code is the outcome of a case, except for those of integrations (E6xx), which need
    libraries.

    E506 is also excluded, because it depends on how an implementation checks.
    """
    tried = {case["error"]["code"] for case in CASES if "error" in case}
    assert tried >= {code.value for code in Code if code < Code.CHECK_SIZE}
    assert tried <= {code.value for code in Code}


# --- the implementations ------------------------------------------------------------------------


def table(output: str) -> dict[str, tuple[int, int, int]]:
    """Return the counts that the runner prints: passed, failed, unsupported."""
    rows = re.findall(r"^(\w+) +(\d+) +(\d+) +(\d+)$", output, re.MULTILINE)
    return {
        kind: (int(passes), int(failed), int(unsupported))
        for kind, passes, failed, unsupported in rows
    }


def test_our_codec_conforms(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The Python codec passes every case of every kind that it supports."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    status = main([sys.executable, str(SUITE / "python_codec.py")])
    output = capsys.readouterr().out
    assert status == 0, output
    counts_asked = Counter(question.kind for question in questions())
    counts = table(output)
    assert counts == {kind: (count, 0, 0) for kind, count in counts_asked.items()}


def test_the_package_in_typescript_conforms(capsys: pytest.CaptureFixture[str]) -> None:
    """The TypeScript implementation passes every case (`make test-js` builds it)."""
    node = shutil.which("node")
    if node is None or not (ROOT / "js" / "dist" / "index.js").exists():
        pytest.skip("js is not built, or node not installed")
    status = main([node, str(ROOT / "js" / "test" / "conformance.mjs")])
    output = capsys.readouterr().out
    assert status == 0, output
    counts_asked = Counter(question.kind for question in questions())
    assert table(output) == {kind: (count, 0, 0) for kind, count in counts_asked.items()}


# --- the runner ---------------------------------------------------------------------------------

READ_LINES = (
    "import json, os, sys, time\nfor line in sys.stdin:\n    asked = json.loads(line)\n    "
)
"""How an implementation begins; a test says what it does with `asked`."""
SAY = "print(json.dumps({'id': asked['id'], %s}), flush=True)"
WEATHER = ["--id", "weather/wire*"]
"""Two questions: to write a call, and to read it."""


@pytest.mark.parametrize(
    ("body", "reported"),
    [
        (SAY % "'text': 'weather.v1'", 'found    {"text": "weather.v1"}'),
        (SAY % "'calls': asked.get('calls', [])", 'found    {"calls": []}'),
        (SAY % "'error': {'code': 'E101', 'pos': 0}", '"code": "E101"'),
        (SAY % "'error': 'no'", 'found    {"error": "no"}'),
        (SAY % "'unsupported': True", ""),
        (SAY % "'unsupported': 1", "found    {}"),
        ("print('no JSON', flush=True)", "the answer is no JSON"),
        ("print('[]', flush=True)", "the answer has another id: []"),
        ('print(\'{"id": "other"}\', flush=True)', "the answer has another id"),
        ("print('[' * 10**5, flush=True)", "the answer is no JSON"),
        ("time.sleep(600)", "no answer in 0.2 s"),
        ("print('{', end='', flush=True)\n    time.sleep(600)", "no answer in 0.2 s"),
        ("sys.exit(3)", "it ended (exit status 3)"),
        ("os.kill(os.getpid(), 9)", "it ended (SIGKILL)"),
        ("sys.stdout.close()\n    os._exit(4)", "it ended (exit status 4)"),
        ("os.close(1)\n    time.sleep(600)", "it closed its output"),
    ],
)
def test_the_runner_notices(
    body: str, reported: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An implementation that is wrong, hangs, dies or does nothing fails."""
    program = tmp_path / "implementation.py"
    program.write_text(READ_LINES + body)
    seconds = "0.2" if "no answer" in reported else "10"
    assert main([*WEATHER, "--seconds", seconds, sys.executable, str(program)]) == 1
    output = capsys.readouterr().out
    assert reported in output
    assert [sum(row) for row in table(output).values()] == [1, 1]
    assert all(passes == 0 for passes, _, _ in table(output).values())


def test_the_runner_starts_a_broken_implementation_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An implementation that dies is restarted for the remaining cases, a limited number of
    times.
    """
    program = tmp_path / "implementation.py"
    answered = SAY % "'calls': []"
    dies = f"{answered} if asked['id'] == 'no-calls/wire/read' else sys.exit(1)"
    program.write_text(READ_LINES + dies)
    command = [sys.executable, str(program)]
    assert main(["--only", "decode", "--id", "no-*", *command]) == 1
    output = capsys.readouterr().out
    assert table(output) == {"decode": (1, 7, 0)}
    assert output.count("it ended (exit status 1)") == MAX_STARTS
    assert output.count(f"not asked: it broke {MAX_STARTS} times") == 2


def test_the_runner_needs_the_standard_library_only(tmp_path: Path) -> None:
    """The runner needs only the standard library."""
    program = tmp_path / "implementation.py"
    program.write_text(READ_LINES + SAY % "'calls': []")
    command = [sys.executable, "-I", "-S", str(SUITE / "run.py"), "--verbose"]
    result = subprocess.run(
        [*command, "--id", "no-calls/wire/read", sys.executable, str(program)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("passed      decode    no-calls/wire/read\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--id", "no such id", sys.executable], "no case has such a kind and id"),
        (["/no/such/program"], "cannot start /no/such/program"),
        (["--only", "speech", sys.executable], "invalid choice"),
        ([], "COMMAND"),
    ],
)
def test_what_cannot_be_run_is_a_usage_error(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Options that select no case, and an unknown command, are errors of usage."""
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert message in capsys.readouterr().err


def ask_question(kind: str, **expected: Any) -> Question:
    return Question("an-id", kind, {}, expected)


ERROR = {"code": "E203", "pos": 2, "path": "/x"}
CALLS = [{"name": "f", "arguments": {"x": 1, "y": [True]}}]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (
            ask_question("decode", calls=CALLS),
            {"calls": [{"arguments": {"y": [True], "x": 1}, "name": "f"}]},
        ),
        (ask_question("decode", error=ERROR), {"error": ERROR}),
        (ask_question("decode", error=ERROR), {"error": {"code": "E203", "pos": 2}}),
        (ask_question("decode", error=ERROR), {"error": {**ERROR, "msg": "expected an integer"}}),
        (ask_question("stream", error={"code": "E101"}), {"error": {"code": "E101"}, "events": []}),
    ],
)
def test_right_answers(question: Question, answer: dict[str, Any]) -> None:
    """The order of members, additional members, and a missing path do not matter."""
    assert compare(question, answer) is None


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (
            ask_question("decode", calls=CALLS),
            {"calls": [{"name": "f", "arguments": {"x": 1.0, "y": [True]}}]},
        ),
        (
            ask_question("decode", calls=CALLS),
            {"calls": [{"name": "f", "arguments": {"x": 1, "y": [1]}}]},
        ),
        (ask_question("decode", calls=CALLS), {"calls": CALLS, "error": ERROR}),
        (ask_question("decode", calls=[]), {}),
        (ask_question("decode", error=ERROR), {"error": {"code": "E203", "pos": 3}}),
        (ask_question("decode", error=ERROR), {"error": {"code": "E204", "pos": 2}}),
        (ask_question("decode", error=ERROR), {"error": {**ERROR, "path": ""}}),
        (ask_question("decode", error=ERROR), {"error": None}),
        (ask_question("encode", error={"code": "E203", "path": "/x"}), {"error": {"code": "E203"}}),
        (ask_question("stream", events=[[], []]), {"events": [[]]}),
    ],
)
def test_wrong_answers(question: Question, answer: dict[str, Any]) -> None:
    """An integer equals neither a double nor a boolean, and code and position of an error must
    match.
    """
    problem = compare(question, answer)
    assert problem is not None
    assert problem.startswith("expected {")
