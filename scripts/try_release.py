"""Install a release in fresh environments, and use it: `make try-release`, after `make release`.

The wheels in `build/release` are served as a package index on this machine, so that `lton` cannot
come from another index. pip, uv and pipx install it for each supported version of Python on this
machine, and npm installs the package for TypeScript. In each environment, `lton --version`, a call
that is encoded and decoded, and `lton probe` must describe the set-up.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from types import MappingProxyType

DIST = Path("build/release/dist").absolute()
HERE = Path(sys.executable).parent
TOOLS = '[{"name": "weather", "parameters": {"properties": {"city": {"type": "string"}}}}]'
CALL = '{"name":"weather","arguments":{"city":"San Leandro"}}'
LTON = 'weather "San Leandro"'
NODE = """
import { ToolSet, decode, encode } from "lton";
const tools = ToolSet.from(JSON.parse(process.argv[2]));
const text = encode([JSON.parse(process.argv[3])], tools, { form: "wire" });
console.log(JSON.stringify([text, decode(text, tools)]));
"""


def main() -> None:
    """Try each installer with each Python. The exit status is 1 if one fails."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("pythons", nargs="*", metavar="PYTHON", help="default: all that are found")
    options = parser.parse_args()
    wheels = [*DIST.glob("lton-*.whl")]
    if not wheels:
        sys.exit("there is no release: run `make release` first")
    version = wheels[0].name.split("-")[1]
    pythons = options.pythons or [*_found_pythons()]
    with TemporaryDirectory() as name, _served(Path(name), version) as url:
        index = ("--index-url", url, f"lton=={version}")
        tries: dict[str, Callable[[Path], str]] = {
            f"{_called(python)}, {install.__name__[1:]}": partial(install, python, index)
            for python in pythons
            for install in (_pip, _uv, _pipx)
        }
        source, bench = DIST / f"lton-{version}.tar.gz", f"lton-bench=={version}"
        tries |= {
            "source distribution, pip": partial(_pip, pythons[-1], (str(source),)),
            "lton-bench, pip": partial(_pip, pythons[-1], ("--find-links", str(DIST), bench)),
            "node, npm": partial(_npm, DIST.parent / f"lton-{version}.tgz"),
        }
        failed = [what for what, use in tries.items() if not _works(what, use, Path(name))]
    if failed:
        sys.exit(f"failed: {'; '.join(failed)}")


def _found_pythons() -> Iterator[str]:
    """Yield the supported versions of Python on the PATH or in pyenv, and say which are missing.

    The path of pyenv is resolved, because its commands on the PATH choose a version by a setting.
    """
    project = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["project"]
    for classifier in project["classifiers"]:
        name = f"python{classifier.rpartition(' ')[2]}"
        if " :: 3." not in classifier:
            continue
        root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
        place = next(iter(root.glob(f"versions/*/bin/{name}")), None) or shutil.which(name)
        if place:
            yield str(place)
        else:
            print(f"{name}: not on this machine, and not tried", flush=True)


def _called(python: str) -> str:
    code = "import platform; print('Python', platform.python_version())"
    return _run(python, "-c", code).strip()


@contextmanager
def _served(folder: Path, version: str) -> Iterator[str]:
    """Serve an index that has the wheel of `lton`, and yield its URL."""
    wheel = f"lton-{version}-py3-none-any.whl"
    (here := folder / "index/simple/lton").mkdir(parents=True)
    digest = sha256(Path(shutil.copy(DIST / wheel, here)).read_bytes()).hexdigest()
    (here / "index.html").write_text(f'<a href="{wheel}#sha256={digest}">{wheel}</a>\n')
    handler = partial(_QuietHandler, directory=str(folder / "index"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/simple/"
        server.shutdown()


class _QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def _works(what: str, use: Callable[[Path], str], folder: Path) -> bool:
    """Install something into a new folder and use it. Print the result, or the error."""
    (place := folder / what.replace(", ", "-").replace(" ", "-")).mkdir()
    try:
        print(f"{what}: {use(place)}", flush=True)
    except (subprocess.CalledProcessError, ValueError) as error:
        output = getattr(error, "stderr", None) or ""
        print(f"{what}: FAILED: {error}\n{output}", flush=True)
        return False
    return True


def _pip(python: str, what: Sequence[str], place: Path) -> str:
    _run(python, "-m", "venv", str(place / "env"))
    _run(str(place / "env/bin/python"), "-m", "pip", "install", "-q", *what)
    return _use(place / "env/bin/lton", place)


def _uv(python: str, what: Sequence[str], place: Path) -> str:
    _run(str(HERE / "uv"), "venv", "-q", "--python", python, str(place / "env"))
    _run(str(HERE / "uv"), "pip", "install", "-q", "--python", str(place / "env"), *what)
    return _use(place / "env/bin/lton", place)


def _pipx(python: str, what: Sequence[str], place: Path) -> str:
    folders = {"PIPX_HOME": str(place / "home"), "PIPX_BIN_DIR": str(place / "bin")}
    _run(str(HERE / "pipx"), "install", "--python", python, *what, variables=folders)
    return _use(place / "bin/lton", place)


def _npm(tarball: Path, place: Path) -> str:
    _run("npm", "init", "--yes", cwd=place)
    _run("npm", "install", "--no-audit", "--no-fund", "--silent", str(tarball), cwd=place)
    (place / "use.mjs").write_text(NODE)
    text, calls = json.loads(_run("node", "use.mjs", TOOLS, CALL, cwd=place))
    if (text, calls) != (LTON, [json.loads(CALL)]):
        raise ValueError(f"expected {LTON} and {CALL}, found {text} and {calls}")
    return f"{tarball.name}, {text}"


def _use(program: Path, place: Path) -> str:
    """Use an installed `lton`. Raises `ValueError` if its output is wrong."""
    (tools := place / "tools.json").write_text(TOOLS)
    said = _run(str(program), "--version").strip()
    text = _run(str(program), "encode", "-t", str(tools), stdin=CALL).strip()
    call = _run(str(program), "decode", "-t", str(tools), stdin=text).strip()
    report = _run(str(program), "probe")
    if (text, call) != (
        LTON,
        CALL,
    ) or f"{said.removeprefix('lton ')} in {place.resolve()}/" not in report:
        raise ValueError(f"expected {LTON} and {CALL}, found {text} and {call}:\n{report}")
    return f"{said}, {text}, set-up in {len(report.splitlines())} lines"


def _run(
    *command: str,
    stdin: str = "",
    cwd: Path | None = None,
    variables: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Run a command in the environment of a user, and return its output."""
    environ = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    return subprocess.run(
        command,
        input=stdin,
        cwd=cwd,
        env={**environ, **variables},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


if __name__ == "__main__":
    main()
