"""Compile definitions, JSON Schema in all its spellings, to layouts.

- `compile` compiles definitions, and `combine` the unions in them. `python` describes functions and
  classes, and `keywords` normalizes keywords.
- `tally` collects notes and counts positions during compilation.
- `constraints` checks what a layout does not express: `validation` runs the table of
  `keyword_checks` within a limit, `patterns` matches in linear time, and `formats` checks formats.
- `references` resolves `$ref`.
"""
