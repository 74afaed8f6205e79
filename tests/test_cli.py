"""Test the command line on files and on standard input."""

import io
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from lton import __version__
from lton.cli import main, run_program, tokens

ROOT = Path(__file__).parent.parent
TOOLS = str(ROOT / "benchmarks" / "lton_bench" / "demo" / "tools.json")
JSON_CALL = '{"name":"weather.v1","arguments":{"city":"San Leandro","days":7,"unit":"C"}}'
WIRE = 'weather.v1 "San Leandro",7 C'


class Run:
    """A run of the command line: its exit status and its output."""

    def __init__(
        self,
        capsys: pytest.CaptureFixture[str],
        monkeypatch: pytest.MonkeyPatch,
        program: Callable[[list[str]], int] = main,
    ) -> None:
        self.capsys = capsys
        self.monkeypatch = monkeypatch
        self.program = program

    def __call__(self, *arguments: str, stdin: str = "") -> tuple[int, str, str]:
        buffer = io.TextIOWrapper(io.BytesIO(stdin.encode("utf-8", "surrogateescape")))
        self.monkeypatch.setattr(sys, "stdin", buffer)
        status = self.program(list(arguments))
        out, err = self.capsys.readouterr()
        return status, out, err


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command line in this process."""
    return Run(capsys, monkeypatch)


@pytest.fixture
def count(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the program that counts tokens in this process."""
    return Run(capsys, monkeypatch, partial(run_program, tokens))


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ([], WIRE),
        (["--form", "keyed"], 'weather.v1 city="San Leandro" days=7 unit=C'),
        (["--form", "punctuated"], 'weather.v1(city="San Leandro", days=7, unit=C)'),
        (["--form", "tagged"], "!call weather.v1\n(s11:San Leandro u1:7 e1:C)"),
    ],
)
def test_encode_and_decode_are_inverse(run: Run, options: list[str], text: str) -> None:
    """A call in JSON becomes LTON in each form, and is decoded to the same line of JSON."""
    assert run("encode", "-t", TOOLS, *options, stdin=JSON_CALL) == (0, f"{text}\n", "")
    assert run("decode", "-t", TOOLS, stdin=text) == (0, f"{JSON_CALL}\n", "")


@pytest.mark.parametrize("joiner", ["\n", ","])
def test_encode_takes_lines_and_lists(run: Run, joiner: str) -> None:
    """Several calls may be one per line, or a JSON list."""
    calls = joiner.join([JSON_CALL, JSON_CALL])
    stdin = f"[{calls}]" if joiner == "," else calls
    status, out, _ = run("encode", "-t", TOOLS, stdin=stdin)
    assert (status, out) == (0, f'{WIRE}\n& "San Leandro",7 C\n')


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ('{"name":"weather.v1","arguments":{}}', "'city' is required"),
        ('{"nom":"weather.v1"}', 'expected {"name"'),
        ('{"name":"weather.v1","arguments":"{"}', "expected arguments in JSON"),
    ],
)
def test_an_error_names_one_of_several_calls(run: Run, wrong: str, message: str) -> None:
    """An error in one of several calls has the line, or the number in the list."""
    _, _, alone = run("encode", "-t", TOOLS, stdin=wrong)
    _, _, in_lines = run("encode", "-t", TOOLS, stdin=f"{JSON_CALL}\n\n{wrong}\n{JSON_CALL}\n")
    _, _, in_list = run("encode", "-t", TOOLS, stdin=f"[{JSON_CALL},{wrong}]")
    assert alone.startswith(f"lton: {message}")
    assert in_lines.startswith(f"lton: -: line 3: {message}")
    assert in_list.startswith(f"lton: -: call 2: {message}")


def test_a_line_that_is_not_json_is_shown(run: Run) -> None:
    """In JSON Lines, the position is in the file. A broken document is not JSON Lines."""
    _, _, err = run("encode", stdin=f"{JSON_CALL}\n{{broken\n")
    assert err.startswith("lton: -: Expecting property name enclosed in double quotes (line 2, col")
    assert err.endswith("\n{broken\n ^\n")
    _, _, err = run("encode", stdin='{\n "name": "f",\n "arguments": broken\n}\n')
    assert err.startswith("lton: -: Expecting value (line 3, column 15)")


@pytest.mark.parametrize("name", ["api.yaml", "api.yml"])
def test_a_file_in_yaml_has_a_hint(run: Run, tmp_path: Path, name: str) -> None:
    """OpenAPI documents are often in YAML, and LTON reads JSON."""
    (tmp_path / name).write_text("openapi: 3.1.0\n")
    status, _, err = run("schema", str(tmp_path / name))
    assert status == 1
    assert "Expecting value; convert YAML to JSON first" in err


def test_encode_takes_what_apis_return(run: Run) -> None:
    """A call of OpenAI's or Anthropic's API, or a message with calls, is accepted."""
    arguments = json.loads(JSON_CALL)["arguments"]
    function = {"name": "weather.v1", "arguments": json.dumps(arguments)}
    openai = {"id": "call_1", "type": "function", "function": function}
    anthropic = {"type": "tool_use", "id": "1", "name": "weather.v1", "input": arguments}
    message = {"role": "assistant", "content": None, "tool_calls": [openai]}
    for body in (openai, anthropic, message):
        assert run("encode", "-t", TOOLS, stdin=json.dumps(body)) == (0, f"{WIRE}\n", "")
    function["arguments"] = "{"
    _, _, err = run("encode", "-t", TOOLS, stdin=json.dumps(openai))
    assert err == "lton: expected arguments in JSON, found '{' [E606]\n"


def test_files_are_read_in_order(run: Run, tmp_path: Path) -> None:
    """Named files are read in order, and line ends inside strings are kept."""
    first, second = tmp_path / "a", tmp_path / "b"
    first.write_bytes(b"write_file a s3:x\r\n")
    second.write_bytes(WIRE.encode())
    status, out, _ = run("decode", "-t", TOOLS, str(first), str(second))
    lines = [json.loads(line) for line in out.splitlines()]
    assert status == 0
    assert lines[0]["arguments"]["content"] == "x\r\n"
    assert lines[1] == json.loads(JSON_CALL)


@pytest.mark.parametrize("options", [[], ["-k"], ["--lenient"]])
def test_an_error_names_one_of_several_files(run: Run, tmp_path: Path, options: list[str]) -> None:
    """With one file, or standard input, there is nothing to name."""
    good, bad = tmp_path / "good", tmp_path / "bad"
    good.write_text("weather.v1 Rome 3 C\n")
    bad.write_text("weather.v1 Rome 99 C\n")
    _, _, alone = run("decode", "-t", TOOLS, *options, str(bad))
    status, _, err = run("decode", "-t", TOOLS, *options, str(good), str(bad))
    assert status == 1
    assert alone.startswith("lton: expected an integer of at most 16, found '99' (line 1, ")
    assert err == alone.replace("lton: ", f"lton: {bad}: ", 1)


@pytest.mark.parametrize("form", ["wire", "tagged"])
def test_two_forms_need_no_tools(form: str, run: Run) -> None:
    """Without tools, calls use the map form, or the tagged form with keys."""
    _, text, _ = run("encode", "--form", form, stdin=JSON_CALL)
    status, out, _ = run("decode", stdin=text)
    assert (status, json.loads(out)) == (0, json.loads(JSON_CALL))


@pytest.mark.parametrize(
    ("arguments", "stdin", "message"),
    [
        (["decode", "-t", TOOLS], 'weather.v1 "San Leandro" x C', "[E203]\nweather.v1 "),
        (["decode"], WIRE, "[E212]"),
        (["decode", "-t", TOOLS], "\udcff", "utf-8"),
        (["decode", "-t", "no such file"], WIRE, "No such file"),
        (["encode", "-t", TOOLS], '{"name":"weather.v1","arguments":{}}', "[E205]"),
        (["encode", "-t", TOOLS], '{"nom":"weather.v1"}', "[E401]"),
        (["encode", "-t", TOOLS], "{", "Expecting property name"),
        (["encode", "--form", "keyed"], JSON_CALL, "[E212]"),
        (["schema"], '[{"name":"f","parameters":{"$ref":"#"}}]', "[E504]"),
        (["grammar"], "7", "[E502]"),
    ],
)
def test_an_error_is_one_line_and_status_1(
    run: Run, arguments: list[str], stdin: str, message: str
) -> None:
    """An error in the input is one line on standard error, without a traceback."""
    status, out, err = run(*arguments, stdin=stdin)
    assert (status, out) == (1, "")
    assert err.startswith("lton: ")
    assert message in err


def test_schema_prints_signatures_and_notes(run: Run) -> None:
    """Signatures go to standard output, and keywords that are not enforced to standard error."""
    parameters = {"type": "object", "properties": {"d": {"type": "string", "format": "color"}}}
    tools = json.dumps({"name": "f", "description": "Do.", "parameters": parameters})
    status, out, err = run("schema", stdin=tools)
    assert (status, out) == (0, "f Do.\n d?\n")
    assert err == "lton: format 'color': not checked (at /0/parameters/properties/d/format)\n"


def test_schema_asks_a_server(run: Run) -> None:
    """A command in one string starts an MCP server, whose tools are read like definitions."""
    server = shlex.join([sys.executable, str(ROOT / "tests/integrations/mcp_server.py")])
    status, out, err = run("schema", "--no-descriptions", "--mcp", server)
    assert (status, err) == (0, "")
    assert out.startswith("weather(city days?:int=3 unit?:C|F=C)\n")
    status, out, err = run("cost", "--json", "--tokenizer", "bytes", "--mcp", server)
    report = json.loads(out)
    assert (status, err, report["counted"]) == (0, "", {"listings of tools": 1})
    assert report["total"]["definitions"]["number"] > 0
    status, out, err = run("schema", "--mcp", "no-such-program --at all")
    assert (status, out) == (1, "")
    assert err.startswith("lton: the server 'no-such-program' does not start: ")


def test_schema_reports_what_a_layout_leaves(run: Run) -> None:
    """Constraints that are checked after reading are no warning, and the report lists all of
    them.
    """
    schema = {"properties": {"n": {"type": "integer", "multipleOf": 2, "x-unit": "m"}}}
    tools = json.dumps({"name": "f", "parameters": schema})
    pointer = "/0/parameters/properties/n"
    warning = f"lton: x-unit: not checked (at {pointer}/x-unit)\n"
    assert run("schema", stdin=tools) == (0, "f\n n?:int\n", warning)
    report = (
        f"{pointer}/multipleOf: multipleOf: checked when the arguments have been read\n"
        f"{pointer}/x-unit: x-unit: not checked\n"
    )
    assert run("schema", "--report", stdin=tools) == (0, report, "")


@pytest.mark.parametrize(
    ("old", "new", "status"),
    [
        ("integer", "integer", 0),
        ("integer", "number", 8),
        ("number", "integer", 4),
        ("integer", "string", 12),
    ],
)
def test_schema_diff_says_who_is_lost(
    run: Run, tmp_path: Path, old: str, new: str, status: int
) -> None:
    """The status says whether old calls and old readers still work, and each line gives a
    reason.
    """
    files = []
    for name, kind in (("old", old), ("new", new)):
        files.append(str(tmp_path / f"{name}.json"))
        tools = [{"title": "f", "properties": {"x": {"type": kind}}}]
        Path(files[-1]).write_text(json.dumps(tools))
    exit_status, out, err = run("schema", "diff", *files)
    assert (exit_status, err) == (status, "")
    first, second = out.index("old calls with"), out.index("new calls with")
    assert ("  f /x: " in out[first:second]) == (status & 4 > 0)
    assert ("  f /x: " in out[second:]) == (status & 8 > 0)


def test_schema_diff_takes_two_files(run: Run) -> None:
    """`schema diff` needs exactly two files: the old tools and the new."""
    assert run("schema", "diff", "a")[0] == 2


def test_tools_may_stand_under_a_key(run: Run) -> None:
    """The result of an MCP `tools/list` is read unchanged."""
    tools = json.dumps({"tools": [{"name": "f", "inputSchema": {"type": "object"}}]})
    assert run("schema", stdin=tools) == (0, "f\n", "")


def test_grammar_prints_the_dialect(run: Run) -> None:
    """The grammar of the tools is printed in the requested dialect."""
    status, out, _ = run("grammar", stdin='{"name":"f"}')
    assert (status, out) == (0, 'root ::= "f" "(" ")"\n')
    _, out, _ = run("grammar", "--for", "lark", "--parallel", stdin='{"name":"f"}')
    assert out.startswith('start: call_1 ("\\n" call_1)*\n')
    _, out, _ = run("grammar", "--for", "vllm", stdin='{"name":"f"}')
    assert json.loads(out) == {"structured_outputs": {"grammar": 'root ::= "f" "(" ")"\n'}}


@pytest.mark.parametrize("command", ["encode", "decode", "schema", "grammar", "cost"])
def test_help_shows_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The help of each command ends with an example."""
    with pytest.raises(SystemExit) as caught:
        main([command, "--help"])
    assert caught.value.code == 0
    assert "example:\n  $ " in capsys.readouterr().out


def test_tokens_prints_a_table(count: Run, tmp_path: Path) -> None:
    """Files are rows and tokenizers columns, estimates are marked, and several files have a
    total.
    """
    (tmp_path / "a").write_text("hello world", "utf-8")
    (tmp_path / "b").write_text("x" * 4000, "utf-8")
    table = "   o200k   bytes\na      2      ~3\nb    500  ~1,000\ntotal    502  ~1,003\n"
    names = ["--tokenizer", "o200k", "--tokenizer", "bytes", "--tokenizer", "o200k"]
    status, out, err = count(*names, str(tmp_path / "a"), str(tmp_path / "b"))
    assert (status, err) == (0, "")
    assert [line.split() for line in out.replace(f"{tmp_path}/", "").splitlines()] == [
        line.split() for line in table.splitlines()
    ]
    assert len({len(line) for line in out.splitlines()}) == 1


def test_tokens_of_standard_input(count: Run) -> None:
    """Without files, standard input is counted, by default with o200k."""
    assert count(stdin="hello world") == (0, "   o200k\n-      2\n", "")


def test_tokens_of_an_unknown_tokenizer(count: Run) -> None:
    """The error for an unknown tokenizer is an error of usage, and lists the known ones."""
    status, out, err = count("--tokenizer", "gpt-9", stdin="")
    assert (status, out) == (2, "")
    assert "o200k" in err


def test_without_a_command_there_is_help(run: Run) -> None:
    """Without a command the help is printed, which is an error unless it was requested."""
    status, out, err = run()
    assert (status, out) == (2, "")
    assert "COMMAND" in err
    assert run("help") == (0, err, "")


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    for option in ("-V", "--version"):
        with pytest.raises(SystemExit) as exit_:
            main([option])
        assert exit_.value.code == 0
        assert capsys.readouterr().out == f"lton {__version__}\n"


def test_tools_have_one_spelling_and_a_variable(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """`-t` and the variable name the tools, in addition to the input."""
    assert run("decode", "-t", TOOLS, stdin=WIRE) == run("decode", "--tools", TOOLS, stdin=WIRE)
    monkeypatch.setenv("LTON_TOOLS", TOOLS)
    assert run("decode", stdin=WIRE) == (0, f"{JSON_CALL}\n", "")
    assert run("schema", stdin='{"name": "f"}') == (0, "f\n", "")
    other = tmp_path / "tools.json"
    other.write_text('{"name": "f"}')
    assert run("decode", "-t", str(other), stdin="f") == (0, '{"name":"f","arguments":{}}\n', "")
    monkeypatch.setenv("LTON_TOOLS", "")
    assert run("decode", stdin=WIRE)[0] == 1
    with pytest.raises(SystemExit):
        main(["generate", "--model", "m", "x"])


def test_usage_errors_are_status_2() -> None:
    """An invalid command line ends with status 2."""
    with pytest.raises(SystemExit) as caught:
        main(["encode", "--form", "yaml"])
    assert caught.value.code == 2


def test_lenient_decode_says_what_it_repaired(run: Run) -> None:
    """Calls in JSON and in tags are read, and each repair and error is printed."""
    text = f"<tool_call>\n{JSON_CALL}\n</tool_call>\n!call weather.v1 Paris\n"
    status, out, err = run("decode", "--lenient", "-t", TOOLS, stdin=text)
    assert (status, out) == (1, f"{JSON_CALL}\n")
    assert [line[-5:-1] for line in err.splitlines() if line.endswith("]")] == [
        *["L102", "L105", "L102"],
        "E205",
    ]
    assert run("decode", "--lenient", "-t", TOOLS, stdin=WIRE) == (0, f"{JSON_CALL}\n", "")


def test_lenient_decode_says_that_there_is_no_call(run: Run) -> None:
    """A text without calls gives a message, because no output would look like a failure."""
    assert run("decode", "--lenient", "-t", TOOLS, stdin="Sorry.") == (0, "", "lton: no call\n")
    status, _, err = run("decode", "--lenient", "-t", TOOLS, stdin="!call weather.v1 Oslo x C")
    assert status == 1
    assert "no call" not in err


def test_lenient_decode_names_what_is_uncertain(run: Run) -> None:
    """A call in a fence next to prose is printed as uncertain, with its line, and not as a call."""
    text = f"For example:\n```json\n{JSON_CALL}\n```\n"
    status, out, err = run("decode", "--lenient", "-t", TOOLS, stdin=text)
    assert (status, out) == (1, "")
    assert re.findall(r"not taken: .* \(line 3\) \[(L\d+)\]", err) == ["L122"]


def test_lenient_decode_says_that_it_stopped(run: Run) -> None:
    """A text with very many errors is not read to its end, and the command says so."""
    status, _, err = run("decode", "--lenient", "-t", TOOLS, stdin="!call nothing\n" * 101)
    assert status == 1
    assert err.endswith("lton: the text was not read completely\n")


def test_decode_and_encode_write_canonical_text(run: Run) -> None:
    """Decoded calls that are encoded again are canonical, in every form."""
    messy = "weather.v1(unit=C,city='San Leandro',  days=7)\n& Rome 3 C\n"
    _, calls, _ = run("decode", "-t", TOOLS, stdin=messy)
    assert run("encode", "-t", TOOLS, stdin=calls) == (0, f"{WIRE}\n& Rome 3 C\n", "")


BROKEN = f"weather.v1 Paris seven K note=1\nweathr x\n{WIRE}\nweather.v1 [\n& Rome 3 C\n& 1\n"


def test_decode_lists_every_error(run: Run) -> None:
    """All errors of a call, and of calls after a broken call, are shown with their place."""
    status, out, _ = run("decode", "--errors", "text", "-t", TOOLS, stdin=BROKEN)
    assert status == 1
    assert [line for line in out.splitlines() if line.startswith("-: ")] == [
        "-: expected an integer, found 'seven' (line 1, column 18, at /days) [E203]",
        "-: expected one of 'C', 'F', found 'K' (line 1, column 24, at /unit) [E204]",
        "-: no parameter 'note' (line 1, column 26) [E202]",
        "-: no tool 'weathr'; did you mean 'weather.v1'? (line 2, column 1) [E201]",
        "-: expected a string, found '[' (line 4, column 12, at /city) [E203]",
        "-: expected a string or a number or an array or an object or false or true or null,"
        " found a newline (line 4, column 13, at /city/0) [E101]",
        "-: expected an integer for 'days', found the end of the arguments (line 6, column 4)"
        " [E205]",
        "-: expected one of 'C', 'F' for 'unit', found the end of the arguments (line 6, column 4)"
        " [E205]",
    ]
    assert run("decode", "--errors", "text", "-t", TOOLS, stdin=WIRE) == (0, "", "")


def test_decode_lists_errors_as_data(run: Run) -> None:
    """`--errors json` prints one object for each error."""
    status, out, _ = run("decode", "-t", TOOLS, "--errors", "json", stdin="weathr")
    (row,) = json.loads(out)
    assert (status, row["file"], row["code"], row["pos"]) == (1, "-", "E201", 0)
    assert row["hint"] == "did you mean 'weather.v1'?"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        (f"{WIRE}\r\n", "; `lton decode --lenient` reads the line ends of Windows (line 1"),
        (f"\ufeff{WIRE}", "; this is a byte order mark, which LTON does not have (line 1"),
        ("write_file C:\\a hi", "; a string with a backslash needs quotes, and no escapes (line 1"),
        ("write_file C:/a) hi", "found ')' (line 1"),
    ],
    ids=["crlf", "bom", "backslash", "other"],
)
def test_characters_that_are_often_wrong_have_hints(run: Run, text: str, hint: str) -> None:
    assert hint in run("decode", "-t", TOOLS, stdin=text)[2]
    assert hint in run("decode", "--errors", "text", "-t", TOOLS, stdin=text)[1]


@pytest.mark.parametrize(
    ("options", "status", "out"),
    [([], 0, "   bytes\n-     ~7\n"), (["--tokenizer", "o200k"], 1, "")],
    ids=["default", "asked for"],
)
def test_tokens_are_estimated_where_no_library_is(
    options: list[str], status: int, out: str
) -> None:
    """Without the library, the default tokenizer is an estimate, and a named tokenizer is an
    error.
    """
    program = (
        "import sys; sys.modules['tiktoken'] = None; from lton.cli import run_program, tokens; "
    )
    ran = subprocess.run(
        [sys.executable, "-c", f"{program}sys.exit(run_program(tokens, {options!r}))"],
        input=WIRE,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (status, out)
    assert "[E601]" in ran.stderr
