"""How calls begin, in one table: what lenient reading takes for one, and what a gateway rescues.

A text that is nothing but a call can be given as that call, unless a person may be answered so. So
what is not rescued is listed, with the reason.
"""

from lton._patterns import compiled_when_used
from lton.lenient._json_shapes import ELEMENT, KEYS
from lton.lenient._marks import CALL_LANGUAGES
from lton.lenient._strings import TAG

ID_KEYS = frozenset(["id", "type"])
"""Keys that may come before those of a call."""
OBJECT_KEYS = KEYS | ID_KEYS
"""Keys that a call in JSON may begin with."""
WORDS = ("functools[", "to=functions.")  # words that models write before a call, and no person does
BETWEEN = compiled_when_used(
    r"(?<=[|\uff5c]>)(?:function(?=<[|\uff5c]tool[_\u2581]sep)|(?:commentary|analysis)\b(?=\s*(?:to=|<)))"
)
"""Words between the special tokens of a call: of DeepSeek V3, Step 3 and harmony."""
MARKS = compiled_when_used(rf"{TAG.pattern}|{ELEMENT.pattern}")
AFTER_PROSE = compiled_when_used(
    r"<[|\uff5c]{1,2}DSML[|\uff5c]|<(?:\w{1,20}:)?"
    r"(?:function=|(?:invoke|function|call|tool_call)[ \t]{1,4}(?:id|name|tool)="
    r"|(?:tool|function)_calls?>)"
    r"|<[|\uff5c](?=[\w\u2581]{0,40}(?:tool|call|python))(?![\w\u2581]*(?:list|respon|result|output))[\w\u2581]{1,40}[|\uff5c]>"
    r"|<\|tool_call>|<start_function_call>|\[TOOL_CALLS\]"
)
"""The marks of syntaxes that models are trained in: after prose, too, one may begin a call."""
STRAY = ("call", "calls", "count", "court")
"""Words on a line of their own, of a mark that a model damaged."""
LABEL = compiled_when_used(r"(?i:action|(?:tool|function)[ _]call)[ \t]*:\s*+")
"""A label that models write before a call; `Tool:` may begin the turn of one."""
NOT_RESCUED = {
    "wait(minutes=5)": "how one writes such a call in a program",
    "!call wait 5": "a line of LTON, which nobody was taught",
    "wait 5": "a command",
    "`wait(minutes=5)`": "a mention",
    "- wait(minutes=5)": "an item of a list",
    'wait\n{"minutes": 5}': "a word and an example",
    "~~~\nwait(minutes=5)\n~~~": "a listing",
    "```python\nwait(minutes=5)\n```": "a program",
    "```lton\nwait 5\n```": "LTON, which nobody was taught",
}
"""What lenient reading takes for a call of `wait`, and no gateway gives as one: why."""
SHOWN_LANGUAGES = frozenset(["lton", "python", "py"])
"""What a fence around a program is labelled with."""
LANGUAGES = CALL_LANGUAGES - SHOWN_LANGUAGES
