"""Install llama-cpp-python from a wheel that is built once, and stored in the user's cache.

pip's own cache ignores build flags, so it is not used: with GGML_NATIVE the build would use
instructions (AMX) that some virtual machines report but do not support, and crash.
"""

import os
import platform
import re
import shutil
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

_FLAGS: tuple[str, ...] = ("-DGGML_NATIVE=OFF", "-DLLAVA_BUILD=OFF")
# With both a prompt is read in a third to a half of the time.
_AVX512 = ("-DGGML_AVX512=ON", *(f"-DGGML_AVX512_{part}=ON" for part in ("VNNI", "VBMI", "BF16")))
_OPENBLAS = ("-DGGML_BLAS=ON", "-DGGML_BLAS_VENDOR=OpenBLAS")
_LOG = Path("build/llama-cpp-python.log")


def _options() -> tuple[str, tuple[str, ...]]:
    """Return the name of the build for this machine, and its flags for CMake."""
    name, flags = f"wheels-{platform.machine()}", _FLAGS
    if _has_avx512():
        name, flags = f"{name}-avx512", flags + _AVX512
    if _has_openblas():
        name, flags = f"{name}-openblas", flags + _OPENBLAS
    return name, flags


def _has_avx512() -> bool:
    try:
        return re.search(r"\bavx512_bf16\b", Path("/proc/cpuinfo").read_text()) is not None
    except OSError:
        return False


def _has_openblas() -> bool:
    asked = ("pkg-config", "--exists", "openblas")
    return shutil.which(asked[0]) is not None and subprocess.run(asked, check=False).returncode == 0


def _wanted() -> str:
    """Return the version that pyproject.toml pins."""
    extras = tomllib.loads(Path("pyproject.toml").read_text())["project"]["optional-dependencies"]
    (wanted,) = (each for each in extras["local"] if each.startswith("llama-cpp-python"))
    return str(wanted)


def _cache() -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home, "lton", _options()[0])


def why_not() -> str:
    """Return the reason why this machine cannot have a wheel, or an empty string."""
    if (_cache() / "built").exists() or shutil.which("c++"):
        return ""
    return (
        "llama-cpp-python is built from source, and there is no C++ compiler: apt-get install g++"
    )


def wheel() -> Path:
    """Return the wheel for this machine, and build it from source the first time."""
    cache, flags = _cache(), _options()[1]
    if not (cache / "built").exists():
        if reason := why_not():
            sys.exit(reason)
        wanted = _wanted()
        print(f"==> building {wanted} from source: about 6 minutes, this once", flush=True)
        print(f"    kept in {cache}; log in {_LOG}", flush=True)
        cache.mkdir(parents=True, exist_ok=True)
        _build(wanted, cache, flags)
        (cache / "built").touch()
    (found,) = cache.glob("llama_cpp_python-*.whl")
    return found


def _build(wanted: str, cache: Path, flags: tuple[str, ...]) -> None:
    """Build the wheel into a folder, showing the progress, and after a failure the end of the
    log.
    """
    _LOG.parent.mkdir(exist_ok=True)
    venv.create("build/venv", with_pip=True)
    command = ["build/venv/bin/python", "-m", "pip", "wheel", "-v", "--no-cache-dir", "--no-deps"]
    command += ["--no-binary", "llama-cpp-python", "-w", str(cache), wanted]
    options = {**os.environ, "CMAKE_ARGS": " ".join(flags)}
    with (
        _LOG.open("w") as log,
        subprocess.Popen(
            command, env=options, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as pip,
    ):
        for line in pip.stdout or ():
            log.write(line)
            if step := re.match(r" *\[(\d*0)/(\d*)\] ", line):
                print(f"    {step[1]} of {step[2]} files compiled", flush=True)
    if pip.returncode:
        sys.exit("\n".join([*_LOG.read_text().splitlines()[-30:], "llama-cpp-python: no wheel"]))


if __name__ == "__main__":
    if sys.argv[1:] == ["--why-not"]:
        sys.exit(print(why_not(), end=""))
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", str(wheel())], check=True)
