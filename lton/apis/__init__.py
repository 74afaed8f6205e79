"""Read and write requests and answers in the formats of model APIs.

An API is one object, with everything that the gateway has to know about it: `api` defines what
that is, and `registry` lists the objects. A new API is a module or package next to `chat_api`,
and an entry there.

- `chat_api`, `responses_api`, `messages_api` and the package `gemini` describe the APIs. `ids`
  makes ids.
- `chat_reader`, `responses_reader` and `messages_reader` read answers; `chat_writer`,
  `responses_writer` and `messages_writer` write answers. `answers` has the interfaces of both.
- `client_requests` defines the record of a request, and `members` reads members of its JSON.
  `request_writing` writes parts of requests. `refusals` defines errors in OpenAI's format.
- `prompt_parts` splits requests into the parts that a provider can cache. `conversations` caches
  work on earlier messages.
- `json_members` reads members of a server's JSON. `sse` splits streams into events and writes
  events. `endings` describes the reasons for which answers end. `answer_usage` counts tokens, and
  `answer_notes` writes notes about omitted parts.
- `media` converts images, documents and sounds. `tool_choice` reads and writes which tools may be
  called.
- `translation` converts messages between APIs. `accepted_names` replaces ids and names that an API
  refuses.

This package does no I/O.
"""
