"""`--results`: a request whose results are written for its model.

What is written of a result depends on its text alone, and on those before it: so the same bytes
stand in every later request, and a cache of the prompt holds.
"""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from lton.apis.names import ApiName
from lton.chat import Text, ToolResult
from lton.chat.results import ChangeResult, with_results
from lton.gateway.conversations import kept_parts
from lton.transcript.first_sight import SeenLines, alone
from lton.transcript.pointers import told_apart
from lton.transcript.turns import is_error

ResultsForm: TypeAlias = Literal["short", "as-is"]
"""Short at first sight, or as they came."""


def with_short_results(body: Mapping[str, Any], api: ApiName) -> Mapping[str, Any]:
    """Get a body whose results are shortened; the same one if none is."""
    key = "input" if api == "responses" else "messages"
    given = body.get(key)
    if not isinstance(given, list):
        return body
    made = kept_parts(body)
    done, begun = made.begun("results", given)
    seen, said = (begun[0].copied(), [*begun[1]]) if done else (SeenLines(), [])
    settled = max(done, made.settled)
    said += with_results(given[done:settled], at_first_sight(seen), errors=False)
    made.keep("results", given[:settled], (seen.copied() if made.settled else None, (*said,)))
    said += with_results(given[settled:], at_first_sight(seen), errors=False)
    return body if said == given else {**body, key: said}


def at_first_sight(seen: SeenLines) -> ChangeResult:
    """Get what writes the results of a conversation in their order; errors stay as they are."""

    def write(text: str, _call: str) -> str:
        if is_error(ToolResult((Text(text),))):
            return text
        short = alone(text)
        return seen.shown(short if len(short) < len(text) else told_apart(text))

    return write
