"""Assemble the pages of the site: `python -m docs.site.assemble` writes them to build/docs.

The pages are those of docs/. In a page, `<!-- include: PATH -->` is replaced by the text of a file
of this repository, without its title, and `<!-- generate: NAME -->` by a table that a function
below returns. A link to a file that a page includes leads to that page. A link to another file
leads to the repository's address, if pyproject.toml has one; otherwise it becomes plain text. A
link to a file that does not exist is an error. The result is plain Markdown, so that the generator
of the site can be replaced.
"""

import ast
import io
import operator
import os
import re
import shutil
import subprocess
import sys
import tokenize
import tomllib
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from posixpath import dirname, join, normpath, relpath

ROOT = Path(__file__).parents[2]
DOCS = "docs"
PICTURES = "benchmarks/results"
"""The folder of pictures that the site has in `results/`."""
EXAMPLE = "benchmarks/lton_bench/demo/tools.json"
"""The definitions that examples use, copied next to the pages."""
PLAYGROUND = "build/tokens/tokens.html"
"""What `python -m lton_bench.tokens --render` writes; `make docs` does it first."""
INCLUDE = re.compile(r"^<!-- include: (\S+) -->$", re.MULTILINE)
GENERATE = re.compile(r"^<!-- generate: (\S+) -->$", re.MULTILINE)
LINK = re.compile(r"(!?)\[([^\]\n]*)\]\(([^()\s]+)\)")
CODE = re.compile(r"^(`{3,})[^\n]*\n.*?^\1$|`+[^`\n]*`+", re.MULTILINE | re.DOTALL)
TITLE = re.compile(r"\A# .*\n+")
COLUMNS = "90"
"""The width of a terminal that shows help."""


class DocumentError(Exception):
    """A page that cannot be assembled, because a file that it names does not exist."""


def main() -> None:
    """Write the folder anew."""
    target = ROOT / "build" / DOCS
    shutil.rmtree(target, ignore_errors=True)
    for path, text in assembled().items():
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        (target / path).write_text(text, "utf-8")
    for picture in (ROOT / PICTURES).glob("*.svg"):
        shutil.copy(picture, target / "results")
    shutil.copytree(ROOT / DOCS / "pictures", target / "pictures")
    shutil.copy(ROOT / EXAMPLE, target)
    shutil.copy(ROOT / DOCS / "site" / "style.css", target)
    shutil.copy(ROOT / PLAYGROUND, target)


def assembled(generated: Mapping[str, Callable[[], str]] | None = None) -> dict[str, str]:
    """Return the text of each page, by its path in docs/."""
    whole = GENERATED if generated is None else generated
    pages = {
        path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
        for path in sorted((ROOT / DOCS).rglob("*.md"))
    }
    return {
        relpath(name, DOCS): filled(text, Links(name, included(pages)), whole)
        for name, text in pages.items()
    }


def filled(text: str, links: "Links", generated: Mapping[str, Callable[[], str]]) -> str:
    """Return the text of a page with its included and generated parts."""

    def text_of(found: re.Match[str]) -> str:
        path = beside(links.page, found[1])
        if not (ROOT / path).is_file():
            raise DocumentError(f"{links.page} includes {path}, which is not there")
        return links.rewritten(TITLE.sub("", (ROOT / path).read_text("utf-8")), path)

    own = links.rewritten(text, links.page)
    return GENERATE.sub(lambda found: generated[found[1]](), INCLUDE.sub(text_of, own))


def included(pages: Mapping[str, str]) -> dict[str, str]:
    """Return the pages of the files that are included, by their paths in this repository."""
    return {
        beside(name, found[1]): name
        for name, text in pages.items()
        for found in INCLUDE.finditer(text)
    }


def beside(path: str, address: str) -> str:
    """Return the path that a relative address in a file leads to."""
    return normpath(join(dirname(path), address))


def repository() -> str | None:
    """Return the address of the repository, if pyproject.toml has one."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    found: str | None = project.get("urls", {}).get("Repository")
    return found


class Links:
    """Rewrites the links of an included file for the page that includes it."""

    def __init__(self, page: str, pages: Mapping[str, str]) -> None:
        self.page, self.pages, self.repository = page, pages, repository()

    def rewritten(self, text: str, path: str) -> str:
        """Return the text of a file with its links relative to the page; code is not changed."""
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
        named = beside(path, address)
        anchor = f"#{anchor}" if anchor else ""
        if not (ROOT / named).exists():
            raise DocumentError(f"{path} has a link to {named}, which is not there")
        if named in self.pages:
            return f"{mark}[{words}]({self._from_here(self.pages[named])}{anchor})"
        if named.startswith(f"{PICTURES}/") and named.endswith(".svg"):
            picture = f"{DOCS}/results/{named.rpartition('/')[2]}"
            return f"{mark}[{words}]({self._from_here(picture)})"
        if named == EXAMPLE:
            named = f"{DOCS}/tools.json"
        if named.startswith(f"{DOCS}/"):
            return f"{mark}[{words}]({self._from_here(named)}{anchor})"
        if self.repository:
            return f"{mark}[{words}]({self.repository}/blob/main/{named}{anchor})"
        return words if words.strip("`") == named else f"{words} (`{named}`)"

    def _from_here(self, path: str) -> str:
        return relpath(path, dirname(self.page))


# --- what is generated ----------------------------------------------------------------------------


def codes() -> dict[str, dict[str, str]]:
    """Return the meanings of the codes, from the comments in `lton/errors.py`."""
    source = (ROOT / "lton/errors.py").read_text("utf-8")
    comments = {
        token.start[0]: token.string.lstrip("# ")
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    }
    found: dict[str, dict[str, str]] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef) and node.name in {"Code", "RepairCode"}:
            assigned = [each.value for each in node.body if isinstance(each, ast.Assign)]
            values = [(one.lineno, ast.literal_eval(one)) for one in assigned]
            found[node.name] = dict(
                value if isinstance(value, tuple) else (value, comments[line])
                for line, value in values
            )
    return found


def what_to_do() -> dict[str, str]:
    """Return the advice for each error code."""
    text = (ROOT / DOCS / "reference/what_to_do.toml").read_text("utf-8")
    found: dict[str, str] = tomllib.loads(text)
    return found


def error_codes() -> str:
    """Return a table of the error codes, with meaning and advice."""
    meanings, advice = codes()["Code"], what_to_do()
    if meanings.keys() != advice.keys():
        odd = sorted(meanings.keys() ^ advice.keys())
        raise DocumentError(f"docs/reference/what_to_do.toml and lton.Code differ: {odd}")
    lines = ["| code | what is wrong | what to do |", "|---|---|---|"]
    for code, meaning in meanings.items():
        anchor = f'<span id="{code.lower()}">{code}</span>'
        lines.append(f"| {anchor} | {_cell(meaning)} | {_cell(advice[code])} |")
    return "\n".join(lines)


def repair_codes() -> str:
    """Return a table of the codes of repairs."""
    lines = ["| code | what was repaired |", "|---|---|"]
    lines += [f"| {code} | {_cell(meaning)} |" for code, meaning in codes()["RepairCode"].items()]
    return "\n".join(lines)


def _cell(text: str) -> str:
    said = text.replace("|", "\\|")
    return said[:1].upper() + said[1:] + "."


def commands() -> str:
    """Return the help of each command."""
    found: list[tuple[str, ...]] = [(name,) for name in _listed(_help())]
    found += [("context", name) for name in _listed(_help("context"))]
    parts = (f"## lton {' '.join(each)}\n\n```text\n{_help(*each)}```\n" for each in found)
    return "\n".join(parts)


def _listed(text: str) -> list[str]:
    return re.findall(r"^ {4}([a-z][\w-]*) {2,}", text, re.MULTILINE)


def _help(*command: str) -> str:
    """Return the whole help of a command, as a terminal of 90 columns shows it."""
    asked = [sys.executable, "-m", "lton", "help", "all", *command]
    environment = {**os.environ, "COLUMNS": COLUMNS, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        asked, capture_output=True, text=True, check=True, env=environment, cwd=ROOT
    ).stdout


def limits() -> str:
    """Return the tables of limits: each input, its limit, and the error beyond the limit."""
    text = (ROOT / DOCS / "reference/limits.toml").read_text("utf-8")
    lines = []
    for title, rows in tomllib.loads(text).items():
        head = ["| input | limit | beyond the limit | option |", "|---|---:|---|---|"]
        lines += [f"## {title}", "", *head, *map(_limit, rows, rows.values()), ""]
    return "\n".join(lines).rstrip()


def _limit(what: str, row: Mapping[str, str]) -> str:
    most = f"{limit_of(row['limit']):,}" if "limit" in row else "no limit"
    error = row.get("error", "")
    if re.fullmatch(r"E\d{3}", error):
        error = f"[{error}](errors.md#{error.lower()})"
    elif error.isdecimal():
        error = f"status {error}"
    return f"| {what} | {most} | {error or 'the work is linear'} | {row.get('option', '')} |"


def limit_of(place: str) -> int:
    """Return the number that a module assigns to a name: `lton._syntax:MAX_DEPTH`."""
    module, _, name = place.partition(":")
    known: dict[str, int] = {}
    for node in ast.parse((ROOT / f"{module.replace('.', '/')}.py").read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            with suppress(ValueError):
                known[node.targets[0].id] = _number(node.value, known)
    return known[name]


def _number(node: ast.expr, known: Mapping[str, int]) -> int:
    match node:
        case ast.Constant(value=int(value)):
            return value
        case ast.Name(id=name) if name in known:
            return known[name]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_number(left, known), _number(right, known))
    raise ValueError("no number")


_OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Mult: operator.mul,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
}


GENERATED: dict[str, Callable[[], str]] = {
    "commands": commands,
    "error-codes": error_codes,
    "limits": limits,
    "repair-codes": repair_codes,
}

if __name__ == "__main__":
    main()
