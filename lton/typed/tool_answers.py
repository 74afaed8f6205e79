"""Return the results of calls in LTON, or as messages of an API."""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from lton.chat import Message, to_anthropic, to_openai, to_responses
from lton.chat.deltas import Reply
from lton.chat.rendering import render
from lton.schema.toolset import ToolSet

AnswerApi: TypeAlias = Literal["openai", "responses", "anthropic"]


@dataclass(frozen=True, slots=True)
class ToolAnswers:
    """The results of calls. `str()` writes them in LTON."""

    tools: ToolSet
    reply: Reply
    results: tuple[Message, ...]

    def __str__(self) -> str:
        turns = render([self.reply.to_message(), *self.results], self.tools).messages
        return turns[-1].text if self.results else ""

    def messages(self, api: AnswerApi = "openai") -> list[dict[str, Any]]:
        """Return the calls and their results as messages for an API."""
        messages = [self.reply.to_message(), *self.results]
        match api:
            case "openai":
                return to_openai(messages)
            case "responses":
                return list(to_responses(messages)["input"])
        return list(to_anthropic(messages)["messages"])
