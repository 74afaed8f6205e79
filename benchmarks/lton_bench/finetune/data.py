"""Select separate cases of BFCL for training and for questions, each with one call.

The questions are some of the cases that `lton_bench.study` reports. The training uses the other
cases of the same kinds, except cases that are near a case of the study, reported or for
development. A case is near another case if they share

* the name of a tool, ignoring the order, case and punctuation of its words;
* half of the words of a tool's description, or of the question. BFCL has many questions twice, in
  other words or with other numbers.

The prompt is the same in each form: the prompt of `lton.generate.chat.chat`, with the tools as
signatures. Only the completion differs. `lton_bench.convert` writes the completions in LTON, and
reads them back. Cases that it refuses are left out of all forms.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from itertools import chain
from typing import Any, Literal, Protocol, TypeAlias

from lton import Call, LTONError, ToolSet, decode, encode
from lton.errors import Code, DecodeError
from lton.generate.chat import Shot, chat
from lton_bench import bfcl
from lton_bench.convert import convert_example
from lton_bench.direct import SYNTAXES
from lton_bench.internals import FORMS as LTON_FORMS
from lton_bench.internals import Form, minified
from lton_bench.study import tasks
from lton_bench.study.tasks import Case

__all__ = [
    "FORMS",
    "Example",
    "Tokens",
    "Written",
    "asked",
    "examples",
    "prompt",
    "read",
    "tokens",
    "write",
]

Written: TypeAlias = Form | Literal["json", "python"]
JSON: Literal["json"] = "json"
PYTHON: Literal["python"] = "python"
_OURS = tuple(form for form in LTON_FORMS if form != "tagged")
FORMS: tuple[Written, ...] = (JSON, PYTHON, *_OURS)
"""The forms of a call: minified JSON, Python with keywords, and the forms of LTON that need a
schema."""
ASKED = ("simple_python", "multiple", "live_simple")
TRAINED = (*ASKED, "live_multiple")
SEED = "lton-finetune-1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A question with its tools, and its call in each form."""

    id: str
    question: str
    tools: ToolSet
    completions: Mapping[Written, str]

    @property
    def shot(self) -> Shot:
        """The example as a shot in a prompt."""
        text = self.completions[JSON]
        return Shot(self.question, [read(text, self.tools, JSON)], self.tools)


class Tokenizer(Protocol):
    """The methods of transformers' tokenizers that are used."""

    eos_token_id: Any

    def apply_chat_template(self, messages: Any, **options: Any) -> Any:
        """Return a chat in the model's template."""

    def encode(self, text: str, **options: Any) -> list[int]:
        """Return the tokens of a string."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a prompt and of its completion, with the end of the turn.

    `tools` is equal for prompts that begin with the same tools.
    """

    tools: str
    prompt: Sequence[int]
    completion: Sequence[int]

    @property
    def ids(self) -> list[int]:
        return [*self.prompt, *self.completion]


def asked(each: int) -> dict[str, list[Case]]:
    """Return the first `each` reported cases of each category.

    >>> [case.id for case in asked(1)["multiple"]]
    ['multiple_95']
    """
    return {category: tasks.reported()[category][:each] for category in ASKED}


@cache
def examples() -> tuple[Example, ...]:
    """Return all examples for training, in the order of a hash."""
    found: dict[str, Example] = {}
    near = _Near()
    for line in map(json.loads, chain.from_iterable(map(bfcl.lines, TRAINED))):
        question = line["messages"][0]["content"]
        if question not in found and not near(question, line["tools"]):
            try:
                found[question] = _example(line)
            except LTONError:
                continue  # the gold call breaks its own schema
    return tuple(sorted(found.values(), key=lambda example: _rank(example.id)))


def prompt(
    tools: ToolSet, question: str, form: Written, shots: Sequence[Shot] = ()
) -> list[dict[str, str]]:
    """Return the messages before the call. Without shots they are equal for all forms."""
    return chat(tools, question, shots, write_calls=lambda calls, of: write(calls[0], of, form))


def write(call: Call, tools: ToolSet, form: Written) -> str:
    """Return a call in a form."""
    if form == "json":
        return minified({"name": call.name, "arguments": call.arguments})
    if form == "python":
        return SYNTAXES[form].write([call], tools)
    return encode(call, tools, form=form)


def read(text: str, tools: ToolSet, form: Written) -> Call:
    """Read an answer with one call, which is checked against its tool.

    Raises `LTONError` for other answers. JSON may have any whitespace.
    """
    if form != JSON:
        calls = SYNTAXES[form].read(text, tools) if form == PYTHON else decode(text, tools)
        if len(calls) != 1:
            raise DecodeError(
                Code.SYNTAX, f"expected one call, found {len(calls)}", doc=text, pos=0
            )
        return calls[0]
    try:
        found = json.loads(text)
        name, arguments = found["name"], found["arguments"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DecodeError(Code.SYNTAX, "expected a call in JSON", doc=text, pos=0) from error
    if not isinstance(name, str) or not isinstance(arguments, dict):
        raise DecodeError(Code.SYNTAX, "expected a name and arguments", doc=text, pos=0)
    call = Call(name, arguments)
    encode(call, tools)
    return call


def tokens(example: Example, form: Written, tokenizer: Tokenizer) -> Tokens:
    """Return the tokens of an example in a form.

    Prompt and completion are split into tokens separately, as when the model answers.
    """
    messages = prompt(example.tools, example.question, form)
    chat = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    given = tokenizer.encode(chat, add_special_tokens=False)
    said = tokenizer.encode(example.completions[form], add_special_tokens=False)
    return Tokens(example.tools.fingerprint, given, [*said, tokenizer.eos_token_id])


def _example(line: Mapping[str, Any]) -> Example:
    texts: dict[Written, str] = {
        form: convert_example(line, form=form, primer=False, descriptions=False)["messages"][-1][
            "content"
        ]
        for form in _OURS
    }
    tools = ToolSet.from_tools(line["tools"])
    function = line["messages"][-1]["tool_calls"][0]["function"]
    call = Call(function["name"], json.loads(function["arguments"]))
    return Example(
        id=line["id"],
        question=line["messages"][0]["content"],
        tools=tools,
        completions={form: write(call, tools, form) for form in (JSON, PYTHON)} | texts,
    )


class _Near:
    """Tests whether a question or a tool is near a case of the study."""

    def __init__(self) -> None:
        cases = [
            case
            for part in (tasks.reported(), tasks.development())
            for some in part.values()
            for case in some
        ]
        self._names = {_name(tool) for case in cases for tool in case.tools}
        texts = [case.messages[-1]["content"] for case in cases]
        texts += [tool["function"]["description"] for case in cases for tool in case.tools]
        self._texts = {_words(text) for text in texts}
        self._known: dict[str, bool] = {}

    def __call__(self, question: str, tools: Sequence[Mapping[str, Any]]) -> bool:
        texts = [question, *(tool["function"]["description"] for tool in tools)]
        return not self._names.isdisjoint(map(_name, tools)) or any(map(self._is_known, texts))

    def _is_known(self, text: str) -> bool:
        if text not in self._known:  # many questions have the same tools
            words = _words(text)
            self._known[text] = any(
                3 * len(words & other) >= len(words) + len(other) for other in self._texts
            )
        return self._known[text]


def _name(tool: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the words of a name: `areaOfTriangle` and `triangle.area_of` have the same words."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", tool["function"]["name"])
    return tuple(sorted(re.findall(r"[a-z]+|\d+", apart.casefold())))


def _words(text: str) -> frozenset[str]:
    """Return the words of a string, without numbers."""
    return frozenset(re.findall(r"[^\W\d]+", text.casefold()))


def _rank(name: str) -> str:
    return sha256(f"{SEED}:{name}".encode()).hexdigest()
