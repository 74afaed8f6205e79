"""Convert the operations of an OpenAPI document to tools, and calls to HTTP requests.

A tool has one parameter for each parameter of the operation, and `body` for the JSON body. Only
version 3 is supported, and schemas may only refer to parts of the document.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Any, TypeAlias
from urllib.parse import quote, unquote

from lton._json import minified
from lton._syntax import MAX_DEPTH
from lton.errors import Code, EncodeError, SchemaError, escape, unescape
from lton.schema.jsonschema.keywords import format_excerpt
from lton.schema.jsonschema.patterns import try_convert_to_python
from lton.schema.jsonschema.references import LISTED, NAMED, ONE
from lton.schema.jsonschema.tally import Handling, Note
from lton.schema.types import JSON

OPENAPI = ("openapi", "swagger")  # keys of OpenAPI documents; the second is of version 2
_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
_SCHEMAS = "#/components/schemas/"
_UNSENT = frozenset(["accept", "authorization", "content-type"])  # the client adds these headers
_SAYS_NOTHING = frozenset(["example", "externalDocs", "xml"])  # without constraints
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
_REMOVED = frozenset(["", ".", ".."])  # segments of a path that HTTP clients remove
_NO_WORD = re.compile("[^A-Za-z0-9]+")
_MOST_HOPS = 32  # the maximum number of references in a chain
_Object: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Request:
    """The HTTP request that a call describes. Any HTTP client can send it.

    >>> document = {"openapi": "3.1.0", "paths": {"/pets/{id}": {"get": {"operationId": "pet",
    ...     "parameters": [{"name": "id", "in": "path", "schema": {"type": "integer"}}]}}}}
    >>> [operation] = iterate_operations(document)
    >>> operation.request({"id": 5})
    Request(method='GET', path='/pets/5', query={}, headers={}, cookies={}, body=None)
    """

    method: str
    path: str
    query: dict[str, JSON] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    cookies: dict[str, str] = field(default_factory=dict)
    body: JSON = None


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation as a tool, with the place of each argument in the HTTP request."""

    definition: dict[str, Any]
    pointer: str
    method: str
    path: str
    places: dict[str, tuple[str, str]]  # by argument: a part of the request, and the name in it
    notes: tuple[Note, ...] = ()  # the parts of its schema that are left out

    def request(self, arguments: Mapping[str, JSON]) -> Request:
        """Return the request of a call.

        Raises `EncodeError` if an argument would lead to another path: HTTP clients and servers
        remove the segments `.` and `..`, and often empty ones.
        """
        path = other = self.path
        in_path: list[str] = []
        body: JSON = None
        query: dict[str, JSON] = {}
        headers: dict[str, str] = {}
        cookies: dict[str, str] = {}
        for name, value in arguments.items():
            where, own = self.places[name]
            if where == "body":
                body = value
            elif where == "query":
                query[own] = value
            elif where == "path":
                in_path.append(name)
                path = path.replace(f"{{{own}}}", quote(_format_value(value), safe=","))
                other = other.replace(f"{{{own}}}", "x")
            else:
                (headers if where == "header" else cookies)[own] = _format_value(value)
        if _leads_elsewhere(path, other):
            name = next(name for name in in_path if _format_value(arguments[name]) in _REMOVED)
            msg = f"expected a value that leaves the path as it is, found {path!r}"
            raise EncodeError(Code.CONSTRAINT, msg, path=f"/{escape(name)}")
        return Request(self.method, path, query, headers, cookies, body)


def _leads_elsewhere(path: str, other: str) -> bool:
    """Return whether a path has a segment that HTTP clients remove, and `other` has not."""
    pairs = zip(path.split("/"), other.split("/"), strict=True)
    return any(segment in _REMOVED and segment != expected for segment, expected in pairs)


def iterate_operations(
    document: _Object, *, faults: list[SchemaError] | None = None
) -> Iterator[Operation]:
    """Yield the operations of a document in order.

    An operation without an `operationId`, or with that of an earlier operation, is named after its
    method and path, such as `get_pets_by_id`.

    With a list of `faults`, an operation or path that cannot be read is left out, and its error is
    added to the list. Of a schema, only a pattern that cannot be read, or a null, is left out, and
    the operation has a note. Without the list, the error is raised: a `SchemaError`, with a JSON
    Pointer into the document. A version other than 3 is always an error.

    >>> document = {"openapi": "3.1.0", "paths": {"/pets/{id}": {"get": {}}, "/bad": {"get": 1}}}
    >>> faults = []
    >>> [operation.definition["name"] for operation in iterate_operations(document, faults=faults)]
    ['get_pets_by_id']
    >>> print(faults[0])
    expected an object, found 1 (at /paths/~1bad/get) [E502]
    """
    version = document.get("openapi")
    if not isinstance(version, str) or not version.startswith("3."):
        version_text = version or f"Swagger {document.get('swagger')}"
        hint = "convert the document first, e.g. with swagger2openapi"
        msg = f"expected OpenAPI 3, found {version_text}"
        raise SchemaError(Code.DEFINITION, msg, hint=hint)
    reader = _Reader(document, is_strict=faults is None)
    for path, path_item in reader.iterate_members(document, "paths", ""):
        try:
            item, at = reader.resolve_part(path_item, f"/paths/{escape(path)}")
        except SchemaError as error:
            _add_fault(error, faults)
            continue
        for method in _METHODS:
            if method in item:
                try:
                    yield reader.read_operation(method, path, item, at)
                except SchemaError as error:
                    _add_fault(error, faults)


def _add_fault(error: SchemaError, faults: list[SchemaError] | None) -> None:
    if faults is None:
        raise error
    faults.append(error)


class _Reader:
    def __init__(self, document: _Object, *, is_strict: bool) -> None:
        self.document = document
        self.is_strict = is_strict
        self.names: set[str] = set()  # of the operations that were read

    def iterate_members(self, of: _Object, key: str, at: str) -> Iterator[tuple[str, Any]]:
        value = of.get(key) or {}
        if not isinstance(value, Mapping):
            raise _definition_error("an object", value, f"{at}/{key}")
        yield from value.items()

    def resolve_part(self, part: object, at: str) -> tuple[_Object, str]:
        """Follow references to their target and return the target and its location."""
        for _ in range(_MOST_HOPS):
            if not isinstance(part, Mapping):
                raise _definition_error("an object", part, at)
            if "$ref" not in part:
                return part, at
            part, at = self.follow_reference(part["$ref"], f"{at}/$ref")
        raise SchemaError(Code.REFERENCE, "the reference refers to itself", pointer=at)

    def follow_reference(self, reference: object, at: str) -> tuple[object, str]:
        if not isinstance(reference, str) or not reference.startswith("#/"):
            hint = "copy its target into the document, e.g. with `redocly bundle`"
            msg = f"the reference {reference!r} refers to another document"
            raise SchemaError(Code.REFERENCE, msg, pointer=at, hint=hint)
        part: Any = self.document
        for step in map(_unescape, reference.removeprefix("#/").split("/")):
            if not isinstance(part, Mapping) or step not in part:
                msg = f"the reference {reference!r} refers to nothing"
                raise SchemaError(Code.REFERENCE, msg, pointer=at)
            part = part[step]
        return part, reference.removeprefix("#")

    def read_operation(self, method: str, path: str, item: _Object, at: str) -> Operation:
        own, here = self.resolve_part(item[method], f"{at}/{method}")
        name = self.name_of(own, method, path)
        places: dict[str, tuple[str, str]] = {}
        properties: dict[str, Any] = {}
        required: list[str] = []
        for where, own_name, schema, is_required in self.iterate_inputs(item, own, at, here):
            key = own_name if own_name not in places else f"{where}_{own_name}"
            if key in places:
                msg = f"two parameters of {name} have the name {key!r}"
                raise SchemaError(Code.NAMES, msg, pointer=here)
            places[key] = (where, own_name)
            properties[key] = schema
            if is_required:
                required.append(key)
        schema = {"type": "object", "properties": properties, "required": required}
        about = "\n".join(str(own[key]) for key in ("summary", "description") if own.get(key))
        left_out: dict[str, str] = {}
        whole = self.with_definitions(schema, here, left_out)
        definition = {"name": name, "description": about, "parameters": whole}
        self.names.add(name)
        notes = tuple(
            Note(pointer=here, keyword=keyword, handling=Handling.LEFT_OUT, value=reason)
            for reason, keyword in left_out.items()
        )
        return Operation(definition, here, method.upper(), path, places, notes)

    def name_of(self, operation: _Object, method: str, path: str) -> str:
        """Return the id of an operation, or a name that its method and path make."""
        name = operation.get("operationId")
        if isinstance(name, str) and name and name not in self.names:
            return name
        return next(
            word for word in _iterate_name_candidates(method, path) if word not in self.names
        )

    def iterate_inputs(
        self, item: _Object, own: _Object, at: str, here: str
    ) -> Iterator[tuple[str, str, Any, bool]]:
        """Yield the location, name and schema of each parameter, and whether it is required."""
        params: dict[tuple[str, str], _Object] = {}
        for holder, pointer in ((item, at), (own, here)):
            listed = holder.get("parameters") or []
            if not isinstance(listed, list):
                raise _definition_error("an array", listed, f"{pointer}/parameters")
            for index, part in enumerate(listed):
                param, _ = self.resolve_part(part, f"{pointer}/parameters/{index}")
                params[str(param.get("in")), str(param.get("name"))] = param
        for (where, name), param in params.items():
            if where != "header" or name.lower() not in _UNSENT:
                is_required = where == "path" or param.get("required") is True
                yield where, name, self.describe_schema(param, here), is_required
        if "requestBody" in own:
            body, pointer = self.resolve_part(own["requestBody"], f"{here}/requestBody")
            yield "body", "body", self.describe_schema(body, pointer), body.get("required") is True

    def describe_schema(self, part: _Object, at: str) -> Any:
        schema = part.get("schema")
        if schema is None:
            media = dict(self.iterate_members(part, "content", at))
            kind = min(media, key=_rank_media_type, default="")
            media_type, _ = self.resolve_part(media.get(kind, {}), f"{at}/content/{escape(kind)}")
            schema = {} if media_type.get("schema") is None else media_type["schema"]
        about = part.get("description")
        is_bare = isinstance(schema, Mapping) and "description" not in schema
        return {**schema, "description": about} if about and is_bare else schema

    def with_definitions(
        self, schema: _Object, at: str, left_out: dict[str, str]
    ) -> dict[str, Any]:
        """Return a schema, with all schemas that it refers to in its `$defs`.

        The reasons for leaving out a part are added to `left_out`, each with the part's keyword.
        """
        waiting: list[str] = []
        whole = self.convert_sent_schema(schema, waiting, left_out)
        named: dict[str, Any] = {}
        while waiting:
            reference = waiting.pop()
            target, _ = self.follow_reference(reference, at)
            name = _unescape(reference.removeprefix(_SCHEMAS))
            if not reference.startswith(_SCHEMAS) or "/" in reference.removeprefix(_SCHEMAS):
                msg = f"the reference {reference!r} names no schema of the components"
                raise SchemaError(Code.REFERENCE, msg, pointer=at)
            if name not in named:
                named[name] = {}
                named[name] = self.convert_sent_schema(target, waiting, left_out)
        return {**whole, "$defs": named} if named else whole

    def convert_sent_schema(
        self, schema: Any, references: list[str], left_out: dict[str, str], depth: int = 0
    ) -> Any:
        """Copy a schema without its read-only properties and collect its references."""
        if schema is None and not self.is_strict:
            left_out["expected a schema, found None"] = "schema"
            return {}
        if not isinstance(schema, Mapping) or depth > 2 * MAX_DEPTH:
            return schema
        send = partial(
            self.convert_sent_schema, references=references, left_out=left_out, depth=depth + 1
        )
        copy: dict[str, Any] = {}
        for key, value in schema.items():
            if key == "$ref":
                references.append(value)
                copy[key] = str(value).replace(_SCHEMAS, "#/$defs/", 1)
            elif self.is_left_out(key, value):
                left_out[f"expected a regular expression, found {format_excerpt(value)}"] = key
            elif _says_something(key):
                copy[key] = _send_keyword(key, value, send)
        _drop_required(copy, schema)
        return copy

    def is_left_out(self, key: str, value: object) -> bool:
        """Return whether a keyword is a pattern that cannot be read."""
        return key == "pattern" and not self.is_strict and not _is_readable(value)


def _says_something(keyword: str) -> bool:
    return keyword not in _SAYS_NOTHING and not keyword.startswith("x-")


def _send_keyword(key: str, value: Any, send: Callable[[Any], Any]) -> Any:
    """Return the value of a keyword in which each subschema is replaced by what is sent of it."""
    if key in NAMED and isinstance(value, Mapping):
        return {name: send(part) for name, part in value.items() if _is_sent(part)}
    if key in LISTED and isinstance(value, list):
        return [send(part) for part in value]
    if key in ONE and value is not None:
        return send(value)
    return value


def _iterate_name_candidates(method: str, path: str) -> Iterator[str]:
    """Yield names for an operation, the shortest first: `get_pets_by_id`, `get_pets_by_id_2`.

    A parameter in the middle of a path is left out, unless the name is in use without it.
    """
    steps = [step for step in path.split("/") if step]
    words = list(map(_word_for_step, steps))
    middle = zip(steps[:-1], words[:-1], strict=True)
    short = [word for step, word in middle if not step.startswith("{")] + words[-1:]
    yield "_".join([method, *filter(None, short)])
    whole = "_".join([method, *filter(None, words)])
    yield whole
    yield from (f"{whole}_{number}" for number in count(2))


def _word_for_step(step: str) -> str:
    word = _NO_WORD.sub("_", step).strip("_")
    return f"by_{word}" if step.startswith("{") else word


def _drop_required(copy: dict[str, Any], schema: _Object) -> None:
    """Drop the names of the properties that are not sent from `required`."""
    properties = schema.get("properties")
    required = schema.get("required")
    if isinstance(properties, Mapping) and isinstance(required, list):
        names = copy["properties"]
        copy["required"] = [name for name in required if name in names or name not in properties]


def _is_sent(part: Any) -> bool:
    """Return whether a request may contain a property."""
    return not (isinstance(part, Mapping) and part.get("readOnly") is True)


def _is_readable(pattern: object) -> bool:
    """Return whether a pattern is a regular expression, perhaps one that is not checked."""
    if not isinstance(pattern, str):
        return False
    try:
        try_convert_to_python(pattern)
    except ValueError:
        return False
    return True


def _rank_media_type(kind: str) -> int:
    if kind.partition(";")[0].endswith("json"):
        return 0
    return 1 if kind in _FORMS else 2


def _unescape(step: str) -> str:
    return unescape(unquote(step))


def _format_value(value: JSON) -> str:
    """Format a value for a path or a header. The items of a list are separated by commas."""
    if isinstance(value, list):
        return ",".join(map(_format_value, value))
    return value if isinstance(value, str) else minified(value)


def _definition_error(expected: str, value: object, at: str) -> SchemaError:
    return SchemaError(
        Code.DEFINITION, f"expected {expected}, found {format_excerpt(value)}", pointer=at
    )
