"""`lton probe`: how many calls of a model reach the client, by its server and through LTON.

- `questions` has the tools and the questions, and writes questions about other tools.
- `asking` asks one question over HTTP and returns the client's answer.
- `outcome` counts calls: written, delivered, right and wrong.
- `command` starts the gateway, asks both, and reports.
"""
