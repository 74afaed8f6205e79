"""Recognize definitions of tools and templates of calls, which are not calls.

A *definition* describes a tool: its parameters are a schema. A *template* shows how a call is
written: a value is the name of a type, a word in angle brackets, an ellipsis, and so on.
"""

from collections.abc import Mapping

from lton._patterns import compiled_when_used
from lton.lenient._json_keys import ARGUMENTS, NAMES
from lton.lenient._tree import Bracketed, Leaf, Tree
from lton.schema.types import ANY, JSON, Call, Object, Tool, Type

_JSON_TYPES = frozenset("string number integer boolean array object null".split())
_TYPE = r"(?:string|number|integer|boolean|array|object|str|int|bool|float|dict)"
_NEXT_TYPE = rf"(?:{_TYPE}|null|None)"  # alone, "null" stands for no value
_MARKED = compiled_when_used(
    r"\.{3}|\u2026"  # an ellipsis
    r"|<[^\W\d_][^<>\n]{0,60}>|\{{1,2}[ ]?[^\W\d_][\w .-]{0,60}\}{1,2}|\[[^\W\d_][\w .-]{0,60}\]"
    r"|<%=?[ ]?\w[\w .]{0,60}%>|\u00ab[^\u00bb\n]{1,60}\u00bb|\u3010[^\u3011\n]{1,60}\u3011"
    r"|\u27e8[^\u27e9\n]{1,60}\u27e9|\u3008[^\u3009\n]{1,60}\u3009"
    r"|\$[^\W\d]\w{0,60}|\$\{\w{1,60}\}|%[A-Z_]{1,60}%|__[A-Z][A-Z_]{0,60}__|%[sdr]"
    r"|\*{1,2}[^\W\d]\w{0,60}"  # the arguments of a function in Python
)
"""A value that is marked as a placeholder: `<path>`, `{path}`, `...`, `$HOME`."""
_WORDED = compiled_when_used(
    rf"{_TYPE}(?:\[\])?\??"
    rf"(?:[ ]?\|[ ]?{_NEXT_TYPE}|[ ]or[ ]{_NEXT_TYPE}|,?[ ]\(?(?:optional|required)\)?)*"
    rf"|\w{{1,60}}:[ ]?{_TYPE}"
    r"|(?:YOUR|INSERT|REPLACE|ENTER|PATH_TO)_\w{1,60}|\w{1,60}_HERE|your_[a-z_]{1,60}"
    r"|[/~.]{0,3}path/to/[\w./-]{0,80}"
    r"|(?:(?:param(?:eter)?|arg(?:ument)?)_?)?(?:value|arg)_?\d{0,3}"
)
"""A value that says what it stands for: `string`, `YOUR_KEY`, `path/to/file`, `value_1`."""
_PLACEHOLDER = compiled_when_used(rf"(?:{_MARKED.pattern}|{_WORDED.pattern})")
_SCHEMA_KEYS = frozenset(
    "type properties required description items enum anyOf oneOf allOf additionalProperties default"
    " title format minimum maximum minLength maxLength minItems maxItems pattern nullable $ref"
    " $defs $schema const examples".split()
)
_OF_DEFINITIONS = ("input_schema", "inputSchema", "parametersJsonSchema", "schema")
"""The keys of a tool's parameters in a definition, besides those of a call's arguments."""


def is_definition(node: Bracketed, tools: Mapping[str, Tool]) -> bool:
    """Return whether an object describes a tool instead of calling it."""
    fields = {entry.key: entry.value for entry in node.entries}
    named = (fields[key] for key in NAMES if key in fields)
    name = next((value.text for value in named if isinstance(value, Leaf)), None)
    groups = [fields[key] for key in (*ARGUMENTS, *_OF_DEFINITIONS) if key in fields]
    if "description" in fields and not groups:
        return name is not None
    params = tools[name].args if name is not None and name in tools else None
    if any(_is_schema_of_arguments(_to_plain(group), params) for group in groups):
        return True
    return any(
        key in tools and _is_schema_of_arguments(_to_plain(value), tools[key].args)
        for key, value in fields.items()
        if key is not None
    )


def _is_schema_of_arguments(value: object, params: Object | None) -> bool:
    if not isinstance(value, dict) or not value:
        return False
    declared = params.by_name if params else {}
    if all(key not in declared for key in ("type", "properties") if key in value):
        has_members = isinstance(value.get("properties"), dict)
        if has_members or value.get("type") == "object":
            return True
    return all(_is_schema(one) for one in value.values()) and not _takes_objects(value, params)


def _takes_objects(value: Mapping[str, object], params: Object | None) -> bool:
    """Return whether each of the keys is a parameter that accepts an object."""
    types = [params.find_type(key) if params else None for key in value]
    return all(type_ is not None and type_.object is not None for type_ in types)


def _is_schema(value: object) -> bool:
    """Return whether a value is a schema, as in `{"type": "string"}`."""
    if not isinstance(value, dict) or not _SCHEMA_KEYS.issuperset(value):
        return False
    return isinstance(value.get("type"), str) and value["type"] in _JSON_TYPES


def _to_plain(node: Tree) -> object:
    """Convert a tree to dictionaries, lists and strings."""
    if isinstance(node, Leaf):
        return node.text
    if node.opener == "{":
        return {entry.key: _to_plain(entry.value) for entry in node.entries}
    return [_to_plain(entry.value) for entry in node.entries]


def is_template(call: Call, tools: Mapping[str, Tool]) -> bool:
    """Return whether a call only shows how a call is written.

    Words are examined only in arguments and in their lists, because other data has its own words.

    >>> is_template(Call("f", {"path": "<path>"}), {}), is_template(Call("f", {"path": "a"}), {})
    (True, False)
    """
    params = tools[call.name].args if call.name in tools else None
    for key, value in call.arguments.items():
        if isinstance(value, str):
            text = value.strip()
            if text != key and not _PLACEHOLDER.fullmatch(text):
                continue  # the usual case
        elif not isinstance(value, list | tuple | dict):
            continue
        node = (params.find_type(key) if params else None) or ANY
        if _is_worded(value, node, key) or _has_mark(value, node):
            return True
        items = value if isinstance(value, list | tuple) else ()
        if any(_is_worded(one, node.item_type, key) for one in items):
            return True
    return False


def _is_worded(value: JSON, node: Type, key: str) -> bool:
    if not isinstance(value, str) or _is_listed(node):
        return False
    return value.strip() == key or _WORDED.fullmatch(value.strip()) is not None


def _has_mark(value: JSON, node: Type) -> bool:
    if isinstance(value, str):
        return _MARKED.fullmatch(value.strip()) is not None and not _is_listed(node)
    if isinstance(value, dict):
        members = node.object
        if _is_schema(value) and not (members and "type" in members.by_name):
            return True
        types = ((members.find_type(key) if members else None) or ANY for key in value)
        return any(map(_has_mark, value.values(), types))
    if isinstance(value, list | tuple):
        return any(_has_mark(one, node.item_type) for one in value)
    return False


def _is_listed(node: Type) -> bool:
    return node.string is not None and node.string.values is not None
