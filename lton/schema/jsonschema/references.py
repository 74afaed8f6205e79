"""What a `$ref` names, in the schema that it stands in; nothing is ever fetched.

Needs the extra `references`: the rules of `$id`, `$anchor` and the drafts are `referencing`'s.
"""

from collections.abc import Mapping
from typing import Any

from lton._require import require
from lton.errors import Code, SchemaError


class Scope:
    """A schema, and how the references in it are resolved."""

    def __init__(
        self, schema: Mapping[str, Any], resolver: Any = None, *, is_old: bool = False
    ) -> None:
        self._schema = schema
        self._resolver = resolver
        dialect = schema.get("$schema")
        self.ignores_siblings = "draft-0" in dialect if isinstance(dialect, str) else is_old
        """Before draft 2019-09, nothing beside a `$ref` counts."""

    def inside(self, schema: Mapping[str, Any]) -> "Scope":
        """Get the scope of a part: its own where it has an `$id`."""
        is_part = self.ignores_siblings and "$ref" in schema
        if schema is self._schema or is_part or not isinstance(schema.get("$id"), str):
            return self
        resolver = self._resolve_from().in_subresource(_resource(schema))
        return Scope(schema, resolver, is_old=self.ignores_siblings)

    def lookup(self, reference: str, pointer: str) -> tuple[object, "Scope"]:
        """Get the schema that a reference names, and its scope.

        Raises `SchemaError` if there is none: references to other documents have none either.
        """
        resolver = self._resolve_from()
        unresolvable = require("referencing.exceptions", "references").Unresolvable
        try:
            found = resolver.lookup(reference)
        except (unresolvable, AttributeError, LookupError, TypeError, ValueError) as error:
            msg = f"no schema here has the name {reference[:80]!r}"
            raise SchemaError(Code.REFERENCE, msg, pointer=pointer) from error
        contents = found.contents if isinstance(found.contents, Mapping) else {}
        return found.contents, Scope(contents, found.resolver, is_old=self.ignores_siblings)

    def _resolve_from(self) -> Any:
        if self._resolver is None:
            self._resolver = registry_of(self._schema).resolver(_resource(self._schema).id() or "")
        return self._resolver


def registry_of(schema: Mapping[str, Any]) -> Any:
    """Get a registry of the schemas in this one, and of the drafts themselves: it fetches none."""
    registry = require("jsonschema_specifications", "references").REGISTRY
    drafts = require("referencing.jsonschema", "references")
    # Many schemas name no draft and have the tuples of the old ones.
    for default in (drafts.DRAFT202012, drafts.DRAFT7):
        try:
            resource = _resource(schema, default)
            return registry.with_resource(resource.id() or "", resource).crawl()
        except (AttributeError, LookupError, TypeError, ValueError):
            continue
    raise SchemaError(Code.DEFINITION, "a part of it is no schema where one is expected")


def _resource(schema: Mapping[str, Any], default: Any = None) -> Any:
    drafts = require("referencing.jsonschema", "references")
    resource = require("referencing", "references").Resource
    return resource.from_contents(schema, default_specification=default or drafts.DRAFT202012)
