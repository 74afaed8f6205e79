"""Test the proof of `proof.py` for some tools, and that it would find a fault."""

from fractions import Fraction
from random import Random
from typing import Any

import pytest

from lton import Call, DecodeError, ToolSet, encode
from lton._syntax import Form
from lton.errors import Code
from lton.grammar.nodes import Alt, Chars, Grammar, Lit, Ref, Repeat, Rule, Seq
from tests.cases import F_ANY, F_INT, F_STR, INT, OPEN, STR, WEATHER, outcome, taking
from tests.grammar import proof
from tests.grammar.engines import ENGINES
from tests.grammar.languages import BEYOND_GRAMMARS, Limits
from tests.grammar.recogniser import recogniser
from tests.grammar.sampling import Sampler

SHARES = {
    "llguidance": "1/40",
    "llguidance-o200k": "1/1000",
    "llguidance-anywhere": "1/1000",
    "python-lark": "1/100",
}
OPTIONAL = {
    "llama.cpp": ("1/40", pytest.mark.model),
    "llama.cpp-anywhere": ("1/40", pytest.mark.model),
    "xgrammar": ("1/40", pytest.mark.engines),
    "xgrammar-o200k": ("1/400", pytest.mark.engines),
}
"""Engines that `make test` does not install."""


@pytest.mark.deep
@pytest.mark.parametrize(
    ("engine", "share"),
    [
        *SHARES.items(),
        *(pytest.param(name, share, marks=mark) for name, (share, mark) in OPTIONAL.items()),
    ],
)
def test_the_language_is_what_the_decoder_reads(engine: str, share: str) -> None:
    """An engine, the recogniser and the decoder agree on the texts of a share of all tools."""
    try:
        ENGINES[engine].load()
    except ImportError as error:
        pytest.skip(f"{engine} is not available: {error}")
    *_, (_, tally) = proof.run(engine, Fraction(share))
    assert tally.faults == []
    assert tally.counts["all", "in language"] > 200


# --- that it would find a fault ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gbnf", "text", "fault"),
    [
        (
            'root ::= "stop 1"\n',
            "stop 1",
            "it is in the language, and the decoder refuses it: E207",
        ),
        ('root ::= "stop 1"\n', "stop", "it is canonical, and not in the language"),
        (
            'root ::= "weather.v1 s3:a\\nb 1"\n',
            "weather.v1 s3:a\nb 1",
            "it is in the language, and left out for a counted string",
        ),
        ('root ::= "stop"\n', "stop", ""),
        ('root ::= "stop"\n', "!call stop", ""),
        ('root ::= "stop"\n', "go", ""),
    ],
)
def test_a_wrong_grammar_is_a_fault(gbnf: str, text: str, fault: str) -> None:
    """A grammar that allows too much or too little is found."""
    language = proof.Language(WEATHER, "wire", parallel=False, counted=0, engine="recogniser")
    language.expects = language.accepts = recogniser(gbnf)
    assert language.judge(text).fault == fault


def test_a_wrong_engine_is_a_fault() -> None:
    """An engine that wrongly accepts or refuses is found, and shown with the shortest text."""
    language = proof.Language(WEATHER, "wire", parallel=False, counted=0, engine="recogniser")
    language.accepts = lambda text: "Z" not in text
    fault = language.judge('weather.v1 "San Zeno" 7 C').fault
    assert fault == "the engine refuses it"
    assert language.shortest('weather.v1 "San Zeno" 7 C', fault) == 'weather.v1 "Z" 7 C'
    assert language.judge("x").fault == "the engine accepts it"
    language.accepts = lambda text: None
    assert language.judge("stop").fault == ""


BEYOND: list[tuple[ToolSet, str, str, Code]] = [
    (taking({"type": "number", "maximum": 5}), "wire", "f 7", Code.BOUNDS),
    (taking({**STR, "maxLength": 1}), "punctuated", "f(x=```\n\n\n\n```)", Code.BOUNDS),
    (taking({**STR, "maxLength": 65}), "punctuated", f"f(x=```\na\n{'a' * 66}\n```)", Code.BOUNDS),
    (taking({**STR, "maxLength": 1, "pattern": "^a+ $"}), "wire", 'f "aa "', Code.BOUNDS),
    (taking({**STR, "pattern": "a"}), "wire", "f b", Code.CONSTRAINT),
    (OPEN, "wire", "h 1 z=2 z=2", Code.DUPLICATE),
    (F_ANY, "wire", f"f {'[' * 70}{']' * 70}", Code.DEPTH),
    (taking({"type": ["string", "integer"]}), "wire", f"f {'1' * 5000}", Code.DIGITS),
    (F_ANY, "wire", "f 1e999", Code.NUMBER),
    (F_ANY, "tagged", "!call f\n(f5:1e999)", Code.PAYLOAD),
    (taking({"anyOf": [STR, {"enum": [1, 2]}]}), "wire", "f 3", Code.LABEL),
    (taking({"type": ["string", "integer"]}), "wire", "f 1.5", Code.TYPE),
    (
        taking({"properties": {"a": INT}, "additionalProperties": True}),
        "wire",
        "f (a=x)",
        Code.TYPE,
    ),
]


@pytest.mark.parametrize(("tools", "form", "text", "code"), BEYOND)
def test_errors_beyond_grammars_are(tools: ToolSet, form: Form, text: str, code: Code) -> None:
    """A text of the language has each listed error, so the list needs this entry."""
    language = proof.Language(tools, form, parallel=False, counted=9, engine="llguidance")
    verdict = language.judge(text)
    assert (verdict.expected, verdict.code, verdict.fault) == (True, code, "")


@pytest.mark.parametrize(
    ("tools", "text"),
    [
        (F_INT, "f x"),
        (F_INT, "f -0"),
        (F_INT, "f"),
        (taking({**INT, "maximum": 5}), "f 7"),
        (taking({**STR, "maxLength": 1}), "f ab"),
        (taking({"type": "array", "items": INT, "maxItems": 1}), "f [1 2]"),
        (taking({"enum": ["a", 1]}), "f 2"),
    ],
)
def test_other_errors_are_not_beyond_grammars(tools: ToolSet, text: str) -> None:
    """The same code at another place is a fault of the grammar."""
    error = outcome(text, tools)
    assert isinstance(error, DecodeError)
    assert not Limits("wire", parallel=False, counted=0, bounded=True).is_beyond(error, tools)


def test_every_listed_error_is_needed() -> None:
    """Each listed code has a case above."""
    assert {code for *_, code in BEYOND} == BEYOND_GRAMMARS


@pytest.mark.parametrize(
    ("tools", "arguments", "form", "reason"),
    [
        (F_STR, "a\nb", "keyed", "a counted string"),
        (F_STR, "a\n````", "punctuated", "a fence of five backticks"),
        (F_ANY, {"a\n```": 1}, "wire", "a fence of four backticks"),
        (F_INT, 7.0, "wire", "a double where integers are expected"),
        (taking({"enum": [1, 2]}), 1.0, "wire", "a listed number in another spelling"),
        (
            taking({"additionalProperties": INT, "properties": {"a": INT}}),
            {"s3": 1},
            "wire",
            "a key that is not declared and begins like a counted string, or an atom",
        ),
        (F_INT, 10**40, "wire", "an integer of more than 40 digits"),
        (
            taking({"type": "number", "minimum": 0}),
            -0.0,
            "wire",
            "-0.0 where no number is negative",
        ),
        (
            taking({**STR, "pattern": "^.*$"}),
            "'\"",
            "wire",
            "a string of a pattern in another spelling",
        ),
        (F_INT, 7, "wire", None),
        (taking({"type": ["string", "integer"]}), 7.0, "wire", None),
    ],
)
def test_what_is_left_out_is(
    tools: ToolSet, arguments: Any, form: Form, reason: str | None
) -> None:
    """The canonical text is excluded for exactly this reason, so the list needs it."""
    language = proof.Language(tools, form, parallel=False, counted=0, engine="llguidance")
    verdict = language.judge(encode(Call("f", {"x": arguments}), tools, form=form))
    assert (verdict.expected, {*verdict.reasons}) == (not reason, {reason} - {None})
    assert not verdict.fault


def test_another_number_of_calls_is_left_out() -> None:
    """A grammar for one call excludes two calls, and a grammar without calls excludes one."""
    for text, parallel in (("", True), ("", False), ("stop\n&", False)):
        language = proof.Language(
            WEATHER, "wire", parallel=parallel, counted=0, engine="llguidance"
        )
        verdict = language.judge(text)
        assert (verdict.expected, {*verdict.reasons}) == (False, {"the number of calls"})


def test_every_alternative_is_sampled() -> None:
    """Every alternative and the largest repetition can be drawn, and recursion ends."""
    deep = Alt((Seq((Lit("("), Ref("x"), Ref("x"), Lit(")"))), Lit(".")))
    node = Seq((Alt((Lit("a"), Repeat(Lit("b"), 1, 4))), Chars("0-1"), Ref("x")))
    sampler = Sampler(Grammar((Rule("start", node), Rule("x", deep))))
    texts = {sampler.text(Random(seed)) for seed in range(500)}
    assert {text[: text.index("(")] if "(" in text else text[:-1] for text in texts} == {
        head + digit for head in ("a", *("b" * n for n in range(1, 5))) for digit in "01"
    }
