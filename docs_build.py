"""What MkDocs does not do by itself: pages that include files, links between them, made-up tables.

A page says `<!-- include: PATH -->` where the text of a file of this repository goes, without its
title, and `<!-- generate: NAME -->` where a table of the program goes. A link to an included file
leads to its page. One to another file of the repository leads to `repo_url`, where mkdocs.yml has
one, and is plain text else; one to no file at all is an error, as is a fault of MkDocs' own checks.
"""

import ast
import io
import os
import re
import subprocess
import sys
import tokenize
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from posixpath import dirname, normpath, relpath
from typing import Any

import griffe
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parent
DOCS = "docs"
INCLUDE = re.compile(r"^<!-- include: (\S+) -->$", re.MULTILINE)
GENERATE = re.compile(r"^<!-- generate: (\S+) -->$", re.MULTILINE)
LINK = re.compile(r"(!?)\[([^\]\n]*)\]\(([^()\s]+)\)")
CODE = re.compile(r"^(`{3,})[^\n]*\n.*?^\1$|`+[^`\n]*`+", re.MULTILINE | re.DOTALL)
TITLE = re.compile(r"\A# .*\n+")
PICTURES = "benchmarks/results"
"""Its pictures are at the site's `results/`."""


# --- the hooks of MkDocs --------------------------------------------------------------------------


def on_files(files: Files, *, config: Any) -> Files:
    """Add the pictures of the results to the site."""
    for path in sorted((ROOT / PICTURES).glob("*.svg")):
        files.append(File.generated(config, f"results/{path.name}", abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: Any, files: Files) -> str:
    """Put in what a page includes and what is generated, with links from where the page is."""
    here = f"{DOCS}/{page.file.src_uri}"
    links = Links(here, config.repo_url, included(files))

    def text_of(found: re.Match[str]) -> str:
        path = normpath(f"{dirname(here)}/{found[1]}")
        if not (ROOT / path).is_file():
            raise PluginError(f"{here} includes {path}, which is not there")
        return links.rewritten(TITLE.sub("", (ROOT / path).read_text("utf-8")), path)

    own = links.rewritten(markdown, here)
    return GENERATE.sub(lambda found: GENERATED[found[1]](), INCLUDE.sub(text_of, own))


def included(files: Files) -> dict[str, str]:
    """Get the pages of the files that are included whole, by their paths in this repository."""
    pages = {}
    for file in files.documentation_pages():
        for found in INCLUDE.finditer(Path(file.abs_src_path or "").read_text("utf-8")):
            path = normpath(f"{DOCS}/{dirname(file.src_uri)}/{found[1]}")
            pages[path] = f"{DOCS}/{file.src_uri}"
    return pages


class Links:
    """Makes links of a text hold on the page that includes it."""

    def __init__(self, page: str, repository: str | None, pages: Mapping[str, str]) -> None:
        self.page, self.repository, self.pages = page, repository, pages

    def rewritten(self, text: str, path: str) -> str:
        """Get the text of a file with its links from the page; what is code stays as it is."""
        parts, end = [], 0
        for code in CODE.finditer(text):
            parts += [self._between(text[end : code.start()], path), code[0]]
            end = code.end()
        return "".join([*parts, self._between(text[end:], path)])

    def _between(self, text: str, path: str) -> str:
        return LINK.sub(lambda found: self._link(found, path), text)

    def _link(self, found: re.Match[str], path: str) -> str:
        mark, words, target = found.groups()
        address, _, anchor = target.partition("#")
        if not address or "://" in address or address.startswith("mailto:"):
            return found[0]
        named = normpath(f"{dirname(path)}/{address}")
        anchor = f"#{anchor}" if anchor else ""
        if not (ROOT / named).exists():
            raise PluginError(f"{path} has a link to {named}, which is not there")
        if named in self.pages:
            return f"{mark}[{words}]({self._from_here(self.pages[named])}{anchor})"
        if named.startswith(f"{PICTURES}/") and named.endswith(".svg"):
            picture = f"{DOCS}/results/{named.rpartition('/')[2]}"
            return f"{mark}[{words}]({self._from_here(picture)})"
        if named.startswith(f"{DOCS}/"):
            return f"{mark}[{words}]({self._from_here(named)}{anchor})"
        if self.repository:
            return f"{mark}[{words}]({self.repository}/blob/main/{named}{anchor})"
        return words if words.strip("`") == named else f"{words} (`{named}`)"

    def _from_here(self, path: str) -> str:
        return relpath(path, dirname(self.page))


# --- what is generated ----------------------------------------------------------------------------


def codes() -> dict[str, dict[str, str]]:
    """Get the tables of `lton/errors.py`: what each code means, as the comment beside it says."""
    source = (ROOT / "lton/errors.py").read_text("utf-8")
    comments = {
        token.start[0]: token.string.lstrip("# ")
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    }
    found: dict[str, dict[str, str]] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef) and node.name in {"Code", "RepairCode"}:
            found[node.name] = {
                each.value.value: comments[each.value.lineno]
                for each in node.body
                if isinstance(each, ast.Assign)
                and isinstance(each.value, ast.Constant)
                and isinstance(each.value.value, str)
            }
    return found


def what_to_do() -> dict[str, str]:
    """Get what to do about each error code."""
    text = (ROOT / DOCS / "reference/what_to_do.toml").read_text("utf-8")
    found: dict[str, str] = tomllib.loads(text)
    return found


def error_codes() -> str:
    """Get a table of the error codes: what each means, and what to do."""
    meanings, advice = codes()["Code"], what_to_do()
    if meanings.keys() != advice.keys():
        odd = sorted(meanings.keys() ^ advice.keys())
        raise PluginError(f"docs/reference/what_to_do.toml and lton.Code differ: {odd}")
    lines = ["| code | what is wrong | what to do |", "|---|---|---|"]
    for code, meaning in meanings.items():
        lines.append(f'| <span id="{code.lower()}">{code}</span> | {_cell(meaning)} | {_cell(advice[code])} |')
    return "\n".join(lines)


def repair_codes() -> str:
    """Get a table of the codes of repairs."""
    lines = ["| code | what was repaired |", "|---|---|"]
    lines += [f"| {code} | {_cell(meaning)} |" for code, meaning in codes()["RepairCode"].items()]
    return "\n".join(lines)


def _cell(text: str) -> str:
    said = text.replace("|", "\\|")
    return said[:1].upper() + said[1:] + "."


def commands() -> str:
    """Get what each command says of itself."""
    parts = []
    listed = re.findall(r"^ {4}([a-z][\w-]*) {2,}", _help(), re.MULTILINE)
    for name in listed:
        if name == "bench":  # of another distribution
            continue
        parts.append(f"## lton {name}\n\n```text\n{_help(name)}```\n")
        for action in re.findall(r"^ {4}([a-z][\w-]*) {2,}", _help(name), re.MULTILINE):
            if name == "context":
                parts.append(f"### lton {name} {action}\n\n```text\n{_help(name, action)}```\n")
    return "\n".join(parts)


def _help(*command: str) -> str:
    """Get the help of a command, as a terminal of 90 columns shows it."""
    asked = [sys.executable, "-m", "lton", *command, "--help"]
    environment = {**os.environ, "COLUMNS": "90", "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        asked, capture_output=True, text=True, check=True, env=environment, cwd=ROOT
    ).stdout


GENERATED: dict[str, Callable[[], str]] = {
    "commands": commands,
    "error-codes": error_codes,
    "repair-codes": repair_codes,
}


# --- docstrings -----------------------------------------------------------------------------------


class Doctests(griffe.Extension):
    """Shows the examples and the pictures of docstrings as code: in Markdown they are quotes."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the text of a docstring when it has been read."""
        if obj.docstring:
            obj.docstring.value = "\n".join(fenced(obj.docstring.value.splitlines()))


def fenced(lines: list[str]) -> Iterator[str]:
    """Get lines with a fence around each doctest, which ends with an empty line."""
    is_open = False
    for line in lines:
        begins = line.lstrip().startswith(">>>")
        if begins and not is_open:
            yield from ("", "```pycon")
            is_open = True
        elif is_open and not line.strip():
            yield "```"
            is_open = False
        yield line
    if is_open:
        yield "```"
