"""Reading what models really write: a second reader beside the strict one, with listed repairs."""

from lton.lenient._not_yet_a_call import Plain
from lton.lenient._results import LenientResult, Repair, UncertainCall
from lton.lenient._scan import decode_lenient

__all__ = ["LenientResult", "Plain", "Repair", "UncertainCall", "decode_lenient"]
