"""Test faults of lenient reading that mutants revealed (`tests/MUTANTS.md`)."""

import pytest

from lton import ToolSet, decode_lenient
from lton.errors import RepairCode
from lton.lenient._effort import Cost, Effort, EffortSpentError

TOOLS = ToolSet.from_tools(
    [
        {
            "name": "weather",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
                "required": ["city"],
            },
        }
    ]
)
CALL = "weather(city='Oslo')"


def test_effort_is_spent_and_ends() -> None:
    effort = Effort(0)
    for _ in range(12_000 // (Cost.LOOSE + 50)):
        effort.spend_units(Cost.LOOSE, 50)

    with pytest.raises(EffortSpentError):
        effort.spend_units(Cost.LOOSE)


def test_looking_costs_an_eighth_of_reading() -> None:
    effort = Effort(0)
    all_of_it = effort.budget
    effort.spend_on_scanning(800)

    assert all_of_it - effort.budget == 101


def test_a_long_text_may_cost_more() -> None:
    assert Effort(1000).budget - Effort(0).budget == 5 * 1000


@pytest.mark.parametrize(
    ("text", "called"),
    [
        (CALL, CALL),
        (f"Yes.\n{CALL}\nDone.", f"{CALL}\n"),
        (f"{CALL}\n\nDone.", f"{CALL}\n"),
        (f"```lton\n{CALL}\n```\n", f"```lton\n{CALL}\n```\n"),
    ],
)
def test_what_is_called_is_said(text: str, called: str) -> None:
    result = decode_lenient(text, TOOLS, safe=False)

    assert [call.name for call in result.calls] == ["weather"]
    assert "".join(text[start:end] for start, end in result.called) == called


def test_all_of_a_strict_text_is_called() -> None:
    text = "weather Oslo\nweather Bergen 2"

    assert decode_lenient(text, TOOLS).called == ((0, len(text)),)
    assert decode_lenient("", TOOLS).called == ()


@pytest.mark.parametrize(
    "text",
    [
        f"You write <tool_call>{CALL}</tool_call> to ask for it.",
        "It is <function=weather><parameter=city>Oslo</parameter></function> there.",
        'It is <tool_call>{"name": "weather", "arguments": {"city": "Oslo"}}</tool_call> there.',
    ],
)
def test_what_a_sentence_goes_on_after_is_uncertain(text: str) -> None:
    result = decode_lenient(text, TOOLS)

    assert not result.calls
    assert [doubt.code for doubt in result.uncertain] == [RepairCode.SENTENCE]


def test_aliases_are_as_safe_as_names() -> None:
    short = TOOLS.with_aliases()
    text = f"You write <tool_call>{CALL}</tool_call> to ask for it."

    assert not decode_lenient(text, short).calls
    assert [call.name for call in decode_lenient(text, short, safe=False).calls] == ["weather"]
