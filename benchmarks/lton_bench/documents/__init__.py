"""Measure what the readers of documents lose, by comparing their words with other readers'.

- `__main__`: read the documents of folders, compare the words, and print a table
- `others`: the other readers
"""
