"""What a model is shown: the tools as signatures, examples in the scaffold, the question."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lton.chat import Message, to_openai
from lton.generate.scaffolds import NONE, Scaffold, write
from lton.schema.toolset import ToolSet
from lton.schema.types import Call


@dataclass(frozen=True, slots=True)
class Shot:
    """An example: a question, its calls, and the tools if they are not those of the question."""

    question: str
    calls: Sequence[Call]
    tools: ToolSet | None = None


def signatures(tools: ToolSet) -> str:
    """Get tools as they are shown unless something else is asked for: a signature a line."""
    return tools.prompt(descriptions=False)


def chat(
    tools: ToolSet,
    question: str,
    scaffold: Scaffold | Callable[[Sequence[Call], ToolSet], str],
    shots: Sequence[Shot] = (),
    *,
    cue: str = "",
    may_decline: bool = False,
    parallel: bool = False,
    show: Callable[[ToolSet], str] = signatures,
) -> list[dict[str, str]]:
    """Get the messages that ask a question. Tools are shown before the first question to them.

    >>> tools = ToolSet.from_prompt("wait(minutes:int)")
    >>> from lton.generate.scaffolds import SCAFFOLDS
    >>> for message in chat(tools, "Wait 5 minutes.", SCAFFOLDS["python"]):
    ...     print(message["content"])
    Answer each request with exactly one tool call.
    Tools:
    wait(minutes:int)
    <BLANKLINE>
    Wait 5 minutes.
    """
    count = "tool calls, one a line" if parallel else "exactly one tool call"
    system = f"Answer each request with {count}."
    if may_decline:
        system += f" If no tool fits the request, answer: {NONE}"
    messages = [Message.saying("system", system)]
    shown: ToolSet | None = None

    def ask(question: str, of: ToolSet) -> None:
        nonlocal shown
        definitions = "" if of == shown else f"Tools:\n{show(of)}\n\n"
        messages.append(Message.saying("user", definitions + question))
        shown = of

    for shot in shots:
        of = shot.tools or tools
        ask(shot.question, of)
        if isinstance(scaffold, Scaffold):
            text = write(shot.calls, of, scaffold, cue)
        else:
            text = scaffold(shot.calls, of)
        messages.append(Message.saying("assistant", text))
    ask(question, tools)
    return to_openai(messages)
