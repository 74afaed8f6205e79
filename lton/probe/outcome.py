"""Count how many calls a model wrote, how many its server delivered, and how many were right."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import starmap
from typing import Any

from lton.lenient import decode_lenient
from lton.probe.asking import GivenAnswer
from lton.probe.questions import Question
from lton.schema.toolset import ToolSet

_SILENT = 3
"""If an answer has this many tokens but neither text nor a call, the server dropped the call."""


def _names_right_tool(question: Question, reply: GivenAnswer) -> bool:
    names = [call.name for call in reply.calls]
    return question.call is not None and names == [question.call.name]


def is_written(reply: GivenAnswer, tools: ToolSet) -> bool:
    """Return whether the model wrote a call, even if the server did not deliver the call."""
    if reply.calls or (reply.sampled >= _SILENT and not (reply.text.strip() or reply.error)):
        return True
    read = decode_lenient(reply.text, tools)
    return bool(read.calls or read.uncertain or read.errors)


@dataclass(slots=True)
class AskedWay:
    """The questions, and the answers received from the server or through the gateway."""

    name: str
    tools: ToolSet
    replies: list[tuple[Question, GivenAnswer]] = field(default_factory=list)

    def add_reply(self, question: Question, reply: GivenAnswer) -> None:
        self.replies.append((question, reply))

    def describe_reply(self, question: Question, reply: GivenAnswer) -> str:
        """Return what became of a question, in a few words."""
        if reply.error:
            return f"an error: {reply.error}"
        if reply.calls:
            names = ", ".join(call.name for call in reply.calls)
            wrong = "wrong" if question.call else "unwanted"
            return f"a call of {names} ({'right' if question.is_right(reply.calls) else wrong})"
        if is_written(reply, self.tools):
            return "a call that did not arrive"
        return "no call" if question.call else "no call (right)"

    def iterate_answers(self) -> Iterator[dict[str, Any]]:
        for question, reply in self.replies:
            calls = [{"name": call.name, "arguments": call.arguments} for call in reply.calls]
            answer = {"calls": calls, "text": reply.text, "error": reply.error}
            yield {"question": question.text, "is_right": question.is_right(reply.calls), **answer}

    def to_figures(self) -> dict[str, Any]:
        replies = [reply for _, reply in self.replies]
        return {
            **self._call_figures(),
            "errors": len([reply for reply in replies if reply.error]),
            "prompt_tokens": sum(reply.prompt for reply in replies),
            "sampled_tokens": sum(reply.sampled for reply in replies),
            "seconds": round(sum(reply.seconds for reply in replies), 1),
        }

    def _call_figures(self) -> dict[str, int]:
        """Count the calls that were wanted, that arrived, and that were made without need."""
        answerable = [(question, reply) for question, reply in self.replies if question.call]
        unanswerable = [reply for question, reply in self.replies if not question.call]
        delivered = [(question, reply) for question, reply in answerable if reply.calls]
        right = sum(question.is_right(reply.calls) for question, reply in delivered)
        return {
            "wanted": len(answerable),
            "written": sum(is_written(reply, self.tools) for _, reply in answerable),
            "delivered": len(delivered),
            "right_tool": sum(starmap(_names_right_tool, delivered)),
            "right": right,
            "wrong": len(delivered) - right,
            "unwanted": len(unanswerable),
            "made_where_none_fits": len([reply for reply in unanswerable if reply.calls]),
        }


_ROWS: Mapping[str, str] = {
    "written": "calls written by the model",
    "delivered": "  that reached the client",
    "right_tool": "    to the right tool",
    "right": "    with the right arguments, too",
    "made_where_none_fits": "calls where no tool fits",
    "errors": "errors",
    "prompt_tokens": "tokens of prompts",
    "sampled_tokens": "tokens sampled",
    "seconds": "seconds",
}


def iterate_rows(ways: Sequence[AskedWay]) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the result table: a label, and then a figure for each of the `ways`."""
    figures = [way.to_figures() for way in ways]
    yield ("", *(way.name for way in ways))
    for key, name in _ROWS.items():
        if key == "errors" and not any(figure[key] for figure in figures):
            continue
        of = {"written": "wanted", "made_where_none_fits": "unwanted"}.get(key)
        yield (name, *(f"{figure[key]:,}{f' of {figure[of]}' if of else ''}" for figure in figures))


def count_lost(way: AskedWay) -> int:
    """Return the number of the model's calls that did not reach the client."""
    figures = way.to_figures()
    return int(figures["written"] - figures["delivered"])
