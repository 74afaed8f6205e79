"""Requests of clients, and what a client sees of an answer.

- `refusals` has errors in OpenAI's shape.
- `client_requests` reads requests of three APIs into one record, by their `members`.
- `client_apis` pairs the reader of an API's requests with the writer of its answers.
- `choices` decides what a client sees of an answer.
"""
