"""Compile JSON Schema, in all its variants, to layouts.

- `compile` compiles definitions, and `combine` combines the types of a union or an intersection.
  `python` describes functions and classes, and `keywords` normalizes keywords.
- `tally` collects notes and counts positions during compilation.
- `constraints` checks requirements that a layout does not express. For this, `validation` applies
  the table of `keyword_checks` within a limit, `patterns` matches patterns in linear time, and
  `formats` checks formats.
- `references` resolves `$ref`.
"""
