"""List the call syntaxes of models: how a call begins, and which models write it.

A syntax has marks of its own: special tokens or tags that do not occur in ordinary text. Bare JSON
and function syntax have none, so they are not in the table. `evidence` uses the table to decide
whether a call is in a syntax that its model is known to write. A new syntax is one row here and one
case in the conformance suite.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from lton._patterns import compiled_when_used


@dataclass(frozen=True, slots=True)
class Syntax:
    """A call syntax: its name, and the pattern of the marks that open a call.

    `is_special` says that these marks are special tokens, which nobody types in ordinary text.
    `lead` matches the label that the syntax itself writes at the start of a line before a call.
    """

    name: str
    opening: re.Pattern[str]
    is_special: bool
    lead: re.Pattern[str] | None = None


@dataclass(frozen=True, slots=True)
class ModelFamily:
    """The models whose name matches a pattern, and the names of the syntaxes that they write."""

    pattern: re.Pattern[str]
    syntaxes: frozenset[str]


def _tags(name: str, opening: str, lead: str | None = None) -> Syntax:
    label = None if lead is None else compiled_when_used(lead)
    return Syntax(name, compiled_when_used(opening), is_special=False, lead=label)


def _tokens(name: str, opening: str) -> Syntax:
    return Syntax(name, compiled_when_used(opening), is_special=True)


def _family(pattern: str, *syntaxes: str) -> ModelFamily:
    return ModelFamily(compiled_when_used(pattern, re.IGNORECASE), frozenset(syntaxes))


SYNTAXES = (
    _tags("lton", r"!call "),
    _tags("tool_call", r"<tool_call(?:>|[ ](?:id|name)=)"),
    _tags("tool_calls", r"<tool_calls>"),
    _tags("function", r"<function(?:=|[ ]name=)"),
    _tags("invoke", r"<(?:\w{1,20}:)?(?:function_calls>|invoke[ ]name=)"),
    _tags("minimax", r"<minimax:tool_call>"),
    _tags("seed", r"<seed:tool_call>"),
    _tags("longcat", r"<longcat_tool_call>"),
    _tokens(
        "dsml", r"<[|\uff5c]{1,2}DSML[|\uff5c]{1,2} ?(?:(?:tool|function)_)?(?:calls|invoke)\b"
    ),
    _tokens("deepseek", r"<[|\uff5c]tool\u2581(?:calls?\u2581begin|sep)[|\uff5c]>"),
    _tokens("step3", r"<[|\uff5c]tool_calls?_begin[|\uff5c]>|<steptml:invoke "),
    _tokens("kimi", r"<\|tool_calls_section_begin\|>|<\|tool_call_begin\|>"),
    _tokens("kimi_k3", r"<\|open\|>(?:tools<\|sep\|>|call )"),
    _tokens("mistral", r"\[TOOL_CALLS\]"),
    _tokens("python_tag", r"<\|python_tag\|>"),
    _tokens("python_start", r"<\|python_start\|>"),
    _tokens("lfm2", r"<\|tool_call_start\|>"),
    _tokens("granite", r"<\|tool_call\|>"),
    _tokens("gemma4", r"<\|tool_call>"),
    _tokens("functiongemma", r"<start_function_call>"),
    _tags("tool_code", r"```tool_code\b"),
    _tokens("harmony", r"to=functions\.|<\|channel\|>(?:commentary|analysis)\b"),
    _tokens("internlm", r"<\|action_start\|>"),
    _tags("functools", r"\bfunctools\b"),
    _tokens("apertus", r"<\|tools_prefix\|>"),
    _tokens("cohere", r"<\|START_ACTION\|>|<cofl:tool_calls?\b"),
    _tags("nemotron", r"<TOOLCALL>"),
    _tokens("gigachat", r"<\|role_sep\|>|<\|function_call\|>"),
    _tokens("inkling", r"<\|message_model\|>|<\|content_invoke_tool_json\|>"),
    _tags(
        "react",
        r"(?m:^[ \t]*(?:\*\*)?Action(?:\*\*)?:)",
        lead=r"(?:\*\*)?Thought(?:\*\*)?:(?:\*\*)?[ \t]*",
    ),
)
"""Every call syntax that has marks of its own, with the marks that open a call."""

FAMILIES = (
    _family(r"deepseek", "deepseek", "dsml"),
    _family(r"functiongemma", "functiongemma"),
    _family(r"gemma-?4", "gemma4"),
    _family(r"gemma", "tool_code"),
    _family(r"kimi|moonlight", "kimi", "kimi_k3"),
    _family(r"gpt-?oss", "harmony"),
    _family(r"(?:mi|mag|dev|code?|mini)stral|mixtral|pixtral", "mistral"),
    _family(r"llama-?4", "python_start"),
    _family(r"llama", "python_tag", "function"),
    _family(r"lfm-?2", "lfm2"),
    _family(r"minimax", "minimax", "tool_calls"),
    _family(r"seed", "seed"),
    _family(r"longcat", "longcat"),
    _family(r"step-?3", "step3", "tool_call", "function"),
    _family(r"granite", "granite", "tool_call"),
    _family(r"hunyuan", "tool_calls", "tool_call"),
    _family(r"jamba", "tool_calls"),
    _family(r"internlm", "internlm"),
    _family(r"phi-?4|firefunction", "functools"),
    _family(r"apertus", "apertus"),
    _family(r"command|cohere|c4ai|aya", "cohere", "react"),
    _family(r"xlam", "tool_call", "mistral"),
    _family(r"nemotron", "nemotron", "tool_call", "function"),
    _family(r"gigachat", "gigachat"),
    _family(r"inkling", "inkling"),
    _family(r"minicpm", "function"),
    _family(r"claude", "invoke"),
    _family(r"qwen|glm|hermes|ernie|exaone|reka|ling|spark|olmo", "tool_call", "function"),
)
"""The syntaxes of models, by the first pattern that the name of a model matches."""

_BY_NAME = {syntax.name: syntax for syntax in SYNTAXES}


def syntaxes_of_model(name: str) -> frozenset[str]:
    """Return the names of the syntaxes that a model writes, or none for an unknown model.

    >>> sorted(syntaxes_of_model("Qwen/Qwen3-Coder-30B")), syntaxes_of_model("my-model")
    (['function', 'tool_call'], frozenset())
    """
    family = next((family for family in FAMILIES if family.pattern.search(name)), None)
    return family.syntaxes if family else frozenset()


def syntaxes_in_template(template: str) -> frozenset[str]:
    """Return the names of the syntaxes whose opening marks a chat template contains.

    >>> syntaxes_in_template("{{ '<|python_tag|>' + call | tojson }}")
    frozenset({'python_tag'})
    """
    return frozenset(each.name for each in SYNTAXES if each.opening.search(template))


def read_syntaxes(names: str | Iterable[str]) -> frozenset[str]:
    """Return names of syntaxes as a set. Raises `ValueError` for an unknown name."""
    wanted = frozenset([names]) if isinstance(names, str) else frozenset(names)
    unknown = sorted(wanted.difference(_BY_NAME))
    if unknown:
        known = ", ".join(_BY_NAME)
        raise ValueError(f"expected names of call syntaxes ({known}), found {unknown[0]!r}")
    return wanted


def find_opening(
    src: str, marks: int, start: int, syntaxes: Collection[str]
) -> tuple[Syntax, int] | None:
    """Return the syntax among `syntaxes` whose mark opens a call, and the start of the mark.

    `marks` is the position of the marks before the call, and `start` of the call. An element is its
    own mark. If marks of several syntaxes open the call, the first mark decides.
    """
    found = []
    for syntax in SYNTAXES:
        if syntax.name not in syntaxes:
            continue
        match = syntax.opening.search(src, marks, start) or syntax.opening.match(src, start)
        if match:
            found.append((syntax, match.start()))
    return min(found, key=lambda each: each[1], default=None)
