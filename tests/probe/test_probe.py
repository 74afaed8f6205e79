"""Test `lton probe`: its counts, and its reports on several kinds of servers."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from lton import Call, ToolSet, decode, encode
from lton._terminal import UsageError
from lton.cli import main
from lton.errors import Code, LTONError
from lton.probe import command
from lton.probe.asking import ChatClient, GivenAnswer, first_model, read_reply
from lton.probe.outcome import AskedWay, count_lost, iterate_rows
from lton.probe.questions import QUESTIONS, TOOLS, Question, questions_about
from tests.tokens.faulty import Answer, serving

WAIT = ToolSet.from_prompt("wait(minutes:int)\nstop")
ASKED = Question("Wait 5 minutes.", Call("wait", {"minutes": 5}))
NOTHING = Question("Hi")


def calling(name: str, arguments: Any) -> dict[str, Any]:
    return {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}}


def answer_with(**message: Any) -> dict[str, Any]:
    usage = {"prompt_tokens": 9, "completion_tokens": 7}
    choice = {"message": {"role": "assistant", **message}, "finish_reason": "stop"}
    return {"choices": [choice], "usage": usage}


def test_the_questions_fit_their_tools() -> None:
    """Sixteen questions need a call that a tool accepts, and eight need none."""
    tools = ToolSet.from_tools(TOOLS)
    calls = [question.call for question in QUESTIONS if question.call]
    assert (len(calls), len(QUESTIONS)) == (16, 24)
    assert [decode(encode(call, tools), tools) for call in calls] == [[call] for call in calls]
    assert all(Question("", call).is_right([call]) for call in calls)


@pytest.mark.parametrize(
    ("arguments", "is_right"),
    [
        ({"minutes": 5}, True),
        ({"minutes": 5.0}, True),
        ({"minutes": "5"}, False),
        ({"minutes": 6}, False),
        ({}, False),
        ({"minutes": 5, "seconds": 1}, False),
    ],
)
def test_a_call_is_right_by_its_values(arguments: Any, is_right: bool) -> None:
    assert ASKED.is_right([Call("wait", arguments)]) == is_right


@pytest.mark.parametrize(
    ("message", "calls_written", "delivered", "right"),
    [
        (answer_with(tool_calls=[calling("wait", '{"minutes": 5}')]), 1, 1, 1),
        (answer_with(tool_calls=[calling("wait", {"minutes": 5})]), 1, 1, 1),
        (answer_with(tool_calls=[calling("wait", '{"minutes": 6}')]), 1, 1, 0),
        (answer_with(tool_calls=[calling("stop", "{}")]), 1, 1, 0),
        (
            answer_with(content='```json\n{"name": "wait", "arguments": {"minutes": 5}}\n```'),
            1,
            0,
            0,
        ),
        (answer_with(content='<tool_call>\n{"name": "wait", "arguments": {"minu'), 1, 0, 0),
        (answer_with(content=""), 1, 0, 0),
        (answer_with(content="I cannot wait."), 0, 0, 0),
    ],
)
def test_calls_are_counted_where_they_got_to(
    message: Any, calls_written: int, delivered: int, right: int
) -> None:
    """A call that the server left as text, or dropped although its tokens are billed, counts as
    written.
    """
    way = AskedWay("the server", WAIT)
    way.add_reply(ASKED, read_reply(message))
    way.add_reply(NOTHING, read_reply(answer_with(content="Hello! How are you today?")))
    figures = way.to_figures()
    counts = figures["written"], figures["delivered"], figures["right"]
    assert counts == (calls_written, delivered, right)
    assert count_lost(way) == calls_written - delivered
    assert (figures["made_where_none_fits"], figures["prompt_tokens"]) == (0, 18)
    assert next(way.iterate_answers())["is_right"] == bool(right)


def test_arguments_that_are_no_object_are_an_error() -> None:
    way = AskedWay("the server", WAIT)
    way.add_reply(ASKED, read_reply(answer_with(tool_calls=[calling("wait", "{")])))
    assert way.to_figures()["errors"] == 1
    assert any(row[0] == "errors" for row in iterate_rows([way]))


def test_questions_are_made_of_the_tools_of_others() -> None:
    tools = ToolSet.from_prompt("wait(minutes:int)\nmail(to unit:C|F)\nmake(parts:[(a b)])\nnow")
    questions = questions_about(tools)
    assert [question.text for question in questions if question.call] == [
        "Use the tool wait with minutes 3.",
        "Use the tool mail with to alpha, unit C.",
        "Use the tool now.",
    ]
    assert sum(question.call is None for question in questions) == 1


def answering(reply: Answer) -> Answer:
    def answers(path: str, body: dict[str, Any]) -> Any:
        if path == "/v1/models":
            return 200, {"data": [{"id": "m", "owned_by": "library"}]}
        return reply(path, body) if path == "/v1/chat/completions" else (404, {})

    return answers


def in_fence(path: str, body: dict[str, Any]) -> Any:
    """Write the call of the first tool in a fence, as a server without a parser leaves it."""
    if not body.get("messages"):
        return 400, {}
    tools = body.get("tools")
    usage = {"prompt_tokens": 20 if tools else 5, "completion_tokens": 4}
    call = {"name": tools[0]["function"]["name"], "arguments": {"minutes": 3}} if tools else {}
    text = f"```json\n{json.dumps(call)}\n```"
    if not body.get("stream"):
        return 200, answer_with(content=text) | {"usage": usage}
    chunks = [
        {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": text}}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        {"object": "chat.completion.chunk", "choices": [], "usage": usage},
    ]
    data = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"

    def write(handler: Any) -> None:
        head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
        handler.wfile.write((head + data).encode())

    return write


def test_a_server_that_leaves_calls_as_text_is_told_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Through LTON the same answers are calls, and the exit status reports that the server loses
    calls.
    """
    tools = tmp_path / "tools.json"
    schema = {"type": "object", "properties": {"minutes": {"type": "integer"}}}
    schema["required"] = ["minutes"]
    definitions = [{"name": name, "input_schema": schema} for name in ("wait", "rest")]
    tools.write_text(json.dumps(definitions))
    with serving(answering(in_fence)) as server:
        status = main(["probe", server.url, "-t", str(tools)])
        output = capsys.readouterr().out
        assert status == 1
        assert "calls written by the model             2 of 2     2 of 2" in output
        assert "that reached the client                   0          2" in output
        assert "The server loses 2 calls, LTON 0." in output
        assert f"lton serve --upstream {server.url}\n" in output
        assert f"{server.url}: m, Ollama\n" in output
        assert main(["probe", f"{server.url}/v1", "-t", str(tools), "--json"]) == 1
        report = json.loads(capsys.readouterr().out)
    assert report["ways"]["with LTON"]["right"] == 1


def test_each_answer_is_shown_at_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each answer is a line on standard error, and `--questions` limits the questions. A signal
    ends the questions, and the answers so far are reported.
    """
    with serving(answering(in_fence)) as server:
        assert main(["probe", server.url, "--questions", "1"]) == 1
        output = capsys.readouterr()
        assert "1 of 1, the server: What will the weather be in Oslo" in output.err
        assert "-> a call that did not arrive" in output.err
        assert "1 of 1, with LTON: What will" in output.err
        assert "calls written by the model             1 of 1     1 of 1" in output.out
        ask = ChatClient.ask_question

        def end_after_one(self: ChatClient, question: str, **more: Any) -> GivenAnswer:
            if question == QUESTIONS[1].text:
                os.kill(os.getpid(), signal.SIGTERM)
            return ask(self, question, **more)

        monkeypatch.setattr(ChatClient, "ask_question", end_after_one)
        before = signal.getsignal(signal.SIGTERM)
        assert main(["probe", server.url]) == 1
        output = capsys.readouterr()
    assert "interrupted: the report is about the answers so far" in output.err
    assert "calls written by the model             1 of 1     1 of 1" in output.out
    assert "tool_choice=required gives nothing: it was not asked" in output.out
    assert signal.getsignal(signal.SIGTERM) == before
    with pytest.raises(SystemExit):
        main(["probe", "--questions", "-1", "http://127.0.0.1:9"])
    assert "expected a number of at least 0, found '-1'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (GivenAnswer(error="status 500"), "an error: status 500"),
        (GivenAnswer(calls=(Call("wait", {"minutes": 5}),)), "a call of wait (right)"),
        (GivenAnswer(calls=(Call("wait", {"minutes": 6}),)), "a call of wait (wrong)"),
        (GivenAnswer(text="Sure."), "no call"),
    ],
)
def test_an_answer_in_a_few_words(reply: GivenAnswer, words: str) -> None:
    way = AskedWay("the server", WAIT)
    assert way.describe_reply(ASKED, reply) == words
    unwanted = GivenAnswer(calls=(Call("stop", {}),))
    assert way.describe_reply(NOTHING, unwanted) == "a call of stop (unwanted)"
    assert way.describe_reply(NOTHING, GivenAnswer(text="Hi")) == "no call (right)"


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [(401, {}, "status 401"), (200, {}, "no list of models"), (200, b"?", "no list of models")],
)
def test_a_server_without_a_list_of_models_is_an_error(
    status: int, body: Any, message: str
) -> None:
    with serving(lambda path, request_body: (status, body)) as server:
        with pytest.raises(LTONError) as caught:
            first_model(ChatClient(url=server.url, model="", tools=()))
        assert (caught.value.code, message in str(caught.value)) == (Code.SERVER, True)


def test_what_fails_is_the_error_of_the_reply() -> None:
    client = ChatClient(url="http://127.0.0.1:1", model="m", tools=TOOLS)
    assert "refused" in client.ask_question("Hi", stream=False).error
    with serving(lambda path, body: (200, b"[" * 100)) as server:
        client = ChatClient(url=server.url, model="m", tools=TOOLS, key="k")
        assert client.ask_question("Hi", stream=False).error
        assert server.headers[0]["Authorization"] == "Bearer k"
    with serving(lambda path, body: (429, {"error": "later"})) as server:
        reply = ChatClient(url=server.url, model="m", tools=TOOLS).ask_question("Hi", stream=True)
        assert reply.error.startswith("status 429")
    assert GivenAnswer().calls == ()


def test_tools_that_cannot_be_asked_about_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "tools.json"
    file.write_text("[")
    with pytest.raises(UsageError, match="in JSON"):
        command._read_tools_and_questions(str(file))
    file.write_text("[]")
    with pytest.raises(UsageError, match="no tool"):
        command._read_tools_and_questions(str(file))
