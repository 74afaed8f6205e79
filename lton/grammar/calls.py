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
    make_choice,
    make_optional,
    make_sequence,
    reachable_rules,
    repeat_many,
    repeat_separated,
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

    def build_grammar(
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
        text = (
            self.build_answer(tools, parallel=parallel, prose=prose)
            if calls
            else self.build_prose()
        )
        if isinstance(text, Ref):  # if there is one tool, the start rule is its call
            text = self.rules.pop().node
        return Grammar(reachable_rules((Rule("start", text), *self.rules, *self.shared.values())))

    def build_answer(self, tools: ToolSet | None, *, parallel: bool, prose: bool) -> Node:
        """Build the node for one or more calls, which may have `prose` around them."""
        call = self.build_any_call(tools, repeats=self.positional and parallel and not self.sigil)
        if prose:
            return self.build_mixed(call, parallel=parallel)
        return build_lines(self.build_line(call)) if parallel else call

    def build_any_call(self, tools: ToolSet | None, *, repeats: bool) -> Node:
        """Build the rules for calls to each tool, or to any tool if `tools` is None."""
        if tools is None:
            return self.build_call(None, "call", None, repeats=repeats)
        calls = [
            self.build_call(self.tool_name(tool.name), f"call-{number}", tool.args, repeats=repeats)
            for number, tool in enumerate(tools, 1)
            if has_values(Type(object=tool.args))
        ]
        if not calls:
            raise GrammarError(Code.GRAMMAR, "no grammar: none of the tools can be called")
        return make_choice(*calls)

    def build_line(self, call: Node) -> Ref:
        return call if isinstance(call, Ref) else self.add_rule("line", call)

    def build_mixed(self, call: Node, *, parallel: bool) -> Node:
        """Build the node for calls between lines of prose, or for one call after prose."""
        call = self.build_line(call)
        if parallel:
            return build_lines(make_optional(make_choice(call, self.share_rule("prose"))))
        return make_choice(
            self.build_prose(),
            make_sequence(make_optional(make_sequence(self.build_prose(), Lit("\n"))), call),
        )

    def build_prose(self) -> Node:
        return build_lines(make_optional(self.share_rule("prose")))

    def build_call(self, name: str | None, rule: str, args: Object | None, *, repeats: bool) -> Ref:
        """Build the rule for calls to a tool, or to any tool if `name` is None."""
        if name is None:
            head = make_sequence(Lit(self.sigil) if self.sigil else None, self.share_rule("name"))
        else:
            head = Lit(self.sigil + name)
        arguments = self.arguments(args, rule)
        if not repeats:
            return self.add_rule(rule, make_sequence(head, arguments))
        repeated = self.add_rule(f"{rule}-args", arguments)
        return self.add_rule(
            rule,
            make_sequence(head, repeated, repeat_many(make_sequence(Lit(f"\n{REPEAT}"), repeated))),
        )

    def arguments(self, args: Object | None, rule: str) -> Node:
        members = self.build_members(
            args, rule, positional=self.positional, lead=not self.punctuated
        )
        return make_sequence(Lit("("), members, Lit(")")) if self.punctuated else members

    def tool_name(self, name: str) -> str:
        return spell_name(name)

    def find_lexical_node(self, name: str) -> Node | None:
        if name == "prose":
            return self.lexemes.build_prose(tagged=self.tagged, opening=self.opening)
        return super().find_lexical_node(name)


def build_lines(line: Node) -> Node:
    """Build the node for one or more lines."""
    return repeat_separated(line, Lit("\n"))
