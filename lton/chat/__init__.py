"""One neutral form of a conversation; OpenAI's two APIs and Anthropic's are read and written here.

What a record cannot say stays in its `extra`, and is written again for the API that it came from.
"""

from lton.chat._blocks import read_blocks, read_call
from lton.chat.anthropic import from_anthropic, to_anthropic
from lton.chat.openai import from_openai, to_openai
from lton.chat.records import Message, Other, Part, Text, Thought, ToolCall, ToolResult
from lton.chat.responses import from_responses, to_responses

__all__ = [
    "Message",
    "Other",
    "Part",
    "Text",
    "Thought",
    "ToolCall",
    "ToolResult",
    "from_anthropic",
    "from_openai",
    "from_responses",
    "read_blocks",
    "read_call",
    "to_anthropic",
    "to_openai",
    "to_responses",
]
