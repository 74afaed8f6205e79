"""The APIs of clients: requests as one record, answers of each API, errors.

- `refusals` has errors in OpenAI's shape.
- `client_requests` reads requests of OpenAI's two APIs, by their `members`.
- `choices` decides what a client sees of an answer.
- `chat_writer` and `responses_writer` write answers of OpenAI's APIs, and `messages` reads and
  writes Anthropic's.
"""
