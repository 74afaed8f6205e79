"""Direct generation: the model writes whole calls in any form, under the form's grammar."""

import ast
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lton.codec import encode
from lton.engines.generation import Generation, Spent, read_completion
from lton.engines.llamacpp import engine_of
from lton.errors import Code, DecodeError, IncompleteError, LTONError
from lton.generate.chat import Shot, build_chat, write_signatures
from lton.generate.repetition import COPIES, ends_with_copies
from lton.generate.scaffolds import NONE, write_scaffolded_calls
from lton.generate.session import Session
from lton.grammar.alike import types_inside
from lton.grammar.build import PROSE, ToolChoice, build, choose_tools
from lton.grammar.gbnf import write_gbnf
from lton.grammar.linting import lint
from lton.grammar.nodes import Grammar, Lit, Rule, make_choice
from lton.schema.toolset import ToolSet
from lton.schema.types import ANY, JSON, Call, Type
from lton_bench.internals import FOR_MODELS, Form, Thoughts, find_thought_marks, minified
from lton_bench.rivals import (
    json_grammar,
    python_grammar,
    python_key,
    python_tool,
    spell_python,
)
from lton_bench.scaffolds import SCAFFOLDS

__all__ = ["SYNTAXES", "direct"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Syntax:
    """A form of calls, one per line: its grammar, writer and reader."""

    grammar: Callable[[ToolSet, bool], Grammar]
    write: Callable[[Sequence[Call], ToolSet], str]
    read: Callable[[str, ToolSet], list[Call]]


def direct(
    model: Any,
    question: str,
    tools: ToolSet,
    *,
    form: str = FOR_MODELS,
    shots: Sequence[Shot] = (),
    tool_choice: ToolChoice = "required",
    parallel: bool = False,
    max_tokens: int = 256,
    temperature: float = 0.0,
    seed: int = 0,
    show: Callable[[ToolSet], str] = write_signatures,
    may_repeat: bool = False,
    thoughts: Thoughts = False,
    max_thought: int = 1024,
) -> Generation:
    """Return the calls that a `llama_cpp.Llama` or an `Engine` writes under a form's grammar.

    The other options are those of `lton.generate.stream`. A line that repeats a call ends the
    answer, too.

    Raises `ValueError` for invalid options. Raises `SchemaError` before sampling for names that
    calls in Python cannot have, and `GrammarError` if the engine refuses the grammar. Raises
    `DecodeError` or `EncodeError` for calls that break rules beyond the grammar, `IncompleteError`
    if the budget ends or the answer repeats itself, and `ContextFullError` if the context is full.
    """
    if form not in SYNTAXES:
        raise ValueError(f"no form {form!r}: there are {', '.join(SYNTAXES)}")
    if tool_choice == "none" or max_tokens < 1:
        raise ValueError("nothing to generate: tool_choice is none, or max_tokens is not positive")
    how = SYNTAXES[form]
    may_decline = tool_choice in PROSE
    marks = find_thought_marks(thoughts)
    gbnf = _gbnf(how.grammar(choose_tools(tools, tool_choice), parallel), may_decline=may_decline)

    def write_calls(calls: Sequence[Call], tools: ToolSet) -> str:
        return how.write(calls, tools) if calls else NONE

    engine = engine_of(model, temperature=temperature, seed=seed)
    messages = build_chat(
        tools,
        question,
        shots,
        write_calls=write_calls,
        may_decline=may_decline,
        parallel=parallel,
        show=show,
        marks=marks,
    )
    session = Session(engine, messages, budget=max_tokens, may_repeat=may_repeat)
    if marks:
        *_, _ = session.iterate_thoughts(marks, max_thought)
    session.read_text(session.text)
    copies = COPIES + _longest_demanded_list(tools)
    wrote, sampled, ended = b"", 0, False

    def spent() -> Spent:
        return replace(session.spent, sampled=session.sampled + sampled)

    with engine.constrain(gbnf) as grammar:
        while (
            not ended
            and sampled < max_tokens
            and (may_repeat or not ends_with_copies(wrote, copies))
        ):
            piece = engine.sample(grammar)
            sampled += 1
            wrote += piece or b""
            ended = piece is None
            if parallel and not may_repeat and b"\n" in (piece or b""):
                whole = wrote.rpartition(b"\n")[0].decode("utf-8", "replace")
                if (whole_calls := _but_the_last(whole, how.read, tools)) is not None:
                    return Generation(
                        calls=whole_calls,
                        text=how.write(whole_calls, tools),
                        thought=session.thought,
                        spent=spent(),
                        exhausted=True,
                    )
    text = wrote.decode("utf-8", "replace")
    if not ended:
        why = "the token limit" if sampled == max_tokens else "repeating itself"
        msg = f"{why} cut the completion off"
        raise IncompleteError(Code.INCOMPLETE, msg, doc=text, pos=len(text))
    declined = may_decline and text == NONE
    calls = [] if declined else how.read(text, tools)
    return Generation(calls=calls, text=text, thought=session.thought, spent=spent())


def _gbnf(grammar: Grammar, *, may_decline: bool) -> str:
    """Return a grammar of calls or of no call, checked against the engines' known faults."""
    start, *rules = grammar.rules
    if may_decline:
        start = Rule(start.name, make_choice(Lit(NONE), start.node))
    text = write_gbnf(Grammar((start, *rules)))
    lint(text, "gbnf")
    return text


def _longest_demanded_list(tools: ToolSet) -> int:
    """Return the largest number of items that a list in the tools' calls must have."""
    most, visited = 0, {id(ANY)}
    waiting = [Type(object=tool.args) for tool in tools]
    for node in waiting:
        if id(node) not in visited:
            visited.add(id(node))
            most = max(most, node.array.min_items if node.array else 0)
            waiting += types_inside(node)
    return most


def _but_the_last(
    text: str, read: Callable[[str, ToolSet], list[Call]], tools: ToolSet
) -> list[Call] | None:
    """Return the calls before the last call if they include it, and otherwise None.

    The last line is compared with earlier lines first, and parsed only if it repeats one.
    """
    *lines, last = text.split("\n")
    if last not in lines:
        return None
    try:
        *calls, again = read(text, tools)
    except LTONError:  # a line inside a text, maybe
        return None
    return calls if again in calls else None


def _lton(form: Form) -> Syntax:
    def grammar(tools: ToolSet, parallel: bool) -> Grammar:
        return build(tools, form=form, parallel=parallel)

    def write_(calls: Sequence[Call], tools: ToolSet) -> str:
        return encode(calls, tools, form=form)

    def read(text: str, tools: ToolSet) -> list[Call]:
        return read_completion(text, tools, cut=False)

    return Syntax(grammar=grammar, write=write_, read=read)


def _rival(
    grammar: Callable[[ToolSet, bool], Grammar],
    write: Callable[[Call, ToolSet], str],
    read: Callable[[str], tuple[str, dict[str, JSON]]],
) -> Syntax:
    """Return a form with a call per line, whose calls are always checked."""

    def lines(text: str, tools: ToolSet) -> list[Call]:
        calls = []
        for line in text.split("\n"):
            try:
                name, arguments = read(line)
                call = Call(tools.own_name(name), arguments)
            except (
                ValueError,
                KeyError,
                TypeError,
                SyntaxError,
                RecursionError,
                MemoryError,
            ) as error:
                raise DecodeError(Code.SYNTAX, "expected a call", doc=text, pos=0) from error
            encode(call, tools)
            calls.append(call)
        return calls

    def joined(calls: Sequence[Call], tools: ToolSet) -> str:
        return "\n".join(write(call, tools) for call in calls)

    return Syntax(grammar=grammar, write=joined, read=lines)


def _json(*, spaced: bool) -> Syntax:
    def grammar(tools: ToolSet, parallel: bool) -> Grammar:
        return json_grammar(tools, parallel=parallel, spaced=spaced)

    def write_(call: Call, tools: ToolSet) -> str:
        line = write_scaffolded_calls([call], tools, SCAFFOLDS["json"])
        return line if spaced else minified(json.loads(line))

    def read(line: str) -> tuple[str, dict[str, JSON]]:
        call_object = json.loads(line, strict=False)
        return call_object["name"], call_object["arguments"]

    return _rival(grammar, write_, read)


def _write_python(call: Call, tools: ToolSet) -> str:
    members = (python_key(key) + spell_python(call.arguments[key]) for key in call.arguments)
    return f"{python_tool(tools.aliases.get(call.name, call.name))}({', '.join(members)})"


def _read_python(line: str) -> tuple[str, dict[str, JSON]]:
    # Only the arguments are Python's: the name of a tool may hold what Python's names may not.
    name, _, arguments = line.partition("(")
    call = ast.parse(f"f({arguments}", mode="eval").body
    if not isinstance(call, ast.Call) or call.args:
        raise ValueError("no call")
    by_name = {str(one.arg): ast.literal_eval(one.value) for one in call.keywords}
    if len(by_name) < len(call.keywords):
        raise ValueError("an argument is given twice")
    return name, by_name


SYNTAXES: dict[str, Syntax] = {
    "punctuated": _lton("punctuated"),
    "keyed": _lton("keyed"),
    "wire": _lton("wire"),
    "json": _json(spaced=False),
    "json-spaced": _json(spaced=True),
    "python": _rival(
        lambda tools, parallel: python_grammar(tools, parallel=parallel),
        _write_python,
        _read_python,
    ),
}
"""The forms by name: three of LTON, JSON minified and as most templates print it, and Python."""
