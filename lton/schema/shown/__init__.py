"""What people and models are shown of tools.

- `signature` spells a tool as one line, and its types.
- `write` writes whole prompts, and `parse` reads them.
- `tiers` says which descriptions fit, and describes the tools that are asked for.
- `aliases` finds short names.
"""
