"""Count how many of a model's calls reach the client, with and without LTON (`lton probe`).

- `questions` has the tools and the questions, and writes questions about the user's tools.
- `asking` asks for the models or one question over HTTP, and returns the answer that reaches the
  client.
- `outcome` counts written, delivered, right and wrong calls.
- `calibration` measures when a model in this process needs a tool.
- `setup` reports installed packages, settings, and a server's features.
- `command` starts the gateway, asks the server and the gateway, and reports.
"""
