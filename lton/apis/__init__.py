"""Readers and writers for the APIs of models, independent of the gateway.

- `names` lists the APIs and their paths. `members` reads members of a server's JSON.
- `sse` splits streams into events and writes events. `usage` counts tokens.
- `answers` is the protocol of a reader. `chat`, `responses` and `messages` are the readers, and
  `readers` lists them.
- `media` converts images, documents and sounds. `tool_choice` says which tools may be called.
- `translation` converts messages between APIs.

Nothing here does input or output.
"""
