"""Parts of the reader that shorter ways to read a text leave aside."""

from lton.codec._lexemes import begins_record
from lton.codec._values import _plain
from lton.schema.types import Number, Type


def test_a_record_begins_with_a_parenthesis() -> None:
    """Nothing else begins one, whatever follows."""
    assert not begins_record("a=1", 0)
    assert begins_record("(a=1)", 0)


def test_numbers_without_bounds_are_plain() -> None:
    """Numbers with bounds are, too, and each value is held to them."""
    assert _plain(Type(number=Number(integer=True)))
    assert _plain(Type(number=Number(minimum=3)))
