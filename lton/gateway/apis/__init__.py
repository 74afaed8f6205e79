"""Read clients' requests, and decide which parts of an answer a client receives.

- `refusals` defines errors in OpenAI's format.
- `client_requests` reads requests of three APIs as one record, with the help of `members`.
- `client_apis` pairs the reader for an API's requests with the writer for its answers.
- `choices` converts a model's answer to the client's answer.
"""
