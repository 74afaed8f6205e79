"""Read calls from models' output that may not be valid LTON, and report each repair.

The strict modules do not import this package.

- `_scan` searches text for calls. `_quoted` recognizes quotations and other speakers' turns, and
  `_marks`, `_layout` and `_enclosed` the text around calls.
- `_calls_by_name` (with `_names`) and `_calls_in_json` find calls.
- `_candidates` reads a call, with `_arguments`, `_strings`, `_tree` and `_call_elements`. `_coerce`
  converts the values according to the schema.
- `_json_calls` finds the calls in a JSON value, and what no call used. `_json_keys` says what keys
  mean. `_shown_calls` recognizes definitions of tools, and templates of calls.
- `_doubt` decides whether a call is intended, and `_left_over` finds unread arguments next to a
  call. `_spans` stores the calls, and `_results` builds the result.
- `mending` reads the arguments of calls that a server has already parsed.
- `evidence` decides which calls are certain, with `syntaxes`, the table of call syntaxes, and
  `_echo`, which finds calls that the model was given.
- `_openings` lists how calls begin, for this package and for the gateway's rescue.
- `_examples` marks templates of calls, and `_programs` says where text is Python.
- `_effort` limits the work. `_not_yet_a_call` finds the start of a stream that contains no call.
"""

from lton.lenient._not_yet_a_call import Plain
from lton.lenient._results import LenientResult, Repair, UncertainCall
from lton.lenient._scan import decode_lenient
from lton.lenient.mending import Mended, mend_call

__all__ = [
    "LenientResult",
    "Mended",
    "Plain",
    "Repair",
    "UncertainCall",
    "decode_lenient",
    "mend_call",
]
