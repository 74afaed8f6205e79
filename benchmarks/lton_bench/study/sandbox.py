"""Run the commands of a small model in a folder, so that they cannot change anything else.

`unshare` (util-linux) isolates each command from the network and from all files except those in the
folder. It needs Linux with user namespaces.
"""

import subprocess
import sys
from pathlib import Path

__all__ = ["run"]

_UNSHARE = ("unshare", "--user", "--map-root-user", "--mount", "--net", "--pid", "--fork")
_SECONDS = 30
_SCRIPT = f"""\
mount --bind "$1" "$1" && mount -o remount,bind,ro / || exit 125
cd "$1" || exit 125
exec timeout {_SECONDS} bash -c "$2" 2>&1
"""
_MOST = 60_000


def run(command: str, folder: Path, *, is_confined: bool = True) -> tuple[str, int]:
    """Return the output of a command, and its exit status.

    Without `is_confined`, the command may change other files; use this only on disposable machines.
    Raises `OSError` if the command cannot be confined.
    """
    home = folder.resolve()
    programs = f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin"
    environ = {"PATH": programs, "HOME": str(home), "TMPDIR": str(home), "LANG": "C.UTF-8"}
    environ |= {"PYTHONDONTWRITEBYTECODE": "1"}
    confined = [*_UNSHARE, "--mount-proc", "sh", "-c", _SCRIPT, "sh", str(home), command]
    plain = ["timeout", str(_SECONDS), "bash", "-c", f"{{ {command}\n}} 2>&1"]
    done = subprocess.run(  # noqa: S603 - this is what the module is for
        confined if is_confined else plain,
        env=environ,
        cwd=home,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=2 * _SECONDS,
        check=False,
    )
    if done.returncode == 125:
        raise OSError(f"expected namespaces of users, found {done.stderr.decode()!r}")
    return done.stdout[:_MOST].decode(errors="replace"), done.returncode
