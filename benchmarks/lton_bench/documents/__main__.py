"""Measure which words the readers of documents lose.

    python -m lton_bench.documents FOLDER... [--lost]

reads each document in the folders with `lton.documents`, and with other readers, as far as they
are installed: pdftotext (of poppler), pdfium (`pip install pypdfium2`), pandoc, striprtf, and
readers of elements that hold text (`others`). It prints for each format:

- how many files are read, and why the others are not;
- how many of the texts end with a note that says what is missing;
- how many words of the other readers are in the texts (*recall*): on average, and in how many
  files at least 99 %;
- how many texts lack a word of the other readers *silently*, that is without a note about text.

A word that is joined with another one, such as `tabletop` for `table top`, is not lost, but lowers
the recall. `--lost` lists the files with lost words.

Test data of other projects are good documents, because they contain what is difficult. Nothing of
them is in this repository. For example:

    git clone --depth 1 https://github.com/OWNER/NAME

with py-pdf/pypdf, pdfminer/pdfminer.six and jsvine/pdfplumber for PDF; jgm/pandoc,
docling-project/docling, microsoft/markitdown and apache/tika for many formats;
python-openxml/python-docx and scanny/python-pptx; eea/odfpy, tdf/odftoolkit, webodf/WebODF and
PHPOffice/PhpSpreadsheet for OpenDocument; mikel/mail, stalwartlabs/mail-parser,
zbateson/mail-mime-parser and sisimai/set-of-emails for e-mails; jupyter/nbconvert,
jupyter/nbformat and mwouts/jupytext for notebooks; w3c/epubcheck and readium/readium-test-files
for EPUB; joniles/rtfparserkit and joshy/striprtf for RTF.
"""

import argparse
import logging
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean

from lton.documents import DocumentError, kind_of, read
from lton_bench.documents.others import READERS, Reader
from lton_bench.internals import progress
from lton_bench.markdown_tables import write_head, write_row

_WORD = re.compile(r"[^\W_]+")
_HYPHEN = re.compile(r"(?<=\w)[-\u2010\x02\ufffe]\s*\n\s*(?=\w)")
"""A hyphen at the end of a line, inside of a word. pdfium writes U+0002 or U+FFFE."""
_MARK = re.compile(r"\[(?:\^|comment )\d+\](?!:)")
"""The mark of a footnote or a comment, which may be inside of a word."""
_NOTE = re.compile(r"\[Missing here: (.*)\]$", re.MULTILINE)
_NO_WORDS = re.compile(
    r"(?:pictures?|images?|embedded|attached) ?(?:without|object|document|file|$)"
)
"""A member of a note that is about something else than text."""
_HIGH = 0.99
_SHOWN_WORDS = 8


@dataclass(frozen=True, slots=True)
class Comparison:
    """The words of a file that other readers find, and which of them a text lacks."""

    readers: str
    recall: float
    lost: Counter[str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a file: an error, or a text that is compared."""

    path: Path
    format_name: str
    error: str = ""
    note: str = ""
    comparisons: list[Comparison] = field(default_factory=list)

    def loses_silently(self, comparison: Comparison) -> bool:
        """Return whether words are lost, and no note is about text."""
        parts = self.note.split(", ") if self.note else []
        return bool(comparison.lost) and all(map(_NO_WORDS.search, parts))


def count_words(text: str) -> Counter[str]:
    r"""Count the words of a text, without hyphens at the ends of lines.

    >>> sorted(count_words("Two para-\ngraphs, two").items())
    [('paragraphs', 1), ('two', 2)]
    """
    return Counter(_WORD.findall(_normalize(text)))


def _normalize(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text.replace("\u00ad", ""))
    return _HYPHEN.sub("", plain).casefold()


def compare_words(name: str, theirs: Counter[str], text: str) -> Comparison | None:
    """Compare the words of other readers with a text, or return None if there are no words.

    >>> comparison = compare_words("pandoc", Counter(table=1, top=1, lamp=1), "tabletop")
    >>> print(f"{comparison.recall:.2f}", dict(comparison.lost))
    0.00 {'lamp': 1}
    """
    total = theirs.total()
    if not total:
        return None
    lacking = theirs - count_words(text)
    joined = "".join(_WORD.findall(_normalize(_MARK.sub("", text))))
    lost = Counter(
        {word: count for word, count in lacking.items() if joined.count(word) < theirs[word]}
    )
    return Comparison(name, 1 - lacking.total() / total, lost)


def shared_words(readers: Iterable[Reader], path: Path) -> Counter[str] | None:
    """Return the words that all readers find, or None if one of them cannot read the file."""
    shared: Counter[str] | None = None
    for reader in readers:
        try:
            found = count_words(reader.read(path))
        except Exception:  # any error of another program
            return None
        shared = found if shared is None else shared & found
    return shared


def judge_file(path: Path, groups: dict[str, list[tuple[Reader, ...]]]) -> Outcome:
    """Read a file with LTON and with groups of other readers."""
    format_name = path.suffix[1:].lower()
    content = path.read_bytes()
    try:
        kind = kind_of(content, path.name)
        if kind is None:
            raise DocumentError("not a document")
        text = read(content, kind)
    except DocumentError as error:
        return Outcome(path, format_name, error=str(error))
    notes = ", ".join(_NOTE.findall(text))
    comparisons = []
    for readers in groups[format_name]:
        words = shared_words(readers, path)
        names = " and ".join(reader.name for reader in readers)
        comparison = compare_words(names, words, text) if words else None
        if comparison:
            comparisons.append(comparison)
    return Outcome(path, format_name, note=notes, comparisons=comparisons)


def installed_groups() -> dict[str, list[tuple[Reader, ...]]]:
    """Return the groups of readers that are installed. Groups of fewer readers count once."""
    groups: dict[str, list[tuple[Reader, ...]]] = {}
    for format_name, known in READERS.items():
        found = [tuple(reader for reader in group if reader.is_installed()) for group in known]
        groups[format_name] = [group for group in dict.fromkeys(found) if group]
    return groups


def find_documents(folders: Iterable[Path]) -> list[Path]:
    """Return the files in folders, and in folders below, that have a suffix of a known format."""
    found = (path for folder in folders for path in sorted(folder.rglob("*")))
    return [path for path in found if path.suffix[1:].lower() in READERS and path.is_file()]


def _report_rows(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield a row for each format and group of readers."""
    for format_name in sorted({outcome.format_name for outcome in outcomes}):
        files = [outcome for outcome in outcomes if outcome.format_name == format_name]
        texts = [outcome for outcome in files if not outcome.error]
        noted = sum(bool(outcome.note) for outcome in texts)
        pairs = [(outcome, comparison) for outcome in texts for comparison in outcome.comparisons]
        names = dict.fromkeys(comparison.readers for _, comparison in pairs)
        for name in names or ["nothing"]:
            group = [pair for pair in pairs if pair[1].readers == name]
            recalls = [comparison.recall for _, comparison in group]
            silent = sum(outcome.loses_silently(comparison) for outcome, comparison in group)
            yield write_row(
                format_name.upper(),
                len(files),
                len(texts),
                noted,
                name,
                len(group),
                f"{fmean(recalls):.4f}" if recalls else "-",
                sum(recall >= _HIGH for recall in recalls),
                silent,
            )


def _error_lines(outcomes: Iterable[Outcome]) -> Iterator[str]:
    """Yield how often each kind of error occurs, by format."""
    kinds = Counter(
        (outcome.format_name, re.split(r"[,;:\[(]", outcome.error)[0].strip())
        for outcome in outcomes
        if outcome.error
    )
    for (format_name, error), count in sorted(kinds.items()):
        yield f"- {format_name.upper()}, {count}: {error}"


def _lost_lines(outcomes: Iterable[Outcome]) -> Iterator[str]:
    for outcome in outcomes:
        for comparison in outcome.comparisons:
            if comparison.lost:
                mark = "SILENT" if outcome.loses_silently(comparison) else outcome.note
                words = " ".join(word for word, _ in comparison.lost.most_common(_SHOWN_WORDS))
                yield f"{outcome.path} {comparison.readers} {comparison.recall:.3f} {mark}: {words}"


_HEAD = [
    "format", "files", "read", "with a note", "compared with", "files compared", "recall",
    f"at least {_HIGH}", "silent losses",
]  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table of all formats."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--lost", action="store_true", help="list the files with lost words")
    options = parser.parse_args(arguments)
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it writes many warnings
    groups = installed_groups()
    outcomes = []
    with progress() as show:
        for path in find_documents(options.folders):
            show(path.name)
            outcomes.append(judge_file(path, groups))
    if options.lost:
        print("\n".join([*_lost_lines(outcomes), ""]))
    print("\n".join([*write_head(*_HEAD), *_report_rows(outcomes)]))
    print("\n".join(["\nNot read:\n", *_error_lines(outcomes)]))
    readers = {reader.name for known in groups.values() for group in known for reader in group}
    print(f"\nOther readers: {', '.join(sorted(readers))}")


if __name__ == "__main__":
    main()
