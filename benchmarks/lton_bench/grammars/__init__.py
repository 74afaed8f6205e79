"""Grammars: their cost in three engines.

- `__main__`: the benchmark, and `report`, the tables that it writes
- `tools`: tools and gold calls, and `sides`: what is compared
- `masks`: compiles grammars and masks calls, with one of the `engines`
"""
