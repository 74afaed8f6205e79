"""Compression: which facts, evidence and lines of output are kept.

- `__main__`: the benchmark of `lton.context.compress`, and `report`, the page that it writes
- `data`: questions with their evidence, and plain documents
- `ways`: the ways to shorten a document, and `peers`: LLMLingua and LongLLMLingua
- `answers`: the answers of a model to shortened documents, and `curve`, by the share that is kept
- `scores`: scores with intervals, and `facts`: the facts of a document
- `outputs`: the output of tools, by the lines that an agent uses next
- `sizes`: time and memory by size, and `corpus`: a corpus on Ray
- `rankers`: rankers that use a model
"""
