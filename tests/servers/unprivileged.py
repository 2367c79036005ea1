"""Starts programs that refuse to run as root, also where the tests do."""

import os
import subprocess
from pathlib import Path

_NOBODY = 65534


def start_unprivileged(command: list[str], home: Path) -> subprocess.Popen[bytes]:
    """Start a program that owns `home` and what is in it."""
    is_root = os.geteuid() == 0
    if is_root:
        for place in (home, *home.rglob("*")):
            os.chown(place, _NOBODY, _NOBODY)
    return subprocess.Popen(
        command,
        cwd=home,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        user=_NOBODY if is_root else None,
        group=_NOBODY if is_root else None,
        extra_groups=[] if is_root else None,
    )
