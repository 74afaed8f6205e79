"""Resolve `$ref` within a schema, without network access.

With the extra `apps`, a schema may also refer to the meta-schemas of JSON Schema.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from lton._patterns import compiled_when_used
from lton._require import require
from lton.errors import Code, SchemaError, unescape
from lton.schema.jsonschema.keywords import (
    NEWEST_DRAFT,
    KeywordContents,
    Schema,
    list_keywords_holding,
)

ONE = list_keywords_holding(KeywordContents.SCHEMA)
"""Keywords whose value is a schema."""
LISTED = list_keywords_holding(KeywordContents.LIST)
"""Keywords whose value is a list of schemas."""
NAMED = list_keywords_holding(KeywordContents.NAMED)
"""Keywords whose value maps names to schemas."""
_DRAFTS = ("http://json-schema.org/", "https://json-schema.org/")
_DRAFT = compiled_when_used(r"draft-0([0-9])|draft/([0-9]{4})-")


@dataclass(frozen=True, slots=True, eq=False)
class Resource:
    """A schema with its own address, and the named schemas in it."""

    address: str
    schema: Any
    draft: int  # the number or the year of its draft
    anchors: dict[str, Any] = field(default_factory=dict)
    dynamic: dict[str, Any] = field(default_factory=dict)  # for `$dynamicRef`

    @property
    def is_old(self) -> bool:
        """Whether keywords next to `$ref` are ignored, as in drafts before 2019-09."""
        return self.draft < 2019

    @property
    def id_key(self) -> str:
        return "id" if self.draft < 6 else "$id"


class Scope(NamedTuple):
    """The resource that contains a schema, for resolving references."""

    resource: Resource
    resources: "_Resources"

    @classmethod
    def scope_of_root(cls, schema: Schema) -> "Scope":
        resources = _Resources(schema)
        return cls(resources.root, resources)

    def scope_of(self, schema: Schema) -> "Scope":
        """Return the scope of a subschema. A subschema with an `$id` is a resource."""
        if schema is self.resource.schema or self.resource.id_key not in schema:
            return self
        return Scope(self.resources.resource_of(schema, self.resource), self.resources)

    def find_schema(self, reference: str, pointer: str) -> tuple[Any, "Scope"]:
        """Return the target of a reference, and its scope. Raises `SchemaError`."""
        try:
            address, name = _split_reference(self.resource.address, reference)
            resource = self.resources.resource_at(address)
            if name.startswith("/"):
                return self._follow_path(resource, name)
            target = resource.anchors[name] if name else resource.schema
        except (LookupError, TypeError, ValueError) as error:
            msg = f"no schema here has the name {reference[:80]!r}"
            raise SchemaError(Code.REFERENCE, msg, pointer=pointer) from error
        return target, Scope(resource, self.resources)

    def _follow_path(self, resource: Resource, path: str) -> tuple[Any, "Scope"]:
        target = resource.schema
        for step in path[1:].split("/"):
            target = target[int(step)] if isinstance(target, list) else target[unescape(step)]
            resource = self.resources.resource_of(target, resource)
        return target, Scope(resource, self.resources)


class _Resources:
    """The resources in a schema, collected when the first reference is resolved."""

    def __init__(self, schema: Schema) -> None:
        self.root = _make_resource(schema, Resource("", {}, NEWEST_DRAFT))
        self._by_address: Mapping[str, Resource] = {}
        self._by_schema: Mapping[int, Resource] = {}

    def resource_of(self, schema: Any, around: Resource) -> Resource:
        """Return the resource whose root is a schema, or the enclosing resource if none is."""
        self._collect_resources()
        return self._by_schema.get(id(schema), around)

    def resource_at(self, address: str) -> Resource:
        self._collect_resources()
        if address not in self._by_address and address.startswith(_DRAFTS):
            registry = require("jsonschema_specifications", "apps").REGISTRY
            self._add_resources(_make_resource(registry.contents(address), self.root))
        return self._by_address[address]

    def _collect_resources(self) -> None:
        if not self._by_address:
            self._add_resources(self.root)

    def _add_resources(self, root: Resource) -> None:
        resources = list(_iterate_resources(root))
        self._by_schema = {**self._by_schema, **{id(one.schema): one for one in resources}}
        by_address = {"": self.root} | {one.address: one for one in resources}
        self._by_address = {**by_address, **self._by_address}


def _iterate_resources(root: Resource) -> Iterator[Resource]:
    """Yield the resources in a schema and collect their named schemas."""
    yield root
    unread: list[tuple[Any, Resource]] = [(root.schema, root)]
    while unread:
        schema, resource = unread.pop()
        if not isinstance(schema, Mapping):
            continue
        name = _find_id(schema, resource)
        if name is not None and schema is not root.schema:
            if name.startswith("#"):
                resource.anchors[name[1:]] = schema
            else:
                resource = _make_resource(schema, resource)
                yield resource
        _collect_anchors(schema, resource)
        unread += [(part, resource) for part in _iterate_subschemas(schema)]


def _find_id(schema: Schema, resource: Resource) -> str | None:
    """Return the `$id` of a schema. Next to a `$ref`, old drafts ignore it."""
    name = schema.get(resource.id_key)
    if isinstance(name, str):
        return None if resource.is_old and "$ref" in schema else name
    if name is not None and resource.id_key == "$id":
        raise _no_schema_error()
    return None


def _collect_anchors(schema: Schema, resource: Resource) -> None:
    for keyword in ("$anchor", "$dynamicAnchor"):
        anchor = schema.get(keyword)
        if isinstance(anchor, str):
            resource.anchors[anchor] = schema
            if keyword == "$dynamicAnchor":
                resource.dynamic[anchor] = schema


def _make_resource(schema: Schema, around: Resource) -> Resource:
    dialect = schema.get("$schema")
    draft = around.draft
    if isinstance(dialect, str):
        match = _DRAFT.search(dialect)
        draft = int(match[1] or match[2]) if match else NEWEST_DRAFT
    name = schema.get("id" if draft < 6 else "$id")
    try:
        address = _split_reference(around.address, name)[0] if isinstance(name, str) else ""
    except ValueError as error:
        raise _no_schema_error() from error
    return Resource(address, schema, draft)


def _iterate_subschemas(schema: Schema) -> Iterator[Any]:
    for keyword, value in schema.items():
        if keyword in NAMED and value is not None:
            if not isinstance(value, Mapping):
                raise _no_schema_error()
            yield from value.values()
        elif keyword in LISTED and isinstance(value, list):
            yield from value
        elif keyword in ONE:
            yield value


def _no_schema_error() -> SchemaError:
    return SchemaError(Code.DEFINITION, "expected a schema, found something else in a part of it")


def _split_reference(base: str, reference: str) -> tuple[str, str]:
    """Resolve a reference and split it into the address of a resource and a name."""
    from urllib.parse import unquote, urldefrag, urljoin  # noqa: PLC0415 - most schemas have none

    whole = base + reference if reference.startswith("#") else urljoin(base, reference)
    address, fragment = urldefrag(whole)
    return address, unquote(fragment)
