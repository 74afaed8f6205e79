"""Reading what models really write: a second reader beside the strict one, with listed repairs.

Nothing strict imports it, and the format can be known without it.

- `_search` is the door: it goes through the text. `_quoted` passes over what another says, and
  `_marks` and `_enclosed` know what is around calls.
- `_named_calls` (with `_names`) and `_foreign_calls` say where a call is.
- `_reading` reads it, with `_strings`, `_loose` and `_foreign`; `_coerce` fits it to the schema.
- `_doubt` says whether a call is meant. `_spans` keeps what was found, and `_results` makes the
  result of it.
- `_effort` bounds what all that costs.
- `_plain` says which part of a stream can be no call.
"""

from lton.lenient._plain import Plain
from lton.lenient._results import LenientResult, Repair, UncertainCall
from lton.lenient._search import decode_lenient

__all__ = ["LenientResult", "Plain", "Repair", "UncertainCall", "decode_lenient"]
