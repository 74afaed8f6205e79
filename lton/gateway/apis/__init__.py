"""Decide which parts of an answer a client receives.

- `client_apis` reads requests and writes answers in the API of a client.
- `choices` converts a model's answer to the client's answer.
"""
