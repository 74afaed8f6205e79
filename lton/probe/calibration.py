"""Measure the line that separates messages that need a tool from all others, for a model.

The messages are the turns of six conversations with tools of six domains: requests, follow-ups,
questions that no tool answers, near misses, small talk, refusals, questions about earlier results,
and requests that lack a value. Messages that need a tool are as long as the others, because
otherwise the length of a message would be part of what is measured.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from http.client import HTTPException
from pathlib import Path
from typing import Any, Generic, TypeVar
from urllib.error import HTTPError

from lton._require import require
from lton.apis.chat_api import CHAT
from lton.chat import Message, from_openai, to_openai
from lton.engines.engine import Engine, StateReader
from lton.errors import Code, LTONError, ServerError
from lton.gateway.native.call_prefix import decide_if_call
from lton.gateway.native.need_check import MOST_TOKENS, find_first_tokens, first_token_body
from lton.generate.chat import build_conversation
from lton.generate.need import (
    FirstTokenLine,
    FirstTokens,
    NeedLine,
    first_token_coordinates,
)
from lton.probe.asking import ChatClient
from lton.schema.toolset import ToolSet

MOST_LOST = 0.02
"""The share of messages that need a tool, for which no tool is called at the probability 0.5."""
_STRICTNESS = 100.0
"""The weight of short lines against right ones: the states have more numbers than there are
messages. The conversations that were left out were separated best at 30 to 300."""
_STRICTNESS_OF_TOKENS = 10.0
"""The same for the probabilities of tokens. Of 10 to 300, 10 was best for Qwen2.5-Coder 0.5B."""
_LEAST_LISTED = 0.3
"""The share of messages for which a token must be among the likeliest ones."""
_FEW_TOKENS = 20
"""The number of tokens that a server is asked for if it refuses more, as vLLM does by default."""
_TOO_MANY = 400
_MOST_UNLISTED = 10
"""If a server lists no tokens for that many messages in a row, it cannot be measured."""
_ROUNDS = 30
"""Newton's method needs fewer."""
_DIGITS = 5
"""The digits of a weight behind the point; the others change no decision."""


@dataclass(frozen=True, slots=True)
class LabelledTurn:
    """A message of the user after a conversation, its kind, and the calls that it needs.

    `domain` names the tools, which all turns of a conversation share. `calls` have a name and, for
    each argument, a list of right values; None in this list is a missing argument. `definitions`
    are those of the tools, as OpenAI's API has them.
    """

    domain: str
    kind: str
    text: str
    tools: ToolSet
    messages: Sequence[Message]
    calls: Sequence[Mapping[str, Any]]
    definitions: Sequence[Mapping[str, Any]] = ()

    @property
    def needs_tool(self) -> bool:
        """Whether the message needs a call."""
        return bool(self.calls)


@dataclass(frozen=True, slots=True)
class Measured:
    """The state of a model before it answers a turn.

    `is_checked` says whether the line decides about the answer. Over a server, it decides only
    about answers that begin like a call.
    """

    turn: LabelledTurn
    state: Sequence[float]
    is_checked: bool = True


def read_turns(path: Path) -> list[LabelledTurn]:
    """Return the turns in a file of conversations, in the order of their conversations."""
    turns = []
    for conversations in json.loads(path.read_bytes()):
        tools = ToolSet.from_tools(conversations["tools"])
        definitions = [{"type": "function", "function": tool} for tool in conversations["tools"]]
        history = _openai_messages(conversations["history"])
        for turn in sorted(conversations["turns"], key=lambda turn: str(turn["after"])):
            before = history if turn["after"] == "history" else []
            message = {"role": "user", "content": turn["text"]}
            turns.append(
                LabelledTurn(
                    domain=conversations["name"],
                    kind=turn["kind"],
                    text=turn["text"],
                    tools=tools,
                    messages=from_openai([*before, message]),
                    calls=turn["calls"],
                    definitions=definitions,
                )
            )
    return turns


def shipped_turns() -> list[LabelledTurn]:
    """Return the turns that every model is measured with."""
    return read_turns(Path(__file__).with_name("conversations.json"))


def _openai_messages(history: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return a history with calls as OpenAI's API writes them. Each result follows its call."""
    messages: list[dict[str, Any]] = []
    for rank, message in enumerate(history):
        if "tool_calls" in message:
            (call,) = message["tool_calls"]
            arguments = json.dumps(call["arguments"])
            function = {"name": call["name"], "arguments": arguments}
            calls = [{"id": f"call_{rank + 1}", "type": "function", "function": function}]
            messages.append({"role": "assistant", "content": None, "tool_calls": calls})
        elif message["role"] == "tool":
            messages.append({**message, "tool_call_id": f"call_{rank}"})
        else:
            messages.append(dict(message))
    return messages


def iterate_measured_states(engine: Engine, turns: Sequence[LabelledTurn]) -> Iterator[Measured]:
    """Yield the state of a model for each turn, as a guided answer reads it.

    Raises `LTONError` (E602) if the engine shows no states.
    """
    if not isinstance(engine, StateReader):
        msg = "expected a model in this process, because servers show no states of their models"
        raise LTONError(Code.MODEL, msg, hint="name the model's GGUF file")
    for turn in turns:
        chat = build_conversation(turn.messages, turn.tools, show=ToolSet.prompt)
        _, state = engine.read_state(engine.prompt(chat))
        yield Measured(turn, state)


_Line = TypeVar("_Line", NeedLine, FirstTokenLine)


@dataclass(frozen=True, slots=True)
class ScoredTurn:
    """A message, and its score by the line of the conversations that do not contain it.

    The score is the logarithm of the odds that a tool is needed, at the threshold of the whole fit.
    """

    turn: LabelledTurn
    score: float
    is_checked: bool


@dataclass(frozen=True, slots=True)
class Calibration(Generic[_Line]):
    """A line, and how it separates the messages of conversations that were left out of its fit.

    `lost` of `needed_count` and `declined` of `unneeded_count` are among the messages
    that the line decides about.
    """

    line: _Line
    left_out: Sequence[ScoredTurn]

    @property
    def area(self) -> float:
        """The area under the curve of all messages, between 0.5 (by chance) and 1."""
        needed_scores = [message.score for message in self.left_out if message.turn.needs_tool]
        unneeded_scores = [
            message.score for message in self.left_out if not message.turn.needs_tool
        ]
        return area_under_curve(needed_scores, unneeded_scores)

    @property
    def needed_count(self) -> int:
        return len(self._checked(needs_tool=True))

    @property
    def unneeded_count(self) -> int:
        return len(self._checked(needs_tool=False))

    @property
    def lost(self) -> int:
        return len([one for one in self._checked(needs_tool=True) if one.score < 0.0])

    @property
    def declined(self) -> int:
        return len([one for one in self._checked(needs_tool=False) if one.score < 0.0])

    def _checked(self, *, needs_tool: bool) -> list[ScoredTurn]:
        return [
            one for one in self.left_out if one.is_checked and one.turn.needs_tool is needs_tool
        ]

    def describe_figures(self) -> str:
        """Return the figures in two sentences."""
        return (
            f"area under the curve {self.area:.3f} in conversations that were left out\n"
            f"declined: {self.declined} of {self.unneeded_count} messages that need no tool, and "
            f"{self.lost} of {self.needed_count} that need one\n"
        )


def fit_line(
    measured: Sequence[Measured],
    *,
    most_lost: float = MOST_LOST,
    strictness: float = _STRICTNESS,
) -> Calibration[NeedLine]:
    """Fit the line to the states, by logistic regression.

    The probability 0.5 is where, in conversations that are left out in turn, the share `most_lost`
    of the messages that need a tool is lost, as nearly as whole messages allow. Only messages whose
    answers the line decides about are counted, unless there is none that needs a tool.
    """
    if not any(one.is_checked and one.turn.needs_tool for one in measured):
        measured = [replace(one, is_checked=True) for one in measured]
    scored = list(_iterate_left_out_scores(measured, strictness))
    scores = sorted(score for one, score in scored if one.is_checked and one.turn.needs_tool)
    threshold = scores[round(most_lost * len(scores))]
    weights, constant = _fit_logistic_regression(measured, strictness)
    line = NeedLine(
        weights=tuple(round(weight, _DIGITS) for weight in weights),
        constant=round(constant - threshold, _DIGITS),
        messages=len(measured),
    )
    return Calibration(
        line=line,
        left_out=[ScoredTurn(one.turn, score - threshold, one.is_checked) for one, score in scored],
    )


def _iterate_left_out_scores(
    measured: Sequence[Measured], strictness: float
) -> Iterator[tuple[Measured, float]]:
    """Yield each state with its score by a line that was fitted to the other conversations."""
    for domain in dict.fromkeys(one.turn.domain for one in measured):
        others = [one for one in measured if one.turn.domain != domain]
        weights, constant = _fit_logistic_regression(others, strictness)
        for one in measured:
            if one.turn.domain == domain:
                yield one, constant + _sum_of_products(weights, one.state)


def _sum_of_products(weights: Sequence[float], state: Sequence[float]) -> float:
    return sum(weight * number for weight, number in zip(weights, state, strict=True))


def _fit_logistic_regression(
    measured: Sequence[Measured], strictness: float
) -> tuple[list[float], float]:
    """Return the weights and the constant of a logistic regression with a penalty on the weights.

    Both kinds of messages count the same in total. There are fewer messages than numbers in a
    state, so Newton's method finds one weight for each message: the line is a sum of states.
    """
    numpy = require("numpy", "local")
    states = numpy.asarray([one.state for one in measured], dtype="float64")
    mean = states.mean(axis=0)
    deviation = states.std(axis=0) + 1e-9
    states = (states - mean) / deviation
    needs = numpy.asarray([one.turn.needs_tool for one in measured])
    signs = numpy.where(needs, 1.0, -1.0)
    counts = numpy.where(needs, needs.sum(), (~needs).sum())
    shares = len(measured) / (2.0 * counts * strictness)
    products = states @ states.T
    ones = numpy.ones((len(measured), 1))
    sums = numpy.zeros(len(measured))
    constant = 0.0
    for _ in range(_ROUNDS):
        scores = products @ sums + constant
        wrong = 1.0 / (1.0 + numpy.exp(signs * scores))
        curvature = shares * wrong * (1.0 - wrong) + 1e-9
        target = scores + shares * signs * wrong / curvature
        matrix = numpy.block(
            [[products + numpy.diag(1.0 / curvature), ones], [ones.T, numpy.zeros((1, 1))]]
        )
        solution = numpy.linalg.solve(matrix, numpy.append(target, 0.0))
        sums = solution[:-1]
        constant = float(solution[-1])
    weights = states.T @ sums / deviation
    return weights.tolist(), constant - float(mean @ weights)


def area_under_curve(higher: Sequence[float], lower: Sequence[float]) -> float:
    """Return how often a number of the first kind is higher than one of the second kind.

    >>> area_under_curve([3.0, 2.0], [1.0, 2.0])
    0.875
    """
    total = 0.0
    for one in higher:
        for other in lower:
            if one > other:
                total += 1.0
            elif one == other:
                total += 0.5
    return total / (len(higher) * len(lower))


def fit_first_token_line(
    measured: Sequence[tuple[LabelledTurn, FirstTokens]], *, most_lost: float = MOST_LOST
) -> Calibration[FirstTokenLine]:
    """Fit a line to the first tokens of a server's model, as `fit_line` does to states.

    Only tokens that are among the likeliest ones for many messages get a weight. Losses are counted
    among answers that begin like a call, because only those are checked.
    """
    counts = Counter(token for _, likeliest in measured for token in likeliest)
    least = _LEAST_LISTED * len(measured)
    tokens = sorted(token for token, count in counts.items() if count >= least)
    calibration = fit_line(
        [
            Measured(turn, first_token_coordinates(tokens, first), begins_like_call(turn, first))
            for turn, first in measured
        ],
        most_lost=most_lost,
        strictness=_STRICTNESS_OF_TOKENS,
    )
    line = FirstTokenLine(
        weights=dict(zip(tokens, calibration.line.weights, strict=True)),
        constant=calibration.line.constant,
        messages=calibration.line.messages,
    )
    return Calibration(line=line, left_out=calibration.left_out)


def begins_like_call(turn: LabelledTurn, likeliest: FirstTokens) -> bool:
    """Return whether the likeliest first token may begin a call.

    Servers show a special token, which may begin one, as an empty text.
    """
    token = max(likeliest, key=lambda token: likeliest[token])
    return not token.strip() or decide_if_call(token, turn.tools.by_name) is not False


def calibrate_server(
    client: ChatClient, show: Callable[[str], None]
) -> Calibration[FirstTokenLine]:
    """Measure a server's model with the shipped turns. `show` is told about the progress.

    Raises `ServerError` if the server does not answer, or reports no probabilities of tokens.
    """
    turns = shipped_turns()
    measured = []
    for rank, (turn, likeliest) in enumerate(iterate_first_tokens(client, turns)):
        show(f"message {rank + 1} of {len(turns)}")
        if likeliest:  # else the answer is empty, or begins with a part of a character
            measured.append((turn, likeliest))
    return fit_first_token_line(measured)


def iterate_first_tokens(
    client: ChatClient, turns: Iterable[LabelledTurn]
) -> Iterator[tuple[LabelledTurn, FirstTokens]]:
    """Yield each turn with the likeliest first tokens of a server's answer to it.

    They are empty if the answer is, or if it begins with a part of a character. Raises
    `ServerError` as `calibrate_server` does.
    """
    count = MOST_TOKENS
    unlisted = 0
    for turn in turns:
        chat = {"messages": to_openai(turn.messages), "tools": turn.definitions}
        try:
            likeliest = _ask_for_first_tokens(client, chat, count)
        except _TooManyTokensError:
            count = _FEW_TOKENS
            likeliest = _ask_for_first_tokens(client, chat, count)
        unlisted = 0 if likeliest else unlisted + 1
        if unlisted == _MOST_UNLISTED:
            raise _make_no_tokens_error(client, "the server reports no probabilities of tokens")
        yield turn, likeliest


class _TooManyTokensError(Exception):
    """Raised if a server refuses to list that many tokens."""


def _ask_for_first_tokens(client: ChatClient, chat: Mapping[str, Any], count: int) -> FirstTokens:
    body = {**first_token_body(chat, count), "model": client.model}
    try:
        likeliest = find_first_tokens(json.loads(client.fetch_json(CHAT.path, body)))
    except HTTPError as error:
        if error.code == _TOO_MANY and count > _FEW_TOKENS:
            raise _TooManyTokensError from None
        raise _make_no_tokens_error(client, f"status {error.code}") from None
    except (OSError, ValueError, HTTPException) as error:
        raise _make_no_tokens_error(client, str(error) or type(error).__name__) from None
    return likeliest or {}


def _make_no_tokens_error(client: ChatClient, why: str) -> ServerError:
    return ServerError(Code.SERVER, f"{client.url}: {why}")


def calibrate_engine(engine: Engine, show: Callable[[str], None]) -> Calibration[NeedLine]:
    """Measure a model with the shipped turns. `show` is told about the progress."""
    turns = shipped_turns()
    measured = []
    for rank, one in enumerate(iterate_measured_states(engine, turns)):
        show(f"message {rank + 1} of {len(turns)}")
        measured.append(one)
    return fit_line(measured)
