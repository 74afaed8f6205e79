"""Write the input of a model: tools, and a question with examples or a conversation."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from lton._syntax import FORBIDDEN, Marks
from lton.chat import Message, Text, ToolCall, to_openai
from lton.chat.rendering import Renderer
from lton.chat.writing import Writer
from lton.generate.scaffolds import CALL, NONE, Scaffold, write_call, write_scaffolded_calls
from lton.generate.spelling import spell_thought
from lton.schema.toolset import ToolSet
from lton.schema.types import Call


@dataclass(frozen=True, slots=True)
class Shot:
    """An example of a question with its calls, which are `Call`s or instances of a `Toolbox`.

    Its thought is shown if the model has to think.
    """

    question: str
    calls: Sequence[Any]
    tools: ToolSet | None = None
    thought: str = ""


IN_WORDS = f"{NONE}\n\n"
"""The text before prose if there are tools. Of six texts that were tried, only this one made a
model of 135 million parameters write sentences. After the others, it wrote calls, or `none` again.
"""
_ASKED = (
    f"Answer each request with tool calls, one a line. If no tool fits the request, answer: {NONE}"
)
"""The same for every tool choice: the model is not shown tools that it may not call."""


def write_signatures(tools: ToolSet) -> str:
    """Write tools for a model: one signature per line."""
    return tools.prompt(descriptions=False)


def build_chat(
    tools: ToolSet,
    question: str,
    shots: Sequence[Shot] = (),
    *,
    write_calls: Callable[[Sequence[Any], ToolSet], str] = write_scaffolded_calls,
    may_decline: bool = False,
    parallel: bool = False,
    show: Callable[[ToolSet], str] = write_signatures,
    marks: Marks | None = None,
) -> list[dict[str, str]]:
    """Write the messages of a question with its tools and examples.

    `write_calls` writes the calls of examples in the format that the model should use. With
    `marks`, the thoughts of examples are shown.

    >>> tools = ToolSet.from_prompt("wait(minutes:int)")
    >>> for message in build_chat(tools, "Wait 5 minutes."):
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
    last_tools: ToolSet | None = None

    def add_question(question: str, of: ToolSet) -> None:
        nonlocal last_tools
        definitions = "" if of == last_tools else f"Tools:\n{show(of)}\n\n"
        messages.append(Message.saying("user", definitions + question))
        last_tools = of

    for shot in shots:
        of = shot.tools or tools
        add_question(shot.question, of)
        text = write_calls(shot.calls, of)
        if marks and shot.thought:
            text = spell_thought(shot.thought, marks) + text
        messages.append(Message.saying("assistant", text))
    add_question(question, tools)
    return [_plain_message(message["role"], message["content"]) for message in to_openai(messages)]


def build_conversation(
    messages: Sequence[Message],
    tools: ToolSet,
    scaffold: Scaffold = CALL,
    *,
    show: Callable[[ToolSet], str] = write_signatures,
) -> list[dict[str, str]]:
    r"""Write the messages of a conversation that the model is to continue.

    The tools come first, and the text before them does not depend on the question. So a model with
    a cache reads the tools once. Calls are written in the scaffold, prose follows the word for no
    call, and results are `!result` and `!error` frames in the order of the calls. Every history is
    accepted: calls keep their form, prose that looks like a frame is quoted, parts other than text
    are named, thoughts are omitted, and consecutive messages of one role are joined, as templates
    require.

    >>> from lton.chat import from_openai
    >>> call = {"id": "1", "function": {"name": "wait", "arguments": '{"minutes": 5}'}}
    >>> for message in build_conversation(from_openai([
    ...     {"role": "system", "content": "Be kind."},
    ...     {"role": "user", "content": "Wait!"},
    ...     {"role": "assistant", "tool_calls": [call]},
    ...     {"role": "tool", "tool_call_id": "1", "content": '{"ok": true}'},
    ...     {"role": "assistant", "content": "Done."}]),
    ...     ToolSet.from_prompt("wait(minutes:int)")):
    ...     print(message["role"], repr(message["content"][-39:]))
    system 'none\nTools:\nwait(minutes:int)\n\nBe kind.'
    user 'Wait!'
    assistant 'wait({"minutes": 5})'
    user '!result wait {ok true}'
    assistant 'none\n\nDone.'
    """
    instructions = [f"{_ASKED}\nTools:\n{show(tools)}"] if tools else []
    turns: list[tuple[str, str]] = []
    for message in Renderer(_ScaffoldWriter(tools, scaffold)).iterate_rendered_messages(messages):
        if message.role in ("system", "developer") and not turns:
            instructions.append(_text_of(message))
        else:
            role = "assistant" if message.role == "assistant" else "user"
            turns.append((role, _text_of(message)))
    texts = [("system", "\n\n".join(instructions))] if any(instructions) else []
    for role, several in groupby(turns, key=lambda turn: turn[0]):
        texts.append((role, "\n".join(text for _, text in several)))
    return [_plain_message(role, text) for role, text in texts]


def _plain_message(role: str, text: str) -> dict[str, str]:
    """Return a message without lone surrogates, which cannot be tokenized."""
    return {"role": role, "content": FORBIDDEN.sub("\ufffd", text)}


def _text_of(message: Message) -> str:
    return "".join(
        part.text if isinstance(part, Text) else f"[{part.kind}]" for part in message.content
    )


class _ScaffoldWriter(Writer):
    def __init__(self, tools: ToolSet, scaffold: Scaffold) -> None:
        super().__init__(tools)
        self.shown = tools
        self.scaffold = scaffold
        self.between = scaffold.more

    def write_turn(self, prose: str, calls: Sequence[Call]) -> str:
        is_mere_prose = bool(self.shown and prose and not calls)
        return IN_WORDS + prose if is_mere_prose else super().write_turn(prose, calls)

    def write_calls(self, calls: Sequence[Call], *, sigil: bool) -> str:
        del sigil  # the scaffold decides how a call begins
        return self.between.join(write_call(call, self.shown, self.scaffold) for call in calls)

    def write_unreadable_call(self, call: ToolCall) -> str:
        scaffold = self.scaffold
        return scaffold.head(call.name) + scaffold.first + call.written + scaffold.end
