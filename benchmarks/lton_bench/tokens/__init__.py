"""The token benchmark: what calls, answers and definitions cost, in every format."""
