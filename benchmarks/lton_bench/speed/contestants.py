"""The contestants of the speed benchmark, which write and read the same calls.

A contestant is a function with the columns of its inputs, which are prepared beforehand: only the
function is timed. Each contestant converts its answer back to calls, so every answer is compared.
"""

import json
import operator
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from types import GenericAlias
from typing import Annotated, Any, Literal, NotRequired, Union

import fastjsonschema
import jsonschema_rs
import msgspec
import orjson
import pydantic
import toon_format
from typing_extensions import TypedDict  # pydantic refuses the older of the two

from lton import Call, ToolSet, decode, encode
from lton_bench.internals import FORMS

Definition = dict[str, Any]
Schema = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Calls that are written at once, and the definitions that both sides share.

    With `many` the JSON is an array of calls, and otherwise one call.
    """

    calls: Sequence[Call]
    definitions: Sequence[Definition]
    many: bool = False
    tools: ToolSet = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "tools", ToolSet.from_tools(self.definitions))

    @property
    def value(self) -> Any:
        """The calls as the value that JSON and similar formats write."""
        values = [{"name": call.name, "arguments": call.arguments} for call in self.calls]
        return values if self.many else values[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contestant:
    """A function to time: `work`, which gets one input of each column at a time.

    `to_value` converts an answer to the value of a batch. Times are divided by `units`. `batches`
    are the inputs of a contestant whose inputs differ from those of the others.
    """

    name: str
    work: Callable[..., Any]
    columns: tuple[Sequence[Any], ...]
    to_value: Callable[[Any, Batch], Any]
    units: int
    batches: Sequence[Batch] = ()

    def run(self) -> None:
        """Do all the work once with as little overhead as possible, and drop the answers."""
        deque(map(self.work, *self.columns), maxlen=0)

    def again(self, times: int) -> "Contestant":
        """Return a contestant that does each piece of work `times` in a row."""
        columns = tuple([x for x in column for _ in range(times)] for column in self.columns)
        return replace(self, columns=columns, units=self.units * times)

    def count_wrong(self, batches: Sequence[Batch]) -> tuple[int, bool]:
        """Return the number of wrong calls, and whether an exception was raised."""
        wrong, raised = 0, False
        for batch, *inputs in zip(self.batches or batches, *self.columns, strict=True):
            expected = batch.value if batch.many else [batch.value]
            try:
                value = self.to_value(self.work(*inputs), batch)
            except Exception:  # whatever a contestant raises, it has no answer
                raised = True
                wrong += len(expected)
                continue
            results = value if batch.many else [value]
            if _exact(results) != _exact(expected):
                same_count = isinstance(results, list) and len(results) == len(expected)
                pairs = zip(results, expected, strict=True) if same_count else ()
                wrong += len(expected) - sum(_exact(one) == _exact(other) for one, other in pairs)
        return wrong, raised


def _exact(value: Any) -> str:
    """Return a string that differs for 1, 1.0 and true, and ignores the order of keys."""
    return json.dumps(value, sort_keys=True)


# --- both directions ----------------------------------------------------------------------------
BARE = "json.loads"
VALIDATED = "json.loads + fastjsonschema"
FASTEST_CHECKED = "orjson.loads + jsonschema-rs (C)"
COMPACT = "json.dumps, compact"
TOON = "toon-format"
WIRE = "LTON wire"

_compact = partial(json.dumps, separators=(",", ":"))
_unescaped = partial(json.dumps, separators=(",", ":"), ensure_ascii=False)


def encoders(batches: Sequence[Batch]) -> list[Contestant]:
    """Return the contestants that write calls; the first is the baseline."""
    values = [batch.value for batch in batches]
    calls = [batch.calls if batch.many else batch.calls[0] for batch in batches]
    tools = [batch.tools for batch in batches]
    dumps = [adapter.dump_json for adapter in map(_adapter, batches)]
    json_encoder = json.JSONEncoder(separators=(",", ":"))
    make = partial(Contestant, units=_units(batches))
    return [
        make(name=COMPACT, work=_compact, columns=(values,), to_value=from_json),
        make(
            name="json.dumps, not escaped",
            work=_unescaped,
            columns=(values,),
            to_value=from_json,
        ),
        make(
            name="json.JSONEncoder, kept",
            work=json_encoder.encode,
            columns=(values,),
            to_value=from_json,
        ),
        *(
            make(
                name=f"LTON {form}",
                work=partial(encode, form=form),
                columns=(calls, tools),
                to_value=from_text,
            )
            for form in FORMS
        ),
        make(name=TOON, work=toon_format.encode, columns=(values,), to_value=_from_toon),
        make(
            name="pydantic dump_json (C)",
            work=operator.call,
            columns=(dumps, values),
            to_value=from_json,
        ),
        make(
            name="msgspec.json.encode (C)",
            work=msgspec.json.Encoder().encode,
            columns=(values,),
            to_value=from_json,
        ),
        make(name="orjson.dumps (C)", work=orjson.dumps, columns=(values,), to_value=from_json),
    ]


def decoders(batches: Sequence[Batch]) -> list[Contestant]:
    """Return the contestants that read calls, the baseline first. Bare contestants do not check."""
    values = [batch.value for batch in batches]
    calls = [batch.calls for batch in batches]
    tools = [batch.tools for batch in batches]
    texts = list(map(_compact, values))
    adapters = list(map(_adapter, batches))
    validate = _load_and_validate(json.loads, many=batches[0].many)
    validate_fast = _load_and_validate(orjson.loads, many=batches[0].many)
    make = partial(Contestant, units=_units(batches))
    return [
        make(name=BARE, work=json.loads, columns=(texts,), to_value=as_it_is),
        make(
            name="json.loads, not escaped",
            work=json.loads,
            columns=(list(map(_unescaped, values)),),
            to_value=as_it_is,
        ),
        make(
            name=VALIDATED,
            work=validate,
            columns=(texts, list(map(_validators, batches))),
            to_value=as_it_is,
        ),
        *(
            make(
                name=f"LTON {form}",
                work=decode,
                columns=(list(map(partial(encode, form=form), calls, tools)), tools),
                to_value=from_calls,
            )
            for form in FORMS
        ),
        make(
            name=TOON,
            work=toon_format.decode,
            columns=(list(map(toon_format.encode, values)),),
            to_value=as_it_is,
        ),
        make(
            name="pydantic validate_json (C)",
            work=_strictly,
            columns=([adapter.validate_json for adapter in adapters], texts),
            to_value=as_it_is,
        ),
        make(name="orjson.loads (C)", work=orjson.loads, columns=(texts,), to_value=as_it_is),
        make(
            name=FASTEST_CHECKED,
            work=validate_fast,
            columns=(texts, list(map(_fast_validators, batches))),
            to_value=as_it_is,
        ),
        make(
            name="msgspec.json, untyped (C)",
            work=msgspec.json.Decoder().decode,
            columns=(texts,),
            to_value=as_it_is,
        ),
        make(
            name="msgspec.json, typed (C)",
            work=operator.call,
            columns=([decoder.decode for decoder in map(_struct_decoder, batches)], texts),
            to_value=_from_structs,
        ),
    ]


def _units(batches: Iterable[Batch]) -> int:
    return sum(len(batch.calls) for batch in batches)


# --- answers to values --------------------------------------------------------------------------
def as_it_is(answer: Any, _batch: Batch) -> Any:
    """Return an answer that is already a value."""
    return answer


def from_json(answer: str | bytes, _batch: Batch) -> Any:
    """Parse an answer in JSON."""
    return json.loads(answer)


def from_text(answer: str, batch: Batch) -> Any:
    """Parse an answer in LTON."""
    return from_calls(decode(answer, batch.tools), batch)


def from_calls(answer: Sequence[Call], batch: Batch) -> Any:
    """Convert calls to the value of a batch."""
    values = [{"name": call.name, "arguments": call.arguments} for call in answer]
    return values[0] if len(values) == 1 and not batch.many else values


def _from_toon(answer: str, _batch: Batch) -> Any:
    return toon_format.decode(answer)


def _from_structs(answer: Any, _batch: Batch) -> Any:
    return msgspec.to_builtins(answer)


# --- validation ---------------------------------------------------------------------------------
# A runtime gets the name with the call, so each looks the tool up, as LTON does.
Validators = dict[str, Callable[[Any], Any]]


def _load_and_validate(
    loads: Callable[[str], Any], *, many: bool
) -> Callable[[str, Validators], Any]:
    """Return a function that reads one call, or a list of calls, and checks the arguments."""

    def one(text: str, validators: Validators) -> Any:
        call = loads(text)
        validators[call["name"]](call["arguments"])
        return call

    def all_of_them(text: str, validators: Validators) -> Any:
        calls = loads(text)
        for call in calls:
            validators[call["name"]](call["arguments"])
        return calls

    return all_of_them if many else one


def _strictly(validate_json: Callable[..., Any], text: str) -> Any:
    """Without `strict`, pydantic would turn "7" into 7."""
    return validate_json(text, strict=True)


@cache
def _validator(schema: str) -> Callable[[Any], Any]:
    # It fills defaults in unless it is told not to: then the call is not the same.
    validate: Callable[[Any], Any] = fastjsonschema.compile(json.loads(schema), use_default=False)
    return validate


@cache
def _fast_validator(schema: str) -> Callable[[Any], Any]:
    validate: Callable[[Any], Any] = jsonschema_rs.Draft202012Validator(json.loads(schema)).validate
    return validate


def _validators(batch: Batch) -> Validators:
    """Return a validator for each tool that is called."""
    return {name: _validator(schema) for name, schema in _called_schemas(batch).items()}


def _fast_validators(batch: Batch) -> Validators:
    return {name: _fast_validator(schema) for name, schema in _called_schemas(batch).items()}


def _called_schemas(batch: Batch) -> dict[str, str]:
    """Return the schema of each tool that is called, as JSON."""
    schemas = _schemas(batch.definitions)
    return {call.name: json.dumps(schemas[call.name]) for call in batch.calls}


def _adapter(batch: Batch) -> Any:
    return _adapter_of(json.dumps(batch.definitions), batch.many)


@cache
def _adapter_of(definitions: str, many: bool) -> Any:
    """Return pydantic's adapter: a union with a TypedDict per tool, selected by the name."""
    calls = [
        _typed_dict({"name": Literal[name], "arguments": _annotation(schema)})
        for name, schema in _schemas(json.loads(definitions)).items()
    ]
    call = calls[0]
    if len(calls) > 1:
        call = Annotated[_union(calls), pydantic.Field(discriminator="name")]
    return pydantic.TypeAdapter[Any](_list_of(call) if many else call)


def _struct_decoder(batch: Batch) -> Any:
    return _struct_decoder_of(json.dumps(batch.definitions), batch.many)


@cache
def _struct_decoder_of(definitions: str, many: bool) -> Any:
    """Return msgspec's decoder: a union with a Struct per tool, tagged with the name."""
    call = _union(
        msgspec.defstruct("Call", [("arguments", _annotation(schema))], tag_field="name", tag=name)
        for name, schema in _schemas(json.loads(definitions)).items()
    )
    return msgspec.json.Decoder(_list_of(call) if many else call)


def _schemas(definitions: Iterable[Definition]) -> dict[str, Schema]:
    tools = [definition["function"] for definition in definitions]
    return {tool["name"]: tool["parameters"] for tool in tools}


# --- a schema as a type of Python: kinds, members and labels, without bounds ----------------------
def _annotation(schema: Schema) -> Any:
    if "enum" in schema:
        return Literal[tuple(schema["enum"])]
    kind = schema.get("type", "any")
    if isinstance(kind, list):
        return _union(_annotation({**schema, "type": one}) for one in kind)
    return _KINDS[kind](schema)


def _members(schema: Schema) -> Any:
    if not schema.get("properties"):
        return dict[str, Any]
    required = schema.get("required", [])
    members = {name: _annotation(part) for name, part in schema["properties"].items()}
    return _typed_dict(
        {name: part if name in required else NotRequired[part] for name, part in members.items()}
    )


_KINDS: dict[str, Callable[[Schema], Any]] = {
    "any": lambda schema: Any,
    "string": lambda schema: str,
    "integer": lambda schema: int,
    "number": lambda schema: int | float,
    "boolean": lambda schema: bool,
    "null": lambda schema: None,
    "array": lambda schema: _list_of(_annotation(schema.get("items", {}))),
    "object": _members,
}


# None of these types is written out, so a type checker cannot follow.
def _list_of(items: Any) -> Any:
    return GenericAlias(list, (items,))


def _typed_dict(members: dict[str, Any]) -> Any:
    make: Any = TypedDict
    return make("Members", members)


def _union(types: Iterable[Any]) -> Any:
    return Union[tuple(types)]  # noqa: UP007 - a union of a tuple
