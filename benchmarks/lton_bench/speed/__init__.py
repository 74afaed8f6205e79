"""The speed of reading and writing, compared with JSON, TOON and two C libraries.

- `__main__`: the benchmark, and `report`, the tables that it writes
- `contestants`: the libraries, and `calls`, which they write and read
- `streams`: calls in chunks, and `nests`: invalid and deeply nested calls
- `timing`: races, and `growth`: time and memory by size
- `cliffs`: shapes that are slower to write or read
"""
