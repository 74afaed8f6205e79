"""Benchmarks of conversations.

- `__main__`: the cost of conversations, as `bills`
"""
