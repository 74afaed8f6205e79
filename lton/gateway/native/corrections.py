"""Ask the model again with the errors of its native calls (`retry`).

The model sees its wrong calls and their errors as calls and results in its own syntax. `inquiries`
asks about calls that it wrote as text.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from lton import chat
from lton.apis.api import encode_body
from lton.gateway.native.call_checks import NOT_JSON
from lton.gateway.native.native_calls import NativeCall
from lton.gateway.native.native_requests import NativeRequest
from lton.gateway.native.rescues import Allowed

_OTHERS = "error: not run, because another call of this answer is wrong: make all calls again"


def correction_messages(calls: Sequence[NativeCall], allowed: Allowed) -> tuple[chat.Message, ...]:
    """Return an answer's calls and their errors as messages, or () if all calls are valid."""
    tool_calls = list[chat.ToolCall]()
    results = list[chat.ToolResult]()
    is_wrong = False
    for start, arguments in ((call.start, call.arguments) for call in calls):
        code, error = allowed.checks.outcome_of_call(start.name, arguments)
        wrong = allowed.has_tool(start.name) and code.startswith(("E2", NOT_JSON))
        is_wrong = is_wrong or wrong
        json_text = "{}" if code == NOT_JSON else arguments
        space = {"namespace": start.space} if start.space else {}
        tool_calls.append(
            chat.ToolCall(start.name, json_text, start.id or chat.new_call_id(), extra=space)
        )
        words = chat.Text(f"error: {error}" if wrong else _OTHERS)
        results.append(chat.ToolResult((words,), tool_calls[-1].id, start.name, is_error=True))
    if is_wrong:
        return chat.Message("assistant", (*tool_calls,)), chat.Message("tool", (*results,))
    return ()


def with_correction(native: NativeRequest, correction: Iterable[chat.Message]) -> NativeRequest:
    """Append a correction to a request and reduce the number of retries."""
    body = native.api.with_appended_messages(native.sent_body, correction)
    content = encode_body(body, native.api)
    return replace(native, sent_body=body, content=content, loose=None, retries=native.retries - 1)
