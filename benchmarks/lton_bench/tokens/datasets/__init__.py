"""The data sets of the benchmark, one per module. A module added here is a new data set.

Each module has a `NAME`, the source and licence of its data in `ABOUT`, and a function `load` that
returns turns, answers or definitions. The data are always the same: they are made from a seed, or
read from pinned versions of packages.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules

from lton_bench.tokens.pieces import Answer, Shown, Turn


@dataclass(frozen=True, slots=True)
class Dataset:
    """A data set: the module's name, `NAME`, `ABOUT` and `load`."""

    id: str
    name: str
    about: str
    load: Callable[[], Iterable[Turn | Answer | Shown]]


def datasets() -> dict[str, Dataset]:
    """Return all data sets by the names of their modules.

    >>> datasets()["losing_tiny"].name
    'Should lose: calls without arguments'
    """
    module_names = (
        module.name for module in iter_modules(__path__) if not module.name.startswith("_")
    )
    modules = {name: import_module(f"{__name__}.{name}") for name in sorted(module_names)}
    return {
        name: Dataset(name, module.NAME, module.ABOUT, module.load)
        for name, module in modules.items()
    }
