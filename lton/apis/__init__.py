"""Read and write answers in the formats of three model APIs.

- `names` lists the APIs and their paths. `json_members` reads members of a server's JSON.
- `endings` describes the reasons for which answers end.
- `sse` splits streams into events and writes events. `answer_usage` counts tokens.
- `answers` has the interfaces of readers and writers. `answer_notes` writes notes about omitted
  parts.
- `chat_writer`, `responses_writer` and `messages_writer` write answers.
- `chat_reader`, `responses_reader` and `messages_reader` read answers; `readers` lists them.
- `media` converts images, documents and sounds. `tool_choice` reads and writes which tools may be
  called.
- `translation` converts messages between APIs. `accepted_names` replaces ids and names that an API
  refuses.

This package does no I/O.
"""
