"""Measure the cost of LTON, and how many calls models get right, compared with JSON and others.

- `tokens`, `speed`: the cost of calls, answers and definitions
- `study`: the calls that models get right
- `documents`: the words that readers of documents lose
- `compress`, `context`: what shortened documents keep, and the cost of conversations
- `mcp`, `gateway`: the proxy in front of MCP servers, and the gateway
- `demo`, `replay`: commands
- `bfcl`, `tau2`, `packages`: data and models in packages, and `qwen`, which fetches models
- `direct`, `scaffolds`, `rivals`: ways to generate calls, and the grammars of JSON and Python
- `markdown_tables` writes tables, `pictures` draws results, and `internals` imports what is private
  in `lton`
"""
