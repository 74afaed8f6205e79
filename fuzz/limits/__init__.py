"""Probes for the limits of all input from outside.

`docs/reference/limits.toml` lists the inputs. Each has a probe: a function that makes a given
number of items, and a function that reads them. `tests/test_limits.py` counts the steps of each
probe in the daily tier, and exceeds each limit.

- `growth`: the work for twice as many items
- `texts`, `definitions`, `exchanges`, `servers`, `documents`: the probes, by who sends the input
- `probe`: what a probe is
"""
