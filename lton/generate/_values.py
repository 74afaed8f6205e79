"""Write values: the program writes what the type decides, and the model writes the rest."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import count

from lton.chat.repeats import LABELS
from lton.engines.engine import Scorer
from lton.generate.scaffolds import CALL, Scaffold
from lton.generate.session import ExhaustedError, Session
from lton.generate.spelling import spell_value
from lton.grammar.satisfiable import has_values
from lton.grammar.values import list_groups
from lton.schema.types import ANY, JSON, Array, Object, Param, String, Type

_TEXT = Type(string=String())
_WEIGHED = 32
"""With more choices than this, weighing would take longer than writing an answer."""
_LISTED = 32
"""A list does not end if it has this many more labels than the type."""
_LONG = 4
"""A list of this many required items is written item by item (see `Session.demanded`)."""


class ValueWriter:
    """Writes the values of a call into a session."""

    def __init__(self, session: Session, scaffold: Scaffold) -> None:
        self.session = session
        self.scaffold = scaffold

    def choose_text(
        self,
        texts: Sequence[str],
        groups: Sequence[Sequence[str]],
        tails: Sequence[str] = ("",),
        *,
        apart: bool = False,
    ) -> int:
        """Choose the likeliest of the strings, or let the model write one of them."""
        session = self.session
        scorer = self.session.engine
        few = 1 < len(texts) <= _WEIGHED
        if few and session.neutral and not session.ahead and isinstance(scorer, Scorer):
            return session.choose_by_likelihood(texts, scorer, apart=apart)
        return session.choose_by_sampling(groups, tails)

    def stream_members(
        self, members: Object, layout: Scaffold, closings: Sequence[str]
    ) -> Iterator[tuple[Param, JSON]]:
        """Write an object's members: the required ones, and optional ones that the model chooses.

        The model chooses among keys without cues, and the cue is added afterwards.
        """
        branch = self.choose_branch(members, layout) if members.branches else members
        waiting = [param for param in branch.params if has_values(param.type)]
        is_first = True
        while waiting:
            starts = layout.texts_before_params(waiting, is_first=is_first)
            groups = [*([start] for start in starts), closings]
            index = 0 if waiting[0].required else self.session.choose_by_sampling(groups)
            if index == len(waiting):
                return
            param, waiting = waiting[index], waiting[index + 1 :]
            before = layout.separator_before(is_first=is_first)
            self.session.write_text(before + layout.key_of(param), choice=starts[index])
            is_first = False
            at = len(self.session.text)
            value = self.write_value(param.type, layout.texts_after_value(waiting, closings))
            if layout.settled:  # the model reads the value with its length
                self.session.text = self.session.text[:at] + layout.settled(value, param.type)
            yield param, value
            if param.name == branch.label:
                branch = self.choose_branch(branch.find_branch(value) or branch, layout)
                others = [one for one in branch.params if one.name != param.name]
                waiting = [one for one in others if has_values(one.type)]

    def choose_branch(self, members: Object, layout: Scaffold) -> Object:
        """Choose a branch of a union without a label by the first member that only it has."""
        if not members.is_keyed:
            return members
        branches = [one for one in members.branches if has_values(Type(object=one))]
        firsts = [_find_own_member(branch, branches) for branch in branches]
        own = [param for param in firsts if param is not None]
        if len(own) < len(branches):
            return members
        starts = layout.texts_before_params(own, is_first=True)
        index = self.choose_text(starts, [[start] for start in starts])
        first = own[index]
        branch = branches[index]
        others = [param for param in branch.params if param is not first]
        return self.choose_branch(replace(branch, params=(first, *others)), layout)

    def write_value(self, node: Type, tails: Sequence[str]) -> JSON:
        if (literals := _find_literals(node)) is not None:
            return self.write_literal(literals, tails)
        if node.string and node == Type(string=node.string):
            self.session.write_text('"')
            return self.session.sample_value(node, tails, opened='"')
        value = None
        brackets = _opening_brackets(node)
        if node not in (Type(object=node.object), Type(array=node.array)) or not brackets:
            value = self.session.sample_value(
                node, tails, nested=brackets, names=self.scaffold.names
            )
            brackets = self.session.ahead[:1]
        if node.object and brackets == "{":
            return (self.write_map if node.object.is_map else self.write_object)(node.object, tails)
        if node.array and brackets == "[":
            return self.write_array(node.array, tails)
        return value

    def write_literal(self, literals: Sequence[JSON], tails: Sequence[str]) -> JSON:
        spelled = [spell_value(literal) for literal in literals]
        if all(text.startswith('"') for text in spelled):
            self.session.write_text('"')
            spelled = [text[1:] for text in spelled]
        # A value is weighed with its end, because 10 begins with 1.
        ended = [text + tails[0][:1] for text in spelled]
        index = self.choose_text(ended, [[text] for text in spelled], tails)
        self.session.write_text(spelled[index])
        return literals[index]

    def write_object(self, members: Object, tails: Sequence[str]) -> JSON:
        self.session.write_text("{")
        closings = [f"}}{tail}" for tail in tails]
        values = {
            param.name: value for param, value in self.stream_members(members, CALL, closings)
        }
        self.session.write_text("}")
        return values

    def write_map(self, members: Object, tails: Sequence[str]) -> JSON:
        """Write the members of a map. The model also writes their keys."""
        assert members.extra  # otherwise it would not be a map
        values = members.extra
        pairs = dict[str, JSON]()

        def write_member(tails: Sequence[str]) -> None:
            key, value = self.write_named_value(values, tails)
            pairs[key] = value

        self.write_repeated("{}", '"', write_member, tails)
        return pairs

    def write_named_value(self, values: Type, tails: Sequence[str]) -> tuple[str, JSON]:
        """Let the model write the key and the value of an undeclared member."""
        self.session.write_text('"')
        key = self.session.sample_value(_TEXT, [f": {_opening_mark(values)}"], opened='"')
        self.session.write_text(": ")
        return str(key), self.write_value(values, tails)

    def write_array(self, array: Array, tails: Sequence[str]) -> JSON:
        items: list[JSON] = []
        if array.max_items == 0 or not has_values(array.items):
            self.session.write_text("[]")
            return items

        labels = _find_literals(array.items)
        most = max(len(labels or ()), array.min_items) + _LISTED

        def write_item(tails: Sequence[str]) -> None:
            if labels and len(items) == most and not self.session.may_repeat:
                raise ExhaustedError(LABELS)
            items.append(self.write_value(array.items, tails))

        opening = _opening_mark(array.items)
        self.write_repeated(
            "[]", opening, write_item, tails, least=array.min_items, most=array.max_items
        )
        return items

    def write_repeated(
        self,
        brackets: str,
        opening: str,
        one: Callable[[Sequence[str]], None],
        tails: Sequence[str],
        *,
        least: int = 0,
        most: int | None = None,
    ) -> None:
        """Write the items of a list or map in brackets."""
        opener, closer = tuple(brackets)
        if not least and self.session.choose_by_sampling([[opener + opening], [brackets]]) == 1:
            self.session.write_text(brackets)
            return
        self.session.write_text(opener)
        before = self.session.demanded
        for number in count(1):
            self.session.check_room(self.session.text)
            if number <= least:
                self.session.demanded = len(self.session.text)
            more = [f", {opening}"] if most is None or number < most else []
            close = [closer + tail for tail in tails] if number >= least else []
            one([*more, *close])
            if self.session.choose_by_sampling([more, close]) == 1:
                break
            self.session.write_text(", ")
        self.session.demanded = before
        self.session.write_text(closer)


def _find_own_member(branch: Object, branches: Sequence[Object]) -> Param | None:
    """Return the first required member that no other branch declares."""
    others = [one for one in branches if one is not branch]
    required = [param for param in branch.params if param.required]
    return next((p for p in required if all(p.name not in one.by_name for one in others)), None)


def _find_literals(node: Type) -> list[JSON] | None:
    nodes = (node.string, node.number, node.array, node.object)
    if any(kind is not None and kind.values is None for kind in nodes):
        return None
    literals: list[JSON] = [*node.booleans, *([None] if node.null else [])]
    literals += node.string.values or () if node.string else ()
    literals += node.number.values or () if node.number else ()
    return [*literals, *list_groups(node.array, node), *list_groups(node.object, node)] or None


def _opening_mark(node: Type) -> str:
    """Return the bracket or quote with which all values of a type begin, or ""."""
    if node.string and node == Type(string=node.string):
        return '"'
    return (
        _opening_brackets(node)
        if node in (Type(object=node.object), Type(array=node.array))
        else ""
    )


def _opening_brackets(node: Type) -> str:
    """Return the brackets with which a value of a type may begin.

    A value of any type is written by the model.
    """
    members = node.object
    values = node.object.extra if node.object else None
    brackets = ""
    if members and (members.params or not values or (values != ANY and has_values(values))):
        brackets += "{"
    if node.array and (_opening_mark(node.array.items) or node.array.min_items >= _LONG):
        brackets += "["
    return brackets
