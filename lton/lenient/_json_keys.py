"""Define what the keys of JSON around a call mean: names, arguments, envelopes and metadata.

Every other key may belong to the arguments of a call, so a call next to it is uncertain.
"""

from lton._patterns import compiled_when_used
from lton.lenient._tree import Bracketed, Leaf, Tree

NAMES = ("name", "tool", "tool_name", "function_name", "function", "action")
ARGUMENTS = (
    "arguments parameters args input params kwargs tool_input action_input tool_args".split()
)
ENVELOPES = ("tool_calls", "function_calls", "calls", "tool_call", "function_call", "function")
TELLING = frozenset([*NAMES, *ARGUMENTS])
KEYS = TELLING.union(
    ENVELOPES, ("tool_use", "tool_uses", "toolUse", "functionCall", "recipient_name")
)
"""The keys of a call in JSON, and of the objects around it."""
NAMED = compiled_when_used(
    r"""["']?\w{0,30}(?:name|tool|function|action|call|use)["']?\s*[:=]\s*["']([^"'\n]{1,200})["']"""
)
"""The name of a tool in unreadable JSON that may be a call."""

_WORD = compiled_when_used(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
"""A word of a key: `functionCall` and `function_call` have the same words."""
_NAME_WORDS = frozenset("name tool function action call use recipient".split())
_ENVELOPE_WORDS = frozenset(
    "tool function call calls use uses action actions invocation invocations multi parallel".split()
)
_MCP_METHOD = "tools/call"
_OWN_TYPES = frozenset("function tool tool_use tool_call function_call".split())
"""Values of `type` that say only that an object is a call."""
_IDS = frozenset("tool function call use item message request response".split())
"""Words before `id` in the key of an identifier."""
_THOUGHTS = frozenset(
    "thought thoughts thinking reason reasoning rationale explanation why".split()
)
"""Words of the keys with which models explain a call to themselves."""
_STATES = frozenset("index type status object jsonrpc".split())
"""Keys with which APIs number and classify calls."""
_ROLES = frozenset(["assistant", "model"])
_CONTENTS = ("content", "parts")
"""The keys of what a message contains."""


def words_of(key: str) -> list[str]:
    """Return the words of a key in lower case.

    >>> words_of("functionCall"), words_of("tool_uses")
    (['function', 'call'], ['tool', 'uses'])
    """
    return [word.lower() for word in _WORD.findall(key)]


def may_name(key: str) -> bool:
    """Return whether the value of a key may be the name of a tool."""
    return key in NAMES or not _NAME_WORDS.isdisjoint(words_of(key))


def envelopes_of(node: Bracketed) -> list[str]:
    """Return the keys of an object whose values may be a call, or a list of calls."""
    fields = {entry.key: entry.value for entry in node.entries if entry.key is not None}
    texts = {key: value.text for key, value in fields.items() if isinstance(value, Leaf)}
    envelopes = list(ENVELOPES)
    if texts.get("role") in _ROLES:
        envelopes += _CONTENTS
    if texts.get("method") == _MCP_METHOD:
        envelopes.append("params")
    others = (key for key in fields if key not in envelopes and _is_envelope(key))
    return [*(key for key in envelopes if key in fields), *others]


def _is_envelope(key: str) -> bool:
    words = words_of(key)
    return bool(words) and _ENVELOPE_WORDS.issuperset(words)


def is_empty(value: Tree) -> bool:
    """Return whether a value carries nothing: null, a blank string, or empty brackets."""
    if isinstance(value, Bracketed):
        return not (value.entries or value.is_table)
    return value.text.strip().lower() in ("", "null", "none")


def is_metadata(key: str | None, value: Tree) -> bool:
    """Return whether a key next to a call only describes the call."""
    if key is None or isinstance(value, Bracketed):
        return key == "_meta"  # MCP's
    words = words_of(key)
    if words[-1:] == ["id"]:
        return _IDS.issuperset(words[:-1])
    if key in ("role", "method"):
        return value.text in _ROLES or value.text == _MCP_METHOD
    if value.kind == "text" and (key in NAMES or not _THOUGHTS.isdisjoint(words)):
        return True  # the reader has found that the word names no tool
    return key in _STATES


def is_own_type(key: str | None, value: Tree) -> bool:
    """Return whether a key says only that its object is a call, as in `"type": "function"`."""
    return key == "type" and isinstance(value, Leaf) and value.text in _OWN_TYPES
