"""Read a request with native calls and apply the gateway's options to the request.

Nothing is refused, because the upstream reports errors. Unknown members pass through.
"""

import json
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any, Literal, TypeAlias

from lton._json import minified
from lton.apis.api import Api, encode_body
from lton.apis.client_requests import MAX_TOOL_VALUES, MAX_TOOLS
from lton.apis.json_members import list_in
from lton.apis.tool_choice import try_read_choice
from lton.errors import LTONError
from lton.gateway.native.repeated_turns import (
    MOST_IGNORED,
    CalledTurn,
    Loop,
    find_imitated_turn,
    find_loop,
    with_repeated_turns_noted,
)
from lton.gateway.native.required import RequiredCall, find_required_call
from lton.gateway.native.rescues import Allowed
from lton.gateway.native.result_forms import ResultsForm, with_short_results
from lton.gateway.native.strict import allows_strict
from lton.gateway.native.unused_tools import UnusedTools
from lton.generate.need import EVEN_ODDS
from lton.lenient.syntaxes import syntaxes_of_model
from lton.schema.toolset import ToolSet

_TOOLSETS = 256  # compiled toolsets in the cache: agents repeat theirs with each request
_LONGEST_ERROR = 4_000  # characters of a server's error in which tools are looked for
_OURS = "repeat_tool_calls"  # the gateway's own field, which is not sent to servers


RescueForm: TypeAlias = Literal["last", "whole", "off"]
"""Whether to rescue calls at the end of prose, only from answers that are calls, or never."""


@dataclass(frozen=True, kw_only=True)
class NativeOptions:
    """The settings `strict`, `results`, `rescue`, `retry` and `repeat-tool-calls`."""

    strict: bool | None = None  # None: strict tools for servers that enforce their schemas
    results: ResultsForm = "as-is"
    keeps: bool = False  # whether the server keeps all of a request, or refuses it
    unused: UnusedTools | None = None  # the tools to shorten; None if all stay whole
    repeat: bool = False
    rescue: RescueForm = "last"
    retries: int = 0
    mends_streams: bool = False  # whether calls in streams may be held, to mend them
    ends_loops: bool = False  # whether a model that repeats its calls is told, and ended
    least_confidence: float = EVEN_ODDS  # for calls of models that were measured on a server


@dataclass(frozen=True, kw_only=True)
class NativeRequest:
    """The client's request (`body`, `data`), and the request to the upstream (`sent`, …)."""

    api: Api
    data: bytes
    content: bytes
    body: Mapping[str, Any]
    sent_body: Mapping[str, Any]
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
    last_turns: Sequence[CalledTurn] = ()  # since the last message of the user

    @property
    def streamed(self) -> bool:
        return self.body.get("stream") is True

    @property
    def can_decline(self) -> bool:
        """Whether an answer to a message of the user may have no call, and nothing else is asked.

        After a result, a first token does not show whether the model has finished.
        """
        is_plain = self.api.is_for_text(self.body)
        return self._calls_are_optional and is_plain and self.api.ends_with_question(self.body)

    def find_loop_to_leave(self, *, imitates: bool) -> Loop | None:
        """Return the repeated turns whose next call is not made, or None.

        The model has ignored the notes after them. If it imitates its calls, one turn is enough.
        """
        if not (self._calls_are_optional and self.api.asks_for_one(self.body)):
            return None  # an answer without tools may not replace a repeated call
        loop = find_loop(self.last_turns)
        if loop and loop.ignored >= MOST_IGNORED:
            return loop
        return find_imitated_turn(self.last_turns) if imitates else None

    @property
    def _calls_are_optional(self) -> bool:
        choice, _ = try_read_choice(self.api.tool_choice_in(self.body)) or ("none", None)
        return choice == "auto" and bool(self.allowed.names)

    @property
    def can_inquire(self) -> bool:
        """Whether the model may be asked if it meant a call. A required call is reminded of."""
        return self.retries > 0 and self.required is None


def read_native(
    body: Mapping[str, Any],
    data: bytes,
    api: Api,
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
    changed = (
        {key: definition for key, definition in body.items() if key != _OURS}
        if _OURS in body
        else body
    )
    changed = with_short_results(changed, api, options.results, keeps=options.keeps)
    if options.unused:
        changed = options.unused.with_short_definitions(changed, api)
    last_turns: Sequence[CalledTurn] = ()
    if tells_of_loops(body, options):
        changed, last_turns = with_repeated_turns_noted(changed, api)
    content = data if changed is body else encode_body(changed, api)
    functions = api.iterate_functions_in(body.get("tools"))
    definitions = [(_read_definition(definition, api), space) for definition, space in functions]
    tools = _compile_tools(minified([definition for definition, _ in definitions]))
    choice = api.tool_choice_in(body)
    names = _callable_names(choice, frozenset(tools.by_name))
    counts = Counter(definition["name"] for definition, _ in definitions)
    several = {name for name, count in counts.items() if count > 1}
    native = NativeRequest(
        api=api,
        data=data,
        content=content,
        body=body,
        sent_body=changed,
        allowed=Allowed(
            tools=tools,
            names=names - several,
            parallel=_is_parallel(body),
            repeat=allows_repeats(body, options),
            after_prose=options.rescue == "last",
            complete=len(tools) == sum(map(api.count_tools, list_in(body, "tools"))),
            syntaxes=syntaxes | syntaxes_of_model(str(body.get("model", ""))),
            read_seen_texts=partial(api.iterate_seen_texts, body),
        ),
        can_rescue=options.rescue != "off" and bool(names) and api.is_for_text(body),
        namespaces={definition["name"]: space for definition, space in definitions if space},
        retries=options.retries,
        mends_streams=options.mends_streams,
        required=find_required_call(choice, names - several),
        drops_calls=drops_calls and bool(names),
        last_turns=last_turns,
    )
    is_strict = enforces if options.strict is None else options.strict
    strict = _with_strict(changed, api, loose) if is_strict else changed
    if strict is changed:
        return native
    content = encode_body(strict, api)
    unchanged = None if options.strict else native
    return replace(native, content=content, sent_body=strict, loose=unchanged)


def allows_repeats(body: Mapping[str, Any], options: NativeOptions) -> bool:
    """Return whether equal calls are meant, by the request or the settings."""
    return body.get(_OURS, options.repeat) is True


def tells_of_loops(body: Mapping[str, Any], options: NativeOptions) -> bool:
    """Return whether a model is told that it repeats its calls."""
    return options.ends_loops and not allows_repeats(body, options)


def without_tools(native: NativeRequest) -> NativeRequest:
    """Return a request that the model can answer only in words."""
    body = native.api.without_tools(native.sent_body)
    content = encode_body(body, native.api)
    return replace(native, sent_body=body, content=content, loose=None)


def with_loose_tools(native: NativeRequest, error: str) -> NativeRequest:
    """Return the request without strict tools, with the names of the tools that an error names."""
    assert native.loose
    refused = set[str]()
    pairs = zip(native.sent_body["tools"], native.loose.sent_body["tools"], strict=True)
    for index, (strict, loose) in enumerate(pairs):
        names = [function["name"] for function, _ in native.api.iterate_functions_in([strict])]
        words = [rf"(?:['\"`]|\b(?:function|tool) ){re.escape(name)}\b" for name in names]
        position = rf"\btools\W{{1,2}}{index}\b"
        if strict != loose and re.search("|".join([position, *words]), error[:_LONGEST_ERROR]):
            refused.update(names)
    return replace(native.loose, refused=frozenset(refused))


# --- tools ----------------------------------------------------------------------------------------


def _read_definition(function: Mapping[str, Any], api: Api) -> dict[str, Any]:
    schema = api.schema_of(function)
    parameters = schema if isinstance(schema, dict) else {"type": "object"}
    definition = {"name": function["name"], "parameters": parameters}
    if isinstance(function.get("annotations"), dict):
        definition["annotations"] = function["annotations"]
    return definition


@lru_cache(_TOOLSETS)
def _compile_tools(definitions: str) -> ToolSet:
    if definitions.count(",") > MAX_TOOL_VALUES:
        return ToolSet.from_tools([])
    tools = {
        definition["name"]: definition
        for definition in reversed(json.loads(definitions)[:MAX_TOOLS])
    }
    distinct = list(reversed(tools.values()))
    try:
        return ToolSet.from_tools(distinct, standard=True)
    except (LTONError, RecursionError):
        readable = list[Any]()
        for definition in distinct:
            with suppress(LTONError, RecursionError):
                ToolSet.from_tools([definition])
                readable.append(definition)
        return ToolSet.from_tools(readable, standard=True)


def _with_strict(body: Mapping[str, Any], api: Api, loose: Collection[str]) -> Mapping[str, Any]:
    """Make tools strict if their schemas allow it and they do not set `strict`."""
    tools = body.get("tools")
    if not isinstance(tools, list):
        return body
    new_tools = [_make_strict(tool, api, loose) for tool in tools]
    return body if new_tools == tools else {**body, "tools": new_tools}


def _make_strict(tool: Any, api: Api, loose: Collection[str]) -> Any:
    match tool:
        case {"type": "namespace", "tools": [*inner]}:
            return {**tool, "tools": [_make_strict(inner_tool, api, loose) for inner_tool in inner]}
        case dict():
            function = api.find_function(tool)
        case _:
            return tool
    if function is None or function.get("strict") is not None or function.get("name") in loose:
        return tool
    if not allows_strict(api.schema_of(function), api.strict_keywords):
        return tool
    return api.with_function(tool, {**function, "strict": True})


# --- allowed answers ------------------------------------------------------------------------------


def _callable_names(choice: Any, names: frozenset[str]) -> frozenset[str]:
    """Return the names of the tools that may be called; none if the tool choice is unknown."""
    mode, allowed = try_read_choice(choice) or ("none", None)
    allowed = [] if mode == "none" else allowed
    return names if allowed is None else names.intersection(allowed)


def _is_parallel(body: Mapping[str, Any]) -> bool:
    match body.get("tool_choice"):
        case {"disable_parallel_tool_use": True}:
            return False
    return body.get("parallel_tool_calls") is not False
