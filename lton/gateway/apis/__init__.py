"""The APIs of clients: requests as one record, answers of each API, errors.

- `protocol` has errors in OpenAI's shape.
- `requests` reads requests of OpenAI's two APIs, by their `members`, and `messages` those of
  Anthropic's.
- `replies` decides what a client sees of an answer, and `own_calls` reads calls of an upstream.
- `chat`, `responses` and `messages` write answers of one API each.
"""
