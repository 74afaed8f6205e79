"""Add tools whose calls the gateway answers itself, in rounds that clients do not see.

- `rounds` is an exchange of several rounds.
- `describing` implements `show`: tools without descriptions, and a tool that returns
  descriptions.
- `prompt` is `context`: it shrinks conversations to the window, and offers tools that read the
  omitted parts; `kept_rounds` puts rounds back; `native_rounds` sends them with native calls;
  `context_options` parses its value.
"""
