"""Refuse wordings that are nearly always wrong in docstrings, comments and pages.

CONTRIBUTING.md has the rules, and is not checked. Nor is anything in backticks.
"""

import ast
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

WORDINGS = {
    r"\bbeside\b": "next to, along with, compared with",
    r"\bso many\b": "that many, or the number",
    r"\bgoes on\b": "continues, resumes",
    r"\bas \w+ ha(s|ve) it\b": "as in",
    r"\bin (the )?place of\b": "instead of",
    r"^(Get|Say) ": "a docstring begins with the effect: return, build, parse, write",
}
PROSE = re.compile(r"`[^`]*`|^ *```.*?^ *```|<!--.*?-->", re.DOTALL | re.MULTILINE)


def passages(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the docstrings and comments of a module, or the lines of a page, with their lines."""
    source = path.read_text("utf-8")
    if path.suffix == ".md":
        plain = PROSE.sub(lambda found: "\n" * found[0].count("\n"), source)
        yield from enumerate(plain.splitlines(), 1)
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.lineno, str(node.value.value)
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string.lstrip("# ")


def main() -> int:
    """Print each wording with its place and what to write; return 1 if there is one."""
    pages = (path for path in Path().glob("*.md") if path.name != "CONTRIBUTING.md")
    folders = ("lton", "benchmarks/lton_bench")
    modules = (path for folder in folders for path in Path(folder).rglob("*.py"))
    paths = sorted([*pages, *Path("docs").rglob("*.md"), Path("benchmarks/README.md"), *modules])
    faults = [
        f"{path}:{line}: {found[0]!r}: {better}"
        for path in paths
        for line, passage in passages(path)
        for wording, better in WORDINGS.items()
        if (found := re.search(wording, re.sub("`[^`]*`", "", passage)))
    ]
    print(*faults, sep="\n", end="\n" * bool(faults))
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
