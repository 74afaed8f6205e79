"""The formats of tools' answers."""

from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from json import dumps

from lton.codec import encode
from lton.schema import Call, Result, ToolSet
from lton.schema.types import JSON
from lton_bench.internals import minified, require
from lton_bench.tokens.pieces import Answer, text_of
from lton_bench.tokens.rivals import EXTRA, cell, element, write_toon, write_yaml


@dataclass(frozen=True, slots=True)
class AnswerFormat:
    """A function that writes an answer, or returns None if the format cannot."""

    name: str
    write: Callable[[Answer], str | None]
    note: str = ""


def _frame(answer: Answer) -> str:
    return encode(Result(answer.tool, answer.value))


def by_schema(answer: Answer) -> tuple[Call, ToolSet]:
    """Return an answer as the call of a tool that takes its values.

    The members of an object are the arguments. Any other value is the only argument.
    """
    is_object = isinstance(answer.value, dict)
    schema = answer.schema if is_object else _only(answer)
    members = answer.value if isinstance(answer.value, dict) else {"value": answer.value}
    tools = ToolSet.from_tools([{"name": answer.tool, "parameters": schema}])
    return Call(answer.tool, members), tools


def _only(answer: Answer) -> dict[str, object]:
    return {"type": "object", "properties": {"value": answer.schema}, "required": ["value"]}


def _positional(answer: Answer) -> str:
    return encode(*by_schema(answer))


def _csv(answer: Answer) -> str | None:
    """Return a table, or None if a row has other keys or nested values."""
    rows: list[list[JSON]] = []
    for row in answer.value if isinstance(answer.value, list) else ():
        if not isinstance(row, dict) or any(isinstance(x, dict | list) for x in row.values()):
            return None
        rows = rows or [[*row]]
        if rows[0] != [*row]:
            return None
        rows.append([*row.values()])
    lines = (",".join(text_of(cell(part)) for part in row) for row in rows)
    return "\n".join(lines) if rows else None


def _xml(answer: Answer) -> str:
    return text_of(element(answer.tool, answer.value))


def write_tron(whole: JSON) -> str:
    """Return a value as TRON does: JSON with a class for each set of keys, and values by position.

    >>> print(write_tron([{"x": 1, "y": "a"}, {"x": 2, "y": "b"}]))
    class A: x,y
    <BLANKLINE>
    [A(1,"a"),A(2,"b")]
    """
    classes: dict[tuple[str, ...], str] = {}
    body = _tron(whole, classes)
    head = "".join(f"class {name}: {','.join(keys)}\n" for keys, name in classes.items())
    return f"{head}\n{body}" if head else body


def _tron(whole: JSON, classes: dict[tuple[str, ...], str]) -> str:
    if isinstance(whole, list):
        return f"[{','.join(_tron(item, classes) for item in whole)}]"
    if not isinstance(whole, dict) or not whole:
        return minified(whole)
    number = len(classes)
    name = classes.setdefault(tuple(whole), chr(ord("A") + number % 26) + str(number // 26 or ""))
    return f"{name}({','.join(_tron(part, classes) for part in whole.values())})"


def _msgpack(answer: Answer) -> str:
    return b64encode(require("msgpack", EXTRA).packb(answer.value)).decode()


ANSWER_FORMATS: tuple[AnswerFormat, ...] = (
    AnswerFormat("LTON result", _frame, "a `!result` frame, which needs no schema"),
    AnswerFormat("LTON by schema", _positional, "as a call is written: by position"),
    AnswerFormat("JSON minified", lambda answer: minified(answer.value), "the baseline"),
    AnswerFormat("JSON spaced", lambda answer: dumps(answer.value, ensure_ascii=False)),
    AnswerFormat("TOON", lambda answer: write_toon(answer.value), "toon-format"),
    AnswerFormat("TRON-like", lambda answer: write_tron(answer.value), "a class for each key set"),
    AnswerFormat("YAML", lambda answer: write_yaml(answer.value), "PyYAML, block style"),
    AnswerFormat("XML", _xml, "an element a member; types are the schema's to know"),
    AnswerFormat("CSV", _csv, "tables only; types are the schema's to know"),
    AnswerFormat("MessagePack, base64", _msgpack),
)
