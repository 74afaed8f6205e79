"""Serve several APIs in front of any model server, with native calls or calls in LTON.

- `apis` decides which parts of an answer a client receives, in the client's API.
- `native` passes on a model's native calls. `exchange` handles requests whose calls are in LTON.
- `roads` has the table of cases that decides what happens to a request.
  `road_evidence` learns from answers whether a model's calls are better guided.
- `call_mode` chooses the call format, and counts the tokens of a request.
- `upstreams` supports each kind of server.
- `window` implements `context` and `show`, with tools that the gateway answers itself.
- `compressing` implements `compress`.
- `routing` builds the application of the `endpoints`. `handling` answers each request, with
  `threads` for large ones, and `output` sends the answers.
- `access` controls access, `headers` forwards headers, and `bodies` reads request bodies, which
  `decompressing` decompresses.
- `ledger` and `metrics` count tokens, `bills` computes costs, and `dashboard` shows both.
- `serving` builds the application, and `command` starts it, in several processes if `workers` are
  requested.

Only `handling`, `output`, `bodies`, `upstreams.http_upstream`, `upstreams.local` and the command do
I/O.
"""
