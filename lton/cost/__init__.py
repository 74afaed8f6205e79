"""Count the tokens of logged requests, as they were sent and as LTON would send them.

- `command` is `lton cost`. `reading` reads files, and `trial` finds the sessions of agents.
- `bill` counts requests, and `report` and `page` show the counts.
- `logs` reads requests of APIs, `sessions` reads files of agents (`counted` finds copies in them),
  and `streams` joins events.
- `modes` counts the definitions of an MCP server in each mode of `lton mcp-proxy`.
- `wrapped` rewrites requests as `lton wrap` would, and `typescript` writes definitions as OpenAI's
  models see them.
"""

from lton.cost.bill import Bill
from lton.cost.logs import Record, records

__all__ = ["Bill", "Record", "records"]
