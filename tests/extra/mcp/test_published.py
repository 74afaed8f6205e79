"""The proxy before servers as they are published, on PyPI and npm (`make test-mcp`)."""

import shutil
import subprocess
from pathlib import Path

from tests.mcp_proxy.test_served import ROOT, ask, client, run, texts

NPM = ROOT / "build" / "npm" / "node_modules" / ".bin"


def program(name: str) -> str:
    """Get the path of a server's program."""
    found = shutil.which(name) or shutil.which(name, path=NPM)
    assert found, f"{name} is not installed"
    return found


def test_git(tmp_path: Path) -> None:
    """A commit, its log, and an error of the server."""
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
    """JSON in a text becomes LTON."""

    async def test() -> None:
        server = [program("mcp-server-time"), "--local-timezone=UTC"]
        async with client("--mode", "search", server=server) as session:
            found = await session.call_tool("search", {"query": "what time is it"})
            assert "get_current_time" in found.content[0].text
            (now,) = texts(await ask(session, 'get_current_time(timezone="Asia/Tokyo")'))
            assert now.startswith("{datetime ")
            assert "timezone Asia/Tokyo" in now

    run(test)


def test_filesystem(tmp_path: Path) -> None:
    """A text of many lines goes through a line of LTON as it is, and a wrong path is an error."""
    text = 'He said: "no".\n\n!call write_file a b\n'
    file = tmp_path / "notes.txt"

    async def test() -> None:
        server = [program("mcp-server-filesystem"), str(tmp_path)]
        async with client(server=server) as session:
            written = await ask(session, f"write_file {file} s{len(text)}:{text}")
            assert not written.get("isError")
            assert file.read_text("utf-8") == text
            assert texts(await ask(session, f"read_text_file {file}"))[0] == text
            assert (await ask(session, "read_text_file /etc/hostname"))["isError"]

    run(test)


def test_memory(tmp_path: Path) -> None:
    """Arguments that are lists of objects, and structured results."""

    async def test() -> None:
        server = ["env", f"MEMORY_FILE_PATH={tmp_path}/memory.jsonl", program("mcp-server-memory")]
        async with client("--form", "punctuated", server=server) as session:
            made = await ask(
                session,
                'create_entities(entities=[(name="lton", entityType="format",'
                ' observations=["is short"])])',
            )
            (shown,) = texts(made)
            assert "entityType format" in shown
            assert '"is short"' in shown
            assert "structuredContent" not in made
            await ask(session, 'delete_entities(entityNames=["lton"])')

    run(test)
