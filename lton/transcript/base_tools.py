"""The tools by which a model reads what it is not shown, as definitions of APIs have them."""

from typing import Any

SKILL_TOOL = "load_skill"
"""The tool whose results are never left out."""

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
