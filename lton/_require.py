"""Import optional libraries; if one is missing, raise an error that says how to install it."""

import sys
from collections.abc import Mapping
from functools import partial
from importlib import import_module
from os.path import basename, dirname, exists, isdir, join
from types import ModuleType
from typing import Any

from lton.errors import Code, MissingExtraError


def require(module: str, extra: str) -> ModuleType:
    """Import a module. Raises `MissingExtraError` with an installation command if it is missing."""
    try:
        return import_module(module)
    except ImportError as error:
        raise missing_extra(module, extra) from error


def missing_extra(module: str, extra: str) -> MissingExtraError:
    """Build the error for a missing module, with the command that installs the module."""
    return MissingExtraError(
        Code.EXTRA, f"{module} is not installed", hint=write_install_command(extra)
    )


_INSTALLERS = {
    "pip": ("pip install '{lton}'", "pip install '{package}'"),
    "pipx": ("pipx install --force '{lton}'", "pipx inject lton '{package}'"),
    "pipx run": (
        "pipx run --spec '{lton}' lton ...",
        "pipx run --spec '{lton}' --with '{package}' lton ...",
    ),
    "uv tool": ("uv tool install '{lton}'", "uv tool install '{lton}' --with '{package}'"),
    "uvx": ("uvx --from '{lton}' lton ...", "uvx --from '{lton}' --with '{package}' lton ..."),
}  # the commands that install an extra and a package


def write_install_command(extra: str) -> str:
    """Return the command that installs an extra or a package.

    The command uses the installer that installed LTON, and installs the extra from the same source:
    the package index, or the folder, file or repository in "direct_url.json" (PyPA). If the
    installer creates a new environment, the command also names the extras already installed. The
    extra `bench` means the benchmarks.
    """
    if extra == "bench":
        return write_benchmarks_command()
    origin = _read_origin()
    installer = _installer_name()
    is_package = ">" in extra
    extras = _extras_to_install(extra, installer, is_package=is_package)
    folder = _find_editable_folder(origin)
    if folder and installer == "pip" and not is_package:
        return f"pip install -e '{folder}[{extra}]'"
    lton = f"lton[{','.join(sorted(extras))}]" if extras else "lton"
    source = _source_of(origin)
    if source:
        lton = f"{lton} @ {source}"
    command = _INSTALLERS[installer][1 if is_package else 0]
    return command.format(lton=lton, package=extra)


def _extras_to_install(extra: str, installer: str, *, is_package: bool) -> set[str]:
    """Return an extra, and in a new environment also the extras that are installed already."""
    extras = set() if is_package else {extra}
    if installer == "uv tool" or (installer == "pipx" and not is_package):
        extras |= {
            name for name, versions in list_extra_packages().items() if all(versions.values())
        }
    return extras


def _find_editable_folder(origin: Mapping[str, Any]) -> str | None:
    """Return the folder of an editable installation, or None."""
    url: str = origin.get("url", "")
    is_editable = origin.get("dir_info", {}).get("editable") and url.startswith("file://")
    return url.removeprefix("file://") if is_editable else None


def _source_of(origin: Mapping[str, Any]) -> str:
    """Return the URL from which LTON was installed, or "" for the package index."""
    url: str = origin.get("url", "")
    repository = origin.get("vcs_info")
    return f"{repository['vcs']}+{url}@{repository['commit_id']}" if repository else url


def list_extra_packages() -> dict[str, dict[str, str]]:
    """Return the packages that each extra needs, with their installed versions ("" if missing)."""
    metadata = import_module("importlib.metadata")
    re = import_module("re")
    canonical = partial(re.sub, r"[-_.]+", "-")
    there = {
        canonical(package.name.lower()): package.version for package in metadata.distributions()
    }
    by_extra: dict[str, dict[str, str]] = {}
    for requirement in metadata.requires("lton") or ():
        extra = re.search(r"^([\w.-]+).*extra == .(\w+)", requirement)
        before = re.search(r"python_version < .3\.(\d+)", requirement)
        is_for_unix = re.search("sys_platform != .win32", requirement)
        is_elsewhere = is_for_unix and sys.platform == "win32"
        is_unneeded = is_elsewhere or (before and sys.version_info[1] >= int(before[1]))
        if extra and extra[2] != "all" and not is_unneeded:
            name = canonical(extra[1].lower())
            by_extra.setdefault(extra[2], {})[name] = there.get(name, "")
    return by_extra


def _installer_name() -> str:
    kept_in = basename(dirname(sys.prefix))
    if exists(join(sys.prefix, "pipx_metadata.json")):
        return "pipx run" if kept_in == ".cache" else "pipx"
    if exists(join(sys.prefix, "uv-receipt.toml")):
        return "uv tool"
    return "uvx" if kept_in.startswith("archive-v") else "pip"


def write_benchmarks_command() -> str:
    """Return the command that installs the benchmarks from source."""
    origin = _read_origin()
    url = origin.get("url", "")
    repository = origin.get("vcs_info")
    path = f"{url.removeprefix('file://')}/benchmarks"
    if "dir_info" in origin and isdir(path):
        return f"pip install '{path}'"
    if repository:
        where = f"{repository['vcs']}+{url}@{repository['commit_id']}#subdirectory=benchmarks"
        return f"pip install 'lton-bench @ {where}'"
    return "pip install ./benchmarks in the sources of LTON"


def _read_origin() -> dict[str, Any]:
    # rarely needed
    json = import_module("json")
    metadata = import_module("importlib.metadata")
    try:
        noted = metadata.distribution("lton").read_text("direct_url.json")
    except metadata.PackageNotFoundError:  # run from source, not installed
        noted = None
    return json.loads(noted) if noted else {}
