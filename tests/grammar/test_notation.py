"""Test the grammars of the notation itself, for any tool and any arguments."""

import pytest

from lton.grammar import to_gbnf, to_lark
from tests.cases import GOOD, Good
from tests.grammar.acceptors import gbnf_accepts, llguidance_accepts
from tests.grammar.languages import BEYOND, FORMS, options


@pytest.mark.deep
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "case",
    [case for case in GOOD if case.calls and case.name not in {*BEYOND, "deepest"}],
    ids=lambda case: case.name,
)
def test_the_notation_has_every_call(case: Good, form: str) -> None:
    """For any tool, texts of the encoder are in the language of the form."""
    text = getattr(case, form)
    assert gbnf_accepts(to_gbnf(None, **options(form)), text)
    assert llguidance_accepts(to_lark(None, **options(form)), text)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "text", ["", "f", " f", "f (", "f [1,]", "f\n(1)", "f 'a", "!call f\n(s2:a)", "f(a=1,b=2)"]
)
def test_the_notation_has_no_more(text: str, form: str) -> None:
    """For any tool, a text that is not a call in the form is not in the language."""
    is_call = text == "f" and form in ("wire", "keyed")
    assert llguidance_accepts(to_lark(None, **options(form)), text) == is_call
    assert gbnf_accepts(to_gbnf(None, **options(form)), text) == is_call
