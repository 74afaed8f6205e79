"""`lton probe`: how many calls of a model reach the client, by its server and through LTON.

- `questions` has the tools and the questions, and makes questions about tools of others.
- `asking` asks one question over HTTP and returns what the client was given.
- `outcome` counts what was written, delivered, right and wrong.
- `command` starts the gateway, asks both, and reports.
"""
