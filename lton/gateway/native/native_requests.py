"""Read a request with native calls and apply the gateway's options to the request.

Nothing is refused, because the upstream reports errors. Unknown members pass through.
"""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any, Literal, TypeAlias

from lton._json import minified
from lton.apis.names import ApiName
from lton.apis.tool_choice import read_choice
from lton.chat.seen import seen_texts
from lton.errors import LTONError
from lton.gateway.apis.client_requests import MAX_TOOL_VALUES, MAX_TOOLS
from lton.gateway.native.long_results import ResultFolder
from lton.gateway.native.required import RequiredCall, required_call
from lton.gateway.native.rescues import Allowed
from lton.gateway.native.result_forms import ResultsForm, with_short_results
from lton.gateway.native.strict import allows_strict
from lton.generate.need import EVEN_ODDS
from lton.lenient.syntaxes import syntaxes_of_model
from lton.schema.toolset import ToolSet

_TOOLSETS = 256  # compiled toolsets in the cache: agents repeat theirs with each request
SCHEMA: Mapping[ApiName, str] = {
    "chat": "parameters",
    "responses": "parameters",
    "messages": "input_schema",
}
_LONGEST_ERROR = 4_000  # characters of a server's error in which tools are looked for
_OF_TOOLS = ("tools", "tool_choice", "parallel_tool_calls")
_OURS = "repeat_tool_calls"  # the gateway's own field, which is not sent to servers


RescueForm: TypeAlias = Literal["last", "whole", "off"]
"""Whether to rescue calls at the end of prose, only from answers that are calls, or never."""


@dataclass(frozen=True, kw_only=True)
class NativeOptions:
    """The options `--strict`, `--results`, `--rescue`, `--retry` and `--repeat-tool-calls`."""

    strict: bool | None = None  # None: strict tools for servers that enforce their schemas
    results: ResultsForm = "as-is"
    keeps: bool = False  # whether the server keeps all of a request, or refuses it
    folder: ResultFolder | None = None  # for whole long results; None if no result is cut
    repeat: bool = False
    rescue: RescueForm = "last"
    retries: int = 0
    mends_streams: bool = False  # whether calls in streams may be held, to mend them
    least_confidence: float = EVEN_ODDS  # for calls of models that were measured on a server


@dataclass(frozen=True, kw_only=True)
class NativeRequest:
    """The client's request (`body`, `data`), and the request to the upstream (`sent`, …)."""

    api: ApiName
    data: bytes
    content: bytes
    body: Mapping[str, Any]
    sent: Mapping[str, Any]
    allowed: Allowed
    can_rescue: bool
    namespaces: Mapping[str, str] = field(default_factory=dict)  # by function name
    loose: "NativeRequest | None" = None  # sent if the server refuses the strict tools
    refused: frozenset[str] | None = None
    """The strict tools that the server's error names (empty: none), if the server refused them."""
    retries: int = 0  # how often the model may be asked again after a wrong call
    mends_streams: bool = False
    required: RequiredCall | None = None  # the call that the answer must have
    drops_calls: bool = False  # whether the server is known to drop calls that it cannot read

    @property
    def streamed(self) -> bool:
        return self.body.get("stream") is True

    @property
    def can_decline(self) -> bool:
        """Whether an answer to a message of the user may have no call, and nothing else is asked.

        After a result, a first token does not show whether the model has finished.
        """
        choice, _ = read_choice(self.body.get("tool_choice")) or ("none", None)
        is_optional = choice == "auto" and bool(self.allowed.names)
        return is_optional and _is_plain(self.body) and ends_with_question(self.body, self.api)

    @property
    def can_inquire(self) -> bool:
        """Whether the model may be asked if it meant a call. A required call is reminded of."""
        return self.retries > 0 and self.required is None


def read_native(
    body: Mapping[str, Any],
    data: bytes,
    api: ApiName,
    options: NativeOptions,
    *,
    enforces: bool = False,
    loose: Collection[str] = (),
    syntaxes: frozenset[str] = frozenset(),
    drops_calls: bool = False,
) -> NativeRequest:
    """Read a request with native calls. Without a reason for changes, its bytes stay the same.

    The tools that `loose` names are not made strict. `syntaxes` are the call syntaxes that the
    server's template contains.
    """
    changed = {key: each for key, each in body.items() if key != _OURS} if _OURS in body else body
    changed = with_short_results(
        changed, api, options.results, keeps=options.keeps, folder=options.folder
    )
    content = data if changed is body else minified(changed).encode(errors="replace")
    given = functions(body.get("tools"), api)
    definitions = [(_read_definition(each, api), space) for each, space in given]
    tools = _compile_tools(minified([each for each, _ in definitions]))
    names = _callable(body.get("tool_choice"), frozenset(tools.by_name))
    counts = Counter(each["name"] for each, _ in definitions)
    several = {name for name, count in counts.items() if count > 1}
    native = NativeRequest(
        api=api,
        data=data,
        content=content,
        body=body,
        sent=changed,
        allowed=Allowed(
            tools=tools,
            names=names - several,
            parallel=_is_parallel(body),
            repeat=body.get(_OURS, options.repeat) is True,
            after_prose=options.rescue == "last",
            complete=len(tools) == len(body.get("tools") or ()),
            syntaxes=syntaxes | syntaxes_of_model(str(body.get("model", ""))),
            seen=partial(seen_texts, body),
        ),
        can_rescue=options.rescue != "off" and bool(names) and _is_plain(body),
        namespaces={each["name"]: space for each, space in definitions if space},
        retries=options.retries,
        mends_streams=options.mends_streams,
        required=required_call(body, names - several),
        drops_calls=drops_calls and bool(names),
    )
    is_strict = enforces if options.strict is None else options.strict
    strict = _with_strict(changed, api, loose) if is_strict else changed
    if strict is changed:
        return native
    content = minified(strict).encode(errors="replace")
    unchanged = None if options.strict else native
    return replace(native, content=content, sent=strict, loose=unchanged)


def without_tools(native: NativeRequest) -> NativeRequest:
    """Return a request that the model can answer only in words."""
    sent = {key: value for key, value in native.sent.items() if key not in _OF_TOOLS}
    content = minified(sent).encode(errors="replace")
    return replace(native, sent=sent, content=content, loose=None, can_rescue=False, retries=0)


def without_strict(native: NativeRequest, error: str) -> NativeRequest:
    """Return the request without strict tools, with the names of the tools that an error names."""
    assert native.loose
    refused = set[str]()
    pairs = zip(native.sent["tools"], native.loose.sent["tools"], strict=True)
    for index, (strict, loose) in enumerate(pairs):
        names = [function["name"] for function, _ in functions([strict], native.api)]
        words = [rf"(?:['\"`]|\b(?:function|tool) ){re.escape(name)}\b" for name in names]
        place = rf"\btools\W{{1,2}}{index}\b"
        if strict != loose and re.search("|".join([place, *words]), error[:_LONGEST_ERROR]):
            refused.update(names)
    return replace(native.loose, refused=frozenset(refused))


# --- tools ----------------------------------------------------------------------------------------


def functions(tools: Any, api: ApiName, space: str = "") -> Iterator[tuple[Mapping[str, Any], str]]:
    """Yield each function among a client's tools, with its namespace."""
    for tool in tools if isinstance(tools, list) else ():
        if not isinstance(tool, dict):
            continue
        if tool.get("type") == "namespace" and not space:
            yield from functions(tool.get("tools"), api, str(tool.get("name", "")))
        elif (found := _function(tool, api)) is not None:
            yield found, space


def _function(tool: Mapping[str, Any], api: ApiName) -> Mapping[str, Any] | None:
    holder = tool.get("function") if api == "chat" else tool
    kind = tool.get("type")
    is_function = kind in (None, "custom") if api == "messages" else kind == "function"
    if not is_function or not isinstance(holder, dict):
        return None
    return holder if isinstance(holder.get("name"), str) else None


def _read_definition(function: Mapping[str, Any], api: ApiName) -> dict[str, Any]:
    schema = function.get(SCHEMA[api])
    found = schema if isinstance(schema, dict) else {"type": "object"}
    definition = {"name": function["name"], "parameters": found}
    if isinstance(function.get("annotations"), dict):
        definition["annotations"] = function["annotations"]
    return definition


@lru_cache(_TOOLSETS)
def _compile_tools(definitions: str) -> ToolSet:
    if definitions.count(",") > MAX_TOOL_VALUES:
        return ToolSet.from_tools([])
    tools = {each["name"]: each for each in reversed(json.loads(definitions)[:MAX_TOOLS])}
    given = list(reversed(tools.values()))
    try:
        return ToolSet.from_tools(given, standard=True)
    except (LTONError, RecursionError):
        readable = list[Any]()
        for each in given:
            with suppress(LTONError, RecursionError):
                ToolSet.from_tools([each])
                readable.append(each)
        return ToolSet.from_tools(readable, standard=True)


def _with_strict(
    body: Mapping[str, Any], api: ApiName, loose: Collection[str]
) -> Mapping[str, Any]:
    """Make tools strict if their schemas allow it and they do not set `strict`."""
    tools = body.get("tools")
    if not isinstance(tools, list):
        return body
    made = [_strict(each, api, loose) for each in tools]
    return body if made == tools else {**body, "tools": made}


def _strict(tool: Any, api: ApiName, loose: Collection[str]) -> Any:
    match tool:
        case {"type": "namespace", "tools": [*inner]}:
            return {**tool, "tools": [_strict(each, api, loose) for each in inner]}
        case dict():
            found = _function(tool, api)
        case _:
            return tool
    if found is None or found.get("strict") is not None or found.get("name") in loose:
        return tool
    if not allows_strict(found.get(SCHEMA[api]), api):
        return tool
    made = {**found, "strict": True}
    return {**tool, "function": made} if api == "chat" else made


# --- allowed answers ------------------------------------------------------------------------------


def _callable(choice: Any, names: frozenset[str]) -> frozenset[str]:
    """Return the names of the tools that may be called; none if the tool choice is unknown."""
    mode, allowed = read_choice(choice) or ("none", None)
    allowed = [] if mode == "none" else allowed
    return names if allowed is None else names.intersection(allowed)


def _is_parallel(body: Mapping[str, Any]) -> bool:
    match body.get("tool_choice"):
        case {"disable_parallel_tool_use": True}:
            return False
    return body.get("parallel_tool_calls") is not False


def _is_plain(body: Mapping[str, Any]) -> bool:
    formats = [body.get("response_format"), body.get("output_format")]
    for key in ("text", "output_config"):
        match body.get(key):
            case {"format": form}:
                formats.append(form)
    is_text = all(form is None or form == {"type": "text"} for form in formats)
    return is_text and body.get("n") in (None, 1)


def ends_with_question(body: Mapping[str, Any], api: ApiName) -> bool:
    """Return whether the last message of a request is a message of the user, not a result."""
    match body.get("input" if api == "responses" else "messages"):
        case str():
            return True
        case [*_, {"role": "user", "content": str()}]:
            return True
        case [*_, {"role": "user", "content": [*parts]}]:
            kinds = [part.get("type") for part in parts if isinstance(part, dict)]
            return "tool_result" not in kinds
    return False
