"""What is known of the APIs of models, each in one place; nothing here knows the gateway.

- `names` lists the APIs, and the path of each. `members` reads members of what a server sent.
- `sse` cuts streams into events, byte for byte, and writes events. `usage` counts tokens.
- `answers` says what a reader of answers does. `chat`, `responses` and `messages` are the readers:
  they know what an event says, and how their API writes a call. `readers` lists them.
- `media` reads and writes images, documents and sounds of each API, and `tool_choice` which tools
  may be called.
- `translation` makes a message of one API one of another.

Nothing here does input or output.
"""
