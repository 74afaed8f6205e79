"""Compile JSON Schema to types.

- `compile` compiles schemas, and `combine` computes unions and intersections of types. `python`
  writes definitions of functions and classes, and `keywords` normalizes keywords.
- `tally` collects notes and counts positions during compilation.
- `constraints` checks requirements that a layout does not express. For this, `validation` applies
  the checks of `keyword_checks` within a limit, `patterns` matches patterns in linear time, and
  `formats` checks formats.
- `references` resolves `$ref`.
"""
