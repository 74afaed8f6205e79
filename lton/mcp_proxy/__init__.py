"""A proxy before an MCP server: its tools as signatures, its results in LTON.

- `proxy` says what becomes of each message, `catalogue` what a client is shown, and `results`
  writes answers; `unshown` says what a signature leaves out. They do no I/O and are covered whole.
- `approvals` leaves out what could pass for another tool, and reports what changed.
- `transport` and `http` carry messages by the transports of the library `mcp`, and `stateless`
  requests over HTTP that have no session. They use none of the library's sessions: messages of
  the protocol that it does not know come through too.
- `faults` says what a server over HTTP refused, and `revival` starts a server again that died.
- `several` makes one server of those in a client's file, and `install` puts the proxy into it.
  `files` writes what others read.
- `command` starts it.
"""
