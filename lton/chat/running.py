"""Run the calls of a model, and query the model again until it makes no more calls."""

import asyncio
import inspect
from collections.abc import AsyncIterable, Awaitable, Callable, Generator, Iterable, Mapping
from typing import Any, TypeAlias, TypeVar

from lton._json import minified
from lton._syntax import FOR_MODELS, Form
from lton.chat.deltas import Reply
from lton.chat.mending import mend_tool_call
from lton.chat.openai import from_openai, to_openai
from lton.chat.records import Message, Text, ToolCall, ToolResult
from lton.chat.rendering import render
from lton.chat.replies import read
from lton.chat.return_values import as_json
from lton.chat.seen import iterate_seen_texts
from lton.chat.writing import write_answer
from lton.errors import Code, EncodeError, LTONError
from lton.schema.jsonschema.python import accepting_names
from lton.schema.toolset import ToolSet

T = TypeVar("T")
_MOST_ERRORS = 5  # of a group that a result describes
Function: TypeAlias = Callable[..., Any]
Functions: TypeAlias = Mapping[str, Function] | Iterable[Function]
"""Functions by tool name, or with the names of their tools."""
_Messages: TypeAlias = Iterable[Message | Mapping[str, Any]]


def feedback(error: LTONError | str) -> str:
    """Write an error message for a model whose answer could not be read.

    >>> print(feedback("no tool 'wether'"))
    !error: "no tool 'wether'"
    """
    return write_answer("", as_json(str(error)), is_error=True)


def try_explain_doubt(reply: Reply) -> str | None:
    """Return what to tell a model whose only calls are uncertain, or None.

    The model may answer in words.
    """
    doubts = reply.found.uncertain if reply.found and not reply.calls else ()
    if not doubts or reply.error:
        return None
    return (
        f"the call of {doubts[0].call.name} was not run: {doubts[0].msg}. "
        "If it should run, write only the call. Otherwise answer in words"
    )


def run(call: ToolCall, functions: Functions, *, tools: ToolSet | None = None) -> Message:
    """Run a call and return a message with the result as text or JSON (see `as_json`).

    With `tools`, a call that does not fit its tool is mended first, if only one reading fits (see
    `lton.lenient.mend_call`).

    An unknown function, invalid arguments and exceptions from the function become error results.
    Arguments are passed by name. Raises `TypeError` for coroutine functions: use `run_async`.

    >>> run(ToolCall("wait", '{"minutes": 5}', "1"), {"wait": lambda minutes: minutes * 60}).results
    (ToolResult(parts=(Text(text='300', extra={}),), call_id='1', name='wait', ...),)
    """
    mended = mend_tool_call(call, tools) if tools is not None else call
    try:
        value = _find_function(mended, functions)(**_read_arguments(mended))
    except Exception as error:
        return _make_message_of_error(call, error)
    if inspect.isawaitable(value):
        if inspect.iscoroutine(value):
            value.close()
        raise TypeError(f"{call.name} is a coroutine function: use run_async")
    return _make_message_of_value(call, value)


async def run_async(
    call: ToolCall, functions: Functions, *, tools: ToolSet | None = None
) -> Message:
    """Run a call as `run` does, but asynchronously."""
    mended = mend_tool_call(call, tools) if tools is not None else call
    try:
        function = _find_function(mended, functions)
        arguments = _read_arguments(mended)
        if inspect.iscoroutinefunction(function):
            value = await function(**arguments)
        else:
            value = await asyncio.to_thread(function, **arguments)
        if inspect.isawaitable(value):
            value = await value
    except Exception as error:
        return _make_message_of_error(call, error)
    return _make_message_of_value(call, value)


def _find_function(call: ToolCall, functions: Functions) -> Function:
    by_name = _functions_by_name(functions)
    if call.name not in by_name:
        there = f"there are {', '.join(by_name) or 'none'}"
        raise EncodeError(Code.TOOL, f"no tool {call.name!r}", hint=there)
    return accepting_names(by_name[call.name])


def _functions_by_name(functions: Functions) -> Mapping[str, Function]:
    if isinstance(functions, Mapping):
        return functions
    return {function.__name__: function for function in functions}


def _read_arguments(call: ToolCall) -> dict[str, Any]:
    return dict(call.call.arguments)


def _make_message_of_value(call: ToolCall, value: object) -> Message:
    content = as_json(value)
    return _make_result_message(call, content if isinstance(content, str) else minified(content))


def _make_message_of_error(call: ToolCall, error: Exception) -> Message:
    return _make_result_message(call, str(as_json(_describe_error(error))), is_error=True)


def _describe_error(error: Exception) -> str:
    """Return the text of an error for a model. A group is described by the errors in it."""
    if isinstance(error, ExceptionGroup):
        return "; ".join(map(_describe_error, error.exceptions[:_MOST_ERRORS]))
    words = str(error)
    if isinstance(error, LTONError) and words:
        return words
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


def _make_result_message(call: ToolCall, text: str, *, is_error: bool = False) -> Message:
    result = ToolResult((Text(text),), call.id, call.name, is_error=is_error)
    return Message("tool", (result,))


# --- the loop -----------------------------------------------------------------------------------

Ask: TypeAlias = Callable[[list[dict[str, Any]]], str | Iterable[str]]
AskAsync: TypeAlias = Callable[
    [list[dict[str, Any]]], Awaitable[str | AsyncIterable[str]] | AsyncIterable[str]
]


def converse(
    ask: Ask,
    messages: _Messages,
    functions: Functions,
    *,
    tools: ToolSet | None = None,
    form: Form = FOR_MODELS,
    lenient: bool = True,
    turns: int = 10,
    retries: int = 2,
) -> list[Message]:
    r"""Query a model and run its calls, until an answer has no calls. Return all messages.

    `ask` takes OpenAI messages without tools, and returns the model's text, complete or in chunks.
    Without `tools`, the tools are made from the functions (extra `apps`). Use `lenient=False` if
    a grammar constrains the model (`lton.grammar`, `tool_choice="auto"`).

    If the text cannot be read, or if its calls are uncertain, the model is told why, at most
    `retries` times in a row. Then the `DecodeError` is raised, and uncertain calls stay text. After
    `turns` answers, the conversation ends with the results of the last calls. Exceptions from
    functions become results (see `run`).

    >>> texts = iter(["!call wait(minutes=5)", "Done."])
    >>> said = converse(lambda messages: next(texts), [{"role": "user", "content": "Wait!"}],
    ...     {"wait": lambda minutes: None}, tools=ToolSet.from_prompt("wait(minutes:int)"))
    >>> [message.role for message in said], said[-1].text
    (['user', 'assistant', 'tool', 'assistant'], 'Done.')
    """
    dialogue = _run_dialogue(messages, functions, tools, form, turns, retries, lenient=lenient)
    answer: Any = None
    while True:
        try:
            step = dialogue.send(answer)
        except StopIteration as end:
            return list(end.value)
        if isinstance(step, list):
            text = _require_text(ask(step))
            answer = text if isinstance(text, str) else "".join(text)
        else:
            answer = [run(call, functions) for call in step]


async def converse_async(
    ask: AskAsync,
    messages: _Messages,
    functions: Functions,
    *,
    tools: ToolSet | None = None,
    form: Form = FOR_MODELS,
    lenient: bool = True,
    turns: int = 10,
    retries: int = 2,
) -> list[Message]:
    """Run `converse` with an asynchronous `ask`. All calls of a turn run concurrently."""
    dialogue = _run_dialogue(messages, functions, tools, form, turns, retries, lenient=lenient)
    answer: Any = None
    while True:
        try:
            step = dialogue.send(answer)
        except StopIteration as end:
            return list(end.value)
        if isinstance(step, list):
            outcome = ask(step)
            text = outcome if isinstance(outcome, AsyncIterable) else _require_text(await outcome)
            answer = text if isinstance(text, str) else "".join([piece async for piece in text])
        else:
            answer = await asyncio.gather(*(run_async(call, functions) for call in step))


def _require_text(answer: T) -> T:
    """Return the model's text. The `content` of an API is None if an answer has only calls."""
    if answer is None:
        raise TypeError("expected `ask` to return the text of the model, found None")
    return answer


def _run_dialogue(
    messages: _Messages,
    functions: Functions,
    tools: ToolSet | None,
    form: Form,
    turns: int,
    retries: int,
    *,
    lenient: bool,
) -> Generator[list[dict[str, Any]] | tuple[ToolCall, ...], Any, list[Message]]:
    """Yield messages to send to the model, or calls to run. `send()` takes the outcome."""
    if tools is None:
        tools = ToolSet.from_tools(_functions_by_name(functions).values())
    history = [
        message if isinstance(message, Message) else from_openai([message])[0]
        for message in messages
    ]
    failures = 0
    is_asked = False  # whether the model was just asked if it means a call
    for _ in range(turns):
        text = yield to_openai(render(history, tools, form=form).messages)
        # A call that the model repeats after the question is meant, even if it is an echo.
        seen = () if is_asked else iterate_seen_texts({"messages": to_openai(history)})
        reply = read(text, tools, lenient=lenient, seen=seen)
        doubt = try_explain_doubt(reply)
        is_asked = doubt is not None and failures < retries
        if is_asked:
            failures += 1
            result = ToolResult((Text(str(doubt)),), is_error=True)
            history += [Message.saying("assistant", text), Message("tool", (result,))]
            continue
        failures = 0 if reply.error is None else failures + 1
        if reply.error and failures > retries:
            raise reply.error
        if reply.error and not reply.calls:
            history.append(Message.saying("assistant", text))
        else:
            history.append(reply.to_message())
        if reply.calls:
            history += yield reply.calls
        if reply.error:
            result = ToolResult((Text(str(reply.error)),), is_error=True)
            history.append(Message("tool", (result,)))
        elif not reply.calls:
            break
    return history
