"""Measure what the readers of documents lose, by comparing their words with other readers'."""
