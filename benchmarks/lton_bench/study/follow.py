"""Test whether models follow pointers and files, in made-up sessions with a hidden answer.

    python -m lton_bench.study.follow --model smollm2 --model gemma3 --out benchmarks/results

The answer is in a result that is shown as a pointer, in a file of which only the beginning is
shown, or in earlier lines to which a note refers. A llama.cpp server runs the model, guided by
`lton.generate.ask` with the messages of a `Transcript`, the agent's tools, and the four tools of
the transcript. The model's call is answered, and then the model replies. If a note refers to
visible lines, the model replies at once. The number of a session determines its content.
"""

import argparse
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, Literal, TypeAlias

from lton import Call, ToolSet
from lton._json import minified
from lton.chat import Message, Text, ToolCall, ToolResult, from_openai
from lton.errors import LTONError
from lton.generate import ask as ask_guided
from lton.grammar.build import ToolChoice
from lton.stores import open_store
from lton.tokens import counter
from lton.transcript.base_tools import TOOLS
from lton.transcript.clearing_cost import Clear
from lton.transcript.first_sight import SeenLines
from lton.transcript.pointers import PointerStyle
from lton.transcript.transcript import Transcript
from lton_bench.study.figures import accuracy
from lton_bench.study.models import served
from lton_bench.study.packed import content, unpack

Place: TypeAlias = Literal["pointer", "file", "note"]
ROOM = 4096
"""The context of the model, in tokens."""
_LETTERS = "ABCDEFGHKLMNPRSTUVWXYZ23456789"
_POINTER = re.compile(r"^\[t([0-9]+)(?: [^\]\n]*)?\]$")
_GOODS = ("lamp", "chair", "kettle", "rug", "mirror", "shelf", "clock", "vase")


def _tool(name: str, about: str, key: str, kind: str) -> dict[str, Any]:
    parameters = {"type": "object", "properties": {key: {"type": kind}}, "required": [key]}
    return {"name": name, "description": about, "parameters": parameters}


OWN = (
    _tool("get_order", "Get an order of the shop.", "order", "integer"),
    _tool("get_log", "Get the log of a night.", "night", "string"),
)
ALL = ToolSet.from_tools([*OWN, *TOOLS])


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt: the end of the question, and additional help for the model."""

    name: str
    ending: Mapping[Place, str] = field(default_factory=dict)
    must_call: bool = False
    is_shown: bool = False
    """Whether an earlier question of the session was answered in the same way."""
    has_own: bool = True
    """Whether the agent's tools may be called in addition to those of the transcript."""
    style: PointerStyle = "auto"
    """Whether pointers repeat the call that is next to them."""
    spelled: str = ""
    """The spelling of pointers instead of that style, with `{turn}` and `{order}`."""
    is_whole: bool = False
    """Whether the earlier lines are shown again instead of the note."""


_SAID: Mapping[Place, str] = {"pointer": " Recall the result.", "file": " Search the file."}
_LOOKED = (
    Prompt("the lines that explain pointers alone"),
    Prompt("and the question says to look", _SAID),
    Prompt("and it was done once before", is_shown=True),
    Prompt("and a call is required", must_call=True),
    Prompt("required, and done once before", must_call=True, is_shown=True),
    Prompt("of the transcript's tools alone", must_call=True, is_shown=True, has_own=False),
    Prompt(
        "the same, and pointers say what was called",
        must_call=True,
        is_shown=True,
        has_own=False,
        style="compact",
    ),
)
_SPELLED = (
    Prompt(
        "and each pointer says how to have it",
        _SAID,
        spelled='[left out to save space: recall("t{turn}") returns it]',
    ),
    Prompt("and each says of what it is", _SAID, spelled="[t{turn} get_order order={order}]"),
)
_NOTED = (Prompt("a note in their place"), Prompt("the same lines again", is_whole=True))
PROMPTS: Mapping[Place, Sequence[Prompt]] = {
    "pointer": (*_LOOKED, *_SPELLED),
    "file": _LOOKED,
    "note": _NOTED,
}


@dataclass(frozen=True, slots=True)
class Answer:
    """A model's answer in a session: the first call, whether it finds the answer, and the reply."""

    model: str
    place: Place
    prompt: str
    session: int
    call: str
    found: bool
    again: bool
    """Whether the model called the agent's tool again instead."""
    words: str
    right: bool


@dataclass(frozen=True, slots=True)
class Session:
    """A conversation, the question at its end, and the answer."""

    chat: Transcript
    question: str
    answer: str
    orders: Sequence[int] = ()
    """The orders in turns 3, 6, 9, …"""
    repeated: tuple[str, str] = "", ""
    """A result as it is shown, and the original."""
    said: Sequence[Message] = ()
    """The messages of the conversation."""


class _Talk:
    """Appends turns to a transcript."""

    def __init__(self, style: PointerStyle, clear: Clear = "always") -> None:
        self.chat = Transcript(
            counter=counter("o200k"),
            store=open_store("memory:"),
            window=ROOM,
            reserve=800,
            clear=clear,
            pointer=style,
            file_over=600,
            preview=120,
        )
        self.said: list[Message] = []
        self._say(Message.saying("system", "You look after a shop and its servers."))
        self._calls = 0

    def _say(self, message: Message) -> None:
        self.said.append(message)
        self.chat.append(message)

    def ask(self, question: str, call: Call, result: str, words: str) -> None:
        self._calls += 1
        name = f"call-{self._calls}"
        asked = ToolCall(call.name, minified(call.arguments), name)
        self._say(Message.saying("user", question))
        self._say(Message("assistant", (asked,)))
        self._say(Message("tool", (ToolResult((Text(result),), name),)))
        self._say(Message.saying("assistant", words))

    def end(self) -> None:
        """Append turns after which no earlier result is shown word for word."""
        self._say(Message.saying("user", "Thank you. Are you still there?"))
        self._say(Message.saying("assistant", "Yes."))
        self._say(Message.saying("user", "One moment."))
        self._say(Message.saying("assistant", "I wait."))


def with_pointer(random: Random, *, is_shown: bool, style: PointerStyle = "auto") -> Session:
    """Return a session in which orders were opened, and a question about one of them."""
    talk, codes = _Talk(style), {}
    for number in random.sample(range(1_000, 10_000), 4):
        codes[number] = _code(random)
        goods = [
            {"item": f"{random.choice(_GOODS)} {at}", "count": random.randint(1, 9)}
            for at in range(8)
        ]
        order = {"order": number, "goods": goods, "tracking": codes[number]}
        call = Call("get_order", {"order": number})
        talk.ask(f"Open order {number}.", call, minified(order), f"Order {number} is open.")
    other, asked = random.sample(list(codes), 2)
    question = "What is the tracking code of order {}?"
    if is_shown:
        call = Call("recall", {"result": f"t{3 + 3 * list(codes).index(other)}"})
        talk.ask(question.format(other), call, talk.chat.answer(call), f"It is {codes[other]}.")
    talk.end()
    text = question.format(asked)
    return Session(talk.chat, text, codes[asked], orders=tuple(codes), said=talk.said)


def with_file(random: Random, *, is_shown: bool, style: PointerStyle = "auto") -> Session:
    """Return a session in which a long log was read, and a question about one of its lines."""
    talk = _Talk(style)
    codes = {number: _code(random) for number in random.sample(range(10, 100), 80)}
    log = "\n".join(f"{number} worker-{number} ended with {codes[number]}" for number in codes)
    call = Call("get_log", {"night": "Monday"})
    talk.ask("Get the log of Monday.", call, log, "The log of Monday is file f1.")
    other, asked = random.sample(list(codes)[20:], 2)
    question = "With which code did worker-{} end in file f1?"
    if is_shown:
        call = Call("file_regex", {"file": "f1", "pattern": f"worker-{other}"})
        talk.ask(question.format(other), call, talk.chat.answer(call), f"With {codes[other]}.")
    talk.end()
    return Session(talk.chat, question.format(asked), codes[asked], said=talk.said)


def with_note(random: Random, *, is_shown: bool, style: PointerStyle = "auto") -> Session:
    """Return a session in which the log of a night repeats lines of the night before.

    The lines are visible, so nothing has to be looked up.
    """
    del is_shown
    talk, numbers = _Talk(style, clear="never"), random.sample(range(10, 100), 16)
    lines = [f"{number} worker-{number} ended with {_code(random)}" for number in numbers]
    block, seen = lines[:12], SeenLines()
    nights = {"Monday": [*lines[12:14], *block], "Tuesday": [*lines[14:], *block]}
    shown = text = ""
    for night, each in nights.items():
        text = "\n".join(each)
        shown = seen.shown(text)
        call = Call("get_log", {"night": night})
        talk.ask(f"Get the log of {night}.", call, text, f"This is the log of {night}.")
    at = random.randrange(len(block))
    question = f"On Tuesday, with which code did worker-{numbers[at]} end?"
    return Session(talk.chat, question, block[at].split()[-1], repeated=(shown, text))


def _code(random: Random) -> str:
    return "".join(random.choice(_LETTERS) for _ in range(6))


MAKERS = {"pointer": with_pointer, "file": with_file, "note": with_note}


def asked(model: Any, name: str, place: Place, prompt: Prompt, number: int) -> Answer:
    """Ask a model about a session, answer its call, and return its reply."""
    random = Random(f"{place} {number}")  # noqa: S311 - made-up data
    session = MAKERS[place](random, is_shown=prompt.is_shown, style=prompt.style)
    chat, offered = session.chat, {tool.name for tool in session.chat.tools}
    chat.append(Message.saying("user", session.question + prompt.ending.get(place, "")))
    choice: ToolChoice = "required" if prompt.must_call else "auto"
    if place == "note":
        choice = "none"
    tools = ALL if prompt.has_own else chat.tools
    shown = shown_messages(session, prompt)
    first = ask_guided(model, shown, tools, retries=0, tool_choice=choice, max_tokens=60)
    call = first.calls[0] if first.calls else None
    result, words = "", first.prose
    if call is not None and call.name in offered:
        chat.append(Message("assistant", (ToolCall(call.name, minified(call.arguments), "last"),)))
        try:
            result = chat.answer(call)
        except LTONError as error:
            result = str(error)
        chat.append(Message("tool", (ToolResult((Text(result),), "last"),)))
        words = ask_guided(
            model, shown_messages(session, prompt), tools, tool_choice="none", max_tokens=40
        ).prose
    return Answer(
        model=name,
        place=place,
        prompt=prompt.name,
        session=number,
        call="" if call is None else f"{call.name} {minified(call.arguments)}",
        found=session.answer in result,
        again=call is not None and call.name not in offered,
        words=words,
        right=session.answer in words,
    )


def shown_messages(session: Session, prompt: Prompt) -> Sequence[Message]:
    """Return the messages of a session, with the spelling of a prompt."""

    def spelled(found: re.Match[str]) -> str:
        at = int(found[1]) // 3 - 1
        return prompt.spelled.format(turn=found[1], order=session.orders[at])

    messages = [dict(each) for each in session.chat.render().messages]
    for each in messages:
        if each["role"] == "tool" and prompt.spelled:
            each["content"] = _POINTER.sub(spelled, each["content"])
        elif each["role"] == "tool" and prompt.is_whole:
            each["content"] = each["content"].replace(*session.repeated)
    return from_openai(messages)


def table(answers: Sequence[Answer]) -> Iterator[str]:
    """Yield the lines of a table: shares of sessions, with Wilson's intervals."""
    names = "model", "the answer is in", "prompt", "sessions", "found", "called again", "said"
    yield f"| {' | '.join(names)} |"
    yield "|---|---|---|---:|---:|---:|---:|"
    groups: dict[tuple[str, str, str], list[Answer]] = {}
    for each in answers:
        groups.setdefault((each.model, each.place, each.prompt), []).append(each)
    for (model, place, prompt), group in groups.items():
        cells = [model, f"a {place}", prompt, str(len(group))]
        cells.append(_share([each.found for each in group]))
        cells.append(str(sum(each.again for each in group)))
        cells.append(_share([each.right for each in group]))
        yield f"| {' | '.join(cells)} |"


def _share(right: Sequence[bool]) -> str:
    found = accuracy(right)
    return f"{found.value:.2f} [{found.low:.2f}, {found.high:.2f}]"


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask the remaining questions, and write the answers and the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", action="append", required=True)
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--place", action="append", choices=[*PROMPTS], help="default: all")
    parser.add_argument("--prompt", action="append", metavar="TEXT", help="a name; default: all")
    parser.add_argument("--out", type=Path, required=True, help="the folder of the results")
    options = parser.parse_args(arguments)
    file = options.out / "study" / "follow.jsonl"
    lines = content(file).splitlines()
    unpack(file)
    answers = [Answer(**json.loads(line)) for line in lines]
    known = {(each.model, each.place, each.prompt, each.session) for each in answers}
    asking = [
        (place, prompt)
        for place in options.place or PROMPTS
        for prompt in PROMPTS[place]
        if not options.prompt or prompt.name in options.prompt
    ]
    for name in options.model:
        with served(name, ROOM) as model, file.open("a") as output:
            for number, (place, prompt) in product(range(options.sessions), asking):
                if (name, place, prompt.name, number) not in known:
                    answers.append(asked(model, name, place, prompt, number))
                    print(minified(asdict(answers[-1])), file=output, flush=True)
        print(f"{name}: {sum(each.model == name for each in answers)} answers", flush=True)
    order = [prompt.name for prompts in PROMPTS.values() for prompt in prompts]
    answers.sort(key=lambda each: (each.model, each.place, order.index(each.prompt)))
    (options.out / "follow.md").write_text("\n".join(table(answers)) + "\n")


if __name__ == "__main__":
    main()
