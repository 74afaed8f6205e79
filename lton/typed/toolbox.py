"""Convert the calls in an answer to Python objects and run them."""

import asyncio
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, Generic, Self, TypeVar, overload

from lton._json import minified
from lton.chat import Message, Text, ToolCall
from lton.chat.deltas import Reply
from lton.chat.mending import mend_tool_call
from lton.chat.replies import new_call_id, read
from lton.chat.running import run, run_async
from lton.chat.whole_replies import try_decode_calls
from lton.codec import encode
from lton.codec._given import frames_of
from lton.errors import Code, DecodeError, LTONError, SchemaError
from lton.schema.definitions import is_described_by_type, make_left_out_note, read_definition
from lton.schema.jsonschema.python import definition_of
from lton.schema.jsonschema.tally import Note
from lton.schema.openapi import OPENAPI, Operation, iterate_operations
from lton.schema.toolset import ToolSet
from lton.schema.types import JSON, Call, Object, Param, Tool
from lton.typed.bindings import Binding, BindingCheck, bind
from lton.typed.tool_answers import ToolAnswers

T = TypeVar("T")
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
NO_VALUES: Mapping[str, Any] = MappingProxyType({})


class Toolbox(ToolSet, Generic[T]):
    r"""A tool set made from functions, classes and OpenAPI documents.

    Each source is a function, a pydantic model, a dataclass, a `TypedDict`, a msgspec struct, an
    OpenAPI document, or a definition as in `ToolSet.from_tools`. Pass a source as a keyword
    argument to give its tool another name. A toolbox is also a `ToolSet`.

    pydantic or msgspec creates the instances of classes, with aliases, defaults and validators. A
    call to a function becomes a `functools.partial` that runs the function, a call to an OpenAPI
    operation becomes a `Request`, and any other call remains a `Call`.

    An operation of an OpenAPI document that cannot be read is left out, and `notes` has the reason.
    Raises `SchemaError` for another source without a schema and for duplicate tool names, and
    `MissingExtraError` without the extra `apps`.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Wait:
    ...     minutes: int = 5
    >>> tools = Toolbox(Wait)
    >>> tools.decode("Wait 3\nWait")
    [Wait(minutes=3), Wait(minutes=5)]
    """

    bindings: dict[str, Binding]  # by the names of the tools

    @overload
    def __init__(self: "Toolbox[A]", one: type[A], /) -> None: ...
    @overload
    def __init__(self: "Toolbox[A | B]", one: type[A], two: type[B], /) -> None: ...
    @overload
    def __init__(
        self: "Toolbox[A | B | C]", one: type[A], two: type[B], three: type[C], /
    ) -> None: ...
    @overload
    def __init__(
        self: "Toolbox[A | B | C | D]", one: type[A], two: type[B], three: type[C], four: type[D], /
    ) -> None: ...
    @overload  # functions and classes together
    def __init__(
        self: "Toolbox[A | partial[B]]", one: type[A], two: Callable[..., B], /
    ) -> None: ...
    @overload
    def __init__(
        self: "Toolbox[partial[A] | B]", one: Callable[..., A], two: type[B], /
    ) -> None: ...
    @overload
    def __init__(
        self: "Toolbox[A | B | partial[C]]", one: type[A], two: type[B], three: Callable[..., C], /
    ) -> None: ...
    @overload
    def __init__(
        self: "Toolbox[A | partial[B] | C]", one: type[A], two: Callable[..., B], three: type[C], /
    ) -> None: ...
    @overload
    def __init__(
        self: "Toolbox[partial[A] | B | C]", one: Callable[..., A], two: type[B], three: type[C], /
    ) -> None: ...
    @overload
    def __init__(
        self: "Toolbox[A | partial[B] | partial[C]]",
        one: type[A],
        two: Callable[..., B],
        three: Callable[..., C],
        /,
    ) -> None: ...
    @overload
    def __init__(
        self: "Toolbox[partial[A] | B | partial[C]]",
        one: Callable[..., A],
        two: type[B],
        three: Callable[..., C],
        /,
    ) -> None: ...
    @overload
    def __init__(
        self: "Toolbox[partial[A] | partial[B] | C]",
        one: Callable[..., A],
        two: Callable[..., B],
        three: type[C],
        /,
    ) -> None: ...
    @overload
    def __init__(
        self: "Toolbox[partial[A] | partial[B]]",
        one: Callable[..., A],
        two: Callable[..., B],
        /,
    ) -> None: ...
    @overload
    def __init__(self: "Toolbox[A | B]", one: type[A], /, **named: type[B]) -> None: ...
    @overload
    def __init__(self: "Toolbox[A]", /, **named: type[A]) -> None: ...
    @overload  # a type checker knows the kinds of at most three sources
    def __init__(self: "Toolbox[Any]", one: type[Any], /, *others: Any, **named: Any) -> None: ...
    @overload
    def __init__(
        self: "Toolbox[Any]", one: Any, two: type[Any], /, *others: Any, **named: Any
    ) -> None: ...
    @overload
    def __init__(
        self: "Toolbox[Any]", one: Any, two: Any, three: type[Any], /, *others: Any, **named: Any
    ) -> None: ...
    @overload
    def __init__(
        self: "Toolbox[Any]",
        one: Any,
        two: Any,
        three: Any,
        four: type[Any],
        /,
        *others: Any,
        **named: Any,
    ) -> None: ...
    @overload
    def __init__(self: "Toolbox[partial[A]]", /, *functions: Callable[..., A]) -> None: ...
    @overload
    def __init__(self: "Toolbox[Any]", /, *sources: Any, **named: Any) -> None: ...
    def __init__(self, /, *sources: Any, **named: Any) -> None:
        tools: list[Tool] = []
        notes: list[Note] = []
        bindings: dict[str, Binding] = {}
        faults: list[SchemaError] = []  # of operations, which are left out
        for name, source, pointer in _iterate_named_sources(sources, named, faults):
            try:
                tool, tool_notes = _read_tool_and_notes(name, source, pointer)
            except SchemaError as error:
                if not isinstance(source, Operation):
                    raise
                faults.append(error)
                continue
            binding = bind(source)
            check = BindingCheck(binding, tool.check) if binding.make else tool.check
            tools.append(replace(tool, name=name or tool.name, check=check))
            bindings[tools[-1].name] = binding
            notes += tool_notes
        if faults and not tools:
            raise faults[0]
        notes += map(make_left_out_note, faults)
        try:
            super().__init__(tuple(tools), tuple(notes))
        except SchemaError as error:
            error.hint = "give one of them another name: Toolbox(..., other_name=...)"
            raise
        object.__setattr__(self, "bindings", bindings)

    def _copy(self, tools: Iterable[Tool]) -> Self:
        copy = super()._copy(tools)
        object.__setattr__(copy, "bindings", self.bindings)
        return copy

    def instance(self, call: Call | ToolCall) -> T:
        """Convert a call to an instance. Raises `EncodeError` for an invalid call.

        A `ToolCall`, which comes from a server's answer (`from_openai`), is mended if it does not
        fit and only one reading does (see `lton.lenient.mend_call`). Raises `ConversionError` if
        its arguments are not a JSON object.
        """
        mended = mend_tool_call(call, self).call if isinstance(call, ToolCall) else call
        encode(mended, self)
        return self._make_instance(mended)

    def call_of(self, instance: object) -> Call | None:
        r"""Return the call that makes an instance, or None for an object of another class.

        `lton.encode` uses this, so it takes what `decode` returns. An optional argument that is
        equal to its default is left out. An instance of a `TypedDict` is a dictionary, and does
        not say its class.

        >>> from dataclasses import dataclass
        >>> @dataclass
        ... class Wait:
        ...     minutes: int = 5
        >>> from lton import encode
        >>> encode([Wait(3), Wait(5)], Toolbox(Wait))
        'Wait 3\n&'
        """
        for name, binding in self._by_closeness(instance):
            arguments = binding.find_arguments(instance)
            if arguments is not None:
                return Call(name, _without_defaults(arguments, self.by_name[name].args))
        return None

    def message(self, *calls: object, text: str = "") -> Message:
        """Return a model's message that makes calls, for examples and histories.

        The calls are instances, as `decode` returns them, or `Call`s. `text` comes before them. The
        other formats of calls that `lton.encode` accepts are also accepted, with the same errors.

        >>> def wait(minutes: int) -> None:
        ...     "Wait."
        >>> message = Toolbox(wait).message(partial(wait, 5), text="All right.")
        >>> message.text, message.calls[0].name, message.calls[0].arguments
        ('All right.', 'wait', {'minutes': 5})
        """
        frames = frames_of(calls, self)
        encode(frames, self)
        tool_calls = [
            ToolCall(frame.name, frame.arguments, id=new_call_id())
            for frame in frames
            if isinstance(frame, Call)
        ]
        content = [Text(text)] if text else []
        return Message("assistant", (*content, *tool_calls))

    def _by_closeness(self, instance: object) -> list[tuple[str, Binding]]:
        """Return the bindings of the tools, first those of the instance's own class."""
        pairs = [(name, self.bindings[name]) for name in self.by_name]
        return sorted(pairs, key=lambda item: item[1].source is not type(instance))

    def _make_instance(self, call: Call) -> T:
        make = self.bindings[call.name].make
        instance: Any = make(call.arguments) if make else call
        return instance  # type: ignore[no-any-return]

    def decode(self, text: str, *, prose: bool = False, lenient: bool = False) -> list[T]:
        """Decode the calls in an answer, in order, and convert them to instances.

        With `prose`, only lines that begin with `!call ` are calls. With `lenient`, calls are read
        as by `decode_lenient` in safe mode.

        Raises `DecodeError`, with a position and a path, for invalid input, and for arguments that
        the class does not accept.
        """
        if lenient or not prose:
            instances = self._try_decode_whole(text, lenient=lenient)
            if instances is not None:
                return instances
        reply = self._read_reply(text, prose=prose, lenient=lenient, repeat_calls=True)
        return [self._make_instance(call.call) for call in reply.calls]

    def _try_decode_whole(self, text: str, *, lenient: bool) -> list[T] | None:
        """Convert the calls in a text without anything else. Return None if this fails."""
        calls: Any = try_decode_calls(text, self._without_bindings, lenient=lenient)
        if calls is None or self._without_bindings is self:  # no tool makes instances
            return calls  # type: ignore[no-any-return]
        try:
            return [self._make_instance(call) for call in calls]
        except Exception:  # of a class; the error of `decode` has the call's position
            return None

    @cached_property
    def _without_bindings(self) -> ToolSet:
        """The tools with only the checks of their schemas, because instances are checked anyway."""
        if not any(isinstance(tool.check, BindingCheck) for tool in self.tools):
            return self
        return ToolSet(tuple(map(_without_binding, self.tools)), self.notes, self.bare)

    def run(
        self,
        text: str,
        using: Callable[[T], Any] | None = None,
        *,
        prose: bool = False,
        lenient: bool = False,
        repeat_calls: bool = False,
        hidden: Mapping[str, Any] = NO_VALUES,
    ) -> ToolAnswers:
        """Run the calls in an answer and return their results.

        Functions and callable instances are called. Any other instance is passed to `using`. If a
        call raises an exception, the result is an error. A call that repeats an earlier call in the
        answer is not run again, unless `repeat_calls` is set. `hidden` has the values of the
        parameters that are marked with `lton.Hidden`, by name.

        Raises `DecodeError` as `decode` does, before any call runs. Also raises `LTONError` for an
        instance that cannot be run, for a hidden parameter that has no value or that no tool has,
        and `TypeError` for a coroutine function.

        >>> def wait(minutes: int) -> str:
        ...     return f"waited {minutes} minutes"
        >>> print(Toolbox(wait).run("wait 5"))
        !result wait "waited 5 minutes"
        """
        reply = self._read_reply(text, prose=prose, lenient=lenient, repeat_calls=repeat_calls)
        ready = [*self._iterate_ready_calls(reply, using, hidden)]
        return ToolAnswers(self, reply, tuple(run(call, function) for call, function in ready))

    async def run_async(
        self,
        text: str,
        using: Callable[[T], Any] | None = None,
        *,
        prose: bool = False,
        lenient: bool = False,
        repeat_calls: bool = False,
        hidden: Mapping[str, Any] = NO_VALUES,
    ) -> ToolAnswers:
        """Run the calls concurrently. Coroutine functions are awaited, others run in threads."""
        reply = self._read_reply(text, prose=prose, lenient=lenient, repeat_calls=repeat_calls)
        ready = [*self._iterate_ready_calls(reply, using, hidden)]
        results = await asyncio.gather(*(run_async(call, function) for call, function in ready))
        return ToolAnswers(self, reply, tuple(results))

    def _read_reply(self, text: str, *, prose: bool, lenient: bool, repeat_calls: bool) -> Reply:
        reply = read(text, self, prose=prose, lenient=lenient, repeat_calls=repeat_calls)
        if reply.error:
            raise _place_error(reply.error, text)
        if reply.found and reply.found.uncertain and not reply.calls:
            doubt = reply.found.uncertain[0]
            msg = f"no call is certain: {doubt.msg}"
            error = DecodeError(Code.SYNTAX, msg, doc=text.lstrip(), pos=doubt.pos)
            raise _place_error(error, text)
        return reply

    def _iterate_ready_calls(
        self, reply: Reply, using: Callable[[T], Any] | None, hidden: Mapping[str, Any]
    ) -> Iterator[tuple[ToolCall, dict[str, Callable[..., Any]]]]:
        declared = frozenset().union(*(binding.hidden for binding in self.bindings.values()))
        if unknown := hidden.keys() - declared:
            raise LTONError(Code.TOOL, f"no tool has the hidden parameter {min(unknown)!r}")
        for call in reply.calls:
            instance: Any = self._make_instance(call.call)
            if names := self.bindings[call.name].hidden:
                instance = _fill_hidden(call.name, instance, names, hidden)
            if using is None and not callable(instance):
                hint = "pass the function that takes it: run(text, using=...)"
                raise LTONError(Code.TOOL, f"nothing runs {call.name!r}", hint=hint)
            yield call, {call.name: partial(_run, using, instance)}


def _fill_hidden(
    name: str, call: "partial[Any]", names: frozenset[str], values: Mapping[str, Any]
) -> "partial[Any]":
    """Give the hidden parameters of a function their values."""
    filled = partial(
        call, **{parameter: values[parameter] for parameter in sorted(names & values.keys())}
    )
    parameters = inspect.signature(filled).parameters
    for parameter in sorted(names - values.keys()):
        if parameter in parameters and parameters[parameter].default is inspect.Parameter.empty:
            hint = f"pass it: run(..., hidden={{{parameter!r}: ...}})"
            raise LTONError(
                Code.TOOL, f"nothing fills the parameter {parameter!r} of {name!r}", hint=hint
            )
    return filled


def _place_error(error: DecodeError, text: str) -> DecodeError:
    """Return an error with its position in the whole text.

    A reader skips white space at the start of a text, and explains an error in the text from the
    failing call on.
    """
    start = text.rfind(error.doc)
    error.pos += start - error.start
    error.doc = text
    error.start = 0
    error.first_line = 1
    error.first_column = 1
    return error


def _without_binding(tool: Tool) -> Tool:
    check = tool.check
    return replace(tool, check=check.before) if isinstance(check, BindingCheck) else tool


def _without_defaults(arguments: Mapping[str, JSON], members: Object) -> dict[str, JSON]:
    """Leave out the optional arguments that are equal to their defaults."""
    return {
        name: value
        for name, value in arguments.items()
        if not _is_default(value, members.by_name.get(name))
    }


def _is_default(value: JSON, param: Param | None) -> bool:
    """Return whether a value is the default of an optional parameter."""
    if param is None or param.required or not param.has_default:
        return False
    return minified(value) == minified(param.default)


def _run(using: Callable[[Any], Any] | None, instance: Any, **_: object) -> Any:
    return using(instance) if using else instance()


def _read_tool_and_notes(name: str, source: Any, pointer: str) -> tuple[Tool, list[Note]]:
    """Compile a source, which may be an operation or have a name of its own."""
    definition = source.definition if isinstance(source, Operation) else source
    if name and is_described_by_type(definition):
        definition = {**definition_of(definition, pointer), "name": name}
    tool, notes = read_definition(definition, pointer, standard=False)
    return tool, [*notes, *source.notes] if isinstance(source, Operation) else notes


def _iterate_named_sources(
    sources: Sequence[Any], named: Mapping[str, Any], faults: list[SchemaError]
) -> Iterator[tuple[str, Any, str]]:
    for index, source in enumerate(sources):
        if isinstance(source, list | tuple):
            msg = "expected a function, a class or a definition, found several"
            raise SchemaError(Code.DEFINITION, msg, pointer=f"/{index}", hint="use Toolbox(*tools)")
        if isinstance(source, Mapping) and not source.keys().isdisjoint(OPENAPI):
            yield from (
                ("", operation, operation.pointer)
                for operation in iterate_operations(source, faults=faults)
            )
        else:
            yield "", source, f"/{index}"
    for name, source in named.items():
        yield name, source, f"/{name}"
