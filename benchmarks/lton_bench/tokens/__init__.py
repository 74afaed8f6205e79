"""The token benchmark: what calls, answers and definitions cost, in every format.

- `formats` is the table of its rows: `notation` cuts what LTON writes, `native` has the syntaxes of
  model families, `rivals` the notations of others. `answers` and `shown` are the rows for results
  and definitions.
- `datasets` has a module for each data set.
- `page` makes one HTML page of the results.
"""
