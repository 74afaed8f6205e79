"""The data of the benchmark, a module each. A module added here is a data set more.

Each has a `NAME`, says in `ABOUT` where its data come from and under which licence, and `load`s
turns, answers or what is shown. The same things come each time, in the same order: what is made up
is made from a seed, what is read from packages from pinned versions.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules

from lton_bench.tokens.pieces import Answer, Shown, Turn


@dataclass(frozen=True, slots=True)
class Dataset:
    """A data set by its module's name, and what the module says of it."""

    id: str
    name: str
    about: str
    load: Callable[[], Iterable[Turn | Answer | Shown]]


def datasets() -> dict[str, Dataset]:
    """Return every data set, by its identifier.

    >>> datasets()["losing_tiny"].name
    'Should lose: calls without arguments'
    """
    found = (module.name for module in iter_modules(__path__) if not module.name.startswith("_"))
    modules = {name: import_module(f"{__name__}.{name}") for name in sorted(found)}
    return {
        name: Dataset(name, module.NAME, module.ABOUT, module.load)
        for name, module in modules.items()
    }
