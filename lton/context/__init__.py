"""What a model is shown of documents, within a budget: planned, checked, and always the same.

Nothing here reads a clock, a network or a random number. Files are read by `SkillCatalog.load`
and by `ContextManager`, which writes its audit and nothing else.

- `sections` are what is laid out; `cuts` and `endings` say where a text may end, and `marks` what
  stands where something is left out. `layout` fits sections into a budget, and `invariants` checks
  the result before it is handed out.
- `ingest` plans an `image` of documents, with a page for each (`drafts`): `directives` says what
  authors want of parts, and `compress` shortens the rest.
- `artifacts` are compressed beforehand. `audit` chains what was decided (`records`), and `report`
  shows people what was kept.
- `skills` reads SKILL.md.
- `sources` reads files. `manager` keeps texts in the store and appends to the audit. `command` does
  what is asked on the command line.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lton.context.image import Document, Image, Page, Policy
    from lton.context.layout import lay_out
    from lton.context.manager import ContextManager
    from lton.context.sections import Decision, Layout, Section
    from lton.context.skills import Skill, SkillCatalog
    from lton.errors import CriticalOverflowError

_HOMES = {
    **dict.fromkeys(("Document", "Image", "Page", "Policy"), "lton.context.image"),
    **dict.fromkeys(("Decision", "Layout", "Section"), "lton.context.sections"),
    **dict.fromkeys(("Skill", "SkillCatalog"), "lton.context.skills"),
    "ContextManager": "lton.context.manager",
    "CriticalOverflowError": "lton.errors",
    "lay_out": "lton.context.layout",
}
"""Where each public name lives."""

__all__ = [
    "ContextManager",
    "CriticalOverflowError",
    "Decision",
    "Document",
    "Image",
    "Layout",
    "Page",
    "Policy",
    "Section",
    "Skill",
    "SkillCatalog",
    "lay_out",
]


# A checker that sees it takes every name for one of ours.
if not TYPE_CHECKING:  # pragma: no branch

    def __getattr__(name: str) -> object:
        """Import a public name when it is first asked for: who lays out needs no skills."""
        if name not in _HOMES:
            raise AttributeError(f"module 'lton.context' has no attribute {name!r}", name=name)
        found = globals()[name] = getattr(import_module(_HOMES[name]), name)
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
