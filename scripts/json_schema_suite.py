"""Download the JSON-Schema-Test-Suite (MIT) from the source distribution of jsonschema."""

import shutil
import subprocess
import sys
from pathlib import Path

_SOURCE = "jsonschema==4.26.0"
_SUITE = Path("build/json-schema-test-suite")


def main() -> None:
    """Download the suite into `build`, unless it exists."""
    if _SUITE.exists():
        return
    print(f"==> downloading the JSON-Schema-Test-Suite, in the source of {_SOURCE}", flush=True)
    download = ("-m", "pip", "download", "-q", "--no-deps", "--no-binary", "jsonschema")
    subprocess.run([sys.executable, *download, "-d", "build", _SOURCE], check=True)
    name = _SOURCE.replace("==", "-")
    shutil.unpack_archive(f"build/{name}.tar.gz", "build", filter="data")
    shutil.move(f"build/{name}/json", _SUITE)


if __name__ == "__main__":
    main()
