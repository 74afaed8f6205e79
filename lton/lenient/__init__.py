"""Reading what models really write: a second reader beside the strict one, with listed repairs."""

from lton.lenient._plain import Plain
from lton.lenient._search import LenientResult, Repair, UncertainCall, decode_lenient

__all__ = ["LenientResult", "Plain", "Repair", "UncertainCall", "decode_lenient"]
