"""Make instances of classes from arguments that have not all arrived.

A member that has not arrived has its default, or is None. Nothing is checked, because validators
expect a complete instance: only values that are certainly incomplete, such as `"2026-0"` for a
date, count as not arrived. A string is shown as far as it has come.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass
from functools import lru_cache
from types import UnionType
from typing import (
    Annotated,
    Any,
    Generic,
    Literal,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from lton._json import minified
from lton._require import require
from lton.schema.jsonschema.python import is_struct
from lton.schema.types import JSON

T = TypeVar("T")
_LISTS = (list, Sequence)
_MISSING = ("NoDefaultType", "PydanticUndefinedType", "_MISSING_TYPE")
"""The types of the objects that stand for no default, in msgspec, pydantic and dataclasses."""


@dataclass(frozen=True, slots=True)
class Partial(Generic[T]):
    """A call that is still arriving: its arguments so far, and its instance once it is complete.

    The arguments are not checked. A string may be incomplete.
    """

    tool: str
    arguments: Mapping[str, JSON]
    value: T | None = None
    source: object = field(default=None, compare=False, repr=False)

    @property
    def instance(self) -> T:
        """The instance, also while it is incomplete.

        Then it is not checked, and members that have not arrived have their default, or are None. A
        `TypedDict` has only the members that have arrived.
        """
        if self.value is not None:
            return self.value
        incomplete: T = make_partial(self.source, self.arguments)
        return incomplete


@dataclass(frozen=True, slots=True)
class _Member:
    """A field of a class, and its name in JSON."""

    name: str
    key: str
    annotation: Any
    default: Callable[[], Any]


def make_partial(kind: Any, arguments: Mapping[str, JSON]) -> Any:
    """Return an instance of a class with the members that have arrived.

    >>> @dataclass
    ... class Wait:
    ...     minutes: int
    ...     why: str = "no reason"
    >>> make_partial(Wait, {}), make_partial(Wait, {"minutes": 5, "why": "te"})
    (Wait(minutes=None, why='no reason'), Wait(minutes=5, why='te'))
    """
    values: dict[str, Any] = {}
    for member in _members_of(kind):
        if member.key in arguments:
            values[member.name] = _try_convert_to_annotation(
                member.annotation, arguments[member.key]
            )
        elif not _is_typed_dict(kind):
            values[member.name] = member.default()
    if _is_typed_dict(kind):
        return values
    if is_struct(kind):
        return kind(**values)
    if hasattr(kind, "model_construct"):
        instance = kind.model_construct()
        instance.__dict__.update(values)
        return instance
    instance = object.__new__(kind)
    for name, value in values.items():
        object.__setattr__(instance, name, value)  # a dataclass may be frozen
    return instance


@lru_cache(maxsize=256)
def _members_of(kind: Any) -> tuple[_Member, ...]:
    """Return the fields of a class of pydantic or msgspec, a dataclass or a `TypedDict`."""
    if is_struct(kind):
        structs = require("msgspec", "msgspec>=0.22,<0.23").structs
        return tuple(
            _Member(field.name, field.encode_name, field.type, _default_of(field))
            for field in structs.fields(kind)
        )
    if hasattr(kind, "model_fields"):
        return tuple(
            _Member(name, info.alias or name, info.annotation, _default_of(info))
            for name, info in kind.model_fields.items()
        )
    annotations = get_type_hints(kind)
    if is_dataclass(kind):
        return tuple(
            _Member(field.name, field.name, annotations[field.name], _default_of(field))
            for field in dataclasses.fields(kind)
        )
    return tuple(
        _Member(name, name, annotation, _default_of(None))
        for name, annotation in annotations.items()
    )


def _default_of(one: Any) -> Callable[[], Any]:
    """Return the function that makes the default of a field, which is None if it has none."""
    factory = getattr(one, "default_factory", None)
    if callable(factory):
        return factory  # type: ignore[no-any-return] # a function of a field
    value = getattr(one, "default", None)
    is_missing = type(value).__name__ in _MISSING
    return lambda: None if is_missing else value


def _try_convert_to_annotation(annotation: Any, value: JSON) -> Any:
    """Convert a value that has arrived in part. Return None if it does not fit a type yet."""
    while get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    arguments = get_args(annotation)
    if isinstance(value, list) and get_origin(annotation) in _LISTS and arguments:
        return [_try_convert_to_annotation(arguments[0], item) for item in value]
    if isinstance(value, dict) and (classes := _classes_for(annotation, value)):
        return make_partial(classes[0], value) if len(classes) == 1 else None
    try:
        return require("pydantic", "apps").TypeAdapter(annotation).validate_json(minified(value))
    except Exception:  # a value of which only a part has arrived, or that is wrong
        return value if str in (annotation, *arguments) else None


def _classes_for(annotation: Any, members: Mapping[str, JSON]) -> list[Any]:
    """Return the classes of a union that may have the members that have arrived."""
    return [kind for kind in _alternatives_of_annotation(annotation) if _may_become(kind, members)]


def _alternatives_of_annotation(annotation: Any) -> list[Any]:
    """Return the classes with fields in a type or a union."""
    is_union = get_origin(annotation) in (Union, UnionType)
    kinds = get_args(annotation) if is_union else (annotation,)
    plain = [get_args(kind)[0] if get_origin(kind) is Annotated else kind for kind in kinds]
    return [kind for kind in plain if _has_members(kind)]


def _has_members(kind: Any) -> bool:
    is_class = isinstance(kind, type)
    has_fields = is_dataclass(kind) or is_struct(kind) or hasattr(kind, "model_fields")
    return _is_typed_dict(kind) or (is_class and has_fields)


def _is_typed_dict(kind: Any) -> bool:
    """Return whether a class is a `TypedDict`, also of `typing_extensions`."""
    return isinstance(kind, type) and issubclass(kind, dict) and hasattr(kind, "__total__")


def _may_become(kind: Any, arguments: Mapping[str, JSON]) -> bool:
    """Return whether the members that have arrived are those of a class, with their labels."""
    members = {member.key: member for member in _members_of(kind)}
    return all(
        key in members and _fits_label(members[key].annotation, value)
        for key, value in arguments.items()
    )


def _fits_label(annotation: Any, value: JSON) -> bool:
    """Return whether a value is the beginning of a listed value, if only some are allowed."""
    labels = get_args(annotation) if get_origin(annotation) is Literal else (value,)
    if isinstance(value, str):
        return any(isinstance(label, str) and label.startswith(value) for label in labels)
    return value in labels
