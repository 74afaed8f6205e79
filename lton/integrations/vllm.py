"""Register a tool parser for vLLM 0.33 (`--enable-auto-tool-choice --tool-call-parser lton`).

vLLM finds the parser by its entry point in the group `vllm.general_plugins`. `--chat-template`
decides how tools are shown to the model: by the file `lton.integrations.tool_parser.TEMPLATE`, or
by another template.
"""

from contextlib import suppress
from importlib import import_module
from typing import Any

from lton.errors import MissingExtraError
from lton.integrations import tool_parser, xgrammar


def register() -> None:
    """Register the tool parser `lton`. vLLM calls this function in each process."""
    parsers = import_module("vllm.tool_parsers.abstract_tool_parser")
    protocol = import_module("vllm.entrypoints.generate.base.protocol")
    params = import_module("vllm.sampling_params").StructuredOutputsParams

    class LtonToolParser(parsers.ToolParser):  # type: ignore[misc, name-defined]
        supports_required_and_named = False  # otherwise vLLM makes the model write JSON
        engine_based_streaming = True  # otherwise vLLM does not call `finish_streaming`
        stream: tool_parser.Stream | None = None

        def adjust_request(self, request: Any) -> Any:
            grammar = tool_parser.constraint(request.model_dump(exclude_none=True), "vllm")
            if grammar:
                request.structured_outputs = params(**grammar["structured_outputs"])
                form = "response_format" if hasattr(request, "response_format") else "text"
                setattr(request, form, None)
            return request

        def extract_tool_calls(self, model_output: str, request: Any) -> Any:
            piece = tool_parser.parse_whole_answer(model_output, _callable_tools(request))
            calls = [
                protocol.ToolCall(
                    id=call.id, function={"name": call.name, "arguments": call.arguments}
                )
                for call in piece.calls
            ]
            return protocol.ExtractedToolCallInformation(
                tools_called=bool(calls), tool_calls=calls, content=piece.content or None
            )

        def extract_tool_calls_streaming(self, *arguments: Any) -> Any:
            self.stream = self.stream or tool_parser.Stream(_callable_tools(arguments[-1]))
            return _make_delta(protocol, self.stream.feed(arguments[2]))

        def finish_streaming(self) -> Any:
            return _make_delta(protocol, self.stream.flush()) if self.stream else None

    parsers.ToolParserManager.register_module("lton", module=LtonToolParser)
    with suppress(MissingExtraError):  # some versions of vLLM have no formats
        xgrammar.register()


def _callable_tools(request: Any) -> Any:
    return tool_parser.find_callable_tools(request.model_dump(exclude_none=True))


def _make_delta(protocol: Any, piece: tool_parser.Piece) -> Any:
    fields: dict[str, Any] = {"content": piece.content or None, "reasoning": piece.thoughts or None}
    return (
        protocol.DeltaMessage(**fields, tool_calls=tool_parser.openai_calls(piece))
        if piece
        else None
    )
