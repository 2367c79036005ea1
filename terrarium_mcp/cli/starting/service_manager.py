"""What a service manager hears of a bridge: that it is ready, how it is, and that it is alive.

The protocol of sd_notify(3): lines of NAME=VALUE in a datagram to the socket that the environment
names.
"""

import logging
import os
import re
import socket
import sys
from collections.abc import Callable, Mapping, Sequence

import anyio

from terrarium_mcp.store import BridgeReport, Store
from terrarium_mcp.wording import quantity

USUAL_PAUSE = 20.0
"""Seconds between two lines of status where no watchdog waits for them."""

_MORE_TIME = 30_000_000
"""Microseconds by which each report of a long migration extends the time for the start."""

log = logging.getLogger(__name__)


class ServiceManager:
    """The service manager that started this process, if any.

    `pause` is the time between two signs of life, in seconds: a third of the watchdog's patience.
    """

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._address = re.sub("^@", "\0", environ.get("NOTIFY_SOCKET", ""))  # an abstract name
        patience = int(environ.get("WATCHDOG_USEC", "0") or 0) / 1e6
        watches_us = environ.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        self.pause = patience / 3 if patience and watches_us else USUAL_PAUSE

    @property
    def is_there(self) -> bool:
        """Whether this process was started by one."""
        return bool(self._address)

    def notify(self, *lines: str) -> None:
        """Send these lines; a manager that cannot be reached is no reason to stop."""
        if sys.platform == "win32" or not self.is_there:  # it has no such sockets, nor systemd
            return
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sender:
                sender.settimeout(0)
                sender.sendto("\n".join(lines).encode(), self._address)
        except OSError as error:
            log.debug("the service manager cannot be reached: %s", error)


async def keep_informed(
    manager: ServiceManager,
    store: Store,
    reports: Callable[[], Sequence[BridgeReport]],
    is_stuck: Callable[[], bool],
) -> None:
    """Tell the manager of readiness once lines can be recorded, then of every change of state.

    The network is not waited for: its server may be away for hours. The watchdog hears nothing
    while `is_stuck()`, nor while the event loop does not get here.
    """
    if not manager.is_there:
        return
    while not store.opening.is_done:
        manager.notify("STATUS=opening the history", f"EXTEND_TIMEOUT_USEC={_MORE_TIME}")
        await anyio.sleep(1)
    manager.notify("READY=1")
    while True:
        alive = [] if is_stuck() else ["WATCHDOG=1"]
        manager.notify(*alive, f"STATUS={'; '.join(map(status_of, reports()))}")
        await anyio.sleep(manager.pause)


def status_of(report: BridgeReport) -> str:
    """The state of a bridge in a few words."""
    if report.unwritable_since:
        return f"{report.network}: CANNOT RECORD, {quantity(report.waiting, 'line')} waiting"
    if not report.connected:
        return f"{report.network}: not connected"
    return f"{report.network}: connected, recording {report.joined} of {report.wanted} channels"
