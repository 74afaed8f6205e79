"""Test that copied texts are fixed, that forms are read back, and that verdicts are right."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from lton.engines.llamacpp import LlamaEngine
from lton_bench.study.lengths import FORMS, Form, ask, read, run, verdicts
from lton_bench.study.lengths_cases import MOST_SHOTS, Case, cases, shots
from lton_bench.study.lengths_report import markdown, summary
from tests.generate.scripted import Scripted
from tests.grammar.acceptors import gbnf_accepts

BY_NAME = {form.name: form for forms in FORMS.values() for form in forms}
COUNTED = BY_NAME["sN:"]


def test_the_cases_are_fixed() -> None:
    """The cases stay the same, because a change would change every figure; new cases need a new
    seed.
    """
    some = cases(8)
    assert len(some) == 8 * (6 + 2 + 4)
    text = json.dumps([[case.group, case.text] for case in some])
    assert sha256(text.encode()).hexdigest()[:16] == "2536b29d815c2d2d"


def test_fewer_cases_are_the_first_of_more_and_no_shot_is_one() -> None:
    assert set(cases(3)) < set(cases(1000))
    texts = [(case.kind, case.text) for case in cases(1000)]
    assert len(set(texts)) == len(texts)
    for case in cases(1):
        shown = shots(case, MOST_SHOTS)
        assert len(set(shown)) == MOST_SHOTS
        assert shots(case, 2) == shown[:2]
        assert not {(case.kind, text) for text in shown} & set(texts)


def test_cases_are_what_their_group_says() -> None:
    for case in cases(1000):
        lines = case.text.split("\n")
        if case.group == "quotes":
            assert '"' in case.text
        if case.group == "lines":
            assert '"' in case.text
            assert all(line.strip() for line in lines)
        assert len(lines) == (3 if case.group == "lines" else 1)
        if " to " in case.group:
            low, high = map(int, case.group.split(" to "))
            assert low <= len(case.text) <= high


@pytest.mark.parametrize("form", BY_NAME.values(), ids=lambda form: form.name)
def test_a_form_reads_what_it_writes_and_its_grammar_lets_it_be(form: Form) -> None:
    """Each form reads what it writes, its grammar accepts it, and so do the examples."""
    asked = [case for case in cases(3) if form in FORMS[case.kind]]
    asked = [case for case in asked if (form.name, case.group) != ("line", "lines")]
    assert asked
    for case in asked:
        for text in (case.text, *shots(case, 2)):
            written = form.write(text)
            assert form.read(written) == text
            assert gbnf_accepts(form.gbnf, written)
            assert gbnf_accepts(form.gbnf, f"{written}\n\n")


@pytest.mark.parametrize(
    ("text", "count", "held", "copied", "valid", "right", "repaired"),
    [
        ("s11:San Leandro", 11, True, True, True, True, True),
        ("s12:San Leandro", 12, False, True, False, False, True),
        ("s3:San Leandro", 3, False, True, False, False, False),  # 3 is where a value can end
        ("s3:San", 3, True, False, True, False, False),
        ("s13:San Francisco", 13, True, False, True, False, False),
        ("San Leandro", None, False, False, False, False, False),
        ("", None, False, False, False, False, False),
    ],
)
def test_counts_and_copies_are_judged_apart(
    text: str, count: int | None, held: bool, copied: bool, valid: bool, right: bool, repaired: bool
) -> None:
    """Lengths and copies are judged separately; the grammar allows only lengths that fit."""
    assert gbnf_accepts(COUNTED.gbnf, text) == held
    found = verdicts(COUNTED, "San Leandro", text, ended=True)
    assert found == {
        "valid": valid,
        "right": right,
        "copied": copied,
        "count": count,
        "held": held,
        "repaired": repaired,
    }
    cut = verdicts(COUNTED, "San Leandro", text, ended=False)
    assert cut == dict.fromkeys(found, False) | {"count": None}


@pytest.mark.parametrize(
    ("name", "wanted", "text", "valid"),
    [
        ("digits", "42", "43", True),
        ("digits", "42", "042", False),
        ("uN:", "42", "u3:42", False),
        ("line", "a", "b", True),
        ("line", "a", "", False),
        ("quoted", "a", '"b"', True),
        ("quoted", "a b", "a b", False),
        ("quoted", 'a"', '"a""', False),
        ("quoted", "a", '"a")\ncopy(text="a"', False),
        ("fenced", "a", "```\na", False),
        ("JSON", "a", '"\\n"', True),
        ("JSON", "1", "1", False),
    ],
)
def test_what_is_wrong_may_be_valid(name: str, wanted: str, text: str, valid: bool) -> None:
    found = verdicts(BY_NAME[name], wanted, text, ended=True)
    assert (found["valid"], found["right"]) == (valid, False)


@pytest.mark.parametrize(
    ("name", "wanted", "pieces", "text"),
    [
        ("line", "a b", ["a", " b\nc"], "a b"),
        ("line", "a b", ["a", None], "a"),
        ("quoted", "a b", ['"a', '\nb"'], '"a'),
        ("fenced", "a b", ["```\na", " b\n", "```\n"], "```\na b\n```"),
        ("sN:", "a b", ["s3:", "a b\n"], "s3:a b"),
        ("sN:", "a\nb", ["s3:", "a\n", "b\n", None], "s3:a\nb"),
        ("sN:", "a\nb", ["s3:", "a\nb\n\nc"], "s3:a\nb"),
    ],
)
def test_without_a_grammar_an_answer_ends_with_its_line_its_lines_its_fence_or_its_turn(
    name: str, wanted: str, pieces: list[str | None], text: str
) -> None:
    engine = Scripted(*pieces)
    sample = ask(engine, BY_NAME[name], _case(wanted), grammar=False, count=2)
    assert engine.grammars == [r"root ::= [^\x00]*"]
    assert (engine.pieces, sample["text"], sample["ended"]) == ([], text, True)
    assert sample["sampled"] == len([piece for piece in pieces if piece])


@pytest.mark.parametrize(
    ("name", "pieces", "text"),
    [
        ("sN:", ["s2:a\n", None], "s2:a\n"),
        ("sN:", ["s2:ab", "\n\n", None], "s2:ab"),
        ("line", ["ab\n", None], "ab"),
        ("JSON", ['"ab"\n', None], '"ab"'),
    ],
)
def test_with_a_grammar_an_answer_ends_where_the_model_ends_it(
    name: str, pieces: list[str | None], text: str
) -> None:
    """Under a grammar, an answer ends where the model ends it, without the newline after it."""
    engine = Scripted(*pieces)
    sample = ask(engine, BY_NAME[name], _case("ab"), grammar=True, count=0)
    assert engine.grammars == [BY_NAME[name].gbnf]
    assert (engine.pieces, sample["text"], sample["valid"]) == ([], text, True)


def test_an_answer_that_never_ends_is_nothing() -> None:
    sample = ask(Scripted(*"a" * 100), BY_NAME["line"], _case("a"), grammar=False, count=2)
    assert (sample["sampled"], sample["ended"], sample["valid"]) == (18, False, False)


def _case(text: str) -> Case:
    return Case("text", "1 to 4", text)


def test_a_run_asks_for_what_is_not_there(tmp_path: Path) -> None:
    file = tmp_path / "samples.jsonl"
    answers = 2 * (5 * 8 - 1 + 2 * 4)
    run(Scripted(*["x", None] * answers), "m", file, texts=1)
    whole = file.read_text("utf-8")
    assert len(read(file)) == answers
    file.write_text(whole[:-9], "utf-8")
    assert len(read(file)) == answers - 1
    run(Scripted("x", None), "m", file, texts=1)
    assert file.read_text("utf-8") == whole
    run(Scripted(), "m", file, texts=1)


def _sample(form: str, group: str, **other: Any) -> dict[str, Any]:
    asked = {"model": "m", "shots": 2, "kind": "text", "group": group, "form": form}
    rest = {"grammar": True, "size": 3, "sampled": 4, "right": True, "copied": True, "valid": True}
    return asked | rest | other


def test_the_tables() -> None:
    """Too low a length cuts a string, and quoted strings are not in the table of lengths."""
    counted = {"held": True, "repaired": False}
    samples = [
        _sample("line", "1 to 4"),
        _sample("line", "5 to 8", right=False, copied=False, sampled=8),
        _sample("line", "quotes", valid=False),
        _sample("sN:", "1 to 4", count=3, **counted),
        _sample("sN:", "1 to 4", count=2, right=False, **counted),
        _sample("sN:", "5 to 8", count=None, right=False, valid=False, **counted),
    ]
    figures = summary(samples)
    line = figures["m, 2 shots"]["text"]["line"]["grammar"]
    assert (line["all"]["answers"], line["all"]["tokens"]) == (2, 6)
    assert line["all"]["right"][0] == 0.5
    text = markdown(figures)
    assert "| line | grammar | 100% | 0% | 50% (9% to 91%) | 50% | 100% | 6.0 | 100% |" in text
    assert "| `sN:` | grammar | 50% | 0% | 33% (6% to 79%) | 100% | 67% | 4.0 |  |" in text
    assert "| 1 to 4 | 50% | 50% | 0% | 50% |" in text
    assert "| all | 33% | 33% | 0% | 33% |" in text


@pytest.mark.model
def test_a_model_copies_digits_and_does_not_count_them() -> None:
    """A model copies digits and does not count; under the grammar, any length is right."""
    from lton_bench.demo import load_model

    engine = LlamaEngine(load_model())
    for case in cases(1)[-4:]:
        for grammar in (False, True):
            assert ask(engine, BY_NAME["digits"], case, grammar=grammar, count=2)["right"]
        counted = ask(engine, BY_NAME["uN:"], case, grammar=True, count=2)
        assert counted["valid"]
        assert counted["held"]
