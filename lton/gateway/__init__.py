"""A server of three APIs before any other: calls stay as a model makes them, or are LTON.

- `apis` reads what clients ask, as one record, and writes answers of each API.
- `native` passes a model's own calls on. `exchange` is a request whose calls are LTON: what the
  upstream is asked, and what its client is given.
- `call_mode` says which of these a request is. `conversations` keeps what was made of those that go
  on, so that a turn costs what is new.
- `upstreams` knows what each kind of server needs, and asks it.
- `window` is `--context` and `--show`: an exchange is a round, and tools of ours are answered.
- `compressing` is `--compress`, and `counting` answers how many tokens a request takes.
- `app` serves `endpoints`, with `threads` for large requests; `output` is what a client is sent.
- `access` says who is let in, `headers` which headers go on; `bodies` reads, `decompressing` too.
- `ledger` and `metrics` count, `billing` says what it cost; `dashboard` and `terminal` show it.
- `serving` puts all together, and `command` starts it, in several processes by `workers`.

Only `app`, `output`, `bodies`, `upstreams.http`, `upstreams.local` and the command do input and
output.
"""
