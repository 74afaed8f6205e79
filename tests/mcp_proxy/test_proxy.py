"""Test each message without a connection: the client and the server are lists."""

import json
from typing import Any

import pytest

from lton.mcp_proxy.catalogue import ProxySettings
from lton.mcp_proxy.proxy import Proxy, Send
from tests.mcp_proxy.test_catalogue import ODD, WEATHER, tool

Message = dict[str, Any]
OWN = "lton-mcp-proxy-"


def request(number: Any, method: str, **params: Any) -> Message:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def note(method: str, **params: Any) -> Message:
    return {"jsonrpc": "2.0", "method": method, "params": params}


def answer(number: Any, **result: Any) -> Message:
    return {"jsonrpc": "2.0", "id": number, "result": result}


def call(number: Any, line: Any, name: str = "call", **more: Any) -> Message:
    return request(number, "tools/call", name=name, arguments={"line": line}, **more)


class Pair:
    """A proxy between two lists of messages."""

    def __init__(self, **options: Any) -> None:
        names = ("timeout_s", "handshake_only")
        more_options = {name: options.pop(name) for name in names if name in options}
        self.proxy = Proxy(ProxySettings(**options), **more_options)
        self.now = 0.0

    def ask(self, message: Message) -> list[tuple[str, Message]]:
        return self.flat(self.proxy.feed_client_message(message, self.now))

    def tell(self, message: Message) -> list[tuple[str, Message]]:
        return self.flat(self.proxy.feed_server_message(message, self.now))

    @staticmethod
    def flat(sends: Any) -> list[tuple[str, Message]]:
        return [(send.to, send.message) for send in sends]

    def list(self, *tools: Message) -> list[tuple[str, Message]]:
        """List the tools, on one page, for request 1."""
        ((to, listing),) = self.ask(request(1, "tools/list"))
        assert (to, listing["method"]) == ("server", "tools/list")
        return self.tell(answer(listing["id"], tools=list(tools or (WEATHER,))))


def error_of(messages: list[tuple[str, Message]]) -> tuple[Any, int, str]:
    """Return the id, the JSON-RPC code and LTON's code of the only error that a client received."""
    ((_, message),) = [one for one in messages if one[0] == "client"]
    return message["id"], message["error"]["code"], message["error"]["data"]["code"]


def text_of(messages: list[tuple[str, Message]]) -> tuple[str, bool]:
    ((to, message),) = messages
    assert to == "client"
    return message["result"]["content"][0]["text"], message["result"]["isError"]


@pytest.mark.parametrize(
    "message",
    [
        request(1, "initialize", protocolVersion="2025-11-25"),
        request("a", "prompts/list", cursor="x"),
        request(1, "resources/read", uri="file:///a"),
        request(1, "tools/call", name="other", arguments={}),
        request(1, "server/discover"),
        note("notifications/initialized"),
        note("notifications/cancelled", requestId=7),
        note("notifications/cancelled", requestId=[]),
        {"jsonrpc": "2.0", "method": "x", "params": []},
        {"jsonrpc": "2.0", "id": 3, "result": {"role": "assistant"}},
        {"jsonrpc": "2.0", "id": 3, "error": {"code": 1, "message": "no"}},
    ],
)
def test_what_is_not_ours_goes_on_as_it_is(message: Message) -> None:
    """Requests, notifications and answers of the client pass unchanged."""
    assert Pair().ask(message) == [("server", message)]


@pytest.mark.parametrize(
    "message",
    [
        note("notifications/message", level="info", data="x"),
        note("notifications/prompts/list_changed"),
        note("notifications/progress", progressToken=9, progress=1),
        request(1, "sampling/createMessage", messages=[]),
        request("e", "elicitation/create", message="?"),
        answer(5, prompts=[]),
        {"jsonrpc": "2.0", "id": 5, "error": {"code": 1, "message": "no"}},
        {"jsonrpc": "2.0", "id": None, "error": {"code": 1, "message": "no"}},
    ],
)
def test_what_the_server_says_goes_on_as_it_is(message: Message) -> None:
    """Notifications, requests, answers, and errors without a request of the server pass
    unchanged.
    """
    pair = Pair()
    pair.ask(request(5, "prompts/list"))
    assert pair.tell(message) == [("client", message)]


def test_an_answer_to_another_id_is_not_passed_on() -> None:
    """A string is not the id of a request whose id is a number, and the right answer follows."""
    pair = Pair()
    pair.ask(request(3, "prompts/list"))
    assert pair.tell(answer("3", prompts=["wrong"])) == []
    assert pair.flat(pair.proxy.iterate_errors_for_unreadable([{"id": "3", "result": None}])) == []
    assert pair.tell(answer(3, prompts=[])) == [("client", answer(3, prompts=[]))]


def test_a_server_that_writes_numbers_in_ids_as_strings() -> None:
    """Its answer to `initialize` shows it, and the client receives its own ids."""
    pair = Pair()
    pair.ask(request(0, "initialize"))
    assert pair.tell(answer("0")) == [("client", answer(0))]
    pair.ask(request(5, "prompts/list"))
    assert pair.tell(answer("5", prompts=[])) == [("client", answer(5, prompts=[]))]
    pair.ask(request(6, "prompts/list"))
    assert error_of(pair.flat(pair.proxy.iterate_errors_for_unreadable([{"id": "6"}])))[0] == 6
    assert pair.tell(answer("7", prompts=[])) == []


@pytest.mark.parametrize(
    ("token_sent", "token"), [("t", "t"), (3, 3), (3, "3"), ("3", 3), (None, 2), (None, "any")]
)
def test_progress_renews_the_time_of_its_request(token_sent: Any, token: Any) -> None:
    """Servers may write a token as a string, or send the id of a request without a token."""
    pair = Pair(timeout_s=10)
    meta = {} if token_sent is None else {"progressToken": token_sent}
    pair.ask(request(2, "tools/call", name="x", _meta=meta))
    list(pair.proxy.feed_server_message(note("notifications/progress", progressToken=token), 8.0))
    assert pair.proxy.deadline == 18


def test_progress_does_not_renew_the_time_of_other_requests() -> None:
    """Without a matching token or id, progress belongs to no request, if there are several."""
    pair = Pair(timeout_s=10)
    pair.ask(request(1, "tools/call", name="x"))
    pair.ask(request(2, "tools/call", name="x", _meta={"progressToken": "t"}))
    pair.ask(request(3, "tools/call", name="x"))
    tokens: list[Any] = ["u", 2, [], None]
    for token in tokens:
        list(
            pair.proxy.feed_server_message(note("notifications/progress", progressToken=token), 8.0)
        )
    list(pair.proxy.feed_server_message(note("notifications/progress", progressToken=1), 9.0))
    assert [number for _, number in _late(pair, 10.0)] == [2, 3]
    assert [number for _, number in _late(pair, 19.0)] == [1]


def _late(pair: Pair, now: float) -> list[tuple[str, Any]]:
    messages = pair.flat(pair.proxy.flush_overdue(now))
    return [(to, one["id"]) for to, one in messages if to == "client"]


@pytest.mark.parametrize("number", [1, 5, 7, "5", "7", "\u00b2", "9" * 5000])
def test_what_nobody_asked_is_not_answered(number: Any) -> None:
    """Answers to requests that the proxy did not send are dropped, so that no unchecked list gets
    in.
    """
    pair = Pair()
    pair.ask(request(5, "prompts/list"))
    pair.tell(answer(5, prompts=[]))
    ((_, listing),) = pair.ask(request(1, "tools/list"))
    assert pair.tell(answer(number, tools=[{**WEATHER, "name": "re\u0430d"}])) == []
    assert pair.tell(answer(listing["id"], tools=[WEATHER]))[0][1]["id"] == 1


def test_a_proxy_before_a_proxy() -> None:
    """A proxy in front of a proxy works, although their ids look alike."""
    pair = Pair(mode="pass")
    pair.ask(request(f"{OWN}1", "tools/list"))
    assert pair.tell(answer(f"{OWN}1", tools=[])) == [("client", answer(f"{OWN}1", tools=[]))]


def test_tools_are_listed_from_all_pages() -> None:
    """The proxy requests each page with the client's metadata, and returns one page."""
    pair = Pair()
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "progressToken": 3}
    ((_, listing),) = pair.ask(request(1, "tools/list", _meta=meta))
    del meta["progressToken"]
    assert listing["params"] == {"_meta": meta}
    ((_, again),) = pair.tell(answer(listing["id"], tools=[WEATHER], nextCursor="p2"))
    assert again["params"] == {"cursor": "p2", "_meta": meta}
    assert again["id"] != listing["id"]
    ((to, result),) = pair.tell(answer(again["id"], tools=[tool("stop")], resultType="complete"))
    assert (to, result["id"], result["result"]["resultType"]) == ("client", 1, "complete")
    assert [one["name"] for one in result["result"]["tools"]] == ["call"]
    assert "nextCursor" not in result["result"]


def test_a_line_becomes_a_call_of_the_server() -> None:
    """A line becomes a call with the same id and `_meta`, and its result is in LTON."""
    pair = Pair()
    pair.list()
    meta = {"progressToken": 8}
    assert pair.ask(call(2, "weather Rome 2", _meta=meta)) == [
        (
            "server",
            request(
                2, "tools/call", name="weather", arguments={"city": "Rome", "days": 2}, _meta=meta
            ),
        )
    ]
    result = {"content": [{"type": "text", "text": '{"sky": "blue"}'}], "structuredContent": {}}
    ((to, result_message),) = pair.tell(answer(2, **result))
    assert to == "client"
    assert [one["text"] for one in result_message["result"]["content"]] == ['{"sky":"blue"}', "{}"]
    assert "structuredContent" not in result_message["result"]


def test_results_can_stay_as_they_are() -> None:
    """With `--results as-is`, calls are still lines."""
    pair = Pair(results=None)
    pair.list()
    pair.ask(call(2, "weather Rome"))
    result_message = answer(
        2, content=[{"type": "text", "text": '{"sky": "blue"}'}], structuredContent={}
    )
    assert pair.tell(result_message) == [("client", result_message)]


def test_a_call_before_any_listing_waits_for_one() -> None:
    """All waiting calls share one listing, and a search uses it."""
    pair = Pair(mode="search")
    ((_, listing),) = pair.ask(call(1, "weather Rome"))
    assert pair.ask(request(2, "tools/call", name="search", arguments={"query": "weather"})) == []
    assert pair.ask(request(3, "tools/list")) == []
    messages = pair.tell(answer(listing["id"], tools=[WEATHER]))
    assert [(to, message["id"]) for to, message in messages] == [
        ("server", 1),
        ("client", 2),
        ("client", 3),
    ]
    assert messages[1][1]["result"]["content"][0]["text"].startswith("weather Get the weather.")


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("weather", "[E205]"),
        ("nothing", "there are: weather"),
        (3, "expected the argument 'line', a string [E820]"),
        (None, "[E820]"),
    ],
)
def test_a_wrong_line_is_told_to_the_model(line: Any, text: str) -> None:
    """The error of a wrong line is a result, so that the model can write the call again."""
    pair = Pair()
    pair.list()
    message, is_error = text_of(pair.ask(call(2, line)))
    assert text in message
    assert is_error


def test_arguments_of_another_kind() -> None:
    """A call without arguments is told what is missing; results of version 2026-07-28 have a
    type.
    """
    pair = Pair(mode="search")
    pair.list()
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    ((_, answer),) = pair.ask(request(2, "tools/call", name="search", arguments=[], _meta=meta))
    assert answer["result"]["resultType"] == "complete"
    assert (
        answer["result"]["content"][0]["text"] == "expected the argument 'query', a string [E820]"
    )
    ((_, answer),) = pair.ask({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": []})
    assert answer["id"] == 3


@pytest.mark.parametrize("mode", ["line", "tools", "pass"])
def test_files_of_a_server_that_edits_stay_byte_for_byte(mode: str) -> None:
    """Results of a server that edits files, and their schema, stay byte for byte."""
    places = {"path": {"type": "string"}, "oldText": {"type": "string"}}
    edit = {"name": "edit", "inputSchema": {"type": "object", "properties": places}}
    pair = Pair(mode=mode)
    ((_, listing),) = pair.ask(request(1, "tools/list"))
    ((_, list_answer),) = pair.tell(answer(listing["id"], tools=[WEATHER, edit]))
    if mode != "line":
        assert list_answer["result"]["tools"][0]["outputSchema"] == WEATHER["outputSchema"]
    result = {"content": [{"type": "text", "text": '{\n "a": 1.10\n}'}], "structuredContent": {}}
    pair.ask(request(2, "tools/call", name="weather", arguments={"city": "Rome"}))
    assert pair.tell(answer(2, **result)) == [("client", answer(2, **result))]


def test_pass_only_changes_schemas_and_results() -> None:
    """In `pass`, pages stay the same, and tools lose only their `outputSchema`."""
    pair = Pair(mode="pass")
    assert pair.ask(request(1, "tools/list", cursor="x"))[0][0] == "server"
    ((_, message),) = pair.tell(answer(1, tools=[WEATHER, ODD], nextCursor="y"))
    remaining = {key: value for key, value in WEATHER.items() if key != "outputSchema"}
    assert message["result"] == {"tools": [remaining, ODD], "nextCursor": "y"}
    for number, name, text in ((2, "weather", "[1,2]"), (3, "not_listed", "[1, 2]")):
        assert pair.ask(call(number, "x", name))[0][0] == "server"
        ((_, message),) = pair.tell(answer(number, content=[{"type": "text", "text": "[1, 2]"}]))
        assert message["result"]["content"][0]["text"] == text
    pair.ask(request(3, "tools/list"))
    assert pair.tell(answer(3, tools=None)) == [("client", answer(3, tools=None))]
    pair.ask(request(4, "tools/list"))
    ((_, message),) = pair.tell(answer(4, tools=["x", WEATHER]))
    assert message["result"] == {"tools": [remaining]}
    pair.ask(request(4, "ping"))
    assert pair.tell(answer(4)) == [("client", answer(4))]


@pytest.mark.parametrize(
    ("pages", "expected"),
    [
        ([{"ttlMs": 300_000, "cacheScope": "public"}], {"ttlMs": 300_000, "cacheScope": "public"}),
        (
            [{"ttlMs": 9, "cacheScope": "public"}, {"ttlMs": 50, "cacheScope": "public"}],
            {"ttlMs": 9, "cacheScope": "public"},
        ),
        (
            [{"ttlMs": 9, "cacheScope": "private"}, {"ttlMs": 3, "cacheScope": "public"}],
            {"ttlMs": 3, "cacheScope": "private"},
        ),
        ([{"ttlMs": 9, "cacheScope": "public"}, {}], {"ttlMs": 0, "cacheScope": "private"}),
        ([{"ttlMs": -1, "cacheScope": "x"}], {"ttlMs": 0, "cacheScope": "private"}),
        ([{"ttlMs": "long"}], {"ttlMs": 0}),
        ([{"ttlMs": True}], {"ttlMs": 0}),
        ([{}, {}], {}),
    ],
)
def test_a_list_is_kept_as_its_pages_are(pages: list[Message], expected: Message) -> None:
    """The joined list has the shortest lifetime and the narrowest scope of its pages."""
    pair = Pair(mode="tools")
    messages = pair.ask(request(1, "tools/list"))
    for number, page in enumerate(pages):
        more = {} if number == len(pages) - 1 else {"nextCursor": f"{number}"}
        messages = pair.tell(
            answer(messages[0][1]["id"], tools=[tool(f"t{number}")], **page, **more)
        )
    ((_, message),) = messages
    assert [one["name"] for one in message["result"].pop("tools")] == [
        f"t{n}" for n in range(len(pages))
    ]
    assert message["result"] == expected


def test_a_list_that_goes_on_as_it_is_says_how_long_it_is_kept() -> None:
    """In `pass`, the lifetime of a page stays the same."""
    pair = Pair(mode="pass")
    pair.ask(request(1, "tools/list"))
    page: Message = {
        "tools": [tool("stop")],
        "nextCursor": "y",
        "ttlMs": -5,
        "cacheScope": "public",
    }
    assert pair.tell(answer(1, **page)) == [("client", answer(1, **page))]


ROWS = '[{"day": 0, "sky": "blue"}, {"day": 1, "sky": "grey"}]'
TABLE = "[2(day sky)\n0 blue\n1 grey]"
TOLD = {"content": [{"type": "text", "text": ROWS}], "structuredContent": json.loads(ROWS)}
SHORT = {"content": [{"type": "text", "text": TABLE}]}
SLOW = {**tool("slow"), "execution": {"taskSupport": "required"}}


@pytest.mark.parametrize("mode", ["pass", "tools", "line", "search"])
def test_a_call_becomes_a_task_if_the_client_asks(mode: Any) -> None:
    """In version 2025-11-25 the client asks for a task, whose result is in LTON."""
    pair = Pair(mode=mode)
    listing = request(1, "tools/list")
    if mode == "pass":
        pair.ask(listing)
        ((_, answer_message),) = pair.tell(answer(1, tools=[WEATHER, SLOW]))
    else:
        ((_, answer_message),) = pair.list(WEATHER, SLOW)
    tools = {one["name"]: one for one in answer_message["result"]["tools"]}
    assert tools["slow"] == SLOW
    assert [name for name in tools if "execution" in tools[name]] == ["slow"]
    started = request(2, "tools/call", name="slow", arguments={}, task={"ttl": 9})
    created = answer(2, task={"taskId": "t", "status": "working", "ttl": 9})
    assert pair.ask(started) == [("server", started)]
    assert pair.tell(created) == [("client", created)]
    status = note("notifications/tasks/status", taskId="t", status="completed")
    assert pair.tell(status) == [("client", status)]
    for number, method in enumerate(("tasks/get", "tasks/list", "tasks/cancel"), 3):
        message, reply = request(number, method, taskId="t"), answer(number, taskId="t", ttl=9)
        assert pair.ask(message) == [("server", message)]
        assert pair.tell(reply) == [("client", reply)]
    result_request = request(7, "tasks/result", taskId="t")
    assert pair.ask(result_request) == [("server", result_request)]
    assert pair.proxy.deadline == float("inf")
    about = {"io.modelcontextprotocol/related-task": {"taskId": "t"}}
    assert pair.tell(answer(7, **TOLD, _meta=about)) == [
        ("client", answer(7, **SHORT, _meta=about))
    ]


def test_a_line_has_the_task_that_its_client_asks_for() -> None:
    """A line may become a task, although `call` declares no task support."""
    pair = Pair()
    pair.list()
    ((_, forwarded),) = pair.ask(call(2, "weather Rome", task={"ttl": 9}))
    assert (forwarded["params"]["name"], forwarded["params"]["task"]) == ("weather", {"ttl": 9})
    refused = {"jsonrpc": "2.0", "id": 2, "error": {"code": -32601, "message": "no task"}}
    assert pair.tell(refused) == [("client", refused)]


def test_a_call_becomes_a_task_if_the_server_says_so() -> None:
    """In version 2026-07-28 the server creates a task, also of a line, whose result and
    notification are short.
    """
    pair = Pair()
    pair.list()
    pair.ask(call(2, "weather Rome"))
    created = answer(2, resultType="task", taskId="t", status="working", ttlMs=9)
    assert pair.tell(created) == [("client", created)]
    task = {"taskId": "t", "status": "completed", "ttlMs": 9}
    states: list[Message] = [{}, {"inputRequests": {"a": {}}}, {"error": {"code": 1}}]
    for number, state in enumerate(states, 3):
        pair.ask(request(number, "tasks/get", taskId="t"))
        reply = answer(number, **task, **state)
        assert pair.tell(reply) == [("client", reply)]
    pair.ask(request(7, "tasks/get", taskId="t"))
    assert pair.tell(answer(7, **task, result=TOLD)) == [
        ("client", answer(7, **task, result=SHORT))
    ]
    notice = note("notifications/tasks", **task, result=TOLD)
    short = note("notifications/tasks", **task, result=SHORT)
    assert pair.tell(notice) == [("client", short)]
    odd = {"jsonrpc": "2.0", "method": "notifications/tasks", "params": []}
    assert pair.tell(odd) == [("client", odd)]


def test_results_of_tasks_can_stay_as_they_are() -> None:
    """With `--results as-is`, results of tasks stay the same in both versions."""
    pair = Pair(results=None)
    for number, method, reply in (
        (1, "tasks/result", answer(1, **TOLD)),
        (2, "tasks/get", answer(2, taskId="t", result=TOLD)),
    ):
        pair.ask(request(number, method, taskId="t"))
        assert pair.tell(reply) == [("client", reply)]
    notice = note("notifications/tasks", taskId="t", result=TOLD)
    assert pair.tell(notice) == [("client", notice)]


def test_a_changed_list_is_read_again() -> None:
    """After a notification of a change, the next call waits for the new list, also during a
    listing.
    """
    pair = Pair()
    pair.list()
    changed = note("notifications/tools/list_changed")
    assert pair.tell(changed) == [("client", changed)]
    ((_, listing),) = pair.ask(call(2, "stop"))
    pair.tell(changed)
    ((_, again),) = pair.tell(answer(listing["id"], tools=[WEATHER]))
    assert again["method"] == "tools/list"
    ((to, call_message),) = pair.tell(answer(again["id"], tools=[tool("stop")]))
    assert (to, call_message["params"]["name"]) == ("server", "stop")


def test_a_list_that_changes_whenever_it_is_read_is_taken() -> None:
    """A list that changes during each reading is used after three tries, and the client is told
    once.
    """
    pair = Pair()
    changed = note("notifications/tools/list_changed")
    ((_, listing),) = pair.ask(request(1, "tools/list"))
    notifications = []
    for turn in range(3):
        notifications += pair.tell(changed) + pair.tell(changed)
        ((to, message),) = pair.tell(answer(listing["id"], tools=[tool(f"t{turn}")]))
        listing = message
    assert notifications == [("client", changed)]
    assert (to, message["id"]) == ("client", 1)
    assert "t2" in json.dumps(message)


@pytest.mark.parametrize(
    "result", [{}, {"tools": 3}, {"tools": [3]}, {"tools": [], "nextCursor": ["a"]}]
)
def test_what_is_no_list_is_an_error(result: Message) -> None:
    """An invalid list is error E823, and the next request tries again."""
    pair = Pair()
    ((_, listing),) = pair.ask(request(1, "tools/list"))
    assert error_of(pair.tell(answer(listing["id"], **result))) == (1, -32603, "E823")
    assert pair.list()[0][0] == "client"


def test_a_list_that_does_not_end_is_an_error() -> None:
    """A repeated cursor, or more than a thousand pages, is an error."""
    pair = Pair()
    ((_, listing),) = pair.ask(request(1, "tools/list"))
    for cursor in ("a", "b"):
        ((_, listing),) = pair.tell(answer(listing["id"], tools=[], nextCursor=cursor))
    messages = pair.tell(answer(listing["id"], tools=[], nextCursor="a"))
    assert error_of(messages) == (1, -32603, "E823")
    ((_, listing),) = pair.ask(request(1, "tools/list"))
    for page in range(1000):
        ((_, listing),) = pair.tell(answer(listing["id"], tools=[], nextCursor=str(page)))
    messages = pair.tell(answer(listing["id"], tools=[], nextCursor="one more"))
    assert error_of(messages) == (1, -32603, "E823")


def test_a_list_of_too_many_tools_is_an_error() -> None:
    """A list with too many tools is an error, so that one server does not delay the others."""
    pair = Pair()
    ((_, listing),) = pair.ask(request(1, "tools/list"))
    half = [tool("stop")] * 5001
    ((_, listing),) = pair.tell(answer(listing["id"], tools=half, nextCursor="a"))
    messages = pair.tell(answer(listing["id"], tools=half, nextCursor="b"))
    assert error_of(messages) == (1, -32603, "E823")


def test_errors_of_a_listing_reach_who_waits() -> None:
    """An error of the server's list, or a taken name, reaches all waiting requests."""
    pair = Pair()
    ((_, listing),) = pair.ask(request(1, "tools/list"))
    pair.ask(call("two", "x"))
    error = {"code": -32601, "message": "Method not found"}
    messages = pair.tell({"jsonrpc": "2.0", "id": listing["id"], "error": error})
    assert [(message["id"], message["error"]) for _, message in messages] == [
        (1, error),
        ("two", error),
    ]
    assert error_of(pair.list({**ODD, "name": "call"})) == (1, -32603, "E823")
    late = answer(listing["id"], tools=[WEATHER])
    assert pair.tell(late) == []


def test_cancelling() -> None:
    """Cancelling a request reaches the server, or drops a request that waits in the proxy."""
    pair = Pair()
    ((_, listing),) = pair.ask(call(1, "weather Rome"))
    pair.ask(call(2, "weather Paris"))
    cancel = note("notifications/cancelled", requestId=1)
    assert pair.ask(cancel) == []
    ((_, forwarded),) = pair.tell(answer(listing["id"], tools=[WEATHER]))
    assert forwarded["id"] == 2
    cancel = note("notifications/cancelled", requestId=2)
    assert pair.ask(cancel) == [("server", cancel)]
    assert pair.proxy.deadline == float("inf")


@pytest.mark.parametrize(
    ("method", "timeout_s", "limit_s"),
    [
        ("tools/list", 5, 5),
        ("prompts/list", 5, 5),
        ("ping", 5, 5),
        ("tools/list", 300, 60),
        ("prompts/list", 300, 60),
        ("initialize", 5, 60),
        ("server/discover", 5, 60),
    ],
)
def test_the_time_for_lists_and_for_starting(method: str, timeout_s: float, limit_s: float) -> None:
    """A list has the time of a call, but at most a minute. Starting always has a minute."""
    pair = Pair(timeout_s=timeout_s)
    pair.ask(request(1, method))
    assert pair.proxy.deadline == limit_s
    ((_, error), _) = pair.flat(pair.proxy.flush_overdue(limit_s))
    assert f"does not answer in {limit_s} s" in error["error"]["message"]


def test_a_silent_server_that_wrote_something_else() -> None:
    """The error of a server that does not answer says that some of its output was not read."""
    pair = Pair(timeout_s=10)
    pair.ask(request(1, "tools/call", name="x"))
    assert pair.flat(pair.proxy.iterate_errors_for_unreadable(["ready", ["x"]])) == []
    ((_, error), _) = pair.flat(pair.proxy.flush_overdue(11.0))
    assert error["error"]["message"] == (
        "the MCP server does not answer in 10 s"
        " (lines of its output that are not messages of MCP: 2) [E822]"
    )


def test_a_silent_server_is_given_up() -> None:
    """A call without an answer or progress in time is error E822, and the server is told to cancel
    it.
    """
    pair = Pair(timeout_s=10)
    pair.list()
    pair.ask(request(5, "prompts/get"))
    pair.ask(call(2, "weather Rome", _meta={"progressToken": "t"}))
    pair.ask(request(3, "subscriptions/listen"))
    pair.ask(request(4, "ping"))
    pair.tell(answer(4))
    assert pair.proxy.deadline == 10
    pair.now = 8.0
    progress = note("notifications/progress", progressToken="t", progress=1)
    assert list(pair.proxy.feed_server_message(progress, 8.0)) == [Send("client", progress, 2)]
    assert error_of(pair.flat(pair.proxy.flush_overdue(10.0))) == (5, -32001, "E822")
    messages = pair.flat(pair.proxy.flush_overdue(18.0))
    assert error_of(messages) == (2, -32001, "E822")
    assert "does not answer in 10 s" in messages[0][1]["error"]["message"]
    assert messages[1][1]["params"]["requestId"] == 2


def test_answers_come_while_others_are_given_up() -> None:
    """Each request gets one answer, even if the client reads slowly while others time out."""
    pair = Pair(timeout_s=10)
    for number in (1, 2, 3):
        pair.ask(request(number, "prompts/get"))
    given_up = iter(pair.proxy.flush_overdue(10.0))
    assert next(given_up).message["id"] == 1
    assert pair.tell(answer(2)) == [("client", answer(2))]
    assert [one.message["id"] for one in given_up if one.to == "client"] == [3]
    pair.ask(request(4, "prompts/get"))
    pair.ask(request(5, "prompts/get"))
    ends = iter(pair.proxy.flush_all_as_failed())
    assert next(ends).message["id"] == 4
    assert pair.tell(answer(5)) == [("client", answer(5))]
    assert list(ends) == []


def test_a_silent_listing_is_given_up() -> None:
    """A listing without an answer times out after a minute, even if calls may take longer."""
    pair = Pair(timeout_s=1000)
    pair.ask(request(1, "tools/list"))
    pair.ask(request(2, "initialize"))
    assert pair.proxy.deadline == 60
    messages = pair.flat(pair.proxy.flush_overdue(60.0))
    assert [message["id"] for to, message in messages if to == "client"] == [2, 1]
    assert [m["params"]["requestId"] for to, m in messages if to == "server"] == [2, f"{OWN}1"]
    assert pair.flat(pair.proxy.flush_overdue(61.0)) == []


def test_a_lost_server() -> None:
    """After the server has ended, waiting and later requests fail with E821, and notifications are
    dropped.
    """
    pair = Pair()
    pair.ask(request(1, "prompts/list"))
    pair.ask(request(2, "tools/list"))
    messages = pair.flat(pair.proxy.flush_all_as_failed())
    assert [(m["id"], m["error"]["data"]["code"]) for _, m in messages] == [
        (1, "E821"),
        (2, "E821"),
    ]
    assert error_of(pair.ask(request(3, "ping"))) == (3, -32000, "E821")
    assert pair.ask(note("notifications/initialized")) == []
    assert pair.ask(note("notifications/cancelled", requestId=9)) == []
    assert pair.flat(pair.proxy.flush_all_as_failed()) == []


def test_over_http_there_is_only_the_first_era() -> None:
    """Over HTTP with a command, a client of version 2026-07-28 falls back to sessions."""
    pair = Pair(handshake_only=True)
    ((to, error),) = pair.ask(request(0, "server/discover"))
    assert (to, error["id"], error["error"]["code"]) == ("client", 0, -32601)


@pytest.mark.parametrize(
    "value",
    [
        '{"jsonrpc": "2.0", "id": 7, "result": {"content": [{"type": "text", "text": "\\ud800"}]}}',
        b'{"jsonrpc": "2.0", "id": 7, "result": {"x": "\\udfff"}}',
        {"jsonrpc": "2.0", "id": 7},
        {"jsonrpc": "2.0", "id": 7, "result": None},
        {"jsonrpc": "2.0", "id": 7, "result": "text"},
    ],
)
def test_an_answer_that_is_no_message_fails_its_request(value: Any) -> None:
    """An invalid answer fails its request at once, and once."""
    pair = Pair(mode="pass")
    pair.ask(request(7, "tools/call", name="x", arguments={}))
    messages = pair.flat(pair.proxy.iterate_errors_for_unreadable([value, {"code": 1}, value]))
    assert error_of(messages) == (7, -32603, "E824")
    assert pair.proxy.deadline == float("inf")


@pytest.mark.parametrize(
    "value",
    [
        "ready",
        '{"id": 7',
        "[" * 200_000,
        "[7]",
        [7],
        None,
        {"id": [7]},
        {"id": 8},
        {"id": 7, "method": "sampling/createMessage", "params": 4},
    ],
)
def test_what_answers_nothing_fails_nothing(value: Any) -> None:
    """Printed text and the server's own requests are not answers, and fail nothing."""
    pair = Pair(mode="pass")
    pair.ask(request(7, "tools/call", name="x", arguments={}))
    assert pair.flat(pair.proxy.iterate_errors_for_unreadable([value])) == []
    assert pair.proxy.deadline < float("inf")


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ('{"jsonrpc": "2.0", "id": 7, "method": "x", "params": {"a": "\\ud800"}}', 7),
        ({"id": "a", "method": 5}, "a"),
        ('{"id": 1.5, "method": "x"}', None),
        ('{"id": true, "method": "x"}', None),
        ('{"id": 7, "result": {}}', None),
        ('{"method": "x"}', None),
        ("[7]", None),
        ("{", None),
    ],
)
def test_a_request_that_is_no_message_is_refused(value: Any, number: Any) -> None:
    """An invalid request is refused, so that its client does not wait; other invalid messages are
    dropped.
    """
    refusals = [message for _, message in Pair.flat(Pair().proxy.iterate_refusals([value, value]))]
    assert [(one["id"], one["error"]["code"]) for one in refusals] == [(number, -32600)][
        : len(refusals)
    ]
    assert len(refusals) == (number is not None)


def test_a_listing_that_is_no_message_fails_what_waits() -> None:
    pair = Pair()
    ((_, listing),) = pair.ask(request(1, "tools/list"))
    messages = pair.flat(
        pair.proxy.iterate_errors_for_unreadable([{**listing, "method": 0}, {"id": listing["id"]}])
    )
    assert error_of(messages) == (1, -32603, "E824")
    assert pair.proxy.deadline == float("inf")


def test_a_call_has_the_schema_that_its_headers_are_made_of() -> None:
    """The headers of a call, also of a line, follow the server's own schema, if it was listed."""
    pair = Pair()
    pair.list(WEATHER, ODD)
    sends = [
        *pair.proxy.feed_client_message(call(2, "weather Rome"), 0.0),
        *pair.proxy.feed_client_message(
            request(3, "tools/call", name=ODD["name"], arguments={}), 0.0
        ),
        *pair.proxy.feed_client_message(request(4, "tools/call", name="none", arguments={}), 0.0),
        *Pair(mode="pass").proxy.feed_client_message(request(5, "tools/call", name="weather"), 0.0),
    ]
    schemas = [WEATHER["inputSchema"], ODD["inputSchema"], None, None]
    assert [send.schema for send in sends] == schemas
