"""`--calls native`: a model's own calls go through as they are, in the API that they came in.

- `requests` reads what matters of a body, and changes what was asked for; else it goes as it came.
  `strict` and `results` are what may be asked for.
  `long_results` cuts what is long, and keeps the whole in a file.
- `rescues` reads the calls of an answer that is nothing but calls, or ends in one. `call_prefix`
  and `call_after_prose` (with `prose_words`) say where such a call may begin, and `held_text` how
  much of a stream is held for it.
- `deduplicate` gives each call once.
- `passthrough` is one request: what goes on at once, what is held, and what is told otherwise.

What an event says, the readers of `lton.apis` know. Nothing here does input or output.
"""
