"""Test `compress`: shortened results, and returning them unchanged, only to their sender."""

import json
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import httpx2
import pytest

from lton.gateway.command import make_options
from lton.gateway.compressing import RecentResults
from lton.gateway.serving import build_application
from lton.tokens import counter
from tests.gateway.conftest import Served

OVER = 500
LONG = "".join(f"line {n}: caf\u00e9\n" for n in range(500))
ROWS = json.dumps([{"id": n, "name": f"n{n}"} for n in range(5)])
ROWS_IN_LTON = "[5(id name)\n0 n0\n1 n1\n2 n2\n3 n3\n4 n4]"
ASKED = {"role": "user", "content": "Read it."}
Start: TypeAlias = Callable[..., httpx2.Client]


@pytest.fixture
def start() -> Iterator[Start]:
    """Start gateways without an upstream, and return a client of each."""
    started: list[tuple[Served, httpx2.Client]] = []

    def get(how: str = f"over={OVER}", **more: Any) -> httpx2.Client:
        options = make_options(**{"upstream": None, "compress": how, "quiet": True} | more)
        served = Served(build_application(options))
        started.append((served, httpx2.Client(base_url=served.url, timeout=20)))
        return started[-1][1]

    yield get
    for served, client in started:
        client.close()
        served.close()


def result(text: Any, call: str = "c1") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call, "content": text}


def compressed(client: httpx2.Client, *messages: Any, key: str = "") -> dict[str, Any]:
    headers = {"authorization": f"Bearer {key}"} if key else {}
    reply = client.post("/v1/compress", json={"messages": messages, "model": "m"}, headers=headers)
    assert reply.status_code == 200, reply.text
    answer: dict[str, Any] = reply.json()
    return answer


def retrieve(client: httpx2.Client, name: str, key: str = "") -> httpx2.Response:
    headers = {"authorization": f"Bearer {key}"} if key else {}
    return client.get(f"/v1/retrieve/{name}", params={"query": "line"}, headers=headers)


SHAPES: dict[str, tuple[Any, Callable[[Any], str]]] = {
    "chat": (result(LONG), lambda it: it["content"]),
    "parts of chat": (
        result([{"type": "text", "text": LONG}]),
        lambda it: it["content"][0]["text"],
    ),
    "responses": (
        {"type": "function_call_output", "call_id": "c1", "output": LONG},
        lambda it: it["output"],
    ),
    "messages": (
        {"role": "user", "content": [{"type": "text", "text": LONG}, {
            "type": "tool_result", "tool_use_id": "c1", "is_error": True, "content": [
                {"type": "text", "text": LONG, "cache_control": {"type": "ephemeral"}}]}]},
        lambda it: it["content"][1]["content"][0]["text"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_a_long_result_comes_back_word_for_word(start: Start, shape: str) -> None:
    client, (message, text_of) = start(), SHAPES[shape]

    answer = compressed(client, ASKED, message)

    (name,) = answer["ccr_hashes"]
    text = text_of(answer["messages"][1])
    assert LONG.startswith(text.rpartition("\n")[0])
    assert text.endswith(f" by its hash={name}]")
    assert counter("bytes").count(text).tokens <= OVER
    assert answer["messages"][0] == ASKED
    assert json.dumps(answer["messages"][1]).replace(
        json.dumps(text), json.dumps(LONG)
    ) == json.dumps(message)
    assert retrieve(client, name).json() == {"hash": name, "original_content": LONG}


def test_what_is_no_long_result_stays(start: Start) -> None:
    long = {"role": "user", "content": LONG}
    messages = [{"role": "system", "content": LONG}, long, result("short"), result(ROWS), "odd", 5]
    answer = compressed(start(results="as-is"), *messages)

    assert answer["messages"] == messages
    assert answer["tokens_saved"] == answer["tokens_before"] - answer["tokens_after"] == 0
    assert (answer["compression_ratio"], answer["transforms_applied"]) == (1, [])


def test_results_are_in_short_form_by_default(start: Start) -> None:
    client = start(results="short")
    many = json.dumps([{"id": n, "name": f"a name {n}"} for n in range(500)])

    answer = compressed(client, result(ROWS), result(many))

    assert answer["messages"][0] == result(ROWS_IN_LTON)
    assert answer["messages"][1]["content"].startswith('[500(id name)\n0 "a name 0"\n1 "a name 1"')
    assert answer["transforms_applied"] == ["lton", "preview"]
    assert answer["tokens_after"] < answer["tokens_before"] / 2
    assert retrieve(client, answer["ccr_hashes"][0]).json()["original_content"] == many


def test_what_is_sent_begins_what_is_sent_next(start: Start) -> None:
    client = start(results="short")
    messages = [ASKED, result(LONG), result(ROWS), {"role": "assistant", "content": "Done."}]
    turns = [compressed(client, *messages[: n + 1])["messages"] for n in range(len(messages))]

    for shorter, longer in pairwise(turns):
        assert longer[: len(shorter)] == shorter
    again = compressed(client, *turns[-1])
    assert (again["messages"], again["ccr_hashes"]) == (turns[-1], [])


def test_a_result_is_for_who_sent_it(start: Start) -> None:
    """The same text of two callers has two hashes, and neither caller can use the other's."""
    client = start()
    names = {key: compressed(client, result(LONG), key=key)["ccr_hashes"][0] for key in "ab"}

    assert names["a"] != names["b"]
    for key, name, status in (("a", "a", 200), ("b", "b", 200), ("a", "b", 404), ("", "a", 404)):
        assert retrieve(client, names[name], key).status_code == status
    other = start()
    assert compressed(other, result(LONG), key="a")["ccr_hashes"] != [names["a"]]


@pytest.mark.parametrize("name", ["0" * 24, "x", "secret of results", "%2e%2e", "a" * 5000])
def test_what_was_not_left_out_is_not_found(start: Start, tmp_path: Path, name: str) -> None:
    client = start(f"over={OVER},store={tmp_path / 'a.db'}")
    compressed(client, result(LONG))

    reply = retrieve(client, name)

    assert reply.status_code in (400, 404)
    assert reply.json()["error"]["code"] in ("unknown_hash", "invalid_path")


def test_a_store_keeps_results_over_restarts(start: Start, tmp_path: Path) -> None:
    how = f"over={OVER},store={tmp_path / 'a.db'}"
    first, second = compressed(start(how), result(LONG)), start(how)

    assert retrieve(second, first["ccr_hashes"][0]).json()["original_content"] == LONG
    assert compressed(second, result(LONG)) == first


def test_a_result_that_cannot_be_kept_is_not_left_out(start: Start, tmp_path: Path) -> None:
    client = start(f"over={OVER},store={tmp_path / 'a.db'}")
    with closing(sqlite3.connect(tmp_path / "a.db")) as database:
        database.execute("DROP TABLE entries")

    assert compressed(client, result(LONG))["messages"] == [result(LONG)]
    assert retrieve(client, "0" * 24).json()["error"]["code"] == "store"


CALLS: list[Any] = [
    {"role": "assistant", "content": None, "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "headroom_retrieve",
                                                      "arguments": "{}"}}]},
    {"type": "function_call", "call_id": "c1", "name": "headroom_retrieve", "arguments": "{}"},
    {"role": "assistant", "content": [
        {"type": "tool_use", "id": "c1", "name": "mcp__lton__retrieve", "input": {}}]},
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_what_was_asked_for_is_not_left_out_again(start: Start, call: Any) -> None:
    answer = compressed(start(), call, result(LONG), result(LONG, "c2"))

    assert answer["messages"][1] == result(LONG)
    assert answer["messages"][2] != result(LONG, "c2")


def test_half_of_a_character_stays(start: Start) -> None:
    client = start()
    half = LONG + "\ud83d"
    body = json.dumps({"messages": [result(half), {"role": "user", "content": "\ud83d"}]})

    reply = client.post("/compress", content=body, headers={"content-type": "application/json"})

    answer = json.loads(reply.text)
    assert answer["messages"][1]["content"] == "\ud83d"
    original = json.loads(client.get(f"/retrieve/{answer['ccr_hashes'][0]}").text)
    assert original["original_content"] == half


def test_the_key_and_the_limits_are_those_of_all_paths(start: Start) -> None:
    client = start(api_key="k")

    assert client.post("/v1/compress", json={"messages": []}).status_code == 401
    assert client.get(f"/v1/retrieve/{'0' * 24}").status_code == 401
    assert compressed(client, ASKED, key="k")["messages"] == [ASKED]
    key = {"authorization": "Bearer k"}
    for body, param in (({}, "messages"), ({"messages": [0] * 10_001}, "messages")):
        reply = client.post("/v1/compress", json=body, headers=key)
        assert (reply.status_code, reply.json()["error"]["param"]) == (400, param)
    large = client.post("/v1/compress", json={"messages": ["x" * 40_000_000]}, headers=key)
    assert large.status_code == 413


def test_without_an_upstream_there_is_nothing_else(start: Start) -> None:
    reply = start().post("/v1/chat/completions", json={"messages": []})

    assert (reply.status_code, reply.json()["error"]["code"]) == (404, "no_upstream")


def test_metrics_say_what_was_saved(start: Start) -> None:
    client = start()
    answer = compressed(client, result(LONG))

    figures = client.get("/metrics").text
    for notation, tokens in (("json", answer["tokens_before"]), ("lton", answer["tokens_after"])):
        assert f'kind="compressed",notation="{notation}"}} {float(tokens)}' in figures


def test_memory_has_a_bound() -> None:
    results = RecentResults(most=1000)

    def put() -> None:
        for n in range(100):
            results.store_result(str(n), b"x" * 100)

    threads = [threading.Thread(target=put) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sum(results.find_result(str(n)) is not None for n in range(100)) == 10
