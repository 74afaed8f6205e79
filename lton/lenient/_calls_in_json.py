"""Read calls written as JSON, or as XML-like elements that contain the tool's name."""

import re
from bisect import bisect_left
from dataclasses import dataclass, replace

from lton._patterns import compiled_when_used
from lton.errors import Code, DecodeError, RepairCode
from lton.lenient._call_elements import (
    ELEMENT,
    ELEMENT_END,
    TOOL_ELEMENT,
    CallShape,
    empty_group,
    find_attributes,
    has_entity,
    read_member_elements,
    try_read_element_call,
)
from lton.lenient._candidates import CallReader, find_damage, has_line_ends
from lton.lenient._effort import Cost
from lton.lenient._json_calls import JSONReader
from lton.lenient._json_keys import NAMED, is_metadata
from lton.lenient._marks import RESUME, end_of_match
from lton.lenient._names import Names
from lton.lenient._spans import Spans
from lton.lenient._tree import JSON_OBJECT, Bracketed, Loose, Repairs, Tree, Unreadable
from lton.schema.types import Call

_OBJECT = compiled_when_used(rf"{JSON_OBJECT.pattern}|\{{\s*\}}")
_JSON_LIST = compiled_when_used(r"\[\s*\{")


@dataclass(frozen=True, slots=True)
class ForeignCalls:
    """Reads calls written as JSON, or as XML-like elements."""

    names: Names
    reader: CallReader
    spans: Spans

    def read_announced_call(self, start: int, match: re.Match[str]) -> int:
        """Read a JSON call after its name, or report that the JSON is missing."""
        count = len(self.spans.call_spans)
        end = self.try_read_json_calls(match.end(), match[1])
        if end is None or len(self.spans.call_spans) == count:
            error = self.reader.missing_arguments_error(match.end())
            stop = end_of_match(RESUME, self.reader.src, match.end())
            return self.spans.add_error(start, stop, error, is_damaged=True)
        return end

    def try_read_json_calls(self, pos: int, name: str | None = None) -> int | None:
        """Read the calls in a JSON value. With `name`, the value must be one call to this tool."""
        if not (JSON_OBJECT.match(self.reader.src, pos) or _JSON_LIST.match(self.reader.src, pos)):
            return None
        loose = Loose(self.reader.strings, len(self.reader.src))
        try:
            tree = loose.read_group(pos, json=True)
        except Unreadable as problem:
            self.reader.effort.spend_units(Cost.LOOSE, max(0, problem.error.pos - pos))
            return self._skip_broken_json(pos, problem.error)
        self.reader.effort.spend_units(Cost.LOOSE, tree.end - pos)
        tagged = self.spans.is_tagged
        in_sentence = self.spans.is_in_sentence(tree.end, is_tagged=tagged)
        doubt = RepairCode.SENTENCE if in_sentence else None
        bare = self.names.bare if tagged else ()
        calls = JSONReader(self.names.by_name, bare, self._fits_schema).find_calls(tree)
        shapes = calls.shapes
        if name is not None and [shape.name for shape in shapes] != [name]:
            msg = f"expected the call to {name!r} that the marks before announce"
            error = DecodeError(Code.SYNTAX, msg, doc=self.reader.src, pos=pos)
            return self.spans.add_error(pos, tree.end, error, is_damaged=False)
        ends = [*(shape.pos for shape in shapes[1:]), tree.end + 1]
        repairs = sorted(loose.repairs)
        for shape, stop in zip(shapes, ends, strict=False):
            until = bisect_left(repairs, (stop,))
            own = dict.fromkeys([*repairs[:until], (pos, RepairCode.JSON)])
            repairs = repairs[until:]
            self._accept_shape(shape, pos, tree.end, own, doubt, has_left=bool(calls.leftover))
        for position in calls.unread:
            self._report_unread(pos, tree.end, position)
        return tree.end

    def _fits_schema(self, name: str, arguments: Tree) -> bool:
        """Return whether a value fits a tool's schema as its arguments."""
        self.reader.effort.spend_units(Cost.LOOSE, arguments.end - arguments.start)
        try:
            self.reader.interpret_tree(name, arguments, arguments.end, {})
        except Unreadable:
            return False
        return True

    def _report_unread(self, start: int, end: int, position: int) -> None:
        msg = "expected the arguments of the tool, found no call that can be read"
        error = DecodeError(Code.SYNTAX, msg, doc=self.reader.src, pos=position)
        self.spans.add_error(start, end, error, is_damaged=False)

    def _skip_broken_json(self, pos: int, error: DecodeError) -> int:
        """Skip unreadable JSON and report an error if the JSON names a tool."""
        start = max(pos + 1, error.pos)
        named = NAMED.search(self.reader.src, pos, min(start, pos + 1000))
        end = end_of_match(RESUME, self.reader.src, start)
        self.spans.doubt.doubt_later_calls(RepairCode.DAMAGE)
        if named and self.names.find_tool(named[1]):
            self.spans.add_error(pos, end, error, is_damaged=True)
        return end

    def read_element(self, pos: int) -> int:
        src = self.reader.src
        element = try_read_element_call(src, pos, self._try_read_json_in(pos))
        if element is None:
            msg = "expected the end of the element"
            error = DecodeError(Code.SYNTAX, msg, doc=src, pos=pos)
            return self.spans.add_error(
                pos, end_of_match(ELEMENT_END, src, pos), error, is_damaged=True
            )
        end, shape = element
        complete_shape = self._try_add_attributes(shape)
        if complete_shape is None:
            return self._skip_misplaced_attributes(shape, end)
        shape = complete_shape
        doubt = RepairCode.SENTENCE if self.spans.is_in_sentence(end, is_tagged=True) else None
        self._accept_shape(shape, pos, end, {(pos, RepairCode.XML): None}, doubt)
        return end

    def _try_add_attributes(self, shape: CallShape) -> CallShape | None:
        """Return a call with the attributes of its element as arguments, or None.

        They are arguments only if the element contains none, and only if their names are those of
        parameters. Names of metadata (`id`) are no arguments, but may be leftovers.
        """
        tool = self.names.by_name.get(self.names.find_tool(shape.name) or "")
        params = tool.args.by_name if tool else None
        own = []
        others = []
        for entry in shape.attributes:
            if is_metadata(entry.key, entry.value):
                others.append(entry.key)
            elif (params is None or entry.key in params) and not has_entity(entry.value):
                own.append(entry)
            else:
                return None
        arguments = shape.arguments
        if own:
            assert isinstance(arguments, Bracketed)  # an element contains a group
            if arguments.entries:
                return None
            arguments = replace(arguments, entries=tuple(own), has_tags=True)
        return replace(shape, arguments=arguments, other_keys=tuple(others))

    def _skip_misplaced_attributes(self, shape: CallShape, end: int) -> int:
        msg = "expected attributes that can only be the arguments of the call"
        pos = shape.attributes[0].start
        error = DecodeError(Code.SYNTAX, msg, doc=self.reader.src, pos=pos)
        return self.spans.add_error(shape.pos, end, error, is_damaged=False)

    def try_read_tool_element(self, pos: int) -> int | None:
        """Read the call in an element that is named after a tool, or return None."""
        src = self.reader.src
        match = TOOL_ELEMENT.match(src, pos)
        if match is None or match["name"] not in self.names.by_name:
            return None
        name = match["name"]
        group = None if match["closed"] else self._try_read_json_in(pos, TOOL_ELEMENT)
        if match["closed"]:
            group = empty_group(match.end())
        elif group is None:
            _, group = read_member_elements(
                src, match.end(), name, self.names.by_name[name].args.by_name
            )
        end = close = match.end()
        if not match["closed"]:
            close = src.find(f"</{name}>", group.end)
            self.reader.effort.spend_on_scanning((close if close >= 0 else len(src)) - group.end)
            end = close + len(name) + 3
        attributes = find_attributes(match)
        is_ended = close >= 0 and (match["closed"] or not src[group.end : close].strip())
        if is_ended and attributes is not None:
            shape = CallShape(pos, name, pos + 1, group, attributes=attributes)
            complete_shape = self._try_add_attributes(shape)
            if complete_shape is None:
                return self._skip_misplaced_attributes(shape, end)
            doubt = RepairCode.SENTENCE if self.spans.is_in_sentence(end, is_tagged=True) else None
            self._accept_shape(complete_shape, pos, end, {(pos, RepairCode.XML): None}, doubt)
            return end
        if close < 0 and src[match.end() : match.end() + 1] not in ("", "<", "{"):
            return None  # a word in a sentence
        msg = "expected the arguments of the tool named by the element, and the element's end"
        error = DecodeError(Code.SYNTAX, msg, doc=src, pos=group.end)
        stop = end if close >= 0 else end_of_match(RESUME, src, match.end())
        return self.spans.add_error(pos, max(stop, match.end()), error, is_damaged=True)

    def _try_read_json_in(self, pos: int, tag: re.Pattern[str] = ELEMENT) -> Bracketed | None:
        match = tag.match(self.reader.src, pos)
        if match is None or not _OBJECT.match(self.reader.src, match.end()):
            return None
        try:
            tree = Loose(self.reader.strings, len(self.reader.src)).read_group(
                match.end(), json=True
            )
        except Unreadable as problem:
            self.reader.effort.spend_units(Cost.LOOSE, max(0, problem.error.pos - pos))
            return None
        self.reader.effort.spend_units(Cost.LOOSE, tree.end - pos)
        return tree

    def _accept_shape(
        self,
        shape: CallShape,
        start: int,
        end: int,
        repairs: Repairs,
        doubt: RepairCode | None,
        *,
        has_left: bool = False,
    ) -> None:
        src = self.reader.src
        arguments = shape.arguments
        name = self.names.find_tool(shape.name)
        if shape.second is not None or not name:
            harm = find_damage(src, arguments, repairs)
            self.spans.add_error(
                start, end, self._unknown_name_error(shape), is_damaged=harm.at_end
            )
            return
        if name != shape.name:
            repairs[shape.name_pos, RepairCode.NAME] = None
        try:
            candidate = self.reader.interpret_tree(name, arguments, end, repairs)
        except Unreadable as problem:
            is_damaged = find_damage(src, arguments, repairs).at_end or has_line_ends(
                src, arguments
            )
            self.spans.add_error(start, end, problem.error, is_damaged=is_damaged)
        else:
            harm = find_damage(src, arguments, candidate.repairs)
            lost = candidate.is_torn or has_left
            lost = lost or self._has_other_keys(name, shape, candidate.call)
            self.spans.accept_candidate(start, replace(candidate, damage=harm, is_torn=lost), doubt)

    def _has_other_keys(self, name: str, shape: CallShape, call: Call) -> bool:
        tool = self.names.by_name.get(name)
        keys = tool.args.by_name if tool else ()
        return any(key in keys and key not in call.arguments for key in shape.other_keys)

    def _unknown_name_error(self, shape: CallShape) -> DecodeError:
        if shape.second is None:
            return self.names.unknown_tool_error(shape.name, shape.name_pos)
        msg = "expected the name and the arguments once, found a second one"
        return DecodeError(Code.DUPLICATE, msg, doc=self.reader.src, pos=shape.second)
