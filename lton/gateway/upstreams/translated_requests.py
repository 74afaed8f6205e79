"""Read a request with native calls for a server of another API."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from lton.apis.api import Api
from lton.apis.client_requests import ClientRequest, Definition, TranslatedRequest
from lton.apis.members import Body
from lton.apis.refusals import RefusedError, make_unsupported_error
from lton.apis.request_writing import STRICT_KEYWORDS
from lton.gateway.native.strict import allows_strict

_UNTRANSLATED = ("logprobs", "top_logprobs", "prediction", "web_search_options", "audio")
_NO_FIELD = (
    "the upstream's answer is translated, and this part of it would be lost. Leave it out, or use a"
    " server that has the API of this client"
)


def without_format_and_tools(body: Body, api: Api) -> dict[str, Any]:
    """Convert all tools in a body to functions and remove formats. Raises `RefusedError`."""
    _refuse_untranslated(body)
    converted = api.without_answer_format(body)
    tools = body.get("tools")
    functions = list[dict[str, Any]]()
    if not isinstance(tools, list):
        return converted
    for index, tool in enumerate(tools):
        functions += _functions_of(tool, index, api)
    ((name, count),) = Counter(function["name"] for function in functions).most_common(1) or [
        ("", 0)
    ]
    if count > 1:
        raise RefusedError(400, f"tools: two have the name {name!r}", param="tools")
    return {**converted, "tools": [api.with_function({}, function) for function in functions]}


def _refuse_untranslated(body: Body) -> None:
    """Raise `RefusedError` for a field that asks for something that no translated answer has."""
    for param in _UNTRANSLATED:
        if body.get(param):
            raise make_unsupported_error(param, _NO_FIELD)
    modalities = body.get("modalities")
    if isinstance(modalities, list) and set(map(str, modalities)) - {"text"}:
        raise make_unsupported_error("modalities", _NO_FIELD)


def _functions_of(tool: Any, index: int, api: Api) -> list[dict[str, Any]]:
    functions = [dict(function) for function, _ in api.iterate_functions_in([tool])]
    if len(functions) < api.count_tools(tool):
        kind = tool.get("type") if isinstance(tool, dict) else tool
        words = f"{kind!r} is not a function, and the upstream's API differs from the client's"
        words += f": use a server that has {api.path}, to which it passes unchanged"
        raise make_unsupported_error(f"tools[{index}].type", words)
    return functions


def make_translated_request(
    request: ClientRequest, body: Body, api: Api, *, strict: bool = False
) -> TranslatedRequest:
    """Add the fields of the original `body` that `ClientRequest` lacks."""
    tools = tuple(
        _make_definition(function, api, strict=strict)
        for function, _ in api.iterate_functions_in(body.get("tools"))
    )
    return TranslatedRequest(
        request=request,
        tools=tools,
        format=api.find_answer_format(body),
        effort=api.find_effort(body),
    )


def _make_definition(function: Mapping[str, Any], api: Api, *, strict: bool) -> Definition:
    schema = api.schema_of(function)
    is_strict = function.get("strict")
    if strict and is_strict is None and allows_strict(schema, STRICT_KEYWORDS):
        is_strict = True
    description = function.get("description")
    return Definition(
        name=function["name"],
        description=description if isinstance(description, str) else None,
        parameters=schema if isinstance(schema, dict) else None,
        strict=is_strict if isinstance(is_strict, bool) else None,
    )
