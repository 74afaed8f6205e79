"""What people and models are shown of tools.

- `signature` spells a tool as one line, and its types.
- `write` writes whole prompts, and `parse` reads them.
- `aliases` finds short names.
"""
