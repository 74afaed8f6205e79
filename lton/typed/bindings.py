"""Convert calls to instances of classes, to bound functions, or to HTTP requests.

pydantic checks the arguments (msgspec for its own structs). Errors are converted to a `Breach`, so
that the decoder can report a position.
"""

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any, TypeAlias

from lton._json import minified
from lton._require import require
from lton.errors import EncodeError, unescape
from lton.schema.jsonschema.python import accepting_names, is_struct, list_hidden_parameters
from lton.schema.openapi import Operation
from lton.schema.types import JSON, Breach, Check

Make: TypeAlias = Callable[[Mapping[str, JSON]], Any]  # may raise errors of pydantic or msgspec
_STEP = re.compile(r"\.([^.\[\]`]+)|\[(\d+)\]")  # a step of a path such as `$.guests[0].name`


@dataclass(frozen=True, slots=True)
class Binding:
    """Converts the calls of one tool to Python objects."""

    source: object
    make: Make | None  # None: calls are not converted
    hidden: frozenset[str] = frozenset()  # parameters that the program fills, not the model

    def find_arguments(self, instance: object) -> "dict[str, JSON] | None":
        """Return the arguments that `make` converts to an instance, or None for another object."""
        if isinstance(instance, partial):
            return self._bound_arguments(instance) if self._is_source(instance.func) else None
        if not isinstance(self.source, type) or not isinstance(instance, self.source):
            return None
        if is_struct(self.source):
            return dict(require("msgspec", "msgspec>=0.22,<0.23").to_builtins(instance))
        adapter = require("pydantic", "apps").TypeAdapter(self.source)
        return dict(adapter.dump_python(instance, mode="json", by_alias=True))

    def _is_source(self, function: object) -> bool:
        return self.source in (function, getattr(function, "__wrapped__", None))

    def _bound_arguments(self, call: "partial[Any]") -> "dict[str, JSON]":
        """Return the arguments of a function by name, as JSON values."""
        require("pydantic", "apps")
        from pydantic_core import to_jsonable_python  # noqa: PLC0415 - comes with pydantic

        signature = inspect.signature(call.func)
        arguments: dict[str, Any] = {}
        for name, value in signature.bind_partial(*call.args, **call.keywords).arguments.items():
            if signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
                arguments |= value
            else:
                arguments[name] = value
        visible = {name: value for name, value in arguments.items() if name not in self.hidden}
        return dict(to_jsonable_python(visible, by_alias=True))


@dataclass(frozen=True, slots=True)
class BindingCheck:
    """Checks arguments against the schema, and then with pydantic or msgspec."""

    binding: Binding
    before: Check | None

    def __call__(self, arguments: Mapping[str, JSON]) -> Breach | None:
        if self.before and (breach := self.before(arguments)):
            return breach
        try:
            if self.binding.make:
                self.binding.make(arguments)
        except Exception as error:
            return _breach_of(error, arguments)
        return None


def bind(source: object) -> Binding:
    """Return the binding for a function, a class or a definition."""
    if isinstance(source, Operation):
        return Binding(source, source.request)
    if is_struct(source):
        msgspec = require("msgspec", "msgspec>=0.22,<0.23")
        return Binding(source, partial(_make_struct, msgspec, source))
    is_function = inspect.isroutine(source) or isinstance(source, partial)
    if is_function or isinstance(source, type) or hasattr(source, "validate_json"):
        pydantic = require("pydantic", "apps")
        kind: Any = _make_recorder(source) if is_function else source  # type: ignore[arg-type]
        adapter = kind if isinstance(kind, pydantic.TypeAdapter) else pydantic.TypeAdapter(kind)
        hidden = list_hidden_parameters(source) if is_function else frozenset()
        return Binding(source, partial(_validate_arguments, adapter), hidden)
    return Binding(source, None)


def _make_struct(msgspec: Any, kind: object, arguments: Mapping[str, JSON]) -> Any:
    # A struct is decoded from JSON, so that msgspec converts bytes and dates as usual.
    return msgspec.json.decode(minified(arguments), type=kind)


def _validate_arguments(adapter: Any, arguments: Mapping[str, JSON]) -> Any:
    return adapter.validate_json(minified(arguments))


def _make_recorder(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function, so that calling it returns a `partial` and does not run the function.

    The hidden parameters of the `partial` can be given by name.
    """
    plain: Any = function.func if isinstance(function, partial) else function
    hidden = list_hidden_parameters(function)
    run = accepting_names(function) if hidden else function

    @wraps(plain)
    def record_arguments(*positional: Any, **named: Any) -> Any:
        return partial(run, *positional, **named)

    record_arguments.__signature__ = inspect.signature(run)  # type: ignore[attr-defined]
    return accepting_names(record_arguments, hidden=hidden)


def _breach_of(error: Exception, arguments: Mapping[str, JSON]) -> Breach:
    """Convert an error of pydantic, of msgspec or of an operation to a breach."""
    steps: list[str | int] = []
    why = str(error)
    if hasattr(error, "errors"):  # from pydantic
        first, *_ = error.errors(include_url=False, include_input=False)
        steps = list(first["loc"])
        why = str(first.get("ctx", {}).get("error") or first["msg"])
    elif isinstance(error, EncodeError):  # from an operation
        steps = [unescape(step) for step in error.path.split("/")[1:]]
        why = error.msg
    elif isinstance(error, ValueError):  # from msgspec
        why, _, where = why.partition(" - at `$")
        steps = [name or int(index) for name, index in _STEP.findall(where)]
    else:
        why = f"{type(error).__name__}: {why}"
    path: list[str | int] = []
    value: Any = arguments
    for step in steps:  # steps for branches of a union or missing fields are not in the arguments
        if _has_step(value, step):
            value = value[step]
            path.append(step)
    return Breach(tuple(path), why)


def _has_step(value: Any, step: str | int) -> bool:
    """Return whether an object has a member of this name, or an array an item at this place."""
    if isinstance(value, dict):
        return step in value
    return isinstance(value, list) and isinstance(step, int) and step < len(value)
