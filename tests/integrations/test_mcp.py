"""Test listing the tools of MCP servers, each in its own process, including faulty servers."""

import asyncio
import gc
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from lton import Call, ToolSet, decode, encode
from lton._require import write_install_command
from lton.errors import Code, MissingExtraError, ServerError
from lton.integrations import mcp
from lton.integrations.mcp import list_tools
from tests.integrations.mcp_pages import TOOLS, initialize, listed
from tests.tokens.faulty import Handler, Write, serving

HERE = Path(__file__).parent
PAGES = [sys.executable, str(HERE / "mcp_pages.py")]
KITCHEN = [sys.executable, str(HERE / "mcp_server.py")]
ECHO_ENV = """
import os, sys
sys.exit(f"Error: {os.environ.get('GIVEN')}, {os.environ.get('NOT_GIVEN')}")
"""


def script(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_a_missing_library_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the library the error says how to install it."""
    monkeypatch.setitem(sys.modules, "mcp", None)
    with pytest.raises(MissingExtraError) as caught:
        list_tools(PAGES)
    assert caught.value.code == Code.EXTRA
    assert write_install_command("apps") in str(caught.value)


def test_a_server_built_with_the_library() -> None:
    """Functions with models and defaults become definitions for which calls can be encoded."""
    listing = list_tools(KITCHEN)
    assert listing.name == "kitchen"
    tools = ToolSet.from_tools(listing.tools)
    assert tools.prompt() == (
        "weather Get the weather.\n city\n days?:int=3\n unit?:C|F=C\n"
        "order Order something.\n what:tea|coffee\n"
        " to:(city floor?:int|null) Where it is.\n  to.floor not the height\n"
        " notes?:{any}|null\n"
        "stop Stop all."
    )
    call = Call("order", {"what": "tea", "to": {"city": "Rome", "floor": 2}})
    assert encode(call, tools) == "order tea (Rome 2)"
    assert decode("order tea (Rome 2)", tools) == [call]


def over_http(path: str, body: dict[str, Any]) -> tuple[int, Any] | Write:
    """Answer as a server with an address, in JSON, as the server of `PAGES` answers over pipes."""
    if "id" not in body:
        return 202, b""
    method = {"initialize": initialize, "tools/list": listed}.get(body["method"])
    result = method(body.get("params") or {}) if method else {}
    data = json.dumps({"jsonrpc": "2.0", "id": body["id"], "result": result}).encode()

    def write(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(data)))
        handler.send_header("Connection", "close")
        handler.end_headers()
        handler.wfile.write(data)

    return write


def test_a_running_server_is_asked_at_its_address() -> None:
    """An address in place of a command lists the tools of a running server; if there is none, the
    error names the address.
    """
    with serving(over_http) as server:
        url = f"{server.url}/mcp"
        assert list_tools([url]).tools == TOOLS
    with pytest.raises(ServerError) as caught:
        list_tools([url])
    assert (caught.value.code, url in str(caught.value)) == (Code.SERVER, True)


def test_all_pages_are_read_as_they_are() -> None:
    """Tools keep their JSON, including nulls inside schemas, and missing members are left out."""
    listing = list_tools(PAGES)
    assert (listing.name, listing.version) == ("pages", "1.2")
    assert listing.tools == TOOLS


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ([], "expected the command of a server, found none"),
        (["no-such-server"], "the server 'no-such-server' does not start: No such file or dir"),
        ([str(HERE)], "does not start: Permission denied"),
        (script(""), "gives no list of tools: Connection closed [E603]"),
        (script("print('usage: x')"), "gives no list of tools: "),
        (
            script("raise ValueError('no key')"),
            "Connection closed; it says: ValueError: no key [E603]",
        ),
        ([*PAGES, "dies"], "Connection closed; it says: Error: \ufffd[31mno more pages [E603]"),
        ([*PAGES, "refuses"], "gives no list of tools: Method not found [E603]"),
        ([*PAGES, "invalid"], "gives no list of tools: 2 validation errors for ListToolsResult"),
    ],
)
def test_faulty_servers_are_refused(command: list[str], text: str) -> None:
    """A server without a valid listing raises an error at once, with the reason."""
    with pytest.raises(ServerError) as caught:
        list_tools(command, timeout_s=10**6)  # no fault is found by waiting
    assert caught.value.code == Code.SERVER
    assert text in str(caught.value)


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        ("babbles", "does not answer in 1.5 s, and writes invalid messages [E603]"),
        ("endless", "does not answer in 1.5 s [E603]"),
    ],
)
def test_servers_that_give_no_answer_are_stopped(fault: str, text: str) -> None:
    """The time limit applies to the whole listing."""
    with pytest.raises(ServerError) as caught:
        list_tools([*PAGES, fault], timeout_s=1.5)
    assert caught.value.code == Code.SERVER
    assert text in str(caught.value)


def test_a_server_that_hangs_is_killed(tmp_path: Path) -> None:
    """A process that neither answers nor ends on request is killed."""
    file = tmp_path / "pid"
    stubborn = (
        "import os, signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
        f"open({str(file)!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    )
    with pytest.raises(ServerError, match=r"does not answer in 0\.5 s \[E603\]"):
        list_tools(script(stubborn), timeout_s=0.5)
    with pytest.raises(ProcessLookupError):
        os.kill(int(file.read_text()), 0)


def test_an_error_that_nobody_awaits_is_not_printed(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A pipe that breaks while a server ends is part of the error that is raised."""

    async def lose_error(*_: Any) -> None:
        future = asyncio.get_running_loop().create_future()
        future.set_exception(BrokenPipeError())
        del future
        gc.collect()
        raise ConnectionError("Connection closed")

    monkeypatch.setattr(mcp, "_list_all_tools", lose_error)
    with pytest.raises(ServerError, match="Connection closed"):
        list_tools(PAGES)
    assert "never retrieved" not in caplog.text


def test_the_environment_is_what_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    """Variables of this process, which may be secrets, are not passed on unless they are given."""
    monkeypatch.setenv("NOT_GIVEN", "secret")
    with pytest.raises(ServerError, match="Error: yes, None"):
        list_tools(script(ECHO_ENV), env={"GIVEN": "yes"})


def test_nothing_of_a_server_reaches_the_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    """Neither a server's standard error nor the library's warnings reach the terminal."""
    with pytest.raises(ServerError):
        list_tools([*PAGES, "dies"])
    list_tools(KITCHEN)
    assert capfd.readouterr() == ("", "")
