"""Describe Gemini's API to the gateway."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from lton.apis.accepted_names import accepted_name
from lton.apis.answers import TokenUsage
from lton.apis.api import NO_NAMES, OWN_KEYS, Api
from lton.apis.client_requests import ClientRequest, TranslatedRequest
from lton.apis.gemini import requests
from lton.apis.gemini.contents import (
    find_in_either_case,
    read_turn,
    try_write_media,
    write_conversation,
)
from lton.apis.gemini.reader import GeminiReader
from lton.apis.gemini.writer import GeminiWriter, gemini_error, write_usage
from lton.apis.json_members import list_in, object_in
from lton.apis.media import Media
from lton.apis.members import Body
from lton.apis.request_writing import refuse_field, translated_choice, translated_messages
from lton.apis.tool_choice import AllowedNames
from lton.apis.translation import iterate_messages_with_media_after_results
from lton.chat import Message
from lton.chat.seen import iterate_seen_texts
from lton.grammar.build import ToolChoice
from lton.tokens.usage import defined_name

_MODELS = "/v1beta/models"
_STREAM = "streamGenerateContent"
_PATH = re.compile(rf"{_MODELS}/(.+):(generateContent|{_STREAM}|countTokens)")
_EFFORTS = ("minimal", "low", "medium", "high")
_OF_TOOLS = ("tools", "toolConfig", "tool_config", "cachedContent", "cached_content")


class GeminiApi(Api):
    """Google's Gemini API: `generateContent` and `streamGenerateContent`."""

    name = "gemini"
    path = f"{_MODELS}/{{model}}:generateContent"
    prefix = "/v1beta"
    count_path = f"{_MODELS}/{{model}}:countTokens"
    prices = "openai"  # cached tokens cost a tenth there, too
    hosts = ("generativelanguage.googleapis.com",)
    key_owners = ("GEMINI", "GOOGLE")
    log_form = "requests of Gemini"
    key_header = "x-goog-api-key"
    conversation_key = "contents"
    system_keys = ("systemInstruction", "system_instruction")
    own_keys = OWN_KEYS.union(
        ("contents", *system_keys),
        ("toolConfig", "tool_config", "generationConfig", "generation_config"),
    )
    user_roles = ("user", None)
    written_fields = ("contents", "systemInstruction", "stream", "model")
    longest_name = 63
    strict_keywords = frozenset()  # there are no strict tools
    enforces_strict = False
    is_probed = False
    has_developers = False
    has_errors = True
    has_user_results = True

    # --- paths ------------------------------------------------------------------------------------

    @property
    def client_paths(self) -> tuple[str, ...]:
        return (self.path, f"{_MODELS}/{{model}}:{_STREAM}")

    def is_path_of_api(self, path: str) -> bool:
        return _PATH.fullmatch(path) is not None

    def request_path(self, model: str) -> str:
        name = quote(model.removeprefix("models/"), safe="")
        return f"{_MODELS}/{name}:{_STREAM}?alt=sse"

    def path_without_streaming(self, path: str) -> str:
        return path.replace(f":{_STREAM}", ":generateContent").replace("alt=sse", "alt=json")

    def with_path_fields(self, body: dict[str, Any], path: str) -> dict[str, Any]:
        match = _PATH.fullmatch(path)
        assert match is not None  # `is_path_of_api` has matched
        inner = body.get("generateContentRequest")  # in a request for a number of tokens
        fields = inner if isinstance(inner, dict) else body
        return {**fields, "model": match[1], "stream": match[2] == _STREAM}

    def without_path_fields(self, body: Body) -> Body:
        return {key: value for key, value in body.items() if key not in ("model", "stream")}

    # --- answers ----------------------------------------------------------------------------------

    def make_reader(self, spaces: Mapping[str, str] = NO_NAMES) -> GeminiReader:
        del spaces  # this API has no namespaces for tools
        return GeminiReader()

    def make_writer(
        self,
        request: ClientRequest,
        spaces: Mapping[str, str] = NO_NAMES,
        names: Mapping[str, str] = NO_NAMES,
    ) -> GeminiWriter:
        del spaces, names
        return GeminiWriter(request.model)

    def is_event(self, data: Body) -> bool:
        return isinstance(data.get("candidates"), list)

    def stream_id(self, event: Body) -> str:
        return str(event.get("responseId", ""))

    def write_error(self, error: Body, status: int) -> dict[str, Any]:
        return gemini_error(error, status)

    def write_usage(self, usage: TokenUsage) -> dict[str, Any]:
        return write_usage(usage)

    def write_token_count(self, tokens: int) -> dict[str, Any]:
        return {"totalTokens": tokens}

    # --- requests ---------------------------------------------------------------------------------

    def read_request(self, body: Body, *, repeat: bool = False) -> ClientRequest:
        return requests.read_request(body, repeat=repeat)

    def write_request(self, translated: TranslatedRequest) -> dict[str, Any]:
        request = translated.request
        refuse_field("logit_bias", bool(request.other_fields.get("logit_bias")), self)
        named = {requests.NAMES.get(key, ""): value for key, value in request.other_fields.items()}
        config = {key: value for key, value in named.items() if key and value is not None}
        if request.max_tokens is not None:
            config["maxOutputTokens"] = request.max_tokens
        if translated.format:
            config |= requests.write_format(translated.format)
        messages = iterate_messages_with_media_after_results(translated_messages(translated, self))
        body = write_conversation(messages)
        if config:
            body["generationConfig"] = config
        if tools := translated.allowed or translated.tools:
            declarations = [self._declare_function(tool) for tool in tools]
            body["tools"] = [{"functionDeclarations": declarations}]
            choice = translated_choice(translated, self)
            body["toolConfig"] = {"functionCallingConfig": choice}
        return body

    def _declare_function(self, tool: Any) -> dict[str, Any]:
        declaration = {
            "name": accepted_name(tool.name, self),
            "description": tool.description or "",
        }
        if tool.parameters:
            declaration["parametersJsonSchema"] = tool.parameters
        return declaration

    def iterate_dropped_fields(self, translated: TranslatedRequest) -> Iterator[str]:
        if translated.effort:
            yield "effort"

    def find_answer_format(self, body: Body) -> Body | None:
        schema = requests.find_answer_schema(body)
        return (
            None if schema is None else {"type": "json_schema", "name": "answer", "schema": schema}
        )

    def without_answer_format(self, body: Body) -> dict[str, Any]:
        return requests.without_answer_format(body)

    def without_tools(self, body: Body) -> dict[str, Any]:
        plain = self.without_answer_format(body)
        return {key: value for key, value in plain.items() if key not in _OF_TOOLS}

    def find_effort(self, body: Body) -> str | None:
        level = object_in(requests.config_of(body), "thinkingConfig").get("thinkingLevel")
        effort = str(level).lower()
        return effort if effort in _EFFORTS else None

    def is_for_text(self, body: Body) -> bool:
        return requests.find_answer_schema(body) is None and self.asks_for_one(body)

    def asks_for_one(self, body: Body) -> bool:
        return requests.config_of(body).get("candidateCount") in (None, 1)

    def with_token_limit(self, body: Body, tokens: int) -> dict[str, Any]:
        return requests.with_config(body, maxOutputTokens=tokens)

    # --- conversations ----------------------------------------------------------------------------

    def write_messages(self, messages: Iterable[Message]) -> list[Any]:
        contents: list[Any] = write_conversation(messages)["contents"]
        return contents

    def parts_in(self, event: Body) -> Sequence[Any]:
        (first, *_) = [*list_in(event, "candidates"), {}]
        return list_in(object_in(first, "content"), "parts") if isinstance(first, dict) else ()

    def read_turn(self, parts: Sequence[Any], ids: Sequence[str]) -> tuple[Message, ...]:
        return read_turn(parts, ids) if parts else ()

    def try_append_text(self, body: Body, text: str) -> dict[str, Any] | None:
        match body.get("contents"):
            case [*before, {"role": "user", "parts": [*parts]} as last]:
                extended = {**last, "parts": [*parts, {"text": text}]}
                return {**body, "contents": [*before, extended]}
        return None

    def iterate_seen_texts(self, body: Body) -> Iterator[str]:
        messages = [
            {"role": "user", "content": content.get("parts")}
            for content in list_in(body, "contents")
            if isinstance(content, dict) and content.get("role") != "model"
        ]
        return iterate_seen_texts({"messages": messages, "tools": body.get("tools")})

    def role_in(self, message: Body) -> str:
        return "assistant" if message.get("role") == "model" else "user"

    def iterate_calls_in(self, message: Body) -> Iterator[tuple[str, str]]:
        yield from _iterate_functions_in_parts(message, "functionCall")

    def iterate_results_in(self, message: Body) -> Iterator[tuple[str, str]]:
        yield from _iterate_functions_in_parts(message, "functionResponse")

    def try_write_media(self, media: Media) -> dict[str, Any] | None:
        return try_write_media(media)

    # --- tools ------------------------------------------------------------------------------------

    def tool_choice_in(self, body: Body) -> Any:
        return requests.tool_choice_in(body)

    def with_tool_choice(
        self, body: Body, choice: ToolChoice, allowed: AllowedNames
    ) -> dict[str, Any]:
        config = {"functionCallingConfig": self.write_tool_choice(choice, allowed)}
        return {**body, "toolConfig": config}

    def write_tool_choice(self, choice: ToolChoice, allowed: AllowedNames) -> dict[str, Any]:
        return requests.write_tool_choice(choice, allowed)

    def iterate_functions_in(self, tools: Any, space: str = "") -> Iterator[tuple[Body, str]]:
        for function in requests.iterate_functions_in(tools):
            yield function, space

    def iterate_definitions_in(self, body: Body) -> Iterator[tuple[str, Any]]:
        for tool in list_in(body, "tools"):
            match tool:
                case {"functionDeclarations": [*items]} | {"function_declarations": [*items]}:
                    for declaration in items:
                        yield defined_name(declaration), declaration
                case {**members}:
                    yield str(next(iter(members), "")), tool  # such as `{"googleSearch": {}}`
                case _:
                    yield "", tool

    def count_tools(self, tool: Any) -> int:
        match tool:
            case {"functionDeclarations": [*items]} | {"function_declarations": [*items]}:
                return len(items)
        return 1

    def find_function(self, tool: Body) -> Body | None:
        del tool  # no tool of this API is one function
        return None

    def with_function(self, tool: Body, function: Body) -> dict[str, Any]:
        schema = function.get("parameters")
        declaration = {key: value for key, value in function.items() if key != "parameters"}
        if schema is not None:
            declaration["parametersJsonSchema"] = schema
        return {**tool, "functionDeclarations": [declaration]}


GEMINI = GeminiApi()


def _iterate_functions_in_parts(content: Body, key: str) -> Iterator[tuple[str, str]]:
    """Yield the id and the function of each call, or of each result, in a content."""
    for part in list_in(content, "parts"):
        match find_in_either_case(part, key) if isinstance(part, dict) else None:
            case {"name": str(name), **others}:
                yield str(others.get("id")), name
