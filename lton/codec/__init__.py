"""Encode calls as text and decode text to calls. Nothing here does I/O.

The same reader serves strings and streams. Each part reads at a position in the text and
returns a value and the position after it, or raises one of the two exceptions of `_stops`: `Wrong`
and `More`.

- `_lexemes` reads strings, lengths and names.
- `_groups` reads bracketed groups, `_members` named values, and `_tables` rows with a header.
- `_values` reads values of a type, `tagged` reads and writes values with kinds and lengths, and
  `_frames` reads calls and answers. `_checks` validates
  values against a tool, and `_given` converts calls in the JSON of an API.
- `_decode` reads a whole text, and `_encode` writes one.
- `decoder` reads a stream, resuming where the reader stopped. `_buffer` holds the text that has
  arrived, and `_thoughts` skips or reports a model's thoughts.
- `_fast_reader` (with `_fast_atoms`) and `_fast_writer` handle the common cases and give up on
  everything else. The other modules define the behavior, and tests compare the two.
"""

from lton.codec._decode import decode
from lton.codec._encode import encode
from lton.codec.decoder import Decoder

__all__ = ["Decoder", "decode", "encode"]
