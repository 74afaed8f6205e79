"""Test several servers behind one proxy, and a client's configuration in TOML (`make test-mcp`)."""

import json
import shutil
import subprocess
import sys
import tomllib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from lton.errors import LTONError
from lton.mcp_proxy.several import read_configuration
from tests.mcp_proxy.test_served import (
    HERE,
    PROXY,
    ROOT,
    SECOND_ERA,
    STATE,
    WEATHER,
    ask,
    run,
    texts,
)

pytestmark = pytest.mark.mcp
KITCHEN = {"command": sys.executable, "args": [str(HERE / "kitchen.py")]}


def before(config: str, *python: str, **more: Any) -> Any:
    """Return the command of the proxy for a file of servers, in the form that `mcp` takes."""
    from mcp import StdioServerParameters

    return StdioServerParameters(
        command=PROXY[0],
        args=[*python, *PROXY[1:], "--config", config],
        env={"PYTHONPATH": str(ROOT), "XDG_STATE_HOME": STATE},
        **more,
    )


@asynccontextmanager
async def serving(errors: Path, proxy: Any) -> AsyncIterator[Any]:
    """Start the proxy, and yield a session; its standard error goes to a file."""
    from mcp import ClientSession, stdio_client

    with errors.open("w") as log:
        async with (
            stdio_client(proxy, errlog=log) as streams,
            ClientSession(*streams) as session,
        ):
            await session.initialize()
            yield session


def test_two_servers_and_one_that_is_missing(tmp_path: Path) -> None:
    """Names of two servers are distinct; a failing server is named, also later, and the others
    continue.
    """
    file = tmp_path / "mcp.json"
    servers = {"one": KITCHEN, "two": KITCHEN, "gone": {"command": str(tmp_path / "none")}}
    file.write_text(json.dumps({"mcpServers": servers}), "utf-8")
    errors = tmp_path / "errors"

    async def test() -> None:
        steps: list[float] = []

        async def progress(step: float, total: float | None, message: str | None) -> None:
            steps.append(step)

        async with serving(errors, before(str(file))) as session:
            (tool,) = (await session.list_tools()).tools
            assert "one_weather Get the weather." in tool.description
            assert "two_weather Get the weather." in tool.description
            assert texts(await ask(session, "one_weather Rome 1")) == [WEATHER]
            await ask(session, "two_slow 3", progress_callback=progress)
            assert steps == [0, 1, 2]
            assert (await ask(session, "one_fail why"))["isError"]
            assert (await ask(session, "one_die"))["isError"]
            assert (await ask(session, "one_weather Rome 1"))["isError"]
            assert texts(await ask(session, "two_weather Rome 1")) == [WEATHER]

    run(test)
    assert errors.read_text("utf-8").count("the server 'gone' is left out") == 1


BROKEN = """
import json, sys
RESULTS = {
    "initialize": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                   "serverInfo": {"name": "broken", "version": "1"}},
    "tools/list": {"tools": [{"name": 7}]},
}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        known = RESULTS.get(asked["method"])
        said = {"result": known} if known else {"error": {"code": -32601, "message": "unknown"}}
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **said}), flush=True)
"""


def test_a_server_whose_list_cannot_be_read(tmp_path: Path) -> None:
    """A server whose list cannot be read is named, and the others continue."""
    broken = {"command": sys.executable, "args": ["-c", BROKEN]}
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps({"mcpServers": {"one": KITCHEN, "broken": broken}}), "utf-8")
    errors = tmp_path / "errors"

    async def test() -> None:
        async with serving(errors, before(str(file))) as session:
            assert texts(await ask(session, "one_weather Rome 1")) == [WEATHER]

    run(test)
    assert errors.read_text("utf-8").count("the server 'broken' is left out") == 1


def test_entries_of_all_kinds(tmp_path: Path) -> None:
    """VS Code's key, names that are not allowed, invalid entries, and modules of a project are
    handled.
    """
    (tmp_path / "fastmcp.py").write_text("raise SystemExit('a module of the project')", "utf-8")
    servers = {
        "My server": KITCHEN,
        "My_server": KITCHEN,
        "off": {**KITCHEN, "disabled": True},
        "odd": 3,
        "none": {"args": []},
    }
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps({"servers": servers}), "utf-8")
    errors = tmp_path / "errors"

    async def test() -> None:
        async with serving(errors, before("mcp.json", "-P", cwd=tmp_path)) as session:
            assert texts(await ask(session, "My_server_weather Rome 1")) == [WEATHER]

    run(test)
    log = errors.read_text("utf-8")
    assert "'My_server' is left out: another server has the same name" in log
    assert "'off' is left out: it is disabled" in log
    for name in ("odd", "none"):
        assert (
            f"'{name}' is left out: its entry is invalid, or has neither a command nor a URL" in log
        )


@pytest.mark.parametrize("text", ["[]", "{}", '{"mcpServers": []}', '{"mcpServers": {}}'])
def test_a_file_without_servers(tmp_path: Path, text: str) -> None:
    """A file without servers is reported at the start."""
    file = tmp_path / "mcp.json"
    file.write_text(text, "utf-8")
    with pytest.raises(LTONError, match="expected an object with mcpServers"):
        read_configuration(str(file))


def test_a_list_of_several_is_not_kept(tmp_path: Path) -> None:
    """The list of several servers is not cached, because each server may change its list at any
    time.
    """
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps({"mcpServers": {"one": KITCHEN, "two": KITCHEN}}), "utf-8")

    async def test() -> None:
        from mcp import Client

        async with Client(before(str(file)), mode=SECOND_ERA) as session:
            listed = await session.list_tools()
            assert (listed.ttl_ms, listed.cache_scope) == (0, "private")

    run(test)


def test_toml(tmp_path: Path) -> None:
    """Comments stay in the TOML file, and the change can be undone."""
    folder = tmp_path / ".codex"
    folder.mkdir()
    file = folder / "config.toml"
    text = '# mine\n[mcp_servers.git] # a server\ncommand = "g"\nargs = ["-r", "."]\n\n[x]\na = 1\n'
    file.write_text(text, "utf-8")
    command = [*PROXY, "install", "codex", "--yes"]
    around: Any = {"env": {"HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}}
    subprocess.run(command, check=True, **around)
    changed = file.read_text("utf-8")
    assert changed.startswith("# mine\n[mcp_servers.git] # a server\n")
    args = tomllib.loads(changed)["mcp_servers"]["git"]["args"]
    assert args[-5:] == ["mcp-proxy", "--", "g", "-r", "."]
    assert shutil.which("lton") or args[:3] == ["-P", "-m", "lton"]
    subprocess.run([*command, "--undo"], check=True, **around)
    assert file.read_text("utf-8") == text
