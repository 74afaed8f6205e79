"""The grammars and spellings of calls in JSON and Python, for comparisons with LTON."""

from keyword import iskeyword
from unicodedata import normalize

from lton.errors import Code, SchemaError
from lton.generate.spelling import JsonBuilder, spell_value
from lton.grammar.nodes import Chars, Grammar, Lit, Node, Ref, Repeat, make_sequence
from lton.schema.toolset import ToolSet
from lton.schema.types import JSON, Object

__all__ = ["json_grammar", "python_grammar", "python_key", "python_tool", "spell_python"]


def spell_python(value: JSON) -> str:
    """Return a value as a Python literal, with double quotes.

    >>> spell_python({"a": [True, None, 0.5]})
    '{"a": [True, None, 0.5]}'
    """
    if isinstance(value, list):
        return f"[{', '.join(map(spell_python, value))}]"
    if isinstance(value, dict):
        return (
            f"{{{', '.join(f'{spell_value(key)}: {spell_python(value[key])}' for key in value)}}}"
        )
    return repr(value) if value is None or isinstance(value, bool) else spell_value(value)


def python_tool(name: str) -> str:
    """Return the name of a tool in a Python call, also if Python does not allow the name.

    Raises `SchemaError` for a name that would not end at the parenthesis, or on its line.
    """
    if "(" in name or not name.isprintable():
        raise SchemaError(Code.DEFINITION, f"{name!r} cannot name a tool in Python")
    return name


def python_key(name: str) -> str:
    """Return the keyword of an argument in a Python call, with its equals sign.

    Raises `SchemaError` for a name that Python does not allow, or reads as another name, as `ﬁ` is
    read as `fi`.
    """
    if not name.isidentifier() or iskeyword(name) or normalize("NFKC", name) != name:
        raise SchemaError(Code.DEFINITION, f"{name!r} cannot name an argument in Python")
    return f"{name}="


def json_grammar(tools: ToolSet, *, parallel: bool = False, spaced: bool = False) -> Grammar:
    """Return the grammar of calls in JSON, one per line."""
    builder = _JsonBuilder(spaced=spaced)
    return builder.build_grammar(tools.under_aliases, parallel=parallel)


def python_grammar(tools: ToolSet, *, parallel: bool = False) -> Grammar:
    """Return the grammar of Python calls with keywords, one per line.

    Raises `SchemaError` for names that Python calls cannot have.
    """
    return _PythonBuilder().build_grammar(tools.under_aliases, parallel=parallel)


class _JsonBuilder(JsonBuilder):
    """Builds the rules of calls in JSON."""

    def __init__(self, *, spaced: bool = True) -> None:
        super().__init__()
        self.comma = Lit(", " if spaced else ",")
        self.colon = Lit(": " if spaced else ":")

    def build_call(self, name: str | None, rule: str, args: Object | None, *, repeats: bool) -> Ref:  # noqa: ARG002
        members = self.build_members(args, rule, positional=False, lead=False)
        assert name  # there are tools
        parts = (
            Lit("{"),
            self.build_key("name"),
            Lit(name),
            self.comma,
            self.build_key("arguments"),
        )
        return self.add_rule(rule, make_sequence(*parts, Lit("{"), members, Lit("}}")))

    def tool_name(self, name: str) -> str:
        return spell_value(name)


class _PythonBuilder(_JsonBuilder):
    """Builds the rules of calls in Python: the rules of JSON with another call and three words."""

    is_argument = False

    def build_call(self, name: str | None, rule: str, args: Object | None, *, repeats: bool) -> Ref:  # noqa: ARG002
        self.is_argument = True
        members = self.build_members(args, rule, positional=False, lead=False)
        return self.add_rule(rule, make_sequence(Lit(f"{name}("), members, Lit(")")))

    def tool_name(self, name: str) -> str:
        return python_tool(name)

    def build_object(self, members: Object | None, rule: str) -> Node:
        before, self.is_argument = self.is_argument, False
        result = super().build_object(members, rule)
        self.is_argument = before
        return result

    def build_key(self, name: str) -> Lit:
        return Lit(python_key(name)) if self.is_argument else super().build_key(name)

    def build_any_key(self, *, grouped: bool) -> Node:
        if not self.is_argument:
            return super().build_any_key(grouped=grouped)
        return make_sequence(Chars("A-Za-z_"), Repeat(Chars("A-Za-z0-9_"), 0, None), Lit("="))

    def build_boolean(self, value: bool) -> Node:
        return Lit(str(value))

    def build_null(self) -> Node:
        return Lit("None")
