"""Upstreams: the kinds of servers, and how each is queried.

- `server_kinds` lists how to request calls from each kind of server; `probing` finds out what a
  server can do.
- `http_upstream` queries a server. `local` is a model in this process, and `guided` an exchange
  with it.
- `llama_cpp` and `openai_custom` are exchanges with servers that need other requests.
- `translated` is an exchange with a server of another API, and `request_writers` its requests.
"""
