"""What a model is shown, within a budget: a pure function of what there is, but for stores."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lton.context.stores import Store, open_store
    from lton.context.transcript import Transcript
    from lton.context.view import TurnDecision, View

__all__ = ["Store", "Transcript", "TurnDecision", "View", "open_store"]

_HOMES = {
    "TurnDecision": "view",
    "Store": "stores",
    "Transcript": "transcript",
    "View": "view",
    "open_store": "stores",
}
"""Where the public names live."""


if not TYPE_CHECKING:  # pragma: no branch - a checker would take every name for one of ours

    def __getattr__(name: str) -> object:
        """Import a public name when it is first asked for."""
        if name not in _HOMES:
            raise AttributeError(f"module 'lton.context' has no attribute {name!r}", name=name)
        found = getattr(import_module(f"lton.context.{_HOMES[name]}"), name)
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
