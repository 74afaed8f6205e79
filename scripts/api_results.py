"""Download recorded answers of public APIs from source distributions and repositories."""

import shutil
import subprocess
import sys
from pathlib import Path

_BUILD = Path("build")
_SOURCES = ("pygithub==2.10.0", "praw==8.0.3")
_REPOSITORIES = (
    "Accenture/mcp-bench",
    "ACEBench/ACEBench",
    "ultimate-notion/ultimate-notion",
)


def main() -> None:
    """Download the answers into `build`, unless they exist."""
    for source in _SOURCES:
        folder = source.replace("==", "-")
        if not (_BUILD / folder).exists():
            print(f"==> downloading the source of {source}", flush=True)
            name = source.partition("==")[0]
            download = ("-m", "pip", "download", "-q", "--no-deps", "--no-binary", name)
            subprocess.run([sys.executable, *download, "-d", _BUILD, source], check=True)
            shutil.unpack_archive(_BUILD / f"{folder}.tar.gz", _BUILD, filter="data")
    for repository in _REPOSITORIES:
        folder = repository.partition("/")[2]
        if not (_BUILD / folder).exists():
            url = f"https://github.com/{repository}"
            clone = ("git", "clone", "-q", "--depth", "1", url, str(_BUILD / folder))
            subprocess.run(clone, check=True)


if __name__ == "__main__":
    main()
