"""Code that type checkers must accept, although names are imported on first use."""

from typing import assert_type

import lton
import lton.events


def accepted(tools: lton.ToolSet, form: lton.Form) -> None:
    """Use the names correctly, and assert the types of the values."""
    call = lton.Call("wait", {"minutes": 5})
    assert_type(lton.encode(call, tools, form=form), str)
    assert_type(lton.decode("wait 5", tools), list[lton.Call])
    assert_type(lton.grammar.to_gbnf(tools, form="keyed", parallel=True), str)
    result = lton.decode_lenient("wait 5", tools)
    assert_type(result, lton.LenientResult)
    assert_type(result.repairs[0], lton.Repair)
    assert_type(result.repairs[0].code, lton.RepairCode)
    assert_type(result.errors[0].code, lton.Code)
    for event in lton.Decoder(tools):
        assert_type(event, lton.events.Event)
        if isinstance(event, lton.events.CallEnd):
            assert_type(event.call, lton.Call)
    assert_type(lton.__version__, str)
