"""What a package index shows of the README: its beginning, up to the first link into this tree."""

from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

END = "<!-- A package index shows what is above: nothing there links into this tree. -->"
REST = "The rest, with the specification, is in the source distribution: README.md and spec/.\n"


class CustomMetadataHook(MetadataHookInterface):
    """Gives the package its description."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Put the part of the README above the mark into the metadata."""
        readme = (Path(self.root) / "README.md").read_text("utf-8")
        shown, mark, _ = readme.partition(END)
        if not mark:
            raise ValueError(f"README.md has no line {END!r}")
        metadata["readme"] = {"content-type": "text/markdown", "text": shown + REST}
