"""Mend the calls in an API's answer."""

from dataclasses import replace

from lton.chat.records import ToolCall
from lton.lenient import mend_call
from lton.schema.toolset import ToolSet


def mend_tool_call(call: ToolCall, tools: ToolSet) -> ToolCall:
    """Return a call that fits the tools, if `lton.lenient.mend_call` can mend it.

    Any other call is returned unchanged, and so is a call to a custom tool.

    >>> tools = ToolSet.from_prompt("wait(minutes:int)")
    >>> mend_tool_call(ToolCall("wait", '{"minutes": "5"}', "1"), tools)
    ToolCall(name='wait', given='{"minutes":5}', id='1', custom=False, extra={})
    """
    mended = None if call.custom else mend_call(call.name, call.written, tools)
    if mended is None:
        return call
    return replace(call, name=mended.call.name, given=mended.arguments)
