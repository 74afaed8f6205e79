"""Define patterns for the marks, tags and sentences around calls."""

import re
from collections.abc import Iterator

from lton._patterns import compiled_when_used
from lton._syntax import REPEAT
from lton.errors import RepairCode
from lton.lenient._call_elements import ELEMENT
from lton.lenient._quoted import OPENING, TURN
from lton.lenient._strings import ENDING_TAG, TAG
from lton.lenient.syntaxes import LIST_WORD, pattern_of_column

_LABEL = (
    r"(?i:(?:\*\*|\b)(?:action|tool|function|call|(?:tool|function)[ _]call)(?:\*\*)?[ \t]*:"
    r"(?:\*\*)?(?!\S))"
)
_LIST_WORD = rf"(?:{LIST_WORD})(?=\[\s*\{{)"
BETWEEN = compiled_when_used(rf"(?<=[|\uff5c]>)(?:{pattern_of_column('between')})")
"""Words between the special tokens of a call, as in DeepSeek V3, Step 3 and harmony."""
_OTHERS = rf"(?i:{OPENING.pattern}|{TURN.pattern})"
MARKS = compiled_when_used(
    rf"(?>(?:[ \t]+|[-*+•](?=[ \t])|\d{{1,3}}[.)](?=[ \t])|`{{1,2}}(?!`)"
    rf"|```[\w+-]*(?:[ \t]*\r?\n)?|{_LABEL}|{_LIST_WORD}|\[(?=\s*[A-Za-z_][\w./-]*\()"
    rf"|(?!{_OTHERS})(?:{TAG.pattern})\s*|{BETWEEN.pattern}\s*(?=to=))*)"
)
"""Marks before a call: list marks, fences, backticks, labels, tags, or a Python list's `[`."""
ANNOUNCES = compiled_when_used(rf"(?<!`)``?(?!`)|\[|{_LABEL}|{TAG.pattern}")
OPENS_CALL = compiled_when_used(rf"{TAG.pattern}|{ELEMENT.pattern}")
SPECIAL = compiled_when_used(
    r"<[|\uff5c](?=[\w\u2581]*(?:tool|call|python|action|message))[\w\u2581]{1,60}[|\uff5c]>"
    rf"|{pattern_of_column('special')}",
    re.IGNORECASE,
)
"""A special token of a model, which does not occur in a sentence by chance."""
OPENS_TEXT = compiled_when_used(rf"(?!{ENDING_TAG.pattern}){TAG.pattern}")
"""A tag that does not end something."""
LABEL_LINE = compiled_when_used(rf"[ \t]*(?:{_LABEL})\s*")
CALL_LANGUAGES = frozenset(
    " json json5 jsonc lton python py text txt plaintext xml call action".split(" ")
    + "tool_call tool_calls tool_code function_call function_calls".split()
)
"""Languages of fences that contain calls. Fences with other languages contain examples."""
CODE_LINE = compiled_when_used(
    r"^[ \t]*+(?:(?:async[ ]def|def|function)[ ]+\w+[ ]*\(|class[ ]+\w+[ ]*[:(]"
    r"|import[ ]+[\w.]+[ \t]*$|from[ ]+[\w.]+[ ]+import[ ]|if[ ]__name__|\#!/"
    r"|\#include|(?:try|else|finally|lambda):[ \t]*$"
    r"|(?:if|for|while|with|elif|except|match|case|async[ ]\w+)\b[^\n]*:[ \t]*\n[ \t]+"
    r"|(?:let|const|var|local|my|final|auto)[ ]\w+[ ]*=|\w+[ ]:=[ ]"
    r"|(?:package|use)[ ][\w.:]+;?[ \t]*$|[^\n]*<<[-~]?[ ]?[\"']?[\w!]{1,40}[\"']?[ \t]*(?:>|$)"
    r"|(?:if|for|while)[ ][^\n]*;[ ](?:then|do)[ \t]*$"
    r"|(?:if|for|while|switch|func|fn|public|private|static)[ (][^\n]*\{[ \t]*$"
    r"|(?:fi|esac|end|done)[ \t]*$)",
    re.MULTILINE,
)
"""A line of a program."""
LINE_REST = compiled_when_used(
    rf"(?>(?:[`)\]}}\"'\u201d\u2019.,;:! \t]|{ENDING_TAG.pattern})*)"
    r"(?:\r?\n|\Z|[<{\[]|\#[ \t]|//)"
)
"""The text after a call up to the end of the line, if the call is not part of a sentence."""
SIGILS = compiled_when_used(
    r"[!/@](?:tool_?call|function_?call|call|tool|function)(?:[ \t:]+|(?=\n))|call:[ \t]*"
    r"|!(?=\w)|(?:to=)?(?:functions|default_api)\.(?=\w)|to=(?=\w)"
)
REPEATS = compiled_when_used(rf"{REPEAT}(?=[ (\r\n]|\Z)")
NEXT = compiled_when_used(r"[ \t]*+[;,]?+\s*+(?=[A-Za-z_])")
"""The separator between two calls on a line."""
TAIL = compiled_when_used(
    rf"`*+[ \t]*+[;,.]*+(?:\s*+\]|[ \t]*+(?:\r?\n|\Z|\#[ \t]|//|{ENDING_TAG.pattern}"
    rf"|(?:{TAG.pattern})))"
)
"""The text after a call in parentheses or backticks, if the call is not part of a sentence."""
RESUME = compiled_when_used(rf"\n(?=[ \t]*[\[{{<`])|{TAG.pattern}")
"""The place where the search resumes after unreadable JSON. A plain line may be in a string."""
_PIECE = compiled_when_used(
    rf"(?P<frame>^[ \t]*(?:[-*+•]|\d{{1,3}}[.)])(?=[ \t])|^[ \t]*>+|```[\w+-]*|`"
    rf"|{_LABEL}|(?:{LIST_WORD})\Z|{TAG.pattern}|[\[\]])"
    r"|(?P<marks>[;,.]+(?=[\s\]`<]|\Z))|(?P<prose>[^\s`\[\]<]+|\S)",
    re.MULTILINE,
)
_CODES = {"frame": RepairCode.FRAME, "marks": RepairCode.SEPARATOR, "prose": RepairCode.PROSE}


def iterate_gap_repairs(src: str, start: int, end: int) -> Iterator[tuple[int, RepairCode]]:
    """Yield one repair for each kind of mark or prose between two calls."""
    gap = src[start:end]
    if gap.strip():
        kinds = set()
        for match in _PIECE.finditer(src, start, end):
            kind = match.lastgroup or ""
            if kind not in kinds:
                kinds.add(kind)
                yield match.end() - len(match[0].lstrip()), _CODES[kind]
    elif (gap != "\n" or start == 0) and (gap or (start > 0 and end < len(src))):
        yield start, RepairCode.LINES


def end_of_match(pattern: re.Pattern[str], src: str, pos: int) -> int:
    match = pattern.search(src, pos)
    return match.start() if match else len(src)
