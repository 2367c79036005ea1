"""The server's ends of TCP connections, where the server runs in this process."""

import os
import socket
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


def accepted(port: int) -> Iterator[socket.socket]:
    """Each connection to `port`, as the server in this process holds it."""
    fds = [int(entry.name) for entry in Path("/dev/fd").iterdir()]
    for fd in filter(_is_socket, fds):
        with socket.socket(fileno=os.dup(fd)) as end:
            is_tcp = end.family in (socket.AF_INET, socket.AF_INET6)
            if is_tcp and end.getsockname()[1] == port and not _listens(end):
                yield end


def _is_socket(fd: int) -> bool:
    with suppress(OSError):  # that of the listing itself is closed by now
        return stat.S_ISSOCK(os.fstat(fd).st_mode)
    return False


def _listens(end: socket.socket) -> bool:
    return end.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN) != 0
