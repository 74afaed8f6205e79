"""Encode calls as text and decode text back into calls.

The same code reads strings and streams. Each reading function takes a position, and returns a value
and the position after the value. If it cannot, it raises `Wrong` or `More` (see `_stops`).

- `_lexemes` reads strings, lengths and names.
- `_groups` reads groups in brackets, `_members` named values, and `_tables` rows with a header.
- `_records` writes and reads results for small models, which do not occur in calls and answers.
- `_values` reads values of a type, `tagged` reads and writes values with kinds and lengths, and
  `_frames` reads calls and answers. `_checks` checks values against a tool's layout, and `_given`
  converts calls from the JSON of an API.
- `_decode` reads whole text, and `_encode` writes text.
- `decoder` reads a stream, and resumes where it stopped when more text arrives. `_buffer` holds the
  received text, and `_thoughts` skips or reports thoughts.
- `_fast_reader` (with `_fast_atoms`) and `_fast_writer` handle the common cases, and leave all
  others to the general modules, which define the behavior. Tests compare the results of both.
"""

from lton.codec._decode import decode
from lton.codec._encode import encode
from lton.codec.decoder import Decoder

__all__ = ["Decoder", "decode", "encode"]
