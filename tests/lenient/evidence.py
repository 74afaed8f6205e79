"""Check, independently of the reader, whether every value of a call is in the text.

The check knows what each repair may change, and nothing about how calls are read. A value that is
not in the text, or only after a change that no repair of its call reports, was invented.
"""

import re
from collections.abc import Iterator
from typing import Any

from lton import Call, ToolSet
from lton.errors import RepairCode
from lton.lenient import LenientResult
from lton.schema.types import ANY, JSON, Object, Type

_UNESCAPES = {RepairCode.JSON, RepairCode.ESCAPE, RepairCode.KIND}
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_NAMED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "\n": ""}
_AFTER = " \t\n\r,)]};\"'`\u201d\u2019<.|:="
_AFTER_NAME = _AFTER + "({[#>/"
_NUMBER = re.compile(r"[+-]?(?:\d[\d_]*)?(?:\.\d+)?(?:[eE][+-]?\d+)?")
_SPELLED = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")


def invented(text: str, result: LenientResult, tools: ToolSet | None) -> list[str]:
    """Return the values of the calls that are not in the text, with their paths."""
    paths = []
    for index, call in enumerate(result.calls):
        codes = {repair.code for repair in result.repairs if repair.call == index}
        node = Object(extra=ANY) if tools is None else tools.by_name[call.name].args
        paths += [f"{call.name}{path}" for path in _Evidence(text, codes).missing(call, node)]
    return paths


class _Evidence:
    """The content of a text, with the changes that the repairs of one call may undo."""

    def __init__(self, text: str, codes: set[RepairCode]) -> None:
        self.codes = codes
        self.texts = [text]
        if RepairCode.BACKSLASH in codes:  # only quotation marks are escaped
            self.texts.append(text.replace('\\"', '"').replace("\\'", "'"))
        if codes & _UNESCAPES:
            self.texts.append(_unescaped(text))
        if RepairCode.KIND in codes:  # JSON in a string of JSON
            self.texts.append(_unescaped(self.texts[-1]))

    def missing(self, call: Call, node: Object) -> Iterator[str]:
        is_id = re.search(rf"functions_{re.escape(call.name)}_\d", self.texts[0]) is not None
        if not (self.has(call.name, _AFTER_NAME) or is_id or "&" in self.texts[0]):
            yield ""
        yield from self.values(dict(call.arguments), Type(object=node), "")

    def values(self, value: JSON, node: Type, path: str) -> Iterator[str]:
        if isinstance(value, dict):
            for key, item in value.items():
                declared = node.object and key in node.object.by_name
                if not (declared or self.has(key, _AFTER_NAME)):
                    yield f"{path}/{key} (the key)"
                inner = node.object.find_type(key) if node.object else None
                yield from self.values(item, inner or ANY, f"{path}/{key}")
        elif isinstance(value, list):
            inner = node.array.items if node.array else ANY
            for index, item in enumerate(value):
                yield from self.values(item, inner, f"{path}/{index}")
        elif not (self.has(value) if isinstance(value, str) else self._spells(value)):
            yield path

    def has(self, value: str, ends: str = _AFTER) -> bool:
        """Return whether a string is in the text, and not only as a part of a word."""
        fold = bool(self.codes & {RepairCode.NAME, RepairCode.LABEL})
        needle = value.casefold().replace("-", "_") if fold else value
        for text in self.texts:
            where = text.casefold().replace("-", "_") if fold else text
            start = where.find(needle)
            while start >= 0:
                before, after = where[start - 1 : start], where[start + len(needle) :][:1]
                if (start == 0 or _is_mark(before)) and (
                    after == "" or after in ends or after.isspace()
                ):
                    return True
                start = where.find(needle, start + 1)
        return False

    def _spells(self, value: float | bool | None) -> bool:
        if value is None or isinstance(value, bool):
            words = {None: ["null", "n"], True: ["true"], False: ["false"]}[value]
            flags = re.IGNORECASE if RepairCode.LITERAL in self.codes else 0
            if RepairCode.LITERAL in self.codes and value is None:
                words = [*words, "none"]
            return any(
                re.search(rf"(?<![a-zA-Z0-9_]){word}(?![a-zA-Z0-9_])", text, flags)
                for text in self.texts
                for word in words
            )
        return any(self._is_spelled(value, match[0]) for match in self._numbers())

    def _numbers(self) -> Iterator[re.Match[str]]:
        for text in self.texts:
            for start in range(len(text)):
                if text[start] in "+-.0123456789" and (match := _NUMBER.match(text, start)):
                    yield match

    def _is_spelled(self, value: float, spelled: str) -> bool:
        loose = RepairCode.NUMBER in self.codes
        digits = spelled.replace("_", "") if loose else spelled
        if not loose and not _SPELLED.fullmatch(digits):
            return False
        try:
            if isinstance(value, int):
                return int(digits) == value
            # An atom `f1:3` is a double, whatever its digits say.
            tagged = any(re.search(r"f\d+:", text) for text in self.texts)
            is_double = tagged or re.search(r"[.eE]", digits) is not None
            return is_double and float(digits) == value
        except ValueError:
            return False


def _is_mark(char: str) -> bool:
    """Return whether a character is not part of a word, for example before a length or a fence."""
    return not (char.isalnum() or char == "_")


def _unescaped(text: str) -> str:
    def one(match: re.Match[str]) -> str:
        four, two, char = match.groups()
        if four or two:
            return chr(int(four or two, 16))
        return _NAMED.get(char, char if char in "\"'\\/" else match[0])

    return _ESCAPE.sub(one, text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def reported(result: LenientResult) -> Any:
    """Return the content of a result, for comparison."""
    return [(call.name, call.arguments) for call in result.calls]
