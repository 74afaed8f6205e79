"""What becomes of clients' configurations, and back."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lton._terminal import UsageError
from lton.errors import LTONError
from lton.mcp_proxy.install import CLIENTS, Client, install

GIT = {"command": "mcp-server-git", "args": ["-r", "."], "env": {"TOKEN": "x"}, "type": "stdio"}
REMOTE = {"type": "http", "url": "https://example.com/mcp"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "mcp.json"
    document = {"other": 1, "mcpServers": {"git": GIT, "remote": REMOTE, "bare": {"command": "b"}}}
    file.write_text(json.dumps(document, indent=2) + "\n", "utf-8")
    return file


def change(file: Path, *options: str, undo: bool = False, yes: bool = True) -> dict[str, Any]:
    shown: list[str] = []

    def agreed(text: str) -> bool:
        shown.append(text)
        return yes

    status = install(Client((str(file),)), options, undo=undo, agreed=agreed)
    assert status == (0 if yes else 1)
    document = json.loads(file.read_text("utf-8"))
    assert document["other"] == 1
    servers: dict[str, Any] = document["mcpServers"]
    return servers


def test_the_proxy_stands_before_each_command(file: Path) -> None:
    """Its variables are named, what else is there stays, once is enough, and it can be undone."""
    text = file.read_text("utf-8")
    servers = change(file, "--mode", "tools")
    program = shutil.which("lton")
    command = [program] if program else [sys.executable, "-m", "lton"]
    begin = [*command[1:], "mcp-proxy", "--mode", "tools"]
    server = ["--env", "TOKEN", "--", "mcp-server-git", "-r", "."]
    assert servers["git"] == {**GIT, "command": command[0], "args": begin + server}
    assert servers["bare"] == {"command": command[0], "args": [*begin, "--", "b"]}
    assert servers["remote"] == REMOTE
    assert file.with_name("mcp.json.before-lton").read_text("utf-8") == text
    assert change(file) == servers
    back = change(file, undo=True)
    assert back == {"git": GIT, "remote": REMOTE, "bare": {"command": "b", "args": []}}
    assert change(file, undo=True) == back
    assert [one.name for one in file.parent.iterdir()].count("mcp.json") == 1


def test_nothing_is_changed_without_a_yes(file: Path) -> None:
    """The file stays as it is, and no copy is made."""
    before = file.read_text("utf-8")
    change(file, yes=False)
    assert file.read_text("utf-8") == before
    assert len(list(file.parent.iterdir())) == 1


def test_files_that_cannot_be_changed(tmp_path: Path) -> None:
    """None that is there, and one with comments."""
    odd = tmp_path / "odd.json"
    odd.write_text("{} // mine", "utf-8")
    for name, expected in ((odd, LTONError), (tmp_path / "none.json", UsageError)):
        with pytest.raises(expected, match=name.stem):
            install(Client((str(name),)), [], undo=False, agreed=lambda change: True)


def test_the_command(file: Path, tmp_path: Path) -> None:
    """It shows the change and asks; `--yes` answers."""
    (tmp_path / ".cursor").mkdir()
    here = shutil.copy(file, tmp_path / ".cursor" / "mcp.json")
    command = [sys.executable, "-m", "lton", "mcp-proxy", "install", "--client", "cursor"]
    options: Any = {"cwd": tmp_path, "capture_output": True, "text": True}
    no: Any = subprocess.run(command, check=False, input="n\n", **options)
    assert no.returncode == 1
    assert '-      "command": "mcp-server-git",' in no.stdout
    assert Path(here).read_text("utf-8") == file.read_text("utf-8")
    yes: Any = subprocess.run([*command, "--yes", "--show", "names"], check=False, **options)
    assert yes.returncode == 0
    args = json.loads(Path(here).read_text("utf-8"))["mcpServers"]["git"]["args"]
    assert args[args.index("--show") :][:4] == ["--show", "names", "--env", "TOKEN"]
    assert set(CLIENTS) == {"claude", "codex", "cursor", "vscode"}
