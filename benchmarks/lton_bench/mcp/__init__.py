"""The MCP proxy: the tokens that it saves, and the tools that models still find.

- `data`: the recorded tools of 24 servers, and `record`, which records them
- `proxy`: the tokens in each mode
- `recall`: whether the right tool is among those that a model sees
- `calls`: the tools that models call
"""
