"""Measure the cost of LTON, and how many calls models get right, compared with JSON and others."""
