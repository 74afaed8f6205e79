"""Read calls from the real output of models, with a listed repair for each departure from LTON.

Nothing strict imports this package.

- `_scan` searches a text for calls. `_quoted` skips quotations and other speakers' turns; `_marks`,
  `_layout` and `_enclosed` recognize the surroundings of calls.
- `_calls_by_name` (with `_names`) and `_calls_in_json` find calls.
- `_candidates` reads it, with `_arguments`, `_strings`, `_tree` and `_json_shapes`. `_coerce` fits
  the values to the schema.
- `_doubt` decides whether a call is meant, and `_left_over` looks for unread arguments next to it.
  `_spans` stores the calls found; `_results` builds the result.
- `_openings` lists how calls begin, also for the gateway's rescue.
- `_effort` limits the work. `_not_yet_a_call` finds the part of a stream without calls.
"""

from lton.lenient._not_yet_a_call import Plain
from lton.lenient._results import LenientResult, Repair, UncertainCall
from lton.lenient._scan import decode_lenient

__all__ = ["LenientResult", "Plain", "Repair", "UncertainCall", "decode_lenient"]
