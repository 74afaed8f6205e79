"""Draw pictures of editors with Chromium: `python -m tests.editors.pictures`."""

import html
import shutil
import subprocess
import tempfile
from itertools import groupby
from pathlib import Path

import editors.__main__ as editor_files
from tests.editors.shown import by_textmate, captured

FOLDER = editor_files.HERE.parent / "docs" / "pictures"
_COLUMN, _LINE, _PADDING = 9.04, 22, 24
_DARK = {
    "sigil": "#c586c0",
    "repeat": "#c586c0",
    "name": "#dcdcaa",
    "fingerprint": "#4fc1ff",
    "key": "#9cdcfe",
    "number": "#b5cea8",
    "atom": "#d7ba7d",
    "literal": "#569cd6",
    "skip": "#569cd6",
    "word": "#ce9178",
    "quoted": "#ce9178",
    "counted": "#ce9178",
    "fence": "#ce9178",
    "punctuation": "#d4d4d4",
}
"""The colours that VS Code's dark theme has for the scopes of each kind."""
_LIGHT = {
    "keyword": "#8250df",
    "function": "#6639ba",
    "constant": "#0550ae",
    "constant.builtin": "#0550ae",
    "property": "#953800",
    "number": "#0550ae",
    "string": "#0a3069",
    "string.special": "#116329",
    "punctuation.bracket": "#57606a",
    "punctuation.delimiter": "#57606a",
}
"""Colours for the captures of `highlights.scm`, which each editor has its own of."""


def page(text: str, kinds: list[str | None], colours: dict[str, str], look: str) -> str:
    """Return a page that shows a text in colours."""
    spans = ""
    for kind, pieces in groupby(zip(kinds, text, strict=True), key=lambda pair: pair[0]):
        piece = html.escape("".join(character for _, character in pieces))
        spans += f'<b style="color:{colours[kind]}">{piece}</b>' if kind else piece
    return (
        "<!doctype html><meta charset=utf-8><style>*{margin:0}b{font-weight:400}"
        f"pre{{font:15px/{_LINE}px 'DejaVu Sans Mono',monospace;padding:{_PADDING}px;{look}}}"
        f"</style><pre>{spans}</pre>"
    )


def main() -> None:
    """Write both pictures."""
    text = (editor_files.HERE / "sample.lton").read_text("utf-8").rstrip("\n")
    (by_lines,) = by_textmate([text])
    dark = page(text, by_lines, _DARK, "background:#1e1e1e;color:#d4d4d4")
    light = page(text, captured(text), _LIGHT, "background:#ffffff;color:#1f2328")
    lines = text.split("\n")
    width = round(max(map(len, lines)) * _COLUMN) + 2 * _PADDING
    height = len(lines) * _LINE + 2 * _PADDING
    FOLDER.mkdir(parents=True, exist_ok=True)
    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("needs chromium: apt-get install chromium")
    for name, page_html in (("editor-textmate", dark), ("editor-tree-sitter", light)):
        picture = FOLDER / f"{name}.png"
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "page.html")
            file.write_text(page_html, "utf-8")
            options = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars")
            size = (f"--window-size={width},{height}", "--force-device-scale-factor=2")
            shot = (f"--screenshot={picture}", f"--user-data-dir={folder}/profile", str(file))
            subprocess.run([chromium, *options, *size, *shot], check=True, capture_output=True)
        print(f"{picture.relative_to(FOLDER.parent.parent)}: {picture.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
