"""Test the bill: the providers' reports, and estimates for received and sent requests."""

import json
from pathlib import Path
from typing import Any

import httpx2
import pytest

from lton.gateway.bills import BilledConversations
from lton.gateway.metrics import Metrics
from lton.tokens.billing import Prices, PromptTokens
from lton.tokens.usage import PromptPart
from lton.wrap.report import iterate_report_lines
from tests.gateway.native import APIS, Raw, Serve, count_increase, post, request, stream, whole

USAGE = {
    "chat": {
        "prompt_tokens": 1000,
        "completion_tokens": 9,
        "prompt_tokens_details": {"cached_tokens": 600},
    },
    "responses": {
        "input_tokens": 1000,
        "output_tokens": 9,
        "input_tokens_details": {"cached_tokens": 600},
    },
    "messages": {
        "input_tokens": 100,
        "cache_creation_input_tokens": 300,
        "cache_read_input_tokens": 600,
        "output_tokens": 9,
    },
}
ROWS = json.dumps([{"id": number, "name": f"Name {number}"} for number in range(20)])


def answer(api: str, usage: Any) -> bytes:
    message = {"role": "assistant", "content": "Yes."}
    body: dict[str, Any] = {"usage": usage, "model": "m", "id": "1"}
    if api == "chat":
        body["choices"] = [{"index": 0, "message": message, "finish_reason": "stop"}]
    elif api == "messages":
        block = {"type": "text", "text": "Yes."}
        body |= {**message, "type": "message", "content": [block], "stop_reason": "end_turn"}
    else:
        part = {"type": "output_text", "text": "Yes."}
        body |= {
            "status": "completed",
            "output": [{**message, "type": "message", "content": [part]}],
        }
    return json.dumps(body).encode()


def figures(client: httpx2.Client, name: str) -> dict[str, float]:
    """Return the values of a counter, by the value of its label."""
    lines = [
        line for line in client.get("/metrics").text.splitlines() if line.startswith(f"{name}{{")
    ]
    return {line.split('"')[1]: float(line.rsplit(" ", 1)[1]) for line in lines}


def more(client: httpx2.Client, name: str, before: dict[str, float]) -> dict[str, float]:
    return {key: value - before.get(key, 0) for key, value in figures(client, name).items()}


@pytest.mark.parametrize("api", APIS)
def test_what_the_provider_reports_is_billed_as_it_says(serve: Serve, raw: Raw, api: str) -> None:
    """Cached and written tokens are read from the usage, which each API names in its own way."""
    client = serve(upstream_api=api, prices="anthropic")
    raw.whole = answer(api, USAGE[api])
    reported, billed = "lton_reported_tokens_total", "lton_billed_tokens_total"
    before = figures(client, reported), figures(client, billed)
    post(client, api, request(api))
    write = 300 if api == "messages" else 0
    assert more(client, reported, before[0]) == {
        "input": 400 - write,
        "write": write,
        "read": 600,
        "output": 9,
    }
    tokens = more(client, billed, before[1])
    assert tokens["reported"] == pytest.approx(400 + 0.25 * write + 60)
    assert 0 < tokens["estimated_sent"] == tokens["estimated_asked"] != tokens["reported"]


@pytest.mark.parametrize("api", APIS)
def test_what_nobody_reports_is_no_measurement(serve: Serve, raw: Raw, api: str) -> None:
    """If a provider reports no usage, an estimate does not count as reported."""
    client = serve(upstream_api=api, prices="openai")
    raw.whole = answer(api, None)
    before = figures(client, "lton_billed_tokens_total")
    post(client, api, request(api))
    tokens = more(client, "lton_billed_tokens_total", before)
    assert tokens.get("reported", 0) == 0
    assert tokens["estimated_sent"] > 0


def test_the_log_has_both_requests(serve: Serve, raw: Raw, tmp_path: Path) -> None:
    """The log has the tokens of both requests: the sent one is shorter, and is then read from the
    cache.
    """
    log = tmp_path / "log"
    client = serve(log=str(log), results="short", prices="anthropic")
    raw.whole = answer("chat", USAGE["chat"])
    conversation = [
        {"role": "user", "content": "Who?"},
        {"role": "assistant", "tool_calls": [], "content": "I look."},
        {"role": "tool", "tool_call_id": "1", "content": ROWS},
    ]
    log.unlink(missing_ok=True)
    for messages in (conversation, [*conversation, {"role": "user", "content": "And then?"}]):
        post(client, "chat", request("chat") | {"messages": messages})
    one, two = (json.loads(line)["billed"] for line in log.read_text("utf-8").splitlines())
    assert one["conversation"] == two["conversation"]
    assert one["reported"] == {
        "input": 400,
        "write": 0,
        "read": 600,
        "hour_write": 0,
        "billed": 460.0,
        "output": 9,
    }
    for which in ("sent", "asked"):
        before, after = one["estimated"][which], two["estimated"][which]
        assert after["read"] == before["write"] + before["read"]
        assert 0 < after["write"] < 50
    assert one["estimated"]["sent"]["write"] < one["estimated"]["asked"]["write"]


def test_calls_in_lton_are_billed_as_the_model_is_shown_them(
    serve: Serve, raw: Raw, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    client = serve(calls="lton", log=str(log))
    log.unlink(missing_ok=True)
    raw.chunks = [
        b'data: {"choices":[{"index":0,"delta":{"content":"Yes."},"finish_reason":"stop"}]}\n\n',
        b"data: [DONE]\n\n",
    ]
    post(client, "chat", request("chat"))
    (line,) = map(json.loads, log.read_text("utf-8").splitlines())
    original, shortened = line["billed"]["estimated"]["asked"], line["billed"]["estimated"]["sent"]
    assert line["billed"]["reported"] is None
    assert shortened["write"] != original["write"] > 0


def parts(*texts: str) -> list[PromptPart]:
    return [PromptPart("user", text) for text in texts]


def test_a_conversation_is_what_begins_alike() -> None:
    """Requests with the same beginning, up to the first user message, are one conversation, even
    with new tools.
    """
    bills = BilledConversations(len, Prices())
    first = bills.bill_request(parts("a", "bb"), parts("a", "b"), None)
    other = bills.bill_request(parts("x", "bb"), parts("x"), None)
    later = bills.bill_request(
        [PromptPart("tools", "t"), *parts("a", "bb")], parts("a", "b", "c"), None
    )
    assert later.conversation == first.conversation != other.conversation
    assert later.asked == PromptTokens(write=4)
    assert later.sent == PromptTokens(write=1, read=2)
    assert (later.new_sent, other.new_asked) == (parts("c"), parts("x", "bb"))


def test_a_cache_runs_out_with_the_clock() -> None:
    now = [0.0]
    bills = BilledConversations(len, Prices(lifetime=300), clock=lambda: now[0])
    bills.bill_request(parts("a"), parts("a"), None)
    now[0] = 301.0
    assert bills.bill_request(parts("a"), parts("a"), None).sent == PromptTokens(write=1)


def test_conversations_take_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest conversation is forgotten, and each part is counted once."""
    monkeypatch.setattr("lton.gateway.bills._CONVERSATIONS", 2)
    texts: list[str] = []

    def count(text: str) -> int:
        texts.append(text)
        return len(text)

    bills = BilledConversations(count, Prices())
    for name in ("a", "b", "a", "c", "a", "b"):
        bills.bill_request(parts(name), parts(name), None)
    assert texts == ["a", "b", "c", "b"]


def test_the_last_line_of_an_agent_is_its_bill() -> None:
    """At the end, reported and estimated tokens are on separate lines."""
    metrics = Metrics()
    metrics.billed.labels("estimated_sent").inc(900)
    metrics.billed.labels("estimated_asked").inc(1000)
    assert list(iterate_report_lines(metrics, "claude", "bytes"))[1:] == [
        "billed, estimated by bytes: 900, and 1,000 as claude asked (-10.0 %)"
    ]
    metrics.reported.labels("read").inc(600)
    metrics.reported.labels("input").inc(400)
    metrics.reported.labels("output").inc(9)
    metrics.billed.labels("reported").inc(460)
    assert list(iterate_report_lines(metrics, "claude", "bytes"))[1] == (
        "billed as the provider reported it: 460 tokens (1,000 of prompts, 600 of them read from "
        "its cache)"
    )


def test_a_rejected_answer_is_in_the_bill(serve: Serve, raw: Raw, tmp_path: Path) -> None:
    """The usage and the request of an answer that was asked for again are in all figures."""
    log = tmp_path / "log"
    client = serve(retry=1, prices="openai", log=str(log))
    log.unlink(missing_ok=True)
    wrong = json.loads(whole("chat", calls=[("weather", "{}")]))
    raw.whole = json.dumps(wrong | {"usage": USAGE["chat"]}).encode()
    with count_increase(client) as grown:
        answer = post(client, "chat", request("chat")).json()

    assert len(raw.bodies) == 2
    assert answer["usage"]["prompt_tokens"] == 2000
    assert grown['lton_own_requests_total{why="again"}'] == grown["lton_retries_total"] == 1
    assert grown['lton_reported_tokens_total{kind="read"}'] == 1200
    assert grown['lton_reported_tokens_total{kind="output"}'] == 18
    assert grown['lton_billed_tokens_total{by="reported"}'] == pytest.approx(2 * 460)
    estimate = grown['lton_billed_tokens_total{by="estimated_asked"}']
    assert grown['lton_billed_tokens_total{by="estimated_sent"}'] > estimate > 0
    (line,) = map(json.loads, log.read_text("utf-8").splitlines())
    assert line["usage"]["completion_tokens"] == 18


def test_a_discarded_answer_is_in_the_bill(serve: Serve, raw: Raw, tmp_path: Path) -> None:
    """An answer that the client receives as an error is billed by the provider all the same."""
    log = tmp_path / "log"
    client = serve(upstream_api="chat", log=str(log))
    log.unlink(missing_ok=True)
    *raw.chunks, end, usage, _ = stream("chat", "half")
    raw.chunks += [usage, end.replace(b'"stop"', b'"error"')]
    with count_increase(client) as grown:
        reply = post(client, "messages", request("messages"))

    assert reply.status_code == 502
    assert grown["lton_failed_answers_total"] == 1
    assert grown['lton_reported_tokens_total{kind="input"}'] == 7
    (line,) = map(json.loads, log.read_text("utf-8").splitlines())
    assert line["usage"]["completion_tokens"] == 3
    assert "unknown reason" in line["failed"]


def test_the_report_names_the_requests_of_lton() -> None:
    metrics = Metrics()
    metrics.own_requests.labels("again").inc(2)
    metrics.own_requests.labels("probe").inc()
    metrics.failed.inc()
    assert list(iterate_report_lines(metrics, "claude", "bytes"))[1:3] == [
        "3 more requests of LTON itself: 2 asked the model again, 1 probed the server",
        "1 answer discarded, but counted in the bill",
    ]
