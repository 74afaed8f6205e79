"""Test that a request is repeated without tools after an empty answer to an unreadable call."""

import json
from collections.abc import Sequence
from typing import Any

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from lton.gateway import serving
from lton.gateway.serving import build_application
from tests.gateway import native
from tests.gateway.conftest import Served, chat
from tests.gateway.native import PATHS, objects, stream, whole
from tests.generate.scripted import Weighing

CALL = '<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo"}}\n</tool_call>'


class Ollama:
    """A server that drops the text of a call if the request has tools, as Ollama's parsers do."""

    def __init__(
        self, owner: str, text: str = CALL, *, drops: bool = True, ending: str = "stop"
    ) -> None:
        self.owner, self.text, self.drops, self.ending = owner, text, drops, ending
        self.bodies: list[Any] = []
        routes = [Route(PATHS["chat"], self.answer, methods=["POST"])]
        self.app = Starlette(routes=[*routes, Route("/v1/models", self.models)])

    async def models(self, _: Request) -> Response:
        return JSONResponse({"data": [{"id": "m", "owned_by": self.owner}]})

    async def answer(self, request: Request) -> Response:
        body = await request.json()
        if not body:
            return JSONResponse({"error": {"message": "[] is too short - 'messages'"}}, 400)
        if body.get("max_tokens") == 1:  # a probe: the prompt is longer with a tool
            tokens = {"prompt_tokens": 9 + 30 * ("tools" in body), "completion_tokens": 1}
            return JSONResponse(json.loads(whole("chat", "Hi")) | {"usage": tokens})
        self.bodies.append(body)
        text = "" if self.drops and "tools" in body else self.text
        if body.get("stream"):
            events = stream("chat", text, reason=self.ending)
            return Response(b"".join(events), media_type="text/event-stream")
        answer = whole("chat", text, reason=self.ending)
        return Response(answer, media_type="application/json")


def answered(
    server: Ollama, *, streamed: bool = False, choice: Any = "auto", **options: Any
) -> tuple[Any, str]:
    upstream = Served(server.app)
    how = {"engine": "auto", "calls": "auto", "quiet": True, **options}
    served = Served(build_application(native.options(upstream.url, **how)))
    headers = {"x-lton-calls": "native"} if options.get("engine") == "plain" else {}
    url = served.url + PATHS["chat"]
    body = chat(stream=streamed, tool_choice=choice)
    response = httpx2.post(url, json=body, headers=headers)
    metrics = httpx2.get(served.url + "/metrics").text
    served.close()
    upstream.close()
    return response, metrics


def test_a_lost_call_is_read_from_an_answer_without_tools() -> None:
    """The client receives the call once, and the tokens of both answers."""
    server = Ollama("library")
    response, metrics = answered(server)
    (call,) = response.json()["choices"][0]["message"]["tool_calls"]
    assert call["function"]["name"] == "weather"
    assert json.loads(call["function"]["arguments"]) == {"city": "Oslo"}
    assert response.json()["usage"]["completion_tokens"] == 6
    assert ["tools" in body for body in server.bodies] == [True, False]
    assert "weather(city" in json.dumps(server.bodies[1]["messages"])
    assert "lton_retries_total 1.0" in metrics


def test_a_stream_of_a_lost_call_has_one_beginning() -> None:
    """The stream has one beginning, because nothing is sent before the second answer."""
    server = Ollama("library")
    response, _ = answered(server, streamed=True)
    deltas = [
        event["choices"][0]["delta"] for event in objects(response.content) if event["choices"]
    ]
    assert sum("role" in delta for delta in deltas) == 1
    calls = [call for delta in deltas for call in delta.get("tool_calls", ())]
    assert [call["function"]["name"] for call in calls if call.get("id")] == ["weather"]
    assert "".join(call["function"].get("arguments", "") for call in calls) == '{"city":"Oslo"}'
    assert ["tools" in body for body in server.bodies] == [True, False]


def test_prose_that_was_lost_stays_prose() -> None:
    """A second answer without a call is passed on as prose."""
    response, _ = answered(Ollama("library", "It is cold."))
    message = response.json()["choices"][0]["message"]
    assert (message["content"], message.get("tool_calls")) == ("It is cold.", None)


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    ("owner", "options", "count"),
    [
        ("library", {"calls": "native"}, 2),
        ("library", {"engine": "plain"}, 1),
        ("vllm", {}, 1),
        ("somebody", {}, 1),
    ],
)
def test_an_empty_answer_is_repeated_only_for_ollama(
    owner: str, options: dict[str, Any], count: int, streamed: bool
) -> None:
    """Other servers are asked once, and the client receives the empty answer of the server."""
    server = Ollama(owner)
    response, metrics = answered(server, streamed=streamed, **options)
    assert response.status_code == 200
    if streamed:
        assert objects(response.content)[-1]["usage"]["completion_tokens"] == 3 * count
    else:
        (choice,) = response.json()["choices"]
        assert (choice["message"]["content"], choice["finish_reason"]) == ("", "stop")
        assert response.json()["usage"]["completion_tokens"] == 3 * count
    assert ["tools" in body for body in server.bodies] == [True] * count
    assert f"lton_retries_total {count - 1}.0" in metrics


@pytest.mark.parametrize("streamed", [False, True])
def test_the_empty_answer_is_sent_if_there_is_no_other(streamed: bool) -> None:
    """If the answer without tools is empty, too, the client receives an empty answer."""
    server = Ollama("library", "")
    response, _ = answered(server, streamed=streamed)
    assert response.status_code == 200
    assert ["tools" in body for body in server.bodies] == [True, False, False]
    if not streamed:
        (choice,) = response.json()["choices"]
        assert (choice["message"]["content"], choice["finish_reason"]) == ("", "stop")


# --- a wrong call ---------------------------------------------------------------------------------

WRONG = '```json\n{"name": "weather", "arguments": {"city": ["Oslo"]}}\n```'
UNKNOWN = '```json\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n```'


class Choosing(Weighing):
    """A model for which the first tool always fits the question best."""

    def __init__(self, *pieces: str | None) -> None:
        super().__init__({}, {}, *pieces)

    def score_questions(self, contents: Sequence[str]) -> list[float]:
        return [-1.0, *[-9.0] * (len(contents) - 1)]


@pytest.fixture
def engines(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Answer guided requests with the engines in the returned list, instead of a server."""
    listed: list[Any] = []

    class Slot:
        def __init__(self, *_: Any, **__: Any) -> None: ...

        def __call__(self, **_: Any) -> Any:
            return listed.pop(0)

        def close(self) -> None: ...

    monkeypatch.setattr(serving, "ServerSlot", Slot)
    return listed


def asked_again(
    text: str, *, streamed: bool = False, ending: str = "stop", **options: Any
) -> tuple[Any, str]:
    """Return the answer of a gateway in front of a vLLM server whose model writes a wrong call."""
    server = Ollama("vllm", text, drops=False, ending=ending)
    return answered(server, streamed=streamed, **{"retry": 1, **options})


@pytest.mark.parametrize("text", [WRONG, UNKNOWN])
def test_a_wrong_call_is_made_again_by_guided_generation(engines: list[Any], text: str) -> None:
    """The client receives one correct call, and the tokens of both answers."""
    engines.append(Choosing('Oslo"', "}", None))
    response, metrics = asked_again(text)
    (choice,) = response.json()["choices"]
    (call,) = choice["message"]["tool_calls"]
    assert (call["function"]["name"], choice["finish_reason"]) == ("weather", "tool_calls")
    assert json.loads(call["function"]["arguments"]) == {"city": "Oslo"}
    assert response.json()["usage"]["completion_tokens"] == 3 + 2
    assert "lton_retries_total 1.0" in metrics


def test_a_stream_with_a_wrong_call_has_one_beginning(engines: list[Any]) -> None:
    """Nothing of the wrong call is sent, and the guided call is streamed."""
    engines.append(Choosing('Oslo"', "}", None))
    response, _ = asked_again(WRONG, streamed=True)
    deltas = [
        event["choices"][0]["delta"] for event in objects(response.content) if event["choices"]
    ]
    assert sum("role" in delta for delta in deltas) == 1
    calls = [call for delta in deltas for call in delta.get("tool_calls", ())]
    assert [call["function"]["name"] for call in calls if call.get("id")] == ["weather"]
    assert not any(delta.get("content") for delta in deltas)


@pytest.mark.parametrize("streamed", [False, True])
def test_a_wrong_call_is_sent_as_text_if_guided_generation_fails(
    engines: list[Any], streamed: bool
) -> None:
    """If the model writes no guided call, the client receives the first answer."""
    engines.append(Choosing('Oslo"', ")"))
    response, _ = asked_again(WRONG, streamed=streamed)
    answers = objects(response.content) if streamed else [response.json()]
    parts = [answer["choices"][0] for answer in answers if answer["choices"]]
    texts = [(part.get("delta") or part.get("message") or {}).get("content") for part in parts]
    assert "".join(filter(None, texts)) == WRONG
    (usage,) = [answer["usage"] for answer in answers if answer.get("usage")]
    assert usage["completion_tokens"] == 3 + 1


@pytest.mark.parametrize("options", [{"calls": "native"}, {"retry": 0}])
def test_guided_generation_corrects_calls_only_if_asked_to(
    engines: list[Any], options: dict[str, Any]
) -> None:
    """With another mode or without retries, guided generation is not used."""
    response, _ = asked_again(WRONG, **options)
    assert response.json()["choices"][0]["message"]["content"] == WRONG
    assert engines == []


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("ending", ["stop", "length"])
def test_a_required_call_is_made_by_guided_generation(
    engines: list[Any], streamed: bool, ending: str
) -> None:
    """Words instead of a required call are not sent, and both answers are counted.

    A token limit may have cut the words.
    """
    engines.append(Choosing('Oslo"', "}", None))
    response, metrics = asked_again(
        "It is cold.", streamed=streamed, ending=ending, choice="required"
    )
    answers = objects(response.content) if streamed else [response.json()]
    parts = [answer["choices"][0] for answer in answers if answer["choices"]]
    messages = [part.get("delta") or part.get("message") or {} for part in parts]
    names = [
        call["function"]["name"]
        for message in messages
        for call in message.get("tool_calls", ())
        if call.get("id")
    ]
    assert names == ["weather"]
    assert "It is cold." not in response.text
    assert "lton_retries_total 1.0" in metrics


@pytest.mark.parametrize("streamed", [False, True])
def test_words_are_sent_if_guided_generation_makes_no_required_call(
    engines: list[Any], streamed: bool
) -> None:
    """The client receives the first answer, with a note."""
    engines.append(Choosing('Oslo"', ")"))
    response, _ = asked_again("It is cold.", streamed=streamed, choice="required")
    assert response.status_code == 200
    answers = objects(response.content) if streamed else [response.json()]
    notes = [c["lton"]["notes"] for answer in answers for c in answer["choices"] if "lton" in c]
    assert [note["code"] for note_list in notes for note in note_list] == ["missing_call"]


@pytest.mark.parametrize("streamed", [False, True])
def test_a_cut_answer_is_not_asked_for_again_in_words(streamed: bool) -> None:
    """A second answer would be cut, too. Without guided generation, the client gets the words."""
    response, metrics = asked_again(
        "No", streamed=streamed, ending="length", choice="required", calls="native"
    )
    assert "No" in response.text
    assert "lton_retries_total 0.0" in metrics
