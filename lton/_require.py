"""Import an optional library, or say which extra brings it, and from where."""

from importlib import import_module
from os.path import isdir
from types import ModuleType
from typing import Any

from lton.errors import Code, MissingExtraError


def require(module: str, extra: str) -> ModuleType:
    """Get a module, or raise `MissingExtraError` with the command that installs it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise missing_extra(module, extra) from error


def missing_extra(module: str, extra: str) -> MissingExtraError:
    """Get the error of a module that an extra or a package brings."""
    return MissingExtraError(Code.EXTRA, f"{module} is not installed", hint=installing(extra))


def installing(extra: str) -> str:
    """Get the command that installs an extra, or a package (it has versions) that few need.

    An extra comes from where this package was installed: from a package index, unless an installer
    noted a folder, a file or a repository (PyPA's "direct_url.json").
    """
    if ">" in extra:
        return f"pip install '{extra}'"
    origin = _origin()
    url, repository = origin.get("url"), origin.get("vcs_info")
    if url is None:
        return f"pip install 'lton[{extra}]'"
    if origin.get("dir_info", {}).get("editable") and url.startswith("file://"):
        return f"pip install -e '{url.removeprefix('file://')}[{extra}]'"
    if repository:
        url = f"{repository['vcs']}+{url}@{repository['commit_id']}"
    return f"pip install 'lton[{extra}] @ {url}'"


def benchmarks() -> str:
    """Get the command that installs the benchmarks, a folder of the sources, from where it is.

    That is the folder or the repository that this package was installed from; else a checkout.
    """
    origin = _origin()
    url, repository = origin.get("url", ""), origin.get("vcs_info")
    path = f"{url.removeprefix('file://')}/benchmarks"
    if "dir_info" in origin and isdir(path):
        return f"pip install '{path}'"
    if repository:
        where = f"{repository['vcs']}+{url}@{repository['commit_id']}#subdirectory=benchmarks"
        return f"pip install 'lton-bench @ {where}'"
    return "pip install ./benchmarks in the sources of LTON"


def _origin() -> dict[str, Any]:
    json, metadata = import_module("json"), import_module("importlib.metadata")  # seldom needed
    try:
        noted = metadata.distribution("lton").read_text("direct_url.json")
    except metadata.PackageNotFoundError:  # the sources, without an installation
        noted = None
    return json.loads(noted) if noted else {}
