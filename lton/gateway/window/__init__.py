"""Tools that the gateway answers itself, in rounds that no client sees.

- `rounds` is an exchange of several rounds.
- `describing` is `--show`: tools without descriptions, and a tool that returns descriptions.
- `prompt` is `--context`: it shrinks conversations to the window, and the `hidden_tools` read what
  is left out; `context_options` parses its value.
"""
