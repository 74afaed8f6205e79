"""Test changing clients' configurations, and undoing the change."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lton._terminal import UsageError
from lton.cli import main
from lton.errors import Code, LTONError
from lton.mcp_proxy.install import CLIENTS, Client, install_proxy
from lton.mcp_proxy.jsonc import read_jsonc, replace_values
from lton.mcp_proxy.several import name_prefix, read_configuration

GIT = {"command": "mcp-server-git", "args": ["-r", "."], "env": {"TOKEN": "x"}, "type": "stdio"}
REMOTE = {"type": "http", "url": "https://example.com/mcp"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "mcp.json"
    document = {"other": 1, "mcpServers": {"git": GIT, "remote": REMOTE, "bare": {"command": "b"}}}
    file.write_text(json.dumps(document, indent=2) + "\n", "utf-8")
    return file


def change(file: Path, *options: str, undo: bool = False, yes: bool = True) -> dict[str, Any]:
    questions: list[str] = []

    def agreed(text: str) -> bool:
        questions.append(text)
        return yes

    status = install_proxy(Client((str(file),)), options, undo=undo, agreed=agreed)
    assert status == (0 if yes else 1)
    document = json.loads(file.read_text("utf-8"))
    assert document["other"] == 1
    servers: dict[str, Any] = document["mcpServers"]
    return servers


def test_the_proxy_stands_before_each_command(file: Path) -> None:
    """The proxy is put before each command once, variables and other entries stay, and it can be
    undone.
    """
    text = file.read_text("utf-8")
    servers = change(file, "--mode", "tools")
    program = shutil.which("lton")
    command = [program] if program else [sys.executable, "-P", "-m", "lton"]
    begin = [*command[1:], "mcp-proxy", "--mode", "tools"]
    server = ["--env", "TOKEN", "--", "mcp-server-git", "-r", "."]
    assert servers["git"] == {**GIT, "command": command[0], "args": begin + server}
    assert servers["bare"] == {"command": command[0], "args": [*begin, "--", "b"]}
    assert servers["remote"] == REMOTE
    assert file.with_name("mcp.json.before-lton").read_text("utf-8") == text
    assert change(file) == servers
    back = change(file, undo=True)
    assert back == {"git": GIT, "remote": REMOTE, "bare": {"command": "b"}}
    assert file.read_text("utf-8") == text
    assert change(file, undo=True) == back
    assert [one.name for one in file.parent.iterdir()].count("mcp.json") == 1


def test_a_copy_follows_no_link_and_is_never_overwritten(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A copy never follows a link and is never overwritten, because a project's folder may contain
    links.
    """
    victim = file.with_name("victim")
    victim.write_text("mine")
    file.with_name("mcp.json.before-lton").symlink_to(victim)
    file.chmod(0o600)
    first = file.read_text("utf-8")
    change(file)
    assert "the old file: mcp.json.before-lton-2;" in capsys.readouterr().err
    second = file.with_name("mcp.json.before-lton-2")
    assert (second.read_text("utf-8"), second.stat().st_mode & 0o777) == (first, 0o600)
    _edit(file, mcpServers={"git": GIT})
    change(file)
    assert second.read_text("utf-8") == first
    copies = sorted(one.name for one in file.parent.glob("*.before-lton*"))
    assert copies == [f"mcp.json.before-lton{end}" for end in ("", "-2", "-3")]
    change(file, undo=True)
    assert [one.name for one in file.parent.glob("*.before-lton*")] == ["mcp.json.before-lton"]
    assert victim.read_text() == "mine"
    assert file.stat().st_mode & 0o777 == 0o600


def _edit(file: Path, **more: Any) -> None:
    """Change a file as another program would."""
    document = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps({**document, **more}, indent=2) + "\n", "utf-8")


def _install(file: Path, agreed: Callable[[str], bool]) -> int:
    return install_proxy(Client((str(file),)), [], undo=False, agreed=agreed)


def test_what_another_program_writes_before_the_answer_is_kept(file: Path) -> None:
    """The change is made to the file as it is after the answer."""

    def agreed(_: str) -> bool:
        _edit(file, history=["a session"])
        return True

    assert _install(file, agreed) == 0
    document = json.loads(file.read_text("utf-8"))
    assert document["history"] == ["a session"]
    assert "mcp-proxy" in document["mcpServers"]["git"]["args"]
    copy = json.loads(file.with_name("mcp.json.before-lton").read_text("utf-8"))
    assert copy["history"] == ["a session"]


@pytest.mark.parametrize("text", [None, '{"mcpServers": {}}', "not JSON"])
def test_a_change_that_the_user_has_not_seen_is_not_made(file: Path, text: str | None) -> None:
    """If another program changes the servers meanwhile, nothing is written."""

    def agreed(_: str) -> bool:
        if text is None:
            _edit(file, mcpServers={"git": GIT, "new": {"command": "c"}})
        else:
            file.write_text(text, "utf-8")
        changed.append(file.read_text("utf-8"))
        return True

    changed: list[str] = []
    with pytest.raises(LTONError):
        _install(file, agreed)
    assert [file.read_text("utf-8")] == changed
    assert len(list(file.parent.iterdir())) == 1


def test_a_link_is_named_and_must_stay(file: Path, tmp_path: Path) -> None:
    """The question names the target of a link, and only this target is changed."""
    link, other = tmp_path / "link.json", tmp_path / "other.json"
    link.symlink_to(file)
    other.write_text(file.read_text("utf-8"), "utf-8")
    questions: list[str] = []

    def turned(text: str) -> bool:
        questions.append(text)
        link.unlink()
        link.symlink_to(other)
        return True

    with pytest.raises(LTONError, match="nothing was written"):
        _install(link, turned)
    assert f"{link} (a link to {file})" in questions[0]
    assert "mcp-proxy" not in other.read_text("utf-8") + file.read_text("utf-8")
    assert _install(link, lambda text: f"a link to {other}" in text) == 0
    assert link.is_symlink()
    assert "mcp-proxy" in other.read_text("utf-8")
    assert "mcp-proxy" not in file.read_text("utf-8")


def test_copies_have_an_end(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If there are too many copies, nothing is changed."""
    monkeypatch.setattr("lton.mcp_proxy.install._COPIES", 1)
    change(file)
    _edit(file, mcpServers={"git": GIT})
    before = file.read_text("utf-8")
    with pytest.raises(LTONError, match="nothing was changed"):
        change(file)
    assert file.read_text("utf-8") == before


def test_nothing_is_changed_without_a_yes(file: Path) -> None:
    """Without a confirmation, the file is unchanged and no copy is written."""
    before = file.read_text("utf-8")
    change(file, yes=False)
    assert file.read_text("utf-8") == before
    assert len(list(file.parent.iterdir())) == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("odd.json", b"{} / mine"),
        ("odd.json", b""),
        ("odd.json", b"\xff"),
        ("odd.json", b"[]"),
        ("odd.json", b'{"mcpServers": [1]}'),
        ("odd.json", b'{"mcpServers": {"a": {"command": "b"}, "a": {"command": "c"}}}'),
        ("odd.toml", b"= 1"),
        ("odd.toml", b"mcpServers = 3"),
    ],
)
def test_files_that_cannot_be_changed(tmp_path: Path, name: str, text: bytes) -> None:
    """Files that are invalid, have no servers or a repeated name are refused."""
    if name.endswith("toml"):
        pytest.importorskip("tomlkit")
    odd = tmp_path / name
    odd.write_bytes(text)
    with pytest.raises(LTONError, match=name) as caught:
        install_proxy(Client((str(odd),)), [], undo=False, agreed=lambda change: True)
    assert caught.value.code == Code.SYNTAX
    assert [one.name for one in tmp_path.iterdir()] == [name]
    with pytest.raises(UsageError, match="none"):
        install_proxy(Client((str(tmp_path / "none"),)), [], undo=False, agreed=lambda change: True)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (3, "which has no command"),
        ({"command": "b", "args": "c"}, "whose args are not a list of strings"),
        ({"command": "b", "args": [8080]}, "whose args are not a list of strings"),
        ({"command": "b", "env": ["A"]}, "whose env is not an object"),
        ({"command": "b", "envFile": ".env"}, "whose variables are in a file (envFile)"),
        ({"command": "lton", "args": ["mcp-proxy", "--", "b"]}, "which has the proxy already"),
    ],
)
def test_servers_that_stay_as_they_are(
    file: Path, capsys: pytest.CaptureFixture[str], entry: Any, message: str
) -> None:
    """The reason for each unchanged server is shown, and the others are changed."""
    servers = {"odd": entry, "b": {"command": "b", "args": None}}
    file.write_text(json.dumps({"other": 1, "mcpServers": servers}), "utf-8")
    changed = change(file)
    assert changed["odd"] == entry
    assert changed["b"]["args"][-2:] == ["--", "b"]
    assert f"unchanged: odd, {message}" in capsys.readouterr().err


def test_another_program_of_the_name(file: Path) -> None:
    """Another package's program `mcp-proxy` is an ordinary server, and is never removed."""
    servers = {"a": {"command": "uvx", "args": ["mcp-proxy", "--", "uvx", "mcp-server-time"]}}
    file.write_text(json.dumps({"other": 1, "mcpServers": servers}), "utf-8")
    assert change(file, undo=True) == servers
    assert change(file)["a"]["args"][-6:] == [
        "--",
        "uvx",
        "mcp-proxy",
        "--",
        "uvx",
        "mcp-server-time",
    ]
    assert change(file, undo=True) == servers


def test_what_else_is_in_a_file_stays(file: Path) -> None:
    """Indentation, line ends, lone surrogates and links to the file are kept."""
    text = '{\n\t"other": 1,\n\t"asked": "\\ud83d",\n\t"mcpServers": {}\n}'
    file.write_text(text, "utf-8")
    change(file)
    assert file.read_text("utf-8") == text
    with_server = text.replace(
        "{}", '{\n\t\t"a": {\n\t\t\t"command": "b",\n\t\t\t"args": []\n\t\t}\n\t}'
    )
    file.write_text(with_server, "utf-8")
    link = file.with_name("link.json")
    link.symlink_to(file)
    change(link)
    assert link.is_symlink()
    assert file.read_text("utf-8") != with_server
    change(link, undo=True)
    assert file.read_text("utf-8") == with_server


COMMENTED = b"""{
  // Servers of this project.\r
  "other": 1,
  "mcpServers": { /* one */
    "git": { "command": "mcp-server-git", "args": [
      "-r", "."  // here
    ], },
    "bare": {"command": "b"},
  },
}"""


def test_comments_stay_and_undo_gives_the_file_back(file: Path) -> None:
    """Comments, line ends and trailing commas stay, and undoing restores every byte."""
    file.write_bytes(COMMENTED)
    install_proxy(Client((str(file),)), [], undo=False, agreed=lambda _: True)
    text = file.read_bytes()
    assert text.count(b"mcp-proxy") == 2
    for part in (b"// Servers of this project.\r\n", b"/* one */", b'"other": 1,\n'):
        assert part in text
    install_proxy(Client((str(file),)), [], undo=True, agreed=lambda _: True)
    assert file.read_bytes() == COMMENTED
    assert [one.name for one in file.parent.iterdir()] == [file.name]


def test_half_characters_stay_escapes(file: Path) -> None:
    """A lone surrogate, which a file cannot contain, is written as its escape."""
    file.write_text(r'{"other": 1, "mcpServers": {"a": {"command": "\ud83d"}}}', "utf-8")
    assert change(file)["a"]["args"][-1] == "\ud83d"
    assert r"\ud83d" in file.read_text("utf-8")


def test_undo_keeps_what_another_program_wrote(file: Path) -> None:
    """If another program has changed the file, only the proxy is removed."""
    change(file)
    text = file.read_text("utf-8").replace('"other": 1', '"other": 1, "new": 2')
    file.write_text(text, "utf-8")
    assert change(file, undo=True)["git"] == GIT
    assert json.loads(file.read_text("utf-8"))["new"] == 2
    assert [one.name for one in file.parent.iterdir()] == [file.name]


def test_undo_gives_a_toml_file_back(tmp_path: Path) -> None:
    """A file of Codex keeps its comments, and undoing restores every byte."""
    pytest.importorskip("tomlkit")
    file = tmp_path / "config.toml"
    text = '# mine\n[mcp_servers.git]\ncommand = "g"   # git\nargs = [\n  "-r",\n]\n'
    file.write_text(text, "utf-8")
    client = Client((str(file),), "mcp_servers")
    install_proxy(client, [], undo=False, agreed=lambda _: True)
    assert "mcp-proxy" in file.read_text("utf-8")
    assert "# mine" in file.read_text("utf-8")
    install_proxy(client, [], undo=True, agreed=lambda _: True)
    assert file.read_text("utf-8") == text
    assert [one.name for one in tmp_path.iterdir()] == ["config.toml"]


def test_variables_that_a_client_hands_on(file: Path) -> None:
    """Variables that Codex passes to a server by name are also passed on by the proxy."""
    servers = {"a": {"command": "b", "env_vars": ["TOKEN", {"name": "x"}]}}
    file.write_text(json.dumps({"other": 1, "mcpServers": servers}), "utf-8")
    assert change(file)["a"]["args"][-4:] == ["--env", "TOKEN", "--", "b"]


def test_the_command(file: Path, tmp_path: Path) -> None:
    """The command shows the change and asks; `--yes` skips the question."""
    (tmp_path / ".cursor").mkdir()
    here = shutil.copy(file, tmp_path / ".cursor" / "mcp.json")
    command = [sys.executable, "-m", "lton", "mcp-proxy", "install", "cursor"]
    options: Any = {"cwd": tmp_path, "capture_output": True, "text": True}
    no: Any = subprocess.run(command, check=False, input="n\n", **options)
    assert no.returncode == 1
    assert '-      "command": "mcp-server-git",' in no.stdout
    assert Path(here).read_text("utf-8") == file.read_text("utf-8")
    proxy_options = ["--show", "names", "--timeout", "5.0", "--env", "MORE"]
    yes: Any = subprocess.run([*command, "--yes", *proxy_options], check=False, **options)
    assert yes.returncode == 0
    args = json.loads(Path(here).read_text("utf-8"))["mcpServers"]["git"]["args"]
    assert args[args.index("--show") :][:8] == [*proxy_options, "--env", "TOKEN"]
    assert set(CLIENTS) == {"claude", "claude-desktop", "codex", "cursor", "vscode"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["install"], "expected install CLIENT, with one of claude, claude-desktop, codex"),
        (["install", "--undo"], "expected install CLIENT"),
        (["install", "emacs"], "expected install CLIENT"),
        (["install", "cursor", "vscode"], "expected install CLIENT"),
        (["--yes", "--", "true"], "expected install CLIENT"),
        (["install", "cursor", "--approve"], "install does not accept --approve"),
        (["install", "cursor", "--config", "f"], "install does not accept --config"),
    ],
)
def test_options_that_do_not_go_together(
    capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    """`install` without a client is refused, and never runs the system's program of this name."""
    assert main(["mcp-proxy", *options]) == 2
    assert message in capsys.readouterr().err


def test_names_of_servers_served_as_one_do_not_collide() -> None:
    """If one server's name begins another's, its tools get a different prefix; odd characters are
    replaced.
    """
    names = ["git", "git_hub", "My git"]
    assert [name_prefix(name, names) for name in names] == ["git", "git-hub", "My_git"]


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_configuration_may_have_a_mark_and_comments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    """A byte order mark, comments and trailing commas are read, as editors write them."""
    monkeypatch.setattr("lton.mcp_proxy.several.find_spec", bool)  # as if fastmcp is installed
    file = tmp_path / "mcp.json"
    file.write_text(mark + '{"servers": {"a": {"command": "x"},}} // ours', "utf-8")
    assert read_configuration(str(file)) == {"a": {"command": "x"}}


def test_an_installation_keeps_a_byte_order_mark(tmp_path: Path) -> None:
    """Only the values that change are written anew; the first bytes of the file stay."""
    text = '\ufeff{"mcpServers": {"a": {"command": "x"}}}'
    assert read_jsonc(text) == {"mcpServers": {"a": {"command": "x"}}}
    assert replace_values(text, ["mcpServers", "a"], {"command": "y"}) == text.replace("x", "y")
