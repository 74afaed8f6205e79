"""Render tools for people and models.

- `signature` writes a tool and its types on one line.
- `write` writes whole prompts, and `parse` reads them.
- `tiers` selects the descriptions that fit a budget, and describes other tools on request.
- `aliases` chooses short names.
"""
