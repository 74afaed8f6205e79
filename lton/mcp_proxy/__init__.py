"""A proxy in front of an MCP server, with tools as signatures and results in LTON.

- `proxy` processes messages, `catalogue` lists tools, `results` shortens results, and `unshown`
  finds what a signature hides. They do no I/O.
- `approvals` leaves out tools that could pass for others, and reports changes.
- `transport` and `http` carry messages by the transports of the library `mcp`, and `stateless`
  carries requests over HTTP without a session. None uses the library's sessions, so messages that
  the library does not know are passed on, too.
- `faults` explains refused requests over HTTP, and `revival` restarts a server that died.
- `several` serves all servers of a client's file as one, `install` puts the proxy into such a file,
  and `files` writes files.
- `command` is the command line.
"""
