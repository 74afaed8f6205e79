"""What a `$ref` names, in the schema that it stands in; nothing is ever fetched.

Needs the extra `references`: the rules of `$id`, `$anchor` and the drafts are `referencing`'s.
"""

from collections.abc import Mapping
from typing import Any

from lton._require import require
from lton.errors import Code, SchemaError


class Scope:
    """A schema, and how the references in it are resolved."""

    def __init__(self, schema: Mapping[str, Any], resolver: Any = None) -> None:
        self._schema = schema
        self._resolver = resolver

    def inside(self, schema: Mapping[str, Any]) -> "Scope":
        """Get the scope of a part: its own where it has an `$id`."""
        if schema is self._schema or not isinstance(schema.get("$id"), str):
            return self
        return Scope(schema, self._resolve_from().in_subresource(_resource(schema)))

    def lookup(self, reference: str, pointer: str) -> tuple[object, "Scope"]:
        """Get the schema that a reference names, and its scope.

        Raises `SchemaError` if there is none: references to other documents have none either.
        """
        resolver = self._resolve_from()
        try:
            found = resolver.lookup(reference)
        except require("referencing.exceptions", "references").Unresolvable as error:
            msg = f"no schema here has the name {reference[:80]!r}"
            raise SchemaError(Code.REFERENCE, msg, pointer=pointer) from error
        return found.contents, Scope(self._schema, found.resolver)

    def _resolve_from(self) -> Any:
        if self._resolver is None:
            registry = require("referencing", "references").Registry()
            resource = _resource(self._schema)
            uri = resource.id() or ""
            self._resolver = registry.with_resource(uri, resource).resolver(uri)
        return self._resolver


def _resource(schema: Mapping[str, Any]) -> Any:
    """Draft 2020-12 where the schema does not name another."""
    drafts = require("referencing.jsonschema", "references")
    resource = require("referencing", "references").Resource
    return resource.from_contents(schema, default_specification=drafts.DRAFT202012)
