"""Write instructions, tools, prose, calls and results in LTON."""

import re
from collections.abc import Sequence

from lton._json import minified
from lton._syntax import FOR_MODELS, SIGIL, Form, spell_name
from lton.chat.records import ToolCall
from lton.codec import encode
from lton.schema.shown.signature import spell_member
from lton.schema.toolset import ToolSet
from lton.schema.types import JSON, Call, Result, Tool

MIXED = f'Lines that begin with "{SIGIL}" are calls; every other line is text for the user.'
_WHEN = (
    "Call a tool only if it does what the user asks{}."
    " If none of these tools does, say so in words."
)
"""The instruction that says when to call a tool. The instruction comes last, with a call to the
first tool. Of nine variants, this was the best on 144 development questions to models of 0.5B and
1.5B parameters. Without this instruction, the smaller model made no calls (spec/DECISIONS.md)."""
_FRAME = re.compile(r"^[ \t]*!(?:call|result|error|tool)\b", re.MULTILINE)


def instructions(
    tools: ToolSet,
    *,
    form: Form = FOR_MODELS,
    sigil: bool = True,
    descriptions: bool = True,
    primer: bool = True,
) -> str:
    """Write instructions that explain to a model how to make calls, and list the tools.

    With `sigil`, they explain which lines are calls and when to call, even without a `primer`. The
    tagged form has no primer.

    >>> print(instructions(ToolSet.from_prompt("wait(minutes:int)"), primer=False))
    ... # doctest: +ELLIPSIS
    Lines that begin with "!call " are calls; every other line is text for the user.
    wait
     minutes:int
    Call a tool only if it does ... like this: !call wait(minutes=...). If none of ... in words.
    """
    explained = form if primer and form != "tagged" else None
    shown = tools.prompt(descriptions=descriptions, primer=explained)
    if not sigil:
        return shown
    first = next(iter(tools), None)
    likeness = f", like this: {SIGIL}{_likeness(first, form)}" if first else ""
    return f"{MIXED}\n{shown}\n{_WHEN.format(likeness)}"


def _likeness(tool: Tool, form: Form) -> str:
    name = spell_name(tool.alias or tool.name)
    params = tool.args.params
    needed = [spell_member(param.name) for param in params if param.required or param is params[0]]
    match form:
        case "punctuated":
            return f"{name}({', '.join(f'{each}=...' for each in needed)})"
        case "keyed":
            return " ".join([name, *(f"{each}=..." for each in needed)])
    return " ".join([name, *("..." for _ in needed)])


def join_frames(prose: str, frames: str) -> str:
    """Join prose and frames, with a newline between them if needed."""
    between = "\n" if prose and frames and not prose.endswith("\n") else ""
    return f"{prose}{between}{frames}"


def write_answer(
    name: str, value: JSON, tools: ToolSet | None = None, *, is_error: bool = False
) -> str:
    """Write a result as a frame. Without a name, write an error that belongs to no call.

    The tool need not be in `tools`. Raises the errors of `encode`.

    >>> write_answer("wait", {"ok": True}), write_answer("", "no call", is_error=True)
    ('!result wait {ok true}', '!error: "no call"')
    """
    shown = tools.aliases.get(name, name) if tools else name
    return encode(Result(shown, value, is_error=is_error), lines=True)


def is_like_frame(prose: str) -> bool:
    """Return whether a line of prose looks like a call or a result."""
    return _FRAME.search(prose) is not None


def quote_prose(prose: str) -> str:
    r"""Put `> ` before lines of prose that look like calls or results, so that no reader runs them.

    >>> quoted("He said:\n!call me maybe")
    'He said:\n> !call me maybe'
    """
    return _FRAME.sub(r"> \g<0>", prose)


class Writer:
    r"""Writes a model's turns and tool results in LTON. Raises the errors of `encode`.

    Subclasses write calls in other formats, or check the calls that they wrote.

    >>> writer = Writer(ToolSet.from_prompt("wait(minutes:int)"), "punctuated")
    >>> writer.turn("Yes.", [Call("wait", {"minutes": 5})])
    'Yes.\n!call wait(minutes=5)'
    """

    between = "\n"  # the separator between calls

    def __init__(
        self, tools: ToolSet | None, form: Form = FOR_MODELS, *, sigil: bool = True
    ) -> None:
        self.tools = tools or None
        self.form = form
        self.sigil = sigil

    def turn(self, prose: str, calls: Sequence[Call]) -> str:
        """Write prose and then each call on its own line. Calls after prose always have sigils."""
        return join_frames(
            prose, self.calls(calls, sigil=self.sigil or bool(prose)) if calls else ""
        )

    def calls(self, calls: Sequence[Call], *, sigil: bool) -> str:
        return encode(calls, self.tools, form=self.form, sigil=sigil)

    def unreadable(self, call: ToolCall) -> str:
        """Write a call with unreadable arguments as a line of JSON."""
        return minified({"name": call.name, "arguments": call.given})

    def answer(self, name: str, value: JSON, *, is_error: bool) -> str:
        return write_answer(name, value, self.tools, is_error=is_error)
