"""Code in which each line has one type error, of the kind in its comment.

A line without an error would be reported, because strict checking refuses an unused comment.
"""

import lton
from lton.generate import ask


def refused(tools: lton.ToolSet, call: lton.Call, model: object) -> None:
    """Use the names incorrectly; this function is never run."""
    lton.encode(call, tools, form="punctuatd")  # type: ignore[call-overload]
    lton.encode([call, "wait 5"], tools)  # type: ignore[list-item]
    lton.decode("wait 5", tools, mode="lenient")  # type: ignore[call-arg]
    lton.decode(b"wait 5", tools)  # type: ignore[arg-type]
    lton.decode("wait 5", tools)[0].name = 5  # type: ignore[assignment]
    lton.decode_lenient("wait 5", tools).calls[0].args  # type: ignore[attr-defined]  # noqa: B018
    lton.grammar.to_gbnf(tools, parralel=True)  # type: ignore[call-arg]
    lton.grammar.to_lark(tools, form="by keys")  # type: ignore[arg-type]
    lton.ToolSet.from_tools([], standrd=True)  # type: ignore[call-arg]
    tools.prompt(primer="wire ")  # type: ignore[arg-type]
    tools.tools = ()  # type: ignore[misc]
    ask(model, "When?", tools, max_tokns=5)  # type: ignore[call-overload]


def names() -> None:
    """Use names that are not public, which have no type."""
    lton.deocde  # type: ignore[attr-defined]  # noqa: B018
    lton.Event  # type: ignore[attr-defined]  # noqa: B018
