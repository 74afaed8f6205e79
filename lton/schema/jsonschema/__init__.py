"""How foreign definitions, JSON Schema in all its spellings, become layouts.

- `compile` makes layouts of definitions, and `combine` those of unions. `python` reads
  annotations, `keywords` names the keywords.
- `tally` notes and counts what is compiled.
- `constraints` checks what a layout does not say: `validation` runs the table of `keyword_checks`
  within a bound, `patterns` matches in linear time, and `formats` knows formats.
- `references` finds what a `$ref` names.
"""
