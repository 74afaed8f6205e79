"""Serve an MCP server's tools as signatures or short schemas, and its results in LTON.

- `proxy` processes messages, `catalogue` lists tools, `slim` shortens their schemas, `results`
  shortens results, `unshown` finds parts of a schema that a signature hides, and `controls` makes
  control characters visible. These modules do no I/O.
- `approvals` excludes tools that could be mistaken for others, and reports changes.
- `stdio` exchanges messages over pipes. `transport` and `http` use the transports of the library
  `mcp` for HTTP, and `stateless` serves requests over HTTP without a session. These modules do not
  use the library's sessions, so they can pass on messages that the library does not know.
- `faults` explains requests that a server refused over HTTP, `noise` reports output that is not a
  message, and `revival` restarts a server that died.
- `several` serves all servers in a client's file as one server, and `install` puts the proxy into
  such a file. `jsonc` changes values in JSON with comments.
- `command` is the command line.
"""
