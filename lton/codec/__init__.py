"""Encode calls as text and decode text to calls. No function of this package does I/O.

Strings and streams have the same reader. Each reading function takes a position, and returns a
value and the position after it. Otherwise it raises one of two exceptions from `_stops`: `Wrong`
and `More`.

- `_lexemes` reads strings, lengths and names.
- `_groups` reads groups in brackets, `_members` named values, and `_tables` rows with a header.
- `_values` reads values of a type, `tagged` reads and writes values with kinds and lengths, and
  `_frames` reads calls and answers. `_checks` checks values against a tool, and `_given` converts
  calls from the JSON of an API.
- `_decode` reads a whole text, and `_encode` writes a text.
- `decoder` reads a stream, and resumes where the reader stopped. `_buffer` holds the received text,
  and `_thoughts` skips or reports thoughts.
- `_fast_reader` (with `_fast_atoms`) and `_fast_writer` handle the common cases, and leave all
  others to the general modules. The general modules define the behavior, and tests compare both.
"""

from lton.codec._decode import decode
from lton.codec._encode import encode
from lton.codec.decoder import Decoder

__all__ = ["Decoder", "decode", "encode"]
