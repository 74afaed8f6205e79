"""Read requests of clients, and decide which parts of an answer a client receives.

- `refusals` defines errors in OpenAI's format.
- `client_requests` reads requests of three APIs as one record, by their `members`.
- `client_apis` pairs the reader for an API's requests with the writer for its answers.
- `choices` converts the answer of a model to the answer for a client.
"""
