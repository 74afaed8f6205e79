"""A proxy before an MCP server: its tools as signatures, its results in LTON."""
