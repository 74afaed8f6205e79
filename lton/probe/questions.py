"""Define the 24 questions of `lton probe` about eight tools. Eight questions need no call.

`questions.json` next to this module contains the tools and the questions.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lton.codec import encode
from lton.errors import EncodeError
from lton.schema.toolset import ToolSet
from lton.schema.types import JSON, Call, Tool, Type


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the call that answers it (None if no tool fits)."""

    text: str
    call: Call | None = None

    def is_right(self, calls: Sequence[Call]) -> bool:
        """Return whether the calls answer the question. The case of letters does not matter."""
        expected = [self.call] if self.call else []
        return [_normalize_call(call) for call in calls] == [
            _normalize_call(call) for call in expected
        ]


def _normalize_call(call: Call) -> tuple[str, str]:
    """Normalize a call, so that `3` equals `3.0` and `Oslo` equals `oslo`."""
    members = sorted((key, _normalize_value(value)) for key, value in call.arguments.items())
    return call.name, repr(members)


def _normalize_value(value: JSON) -> Any:
    if isinstance(value, str):
        return value.strip().rstrip(".").casefold()
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, list):
        return [_normalize_value(item) for item in value]
    if isinstance(value, dict):
        return sorted((key, _normalize_value(member)) for key, member in value.items())
    return value


_DATA = json.loads(Path(__file__).with_name("questions.json").read_bytes())
TOOLS: Sequence[Mapping[str, Any]] = _DATA["tools"]
QUESTIONS: Sequence[Question] = [
    Question(question["text"], Call(**question["call"]) if "call" in question else None)
    for question in _DATA["questions"]
]
"""Questions with and without a call are spread evenly, so any part is as mixed as the whole."""


def questions_about(tools: ToolSet, most: int = 16) -> list[Question]:
    """Write questions about the user's own tools.

    A tool is omitted if a required parameter accepts more than a string, a number or a boolean, or
    if no simple value fits. Questions that need no call are added from `QUESTIONS`.
    """
    candidates = (_try_make_question(tool, tools) for tool in tools)
    questions = [question for question in candidates if question][:most]
    unwanted = [question for question in QUESTIONS if question.call is None]
    mixed = list[Question]()
    for rank, question in enumerate(questions):
        mixed += [question, *unwanted[rank // 2 : rank // 2 + rank % 2]]
    return mixed


def _try_make_question(tool: Tool, tools: ToolSet) -> Question | None:
    required = (param for param in tool.args.params if param.required)
    values = {param.name: _example_value(param.type, rank) for rank, param in enumerate(required)}
    call = Call(tool.name, values)
    try:
        encode(call, tools)
    except EncodeError:
        return None
    arguments = ", ".join(f"{key} {value}" for key, value in values.items())
    with_arguments = f" with {arguments}" if arguments else ""
    return Question(f"Use the tool {tool.name}{with_arguments}.", call)


def _example_value(node: Type, rank: int) -> JSON:
    if node.string:
        return node.string.values[0] if node.string.values else _WORDS[rank % len(_WORDS)]
    if node.number:
        return node.number.values[0] if node.number.values else int(node.number.minimum or 0) + 3
    return True if node.booleans else None


_WORDS = ("alpha", "bravo", "charlie", "delta")
