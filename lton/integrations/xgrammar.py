"""Register the format `lton` for xgrammar's structural tags.

    register()
    tag = xgrammar.get_model_structural_tag("lton", tools=tools, reasoning="disabled")

This needs xgrammar 0.2.8 or newer. The plug-ins for vLLM and SGLang also register the format.
"""

from collections.abc import Sequence
from typing import Any

from lton._require import require, write_install_command
from lton.errors import Code, MissingExtraError
from lton.grammar.requests import to_structural_tag
from lton.schema.toolset import ToolSet

_XGRAMMAR = "xgrammar>=0.2.8,<0.3"
_THOUGHT = {
    "type": "tag",
    "begin": "<think>",
    "content": {"type": "any_text", "excludes": ["<think>", "</think>"]},
    "end": "</think>",
}


def register() -> None:
    """Register the format `lton`. Raises `MissingExtraError` if xgrammar is missing or too old."""
    library = require("xgrammar", _XGRAMMAR)
    if not hasattr(library, "register_model_structural_tag"):
        msg = "xgrammar is too old: it has no register_model_structural_tag"
        raise MissingExtraError(Code.EXTRA, msg, hint=write_install_command(_XGRAMMAR))
    library.register_model_structural_tag("lton")(_build_tag)


def _build_tag(
    tools: Sequence[Any] | None = None,
    builtin_tools: Sequence[Any] | None = None,
    tool_choice: str = "auto",
    reasoning: str = "enabled",
    *,
    parallel_tool_calls: bool = True,
    **_: Any,  # options of other formats, such as the order of members and the spaces of JSON
) -> Any:
    """Build the structural tag for the tools that may be called.

    A thought may come first unless `reasoning` is "disabled". If `reasoning` is "enabled", the
    prompt has opened a thought, which comes first.
    """
    if builtin_tools:
        raise ValueError("calls in LTON have no built-in tools")
    content: dict[str, Any] = {"type": "any_text"}
    if tools:
        toolset = ToolSet.from_tools(tool.model_dump(exclude_none=True) for tool in tools)
        choice: Any = "auto" if tool_choice == "auto" else "required"
        content = to_structural_tag(toolset, tool_choice=choice, parallel=parallel_tool_calls)
        content = content["format"]
    if reasoning == "enabled":
        content = {"type": "sequence", "elements": [{**_THOUGHT, "begin": ""}, content]}
    elif reasoning == "auto":
        thought = {"type": "optional", "content": _THOUGHT}
        content = {"type": "sequence", "elements": [thought, content]}
    tag = {"type": "structural_tag", "format": content}
    return require("xgrammar", _XGRAMMAR).StructuralTag.model_validate(tag)
