"""Test common features of a command line: `-o`, completion, progress, and hints for mistakes."""

import json
import os
import pty
import re
import shutil
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest

from lton._require import write_benchmarks_command
from lton.cli import main
from lton.cli.parser import _RARE
from lton_bench.demo import DEFINITIONS
from tests import options

LTON = [sys.executable, "-m", "lton"]
CALL = '{"name":"weather.v1","arguments":{"city":"Rome","days":1,"unit":"C"}}'
ROOT = Path(__file__).parent.parent
COMPLETE = """
lton() { "$PYTHON" -m lton "$@"; }
eval "$(lton --completion bash)"
COMP_WORDS=($LINE); [[ $LINE = *" " ]] && COMP_WORDS+=(""); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_lton
printf '%s\\n' "${COMPREPLY[@]}"
"""


def run(*arguments: str, stdin: str = "", **variables: str) -> tuple[int, str, str]:
    process = subprocess.run(
        [*LTON, *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **variables},
    )
    return process.returncode, process.stdout, process.stderr


def on_a_terminal(*arguments: str, stdin: str = "", status: int = 0, **variables: str) -> str:
    """Return the output of a command if standard error is a terminal."""
    above, below = pty.openpty()
    process = subprocess.run(
        [*LTON, *arguments],
        input=stdin,
        stdout=subprocess.PIPE,
        stderr=below,
        text=True,
        check=False,
        env={**os.environ, "TERM": "xterm", "NO_COLOR": "", **variables},
    )
    assert process.returncode == status
    os.close(below)
    with os.fdopen(above, "rb") as terminal:
        output = b""
        try:
            while piece := terminal.read1(1000):
                output += piece
        except OSError:  # the other end is closed: that is how Linux ends it
            pass
    assert process.stdout or status
    return output.decode()


def test_output_goes_to_a_file_if_all_goes_well(tmp_path: Path) -> None:
    """With `-o` the file is written at the end, so it may be the input, and an error keeps it
    unchanged.
    """
    out = tmp_path / "calls.lton"
    tools = ("-t", str(DEFINITIONS))
    assert run("encode", *tools, "-o", str(out), stdin=CALL) == (0, "", "")
    assert out.read_text() == "weather.v1 Rome 1 C\n"
    assert run("decode", *tools, "-o", str(out), str(out)) == (0, "", "")
    assert out.read_text() == f"{CALL}\n"
    status, _, err = run("decode", *tools, "--output", str(out), stdin="weather.v1 Rome x C")
    assert (status, "E203" in err) == (1, True)
    assert out.read_text() == f"{CALL}\n"
    assert run("encode", *tools, "-o", "-", stdin=CALL)[1] == "weather.v1 Rome 1 C\n"
    status, _, err = run("encode", *tools, "-o", str(tmp_path / "no" / "x"), stdin=CALL)
    assert (status, err) == (1, f"lton: {tmp_path / 'no' / 'x'}: No such file or directory\n")


@pytest.mark.parametrize("command", ["encode", "decode", "schema", "grammar"])
def test_each_command_that_prints_a_text_takes_an_output(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["help", "all", command])
    # Before Python 3.13 the name of the value is after both.
    assert re.search(r"^  -o( FILE)?, --output FILE\s", capsys.readouterr().out, re.MULTILINE)


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["encode", "--punctuated"], "; did you mean --form punctuated?"),
        (["cost", "--tokeniser=x"], "; did you mean --tokenizer?"),
        (["decode", "--lenint"], "; did you mean --lenient?"),
        (["decode", "--entirely-else"], ""),
    ],
)
def test_an_unknown_option_has_a_hint_and_the_usage_of_its_command(
    arguments: list[str], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    usage, *_, error = capsys.readouterr().err.splitlines()
    assert usage.startswith(f"usage: lton {arguments[0]} ")
    assert error == f"lton {arguments[0]}: error: unrecognized arguments: {arguments[1]}{hint}"


@pytest.mark.parametrize(
    ("command", "hint"),
    [("decod", "; did you mean decode?"), ("mcp", "; lton help all lists all commands")],
)
def test_an_unknown_command_has_a_hint(command: str, hint: str) -> None:
    status, _, err = run(command)
    assert (status, err.splitlines()[-1]) == (
        2,
        f"lton: error: there is no command {command!r}{hint}",
    )


def test_help_lists_each_command_once_in_a_group() -> None:
    """The first help lists the everyday commands, and `help all` also the others."""
    first, every = (run("help", *words)[1] for words in ((), ("all",)))
    listed, all_listed = (
        re.findall(r"^    ([a-z-]+) {2,}\S", help_text, re.MULTILINE)
        for help_text in (first, every)
    )
    assert " ".join(listed) == (
        "cost probe wrap serve mcp-proxy hook encode decode schema grammar generate"
    )
    assert all_listed[: len(listed)] == listed
    others = {"context"}
    assert sorted(all_listed[len(listed) :]) == sorted(others)
    assert "lton help all also lists context" in first
    assert max(map(len, every.splitlines())) <= 80
    assert run("help", "decode") == run("decode", "--help")
    assert run("help", "nothing")[0] == 2


def test_the_help_leaves_out_what_few_need() -> None:
    """Rare options are shown only by `help all`, and the number of options is limited."""
    listed, every = (options.options(lists_all=lists_all) for lists_all in (False, True))
    for name, rare in _RARE.items():
        assert {*rare.split()} <= {*every[name]}
        assert {*every[name]} - {*listed[name]} - {"output", "is_quiet"} == {*rare.split()}
    assert sum(map(len, listed.values())) + options.COMMON <= 70
    assert sum(map(len, every.values())) <= 89
    assert "lton help all mcp-proxy shows all options." in run("mcp-proxy", "--help")[1]
    assert "--timeout" not in run("mcp-proxy", "--help")[1]
    assert "--timeout" in run("help", "all", "mcp-proxy")[1]
    assert run("help", "all", "context", "read")[1].startswith("usage: lton context read [-h] ")


def test_errors_have_colours_on_a_terminal_that_wants_them() -> None:
    """Errors have colours on a terminal, but not in a pipe or with NO_COLOR, and texts cannot add
    colours.
    """
    wrong = ("decode", "-t", str(DEFINITIONS))
    stdin = "weather.v1 Rome \x1b[31m C"
    text = on_a_terminal(*wrong, stdin=stdin, status=1)
    assert "\x1b[1mlton:\x1b[0m " in text
    assert "\x1b[1;31m^\x1b[0m" in text
    assert "\x1b[31m" not in text
    for plain in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert "\x1b" not in on_a_terminal(*wrong, stdin=stdin, status=1, **plain)
    assert "\x1b[1m" not in run(*wrong, stdin=stdin)[2]


def test_who_wants_no_notes_still_gets_errors() -> None:
    tools = ("-t", str(DEFINITIONS))
    loose = "I call: weather.v1 Rome 1 C"
    assert run("decode", "--lenient", *tools, stdin=loose)[2]
    assert run("decode", "--lenient", "-q", *tools, stdin=loose)[2] == ""
    assert "E203" in run("decode", "--quiet", *tools, stdin="weather.v1 Rome x C")[2]


def test_decode_goes_on_after_a_wrong_line_if_it_is_asked_to() -> None:
    """With the option, decoding continues after a wrong line, except for text that may belong to
    it.
    """
    decode = ("decode", "-k", "-t", str(DEFINITIONS))
    lines = ["weather.v1 Rome x C", "weather.v1 Oslo 1 C", "& Lima 99 C", "& Lima 2 C"]
    status, out, err = run(*decode, stdin="\n".join(lines))
    assert status == 1
    assert out == CALL.replace("Rome", "Oslo") + "\n"
    assert [re.findall(r"line (\d+)", line)[0] for line in err.splitlines() if "line" in line] == [
        "1",
        "3",
        "4",
    ]
    assert run(*decode, stdin=lines[1]) == (0, out, "")
    status, out, err = run(*decode, stdin='write_file a "b" c\nweather.v1 Oslo 1 C\n')
    assert (status, out != "") == (1, True)
    fenced = "write_file a ```\nweather.v1 Oslo 1 C\n``\nweather.v1 Rome 1 C\n"
    status, out, err = run(*decode, stdin=fenced)
    assert (status, out) == (1, "")
    assert err.count("[E") == 1


def test_what_is_missing_is_said_in_words() -> None:
    """Missing input is named in words, an empty name is shown in quotes, and text is not a file."""
    tools = ("-t", str(DEFINITIONS))
    assert run("encode", *tools)[2] == "lton: -: expected JSON, found nothing [E101]\n"
    assert run("decode", "-t", "")[2] == "lton: '': No such file or directory\n"
    assert run("cost", "hello world")[2] == "lton: hello world: No such file or directory\n"


def test_the_sign_for_the_same_tool_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    """`encode --help` explains `&`, and its example is the real output."""
    calls = CALL + "\n" + CALL.replace("Rome", "Oslo")
    calls_text = run("encode", "-t", str(DEFINITIONS), stdin=calls)[1]
    with pytest.raises(SystemExit):
        main(["encode", "--help"])
    help_text = capsys.readouterr().out
    assert "begins with & calls the tool of the previous line again:" in help_text
    assert "".join(f"  {line}\n" for line in calls_text.splitlines()) in help_text


@pytest.mark.parametrize(
    ("line", "completions"),
    [
        ("lton enc", {"encode"}),
        ("lton encode --form = w", {"wire"}),  # bash cuts a word there
        ("lton encode --form ", {"wire", "keyed", "punctuated", "tagged"}),
        ("lton cost --tokenizer cl", {"cl100k", "claude2"}),
        ("lton serve --upst", {"--upstream"}),
        ("lton context ingest --qu", {"--query", "--quiet"}),
        ("lton wrap -- lton", {""}),
    ],
)
def test_bash_completes(line: str, completions: set[str]) -> None:
    """A real bash completes commands and options, also those of commands in modules of their
    own.
    """
    variables = {"LINE": line, "PYTHON": sys.executable}
    process = subprocess.run(
        ["bash", "-c", COMPLETE],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **variables},
    )
    assert set(process.stdout.splitlines()) == completions


def test_fish_completes() -> None:
    if shutil.which("fish") is None:
        pytest.skip("needs fish")
    script = (
        f"function lton; {sys.executable} -m lton $argv; end; lton --completion fish | source;"
        ' complete -C "lton encode --form k"'
    )
    process = subprocess.run(["fish", "-c", script], capture_output=True, text=True, check=True)
    assert process.stdout.startswith("keyed")


@pytest.mark.parametrize("shell", ["bash", "fish", "zsh"])
def test_a_script_for_each_shell(shell: str) -> None:
    status, script, err = run("--completion", shell)
    assert (status, err) == (0, "")
    assert "lton" in script
    if program := shutil.which(shell):
        subprocess.run([program, "-n"], input=script, text=True, check=True)


def test_nothing_runs_while_a_shell_completes() -> None:
    """Completion runs no command and needs no extra."""
    asks = {"_LTON_COMPLETE": "1"}
    assert run("encode", "--form=w", **asks) == (0, "--form=wire\n", "")
    assert run("decode", "-t", "no.json", **asks) == (0, "", "")
    assert run(**asks)[1].startswith("cost\n")


_USAGE: tuple[tuple[str, ...], ...] = (
    ("cost", "--tokenizer", "nope", "{ok}"),
    ("cost", "--days", "-3"),
    ("grammar", "--for", "ollama", "{tools}"),
    ("mcp-proxy",),
    ("mcp-proxy", "http://host:99999"),
    ("mcp-proxy", "http://"),
    ("serve",),
    ("serve", "--upstream", "notaurl"),
    ("serve", "--upstream", "http://host:99999"),
    ("wrap", "--upstream", "ftp://host", "claude"),
    ("probe", "localhost:8080"),
    ("schema", "diff", "{ok}"),
    ("context", "ingest", "--budget", "-1", "{ok}"),
)
_WRONG: tuple[tuple[str, ...], ...] = (
    ("decode", "-t", "{bad}"),
    ("encode", "-t", "{none}"),
    ("grammar", "{none}"),
    ("schema", "{ok}"),
    ("grammar", "{ok}"),
    ("cost", "{bad}"),
    ("cost", "{ok}"),
    ("cost", "{none}"),
    ("context", "ingest", "--budget", "9", "--core", "{none}"),
    ("mcp-proxy", "--config", "{bad}"),
    ("mcp-proxy", "--config", "{none}"),
)


@pytest.mark.parametrize("status", [2, 1])
def test_each_kind_of_mistake_has_one_status(
    status: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Status 2 is for options, and 1 for wrong or missing files; both give a message."""
    monkeypatch.chdir(tmp_path)
    files = {name: tmp_path / name for name in ("ok", "bad", "none")}
    files["tools"] = DEFINITIONS
    files["ok"].write_text("[]")
    files["bad"].write_text("{")
    for words in _USAGE if status == 2 else _WRONG:
        assert main([word.format_map(files) for word in words]) == status, words
        assert capsys.readouterr().err, words


def test_progress_is_for_terminals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A progress line is shown on a terminal and removed at the end, and a pipe has none."""
    monkeypatch.chdir(tmp_path)
    log = tmp_path / "log.jsonl"
    log.write_text(f"{CALL}\nno JSON\n" * 40)
    image = ("context", "ingest", "--budget", "9", "--tokenizer", "bytes")
    for arguments, bar in (
        (("cost", "--tokenizer", "bytes", str(log)), f"{log}: line 1"[:78]),
        ((*image, "--refs", str(log)), "reading documents"),
    ):
        text = on_a_terminal(*arguments, NO_COLOR="1")
        assert bar in text
        assert text.rpartition("\r\x1b[K")[2] == "" or "lton: " in text.rpartition("\r\x1b[K")[2]
        assert "\x1b" not in run(*arguments)[2]
        assert bar not in on_a_terminal(*arguments, "-q", NO_COLOR="1")


def test_the_hint_for_the_benchmarks_is_their_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """In a checkout, the hint for the benchmarks is their folder."""
    noted: dict[str, Any] = {"url": f"file://{ROOT}", "dir_info": {}}
    kind = type(distribution("lton"))
    monkeypatch.setattr(kind, "read_text", lambda *_: json.dumps(noted))
    assert write_benchmarks_command() == f"pip install '{ROOT}/benchmarks'"
    noted = {"url": f"file://{tmp_path}/lton.whl", "archive_info": {}}
    assert write_benchmarks_command() == "pip install ./benchmarks in the sources of LTON"
    noted = {"url": "https://h/l.git", "vcs_info": {"vcs": "git", "commit_id": "1a"}}
    where = "git+https://h/l.git@1a#subdirectory=benchmarks"
    assert write_benchmarks_command() == f"pip install 'lton-bench @ {where}'"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["cost", "--prices", "x", "-"], "or WRITTEN,READ, found 'x'"),
        (["cost", "--prices", "1,x", "-"], "expected numbers of at least 0, found '1,x'"),
        (["cost", "--price", "-1", "-"], "expected numbers of at least 0, found '-1'"),
        (["cost", "--price=nan", "-"], "expected numbers of at least 0, found 'nan'"),
    ],
)
def test_wrong_numbers_are_named(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A wrong number is reported with the expected value, and without the name of a function."""
    with pytest.raises(SystemExit) as ended:
        main(words)
    error = capsys.readouterr().err
    assert ended.value.code == 2
    assert message in error
    assert "invalid _" not in error


def test_a_tokenizer_has_one_name(capsys: pytest.CaptureFixture[str]) -> None:
    """Every command that counts has the option `--tokenizer`."""
    for command in ("serve", "wrap", "context ingest", "context build", "cost"):
        with pytest.raises(SystemExit):
            main(["help", "all", *command.split()])
        assert "--tokenizer NAME" in capsys.readouterr().out
