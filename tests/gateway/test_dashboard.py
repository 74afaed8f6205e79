"""Test the gateway's page: access, stored data, and its display in a browser."""

import json
import shutil
from pathlib import Path
from typing import Any

import httpx2
import pytest

from lton.apis.prompt_parts import iterate_prompt_parts
from lton.apis.registry import APIS
from lton.gateway.bills import BilledConversations
from lton.gateway.dashboard import BillHistory, Outcome
from lton.tokens.billing import Prices
from lton.tokens.usage import PromptPart, try_read_usage
from tests.gateway.native import OSLO, Raw, Serve, post, request, stream, whole

HOSTILE = "</script><img src=x onerror=alert(1)><script>alert(2)</script>"
ROWS = json.dumps([{"id": number, "name": f"Name {number}"} for number in range(9)])
CALL = {"id": "1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
SAID: list[Any] = [
    {"role": "user", "content": HOSTILE},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "1", "content": ROWS},
]


def bill_of(client: httpx2.Client, after: int = 0) -> Any:
    return client.get(f"/lton/bill?after={after}").json()


def test_it_shows_what_was_sent_of_each_request(serve: Serve, raw: Raw) -> None:
    """The page shows the new part of each request, and shortened results next to the originals."""
    client = serve(results="short", prices="anthropic")
    raw.whole = whole("chat", OSLO)
    before = bill_of(client)["total"]["requests"]
    for messages in (SAID[:1], SAID):
        post(client, "chat", request("chat") | {"messages": messages})
    bill = bill_of(client, before)
    first, second = bill["requests"]
    assert (first["title"], second["title"]) == (HOSTILE, "after weather")
    assert (first["shortened"], second["shortened"]) == (0, 1)
    assert (len(first["rescued"]), first["model"], first["calls"]) == (1, "m", "native")
    assert "parts" not in first
    assert bill["conversations"][first["bill"]["conversation"]]["requests"] == 2
    assert bill["tools"]["weather"][1] < bill["tools"]["weather"][0]
    parts = client.get(f"/lton/requests/{second['number']}").json()["parts"]
    assert [(part["role"], part["tool"], part["same"]) for part in parts] == [
        ("assistant", "weather", True),
        ("tool", "weather", False),
    ]
    assert json.loads(parts[1]["asked"]) == SAID[2]
    assert len(parts[1]["sent"]) < len(parts[1]["asked"])
    assert client.get("/lton/requests/999999").status_code == 404
    assert bill_of(client, second["number"])["requests"] == []
    assert len(bill_of(client, 0)["requests"]) >= 2


@pytest.mark.parametrize("calls", ["native", "lton"])
def test_it_shows_mended_calls(serve: Serve, raw: Raw, calls: str) -> None:
    """The page shows a call as the server wrote it, and counts it."""
    client = serve(calls=calls)
    raw.whole = whole("chat", calls=[("weather", '{"city": "Oslo",}')])
    raw.chunks = stream("chat", calls=[("weather", '{"city": "Oslo",}')])
    before = bill_of(client)
    post(client, "chat", request("chat"))
    bill = bill_of(client, before["total"]["requests"])
    (one,) = bill["requests"]
    assert one["mended"] == ['weather {"city": "Oslo",}']
    assert bill["events"]["mended"] == before["events"].get("mended", 0) + 1


def test_it_leads_with_calls(serve: Serve, raw: Raw, capfd: pytest.CaptureFixture[str]) -> None:
    """Requests with tools, delivered calls and rescued calls are counted; a rescued call has a line
    in the terminal, and an answer in words has none.
    """
    client = serve()
    before = bill_of(client)["events"]
    raw.whole = whole("chat", OSLO)
    post(client, "chat", request("chat"))
    raw.whole = whole("chat", "It is sunny.")
    post(client, "chat", request("chat"))
    post(client, "chat", {**request("chat"), "tools": []})
    counts = bill_of(client)["events"]
    increase = {
        name: counts[name] - before.get(name, 0) for name in ("asked", "delivered", "rescued")
    }
    assert increase == {"asked": 2, "delivered": 1, "rescued": 1}
    log = capfd.readouterr().err
    assert log.count("rescued a call that the model wrote as text: weather") == 1
    page = client.get("/lton/").text
    assert page.index("Calls that reached the agent") < page.index("The bill")


def test_before_the_first_request_the_page_says_what_to_do(serve: Serve) -> None:
    """The figures are hidden until there is a request; until then, the page names the variables for
    agents.
    """
    page = serve().get("/lton/").text
    start = page[page.index('<section id="start" hidden>') : page.index('<div id="all" hidden>')]
    assert "Start your agent with the address of this gateway" in start
    assert "OPENAI_BASE_URL=${location.origin}/v1" in page
    assert "const isStarted = reply.ok && found.total.requests > 0;" in page


def page_of(client: httpx2.Client) -> str:
    return f"{str(client.base_url).rstrip('/')}/lton/"


@pytest.mark.parametrize("path", ["/lton/bill", "/lton/requests/1"])
def test_conversations_are_for_their_owner(serve: Serve, path: str) -> None:
    """With a key, only its owners see conversations; without a key, only this machine, without a
    proxy.
    """
    client = serve(api_key="k")
    assert client.get(path).status_code == 401
    assert client.get(path, headers={"authorization": "Bearer k"}).status_code in (200, 404)
    assert "Name" not in client.get("/lton/").text
    for name in ("forwarded", "x-forwarded-for"):
        reply = serve().get(path, headers={name: "for=10.0.0.1"})
        assert (reply.status_code, reply.json()["error"]["code"]) == (403, "not_local")
    opened = serve(allow_origin="*", allow_host="*")
    for headers in ({"origin": "http://evil.example"}, {"host": "evil.example"}):
        assert serve().get(path, headers=headers).status_code == 403
        assert opened.get(path, headers=headers).json()["error"]["code"] == "not_local"
        assert opened.get("/v1/models", headers=headers).status_code != 403


def test_the_page_loads_nothing_and_runs_its_own_script_alone(serve: Serve) -> None:
    reply = serve().get("/lton/")
    policy = reply.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert "script-src 'sha256-" in policy
    assert "http" not in reply.text.replace("http://www.w3.org/2000/svg", "")
    for sink in ("innerHTML", "insertAdjacent", "document.write", "eval("):
        assert sink not in reply.text


def add_request(history: BillHistory, *parts: PromptPart) -> None:
    bills = BilledConversations(len, Prices())
    bill = bills.bill_request(parts, parts, try_read_usage({"prompt_tokens": 9}))
    history.add_bill(bill, Outcome(model="m", calls="native", notes=[{"text": "x" * 9999}] * 99))


def test_what_is_kept_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stored requests, characters, parts and names are limited; the sums cover all requests."""
    monkeypatch.setattr("lton.gateway.dashboard._NAMED", 3)
    monkeypatch.setattr("lton.gateway.dashboard._REQUESTS", 5)
    history = BillHistory()
    for number in range(9):
        text = json.dumps({"role": "user", "content": f"{number}"}, separators=(",", ":"))
        add_request(
            history, *[PromptPart("tools", "t", f"{number}")] * 300, PromptPart("user", text)
        )
    summary = history.summarize_bills()
    assert summary["total"]["requests"] == summary["total"]["reports"] == 9
    assert (summary["first"], len(summary["requests"]), len(summary["conversations"])) == (5, 5, 3)
    assert [*summary["tools"]] == ["0", "user", "1", "(others)"]
    one = history.find_request_with_number(9)
    assert one is not None
    assert (one["left_out"], len(one["parts"]), len(one["notes"])) == (101, 200, 20)
    assert {len(note) for note in one["notes"]} == {500}
    monkeypatch.setattr("lton.gateway.dashboard._SIZE", 100_000)
    add_request(history, PromptPart("user", "x" * 999_999))
    assert len(history.summarize_bills()["requests"]) == 1
    assert history.find_request_with_number(10) is not None


def test_parts_know_their_tools() -> None:
    """Definitions, calls and results are assigned to their tools, in each API."""
    block = {"type": "tool_use", "id": "1", "name": "f", "input": {}}
    answer = {"type": "tool_result", "tool_use_id": "1", "content": "x"}
    messages = [{"role": "assistant", "content": [block]}, {"role": "user", "content": [answer]}]
    body = {"tools": [{"name": "f"}, 5], "system": "s", "messages": messages}
    parts = iterate_prompt_parts(body, APIS["messages"])
    assert [part.tool for part in parts] == ["f", "", "", "f", "f"]
    items = [
        {"type": "function_call", "call_id": "1", "name": "g", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "1", "output": "x"},
        {"type": "custom_tool_call_output", "call_id": "2", "output": "x"},
    ]
    parts = iterate_prompt_parts({"instructions": "s", "input": [*items, "odd"]}, APIS["responses"])
    assert [part.tool for part in parts] == ["", "g", "g", "(unknown)", ""]
    assert [part.role for part in iterate_prompt_parts({"input": "Hi"}, APIS["responses"])] == [
        "user"
    ]


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("name", "width"), [("desktop", 1280), ("phone", 375)])
def test_in_a_browser(
    serve: Serve, raw: Raw, scheme: str, name: str, width: int, tmp_path: Path
) -> None:
    """In a browser, foreign text stays text, nothing is fetched, nothing is too wide, and the page
    grows.
    """
    playwright = pytest.importorskip("playwright.sync_api")
    client = serve(results="short", prices="anthropic")
    raw.whole = whole("chat", HOSTILE)
    for messages in (SAID[:1], SAID):
        post(client, "chat", request("chat") | {"messages": messages, "model": HOSTILE})
    address = page_of(client)
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
        urls: list[str] = []
        problems: list[str] = []
        page.on("request", lambda request: urls.append(request.url))
        page.on("dialog", lambda dialog: problems.append(dialog.message))
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(address)
        last = page.locator(".request").first
        last.locator("button").click()
        last.locator("pre.sent mark").wait_for()
        assert "as it was sent" in last.inner_text()
        assert page.locator("td", has_text=HOSTILE).first.is_visible()
        before = page.locator(".request").count()
        go = f"Go {name} {scheme}"
        post(client, "chat", request("chat") | {"messages": [{"role": "user", "content": go}]})
        page.locator(".request b", has_text=go).wait_for()
        assert page.locator(".request").count() == before + 1
        assert last.locator("pre").count() == 0  # what was opened moved down, still open
        assert page.locator(".parts").count() == 1
        page.locator("td button", has_text=go).first.click()
        assert page.locator(".request").count() == 1
        page.locator("#every").click()
        assert page.locator(".request").count() == before + 1
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("img").count() == 0
        assert problems == []
        assert all(url.startswith(str(client.base_url)) for url in urls)
        axe = pytest.importorskip("axe_playwright_python.sync_playwright")
        page.screenshot(path=str(tmp_path / f"{name}.png"), full_page=True)
        report = axe.Axe().run(page)
        assert report.violations_count == 0, report.generate_report()
        browser.close()
    assert (tmp_path / f"{name}.png").stat().st_size > 10_000


@pytest.mark.browser
def test_the_page_asks_for_the_key(serve: Serve) -> None:
    playwright = pytest.importorskip("playwright.sync_api")
    client = serve(api_key="k")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page()
        page.goto(page_of(client))
        page.locator("#key").fill("k")
        page.locator("#door button").click()
        page.locator("#start").wait_for()
        assert "OPENAI_BASE_URL=http" in page.locator("#exports").inner_text()
        assert not page.locator("#all").is_visible()
        assert not page.locator("#door").is_visible()
        browser.close()
