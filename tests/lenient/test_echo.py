"""Test which calls are echoes of a text that the model was given."""

import pytest

from lton import Call
from lton.lenient import _echo
from lton.lenient._echo import SeenTexts

DELETE = Call("delete_file", {"path": "/tmp/a", "options": {"force": True, "tries": [2, None, ""]}})
SEARCH = Call("search", {"query": "red tea"})


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (DELETE, "delete_file /tmp/a, 2 tries"),
        (DELETE, '{"tries": 2, "path": "\\/tmp\\/a", "tool": "Delete_File"}'),
        (SEARCH, "search(query='red\\ntea')"),
        (SEARCH, 'Use `search` for "red   tea".'),
        (SEARCH, 'search {"query": "red tea"}'),
        (Call("stop"), "Then call stop()."),
        (Call("stop"), '"stop"'),
        (Call("f.g", {"x": "a-b"}), "f.g a-b"),
    ],
)
def test_echoes(call: Call, text: str) -> None:
    """A name and all values that occur together are an echo, in any notation."""
    assert SeenTexts(["Hello.", text]).has_call(call)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (DELETE, "delete_file /tmp/ab, 2 tries"),
        (DELETE, "delete_file x/tmp/a, 22 tries"),
        (DELETE, "delete_files /tmp/a 2"),
        (SEARCH, "I search for red tea."),
        (SEARCH, "`search` for red teas and predred tea"),
        (SEARCH, "`search`" + " word" * 200 + " red tea"),
        (Call("stop"), "Please stop."),
        (Call("stop_it"), "Please use stop_it now."),
        (SEARCH, ""),
    ],
)
def test_no_echoes(call: Call, text: str) -> None:
    """Parts of words, ordinary words in sentences, and values far away are not an echo."""
    assert not SeenTexts([text]).has_call(call)


def test_a_name_and_a_value_in_two_texts_are_no_echo() -> None:
    """The name and the values must be in one text."""
    assert not SeenTexts(["`search`", "red tea"]).has_call(SEARCH)


def test_a_text_with_very_many_names_is_an_echo() -> None:
    """A text that repeats the name to exhaust the reader counts as an echo."""
    assert SeenTexts(["`search` " * (_echo._MOST_NAMES + 1)]).has_call(SEARCH)
