"""Build grammars that make a model write only valid LTON.

- `build` builds a neutral grammar from `nodes`.
- `calls` and `tagged` collect the rules: for `values` (if `satisfiable`), `lexemes`, `counted`
  strings and `patterns`. `charset` writes sets of characters. `alike` finds equal types, which
  share one rule, and `lines` finds parameters that ask for code or a body of text.
- `gbnf`, `lark`, `ebnf` and `regex` print the grammar, and `emit` has the public functions such as
  `to_gbnf`.
- `linting` checks the printed text as engines read it. `requests` builds requests to servers, and
  `engines` the arguments of other engines.
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
