"""Test that calls become guided by evidence, and that every request has one answer."""

import json
import lzma
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from lton.apis.registry import APIS as ALL_APIS
from lton.errors import Code, ServerError
from lton.gateway import call_mode, serving
from lton.gateway.apis.client_apis import ClientApi
from lton.gateway.command import make_options
from lton.gateway.road_evidence import (
    MEASURED,
    MOST_MODELS,
    TRANSITIONS,
    CallsState,
    MeasuredCalls,
    ModelOnServer,
    RoadEvidence,
)
from lton.gateway.serving import build_application
from lton.gateway.upstreams.local import LocalUpstream
from lton_bench.study.bfcl_judge import is_right
from lton_bench.study.servers.bfcl import cases
from lton_bench.study.tasks import Case
from tests.gateway import native
from tests.gateway.conftest import Served
from tests.gateway.native import (
    APIS,
    CITY,
    OSLO,
    PATHS,
    WRITTEN,
    count_increase,
    objects,
    request,
    stream,
    tool,
    whole,
)
from tests.gateway.test_inquiries import TEXT as UNCERTAIN
from tests.gateway.test_inquiries import found_in, members_of, output_tokens
from tests.gateway.test_lost_answers import Choosing
from tests.gateway.test_repeated_turns import body_of, called

SMALL, LARGE = MEASURED
RESULTS = Path(__file__).parents[2] / "benchmarks" / "results"
TABLE = RESULTS / "servers-bfcl.md"
RECORDED = RESULTS / "study" / "servers-bfcl.jsonl.xz"
CALLED: Any = [("weather", {"city": "Oslo"})]
STREAMED = pytest.mark.parametrize("streamed", [True, False])
GUIDED_LINE = (
    "lton: calls of 'Qwen2.5-Coder 1.5B': guided from now on in answers to a first message, because"
    " the server returns them as text, and guided calls were measured to be better"
    " (90 of 120 calls right, 35 of 40 unneeded ones declined;"
    " if read from text, 98 of 120 calls right, 12 of 37 unneeded ones declined)"
)


class LlamaServer:
    """A llama.cpp server whose model makes a call, which its parser may deliver.

    `model` identifies the weights. `apis` are the APIs that it has.
    """

    def __init__(self, model: str = LARGE) -> None:
        self.parameters, self.size = map(int, model.split("/")[1:])
        self.call: tuple[str, Any] = (OSLO, [])
        self.words: tuple[str, Any] = ("It is cold.", [])  # in answers without tools
        self.apis = list(APIS)
        self.bodies: list[Any] = []

    @property
    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/v1/models", self.models),
                Route("/props", lambda _: JSONResponse({"chat_template": "{{ tools }}"})),
                Route("/apply-template", self.lay_out, methods=["POST"]),
                *[Route(PATHS[api], self.answer, methods=["POST"]) for api in self.apis],
            ]
        )

    async def models(self, _: Request) -> Response:
        meta = {"n_params": self.parameters, "size": self.size}
        return JSONResponse({"data": [{"id": "m", "owned_by": "llamacpp", "meta": meta}]})

    async def lay_out(self, request: Request) -> Response:
        return JSONResponse({"prompt": (await request.body()).decode()})

    async def answer(self, request: Request) -> Response:
        body = json.loads(await request.body() or b"{}")
        if not body:
            return JSONResponse({"error": {}}, 400)
        self.bodies.append(body)
        api = next(api for api, path in PATHS.items() if path == request.url.path)
        said = self.call if body.get("tools") else self.words
        if body.get("stream"):
            return Response(b"".join(stream(api, *said)), media_type="text/event-stream")
        return Response(whole(api, *said), media_type="application/json")


@pytest.fixture
def server() -> LlamaServer:
    return LlamaServer()


@pytest.fixture
def engines(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return a list of engines, each of which writes one guided answer."""
    listed: list[Any] = []

    class Slot:
        def __init__(self, *_: Any, **__: Any) -> None: ...

        def __call__(self, **_: Any) -> Any:
            return listed.pop(0)

        def close(self) -> None: ...

    monkeypatch.setattr(serving, "ServerSlot", Slot)
    return listed


@pytest.fixture
def start(
    server: LlamaServer, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., httpx2.Client]]:
    """Return a function that starts a gateway before the server, without a check of calls."""
    monkeypatch.setattr(call_mode, "find_first_token_line", lambda _: None)
    closing: list[Any] = []

    def begin(**more: Any) -> httpx2.Client:
        upstream = Served(server.app)
        settings = {"calls": "auto", "engine": "auto", "quiet": True, "retry": 1, **more}
        gateway = Served(build_application(native.options(upstream.url, **settings)))
        client = httpx2.Client(base_url=gateway.url, timeout=20)
        closing.extend([client, gateway, upstream])
        return client

    yield begin
    for one in closing:
        one.close()


def ask(gateway: httpx2.Client, api: str = "chat", *, streamed: bool = False, **more: Any) -> Any:
    usage = {"stream_options": {"include_usage": True}} if streamed and api == "chat" else {}
    return gateway.post(PATHS[api], json=request(api, stream=streamed, **usage, **more))


def lines_in(text: str) -> list[str]:
    """Return the lines about the calls of a model."""
    return [line for line in text.splitlines() if line.startswith("lton: calls of ")]


def guided_engine() -> Choosing:
    return Choosing('Oslo"', "}", None)


# --- a server that returns calls as text ----------------------------------------------------------


@pytest.mark.parametrize("api", APIS)
@STREAMED
@pytest.mark.parametrize("has_api", [True, False])
def test_calls_of_a_measured_model_become_guided(
    start: Callable[..., httpx2.Client],
    server: LlamaServer,
    engines: list[Any],
    capsys: pytest.CaptureFixture[str],
    api: str,
    streamed: bool,
    has_api: bool,
) -> None:
    """The first call is read from text, the second is guided, and each is made once."""
    server.apis = [*APIS] if has_api else [name for name in APIS if name != api]
    engines.append(guided_engine())
    gateway = start()
    for _ in range(2):
        reply = ask(gateway, api, streamed=streamed)
        assert found_in(api, reply, streamed=streamed) == ("", CALLED)
    assert len(server.bodies) == 1
    assert engines == []
    assert lines_in(capsys.readouterr().err) == [GUIDED_LINE]


class Undecided(Choosing):
    """A model for which no tool makes the question likelier, and that would rather call."""

    def __init__(self, *pieces: str | None) -> None:
        super().__init__(*pieces)
        self.said[False] = {"n": -5.0, "w": -1.0}

    def score_questions(self, contents: Sequence[str]) -> list[float]:
        *scores, _ = super().score_questions(contents)
        return [*scores, -2.0]


@pytest.mark.parametrize("model", [LARGE, SMALL])
def test_the_first_token_of_some_models_has_to_decline_too(
    start: Callable[..., httpx2.Client], server: LlamaServer, engines: list[Any], model: str
) -> None:
    """A tool is called for a message that no tool makes likelier if the model would rather call."""
    server.parameters, server.size = map(int, model.split("/")[1:])
    gateway = start()
    ask(gateway)
    is_called = MEASURED[model].heeds_first_token
    pieces = CALL_PIECES if is_called else ("It is.", None)
    engines.append(Undecided(*pieces))
    headers = {"x-lton-calls": "guided"}
    reply = gateway.post(PATHS["chat"], json=request("chat"), headers=headers)
    expected = ("", CALLED) if is_called else ("It is.", [])
    assert found_in("chat", reply, streamed=False) == expected


@STREAMED
@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize(
    ("city", "more", "is_made"),
    [
        ("Oslo", {}, False),
        ("Bergen", {}, True),
        ("Oslo", {"repeat_tool_calls": True}, True),
    ],
)
def test_a_model_that_imitates_its_last_call_answers_in_words(
    start: Callable[..., httpx2.Client],
    server: LlamaServer,
    engines: list[Any],
    api: str,
    city: str,
    more: Any,
    streamed: bool,
    is_made: bool,
) -> None:
    """Its calls are text, and the call of the last result shows nothing that it needs."""
    gateway = start()
    ask(gateway, api)
    body = body_of(api, [called(city, "4 degrees")], stream=streamed, **more)
    reply = gateway.post(PATHS[api], json=body)
    assert found_in(api, reply, streamed=streamed) == (
        ("", CALLED) if is_made else ("It is cold.", [])
    )
    assert len(server.bodies) == (2 if is_made else 3)


BERGEN = '{"name": "weather", "arguments": {"city": "Bergen"}}'


@STREAMED
@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize(("city", "is_made"), [("Oslo", True), ("Bergen", False)])
def test_a_model_that_imitates_its_last_call_may_make_another(
    start: Callable[..., httpx2.Client],
    server: LlamaServer,
    engines: list[Any],
    api: str,
    city: str,
    streamed: bool,
    is_made: bool,
) -> None:
    """An answer without tools that is another call is the model's own word."""
    gateway = start()
    ask(gateway, api)
    written = WRITTEN.replace("Oslo", city)
    server.call = (f'{{"name": "weather", "arguments": {written}}}', [])
    server.words = (BERGEN, [])
    body = body_of(api, [called(city, "4 degrees")], stream=streamed)
    text, calls = found_in(api, gateway.post(PATHS[api], json=body), streamed=streamed)
    assert calls == [("weather", {"city": "Bergen"})] * is_made
    assert text == ("" if is_made else BERGEN)


def test_a_server_that_delivers_calls_may_repeat_them(
    start: Callable[..., httpx2.Client], server: LlamaServer, engines: list[Any]
) -> None:
    server.call = ("", [("weather", WRITTEN)])
    gateway = start()
    ask(gateway)
    reply = gateway.post(PATHS["chat"], json=body_of("chat", [called("Oslo", "4 degrees")]))
    assert found_in("chat", reply, streamed=False) == ("", CALLED)


def test_a_model_that_was_not_measured_is_rescued(
    start: Callable[..., httpx2.Client],
    server: LlamaServer,
    engines: list[Any],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Its calls are read from text, as before, and a line says so once."""
    server.size += 1
    gateway = start()
    for _ in range(2):
        assert found_in("chat", ask(gateway), streamed=False) == ("", CALLED)
    assert len(server.bodies) == 2
    (line,) = lines_in(capsys.readouterr().err)
    assert "'m': read from the text of answers" in line
    assert "were not measured" in line


def test_a_server_that_delivers_calls_stays_native(
    start: Callable[..., httpx2.Client],
    server: LlamaServer,
    engines: list[Any],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A later call as text is read from it."""
    server.call = ("", [("weather", WRITTEN)])
    gateway = start()
    assert found_in("chat", ask(gateway), streamed=False) == ("", CALLED)
    server.call = (OSLO, [])
    for _ in range(2):
        assert found_in("chat", ask(gateway), streamed=False) == ("", CALLED)
    assert len(server.bodies) == 3
    assert lines_in(capsys.readouterr().err) == []


@pytest.mark.parametrize("choice", ["required", "none"])
def test_only_optional_calls_are_evidence(
    start: Callable[..., httpx2.Client], server: LlamaServer, engines: list[Any], choice: str
) -> None:
    """A server may deliver required calls, because its grammar makes the model write them."""
    server.call = ("", [("weather", WRITTEN)])
    gateway = start()
    ask(gateway, tool_choice=choice)
    server.call = (OSLO, [])
    engines.append(guided_engine())
    for _ in range(2):
        assert found_in("chat", ask(gateway), streamed=False) == ("", CALLED)
    assert len(server.bodies) == 2


HISTORY = [
    {"role": "user", "content": "Hi."},
    {"role": "assistant", "content": "Hello."},
    {"role": "user", "content": "Is it cold in Oslo?"},
]
PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}
SEEN = {"messages": [{"role": "user", "content": [{"type": "text", "text": "Look!"}, PICTURE]}]}


@pytest.mark.parametrize(
    ("more", "headers"),
    [
        ({"messages": HISTORY}, {}),
        (SEEN, {}),
        ({"n": 2}, {}),
        ({"top_p": 0.5}, {}),
        ({"tool_choice": "none"}, {}),
        ({"response_format": {"type": "json_object"}}, {}),
        ({"tools": [{"type": "web_search"}]}, {}),
        ({}, {"x-lton-calls": "native"}),
    ],
)
def test_other_requests_stay_native(
    start: Callable[..., httpx2.Client],
    server: LlamaServer,
    engines: list[Any],
    more: Mapping[str, Any],
    headers: Mapping[str, str],
) -> None:
    """Later turns were not measured, and guided generation would heed only a part of the rest."""
    gateway = start()
    ask(gateway)
    reply = gateway.post(PATHS["chat"], json=request("chat", **more), headers=headers)
    assert reply.status_code == 200
    assert len(server.bodies) == 2


def test_the_users_choice_is_kept(
    start: Callable[..., httpx2.Client], server: LlamaServer, engines: list[Any]
) -> None:
    """With `--calls native`, no evidence changes the calls."""
    gateway = start(calls="native")
    for _ in range(2):
        assert found_in("chat", ask(gateway), streamed=False) == ("", CALLED)
    assert len(server.bodies) == 2


def test_a_request_does_not_wait_for_a_guided_answer(
    start: Callable[..., httpx2.Client],
    server: LlamaServer,
    engines: list[Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Guided answers are written one at a time, and native answers side by side."""
    gateway = start()
    ask(gateway)
    monkeypatch.setattr(LocalUpstream, "has_free_slot", False)
    assert found_in("chat", ask(gateway), streamed=False) == ("", CALLED)
    assert len(server.bodies) == 2


# --- what a guided answer takes -------------------------------------------------------------------

CALL_PIECES = ('Oslo"', "}", None)
BROKEN_PIECES = ('Oslo"', ")")
WITH_DAYS = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["city"],
}


@pytest.mark.parametrize("api", APIS)
@STREAMED
@pytest.mark.parametrize(
    ("text", "is_required", "pieces", "tokens"),
    [
        (UNCERTAIN, False, CALL_PIECES, 3 + 2),  # an inquiry, which is guided
        (UNCERTAIN, False, BROKEN_PIECES, 3 + 1),
        ("It is cold.", True, CALL_PIECES, 3 + 2),
        ("It is cold.", True, BROKEN_PIECES, 3 + 1),
    ],
)
def test_tokens_of_guided_answers_are_in_the_usage(
    start: Callable[..., httpx2.Client],
    server: LlamaServer,
    engines: list[Any],
    api: str,
    streamed: bool,
    text: str,
    is_required: bool,
    pieces: Sequence[str | None],
    tokens: int,
) -> None:
    """The client sees the sampled tokens of both answers, in the names of its API."""
    server.call = (text, [])
    engines.append(Choosing(*pieces))
    more: dict[str, Any] = {"tools": [tool(api, "weather", WITH_DAYS)]}
    if is_required:
        more["tool_choice"] = {"type": "any"} if api == "messages" else "required"
    reply = ask(start(), api, streamed=streamed, **more)
    assert (len(server.bodies), engines) == (1, [])
    assert output_tokens(api, reply, streamed=streamed) == tokens


# --- a guided answer that fails -------------------------------------------------------------------


class Broken(Choosing):
    """A model whose server fails after the beginning of a call."""

    def sample(self, grammar: Any) -> bytes | None:
        raise ServerError(Code.SERVER, "out of order")


def prompt_tokens(reply: httpx2.Response, *, streamed: bool) -> int:
    """Return the last count of the prompt; a stream of the messages API begins with an estimate."""
    usages = members_of(objects(reply.content) if streamed else reply.json(), "usage")
    counts = [usage.get("prompt_tokens", usage.get("input_tokens")) for usage in usages]
    *_, last = filter(None, counts)
    return int(last)


@pytest.mark.parametrize("api", APIS)
@STREAMED
@pytest.mark.parametrize("has_api", [True, False])
def test_a_guided_answer_that_fails_is_written_natively(
    start: Callable[..., httpx2.Client],
    server: LlamaServer,
    engines: list[Any],
    capsys: pytest.CaptureFixture[str],
    api: str,
    streamed: bool,
    has_api: bool,
) -> None:
    """The client gets one answer with the tokens of both, and later answers are native."""
    server.apis = [*APIS] if has_api else [name for name in APIS if name != api]
    engines.append(Broken())
    gateway = start()
    first = ask(gateway, api, streamed=streamed)
    with count_increase(gateway) as grown:
        reply = ask(gateway, api, streamed=streamed)
    assert found_in(api, reply, streamed=streamed) == ("", CALLED)
    assert grown["lton_retries_total"] == 1
    assert prompt_tokens(reply, streamed=streamed) > prompt_tokens(first, streamed=streamed)
    assert found_in(api, ask(gateway, api), streamed=False) == ("", CALLED)
    assert len(server.bodies) == 3
    assert engines == []
    *_, line = lines_in(capsys.readouterr().err)
    assert "read from the text of answers, because a guided answer failed" in line


class Talking(Broken):
    """A model that declines, says some words, and then fails."""

    def __init__(self, *pieces: str) -> None:
        super().__init__(*pieces)
        self.said[False] = {"n": -1.0, "w": -2.0}

    def score_questions(self, contents: Sequence[str]) -> list[float]:
        return [*[-9.0] * (len(contents) - 1), -1.0]

    def sample(self, grammar: Any) -> bytes | None:
        return Choosing.sample(self, grammar) if self.pieces else super().sample(grammar)


def test_a_stream_that_has_begun_stays_on_its_road(
    start: Callable[..., httpx2.Client], server: LlamaServer, engines: list[Any]
) -> None:
    """The client has seen words, so it gets the error, and not a second answer."""
    engines.append(Talking("Hello", " there", "."))
    gateway = start()
    ask(gateway, streamed=True)
    text = ask(gateway, streamed=True).text
    assert '"content":"Hello' in text
    assert "out of order" in text
    assert len(server.bodies) == 1


# --- the states -----------------------------------------------------------------------------------


def test_every_state_but_the_first_can_be_reached_and_some_evidence_ends_it() -> None:
    assert {*TRANSITIONS.values()} == {*CallsState} - {CallsState.UNSEEN}
    assert {state for state, _ in TRANSITIONS} == {*CallsState} - {CallsState.NATIVE}


def test_an_unlisted_transition_changes_nothing() -> None:
    """So a server that has delivered a call stays native, whatever follows."""
    model = ModelOnServer(name="m", identity=LARGE, has_probabilities=True)
    messages: list[str] = []
    roads = RoadEvidence(messages.append)
    roads.note_call(model, is_text=False)
    for is_text in (True, False):
        roads.note_call(model, is_text=is_text)
        roads.note_failure(model, "no")
        assert roads.state_of(model) is CallsState.NATIVE
    assert messages == []


@pytest.mark.parametrize(
    ("model", "state", "why"),
    [
        (ModelOnServer(name="m"), CallsState.RESCUED, "were not measured"),
        (ModelOnServer(name="m", identity=LARGE), CallsState.RESCUED, "impossible or not"),
        (
            ModelOnServer(name="m", identity=SMALL, has_probabilities=True),
            CallsState.RESCUED,
            "not clearly better (70 of 120 calls right, 28",
        ),
        (
            ModelOnServer(name="m", identity=LARGE, has_probabilities=True),
            CallsState.GUIDED,
            "90 of 120 calls right",
        ),
        (ModelOnServer(name="m", has_probabilities=True), CallsState.RESCUED, "not measured"),
    ],
)
def test_a_call_as_text_leads_to_the_better_way(
    model: ModelOnServer, state: CallsState, why: str
) -> None:
    """If the server delivers a call after all, its calls are native again."""
    messages: list[str] = []
    roads = RoadEvidence(messages.append)
    roads.note_call(model, is_text=True)
    assert roads.state_of(model) is state
    assert why in messages[0]
    roads.note_call(model, is_text=False)
    assert roads.state_of(model) is CallsState.NATIVE
    assert messages[1].endswith("native from now on, because the server delivers them")


def test_the_names_of_clients_do_not_fill_the_memory() -> None:
    """A name that is one too many is not told apart, and a long one is shown in part."""
    messages: list[str] = []
    roads = RoadEvidence(messages.append)
    names = [f"{number}{'m' * 500}\n" for number in range(MOST_MODELS + 1)]
    for name in names:
        roads.note_call(ModelOnServer(name=name), is_text=True)
    assert len(messages) == MOST_MODELS
    assert roads.state_of(ModelOnServer(name=names[-1])) is CallsState.UNSEEN
    assert all(len(line) < 300 and "\n" not in line for line in messages)


@pytest.mark.parametrize(
    ("gained", "lost", "is_better"),
    [(0, 0, False), (4, 0, False), (5, 0, True), (22, 17, False), (27, 15, True), (15, 27, False)],
)
def test_guided_calls_have_to_be_better_than_chance(
    gained: int, lost: int, is_better: bool
) -> None:
    """Five gains and no loss happen by chance once in 32 times."""
    assert replace(MEASURED[SMALL], gained=gained, lost=lost).is_better_guided is is_better


def test_the_figures_are_those_of_the_published_table() -> None:
    """The bench writes the table, and the gateway decides by the same figures."""
    sections = re.split(r"^### ", TABLE.read_text("utf-8"), flags=re.MULTILINE)[1:]
    read = dict(zip([text.split()[0] for text in sections], map(_measured, sections), strict=True))
    assert [*read.values()] == [(model.rescued, model.guided) for model in MEASURED.values()]
    assert [*read] == ["qwen-0.5b", "qwen-1.5b"]


def _measured(section: str) -> tuple[MeasuredCalls, MeasuredCalls]:
    rows = [line.split("|")[1:-1] for line in section.splitlines() if line.startswith("| `")]
    by_way = {row[0].strip(): [cell.strip() for cell in row[1:]] for row in rows}
    return _row(by_way["`lton serve`"]), _row(by_way["`lton serve --calls guided`"])


def _row(cells: list[str]) -> MeasuredCalls:
    """Read a row: the right ones of three kinds with one call, of several calls, and of none."""
    pairs = [[int(part) for part in cell.split(" of ")] for cell in cells if " of " in cell]
    *single, _, (declined, unwanted) = pairs
    right, total = map(sum, zip(*single, strict=True))
    return MeasuredCalls(
        right=right, needed_count=total, declined=declined, unneeded_count=unwanted
    )


def test_the_cases_that_differ_are_those_of_the_recorded_answers() -> None:
    """Both ways were asked the same cases."""
    cases_by_id = {case.id: case for case in cases(40) if case.category != "parallel"}
    right: dict[tuple[str, str], set[str]] = {}
    ids: dict[tuple[str, str], set[str]] = {}
    with lzma.open(RECORDED, "rt", encoding="utf-8") as lines:
        for line in map(json.loads, lines):
            if line["id"] in cases_by_id:
                way = line["model"], line["way"]
                ids.setdefault(way, set()).add(line["id"])
                if _is_right(cases_by_id[line["id"]], line):
                    right.setdefault(way, set()).add(line["id"])
    for model, measured in zip(("qwen-0.5b", "qwen-1.5b"), MEASURED.values(), strict=True):
        rescued, guided = (model, "`lton serve`"), (model, "`lton serve --calls guided`")
        both = ids[rescued] & ids[guided]
        gained = (right[guided] - right[rescued]) & both
        lost = (right[rescued] - right[guided]) & both
        assert (len(gained), len(lost)) == (measured.gained, measured.lost)


def _is_right(case: Case, line: Mapping[str, Any]) -> bool:
    if line["category"] == "irrelevance":
        return not line["calls"]
    return not line["error"] and is_right(
        case, [(name, arguments) for name, arguments in line["calls"]]
    )


CALL_ITEM = {"type": "function_call", "call_id": "1", "name": "stop", "arguments": "{}"}


@pytest.mark.parametrize(
    ("api", "body", "begins"),
    [
        ("chat", {"messages": [{"role": "system"}, {"role": "user"}]}, True),
        ("chat", {"messages": HISTORY}, False),
        ("chat", {"messages": [7]}, False),
        ("chat", {}, False),
        ("responses", {"input": "Hi"}, True),
        ("responses", {"input": "Hi", "previous_response_id": "1"}, False),
        ("responses", {"input": [{"role": "user"}, CALL_ITEM]}, False),
        ("messages", {"messages": [{"role": "user", "content": "Hi"}]}, True),
        ("gemini", {"contents": [{"role": "user"}, {"role": "model"}]}, False),
        ("gemini", {"contents": [{"parts": [{"text": "Hi"}]}]}, True),
        ("chat", {"messages": [{"content": "Hi"}]}, False),
        ("chat", {"messages": [{"role": ["user"]}]}, False),
        ("responses", {"input": "Hi", "conversation": "1"}, False),
    ],
)
def test_a_conversation_begins_without_an_answer(api: Any, body: Any, begins: bool) -> None:
    assert ALL_APIS[api].begins_conversation(body) is begins
    assert ALL_APIS[api].is_one_message(body) is begins


@pytest.mark.parametrize(
    ("api", "body"),
    [
        ("chat", {"messages": [{"role": "user"}, {"role": "user"}]}),
        ("chat", {"messages": [{"role": "system"}]}),
        ("chat", {"messages": []}),
        ("gemini", {"contents": [{"role": "user"}, {"parts": []}]}),
    ],
)
def test_a_beginning_of_several_messages_is_no_first_message(api: Any, body: Any) -> None:
    assert ALL_APIS[api].begins_conversation(body)
    assert not ALL_APIS[api].is_one_message(body)


ANSWERED: Mapping[str, Any] = {
    "chat": {"messages": HISTORY},
    "responses": {"input": HISTORY},
    "messages": {"messages": HISTORY},
    "gemini": {
        "contents": [
            {"parts": [{"text": "Hi."}]},
            {"role": "model", "parts": [{"text": "Hello."}]},
            {"parts": [{"text": "Is it cold in Oslo?"}]},
        ]
    },
}
GEMINI_PATH = "/v1beta/models/m:generateContent"
GEMINI_TOOLS = [{"functionDeclarations": [{"name": "weather", "parameters": CITY}]}]


def ask_in(gateway: httpx2.Client, api: str, more: Mapping[str, Any]) -> httpx2.Response:
    if api == "gemini":
        return gateway.post(GEMINI_PATH, json={"tools": GEMINI_TOOLS, **more})
    return gateway.post(PATHS[api], json=request(api, **more))


@pytest.mark.parametrize("api", ANSWERED)
def test_each_request_is_read_once_if_first_answers_are_guided(
    start: Callable[..., httpx2.Client],
    server: LlamaServer,
    engines: list[Any],
    monkeypatch: pytest.MonkeyPatch,
    api: str,
) -> None:
    """A later request is not read for a guided answer first."""
    server.apis = ["chat"]
    gateway = start()
    ask(gateway)
    engines.append(guided_engine())
    reads: list[Any] = []
    read_request = ClientApi.read_request

    def count_reads(client: ClientApi, body: Any) -> Any:
        reads.append(body)
        return read_request(client, body)

    monkeypatch.setattr(ClientApi, "read_request", count_reads)
    later = ANSWERED[api]
    first = {key: messages[-1:] for key, messages in later.items()}
    assert ask_in(gateway, api, first).status_code == 200
    assert (len(reads), engines) == (1, [])
    reads.clear()
    assert ask_in(gateway, api, later).status_code == 200
    assert len(reads) == (0 if api == "chat" else 1)  # its own API needs no reading


# --- a model in the gateway's process -------------------------------------------------------------


def test_a_model_in_this_process_is_guided_and_a_line_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """There is no other way, because no server writes its calls."""
    monkeypatch.setattr(serving, "load", lambda *_, **__: None)
    build_application(make_options(model="folder/model.gguf", quiet=True))
    line = "calls: guided, because 'model.gguf' runs in this process: the model writes only values"
    assert capsys.readouterr().err == f"lton: {line}\n"
