"""Check native calls and ask the model again with the errors (`--retry`).

The model sees its wrong calls and their errors as calls and results in its own syntax. `inquiries`
asks about calls that it wrote as text.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from lton import chat
from lton._json import read_json
from lton.apis.api import encode_body
from lton.codec import encode
from lton.errors import LTONError
from lton.gateway.native.native_calls import NativeCall
from lton.gateway.native.native_requests import NativeRequest
from lton.gateway.native.rescues import Allowed
from lton.schema.toolset import ToolSet
from lton.schema.types import Call

_NOT_JSON = "not_json"
_OTHERS = "error: not run, because another call of this answer is wrong: make all calls again"


def check_call(name: str, arguments: str, tools: ToolSet) -> tuple[str, str]:
    """Return `fits`, or the code and message of the error if a call breaks its schema.

    Arguments that are not a JSON object give `not_json`.
    """
    try:
        given = read_json(arguments or "{}")
        if isinstance(given, dict):
            encode(Call(name, given), tools)
            return "fits", ""
    except LTONError as error:
        return str(error.code), str(error)
    except (ValueError, RecursionError):
        pass
    return _NOT_JSON, f"expected a JSON object of arguments, found {arguments[:200]!r}"


def correction(calls: Sequence[NativeCall], allowed: Allowed) -> tuple[chat.Message, ...]:
    """Return an answer's calls and their errors as messages, or () if all calls are valid."""
    made = list[chat.ToolCall]()
    results = list[chat.ToolResult]()
    is_wrong = False
    for start, arguments in ((each.start, each.arguments) for each in calls):
        code, error = check_call(start.name, arguments, allowed.tools)
        wrong = allowed.knows(start.name) and code.startswith(("E2", _NOT_JSON))
        is_wrong = is_wrong or wrong
        given = "{}" if code == _NOT_JSON else arguments
        space = {"namespace": start.space} if start.space else {}
        made.append(chat.ToolCall(start.name, given, start.id or chat.new_call_id(), extra=space))
        words = chat.Text(f"error: {error}" if wrong else _OTHERS)
        results.append(chat.ToolResult((words,), made[-1].id, start.name, is_error=True))
    if is_wrong:
        return chat.Message("assistant", (*made,)), chat.Message("tool", (*results,))
    return ()


def asked_again(native: NativeRequest, correction: Iterable[chat.Message]) -> NativeRequest:
    """Append a correction to a request and reduce the number of retries."""
    sent = native.api.append_messages(native.sent, correction)
    content = encode_body(sent, native.api)
    return replace(native, sent=sent, content=content, loose=None, retries=native.retries - 1)
