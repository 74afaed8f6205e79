"""Register a tool parser for SGLang 0.5 (`--tool-call-parser lton`).

SGLang finds the parser by its entry point in the group `sglang.srt.plugins`. `--chat-template`
decides how tools are shown to the model, as in `lton.integrations.vllm`. Structural tags need the
xgrammar backend.
"""

from contextlib import suppress
from importlib import import_module
from typing import Any

from lton.errors import MissingExtraError
from lton.integrations import tool_parser, xgrammar
from lton.integrations.tool_parser import Piece, Stream


def register() -> None:
    """Register the tool parser `lton`. SGLang calls this function in each process."""
    base = import_module("sglang.srt.function_call.base_format_detector")
    parser = import_module("sglang.srt.function_call.function_call_parser")

    class LtonDetector(base.BaseFormatDetector):  # type: ignore[misc, name-defined]
        stream: Stream | None = None

        def has_tool_call(self, text: str) -> bool:
            return "!call " in text

        def structure_info(self) -> Any:
            raise NotImplementedError("calls in LTON are not JSON between two marks")

        def get_structural_tag(
            self,
            tools: Any = None,
            tool_choice: Any = "auto",
            thinking_mode: bool = False,  # noqa: ARG002 - SGLang separates thoughts
            parallel_tool_calls: bool = True,
        ) -> Any:
            choice = tool_choice if isinstance(tool_choice, str) else tool_choice.model_dump()
            body = {
                **_request_body(tools),
                "tool_choice": choice,
                "parallel_tool_calls": parallel_tool_calls,
            }
            tag = tool_parser.constraint(body, "sglang", dialect="structural_tag")
            return base.StructuralTag.model_validate(tag["response_format"])

        def get_auto_tool_call_structural_tag(self, tools: Any = None, **options: Any) -> Any:
            return self.get_structural_tag(tools, "auto", **options)

        def detect_and_parse(self, text: str, tools: Any) -> Any:
            return _make_result(
                base,
                tool_parser.parse_whole_answer(
                    text, tool_parser.find_callable_tools(_request_body(tools))
                ),
            )

        def parse_streaming_increment(self, new_text: str, tools: Any) -> Any:
            self.stream = self.stream or Stream(
                tool_parser.find_callable_tools(_request_body(tools))
            )
            return _make_result(base, self.stream.feed(new_text))

        def finish(self, tools: Any) -> Any:  # noqa: ARG002 - of SGLang's interface
            return _make_result(base, self.stream.flush() if self.stream else Piece())

    parser.FunctionCallParser.ToolCallParserEnum["lton"] = LtonDetector
    with suppress(MissingExtraError):  # some versions of SGLang have no formats
        xgrammar.register()


def _request_body(tools: Any) -> dict[str, Any]:
    return {"tools": [tool.model_dump(exclude_none=True) for tool in tools or ()]}


def _make_result(base: Any, piece: Piece) -> Any:
    calls = [
        base.ToolCallItem(tool_index=call.index, name=call.name, parameters=call.arguments)
        for call in piece.calls
    ]
    return base.StreamingParseResult(normal_text=piece.content, calls=calls)
