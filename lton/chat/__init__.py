"""Convert conversations between API formats, neutral records, and text that models read.

This package reads and writes OpenAI's two APIs and Anthropic's. Fields that the neutral form lacks
are kept in `extra`, and are written again for their own API. `render` renders a conversation for
the model, `Reader` parses the answer, and `run` runs the calls.

- `records` are the parts of a conversation, and `_blocks` has code that the APIs share. `pairs`
  finds the call of a result, and `beginnings` caches facts about the latest conversations.
- `openai`, `responses` and `anthropic` each read and write one API. Only these modules read
  messages, and they import none of the modules below.
- `writing` writes a turn in LTON, and `rendering` a conversation. `tool_results` finds the results
  of tools in the messages of any API.
- `replies` parses a model's answer, strictly or leniently (`readings`), in pieces (`deltas`).
  `whole_replies` reads a complete answer at once.
  `repeats` omits repeated calls, and `stops` finds stop sequences. `filters` states what all
  classes that take a stream in pieces have in common.
- `return_values` converts return values of functions to JSON, and `running` runs calls. `seen`
  lists the texts that a model could repeat, and `mending` mends calls that a server has parsed.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from lton.chat._blocks import read_blocks, read_call
from lton.chat.anthropic import from_anthropic, to_anthropic
from lton.chat.openai import from_openai, to_openai
from lton.chat.records import Message, Other, Part, Text, Thought, ToolCall, ToolResult
from lton.chat.responses import from_responses, to_responses

if TYPE_CHECKING:
    from lton.chat.deltas import (
        ArgumentsDelta,
        ContentDelta,
        Delta,
        Finish,
        Reply,
        ThoughtDelta,
        ToolCallEnd,
        ToolCallStart,
    )
    from lton.chat.rendering import Departure, Rendered, render
    from lton.chat.repeats import ImitatedAnswer, RepeatedCall
    from lton.chat.replies import Reader, new_call_id, read
    from lton.chat.return_values import as_json
    from lton.chat.running import converse, converse_async, feedback, run, run_async
    from lton.chat.writing import instructions

__all__ = [
    "ArgumentsDelta",
    "ContentDelta",
    "Delta",
    "Departure",
    "Finish",
    "ImitatedAnswer",
    "Message",
    "Other",
    "Part",
    "Reader",
    "Rendered",
    "RepeatedCall",
    "Reply",
    "Text",
    "Thought",
    "ThoughtDelta",
    "ToolCall",
    "ToolCallEnd",
    "ToolCallStart",
    "ToolResult",
    "as_json",
    "converse",
    "converse_async",
    "feedback",
    "from_anthropic",
    "from_openai",
    "from_responses",
    "instructions",
    "new_call_id",
    "read",
    "read_blocks",
    "read_call",
    "render",
    "run",
    "run_async",
    "to_anthropic",
    "to_openai",
    "to_responses",
]

_HOMES = ("deltas", "repeats", "rendering", "replies", "running", "return_values", "writing")

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        for home in _HOMES if name in __all__ else ():
            attribute = getattr(import_module(f"lton.chat.{home}"), name, None)
            if attribute is not None:
                globals()[name] = attribute
                return attribute
        raise AttributeError(f"module 'lton.chat' has no attribute {name!r}", name=name)
