"""Grammars that make a local model write valid LTON and nothing else."""

from lton.grammar.build import Named, Options, ToolChoice
from lton.grammar.emit import to_ebnf, to_gbnf, to_lark, to_regex
from lton.grammar.linting import lint
from lton.grammar.requests import NO_GRAMMAR, SERVERS, probe, request, to_structural_tag

__all__ = [
    "NO_GRAMMAR",
    "SERVERS",
    "Named",
    "Options",
    "ToolChoice",
    "lint",
    "probe",
    "request",
    "to_ebnf",
    "to_gbnf",
    "to_lark",
    "to_regex",
    "to_structural_tag",
]
