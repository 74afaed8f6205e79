"""Text and values, both ways. No input and output anywhere.

One reader serves whole texts and streams. Each part reads from a position in a text. It gives the
value and the position after it, or it stops: `Wrong` and `More` are exceptions of `_stops`.

- `_lexemes` reads strings, lengths and names.
- `_groups` reads what is in brackets, `_members` what has names, `_tables` like objects with their
  keys once.
- `_values` reads the values of a type (`_kinds` says what it allows), `tagged` the same with kinds
  and lengths, `_frames` calls and answers. `_checks` says what a tool refuses, and `_given` what a
  caller has of calls.
- `_decode` reads a whole text, and `_encode` writes one.
- `decoder` reads a stream: it goes on from where the reader stopped. `_buffer` keeps what has come
  of the text, `_thoughts` passes over what is between the marks of thoughts.
- `_fast_reader` (with `_fast_atoms`) and `_fast_writer` do the common case fast and give up on
  everything else. The other modules are the truth, and tests compare them.
"""

from lton.codec._decode import decode
from lton.codec._encode import encode
from lton.codec.decoder import Decoder

__all__ = ["Decoder", "decode", "encode"]
