"""Test that `lton probe --calibrate URL` measures when a server's model needs a tool."""

from pathlib import Path
from typing import Any

import pytest

from lton.cli import main
from lton.errors import ServerError
from lton.generate.need import find_first_token_line
from lton.probe.asking import ChatClient
from lton.probe.calibration import calibrate_server, fit_first_token_line, shipped_turns
from tests.tokens.faulty import Answer, serving

MODELS = {"data": [{"id": "m", "meta": {"n_params": 7, "size": 9}}]}
NEEDING = {turn.text for turn in shipped_turns() if turn.needs_tool}


def first_tokens(text: str) -> dict[str, float]:
    """Return the first tokens of a model that knows which messages need a tool."""
    call, words = (-0.1, -5.0) if text in NEEDING else (-5.0, -0.1)
    return {"{": call, "I": words}


def measured_server(models: Any = MODELS, *, most: int = 400, reply: Any = None) -> Answer:
    """Return a server that reports `most` first tokens, or always gives the same `reply`."""

    def answer(path: str, body: Any) -> Any:
        if path == "/v1/models":
            return 200, models
        if reply is not None:
            return reply
        if body["top_logprobs"] > most:
            return 400, {}
        tokens = first_tokens(body["messages"][-1]["content"])
        listed = [{"token": token, "logprob": value} for token, value in tokens.items()]
        return 200, {"choices": [{"logprobs": {"content": [{"top_logprobs": listed}]}}]}

    return answer


@pytest.mark.parametrize("most", [400, 20])
def test_a_server_is_measured_and_its_line_is_stored(
    most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A server that refuses many tokens, as vLLM does, is asked for 20."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    with serving(measured_server(most=most)) as server:
        assert main(["probe", "--calibrate", server.url]) == 0
        bodies = [body for path, body in server.asked if path == "/v1/chat/completions"]
    assert len(bodies) == (162 if most == 400 else 163)
    assert (bodies[-1]["model"], bodies[-1]["max_tokens"]) == ("m", 1)
    assert bodies[-1]["top_logprobs"] == most
    assert bodies[-1]["tools"][0]["type"] == "function"
    line = find_first_token_line("server/7/9")
    assert line is not None
    assert line.probability_of_call({"{": -0.1, "I": -5.0}) > 0.5
    assert line.probability_of_call({"{": -5.0, "I": -0.1}) < 0.5
    assert "area under the curve 1.000" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        ((200, {"choices": []}), "reports no probabilities of tokens"),
        ((200, 7), "reports no probabilities of tokens"),
        ((200, b"{"), "Expecting property name"),
        ((500, {}), "status 500"),
        ((400, {}), "status 400"),
    ],
)
def test_a_server_that_reports_no_tokens_is_an_error(reply: Any, error: str) -> None:
    """The error says what the server lacks."""
    with serving(measured_server(reply=reply)) as server:
        client = ChatClient(url=server.url, model="m", tools=())
        with pytest.raises(ServerError, match=error):
            calibrate_server(client, print)


def test_a_model_that_the_server_does_not_describe_is_not_measured(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A line belongs to certain weights, so they must be known."""
    with serving(measured_server({"data": [{"id": "m"}]})) as server:
        assert main(["probe", "--calibrate", server.url]) != 0
        assert len(server.asked) == 2
    assert "does not describe its model" in capsys.readouterr().err


def test_only_tokens_that_are_often_likely_get_a_weight() -> None:
    """A token that is listed for a few messages says little about others."""
    turns = shipped_turns()
    measured = [(turn, first_tokens(turn.text)) for turn in turns]
    rare = [(turn, {**first, "rare": -1.0}) for turn, first in measured[:20]]
    fit = fit_first_token_line([*rare, *measured[20:]])
    assert [*fit.line.weights] == ["I", "{"]
    assert (fit.area, fit.lost, fit.needed_count, fit.unneeded_count) == (1.0, 0, 66, 0)


def test_losses_are_counted_among_answers_that_begin_like_a_call() -> None:
    """Answers in words are never checked, so the threshold does not spare their messages."""
    turns = shipped_turns()
    lost_in_words = [turn for turn in turns if turn.needs_tool][:3]
    tokens = [
        (turn, {"I": -0.1, "{": -5.0} if turn in lost_in_words else first_tokens(turn.text))
        for turn in turns
    ]
    fit = fit_first_token_line(tokens)
    assert (fit.lost, fit.needed_count) == (0, 63)
    assert fit.line.probability_of_call({"{": -0.1, "I": -5.0}) >= 0.5
    assert fit.line.probability_of_call({"{": -5.0, "I": -0.1}) < 0.5


def test_messages_without_listed_tokens_are_left_out_of_the_fit() -> None:
    """A server lists none for an empty answer, and none for a part of a character."""
    unlisted = next(turn.text for turn in shipped_turns())
    measured = measured_server()

    def answer(path: str, body: Any) -> Any:
        if path != "/v1/models" and body["messages"][-1]["content"] == unlisted:
            return 200, {"choices": [{"logprobs": None}]}
        return measured(path, body)

    with serving(answer) as server:
        client = ChatClient(url=server.url, model="m", tools=())
        fit = calibrate_server(client, lambda _: None)
    assert (fit.line.messages, fit.area) == (161, 1.0)
