"""Test the study of windows with native calls, with a scripted upstream."""

from dataclasses import replace
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from lton_bench.study.follow import Place
from lton_bench.study.follow_native import LOOK, PUT_AWAY, WHOLE, Reply, asked, markdown
from tests.gateway.conftest import Served

REPLY = Reply("m", "pointer", WHOLE, 0, looked=0, again=False, words="", right=True)
CALLS = {"pointer": ("recall", '{"result":"t9"}'), "file": ("file_read", '{"file":"f1"}')}


class _Model:
    """A model that calls a tool, and then repeats the results in its request."""

    def __init__(self, name: str, arguments: str) -> None:
        self.function = {"name": name, "arguments": arguments}
        self.bodies: list[Any] = []

    async def answer(self, request: Request) -> JSONResponse:
        body = await request.json()
        if "messages" not in body:  # the gateway asks whether the server has this API
            return JSONResponse({}, 400)
        self.bodies.append(body)
        messages = body["messages"]
        said: dict[str, Any] = {"role": "assistant", "content": messages[-1]["content"]}
        if messages[-1]["role"] == "user":
            call = {"id": "a", "type": "function", "function": self.function}
            said = {"role": "assistant", "content": None, "tool_calls": [call]}
        choice = {"index": 0, "message": said, "finish_reason": "stop"}
        usage = {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10}
        return JSONResponse({"id": "b", "model": "m", "choices": [choice], "usage": usage})


def _ask(model: _Model, place: Place, way: str, number: int = 0) -> Reply:
    path = "/v1/chat/completions"
    served = Served(Starlette(routes=[Route(path, model.answer, methods=["POST"])]))
    try:
        return asked(served.url, "m", place, way, number)
    finally:
        served.close()


@pytest.mark.parametrize("place", CALLS)
def test_the_gateway_answers_a_call_that_looks(place: Place) -> None:
    """The answer is not in the first request; the gateway answers the call, and the model repeats
    it.
    """
    model = _Model(*CALLS[place])
    replies = [_ask(model, place, PUT_AWAY, number) for number in range(6)]
    assert all(each.looked == 1 and not each.again for each in replies)
    assert any(each.right for each in replies)
    first = [each for each in model.bodies if each["messages"][-1]["role"] == "user"]
    assert len(first) == 6
    for reply, body in zip(replies, first, strict=True):
        if reply.right:
            assert reply.words not in str(body["messages"])


def test_a_call_of_the_agents_tool_is_passed_to_the_agent() -> None:
    reply = _ask(_Model("get_order", '{"order":1}'), "pointer", LOOK)
    assert (reply.looked, reply.again, reply.right) == (0, True, False)


def test_without_a_window_all_results_are_shown() -> None:
    model = _Model("get_order", "{}")
    reply = _ask(model, "file", WHOLE)
    assert reply.looked == 0
    assert "recall" not in str(model.bodies[0]["tools"])
    assert str(model.bodies[0]["messages"]).count("ended with") == 80


def test_the_page_counts_each_way() -> None:
    replies = [
        replace(REPLY, way=PUT_AWAY, session=at, looked=at, again=at == 0, right=at > 1)
        for at in range(3)
    ]
    page = "\n".join(markdown([*replies, REPLY]))
    rows = [each for each in page.splitlines() if each.startswith("| m |")]
    assert rows[0].startswith("| m | a pointer | all results shown | 1 | 0.00")
    assert "| put away | 3 | 0.667" in rows[1]
    assert "| 1 | 0.333" in rows[1]
