"""Import an optional library, or say which extra brings it."""

from importlib import import_module
from types import ModuleType

from lton.errors import Code, MissingExtraError


def require(module: str, extra: str) -> ModuleType:
    """Get a module, or raise `MissingExtraError` with the command that installs it."""
    try:
        return import_module(module)
    except ImportError as error:
        hint = f"pip install 'lton[{extra}]'"
        raise MissingExtraError(Code.EXTRA, f"{module} is not installed", hint=hint) from error
