"""Run agents of the SDKs of OpenAI and Anthropic: `python -m tests.extra.agents.loops API`.

They stream, like agents, and run three tools in the current folder.
"""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.extra.agents.agents import LISTING


def _list(path: str) -> str:
    process = subprocess.run(
        LISTING, shell=True, cwd=path, capture_output=True, text=True, check=True
    )
    return json.dumps({"files": [{"name": name} for name in process.stdout.split()]})


def _edit(path: str, old: str, new: str) -> str:
    text = Path(path).read_text()
    assert text.count(old) == 1
    Path(path).write_text(text.replace(old, new))
    return "edited"


_RUN: dict[str, Callable[..., str]] = {
    "list_folder": _list,
    "read_file": lambda path: Path(path).read_text(),
    "edit_file": _edit,
}


def _schema(*names: str) -> dict[str, Any]:
    properties = {name: {"type": "string"} for name in names}
    return {"type": "object", "properties": properties, "required": list(names)}


_TOOLS: list[tuple[str, str, Any]] = [
    ("list_folder", "List the files of a folder.", _schema("path")),
    ("read_file", "Read a file.", _schema("path")),
    ("edit_file", "Replace a text in a file.", _schema("path", "old", "new")),
]


def chat(task: str, *choices: str, **more: Any) -> str:
    """Work with chat completions; `choices` is the tool choice of the first turns."""
    import openai

    turns = iter(choices)
    messages: list[Any] = [{"role": "user", "content": task}]
    tools: list[Any] = [
        {"type": "function", "function": {"name": name, "description": about, "parameters": it}}
        for name, about, it in _TOOLS
    ]
    with openai.OpenAI() as client:
        while True:
            options = {**more, "tool_choice": next(turns, "auto")}
            with client.chat.completions.stream(
                model="m", messages=messages, tools=tools, **options
            ) as stream:
                message = stream.get_final_completion().choices[0].message
            messages.append(message.model_dump(exclude_none=True, exclude={"parsed"}))
            if not message.tool_calls:
                return message.content or ""
            for call in message.tool_calls:
                result = _RUN[call.function.name](**json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": result})


def responses(task: str) -> str:
    """Work with the responses API."""
    import openai

    items: list[Any] = [{"role": "user", "content": task}]
    tools: list[Any] = [
        {"type": "function", "name": name, "description": about, "parameters": it, "strict": False}
        for name, about, it in _TOOLS
    ]
    with openai.OpenAI() as client:
        while True:
            with client.responses.stream(model="m", input=items, tools=tools) as stream:
                response = stream.get_final_response()
            calls = [item for item in response.output if item.type == "function_call"]
            items += [item.model_dump(exclude_none=True) for item in response.output]
            if not calls:
                return str(response.output_text)
            for call in calls:
                result = _RUN[call.name](**json.loads(call.arguments))
                items.append(
                    {"type": "function_call_output", "call_id": call.call_id, "output": result}
                )


def messages(task: str) -> str:
    """Work with Anthropic's messages."""
    import anthropic

    conversation: list[Any] = [{"role": "user", "content": task}]
    tools: list[Any] = [
        {"name": name, "description": about, "input_schema": it} for name, about, it in _TOOLS
    ]
    with anthropic.Anthropic() as client:
        while True:
            with client.messages.stream(
                model="m", max_tokens=1000, messages=conversation, tools=tools
            ) as stream:
                message = stream.get_final_message()
            conversation.append({"role": "assistant", "content": message.to_dict()["content"]})
            uses = [block for block in message.content if block.type == "tool_use"]
            if not uses:
                return "".join(block.text for block in message.content if block.type == "text")
            results = [(use.id, _RUN[use.name](**use.input)) for use in uses]
            conversation.append(
                {
                    "role": "user",
                    "content": [
                        {"type": "tool_result", "tool_use_id": use, "content": text}
                        for use, text in results
                    ],
                }
            )


if __name__ == "__main__":
    print({"chat": chat, "responses": responses, "messages": messages}[sys.argv[1]](sys.argv[2]))
