"""`--calls native`: a model's own calls go through as they are, in the API that they came in.

- `requests` reads what matters of a body, and changes what was asked for; else it goes as it came.
  `strict` and `results` are what may be asked for.
- `call_prefix` and `rescues` find the answer that is nothing but a call, written as text.
- `deduplicate` gives each call once.
- `passthrough` is one request: what goes on at once, what is held, and what is told otherwise.

What an event says, the readers of `lton.apis` know. Nothing here does input or output.
"""
