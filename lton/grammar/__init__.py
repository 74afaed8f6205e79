"""Build grammars with which a local model can only write valid LTON.

- `build` builds one neutral grammar of `nodes`.
- `calls` and `tagged` collect its rules: rules for `values` (if they are `satisfiable`),
  `lexemes`, `counted` strings and `patterns`. `charset` writes sets of characters. `alike` finds
  equal types, which share one rule.
- `gbnf`, `lark`, `ebnf` and `regex` print the grammar. `emit` has the functions `to_gbnf` and so
  on.
- `linting` reads the printed text as each engine would. `requests` puts the text into requests, and
  `engines` into the arguments of other engines.
"""

from lton.grammar.build import Named, Options, ToolChoice
from lton.grammar.emit import to_ebnf, to_gbnf, to_lark, to_regex
from lton.grammar.engines import for_engine
from lton.grammar.linting import lint
from lton.grammar.requests import NO_GRAMMAR, SERVERS, probe, request, to_structural_tag

__all__ = [
    "NO_GRAMMAR",
    "SERVERS",
    "Named",
    "Options",
    "ToolChoice",
    "for_engine",
    "lint",
    "probe",
    "request",
    "to_ebnf",
    "to_gbnf",
    "to_lark",
    "to_regex",
    "to_structural_tag",
]
