"""Test the comparison of extracted texts with other readers."""

import json
import zipfile
from pathlib import Path

import pytest

from lton_bench.documents import __main__ as documents
from lton_bench.documents.others import READERS, Reader

_MAIL = """From: a@example.com
To: b@example.com
Date: Mon, 1 Jan 2024 10:00:00 +0000
Subject: tides
MIME-Version: 1.0
Content-Type: multipart/alternative; boundary=x

--x
Content-Type: text/plain

high water
--x
Content-Type: text/html

<p>high <b>wa</b>ter at noon</p><style>p { color: red }</style>
--x
Content-Type: image/png

--x--
"""
_NOTEBOOK = {
    "nbformat": 4,
    "cells": [
        {"cell_type": "markdown", "source": ["one ", "two"]},
        {
            "cell_type": "code",
            "source": "three",
            "outputs": [{"data": {"text/plain": ["four"], "text/html": "<b>four</b> five"}}],
        },
    ],
}
ARCHIVES = {
    "docx": (
        "word/document.xml",
        "<w><p><t>a</t><t>b</t><tab/><t>c</t></p><moveFrom><t>d</t></moveFrom></w>",
    ),
    "epub": ("text/one.xhtml", "<html><body><p>a<b>b</b></p><p>c</p></body></html>"),
    "odt": ("content.xml", "<body><p>a<span>b</span><s/>c<!-- d --></p></body>"),
    "pptx": ("ppt/slides/slide1.xml", "<s><p><t>ab</t></p><p><t>c</t></p></s>"),
    "xlsx": (
        "xl/sharedStrings.xml",
        "<sst><si><t>ab</t></si><si><t>c</t><rPh><t>d</t></rPh></si></sst>",
    ),
}


def _only_reader(format_name: str) -> Reader:
    """Return the first of the other readers of a format, which needs no program."""
    return READERS[format_name][0][0]


@pytest.mark.parametrize("format_name", ARCHIVES)
def test_elements_of_archives_are_read(format_name: str, tmp_path: Path) -> None:
    name, content = ARCHIVES[format_name]
    path = tmp_path / f"one.{format_name}"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(name, content)
    assert _only_reader(format_name).read(path).split() == ["ab", "c"]


def test_alternatives_are_read_once(tmp_path: Path) -> None:
    mail = tmp_path / "one.eml"
    mail.write_text(_MAIL, "utf-8")
    words = documents.count_words(_only_reader("eml").read(mail))
    assert (words["high"], words["water"], words["noon"], words["color"]) == (1, 1, 1, 0)
    notebook = tmp_path / "one.ipynb"
    notebook.write_text(json.dumps(_NOTEBOOK), "utf-8")
    text = _only_reader("ipynb").read(notebook)
    assert sorted(documents.count_words(text)) == ["five", "four", "one", "three", "two"]


def test_a_loss_is_silent_unless_a_note_is_about_text() -> None:
    lost = documents.compare_words("others", documents.count_words("one two two"), "one two")
    assert lost is not None
    assert (lost.lost, round(lost.recall, 3)) == ({"two": 1}, 0.667)
    whole = documents.compare_words("others", documents.count_words("one two"), "onetwo")
    assert whole is not None
    assert (whole.lost, whole.recall) == ({}, 0)
    assert documents.compare_words("others", documents.count_words("…"), "one") is None
    for note, is_silent in {
        "": True,
        "2 pictures without text": True,
        "2 pictures without text, 1 hidden character": False,
    }.items():
        outcome = documents.Outcome(Path("one.odt"), "odt", note=note)
        assert outcome.loses_silently(lost) is is_silent
        assert not outcome.loses_silently(whole)


def test_a_program_that_fails_or_is_missing_is_not_compared(tmp_path: Path) -> None:
    path = tmp_path / "one.html"
    path.write_text("<p>one", "utf-8")
    failing = Reader("failing", "json", lambda _: str(1 / 0))
    assert documents.shared_words([_only_reader("html"), failing], path) is None
    assert failing.is_installed()
    assert not Reader("absent", "no_such_program", str).is_installed()


def test_the_report_counts_files_errors_and_losses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "whole.html").write_text("<p>one two", "utf-8")
    (tmp_path / "lacking.html").write_text("<p>one two</p><iframe>x</iframe>", "utf-8")
    (tmp_path / "wrong.odt").write_text("nothing", "utf-8")
    (tmp_path / "other.txt").write_text("one", "utf-8")
    html, cells = _only_reader("html"), _only_reader("ipynb")
    more = Reader("more", "json", lambda path: f"{html.read(path)} {path.stem}")
    readers = {name: [(more,)] if name == "html" else [(cells,)] for name in READERS}
    monkeypatch.setattr(documents, "READERS", readers)
    monkeypatch.setattr(documents, "read", lambda content, kind: "one two whole")
    documents.main([str(tmp_path), "--lost"])
    page = capsys.readouterr().out
    assert f"{tmp_path}/lacking.html more 0.667 SILENT: lacking\n" in page
    assert "| HTML | 2 | 2 | 0 | more | 2 | 0.8333 | 1 | 1 |" in page
    assert "- ODT, 1: not a document" in page
    assert "Other readers: cells, more" in page
    assert "| ODT | 1 | 0 | 0 | nothing | 0 | - | 0 | 0 |" in page
    assert ".txt" not in page
