"""An MCP server without any library, with one tool per page.

Its first argument, if any, selects a fault.
"""

import json
import sys
from typing import Any

TOOLS = [
    {"name": "a", "inputSchema": {"type": "object"}},
    {
        "name": "b",
        "title": "B",
        "description": "Do b.",
        "inputSchema": {
            "type": "object",
            "properties": {"x": {"type": ["integer", "null"], "default": None}},
        },
        "annotations": {"readOnlyHint": True},
    },
    {"name": "c", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}},
]
FAULT = sys.argv[1] if len(sys.argv) > 1 else ""


def initialize(params: dict[str, Any]) -> dict[str, Any]:
    return {
        "protocolVersion": params["protocolVersion"],
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "pages", "version": "1.2"},
    }


def listed(params: dict[str, Any]) -> dict[str, Any]:
    page = int(params.get("cursor", 0))
    if FAULT == "dies" and page:
        print("all well\nError: \x1b[31mno more pages\nbye", file=sys.stderr)
        sys.exit(3)
    if FAULT == "invalid":
        return {"tools": [{"name": page}]}
    following = page if FAULT == "endless" else page + 1
    more = {"nextCursor": str(following)} if following < len(TOOLS) else {}
    return {"tools": TOOLS[page : page + 1], **more}


if __name__ == "__main__":
    for line in sys.stdin:
        request = json.loads(line)
        if FAULT == "babbles":
            print("what?", flush=True)
        elif FAULT == "refuses" and request["method"] == "tools/list":
            error = {"code": -32601, "message": "Method not found"}
            print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "error": error}), flush=True)
        elif "id" in request:
            method = {"initialize": initialize, "tools/list": listed}[request["method"]]
            result = method(request.get("params") or {})
            print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
    print("bye")
