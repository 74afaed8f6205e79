"""Let a model answer a case under a condition, and return the judged answer as a sample."""

import time
from collections.abc import Mapping
from typing import Any, TypedDict

from lton import Call, ToolSet
from lton.engines import Engine, Scorer
from lton.engines.engine import prefetch
from lton.engines.llamacpp import LlamaEngine
from lton.errors import ContextFullError, IncompleteError, LTONError
from lton.generate import Shot
from lton.generate import ask as ask_guided
from lton_bench import bfcl
from lton_bench.direct import direct
from lton_bench.internals import minified
from lton_bench.scaffolds import named
from lton_bench.study.calls.conditions import Condition
from lton_bench.study.judge import judge
from lton_bench.study.tasks import Case, shots

__all__ = ["MAX_TOKENS", "Counted", "Sample", "answer", "count_engine", "question"]

MAX_TOKENS = 192
"""The most tokens of an answer, doubled for several calls. Right answers in JSON are shorter."""
CUT_OFF = "cut off"
UNREADABLE = "unreadable"


_ONE_CALL = ("simple_python", "multiple")
_SHOTS = {
    "parallel": ("simple_python", "parallel"),
    "irrelevance": ("simple_python", "irrelevance"),
}
"""The categories of the shots, with each possible kind of answer."""


class Sample(TypedDict):
    """A line of the samples. `failure` is empty if the answer is right.

    `seconds` are processor seconds of all threads. In all conditions, the cache has the beginning
    that the prompt shares with the previous prompt. `writing` are the seconds after the prompt was
    read.
    """

    model: str
    condition: str
    category: str
    id: str
    text: str
    calls: list[Any] | None
    failure: str
    prompt: int
    prefilled: int
    sampled: int
    seconds: float
    writing: float


class Counted:
    """An engine for one answer, which counts tokens also if the answer fails."""

    def __init__(self, engine: Any) -> None:
        self.engine = engine
        self.prompted = self.samples = self.read = self.fed = 0
        """Tokens of the prompt, sampled tokens, tokens read for the answer, and all read tokens."""
        self.began = 0.0
        """The processor time at which the prompt was read."""

    def prompt(self, messages: Any) -> list[int]:
        tokens: list[int] = self.engine.prompt(messages)
        self.prompted = self.prompted or len(tokens)
        return tokens

    def tokenize(self, text: str) -> list[int]:
        tokens: list[int] = self.engine.tokenize(text)
        return tokens

    def prefetch(self, chats: Any, texts: Any) -> None:
        prefetch(self.engine, chats=chats, texts=texts)

    def feed(self, tokens: Any) -> int:
        started = time.process_time()
        read: int = self.engine.feed(tokens)
        self._count(read, len(tokens) - self.prompted, started)
        return read

    def _count(self, read: int, own: int, started: float) -> None:
        """Count read tokens, and those of the answer if the prompt was also read."""
        self.fed += read
        if not self.began:  # what was read with the prompt, but is of the answer, took its share
            share = min(max(0, own) / read, 1.0) if read else 0.0
            now = time.process_time()
            self.began = now - (now - started) * share
            read = min(read, max(0, own))
        self.read += read

    def constrain(self, gbnf: str) -> Any:
        return self.engine.constrain(gbnf)

    def sample(self, grammar: Any) -> bytes | None:
        self.samples += 1
        sampled: bytes | None = self.engine.sample(grammar)
        if self.samples == 1 and not isinstance(self.engine, LlamaEngine):  # it reads only now
            self.began = time.process_time()
        return sampled


class CountedScorer(Counted):
    """A `Counted` for engines that score strings."""

    def score_pairs(self, pairs: Any) -> tuple[int, list[float]]:
        started = time.process_time()
        read, scores = self.engine.score_pairs(pairs)
        self._count(read, read, started)
        return read, scores

    def pick(self, scores: Any) -> int:
        picked: int = self.engine.pick(scores)
        return picked


def count_engine(engine: Engine) -> Counted:
    """Return an engine that counts the tokens of an answer."""
    return (CountedScorer if isinstance(engine, Scorer) else Counted)(engine)


def answer(engine: Counted, model: str, condition: Condition, case: Case) -> Sample:
    """Let a model answer a case; return a sample also for failures."""
    several, none = case.category == "parallel", case.category == "irrelevance"
    definitions = dict[str, str]()

    def toolset(case: Case) -> ToolSet:
        tools = ToolSet.from_tools(case.tools)
        definitions[tools.fingerprint] = "\n".join(minified(tool) for tool in case.tools)
        return tools

    options: dict[str, Any] = {
        "shots": [
            Shot(question(shot), [Call(*call) for call in bfcl.gold(shot)], toolset(shot))
            for shot in shots(condition.shots, _SHOTS.get(case.category, _ONE_CALL))
        ],
        "tool_choice": "auto" if none else "required",
        "parallel": several,
        "max_tokens": MAX_TOKENS * (1 + several),
    }
    tools = toolset(case)
    if condition.definitions == "schema":
        options["show"] = lambda tools: definitions[tools.fingerprint]
    elif condition.definitions == "described":
        options["show"] = ToolSet.prompt
    how: Mapping[str, Any] = (
        {"form": condition.form}
        if condition.form
        else {
            "scaffold": named(condition.scaffold, condition.cue),
            "weigh": condition.weigh,
            "retries": 0,
        }
    )
    calls, text, failure = None, "", ""
    started = time.process_time()
    try:
        generation = (direct if condition.form else ask_guided)(
            engine, question(case), tools, **how, **options
        )
    except LTONError as error:
        is_cut = isinstance(error, IncompleteError | ContextFullError)
        failure = CUT_OFF if is_cut else UNREADABLE
        text = getattr(error, "doc", "")
    else:
        text, calls = generation.text, [[call.name, call.arguments] for call in generation.calls]
        engine.read = generation.spent.prefilled
        failure = str(_judge_answer(case, generation.calls))
    ended = time.process_time()
    return Sample(
        model=model,
        condition=condition.name,
        category=case.category,
        id=case.id,
        text=text,
        calls=calls,
        failure=failure,
        prompt=engine.prompted,
        prefilled=engine.read,
        sampled=engine.samples,
        seconds=round(ended - started, 3),
        writing=round(ended - (engine.began or ended), 3),
    )


def _judge_answer(case: Case, calls: list[Call]) -> str:
    if case.answers:
        return judge(case, calls) or ""
    return "a call where none was wanted" if calls else ""


def question(case: Case) -> str:
    """Return the user's question, after the content of a system message."""
    return "\n\n".join(message["content"] for message in case.messages)
