"""The APIs of clients: requests as one record, answers of each API, errors.

- `protocol` is what is said besides answers: errors, in OpenAI's shape.
- `requests` reads requests of OpenAI's two APIs, by their `members`. `messages` reads those of
  Anthropic's.
- `replies` says what of an answer a client sees, and `own_calls` reads calls of an upstream.
- `chat`, `responses` and `messages` write answers of one API each.
"""
