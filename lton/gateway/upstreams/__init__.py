"""Query each kind of upstream server.

- `server_kinds` defines how to request calls from each kind of server, and `probing` detects what a
  server supports.
- `http_upstream` queries a server. `local` is a model in this process, and `guided` an exchange
  with it.
- `llama_cpp` and `openai_custom` are exchanges with servers that need other requests.
- `translated` is an exchange with a server of another API. `translated_requests` reads its
  requests, and `translated_deltas` converts the answers.
"""
