"""The chat template for servers, beside what `lton.chat` and `ToolSet.prompt` write."""

import json
from typing import Any

from jinja2.sandbox import ImmutableSandboxedEnvironment

from lton import ToolSet
from lton.chat import instructions
from lton.integrations.tool_parser import TEMPLATE
from lton_bench.packages import folder

LISTS = sorted((folder("lton_bench") / "mcp").glob("*.json"))


# As transformers has it, and with it vLLM and SGLang.
COMPILED = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True).from_string(
    TEMPLATE.read_text("utf-8")
)


def rendered(messages: list[dict[str, Any]], tools: Any = None, **more: Any) -> str:
    return COMPILED.render(messages=messages, tools=tools, add_generation_prompt=True, **more)


def functions(listing: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "type": "function",
            "function": {
                "name": each["name"],
                "description": each.get("description", ""),
                "parameters": each["inputSchema"],
            },
        }
        for each in listing
    ]


def recorded() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for path in LISTS:
        data = json.loads(path.read_text("utf-8"))
        found += functions(data["tools"] if isinstance(data, dict) else data)
    return found


def shown(tool: dict[str, Any]) -> str:
    system = rendered([], [tool]).removeprefix("<|im_start|>system\n")
    return system.removesuffix("<|im_end|>\n<|im_start|>assistant\n")


def test_most_recorded_tools_are_shown_as_the_library_shows_them() -> None:
    tools = recorded()
    differ = [
        tool["function"]["name"]
        for tool in tools
        if shown(tool) != instructions(ToolSet.from_tools([tool]))
    ]
    print(f"{len(tools) - len(differ)} of {len(tools)} as ToolSet.prompt has them; not: {differ}")
    assert len(tools) > 200
    assert len(differ) <= 0.1 * len(tools)
