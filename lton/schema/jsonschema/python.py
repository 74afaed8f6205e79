"""Convert Python functions and types to tool definitions.

This needs the extra `apps`: `pydantic` interprets annotations, and `docstring_parser` docstrings.
msgspec describes its own structs.
"""

import inspect
import re
import reprlib
from collections.abc import Callable, Collection, Iterable
from functools import partial, wraps
from inspect import Parameter
from types import UnionType
from typing import Annotated, Any, TypeGuard, Union, get_args, get_origin

from lton._require import require
from lton.errors import Code, MissingExtraError, SchemaError

_NOT_IN_NAMES = re.compile(r"[^\w.-]+")


class Hidden:
    """Marks a parameter of a function that the model does not see: `Annotated[Ctx, Hidden]`.

    The program gives its value: `Toolbox.run(text, hidden={"ctx": ctx})`. A call that names the
    parameter is an error.
    """

    def __get_pydantic_json_schema__(self, _schema: Any, _handler: Any) -> dict[str, Any]:
        """Refuse a field of a class that is marked."""
        raise TypeError(_HIDDEN_FIELD)


_HIDDEN_FIELD = "lton.Hidden marks parameters of functions, not fields of classes"


def definition_of(source: object, pointer: str) -> dict[str, Any]:
    """Return the tool definition of a function, or of a type whose fields are the arguments.

    A type is a pydantic model, a dataclass, a `TypedDict`, a msgspec struct, or a `TypeAdapter` of
    one of these. Positional-only parameters of a function are passed by `accepting_names`.
    Descriptions are taken from docstrings.

    Raises `SchemaError` for a function with `*args`, whose values have no names, for a union, whose
    classes are several tools, and if pydantic or msgspec cannot generate a schema.
    """
    _refuse_union(source, pointer)
    described = _function_of(source)
    if isinstance(source, type) and list_hidden_parameters(source):
        hint = "pass the value to the function that takes the instance: run(text, using=...)"
        raise SchemaError(Code.DEFINITION, _HIDDEN_FIELD, pointer=pointer, hint=hint)
    if _is_function(source):
        schema = _function_schema(source, pointer)
    else:
        schema = _object_schema(source, pointer)
    own = schema.get("$defs", {}).get(schema.get("$ref", "").rpartition("/")[2], schema)
    name = _try_make_valid_name(getattr(described, "__name__", None) or own.get("title"))
    has_docstring = inspect.isroutine(described)
    text = inspect.getdoc(described) if has_docstring else own.get("description")
    about = require("docstring_parser", "apps").parse(text or "")
    if has_docstring:
        _add_descriptions(schema, about.params)
    return {"name": name, "description": about.description or "", "parameters": schema}


def _is_function(source: object) -> TypeGuard[Callable[..., Any]]:
    """Return whether an object is a function with types, which a function written in C lacks."""
    is_routine = inspect.isroutine(source) or isinstance(source, partial)
    return is_routine and not inspect.isbuiltin(source)


def _function_schema(function: Callable[..., Any], pointer: str) -> dict[str, Any]:
    """Return the schema of a function's visible parameters."""
    _refuse_nameless(function, pointer)
    hidden = list_hidden_parameters(function)
    schema = _object_schema(accepting_names(function, hidden=hidden), pointer)
    if hidden and schema.get("additionalProperties") is not False:  # a function with `**more`
        schema["propertyNames"] = {"not": {"enum": sorted(hidden)}}
    return schema


def _object_schema(source: object, pointer: str) -> dict[str, Any]:
    """Generate the schema of a type or a function. Raises `SchemaError` if it is not an object."""
    make = _struct_schema if is_struct(source) else _pydantic_schema
    try:
        schema = make(source)
    except MissingExtraError:
        raise
    except Exception as error:  # evaluating annotations may raise anything
        problem = str(error).partition("\n")[0]
        msg = f"{reprlib.repr(source)} has no schema: {problem}"
        hint = _hint_for(source)
        raise SchemaError(Code.DEFINITION, msg, pointer=pointer, hint=hint) from error
    kind = schema.get("type", "object")
    if kind != "object":
        msg = f"expected the schema of an object, found that of {reprlib.repr(source)}"
        hint = "arguments have names: make it the field of a class, or the parameter of a function"
        raise SchemaError(Code.DEFINITION, msg, pointer=pointer, hint=hint)
    return schema


def _add_descriptions(schema: dict[str, Any], documented: Iterable[Any]) -> None:
    """Add descriptions of parameters from a docstring to the members that have none."""
    properties = schema.get("properties", {})
    for param in documented:
        if param.arg_name in properties and param.description:
            properties[param.arg_name].setdefault("description", param.description)


def _refuse_union(source: object, pointer: str) -> None:
    """Refuse a union, because its classes are several tools."""
    if get_origin(source) in (Union, UnionType):
        classes = [kind for kind in get_args(source) if kind is not type(None)]
        names = ", ".join(getattr(kind, "__name__", str(kind)) for kind in classes)
        msg = f"expected a class, found the union {reprlib.repr(source)}"
        hint = f"pass its classes: Toolbox({names})"
        raise SchemaError(Code.DEFINITION, msg, pointer=pointer, hint=hint)


def _hint_for(source: object) -> str:
    """Return what helps if pydantic cannot describe an object."""
    is_class_or_function = isinstance(source, type | partial) or inspect.isroutine(source)
    if callable(source) and not is_class_or_function:
        return "pass the method that is called, with a name: Toolbox(name=object.__call__)"
    return "annotate it with types that JSON Schema has, or describe the tool in JSON"


def _function_of(source: object) -> object:
    """Return the function of a `partial`, the class of an `Annotated`, or the object itself."""
    while isinstance(source, partial):
        source = source.func
    return get_args(source)[0] if get_origin(source) is Annotated else source


def _try_make_valid_name(name: str | None) -> str | None:
    """Return a name that APIs accept: `Box[int]` becomes `Box_int`."""
    return name and _NOT_IN_NAMES.sub("_", name).strip("_")


def list_hidden_parameters(source: object) -> frozenset[str]:
    """Return the names of the parameters of a function, or fields of a class, that are `Hidden`.

    An annotation that cannot be evaluated is not hidden; pydantic then says what it lacks.
    """
    described: Any = _function_of(source)
    namespace = getattr(inspect.unwrap(described), "__globals__", {})
    return frozenset(
        name
        for name, annotation in getattr(described, "__annotations__", {}).items()
        if _is_hidden(annotation, namespace)
    )


def _is_hidden(annotation: object, namespace: dict[str, Any]) -> bool:
    if isinstance(annotation, str):
        try:
            annotation = eval(annotation, namespace)  # noqa: S307 - pydantic evaluates it, too
        except Exception:  # evaluating annotations may raise anything
            return False
    if get_origin(annotation) is not Annotated:
        return False
    marks = get_args(annotation)[1:]
    return any(mark is Hidden or isinstance(mark, Hidden) for mark in marks)


def accepting_names(
    function: Callable[..., Any], *, hidden: Collection[str] = ()
) -> Callable[..., Any]:
    """Return a function that also accepts its positional-only parameters by name.

    Its signature does not have the parameters in `hidden`.

    >>> def wait(minutes, /): return minutes
    >>> accepting_names(wait)(minutes=5)
    5
    """
    parameters = _parameters_of(function)
    positional = [one for one in parameters if one.kind is Parameter.POSITIONAL_ONLY]
    if not positional and not hidden:
        return function

    @wraps(_function_of(function))  # type: ignore[arg-type] # a function
    def call_with_names(*positionals: Any, **named: Any) -> Any:
        values = list(positionals)
        for one in positional[len(positionals) :]:
            if one.name not in named and one.default is Parameter.empty:
                break
            values.append(named.pop(one.name, one.default))
        return function(*values, **named)

    visible = [
        one.replace(kind=Parameter.POSITIONAL_OR_KEYWORD) if one in positional else one
        for one in parameters
        if one.name not in hidden
    ]
    call_with_names.__signature__ = inspect.signature(function).replace(  # type: ignore[attr-defined]
        parameters=visible
    )
    return call_with_names


def _refuse_nameless(function: Callable[..., Any], pointer: str) -> None:
    for one in _parameters_of(function):
        if one.kind is Parameter.VAR_POSITIONAL:
            msg = f"{reprlib.repr(function)} has *{one.name}, whose values have no names"
            hint = f"replace it by one parameter with a list: {one.name}: list[...]"
            raise SchemaError(Code.DEFINITION, msg, pointer=pointer, hint=hint)


def _parameters_of(function: Callable[..., Any]) -> list[Parameter]:
    try:
        return [*inspect.signature(function).parameters.values()]
    except (TypeError, ValueError):  # some functions in C have no signature
        return []


def is_struct(source: object) -> bool:
    """Return whether an object is a msgspec struct."""
    return isinstance(source, type) and hasattr(source, "__struct_fields__")


def _struct_schema(source: Any) -> dict[str, Any]:
    schema: dict[str, Any] = require("msgspec", "msgspec>=0.22,<0.23").json.schema(source)
    return schema


def _pydantic_schema(source: Any) -> dict[str, Any]:
    adapter = require("pydantic", "apps").TypeAdapter
    adapted = source if isinstance(source, adapter) else adapter(source)
    schema: dict[str, Any] = adapted.json_schema(schema_generator=_generator_with_zones())
    return schema


_ZONE_PATTERNS = {"aware": r"(Z|z|[+\-]\d\d:\d\d)$", "naive": r"^([^T]*T)?[\d:.]*$"}
"""Patterns of times that must have a zone, or must have none."""


def _generator_with_zones() -> Any:
    """Return pydantic's generator of schemas, which also says whether a time must have a zone.

    Without this, the schema of a `NaiveDatetime` is that of any `datetime`.
    """
    generator: Any = require("pydantic.json_schema", "apps").GenerateJsonSchema

    class GeneratorWithZones(generator):  # type: ignore[misc] # an optional library
        def datetime_schema(self, schema: Any) -> dict[str, Any]:
            return _with_zone(super().datetime_schema(schema), schema)

    return GeneratorWithZones


def _with_zone(json_schema: dict[str, Any], core_schema: Any) -> dict[str, Any]:
    pattern = _ZONE_PATTERNS.get(core_schema.get("tz_constraint"))
    is_text = json_schema.get("type") == "string"
    return {**json_schema, "pattern": pattern} if pattern and is_text else json_schema
