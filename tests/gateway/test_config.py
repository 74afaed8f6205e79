"""Test `lton serve --config`, whose settings the command line and the variables override."""

import argparse
import re
import tomllib
from pathlib import Path

import pytest

from lton._terminal import UsageError
from lton.gateway import command, compressing
from lton.gateway.command import add_options, run
from lton.gateway.window import context_options
from lton.gateway.window.context_options import read_options

FILE = """
upstream = "http://127.0.0.1:9"
port = 7
workers = 4
calls = "lton"
tokenizer = "o200k"
least-confidence = 0.5
quiet = true
strict = "never"
allow-host = ["a.example", "b.example"]

[context]
window = 9000
compact_at = 0.5
store = "a.db"
"""


def parsed(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_options(parser)
    return parser.parse_args(words)


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "serve.toml"
    path.write_text(FILE, "utf-8")
    return str(path)


def test_a_file_has_the_settings_of_the_options(file: str) -> None:
    """A setting has the effect of its option, and other settings keep their defaults."""
    words = "--upstream http://127.0.0.1:9 --port 7 --set workers=4 --calls lton --tokenizer o200k"
    words += " --set least-confidence=0.5 --quiet --set strict=never"
    words += " --set allow-host=a.example,b.example"
    expected = vars(parsed(*words.split())) | {"config": file, "set": ()}
    expected["context"] = {"window": "9000", "compact_at": "0.5", "store": "a.db"}
    assert vars(parsed("--config", file)) == expected


def test_the_file_of_the_guide_is_read(tmp_path: Path) -> None:
    """The file in docs/guides/operations.md is read, and its sections are the options of the same
    name.
    """
    guide = Path(__file__).parents[2] / "docs" / "guides" / "operations.md"
    path = tmp_path / "serve.toml"
    path.write_text(guide.read_text("utf-8").split("```toml\n")[1].split("```")[0], "utf-8")
    options = parsed("--config", str(path))
    assert (options.port, options.allow_host) == (8000, "gateway.example")
    assert options.context == {"window": "32768", "store": "lton.db"}


WINDOW = {"window": 9000, "reserve": 700, "hot": 3, "pointer": "line", "clear": "never"}
WINDOW |= {"prices": "openai", "file_over": 80, "preview": 60, "compact_at": 0.5, "rounds": 4}


def test_a_section_has_all_settings_of_its_option(tmp_path: Path) -> None:
    """The store may even have commas."""
    for name, kinds, section in (
        ("context", context_options._OPTIONS, {**WINDOW, "store": "postgresql://a,b/db"}),
        ("compress", compressing._OPTIONS, {"over": 900, "preview": 99, "store": "a,b.db"}),
    ):
        assert list(section) == list(kinds)
        path = tmp_path / f"{name}.toml"
        lines = (f"{key} = {value!r}\n" for key, value in section.items())
        path.write_text(f"[{name}]\n{''.join(lines)}", "utf-8")
        value = getattr(parsed("--config", str(path)), name)
        settings = {key: value for key, value in section.items() if key != "store"}
        text = ",".join(f"{key}={value}" for key, value in settings.items())
        by_option = read_options(name, text, kinds)
        assert read_options(name, value, kinds) == {**by_option, "store": section["store"]}


def test_a_rare_setting_is_set_by_name(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--set` overrides a file in any order, and a variable; without it the default holds."""
    assert (parsed().grace, parsed().repeat_tool_calls) == (25, False)
    options = parsed("--set", "strict=auto", "--config", file, "--set", "repeat-tool-calls=true")
    assert (options.strict, options.repeat_tool_calls) == ("auto", True)
    assert parsed("--config", file).strict == "never"
    monkeypatch.setenv("LTON_SERVE_GRACE", "3")
    assert parsed().grace == 3
    assert parsed("--set", "grace=4").grace == 4


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("port=1", "--set: expected one of"),
        ("grace=x", "grace: invalid int value: 'x'"),
        ("strict=no", "strict: invalid choice: 'no'"),
        ("repeat-tool-calls=yes", "repeat-tool-calls: ignored explicit argument 'yes'"),
    ],
)
def test_a_wrong_rare_setting_is_named(setting: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parsed("--set", setting)
    assert message in str(caught.value)


def test_an_unknown_rare_setting_names_all_of_them() -> None:
    with pytest.raises(UsageError) as caught:
        parsed("--set", "port=1")
    names = re.findall(r"[\w-]+", str(caught.value))
    table = tomllib.loads(Path(command.__file__).with_name("options.toml").read_text("utf-8"))
    settings = table["settings"] | table["switches"]
    rare = [name for name, setting in settings.items() if setting.get("is_rare")]
    assert len(rare) > 5
    assert {*rare} <= {*names}
    assert "upstream" not in names


def test_the_command_line_and_variables_come_first(
    file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command line overrides variables, and both override the file, even with a default
    value.
    """
    words = ["--set", "workers=1", "--config", file, "--port", "8000"]
    options = parsed(*words)
    assert (options.workers, options.port, options.calls) == (1, 8000, "lton")
    monkeypatch.setenv("LTON_SERVE_CALLS", "auto")
    assert parsed(*words).calls == "auto"


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        ("CALLS", "nativ", "LTON_SERVE_CALLS: expected one of native, guided, lton, auto, found"),
        ("RESULTS", "", "expected one of tidy, short, small, lton, as-is, found ''"),
        ("CAL", "native", "unknown variable LTON_SERVE_CAL: expected one of LTON_SERVE_UPSTREAM"),
        ("DRY_RUN", "1", "LTON_SERVE_DRY_RUN: expected one of LTON_SERVE_UPSTREAM"),
    ],
)
def test_a_wrong_variable_is_named_with_the_choices(
    variable: str, value: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An unknown value or variable is named in the error, with the possible choices."""
    monkeypatch.setenv(f"LTON_SERVE_{variable}", value)
    with pytest.raises(UsageError) as caught:
        parsed("--port", "8000")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("port = 'x'", "port: invalid int value: 'x'"),
        ("calls = 'none'", "calls: invalid choice: 'none'"),
        ("prot = 8000", "unrecognized setting: prot=8000"),
        ("config = 'other.toml'", "config: unexpected value 'other.toml'"),
        ("quiet = 'yes'", "quiet: ignored explicit argument 'yes'"),
        ("[port]\na = 1", "port: unexpected value {'a': 1}"),
        ("allow-host = [1]", "allow-host: unexpected value [1]"),
        ("context = 'window=9'", "[context]: expected settings with strings or numbers, found 'w"),
        ("[context]", "[context]: expected settings with strings or numbers, found {}"),
        ("[compress]\nstore = ['a']", "[compress]: expected settings with strings or numbers"),
        ("port = ", "Invalid value (at end of document)"),
        ("port = 1\nport 2\n", "(at line 2, column 6)"),
    ],
)
def test_a_wrong_file_is_named_with_the_setting(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "serve.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(UsageError) as caught:
        parsed("--config", str(path))
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[context]\nhut = 2", "context: no option 'hut'"),
        ("[compress]\nover = 500\npreview = 450", "compress: expected a preview that is smaller"),
    ],
)
def test_a_wrong_option_of_a_section_is_named_with_the_file(
    text: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "serve.toml"
    path.write_text(f"upstream = 'http://127.0.0.1:9'\ncalls = 'lton'\n{text}", "utf-8")
    with pytest.raises(UsageError) as caught:
        run(parsed("--config", str(path)))
    assert str(caught.value).startswith(f"{path}: {message}")


def test_a_file_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        parsed("--config", str(tmp_path / "no.toml"))
