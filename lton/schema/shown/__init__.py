"""Render tools for people and models.

- `signature` writes a tool as one line, with its types.
- `write` writes whole prompts, and `parse` reads them.
- `tiers` selects the descriptions that fit, and describes tools on request.
- `aliases` finds short names.
"""
