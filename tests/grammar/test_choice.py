"""Test the tools, the number of calls and the prose that a grammar allows."""

import re
from typing import Any

import pytest

from lton import Call, Decoder, ToolSet, encode
from lton.events import CallEnd, Prose
from lton.grammar import Named, ToolChoice, to_ebnf, to_gbnf, to_lark, to_regex, to_structural_tag
from tests.cases import INT, STR, tool, tools_of
from tests.grammar.acceptors import gbnf_accepts, lark_accepts, llguidance_accepts

TOOLS = tools_of(tool("f", {"a": INT}, ["a"]), tool("g", {"s": STR}))

AUTO = ["", "Hello.", "!call f 1", "(Hm.)\n!call f 1", "a !call f x", "\n\n"]
TWO = ["!call f 1\n!call g", "!call f 1\n\nand\n!call g x\n", "!call f 1\nSo.\n", "!call g\n"]


@pytest.mark.parametrize(
    ("options", "accepted", "refused"),
    [
        (
            {"form": "wire", "tool_choice": "auto", "parallel": True},
            [*AUTO, *TWO],
            ["!call f", "!x", "!", "a\n!b"],
        ),
        ({"form": "wire", "tool_choice": "auto"}, AUTO, [*TWO, "!call f", "!call f 1 "]),
        (
            {"form": "wire", "tool_choice": "none"},
            ["", "Hello.", "a\n\nb"],
            ["!call f 1", "a\n!call f 1"],
        ),
        ({"form": "wire", "tool_choice": Named("f")}, ["f 1"], ["g", "f", "!call f 1", "f 1\nf 1"]),
        ({"form": "wire", "tool_choice": Named("f"), "parallel": True}, ["f 1\n& 2"], ["g"]),
        (
            {"form": "wire", "sigil": True, "parallel": True},
            ["!call f 1", "!call f 1\n!call f 2\n!call g"],
            ["f 1", "!call f 1\n& 2", "!call f 1\nf 2", "Now:\n!call f 1"],
        ),
        ({"form": "wire", "sigil": False}, ["f 1", "g"], ["!call f 1"]),
        (
            {"form": "tagged", "sigil": False, "counted": 9},
            ["!call f\n(u1:1)"],
            ["f\n(u1:1)", "!call f(a=1)"],
        ),
        ({"form": "wire", "tool_choice": "required"}, ["f 1", "g"], ["", "Hello.", "!call f 1"]),
        (
            {"tool_choice": "auto", "form": "punctuated"},
            ["Now:\n!call f(a=1)", '!call g(s="x")'],
            ["!call f(a=1) so", "!call f(a=1)\n!call f(a=1)"],
        ),
        (
            {"tool_choice": "auto", "form": "tagged", "counted": 9, "parallel": True},
            ["Now:\n!call f\n(u1:1)\nI hope", "!call g\n(s3:a\nb)", "!call g\n()\n"],
            [
                "!call f(a=1)",
                "!call f\n(u1:1)\n(I hope)",
                "!call f\n",
                "!call g\n(s2:a\nb)",
                "!call f\n(u1:12)",
            ],
        ),
    ],
    ids=[
        "auto-parallel",
        "auto",
        "none",
        "one",
        "one-parallel",
        "sigil",
        "no-sigil",
        "tagged-sigil",
        "required",
        "punctuated",
        "tagged",
    ],
)
def test_the_texts_of_a_choice(options: Any, accepted: list[str], refused: list[str]) -> None:
    """Three recognisers agree about each text, and the decoder reads the accepted texts (R-429)."""
    lark, gbnf = to_lark(TOOLS, bare=True, **options), to_gbnf(TOOLS, **options)
    for text in accepted + refused:
        expected = text in accepted
        assert llguidance_accepts(lark, text) == expected, text
        assert gbnf_accepts(gbnf, text) == expected, text
        assert lark_accepts(lark, text) in (expected, None), text
    is_prose = options.get("tool_choice") in ("auto", "none")
    for text in accepted:
        decoder = Decoder(TOOLS, prose=is_prose)
        decoder.feed(text)
        decoder.close()
        events = list(decoder)
        assert is_prose or any(isinstance(event, CallEnd) for event in events)
        calls = sum(line.startswith("!call ") for line in text.split("\n"))
        assert not is_prose or sum(isinstance(event, CallEnd) for event in events) == calls
        assert is_prose or not any(isinstance(event, Prose) for event in events)


def test_a_sigil_is_an_option_of_every_grammar() -> None:
    """With the option, a model writes the sigils that it reads in its history (R-429)."""
    texts = [encode([Call("f", {"a": n})], TOOLS, form="wire", sigil=True) for n in (1, 20)]
    options: Any = {"form": "wire", "sigil": True, "tool_choice": Named("f")}
    for text in texts:
        assert re.fullmatch(to_regex(TOOLS, **options), text)
        assert gbnf_accepts(to_gbnf(TOOLS, **options), text)
    assert '"!call f" ' in to_ebnf(TOOLS, **options)
    assert to_gbnf(TOOLS, sigil=None) == to_gbnf(TOOLS) == to_gbnf(TOOLS, sigil=False)
    assert to_gbnf(TOOLS, sigil=True, tool_choice="auto") == to_gbnf(TOOLS, tool_choice="auto")
    assert to_structural_tag(TOOLS, sigil=True) == to_structural_tag(TOOLS)
    with pytest.raises(ValueError, match="sigil must not be False where there may be prose"):
        to_structural_tag(TOOLS, sigil=False, tool_choice="required")


@pytest.mark.parametrize("choice", ["auto", "none"])
def test_no_sigil_is_no_option_beside_prose(choice: ToolChoice) -> None:
    """Next to prose, the sigil cannot be turned off, because it marks calls (R-429)."""
    with pytest.raises(ValueError, match="sigil must not be False where there may be prose"):
        to_lark(TOOLS, sigil=False, tool_choice=choice)


def test_a_tool_that_is_not_there_is_refused() -> None:
    """A choice of an unknown tool is a mistake of the program."""
    with pytest.raises(ValueError, match="no tool 'h'"):
        to_gbnf(TOOLS, tool_choice=Named("h"), form="wire")


def test_a_name_alone_is_no_choice() -> None:
    """A tool with the name of a mode can be chosen, because a bare name is not a choice."""
    with pytest.raises(ValueError, match="found 'f'"):
        to_gbnf(TOOLS, tool_choice="f")  # type: ignore[arg-type]
    tools = ToolSet.from_prompt("auto()\nstop()")
    assert to_gbnf(tools, tool_choice=Named("auto")) == 'root ::= "auto" "(" ")"\n'
    assert "stop" in to_gbnf(tools, tool_choice="auto")


def test_some_of_the_tools() -> None:
    """`select` keeps the order of the tools, and refuses an unknown name."""
    assert [tool.name for tool in TOOLS.select("g", "f")] == ["f", "g"]
    assert to_gbnf(TOOLS.select("g"), form="wire") == to_gbnf(ToolSet(TOOLS.tools[1:]), form="wire")
    with pytest.raises(ValueError, match="no tool 'x'"):
        TOOLS.select("f", "x")
