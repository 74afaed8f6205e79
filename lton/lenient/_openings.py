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
