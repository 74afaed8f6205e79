"""Fit documents into a model's context, within a budget of tokens.

This package uses no clock, network or random numbers. Only `SkillCatalog.load` and `ContextManager`
read files, and only the manager writes a file, its audit log.

- `layout` fits `sections` into a budget, and `invariants` checks the result before it is returned.
- `ingest` plans an `image` of documents from one draft per page (`drafts`), following the
  `directives` of their authors. `compress` shortens text.
- `cuts` and `endings` find offsets at which text may be cut off. `marks` replace omitted text.
- `artifacts` compresses documents in advance. `audit` chains decisions (`records`) by hashes, and
  `report` renders an image as HTML.
- `skills` reads SKILL.md, and `sources` reads files. `manager` stores documents and the audit log.
  `command` implements `lton context`.
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
"""The module of each public name."""

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


# If a type checker saw __getattr__, it would accept every name.
if not TYPE_CHECKING:  # pragma: no branch

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module 'lton.context' has no attribute {name!r}", name=name)
        attribute = globals()[name] = getattr(import_module(_HOMES[name]), name)
        return attribute


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
