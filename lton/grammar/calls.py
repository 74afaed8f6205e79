"""Build the rules for calls in all forms except the tagged form, and for answers."""

from lton._syntax import REPEAT, SIGIL, spell_name
from lton.errors import Code, GrammarError
from lton.grammar.alike import number_repeated_types
from lton.grammar.lines import find_params_with_lines
from lton.grammar.nodes import (
    Grammar,
    Lit,
    Node,
    Ref,
    Rule,
    alt,
    many,
    opt,
    reachable_rules,
    repeat_separated,
    seq,
)
from lton.grammar.satisfiable import has_values
from lton.grammar.values import ValueBuilder
from lton.schema.toolset import ToolSet
from lton.schema.types import Object, Type


class Builder(ValueBuilder):
    """Builds the rules for calls: a rule for each tool, and rules for its values."""

    sigil = ""
    opening = ""
    """The opening mark of thoughts. A line of prose does not begin with this mark."""

    def grammar(
        self,
        tools: ToolSet | None,
        *,
        parallel: bool,
        calls: bool = True,
        prose: bool = False,
        sigil: bool = False,
        opening: str = "",
    ) -> Grammar:
        """Build the grammar of an answer with calls, prose or both (R-429)."""
        self.opening = opening
        if prose or sigil:
            self.sigil = SIGIL
        self.repeated = number_repeated_types((tools or ()) if calls else ())
        if self.lexemes.spellings == "canonical":
            self.with_lines = find_params_with_lines(tools or ())
        text = self.answer(tools, parallel=parallel, prose=prose) if calls else self.prose()
        if isinstance(text, Ref):  # if there is one tool, the start rule is its call
            text = self.rules.pop().node
        return Grammar(reachable_rules((Rule("start", text), *self.rules, *self.shared.values())))

    def answer(self, tools: ToolSet | None, *, parallel: bool, prose: bool) -> Node:
        """Build the node for one or more calls, which may have `prose` around them."""
        call = self.any_call(tools, repeats=self.positional and parallel and not self.sigil)
        if prose:
            return self.build_mixed(call, parallel=parallel)
        return lines(self.line(call)) if parallel else call

    def any_call(self, tools: ToolSet | None, *, repeats: bool) -> Node:
        """Build the rules for calls to each tool, or to any tool if `tools` is None."""
        if tools is None:
            return self.call(None, "call", None, repeats=repeats)
        calls = [
            self.call(self.tool_name(tool.name), f"call-{number}", tool.args, repeats=repeats)
            for number, tool in enumerate(tools, 1)
            if has_values(Type(object=tool.args))
        ]
        if not calls:
            raise GrammarError(Code.GRAMMAR, "no grammar: none of the tools can be called")
        return alt(*calls)

    def line(self, call: Node) -> Ref:
        return call if isinstance(call, Ref) else self.add("line", call)

    def build_mixed(self, call: Node, *, parallel: bool) -> Node:
        """Build the node for calls between lines of prose, or for one call after prose."""
        call = self.line(call)
        if parallel:
            return lines(opt(alt(call, self.share("prose"))))
        return alt(self.prose(), seq(opt(seq(self.prose(), Lit("\n"))), call))

    def prose(self) -> Node:
        return lines(opt(self.share("prose")))

    def call(self, name: str | None, rule: str, args: Object | None, *, repeats: bool) -> Ref:
        """Build the rule for calls to a tool, or to any tool if `name` is None."""
        if name is None:
            head = seq(Lit(self.sigil) if self.sigil else None, self.share("name"))
        else:
            head = Lit(self.sigil + name)
        arguments = self.arguments(args, rule)
        if not repeats:
            return self.add(rule, seq(head, arguments))
        repeated = self.add(f"{rule}-args", arguments)
        return self.add(rule, seq(head, repeated, many(seq(Lit(f"\n{REPEAT}"), repeated))))

    def arguments(self, args: Object | None, rule: str) -> Node:
        members = self.members(args, rule, positional=self.positional, lead=not self.punctuated)
        return seq(Lit("("), members, Lit(")")) if self.punctuated else members

    def tool_name(self, name: str) -> str:
        return spell_name(name)

    def lexical(self, name: str) -> Node | None:
        if name == "prose":
            return self.lexemes.prose(tagged=self.tagged, opening=self.opening)
        return super().lexical(name)


def lines(line: Node) -> Node:
    """Build the node for one or more lines."""
    return repeat_separated(line, Lit("\n"))
