"""Where answers come from: what each kind of server needs, and how it is asked.

- `kinds` says how each kind of server is asked to write calls, and `probing` finds out what a
  server can do.
- `http` asks a server. `local` is a model in this process, and `guided` an exchange with it.
- `llama_cpp` and `openai_custom` are exchanges with servers that are asked otherwise.
- `translated` is a request before a server of another API, which `request_writers` write.
"""
