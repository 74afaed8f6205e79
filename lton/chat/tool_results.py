"""Rewrite tool results in messages and find tools that need the exact text of results.

The form of a result depends only on its text (`lton.results`) and on earlier results. So later
requests start with the same bytes, and prompt caches work.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from lton._json import minified

_TEXTS = ("text", "input_text")
_GEMINI_TEXTS = ("output", "result", "error")
"""The members of a result in Gemini's API that are its text, if they are alone."""
_SNAKE_CASE = {"functionCall": "function_call", "functionResponse": "function_response"}
_MATCHED = frozenset(
    "old oldtext oldstring oldstr oldcontent newtext newstring newstr edits edit patch diff replace"
    " replacement replacements replacewith insertline".split()
)  # parameters with text to match, or its replacement
_WRITTEN = frozenset("content contents text data filetext filecontent body source code".split())
PLACES = frozenset("path paths filepath file filename files absolutepath targetfile".split())
ChangeResult: TypeAlias = Callable[[str, str], str]
"""Takes the text of a result and the id of its call, and returns the new text."""
JoinTexts: TypeAlias = Callable[[Sequence[str]], str | None]
"""Takes the texts of a result, and returns them as one text, or None if they stay separate."""


def takes_exact_text(parameters: Collection[str]) -> bool:
    """Return whether a tool needs exact text from earlier results, as a file editor does.

    Its parameters must be normalized by `plain_names`.

    >>> takes_exact_text(plain_names(["path", "old_string"])), takes_exact_text({"query"})
    (True, False)
    """
    names = frozenset(parameters)
    return bool(names & _MATCHED or (names & _WRITTEN and names & PLACES))


def plain_names(names: Iterable[str]) -> frozenset[str]:
    """Convert names to lower case without punctuation, so that `oldText` equals `old_text`."""
    return frozenset(re.sub("[^a-z]", "", name.lower()) for name in names)


def with_results(
    messages: Sequence[Any],
    change: ChangeResult,
    *,
    errors: bool = True,
    join: JoinTexts | None = None,
) -> list[Any]:
    """Apply `change` to the tool results in messages, input items or contents of any API.

    `change` may use only the text of a result and earlier results. Then later requests start with
    the same bytes, and prompt caches work. Without `errors`, results that Anthropic's or Gemini's
    API marks as errors do not change. `join` may make one text of a result whose parts are all
    plain texts.

    >>> with_results([{"role": "tool", "tool_call_id": "c", "content": "[1, 2]"}], str.__add__)
    [{'role': 'tool', 'tool_call_id': 'c', 'content': '[1, 2]c'}]
    """
    return [_make_changed_message(message, change, errors, join) for message in messages]


def _make_changed_message(
    message: Any, change: ChangeResult, errors: bool, join: JoinTexts | None
) -> Any:
    match message:
        case {"role": "tool", "content": content}:
            return {
                **message,
                "content": _make_changed_content(
                    content, message.get("tool_call_id"), change, join
                ),
            }
        case {"type": "function_call_output", "output": output}:
            return {
                **message,
                "output": _make_changed_content(output, message.get("call_id"), change, join),
            }
        case {"role": "user", "content": [*blocks]}:
            return {
                **message,
                "content": [_make_changed_block(block, change, errors, join) for block in blocks],
            }
        case {"parts": [*_]}:
            return _make_changed_gemini_content(message, change, errors)
    return message


def iterate_gemini_functions(
    content: Any, kind: str
) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
    """Yield the place, the id and the function of each call or result in a content of Gemini's API.

    Calls and results need no id there. Then the id is the name with its rank among those of the
    same name, because the results of a turn follow in the order of its calls.

    >>> call = {"functionCall": {"name": "stop"}}
    >>> [id for _, id, _ in iterate_gemini_functions({"parts": [call, call]}, "functionCall")]
    ['stop 1', 'stop 2']
    """
    ranks = Counter[str]()
    parts = content.get("parts") if isinstance(content, dict) else None
    for place, part in enumerate(parts if isinstance(parts, list) else ()):
        match _find_function_in(part, kind):
            case {"name": str(name)} as function:
                ranks[name] += 1
                yield place, str(function.get("id") or f"{name} {ranks[name]}"), function


def _make_changed_gemini_content(
    content: Mapping[str, Any], change: ChangeResult, errors: bool
) -> dict[str, Any]:
    parts = [*content["parts"]]
    for place, call, function in iterate_gemini_functions(content, "functionResponse"):
        response = function.get("response")
        if not isinstance(response, dict) or ("error" in response and not errors):
            continue
        changed = {**function, "response": _make_changed_response(response, call, change)}
        key = next(key for key, member in parts[place].items() if member is function)
        parts[place] = {**parts[place], key: changed}
    return {**content, "parts": parts}


def _make_changed_response(
    response: Mapping[str, Any], call: str, change: ChangeResult
) -> Mapping[str, Any]:
    """Return a response with another text. A value that is not a text becomes one if it changes."""
    key = _GEMINI_TEXTS[0]
    value: Any = response
    if len(response) == 1 and not response.keys().isdisjoint(_GEMINI_TEXTS):
        ((key, value),) = response.items()
    text = value if isinstance(value, str) else minified(value)
    new_text = change(text, call)
    return response if new_text == text else {key: new_text}


def _make_changed_block(
    block: Any, change: ChangeResult, errors: bool, join: JoinTexts | None
) -> Any:
    match block:
        case {"type": "tool_result", "is_error": True} if not errors:
            return block
        case {"type": "tool_result", "content": content}:
            return {
                **block,
                "content": _make_changed_content(content, block.get("tool_use_id"), change, join),
            }
    return block


def _make_changed_content(
    content: Any, call: Any, change: ChangeResult, join: JoinTexts | None
) -> Any:
    if isinstance(content, str):
        return change(content, str(call))
    if not isinstance(content, list):
        return content
    if join and len(content) > 1 and all(map(_is_plain_text, content)):
        joined = join([part["text"] for part in content])
        if joined is not None:
            content = [{**content[0], "text": joined}]
    return [_make_changed_part(item, str(call), change) for item in content]


def _is_plain_text(part: Any) -> bool:
    """Return whether a part is a text without other settings, such as a cache breakpoint."""
    match part:
        case {"type": kind, "text": str()} if kind in _TEXTS:
            return len(part) == 2
    return False


def _make_changed_part(part: Any, call: str, change: ChangeResult) -> Any:
    match part:
        case {"type": kind, "text": str(text)} if kind in _TEXTS:
            return {**part, "text": change(text, call)}
    return part


def _find_function_in(part: Any, kind: str) -> Any:
    """Return the call or result in a part, whose key is also read in snake case."""
    if not isinstance(part, dict):
        return None
    return part.get(kind, part.get(_SNAKE_CASE[kind]))
