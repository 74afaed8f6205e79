"""Write instructions, tools, prose, calls and results in LTON."""

import re
from collections.abc import Sequence

from lton._json import minified
from lton._syntax import FOR_MODELS, SIGIL, Form, spell_name, spell_number, spell_text
from lton.chat.records import ToolCall
from lton.codec import encode
from lton.schema.jsonschema.formats import EXAMPLES
from lton.schema.jsonschema.patterns import Matcher
from lton.schema.shown.signature import spell_member
from lton.schema.toolset import ToolSet
from lton.schema.types import JSON, Call, Number, Object, Param, Result, String, Tool, Type

MIXED = f'Lines that begin with "{SIGIL}" are calls; every other line is text for the user.'
_WHEN = (
    "Call a tool only if it does what the user asks{}."
    " If none of these tools does, say so in words."
)
"""The instruction that says when to call a tool. The instruction comes last, with a call to the
first tool. Of nine variants, this was the best on 144 development questions to models of 0.5B and
1.5B parameters. Without this instruction, the smaller model made no calls (spec/DECISIONS.md)."""
_DEEPEST = 2
"""The maximum depth of groups in an example."""
_LONGEST = 40
"""The maximum number of characters of a string in an example."""
_PLACEHOLDER = "..."
"""A string in an example."""
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
    tagged form has no primer. Without `sigil`, a primer of the punctuated form ends with a call to
    the first tool.

    >>> print(instructions(ToolSet.from_prompt("wait(minutes:int)"), primer=False))
    ... # doctest: +ELLIPSIS
    Lines that begin with "!call " are calls; every other line is text for the user.
    wait
     minutes:int
    Call a tool only if it does ... like this: !call wait(minutes=...). If none of ... in words.
    """
    explained = form if primer and form != "tagged" else None
    prompt = tools.prompt(descriptions=descriptions, primer=explained)
    first = next(iter(tools), None)
    if not sigil:
        if first is None or explained != "punctuated":
            return prompt
        return f"{prompt}\nExample: {_write_example(first)}"
    likeness = f", like this: {SIGIL}{_example_of_call(first, form)}" if first else ""
    return f"{MIXED}\n{prompt}\n{_WHEN.format(likeness)}"


def _write_example(tool: Tool) -> str:
    """Write a call with an example of each required argument, in the punctuated form.

    Models copy its spelling. Without it, they copy types from the signature into values, and begin
    strings with backticks.
    """
    name = spell_name(tool.alias or tool.name)
    return f"{name}{_example_of_object(tool.args, 0)}"


def _example_of_object(members: Object, depth: int) -> str:
    branch = members.branches[0] if members.branches else members
    params = [param for param in branch.params if param.required] or branch.params[:1]
    pairs = [
        f"{spell_member(param.name)}={_example_of_value(param.type, param, depth)}"
        for param in params
    ]
    return f"({', '.join(pairs)})"


def _example_of_value(node: Type, param: Param, depth: int) -> str:
    """Write a value of a type for a parameter, or for an item of its list.

    Groups in more than `_DEEPEST` other groups are empty.
    """
    if node.string:
        return _example_of_string(node, node.string, param)
    if node.number:
        return spell_number(_example_of_number(node.number, param))
    if node.booleans:
        return str(node.booleans[0]).lower()
    return _example_of_group(node, param, depth)


def _example_of_string(node: Type, string: String, param: Param) -> str:
    """Write the first value of an enumeration, or a placeholder if the type allows it.

    Otherwise write an example of the schema or of the format. It comes second, because small models
    copy examples, and a copied placeholder is easy to see.
    """
    if string.values:
        first = string.values[0]
        return spell_text(first, bare=node.takes_bare(first), punctuated=True)
    samples: list[JSON] = [*param.examples, *EXAMPLES.get(string.format or "", ())]
    if string.format is None:
        dots = _PLACEHOLDER.ljust(min(string.min_length, _LONGEST), ".")
        samples.insert(0, dots[: string.max_length])
    for sample in samples:
        if isinstance(sample, str) and _fits_in_example(sample, string):
            return spell_text(sample, bare=False, punctuated=True)
    return f'"{_PLACEHOLDER}"'


def _fits_in_example(text: str, string: String) -> bool:
    """Return whether a string is one short line, within its limits, and matches its pattern."""
    if len(text) > _LONGEST or len(text.splitlines()) > 1 or string.find_refusal(text):
        return False
    if string.pattern is None:
        return True
    return Matcher(string.pattern).has_match(text, lambda steps: None)


def _example_of_number(number: Number, param: Param) -> int | float:
    """Return an allowed number if one is easy to find: listed, an example, 1, or a limit."""
    if number.values:
        return number.values[0]
    for sample in (*param.examples, 1, number.minimum, number.maximum):
        if isinstance(sample, bool) or not isinstance(sample, int | float):
            continue
        if number.find_refusal(sample) is None:
            return sample
    return 1


def _example_of_group(node: Type, param: Param, depth: int) -> str:
    is_deep = depth > _DEEPEST
    if node.array:
        return "[]" if is_deep else f"[{_example_of_value(node.array.items, param, depth + 1)}]"
    if node.object and not node.object.is_map:
        return "()" if is_deep else _example_of_object(node.object, depth + 1)
    return "{}" if node.object else "null"


def _example_of_call(tool: Tool, form: Form) -> str:
    name = spell_name(tool.alias or tool.name)
    params = tool.args.params
    keys = [spell_member(param.name) for param in params if param.required or param is params[0]]
    match form:
        case "punctuated":
            return f"{name}({', '.join(f'{key}=...' for key in keys)})"
        case "keyed":
            return " ".join([name, *(f"{key}=..." for key in keys)])
    return " ".join([name, *("..." for _ in keys)])


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
    alias = tools.aliases.get(name, name) if tools else name
    return encode(Result(alias, value, is_error=is_error), lines=True)


def is_like_frame(prose: str) -> bool:
    """Return whether a line of prose looks like a call or a result."""
    return _FRAME.search(prose) is not None


def quote_prose(prose: str) -> str:
    r"""Put `> ` before lines of prose that look like calls or results, so that no reader runs them.

    >>> quote_prose("He said:\n!call me maybe")
    'He said:\n> !call me maybe'
    """
    return _FRAME.sub(r"> \g<0>", prose)


class Writer:
    r"""Writes a model's turns and tool results in LTON. Raises the errors of `encode`.

    Subclasses write calls in other formats, or check the calls that they wrote.

    >>> writer = Writer(ToolSet.from_prompt("wait(minutes:int)"), "punctuated")
    >>> writer.write_turn("Yes.", [Call("wait", {"minutes": 5})])
    'Yes.\n!call wait(minutes=5)'
    """

    between = "\n"  # the separator between calls

    def __init__(
        self, tools: ToolSet | None, form: Form = FOR_MODELS, *, sigil: bool = True
    ) -> None:
        self.tools = tools or None
        self.form = form
        self.sigil = sigil

    def write_turn(self, prose: str, calls: Sequence[Call]) -> str:
        """Write prose and then each call on its own line. Calls after prose always have sigils."""
        return join_frames(
            prose, self.write_calls(calls, sigil=self.sigil or bool(prose)) if calls else ""
        )

    def write_calls(self, calls: Sequence[Call], *, sigil: bool) -> str:
        return encode(calls, self.tools, form=self.form, sigil=sigil)

    def write_unreadable_call(self, call: ToolCall) -> str:
        """Write a call with unreadable arguments as a line of JSON."""
        return minified({"name": call.name, "arguments": call.given})

    def write_answer_frame(self, name: str, value: JSON, *, is_error: bool) -> str:
        return write_answer(name, value, self.tools, is_error=is_error)
