"""The proof of `proof.py` on a share of the tools; and that it would find a fault."""

from fractions import Fraction
from random import Random
from typing import Any

import pytest

from lton import Call, DecodeError, ToolSet, encode
from lton.errors import Code
from lton.grammar import to_gbnf
from lton.grammar.nodes import Alt, Chars, Grammar, Lit, Ref, Repeat, Rule, Seq
from tests.cases import F_ANY, F_INT, F_STR, INT, OPEN, STR, WEATHER, outcome, taking
from tests.grammar import proof
from tests.grammar.engines import ENGINES
from tests.grammar.languages import BEYOND_GRAMMARS, Limits
from tests.grammar.recogniser import recogniser
from tests.grammar.sampling import Sampler

SHARES = {
    "llguidance": "1/20",
    "llguidance-o200k": "1/400",
    "llguidance-anywhere": "1/400",
    "python-lark": "1/100",
}
OPTIONAL = {
    "llama.cpp": ("1/40", pytest.mark.model),
    "llama.cpp-anywhere": ("1/40", pytest.mark.model),
    "xgrammar": ("1/40", pytest.mark.engines),
    "xgrammar-o200k": ("1/400", pytest.mark.engines),
}
"""Engines that `make test` does not install."""


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
    assert tally.counts["all", "in language"] > 500


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
    """A grammar that is too wide or too narrow is found."""
    language = proof.Language(WEATHER, "wire", parallel=False, counted=0, engine="recogniser")
    language.expects = language.accepts = recogniser(gbnf)
    assert language.judge(text).fault == fault


def test_a_wrong_engine_is_a_fault() -> None:
    """An engine that accepts or refuses what it should not is found, and shown shortest."""
    language = proof.Language(WEATHER, "wire", parallel=False, counted=0, engine="recogniser")
    language.accepts = lambda text: "Z" not in text
    fault = language.judge('weather.v1 "San Zeno" 7 C').fault
    assert fault == "the engine refuses it"
    assert language.shortest('weather.v1 "San Zeno" 7 C', fault) == 'weather.v1 "Z" 7 C'
    assert language.judge("x").fault == "the engine accepts it"
    language.accepts = lambda text: None
    assert language.judge("stop").fault == ""


BEYOND: list[tuple[ToolSet, str, Code]] = [
    (taking({"type": "number", "maximum": 5}), "f 7", Code.BOUNDS),
    (taking({"type": "string", "pattern": "^a"}), "f b", Code.CONSTRAINT),
    (OPEN, "h 1 z=2 z=2", Code.DUPLICATE),
    (F_ANY, f"f {'[' * 70}{']' * 70}", Code.DEPTH),
    (taking({"type": "number"}), "!call f\n(f5:1e999)", Code.PAYLOAD),
    (F_ANY, "f 1e999", Code.NUMBER),
    (taking({"anyOf": [STR, {"enum": [1, 2]}]}), "f 3", Code.LABEL),
    (taking({"type": ["string", "integer"]}), "f 1.5", Code.TYPE),
    (taking({"properties": {"a": INT}, "additionalProperties": True}), "f (a=x)", Code.TYPE),
]


@pytest.mark.parametrize(("tools", "text", "code"), BEYOND, ids=[code for *_, code in BEYOND])
def test_errors_beyond_grammars_are(tools: ToolSet, text: str, code: Code) -> None:
    """A text of the language has this error: the list needs it."""
    form, counted = ("tagged", 9) if code == Code.PAYLOAD else ("wire", 0)
    language = proof.Language(tools, form, parallel=False, counted=counted, engine="llguidance")
    verdict = language.judge(text)
    assert (verdict.expected, verdict.code, verdict.fault) == (True, code, "")


def test_without_bounds_a_number_may_be_too_long() -> None:
    """A grammar without bounds has numbers of more digits than a reader takes."""
    text = f"f {'1' * 5000}"
    assert recogniser(to_gbnf(F_INT, bounded=False))(text)
    error = outcome(text, F_INT)
    assert isinstance(error, DecodeError)
    assert error.code == Code.DIGITS


def test_the_list_of_errors_is_tight() -> None:
    """No other error is listed, and E203 and E204 only where a word has two readings."""
    assert {code for *_, code in BEYOND} | {Code.DIGITS} == BEYOND_GRAMMARS
    error = outcome("f x", F_INT)
    assert isinstance(error, DecodeError)
    limits = Limits("wire", parallel=False, counted=0, bounded=True)
    assert not limits.is_beyond(error, F_INT)


@pytest.mark.parametrize(
    ("tools", "arguments", "form", "reason"),
    [
        (F_STR, "a\nb", "keyed", "a counted string"),
        (F_STR, "a\n```", "punctuated", "a fence of four backticks"),
        (F_ANY, {"a\n```": 1}, "wire", "a fence of four backticks"),
        (F_INT, 7.0, "wire", "a double where integers are expected"),
        (taking({"enum": [1, 2]}), 1.0, "wire", "a listed number in another spelling"),
        (
            taking({"additionalProperties": INT, "properties": {"a": INT}}),
            {"s3": 1},
            "wire",
            "a key that is not declared and begins like a counted string, or an atom",
        ),
        (F_INT, 7, "wire", None),
        (taking({"type": ["string", "integer"]}), 7.0, "wire", None),
    ],
)
def test_what_is_left_out_is(tools: ToolSet, arguments: Any, form: str, reason: str | None) -> None:
    """The canonical text is not in the language for this one reason: the list needs it."""
    language = proof.Language(tools, form, parallel=False, counted=0, engine="llguidance")
    verdict = language.judge(encode(Call("f", {"x": arguments}), tools, **proof.FORMS[form]))
    assert (verdict.expected, {*verdict.reasons}) == (not reason, {reason} - {None})
    assert not verdict.fault


def test_another_number_of_calls_is_left_out() -> None:
    """A grammar of one call has no two, and none has none."""
    for text, parallel in (("", True), ("", False), ("stop\n&", False)):
        language = proof.Language(
            WEATHER, "wire", parallel=parallel, counted=0, engine="llguidance"
        )
        verdict = language.judge(text)
        assert (verdict.expected, {*verdict.reasons}) == (False, {"the number of calls"})


def test_every_alternative_is_sampled() -> None:
    """Each derivation has a chance, also the largest number of times; recursion comes to an end."""
    deep = Alt((Seq((Lit("("), Ref("x"), Ref("x"), Lit(")"))), Lit(".")))
    node = Seq((Alt((Lit("a"), Repeat(Lit("b"), 1, 4))), Chars("0-1"), Ref("x")))
    sampler = Sampler(Grammar((Rule("start", node), Rule("x", deep))))
    texts = {sampler.text(Random(seed)) for seed in range(500)}
    assert {text[: text.index("(")] if "(" in text else text[:-1] for text in texts} == {
        head + digit for head in ("a", *("b" * n for n in range(1, 5))) for digit in "01"
    }
