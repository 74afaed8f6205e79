"""Build the description for a package index from the README, without links into this tree."""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https://)([^()\s]+)\)")
REST = "\nWhat this page names is in the source distribution: `docs/`, `spec/` and `benchmarks/`.\n"


class CustomMetadataHook(MetadataHookInterface):
    """Gives the package its description."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Put the README into the metadata, with links to the repository if it has an address."""
        readme = (Path(self.root) / "README.md").read_text("utf-8")
        address = metadata.get("urls", {}).get("Repository")
        text = elsewhere(readme, address)
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": text if address else text + REST,
        }


def elsewhere(readme: str, address: str | None) -> str:
    """Return a README for other places: with absolute links, or with the text of the links only."""

    def link(found: re.Match[str]) -> str:
        mark, words, path = found.groups()
        if address is None:
            return f"{words} (`{path}`)"
        kind = "raw" if mark else "blob"
        return f"{mark}[{words}]({address}/{kind}/main/{path})"

    return LINK.sub(link, readme)
