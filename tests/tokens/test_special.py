"""Test that no text can be read as a special token."""

import pytest

from lton.tokens.special import without_special_names

SPECIAL = """<|im_start|> <|end_of_text|> <s> </s> <bos> <unk> <start_of_turn> <tool_call>
</think> <extra_id_0> [INST] [/INST] [TOOL_CALLS] [gMASK] <|"|>""".split()
SPECIAL.append("<\uff5cbegin\u2581of\u2581sentence\uff5c>")


@pytest.mark.parametrize("name", SPECIAL)
def test_no_name_of_a_special_token_is_left(name: str) -> None:
    """The names of special tokens of all families that vLLM and SGLang serve are broken up, alone
    and in text.
    """
    for text in (name, f"a{name}b", f"<{name}", f"[{name}]", name * 3):
        assert name not in without_special_names(text)
        assert without_special_names(text).replace(" ", "") == text


@pytest.mark.parametrize(
    "text", ["a < b > c", "x[0]", "[a, B]", "x[i]", "[T]", "1<2", "->", "<>", "List[T", ""]
)
def test_what_is_no_such_name_is_left_as_it_is(text: str) -> None:
    """Text that is not such a name stays unchanged, so comparisons and indices are counted
    exactly.
    """
    assert without_special_names(text) == text
