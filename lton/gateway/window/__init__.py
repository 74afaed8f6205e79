"""Tools that the gateway answers itself, in rounds that no client sees.

- `rounds` is an exchange of several.
- `describing` is `--show`: definitions in tiers, and the tool that describes.
- `prompt` is `--context`: conversations that fit the window, and the `base_tools` that read what is
  left out; `options` reads what it is given.
"""
