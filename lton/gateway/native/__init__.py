"""Implement `--calls native`: pass a model's own calls through unchanged, in the client's API.

- `native_requests` reads the relevant parts of a body, and changes it only as options require.
  Options add `strict` schemas, shorten results (`result_forms`), or shorten `unused_tools`.
- `rescues` reads calls that a model wrote as text. `call_prefix` and `call_after_prose` decide
  where such a call may begin, and `call_watcher` decides how much of a stream to hold.
- `native_calls` collects native calls, and detects endless ones. `call_checks` checks calls, and
  `corrections` lets the model correct them. `inquiries` asks the model whether it meant a call in
  its text.
- `enforcing` changes calls that break their schemas or the request: `mending` mends calls, and
  `required` handles required calls, and requests that allow one call.
- `need_check` decides whether a call was needed, and `needed_calls` holds it until then.
- `repeated_turns` finds a model that makes the same calls again and again.
- `distinct_names` renames functions of several namespaces for APIs that have no namespaces.
- `passthrough` is the exchange of one request, and uses `calls_in_text` for the answer.
  `answer_state` lists the states of an answer, and the steps between them.

The readers of `lton.apis` parse events. This package does no I/O.
"""
