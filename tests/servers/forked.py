"""Processes that start quickly, since one that has imported the package is forked for each."""

import atexit
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
CLIENT = Path(__file__).with_name("fork_client.py")


def forked(*arguments: object) -> list[str]:
    """The words of `python ARGUMENTS` (a file, `-c` or `-m`), for whatever starts processes.

    The package is as it was imported, so a scene about what a start imports, or about variables
    such as PYTHONUTF8, needs a new interpreter.
    """
    client = [sys.executable, "-I", "-S", str(CLIENT), _address()]
    return [*client, *map(str, arguments)]


@cache
def _address() -> str:
    """The socket of this process's fork server, which is started by the first who asks."""
    folder = tempfile.TemporaryDirectory(prefix="forks-")
    address = f"{folder.name}/socket"
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.servers.fork_server", address],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C is for the tests
    )
    atexit.register(folder.cleanup)
    atexit.register(server.communicate)  # closes its stdin, at which it ends
    assert server.stdout is not None
    assert server.stdout.readline() == b"listening\n"
    return address
