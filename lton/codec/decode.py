"""Text to calls, strictly: exactly the grammar (§10), exactly the schema; the first error ends it.

Theory of operation. The type of a position is known before anything is read there, so the first
character of a lexeme chooses the reader and the type decides what a bare word means. Readers take
the text, a position and a type, and return the position behind the value and the value. Paths are
made while an error travels outwards: nothing is spent on them as long as all is well.
"""

from lton._syntax import (
    BARE,
    COUNTED,
    ENDS_VALUE,
    FINGERPRINT,
    FINGERPRINT_DIGITS,
    REPEAT,
    SIGIL,
    WORD,
    read_number,
)
from lton.codec._members import (
    by_key,
    by_position,
    check_depth,
    check_digits,
    read_at,
    read_items,
    read_pairs,
    require_all,
    skips,
    to_next,
)
from lton.codec._scan import (
    ends,
    lexeme_end,
    refused,
    scan_atom,
    scan_fence,
    scan_key,
    scan_name,
    scan_quoted,
    unexpected,
    unknown,
)
from lton.codec.tagged import read_tagged
from lton.errors import Code, DecodeError
from lton.schema.signature import fingerprint
from lton.schema.toolset import ToolSet
from lton.schema.types import JSON, Call, Object, Param, Tool, Type

_HINT_BUDGET = 200_000


def decode(text: str, tools: ToolSet | None = None) -> list[Call]:
    """Get the calls of a text, one a line, in any form: wire, keyed, punctuated or tagged.

    Every argument is checked against its schema. Without `tools` only the tagged form with keys
    can be read. An empty text has no calls; one newline may end the text (§4, R-10).

    Raises `DecodeError` at the first character that cannot stand where it does, or at the first
    value that is not as declared; `IncompleteError` if the text ends inside a value or a group.

    >>> from lton.schema.toolset import ToolSet
    >>> tools = ToolSet.from_tools([{"name": "wait", "parameters": {"type": "object",
    ...     "properties": {"minutes": {"type": "integer"}}, "required": ["minutes"]}}])
    >>> decode("wait 5", tools)
    [Call(name='wait', arguments={'minutes': 5})]
    """
    calls: list[Call] = []
    pos = 0
    while pos < len(text):
        try:
            pos, call = _read_call(text, pos, tools, calls[-1] if calls else None)
        except DecodeError as error:
            if error.hint is None:
                error.hint = _length_hint(text, pos, error.pos, tools, calls)
            raise
        calls.append(call)
        pos += 1
    return calls


def _read_call(src: str, pos: int, tools: ToolSet | None, above: Call | None) -> tuple[int, Call]:
    """R-40: one call, up to the newline or the end of the text."""
    start = pos
    has_sigil = src.startswith(SIGIL, pos)
    if has_sigil:
        pos += len(SIGIL)
    elif src.startswith("!", pos):
        raise unexpected(src, pos, f"a call or {SIGIL!r}")
    if src.startswith(REPEAT, pos) and not has_sigil:
        if above is None:
            raise DecodeError(Code.REPEAT, "no call above to repeat", doc=src, pos=pos)
        pos, name = pos + 1, above.name
        tool = tools.by_name[name] if tools is not None else None
    else:
        pos, name, tool = _read_head(src, pos, tools)
    if has_sigil and src.startswith("\n(", pos):
        pos, arguments = read_tagged(src, pos + 1, tool.args if tool else None)
    elif tool is None:
        msg = "without tools, only the tagged form can be read"
        raise DecodeError(Code.SCHEMALESS, msg, doc=src, pos=start)
    else:
        pos, arguments = _read_arguments(src, pos, tool)
    if not ends(src, pos, "\n"):
        raise unexpected(src, pos, "the end of the line")
    return pos, Call(name, arguments)


def _read_head(src: str, pos: int, tools: ToolSet | None) -> tuple[int, str, Tool | None]:
    """R-12, R-17: the name of a tool, and the fingerprint of its layout where it has one."""
    start = pos
    pos, name = scan_name(src, pos, "the name of a tool")
    tool = tools.by_name.get(name) if tools is not None else None
    if tools is not None and tool is None:
        raise unknown(Code.TOOL, "tool", name, tools.by_name, src, start)
    if src.startswith("#", pos):
        pos = _read_fingerprint(src, pos, tool)
    return pos, name, tool


def _read_fingerprint(src: str, pos: int, tool: Tool | None) -> int:
    """R-17: the fingerprint of the layout that the call was written for, from its `#` on."""
    match = FINGERPRINT.match(src, pos)
    assert match is not None  # it matches a `#` by itself
    if len(match[1]) < FINGERPRINT_DIGITS:
        raise unexpected(src, match.end(), f"a fingerprint of {FINGERPRINT_DIGITS} digits")
    if tool and match[1] != fingerprint(tool):
        msg = f"expected the layout {fingerprint(tool)}, found {match[1]}"
        raise DecodeError(Code.FINGERPRINT, msg, doc=src, pos=pos)
    return match.end()


def _read_arguments(src: str, pos: int, tool: Tool) -> tuple[int, dict[str, JSON]]:
    """R-41: behind the name: nothing, `(` arguments `)`, or a space and arguments."""
    if src.startswith("(", pos):
        return _read_members(src, pos + 1, tool.args, ")", 0)
    if src.startswith(" ", pos):
        pos += 1
        if ends(src, pos, "\n"):
            raise unexpected(src, pos, "an argument")
    elif not ends(src, pos, "\n"):
        raise unexpected(src, pos, "a space or '(' behind the name")
    return _read_members(src, pos, tool.args, "\n", 0)


def _read_members(
    src: str, pos: int, members: Object, closer: str, depth: int
) -> tuple[int, dict[str, JSON]]:
    """R-14: arguments up to the closer: by position, then by key. Get the position behind it."""
    values: dict[str, JSON] = {}
    index = 0
    keyed = False
    param: Param | None
    while not ends(src, pos, closer):
        key_start = pos
        pos, key = scan_key(src, pos)
        start = pos
        if key is None:
            param = by_position(src, pos, members, index, keyed=keyed)
            index += 1
            name, node = param.name, param.type
        else:
            param = None
            keyed = True
            name, node = key, by_key(src, key_start, members, key, values)
        if param and skips(src, pos, param):
            pos += 1
        else:
            pos, values[name] = read_at(_read_value, src, pos, node, depth, name)
        pos = to_next(src, pos, closer, start, name)
    require_all(src, pos, members, values)
    return (pos + 1 if closer == ")" else pos), values


def _read_value(src: str, pos: int, node: Type, depth: int) -> tuple[int, JSON]:
    first = src[pos : pos + 1]
    if first in _GROUPS:
        check_depth(src, pos, depth)
        end, value = _GROUPS[first](src, pos, node, depth + 1)
    elif first in _STRINGS or COUNTED.match(src, pos):
        end, value = _read_string(src, pos, node)
    else:
        end, value = _read_word(src, pos, node)
    if refusal := node.refuse(value):
        raise refused(src, pos, end, refusal)
    return end, value


def _read_string(src: str, pos: int, node: Type) -> tuple[int, JSON]:
    if node.string is None:
        raise refused(src, pos, lexeme_end(src, pos), (Code.TYPE, node.noun))
    if src[pos] in _STRINGS:
        return _STRINGS[src[pos]](src, pos)
    end, _, text = scan_atom(src, pos)
    return end, text


def _read_word(src: str, pos: int, node: Type) -> tuple[int, JSON]:
    """R-21: what a bare word means is for the type to say."""
    match = WORD.match(src, pos)
    if match is None:
        raise unexpected(src, pos, node.noun)
    word, end = match[0], match.end()
    if node.takes_bare(word):
        if node.string is None:
            raise refused(src, pos, end, (Code.TYPE, node.noun))
        if not BARE.fullmatch(word):
            error = refused(src, pos, end, (Code.SYNTAX, node.noun))
            error.hint = "a word that begins with `_`, or with `s` and a digit, is quoted"
            raise error
        return end, word
    if word in _LITERALS:
        return end, _LITERALS[word]
    check_digits(src, pos, word)
    number = read_number(word)
    if number is None:
        raise refused(src, pos, end, (Code.NUMBER, "an integer or a finite double"))
    return end, number


def _read_array(src: str, pos: int, node: Type, depth: int) -> tuple[int, JSON]:
    if node.array is None:
        raise refused(src, pos, pos + 1, (Code.TYPE, node.noun))
    return read_items(_read_value, src, pos + 1, node.array.items, depth)


def _read_record(src: str, pos: int, node: Type, depth: int) -> tuple[int, JSON]:
    """R-29: an object with a schema: members as the arguments of a call."""
    if node.object is None or node.object.is_map:
        raise refused(src, pos, pos + 1, (Code.TYPE, node.noun))
    return _read_members(src, pos + 1, node.object, ")", depth)


def _read_map(src: str, pos: int, node: Type, depth: int) -> tuple[int, JSON]:
    """R-29: an object without a schema: keys and values in turn."""
    if node.object is None or not node.object.is_map:
        raise refused(src, pos, pos + 1, (Code.TYPE, node.noun))
    return read_pairs(_read_value, src, pos + 1, node.object, depth)


_STRINGS = {'"': scan_quoted, "'": scan_quoted, "`": scan_fence}
_GROUPS = {"[": _read_array, "(": _read_record, "{": _read_map}
_LITERALS: dict[str, JSON] = {"null": None, "true": True, "false": False}


def _length_hint(
    src: str, start: int, error_pos: int, tools: ToolSet | None, calls: list[Call]
) -> str | None:
    """Name the one other length of the last counted text with which all that follows is right.

    Only lengths that end where a value can are tried, and only so many of them: an error must
    not cost more than the reading did.
    """
    headers = [match for match in COUNTED.finditer(src, start, error_pos) if match[2]]
    if not headers:
        return None
    before, after = src[start : headers[-1].start()], src[headers[-1].end() :]
    places = [i for i, char in enumerate(after) if char in ENDS_VALUE]
    if len(places) * (len(src) - start) > _HINT_BUDGET:
        return None
    above = calls[-1] if calls else None
    fits = [n for n in [*places, len(after)] if _reads(f"{before}s{n}:{after}", tools, above)]
    return f"a length of {fits[0]} would have worked" if len(fits) == 1 else None


def _reads(text: str, tools: ToolSet | None, above: Call | None) -> bool:
    pos = 0
    try:
        while pos < len(text):
            pos, above = _read_call(text, pos, tools, above)
            pos += 1
    except DecodeError:
        return False
    return True
