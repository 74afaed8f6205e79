"""Write tool results in the shortest form that models can read.

`docs/guides/results.md` lists the form for each shape of result and each class of models.
`docs/results/readings.md` has the evidence: models of up to 1.5 billion parameters answered
questions about results.
"""

import json
import re
from collections.abc import Callable, Container, Mapping, Sequence
from contextlib import suppress
from functools import partial, wraps
from importlib.util import find_spec
from inspect import iscoroutinefunction, signature
from typing import Any, Literal, TypeAlias, TypeVar, get_args, overload

from lton._json import fault_of, minified, read_json
from lton._json import read_value as json_or_text
from lton._require import require
from lton._syntax import CONTROLS_IN_LINES, MAX_DEPTH, NUMBER
from lton.codec import encode
from lton.codec._checks import check_value
from lton.codec._decode import read_value
from lton.codec._records import try_read_records, try_write_records
from lton.errors import Code, CriticalOverflowError, DecodeError, EncodeError, LTONError
from lton.schema.toolset import ToolSet, kind_of
from lton.schema.types import ANY, Call, Result

ForModels: TypeAlias = Literal["any", "large", "small"]
"""The class of models that read a result."""
Tool = TypeVar("Tool", bound=Callable[..., Any])
FORMS: Mapping[str, ForModels] = {"short": "any", "small": "small", "lton": "large"}
"""The values of `--results` that shorten JSON, each with its class of models."""
KEY_FIRST = frozenset[ForModels](["small"])
"""The classes of models that are shown wide, nested and sparse records with the key first."""
MAX_RESULT = 1024 * 1024
"""The maximum number of characters of a string that `short_result` changes."""
_MOST_CELLS = 6
"""Models find values in rows of 5 columns, but rarely in rows of 12."""
_SPACE = " \t\n\r"
_ATOM = re.compile(rf"[{_SPACE}]*(?:true|false|null|{NUMBER.pattern})?[{_SPACE}]*")
_EXPONENT = re.compile(r'"(?:[^"\\]|\\.)*+"|(?<=[0-9])e([+-])0*(?=[0-9])')


def write(
    value: Any,
    schema: Mapping[str, Any] | None = None,
    *,
    for_models: ForModels = "any",
    budget: int | None = None,
    count: Callable[[str], int] = len,
) -> str:
    """Write a tool result as text that `read` converts back to an equal value.

    Measured by `count` (characters by default), the text is never longer than minified JSON. A
    value with characters that control a terminal is an exception, because it is written as JSON
    with escapes. `schema` (an `outputSchema`) is only used to check the value.

    Subclasses of JSON's types, such as `numpy.float64`, are written as JSON's types. Raises
    `EncodeError`, with a path, for a value that JSON cannot express (NaN, a set, bytes, a date, a
    `Decimal`), for a value that `schema` refuses, and for more than 64 levels, as in a value that
    contains itself. Raises `CriticalOverflowError` if the text exceeds `budget`.

    >>> print(write([{"name": "Ada", "id": 1}, {"name": "Bo", "id": 2}]))
    [2(name id)
    Ada 1
    Bo 2]
    >>> write({"price": float("nan")})
    Traceback (most recent call last):
    lton.errors.EncodeError: nan is not a finite number (at /price) [E401]
    """
    if for_models not in get_args(ForModels):
        raise ValueError(f"expected one of {get_args(ForModels)}, found {for_models!r}")
    checked = _require_json(value)
    if schema is not None:
        if not isinstance(value, dict):
            raise EncodeError(Code.TYPE, f"expected an object, found {kind_of(value)}")
        tools = ToolSet.from_tools([{"name": "x", "parameters": schema}], standard=True)
        encode(Call("x", checked), tools)  # raises an error if the schema refuses the value
    text = _shortest(value, for_models, count) if checked is value else _to_json(value)
    if CONTROLS_IN_LINES.search(text):
        text = _escape_control_characters(_to_json(value))
    if budget is not None and (size := count(text)) > budget:
        units = "characters" if count is len else "tokens"
        raise CriticalOverflowError([("result", size)], size, budget=budget, units=units)
    return text


def read(text: str) -> Any:
    r"""Parse text that `write` has written. Raises `DecodeError` for any other text.

    >>> read("[2(name id)\nAda 1\nBo 2]"), read("It is cold."), read('{"x":1}')
    ([{'name': 'Ada', 'id': 1}, {'name': 'Bo', 'id': 2}], 'It is cold.', {'x': 1})
    >>> read("[2(name id)\nAda 1]")
    Traceback (most recent call last):
    lton.errors.DecodeError: expected 2 rows, found 1 (line 2, column 6, at /0) [E103]
    """
    if _is_plain(text):
        return text
    try:
        value = read_json(text)
        _require_json(value)
    except EncodeError as error:
        raise DecodeError(error.code, error.msg, doc=text, pos=0, path=error.path) from None
    except ValueError as error:
        value = _read_lton(text, error)
    return value


def _require_json(value: Any) -> Any:
    """Raise `EncodeError` for a value that JSON cannot express, and return the value.

    JSON can express U+0000, which LTON cannot (R-202). If the value contains this character, a
    value in which it is replaced is returned instead.
    """
    try:
        check_value(value, ANY)
    except EncodeError as error:
        if error.code != Code.VALUE:
            raise
        replaced = _without_nul(value)
        check_value(replaced, ANY)
        return replaced
    return value


def _without_nul(value: Any, depth: int = 0) -> Any:
    if isinstance(value, str):
        return value.replace("\0", "\ufffd")
    if depth > MAX_DEPTH:
        return value
    if isinstance(value, list | tuple):
        return [_without_nul(item, depth + 1) for item in value]
    if isinstance(value, dict):
        members: dict[Any, Any] = {}
        for key, member in value.items():
            name = key
            if isinstance(key, str) and "\0" in key:
                name = _free_key(key.replace("\0", "\ufffd"), {**value, **members})
            members[name] = _without_nul(member, depth + 1)
        return members
    return value


def _free_key(key: str, used_keys: Container[str]) -> str:
    """Return a key that is not in use, so that different keys remain different."""
    while key in used_keys:
        key += "\ufffd"
    return key


def _read_lton(text: str, fault: ValueError) -> Any:
    is_group = text.startswith(("{", "["))
    outcome = (try_read_records(text) or read_value(text, 0, ANY)) if is_group else None
    if isinstance(outcome, DecodeError) and isinstance(fault, json.JSONDecodeError):
        raise outcome from None
    if not isinstance(outcome, tuple):
        msg = f"expected a value of JSON: {fault_of(fault)}"
        pos = getattr(fault, "pos", 0)
        raise DecodeError(Code.SYNTAX, msg, doc=text, pos=pos) from None
    value, end = outcome
    if end < len(text):
        msg = f"expected the end of the result, found {text[end]!r}"
        raise DecodeError(Code.SYNTAX, msg, doc=text, pos=end) from None
    return value


def short_result(text: str, for_models: ForModels = "any") -> str:
    """Rewrite a JSON result with `write` if that makes the result shorter.

    The result stays unchanged if it is not JSON, has more than 1,048,576 characters, or contains
    something that LTON would change, such as a duplicate key or an unusual spelling of a number.

    >>> short_result('{"x": 1}'), short_result('{"x": 1.50}')
    ('{"x":1}', '{"x": 1.50}')
    >>> short_result('{"x": 1}', "large")
    '{x 1}'
    """
    if not text.lstrip().startswith(("{", "[")) or len(text) > MAX_RESULT:
        return text
    value = exact_value(text)
    try:
        check_value(value, ANY)
    except LTONError:
        return text
    short = _shortest(value, for_models, len)
    if CONTROLS_IN_LINES.search(short) and not CONTROLS_IN_LINES.search(text):
        short = _escape_control_characters(minified(value))
    return min(text, short, key=len)


def short_items(texts: Sequence[str], for_models: ForModels = "any") -> str | None:
    """Join texts that are the items of one list, if that makes them shorter, or return None.

    Servers of the MCP Python SDK send a list of objects as one text for each object. Two or more
    objects with the same keys are one list.

    >>> print(short_items(['{"name":"Ada","id":1}', '{"name":"Bo","id":2}']))
    [2(name id)
    Ada 1
    Bo 2]
    >>> short_items(['{"name":"Ada"}', '{"id":2}'])
    """
    values = list(map(exact_value, texts))
    if len(values) < 2 or not all(isinstance(value, dict) for value in values):
        return None
    if any(value.keys() != values[0].keys() for value in values):
        return None
    joined = short_result(f"[{','.join(texts)}]", for_models)
    separate = sum(len(short_result(text, for_models)) for text in texts)
    return joined if len(joined) < separate else None


def exact_value(text: str) -> Any:
    """Parse JSON; return the text itself if it is not JSON, or if LTON would change its numbers.

    >>> exact_value("[1, 1.5]"), exact_value("done"), exact_value("1.50")
    ([1, 1.5], 'done', '1.50')
    """
    try:
        value = read_json(text)
        json.loads(text, parse_float=_check_exact, parse_int=_check_exact)
    except (ValueError, RecursionError):
        return text
    return value


@overload
def mcp(function: Tool) -> Tool: ...


@overload
def mcp(*, for_models: ForModels = "any") -> Callable[[Tool], Tool]: ...


def mcp(function: Any = None, *, for_models: ForModels = "any") -> Any:
    """Decorate a FastMCP tool so that its results are shortened.

    Put `@lton.results.mcp` or `@lton.results.mcp(for_models="large")` below `@server.tool()`. Do
    not use it for tools that return files. `structuredContent` and `outputSchema` do not change.
    """
    if function is None:
        return partial(mcp, for_models=for_models)
    server = "mcpserver" if find_spec("mcp.server.mcpserver") else "fastmcp"  # mcp 2, and mcp 1
    read_metadata = require(f"mcp.server.{server}.utilities.func_metadata", "apps").func_metadata
    metadata = read_metadata(function, skip_names=[*signature(function).parameters])

    def shorten_converted(result: Any) -> Any:
        converted = metadata.convert_result(result)
        if converted is result:  # the function returned content blocks itself
            return _with_short_texts(converted, for_models)
        return _shorten_mcp_result(converted, for_models, is_wrapped=metadata.wrap_output)

    @wraps(function)
    def call_and_shorten(*args: Any, **options: Any) -> Any:
        return shorten_converted(function(*args, **options))

    @wraps(function)
    async def call_async(*args: Any, **options: Any) -> Any:
        return shorten_converted(await function(*args, **options))

    return call_async if iscoroutinefunction(function) else call_and_shorten


def _shorten_mcp_result(result: Any, for_models: ForModels, *, is_wrapped: bool) -> Any:
    """Convert a `tools/call` result to one text block if that is shorter."""
    if isinstance(
        result, list | tuple
    ):  # mcp 1 returns the contents, or a pair of contents and data
        content, structured = result if isinstance(result, tuple) else (result, None)
        fields = {"content": content, "structuredContent": structured}
        result = require("mcp.types", "apps").CallToolResult.model_validate(fields)
    short = _with_short_texts(result, for_models)
    data = result.model_dump(by_alias=True, mode="json").get("structuredContent")
    texts = [block.text for block in short.content if hasattr(block, "text")]
    if data is not None and len(texts) == len(short.content):
        with suppress(EncodeError):
            text = write(data["result"] if is_wrapped else data, for_models=for_models)
            if len(text) < len("".join(texts)):
                block = short.content[0].model_copy(update={"text": text})
                return result.model_copy(update={"content": [block]})
    return short


def _with_short_texts(result: Any, for_models: ForModels) -> Any:
    """Shorten the JSON in the text blocks of a `tools/call` result."""
    blocks = list(getattr(result, "content", ()))
    texts = [block.text for block in blocks if hasattr(block, "text")]
    joined = short_items(texts, for_models) if len(texts) == len(blocks) else None
    if joined is not None:
        return result.model_copy(
            update={"content": [blocks[0].model_copy(update={"text": joined})]}
        )
    content = [
        block.model_copy(update={"text": short_result(block.text, for_models)})
        if hasattr(block, "text")
        else block
        for block in blocks
    ]
    return result.model_copy(update={"content": content}) if content else result


# --- forms ----------------------------------------------------------------------------------------


def _shortest(value: Any, for_models: ForModels, count: Callable[[str], int]) -> str:
    if isinstance(value, str) and _is_plain(value):
        return str.__str__(value)
    json_text = _to_json(value)
    text = _try_write_rows(value, for_models)
    if text is None or count(text) >= count(json_text):
        return json_text
    return text if "\\" not in text or json_or_text(text) is text else json_text


def _try_write_rows(value: Any, for_models: ForModels) -> str | None:
    """Write a value in the form that is often shorter than JSON, or return None if none fits."""
    is_group = isinstance(value, dict | list | tuple)
    if is_group and (for_models == "large" or _are_narrow(value)):
        if not _keeps_order(value):
            return None
        return encode(Result("x", value), lines=True).removeprefix("!result x ")
    return try_write_records(value) if for_models in KEY_FIRST else None


def _is_plain(text: str) -> bool:
    """Return whether a string needs no quotes, because it cannot be mistaken for another value."""
    return not text.lstrip(_SPACE).startswith(("{", "[", '"')) and not _ATOM.fullmatch(text)


def _are_narrow(value: Any) -> bool:
    """Return whether a value is a list of records that share the same few columns."""
    if isinstance(value, dict) or len(value) < 2 or not isinstance(value[0], dict):
        return False
    keys = value[0].keys()
    is_narrow = 0 < _count_columns(value[0]) <= _MOST_CELLS
    return is_narrow and all(isinstance(row, dict) and row.keys() == keys for row in value)


def _keeps_order(value: Any) -> bool:
    """Return whether all rows of the tables in a value have their keys in the columns' order.

    A table has its columns in the order in which their keys first occur. Only tables on lines are
    checked: the codec sorts the keys of an object in any other list, and in a cell.
    """
    if isinstance(value, dict):
        return all(map(_keeps_order, value.values()))
    if not isinstance(value, list | tuple) or not all(isinstance(row, dict) for row in value):
        return True
    keys = set().union(*value)
    present = sum(map(len, value))
    is_table = len(keys) * (len(value) + 1) < 2 * present  # shorter than with keys in each row
    return not is_table or _rows_keep_order(value)


def _rows_keep_order(rows: Sequence[dict[str, Any]]) -> bool:
    columns: dict[str, list[Any]] = {}
    for row in rows:
        for key, cell in row.items():
            columns.setdefault(key, []).append(cell)
    indexes = {key: index for index, key in enumerate(columns)}
    for row in rows:
        own_places = [indexes[key] for key in row]
        if own_places != sorted(own_places):
            return False
    return all(_rows_keep_order(cells) for cells in columns.values() if _are_like(cells))


def _are_like(cells: Sequence[Any]) -> bool:
    """Return whether cells are objects with the same keys, which become columns of their own."""
    first = cells[0]
    return isinstance(first, dict) and all(
        isinstance(cell, dict) and cell.keys() == first.keys() for cell in cells
    )


def _count_columns(cell: Any) -> int:
    """Count the columns of a record, including the columns of nested objects."""
    return sum(map(_count_columns, cell.values())) if isinstance(cell, dict) else 1


def _to_json(value: Any) -> str:
    text = minified(value)
    if not re.search("[0-9]e[+-]", text):
        return text
    return _EXPONENT.sub(lambda match: f"e{match[1].strip('+')}" if match[1] else match[0], text)


def _escape_control_characters(text: str) -> str:
    return CONTROLS_IN_LINES.sub(lambda sign: json.dumps(sign[0])[1:-1], text)


def _check_exact(digits: str) -> None:
    """Raise `ValueError` for a number that would be spelled differently when written again."""
    is_whole = digits.lstrip("-").isdigit()
    if digits == "-0" if is_whole else "e" in digits.lower() or repr(float(digits)) != digits:
        raise ValueError(f"expected a number in its shortest form, found {digits[:40]!r}")
