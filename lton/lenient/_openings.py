"""Define patterns for the ways in which a call may begin."""

from lton._patterns import compiled_when_used
from lton.lenient._json_keys import KEYS
from lton.lenient._json_shapes import ELEMENT
from lton.lenient._marks import CALL_LANGUAGES
from lton.lenient._strings import TAG

ID_KEYS = frozenset(["id", "type"])
OBJECT_KEYS = KEYS | ID_KEYS
"""The keys that may come first in a JSON call."""
WORDS = ("functools[", "to=functions.")  # only models write these, before a call
BETWEEN = compiled_when_used(
    r"(?<=[|\uff5c]>)(?:function(?=<[|\uff5c]tool[_\u2581]sep)|(?:commentary|analysis)\b(?=\s*(?:to=|<)))"
)
"""Words between the special tokens of a call, as in DeepSeek V3, Step 3 and harmony."""
MARKS = compiled_when_used(rf"{TAG.pattern}|{ELEMENT.pattern}")
AFTER_PROSE = compiled_when_used(
    r"<[|\uff5c]{1,2}DSML[|\uff5c]|<(?:\w{1,20}:)?"
    r"(?:function=|(?:invoke|function|call|tool_call)[ \t]{1,4}(?:id|name|tool)="
    r"|(?:tool|function)_calls?>)"
    r"|<[|\uff5c](?=[\w\u2581]{0,40}(?:tool|call|python))(?![\w\u2581]*(?:list|respon|result|output))[\w\u2581]{1,40}[|\uff5c]>"
    r"|<\|tool_call>|<start_function_call>|\[TOOL_CALLS\]"
)
"""Marks from the syntaxes that models are trained on. They may begin a call even after prose."""
LABEL = compiled_when_used(r"(?i:action|(?:tool|function)[ _]call)[ \t]*:\s*+")
"""A label before a call. `Tool:` is excluded, because it may begin a tool's turn."""
LANGUAGES = CALL_LANGUAGES - {"lton", "python", "py"}
"""Languages of fences that are rescued. Other fences may contain a program."""
