"""Mark calls that only show how a call is written.

This is the last reason to doubt a call. All others say more about the text around the call.
"""

from collections.abc import Iterable
from dataclasses import replace

from lton._patterns import compiled_when_used
from lton.errors import RepairCode
from lton.lenient._candidates import Candidate
from lton.lenient._programs import is_variable
from lton.lenient._shown_calls import is_template
from lton.lenient._spans import CallSpan
from lton.schema.toolset import ToolSet

_BARE = compiled_when_used(
    r"(?<![\"'`\w.:*$\u201c\u2018])((?:\*{1,2}|\$)?[^\W\d](?:[\w.]*\w)?)(?![\"'`\w])"
)
"""A word without quotes, and without a length."""


def with_examples(src: str, spans: Iterable[CallSpan], tools: ToolSet | None) -> list[CallSpan]:
    """Mark each call that is a template, or has variables, as uncertain. Return the spans."""
    by_name = tools.by_name if tools is not None else {}
    marked: list[CallSpan] = []
    for span in spans:
        if span.candidate is None or span.doubt:
            marked.append(span)
            continue
        follows = span.repeats and marked[-1].doubt is RepairCode.EXAMPLE
        is_example = follows or is_template(span.candidate.call, by_name)
        is_example = is_example or _has_variable(src, span, span.candidate)
        marked.append(replace(span, doubt=RepairCode.EXAMPLE) if is_example else span)
    return marked


def _has_variable(src: str, span: CallSpan, candidate: Candidate) -> bool:
    """Return whether a bare word of a call in LTON or Python may be a variable."""
    if any(code is RepairCode.XML for _, code in candidate.repairs):
        return False  # the text of an element has no quotes
    bare = set(_BARE.findall(src, span.start, span.end))
    values = candidate.call.arguments.values()
    return any(isinstance(value, str) and value in bare and is_variable(value) for value in values)
