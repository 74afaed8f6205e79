"""Test that the table of keywords is complete, and that what is computed from it is, too."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from importlib import import_module

import pytest

from lton.mcp_proxy import slim
from lton.schema.jsonschema.keyword_checks import JUDGES
from lton.schema.jsonschema.keywords import (
    _SHAPES,
    CHECKED,
    KEYWORDS,
    KNOWN,
    NEWEST_DRAFT,
    Keyword,
    KeywordRole,
    KeywordShape,
)
from lton.schema.jsonschema.references import LISTED, NAMED, ONE

ROWS = {keyword.name: keyword for keyword in KEYWORDS}
DRAFTS = {"draft-04": 4, "draft-06": 6, "draft-07": 7, "2019-09": 2019, "2020-12": NEWEST_DRAFT}
SILENT = (KeywordRole.NOTE, KeywordRole.ADDRESS)  # roles of keywords that refuse no value
WITH_ANOTHER = {
    "then": "if",
    "else": "if",
    "minContains": "contains",
    "maxContains": "contains",
    "additionalItems": "items",
    "dependencies": "dependentSchemas",
}
"""Keywords that are checked by another keyword, or converted to it."""


def keywords_of_drafts() -> Mapping[int, set[str]]:
    """Return the keywords in the meta-schemas of JSON Schema, which are an independent list."""
    keywords = defaultdict[int, set[str]](set)
    keywords[4].add("$ref")  # which the meta-schema of draft 4 uses, and does not define
    registry = import_module("jsonschema_specifications").REGISTRY
    for address in registry:
        contents = registry.contents(address)
        for name, draft in DRAFTS.items():
            if name in address:
                keywords[draft].update(contents.get("properties", ()))
    return keywords


def test_each_keyword_has_one_row() -> None:
    assert set(Counter(keyword.name for keyword in KEYWORDS).values()) == {1}


@pytest.mark.parametrize("draft", DRAFTS.values())
def test_each_keyword_of_json_schema_has_a_row(draft: int) -> None:
    """Only notes may be newer than their row says, because they change no meaning."""
    keywords = keywords_of_drafts()[draft]
    assert len(keywords) > 30
    assert keywords <= {*ROWS}
    rows = [ROWS[name] for name in keywords]
    assert [row.name for row in rows if row.since > draft] == []
    earliest = {
        name: min(d for d, names in keywords_of_drafts().items() if name in names)
        for name in keywords
    }
    assert [
        row.name for row in rows if row.role not in SILENT and row.since != earliest[row.name]
    ] == []


def test_each_check_has_a_row_and_each_row_a_check() -> None:
    """A keyword that can refuse a value is checked, by itself or with another keyword."""
    assert {*JUDGES} <= {*ROWS}
    assert {*WITH_ANOTHER.values()} <= {*JUDGES}
    refusing = {keyword.name for keyword in KEYWORDS if keyword.role not in SILENT}
    assert refusing - JUDGES.keys() == WITH_ANOTHER.keys()


def test_the_proxy_knows_each_keyword() -> None:
    """A keyword that is not a note is either validating in all drafts, or disputed."""
    for row in KEYWORDS:
        is_either = (row.name in slim._VALIDATING) is not (row.name in slim._DISPUTED)
        assert is_either or row.role in SILENT, row
        is_checked_here = JUDGES.keys() & {row.name, WITH_ANOTHER.get(row.name)}
        assert row.role in SILENT or is_checked_here, row
    assert ROWS.keys() >= slim._VALIDATING | slim._DISPUTED | slim._WITHOUT_EFFECT.keys()


def test_a_layout_knows_each_keyword() -> None:
    """Each keyword that can refuse a value is enforced by the layout, or checked afterwards."""
    refusing = {keyword.name for keyword in KEYWORDS if keyword.role not in SILENT}
    assert refusing <= KNOWN | CHECKED


def test_schemas_are_found_in_each_keyword_with_schemas() -> None:
    """The checks that apply other schemas are of keywords in which references are looked for."""
    applying = {
        KeywordRole.CONTENT,
        KeywordRole.HIDDEN,
        KeywordRole.REST,
        KeywordRole.BRANCHES,
        KeywordRole.EXCLUSION,
    }
    applying |= {KeywordRole.CONDITION, KeywordRole.CONSEQUENCE}
    assert {
        keyword.name for keyword in KEYWORDS if keyword.role in applying
    } <= ONE | LISTED | NAMED


def test_each_shape_has_a_check() -> None:
    assert _SHAPES.keys() == {*KeywordShape}
    assert Keyword("x", KeywordRole.NOTE).is_agreed
