"""Benchmarks of conversations.

- `__main__`: the cost of conversations, as `bills` and `pictures`
- `peers`: other libraries
- `layouts`: the time to lay out a context
"""
