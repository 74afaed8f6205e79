"""The MCP proxy: the tokens that it saves.

- `data`: the recorded tools of 24 servers
- `proxy`: the tokens in each mode
"""
