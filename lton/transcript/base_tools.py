"""The tools by which a model reads what it is not shown, as definitions of APIs have them."""

from typing import Any, Protocol

SKILL_TOOL = "load_skill"
"""The tool whose results are never left out."""


class Skills(Protocol):
    """Gives the instructions of a skill by its name."""

    def body(self, name: str) -> str:
        """Get the instructions; `LookupError` if there is no such skill."""
        ...


LARGE_FILES = """\
# Large files

Files are listed with their ids, sizes in tokens, and what was read of them.

1. Compare the size with the tokens that are free. Read a file whole (`file_read`) only where it
   takes less than a quarter of them.
2. Of a PDF, a page in HTML or a document of Office, call `extract_file` first. It makes a text file
   with an id of its own and shows the beginning; read that by `page`.
3. To find something, search with `file_regex`, then read the lines around a match: `start_line` and
   `end_line`, about 20 on each side.
4. To go through all of a large file, read it in parts that fit, and note what each one says before
   the next.
5. Do not read a part twice: the list says what was read.
"""
"""The skill `large_files`, which every conversation with skills has."""

_FILE = {"type": "string", "description": "Such as f1."}
_LINE = {"type": "integer", "minimum": 1}
_BYTE = {"type": "integer", "minimum": 0}


def _tool(name: str, about: str, required: list[str], /, **properties: object) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": required}
    return {"name": name, "description": about, "parameters": schema}


TOOLS = (
    _tool(
        "recall",
        "Get back a result that is shown as a pointer.",
        ["result"],
        result={"type": "string", "description": "Such as t42 or t42.2."},
    ),
    _tool(
        "file_read",
        "Read a file: lines from 1 on, bytes from 0 on to before end_byte, a page, or all of it.",
        ["file"],
        file=_FILE,
        start_line=_LINE,
        end_line=_LINE,
        start_byte=_BYTE,
        end_byte=_BYTE,
        page=_LINE,
    ),
    _tool(
        "file_regex",
        "Get the lines of a file in which a regular expression is found.",
        ["file", "pattern"],
        file=_FILE,
        pattern={"type": "string"},
        max_matches={"type": "integer", "minimum": 1, "maximum": 1000},
    ),
    _tool(
        "extract_file",
        "Make a text file of a web page, a PDF or a document of Office.",
        ["file"],
        file=_FILE,
    ),
)
LOAD_SKILL = _tool(
    SKILL_TOOL, "Get the instructions of a skill.", ["name"], name={"type": "string"}
)
