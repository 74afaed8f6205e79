"""Compare lenient with strict reading, and write every lenient result strictly."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lton import DecodeError, ToolSet, decode, decode_lenient, encode
from lton._syntax import FORMS
from lton.errors import RepairCode
from spec.conformance.run import read_cases
from tests import strategies as own
from tests.cases import BAD, GOOD, READ, TOOLSETS, exact, loop_over

CASES = [case for case in read_cases() if case["kind"] == "lenient"]


def check(text: str, tools: ToolSet | None) -> None:
    """Compare the two readers on a text."""
    for safe in (True, False):
        result = decode_lenient(text, tools, safe=safe)
        for call in [*result.calls, *(doubt.call for doubt in result.uncertain)]:
            for form in FORMS if tools is not None else FORMS[-1:]:
                call_text = encode(call, tools, form=form)
                assert exact(decode(call_text, tools)) == exact([call])
        try:
            calls = decode(text, tools)
        except DecodeError:
            assert not result.calls or result.repairs or result.errors or result.uncertain
        else:
            # R-1001: a template is uncertain, even if it can be read strictly
            uncertain = [doubt.call for doubt in result.uncertain]
            assert sorted(map(repr, [*result.calls, *uncertain])) == sorted(map(repr, calls))
            codes = [*(doubt.code for doubt in result.uncertain), *(r.code for r in result.repairs)]
            assert set(codes) <= {RepairCode.EXAMPLE}
            assert safe or not uncertain
            assert result.errors == ()
            assert result.complete


@loop_over(GOOD)
def test_what_is_written(case: Any) -> None:
    for form in FORMS:
        check(getattr(case, form), case.tools)


@loop_over([*READ, *BAD])
def test_what_is_read_or_refused(case: Any) -> None:
    check(case.text, case.tools)


@pytest.mark.untraced
@loop_over(CASES)
def test_what_is_repaired(case: Any) -> None:
    check(case["text"], TOOLSETS.get(case["tools"]))


@own.examples(200)
@given(own.toolsets(), st.data())
def test_made_up_calls(definitions: Any, data: st.DataObject) -> None:
    """Both readers agree on calls of generated tools, valid and damaged, single and repeated."""
    tools = ToolSet.from_tools(definitions)
    calls = data.draw(own.calls_for(definitions))
    text = encode(calls, tools, form=data.draw(st.sampled_from(FORMS)))
    check(text, tools)
    check(data.draw(own.mangled(f"{text}\n{text}")), tools)
