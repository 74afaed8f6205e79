"""Test that editors colour the conformance suite as the format's terminals define."""

import json
import re
from itertools import groupby

import pytest

import editors.__main__ as editor_files
from lton import encode
from lton._syntax import FORMS
from lton_bench.demo import CALLS, demo_tools
from spec.conformance.run import read_cases
from tests.editors.reference import KINDS, kinds
from tests.editors.shown import by_textmate, by_tree_sitter, captured
from tests.editors.texts import texts

SAMPLE = (editor_files.HERE / "sample.lton").read_text("utf-8")
TEXTS = [
    *texts(),
    SAMPLE,
    *(
        encode(CALLS, demo_tools(), form=form, sigil=sigil)
        for form in FORMS
        for sigil in (False, True)
    ),
]
TREE_SITTER = editor_files.HERE / "tree-sitter-lton"


def differing(
    text: str, actual: list[str | None], expected: list[str | None]
) -> list[tuple[int, str, str | None, str | None]]:
    """Return the positions at which a character has a wrong colour; line ends have no colour."""
    return [
        (at, character, one, other)
        for at, (character, one, other) in enumerate(zip(text, actual, expected, strict=True))
        if one != other and character != "\n"
    ]


def runs(text: str) -> list[tuple[str | None, str]]:
    """Return the pieces of a text that have one kind."""
    groups = groupby(zip(kinds(text), text, strict=True), key=lambda pair: pair[0])
    return [(kind, "".join(text for _, text in pieces)) for kind, pieces in groups]


def beyond_lines(text: str) -> bool:
    """Return whether TextMate's patterns, which see one line at a time, cannot read a text.

    This applies to a counted string with a line end, and to a fence as a key.
    """
    return any("\n" in piece and kind in ("counted", "atom", "key") for kind, piece in runs(text))


def test_the_texts_have_lexemes_of_every_kind() -> None:
    text_kinds = {kind for text in TEXTS for kind in kinds(text)}
    assert text_kinds == {None, *KINDS}
    assert len(TEXTS) > 200


def test_the_second_opinion_knows_lexemes() -> None:
    """The reference reader finds the right kinds in a line that can be checked by eye."""
    assert [run for run in runs('f#0a1b2c3d "a b",s3:x y k=[(p q)1 _;2 null]') if run[0]] == [
        ("name", "f"),
        ("fingerprint", "#0a1b2c3d"),
        ("quoted", '"a b"'),
        ("punctuation", ","),
        ("counted", "s3:x y"),
        ("key", "k"),
        ("punctuation", "=[("),
        ("key", "p"),
        ("key", "q"),
        ("punctuation", ")"),
        ("number", "1"),
        ("skip", "_"),
        ("punctuation", ";"),
        ("number", "2"),
        ("literal", "null"),
        ("punctuation", "]"),
    ]


def test_what_is_made_of_the_terminals_is_fresh() -> None:
    """The files that `python -m editors` generates are current."""
    for name, text in editor_files.files().items():
        assert (editor_files.HERE / name).read_text("utf-8") == text, name


def test_the_parser_is_made_of_the_terminals() -> None:
    """The parser was generated after the last change of the terminals or of a rule's name."""
    grammar = json.loads((TREE_SITTER / "src" / "grammar.json").read_text("utf-8"))
    text = json.dumps(grammar)
    for name, terminal in editor_files.terminals().items():
        if name not in ("answers", "literal", "separator"):  # which are written as several
            assert json.dumps(terminal) in text, name
    source = (TREE_SITTER / "grammar.js").read_text("utf-8")
    assert list(grammar["rules"]) == re.findall(r"^    (\w+): \(", source, re.MULTILINE)
    parser = (TREE_SITTER / "src" / "parser.c").read_text("utf-8")
    for rule in grammar["rules"]:
        assert rule.startswith("_") or f"sym_{rule} =" in parser, rule


def test_the_colours_are_of_nodes_that_there_are() -> None:
    nodes = json.loads((TREE_SITTER / "src" / "node-types.json").read_text("utf-8"))
    named = {node["type"] for node in nodes}
    node_names = re.findall(
        r"\((\w+)\)", (TREE_SITTER / "queries/highlights.scm").read_text("utf-8")
    )
    assert set(node_names) <= named
    assert len(node_names) > 10


@pytest.mark.editors
def test_textmate_shows_what_the_terminals_say() -> None:
    """vscode-textmate and Oniguruma, as in VS Code, agree with the terminals; few texts are
    excluded.
    """
    texts = [text for text in TEXTS if not beyond_lines(text)]
    assert len(TEXTS) - len(texts) < 0.1 * len(TEXTS)
    for text, actual in zip(texts, by_textmate(texts), strict=True):
        assert differing(text, actual, kinds(text)) == [], text
    print(f"TextMate: {len(texts)} of {len(TEXTS)} texts, each character as the terminals say")


@pytest.mark.editors
def test_tree_sitter_shows_what_the_terminals_say() -> None:
    """The compiled parser reads every valid text, and each character has the right kind."""
    for text in TEXTS:
        if "``` ```" in text:  # a key and a value: the scanner takes both for one fence
            continue
        actual, has_error = by_tree_sitter(text)
        assert not has_error, text
        assert differing(text, actual, kinds(text)) == [], text
    print(f"tree-sitter: {len(TEXTS)} texts, each character as the terminals say")


@pytest.mark.editors
def test_every_lexeme_has_a_colour() -> None:
    """The highlight query has a colour for each character of a lexeme, and for no other."""
    names = captured(SAMPLE)
    for character, kind, name in zip(SAMPLE, kinds(SAMPLE), names, strict=True):
        assert (kind is None) == (name is None) or character == "\n"
    assert len(set(names)) == 11


@pytest.mark.editors
def test_tree_sitter_marks_what_is_no_text() -> None:
    """The trees of most texts with a syntax error contain an error."""
    refused = [
        case["text"]
        for case in read_cases()
        if case["kind"] == "decode" and case.get("error", {}).get("code") in ("E101", "E105")
    ]
    marked = sum(by_tree_sitter(text)[1] for text in refused)
    print(f"tree-sitter: an error in {marked} of {len(refused)} texts with a wrong syntax")
    assert marked > 0.5 * len(refused) > 10
