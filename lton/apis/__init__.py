"""Readers and writers for the APIs of models, independent of the gateway.

- `names` lists the APIs and their paths. `json_members` reads members of a server's JSON.
- `sse` splits streams into events and writes events. `answer_usage` counts tokens.
- `answers` is the protocol of a reader. `chat_reader`, `responses_reader` and `messages_reader`
  are listed in `readers`.
- `media` converts images, documents and sounds. `tool_choice` says which tools may be called.
- `translation` converts messages between APIs.

Nothing here does input or output.
"""
