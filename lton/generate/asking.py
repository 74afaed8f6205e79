"""Ask a model for calls, guided where the engine can be, and ask again with the error.

A model that runs in this process, or an engine, samples only values and choices (`_guided`). Any
other model is a function from messages to text, which is read leniently.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Generic, TypeVar, Unpack, overload

from lton._syntax import FOR_MODELS, Form
from lton.chat import Message, Text, ToolCall, ToolResult, feedback, instructions, to_openai
from lton.chat.replies import new_call_id, read
from lton.engines.generation import Generation
from lton.errors import Code, DecodeError, EncodeError, LTONError
from lton.events import Argument, CallStart
from lton.generate._guided import GuidedOptions, stream
from lton.grammar.build import PROSE, ToolChoice
from lton.schema.toolset import ToolSet
from lton.schema.types import JSON, Call
from lton.typed import Toolbox

T = TypeVar("T")
_AGAIN = "Write the call again, without the mistake."
_ENGINE = ("prompt", "tokenize", "feed", "constrain", "sample")
"""The methods of an engine (`lton.engines.engine.Engine`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(Generation, Generic[T]):
    """A model's answer, and the errors in its earlier answers.

    `values` are the instances of a `Toolbox`, or the calls of a `ToolSet`. `errors` contains the
    error for each repeated question. The other fields are those of the last answer.
    """

    values: list[T]
    errors: tuple[LTONError, ...] = ()


@overload
def ask(
    engine: Any,
    question: str | Sequence[Message],
    tools: Toolbox[T],
    *,
    retries: int = 2,
    lenient: bool = True,
    form: Form = FOR_MODELS,
    **options: Unpack[GuidedOptions],
) -> Asked[T]: ...
@overload
def ask(
    engine: Any,
    question: str | Sequence[Message],
    tools: ToolSet,
    *,
    retries: int = 2,
    lenient: bool = True,
    form: Form = FOR_MODELS,
    **options: Unpack[GuidedOptions],
) -> Asked[Call]: ...
def ask(
    engine: Any,
    question: str | Sequence[Message],
    tools: ToolSet,
    *,
    retries: int = 2,
    lenient: bool = True,
    form: Form = FOR_MODELS,
    **options: Unpack[GuidedOptions],
) -> Asked[Any]:
    """Ask a model a question, or continue a conversation, and return its calls.

    The engine is a `llama_cpp.Llama`, a llama.cpp model of Outlines, or an engine such as
    `lton.engines.server.ServerEngine`. Then the model samples only values and choices, with the
    options and errors of `stream`. The engine may also be a function from OpenAI messages to the
    model's text. It takes `tool_choice` and no other of these options. The model is told to write
    calls in `form`, and the text is read leniently unless `lenient` is False.

    If an answer cannot be read, or a class refuses it, the model gets the error (the code, the
    place, and the expected input), and is asked again at most `retries` times. After that, the
    `DecodeError` or the `EncodeError` of a guided call is raised. Other errors are raised
    immediately.

    >>> tools = ToolSet.from_prompt("wait(minutes:int)")
    >>> texts = iter(["wait(minutes=soon)", "wait(minutes=5)"])
    >>> found = ask(lambda messages: next(texts), "Wait!", tools)
    >>> found.values, [error.code.value for error in found.errors]
    ([Call(name='wait', arguments={'minutes': 5})], ['E203'])
    """
    is_guided = _is_guided(engine)
    if not is_guided:
        _check_function(engine, options)
    choice = options.get("tool_choice", "required")
    messages_so_far: str | Sequence[Message] = question
    errors: list[LTONError] = []
    while True:
        if is_guided:
            outcome = _ask_guided(engine, messages_so_far, tools, options)
        else:
            system = instructions(tools, form=form, sigil=choice in PROSE)
            messages = [Message.saying("system", system), *_messages_of(messages_so_far)]
            outcome = _ask_function(engine, messages, tools, choice, lenient=lenient)
        if isinstance(outcome, Generation):
            return _with_values(outcome, tools, errors)
        if len(errors) == retries:
            raise outcome.error
        errors.append(outcome.error)
        messages_so_far = [
            *_examples_of(options, tools),
            *_messages_of(messages_so_far),
            *outcome.correction,
        ]
        options = {**options, "shots": ()}


@dataclass(frozen=True, slots=True)
class _Refused:
    """An answer that cannot be used: its error, and the messages that tell the model."""

    error: LTONError
    correction: list[Message]


def _is_guided(engine: Any) -> bool:
    """Return whether an engine can be guided: a model of llama.cpp, or an `Engine`."""
    is_model = hasattr(engine, "eval") or hasattr(getattr(engine, "model", None), "eval")
    return is_model or all(hasattr(engine, method) for method in _ENGINE)


def _check_function(engine: Any, options: Mapping[str, Any]) -> None:
    if not callable(engine):
        msg = f"expected a model, or a function of messages, found a {type(engine).__name__}"
        raise LTONError(Code.MODEL, msg, hint="lton.engines.llamacpp.load(FILE) returns a model")
    if others := options.keys() - {"tool_choice"}:
        raise ValueError(f"a function takes no option {min(others)!r}; set it in the function")


def _messages_of(question: str | Sequence[Message]) -> Sequence[Message]:
    return [Message.saying("user", question)] if isinstance(question, str) else question


def _examples_of(options: GuidedOptions, tools: ToolSet) -> list[Message]:
    """Return the examples as messages, because a conversation has no other examples."""
    messages: list[Message] = []
    for shot in options.get("shots", ()):
        calls = [tools.call_of(call) or call for call in shot.calls]
        tool_calls = tuple(ToolCall(call.name, call.arguments, id=new_call_id()) for call in calls)
        messages += [Message.saying("user", shot.question), Message("assistant", tool_calls)]
    return messages


def _ask_guided(
    engine: Any, question: str | Sequence[Message], tools: ToolSet, options: GuidedOptions
) -> Generation | _Refused:
    name = ""
    arguments: dict[str, JSON] = {}
    try:
        for event in stream(engine, question, tools, **options):
            if isinstance(event, CallStart):
                name = event.name
                arguments = {}
            elif isinstance(event, Argument):
                arguments[event.name] = event.value
            elif isinstance(event, Generation):
                return event
    except EncodeError as error:
        if not name:
            raise
        call = ToolCall(name, arguments, id=new_call_id())
        result = ToolResult((Text(str(error)),), call.id, name, is_error=True)
        exchange = [Message("assistant", (call,)), Message("tool", (result,))]
        return _Refused(error, [*exchange, Message.saying("user", _AGAIN)])
    raise AssertionError("the last event is always a generation")


def _ask_function(
    ask: Callable[[list[dict[str, Any]]], str],
    messages: Sequence[Message],
    tools: ToolSet,
    choice: ToolChoice,
    *,
    lenient: bool,
) -> Generation | _Refused:
    try:
        return _read_answer(ask(to_openai(messages)), tools, choice, lenient=lenient)
    except DecodeError as error:
        answer = [Message.saying("assistant", error.doc)] if error.doc else []
        correction = Message.saying("user", f"{feedback(error)}\n{_AGAIN}")
        return _Refused(error, [*answer, correction])


def _with_values(generation: Generation, tools: ToolSet, errors: Sequence[LTONError]) -> Asked[Any]:
    values: list[Any] = [*generation.calls]
    if isinstance(tools, Toolbox):
        values = [tools.instance(call) for call in generation.calls]
    members = {member.name: getattr(generation, member.name) for member in fields(generation)}
    return Asked(values=values, errors=tuple(errors), **members)


def _read_answer(text: str, tools: ToolSet, choice: ToolChoice, *, lenient: bool) -> Generation:
    reply = read(text, tools, prose=choice in PROSE, lenient=lenient)
    if reply.error:
        raise reply.error
    if not reply.calls and choice not in PROSE:
        doubts = reply.found.uncertain if reply.found else ()
        why = f"found one that is uncertain: {doubts[0].msg}" if doubts else "found none"
        raise DecodeError(Code.SYNTAX, f"expected a call, {why}", doc=text, pos=0)
    calls = [call.call for call in reply.calls]
    return Generation(calls=calls, text=text, prose=reply.content)
