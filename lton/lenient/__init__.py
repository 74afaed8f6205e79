"""Reading what models really write: a second reader beside the strict one, with listed repairs.

Nothing strict imports it, and the format can be known without it.

- `_scan` is the door: it goes through the text. `_quoted` passes over what another says, and
  `_marks`, `_layout` and `_enclosed` know what is around calls.
- `_calls_by_name` (with `_names`) and `_calls_in_json` say where a call is.
- `_candidates` reads it, with `_strings`, `_tree` and `_json_shapes`. `_coerce` fits it to the
  schema.
- `_doubt` says whether a call is meant, and `_left_over` what beside it was not read. `_spans`
  keeps what was found, and `_results` makes the result of it.
- `_openings` says how calls begin, also for those who rescue them.
- `_effort` bounds what all that costs.
- `_not_yet_a_call` says which part of a stream can be no call.
"""

from lton.lenient._not_yet_a_call import Plain
from lton.lenient._results import LenientResult, Repair, UncertainCall
from lton.lenient._scan import decode_lenient

__all__ = ["LenientResult", "Plain", "Repair", "UncertainCall", "decode_lenient"]
