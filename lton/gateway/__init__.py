"""A server of OpenAI's API before any other: JSON to its clients, LTON to the model.

- `apis` reads what clients ask, as one record, and writes answers of each API.
- `exchange` is one request: what the upstream is asked, and what its client is given.
- `conversations` keeps what was made of those that go on, so that a turn costs what is new.
- `upstreams` knows what each kind of server needs, and asks it. `guided` is an exchange with a
  model in this process, which `lton.generate` asks.
- `fitting` is `--context` and `--show`: an exchange is a round, and tools of ours are answered.
- `app` serves: `doors` says who is let in, `bodies` reads, `ledger` and `metrics` count.
- `serving` puts all together, and `command` starts it, in several processes by `workers`.

Only `app`, `bodies`, `upstreams.http`, `upstreams.local` and the command do input and output.
"""
