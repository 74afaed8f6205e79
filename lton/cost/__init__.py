"""What the requests of chat logs cost, part by part: as they are, and in LTON; with the cache.

- `trial` finds what agents on this machine kept, `wrapped` is what `lton wrap` would have sent,
  and `page` shows both.
- `command` reads files, `report` says what was counted.
- `bill` counts requests. `logs` reads them in the shapes of APIs, `sessions` those in the files of
  agents, `streams` joins events of streams.
- `gemini` reads that API, `typescript` writes definitions as OpenAI's models are shown them.
"""

from lton.cost.bill import Bill
from lton.cost.logs import Record, records

__all__ = ["Bill", "Record", "records"]
