"""Mark calls that only show how a call is written.

This is the last reason to doubt a call. All others say more about the text around the call.
"""

from collections.abc import Iterable
from dataclasses import replace

from lton.errors import RepairCode
from lton.lenient._spans import CallSpan
from lton.lenient._templates import is_template
from lton.schema.toolset import ToolSet


def with_examples(spans: Iterable[CallSpan], tools: ToolSet | None) -> list[CallSpan]:
    """Mark each call that is a template as uncertain. Return the spans."""
    by_name = tools.by_name if tools is not None else {}
    marked: list[CallSpan] = []
    for span in spans:
        if span.candidate is None or span.doubt:
            marked.append(span)
            continue
        follows = span.repeats and marked[-1].doubt is RepairCode.EXAMPLE
        is_example = follows or is_template(span.candidate.call, by_name)
        marked.append(replace(span, doubt=RepairCode.EXAMPLE) if is_example else span)
    return marked
