"""Define the tools with which a model reads omitted content."""

import json
from pathlib import Path
from typing import Any, Protocol

SKILL_TOOL = "load_skill"  # Its results are never omitted
_HERE = Path(__file__)
LARGE_FILES = _HERE.with_name("large_files.md").read_text("utf-8")
"""The skill `large_files`, which every conversation with skills has."""
TOOLS: list[dict[str, Any]] = json.loads(_HERE.with_suffix(".json").read_bytes())
"""The definitions of the tools; the last one loads skills."""


class Skills(Protocol):
    """Finds the instructions of skills by name."""

    def body(self, name: str) -> str:
        """Return the instructions of a skill. Raises `LookupError` for an unknown name."""
        ...
