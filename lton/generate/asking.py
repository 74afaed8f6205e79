"""Ask a model for calls and ask again with the error if its answer cannot be read."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Generic, TypeVar, Unpack, overload

from lton._syntax import FOR_MODELS
from lton.chat import Message, feedback, instructions, to_openai
from lton.chat.replies import read
from lton.engines import llamacpp, outlines, server
from lton.engines.generation import Generation, Spent
from lton.errors import Code, DecodeError, LTONError
from lton.grammar.build import PROSE, Options, ToolChoice
from lton.schema.toolset import ToolSet
from lton.schema.types import Call
from lton.typed import Toolbox

T = TypeVar("T")
_AGAIN = "Write the call again, without the mistake."


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(Generic[T]):
    """The calls in a model's answer, the errors in its earlier answers, and the token counts.

    `values` are the instances of a `Toolbox`, or the calls of a `ToolSet`. `errors` contains the
    error for each repeated question. `spent` counts the sampled tokens of all answers and the
    prompt of the last one, if the engine reports them.
    """

    values: list[T]
    calls: list[Call]
    text: str
    errors: tuple[DecodeError, ...] = ()
    spent: Spent = field(default_factory=Spent)


@overload
def ask(
    engine: Any,
    question: str | Sequence[Message],
    tools: Toolbox[T],
    *,
    retries: int = 2,
    lenient: bool = True,
    **options: Unpack[Options],
) -> Asked[T]: ...
@overload
def ask(
    engine: Any,
    question: str | Sequence[Message],
    tools: ToolSet,
    *,
    retries: int = 2,
    lenient: bool = True,
    **options: Unpack[Options],
) -> Asked[Call]: ...
def ask(
    engine: Any,
    question: str | Sequence[Message],
    tools: ToolSet,
    *,
    retries: int = 2,
    lenient: bool = True,
    **options: Unpack[Options],
) -> Asked[Any]:
    """Ask a model a question, or continue a conversation, and return its calls.

    The engine is a `llama_cpp.Llama`, a model of Outlines or a `ServerEngine`, and then a grammar
    constrains its output. It may also be a function from OpenAI messages to the model's text. The
    text of a function is read leniently unless `lenient` is False.

    If an answer cannot be read, or a class refuses it, the model gets the error (the code, the
    place, and the expected input), and is asked again at most `retries` times. After that, the
    `DecodeError` is raised. Other errors of an engine are raised immediately.

    >>> tools = ToolSet.from_prompt("wait(minutes:int)")
    >>> texts = iter(["wait(minutes=soon)", "wait(minutes=5)"])
    >>> found = ask(lambda messages: next(texts), "Wait!", tools)
    >>> found.values, [error.code.value for error in found.errors]
    ([Call(name='wait', arguments={'minutes': 5})], ['E203'])
    """
    choice = options.get("tool_choice", "required")
    complete, count = _ways(engine, tools, options, lenient=lenient)
    shown = instructions(tools, form=options.get("form", FOR_MODELS), sigil=choice in PROSE)
    said = [Message.saying("system", shown)]
    said += [Message.saying("user", question)] if isinstance(question, str) else question
    errors: list[DecodeError] = []
    sampled = 0
    while True:
        try:
            found = complete(to_openai(said))
        except DecodeError as error:
            if len(errors) == retries:
                raise
            errors.append(error)
            sampled += count(error.doc)
            said += [Message.saying("assistant", error.doc)] if error.doc else []
            said += [Message.saying("user", f"{feedback(error)}\n{_AGAIN}")]
            continue
        make: Callable[[Call], Any] = (
            tools.instance if isinstance(tools, Toolbox) else lambda call: call
        )
        return Asked(
            values=[make(call) for call in found.calls],
            calls=found.calls,
            text=found.text,
            errors=tuple(errors),
            spent=replace(found.spent, sampled=found.spent.sampled + sampled),
        )


def _ways(
    engine: Any, tools: ToolSet, options: Options, *, lenient: bool
) -> tuple[Callable[[list[dict[str, Any]]], Generation], Callable[[str], int]]:
    """Return a function that completes chats, and a function that counts tokens."""
    complete: Any = None
    tokenize: Callable[[str], Sequence[int]]
    if hasattr(engine, "create_completion"):
        complete, tokenize = llamacpp.complete, partial(llamacpp.tokenize, engine)
    elif isinstance(engine, server.ServerEngine):
        complete, tokenize = server.complete, engine.tokenize
    elif type(engine).__module__.startswith("outlines."):
        complete, tokenize = outlines.complete, partial(llamacpp.tokenize, engine.model)
    if complete:
        return (
            lambda messages: complete(engine, messages, tools, **options),
            lambda text: len(tokenize(text)) + 1,
        )
    if not callable(engine):
        msg = f"expected a model, or a function of messages, found a {type(engine).__name__}"
        raise LTONError(Code.MODEL, msg, hint="lton.engines.llamacpp.load(FILE) returns a model")
    choice = options.get("tool_choice", "required")
    return partial(_read, engine, tools, choice, lenient), lambda _: 0


def _read(
    ask: Callable[[list[dict[str, Any]]], str],
    tools: ToolSet,
    choice: ToolChoice,
    lenient: bool,
    messages: list[dict[str, Any]],
) -> Generation:
    text = ask(messages)
    reply = read(text, tools, prose=choice in PROSE, lenient=lenient)
    if reply.error:
        raise reply.error
    if not reply.calls and choice not in PROSE:
        doubts = reply.found.uncertain if reply.found else ()
        why = f"found one that is uncertain: {doubts[0].msg}" if doubts else "found none"
        raise DecodeError(Code.SYNTAX, f"expected a call, {why}", doc=text, pos=0)
    calls = [call.call for call in reply.calls]
    return Generation(calls=calls, text=text, prose=reply.content)
