"""Ask a model through its server alone, and through `lton serve` in front of this server."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from lton.probe.asking import ChatClient, GivenAnswer
from lton.probe.questions import QUESTIONS, TOOLS, Question
from lton_bench.internals import minified

__all__ = [
    "ASKED",
    "DEFINITIONS",
    "BusyError",
    "PacedClient",
    "count_delivered",
    "free_cores",
    "one_line",
    "open_gateway",
]

_NAMES = ("get_weather", "set_timer", "read_file", "search_code")
_TEXTS = (
    "What will the weather be in Oslo for the next 3 days, in celsius?",
    "Set a timer of 10 minutes with the label tea.",
    "Read the file src/main.py.",
    "Who wrote the play Hamlet?",
)
ASKED: Sequence[Question] = [
    next(each for each in QUESTIONS if each.text == text) for text in _TEXTS
]
"""Four of the questions of `lton probe`. No tool fits the last question."""
DEFINITIONS = [tool for tool in TOOLS if tool["function"]["name"] in _NAMES]
_MOST_TOKENS = 64
_FIRST_S = 600.0
_LEAST_S = 60.0
_PATIENCE = 10.0


class BusyError(Exception):
    """The model did not answer in the time that it showed to need."""


@dataclass(slots=True)
class PacedClient:
    """Asks questions with a time limit that follows the speed of this machine."""

    client: ChatClient

    def measure_first_token(self, question: str) -> float:
        """Return the seconds until the model has read the tools, and set the time limit.

        The limit for each later answer is ten times this time, and at least a minute.
        """
        self.client = replace(self.client, timeout_s=_FIRST_S)
        seconds = self._ask(question, most=1).seconds
        self.client = replace(self.client, timeout_s=max(_LEAST_S, _PATIENCE * seconds))
        return seconds

    def ask(self, question: str) -> GivenAnswer:
        """Return the answer to a question. Raises `BusyError` if there is none in time."""
        return self._ask(question, most=_MOST_TOKENS)

    def _ask(self, question: str, most: int) -> GivenAnswer:
        answer = self.client.ask_question(question, stream=False, max_tokens=most)
        if answer.error:
            limit = f"{self.client.timeout_s:.0f} s"
            raise BusyError(f"no answer to {question!r} within {limit} ({answer.error})")
        return answer


def count_delivered(answers: Sequence[GivenAnswer]) -> int:
    """Return the number of answers with a call, among the answers to questions that need one."""
    pairs = zip(ASKED, answers, strict=True)
    return sum(bool(question.call and answer.calls) for question, answer in pairs)


def one_line(answer: GivenAnswer) -> str:
    """Return an answer as one line: its calls, or its text.

    >>> one_line(GivenAnswer(text="  Shakespeare  wrote it. "))
    'Shakespeare wrote it.'
    """
    if answer.calls:
        calls = ({"name": call.name, "arguments": call.arguments} for call in answer.calls)
        return " ".join(map(minified, calls))
    return " ".join(answer.text.split())


def free_cores() -> int:
    """Return the number of cores that other programs leave idle, from 1 to 4.

    A thread that waits for a busy core delays all other threads of the model.
    """
    idle = (os.cpu_count() or 1) - round(os.getloadavg()[0])
    return min(max(idle, 1), 4)


@contextmanager
def open_gateway(upstream: str) -> Iterator[str]:
    """Run `lton serve` in front of a server, and yield its address."""
    command = (sys.executable, "-m", "lton", "serve", "--upstream", upstream, "--port", "0")
    with tempfile.TemporaryFile() as log:
        gateway = subprocess.Popen(  # noqa: S603 - the command is written above
            command, stdout=subprocess.PIPE, stderr=log, text=True
        )
        assert gateway.stdout is not None
        try:
            address = gateway.stdout.readline().strip()
            if not address:
                log.seek(0)
                raise BusyError(f"lton serve did not start: {log.read().decode().strip()}")
            yield address
        finally:
            gateway.terminate()
            gateway.wait()
