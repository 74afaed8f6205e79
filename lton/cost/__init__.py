"""What tool definitions, calls and results of chat logs cost, in JSON and in LTON."""

from lton.cost.bill import Bill
from lton.cost.logs import Record, records

__all__ = ["Bill", "Record", "records"]
