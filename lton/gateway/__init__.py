"""A server of three APIs in front of any model server, with native calls or calls in LTON.

- `apis` reads requests of clients into one record, and writes answers in each API.
- `native` passes a model's own calls on. `exchange` is a request whose calls are in LTON.
- `call_mode` chooses between them. `conversations` caches work on earlier messages.
- `upstreams` knows each kind of server.
- `window` is `--context` and `--show`, with tools that the gateway answers itself.
- `compressing` is `--compress`, and `token_counting` counts the tokens of a request.
- `app` serves the `endpoints`, with `threads` for large requests; `output` sends the answers.
- `access` controls access, and `headers` forwards headers; `bodies` reads requests, after
  `decompressing` them.
- `ledger` and `metrics` count, `bills` bills; `dashboard` and `terminal` show it.
- `serving` builds the application, and `command` starts it, in several processes by `workers`.

Only `app`, `output`, `bodies`, `upstreams.http_upstream`, `upstreams.local` and the command do
input and output.
"""
