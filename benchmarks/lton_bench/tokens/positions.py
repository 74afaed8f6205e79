"""Arguments by position, for formats that have no keys."""

from collections.abc import Mapping

from lton.schema import Call, ToolSet
from lton.schema.types import JSON, Object
from lton_bench.demo import json_array


def by_position(call: Call, tools: ToolSet) -> list[JSON] | None:
    """Return the arguments in the order of the layout, with null for gaps; also nested objects.

    Return None if the layout does not declare all of the arguments.
    """
    members = tools.by_name[call.name].args
    return json_array(call, tools)[1:] if _is_declared(call.arguments, members) else None


def _is_declared(whole: Mapping[str, JSON], members: Object) -> bool:
    for member, part in whole.items():
        param = members.by_name.get(member)
        if param is None:
            return False
        items = part if isinstance(part, list) else [part]
        node = param.type.item_type if isinstance(part, list) else param.type
        inner = node.object if node.object and not node.object.is_map else None
        if inner and not all(_is_declared(i, inner) for i in items if isinstance(i, dict)):
            return False
    return True
