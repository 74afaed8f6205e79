"""What people and models are shown of tools.

- `signature` spells a tool as one line, and its types.
- `writing` writes whole prompts, and `prompt` reads them.
- `aliases` finds short names.
"""
