"""Collect the rules of a grammar, each once and with its own name."""

from collections import Counter
from collections.abc import Callable, Hashable

from lton.grammar.nodes import Node, Ref, Rule


class Rules:
    """Rules in the order of their creation, and shared rules."""

    def __init__(self) -> None:
        self.rules: list[Rule] = []
        self.shared: dict[str, Rule] = {}
        self.names: dict[tuple[str, Hashable], str] = {}
        """The shared rules by their limits, and the number of rules of each kind."""
        self.counts: Counter[str] = Counter()

    def add(self, name: str, node: Node) -> Ref:
        self.rules.append(Rule(name, node))
        return Ref(name)

    def named(
        self, kind: str, bounds: Hashable, make: Callable[[], Node], *, lexical: bool = False
    ) -> Ref:
        """Return a reference to the shared rule for a kind and limits. Add the rule if needed."""
        if (kind, bounds) not in self.names:
            self.counts[kind] += 1
            name = self.names[kind, bounds] = f"{kind}-{self.counts[kind]}"
            self.shared[name] = Rule(name, make(), lexical=lexical)
        return Ref(self.names[kind, bounds])
