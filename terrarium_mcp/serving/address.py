"""The address on which the HTTP server listens, and the errors when it cannot."""

import errno
import os
import socket
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address

from terrarium_mcp.errors import TerrariumError

MCP_PATH, SSE_PATH = "/mcp", "/sse"
"""Where Streamable HTTP is served, and the streams of HTTP+SSE."""


@dataclass(frozen=True)
class Listening:
    """The address on which a running server can be reached."""

    host: str
    port: int

    @property
    def mcp_url(self) -> str:
        """For clients that speak Streamable HTTP."""
        return self._origin + MCP_PATH

    @property
    def sse_url(self) -> str:
        """For clients that speak the older HTTP+SSE."""
        return self._origin + SSE_PATH

    @property
    def url_host(self) -> str:
        """The host as a URL has it: an IPv6 address in brackets."""
        return f"[{self.host}]" if ":" in self.host else self.host

    @property
    def _origin(self) -> str:
        return f"http://{self.url_host}:{self.port}"


class NotLoopback(TerrariumError):
    """Other machines could connect to this host."""

    def __init__(self, host: str) -> None:
        super().__init__(
            f"Will not listen on {host}: there are no access tokens yet, so only programs on "
            "this machine may connect. Use --host 127.0.0.1, and an ssh tunnel from other "
            "machines (ssh -L 8765:127.0.0.1:8765 ...)."
        )


class CannotListen(TerrariumError):
    """The operating system refuses this address."""

    def __init__(self, host: str, port: int, reason: str) -> None:
        super().__init__(
            f"Cannot listen on port {port} of {host}: {reason}. "
            "Choose another address with --host and --port."
        )


class MayNotListen(TerrariumError):
    """The account has no permission for the port."""

    def __init__(self, host: str, port: int) -> None:
        super().__init__(
            f"This account is not allowed to listen on port {port} of {host}. "
            "Choose a port above 1023 with --port."
        )


class PortInUse(TerrariumError):
    """Another program listens on the port."""

    def __init__(self, host: str, port: int) -> None:
        super().__init__(
            f"Port {port} on {host} is in use by another program. "
            "Stop it, or choose another port with --port."
        )


def listen(host: str, port: int) -> socket.socket:
    """Listen on `port` of a loopback `host`; port 0 is any free one.

    Raises:
        NotLoopback: other machines could connect there.
        PortInUse: another program listens there.
        MayNotListen: the account has no permission for that port.
        CannotListen: this machine has no such address.
    """
    address = _loopback(host)
    family = socket.AF_INET6 if address.version == 6 else socket.AF_INET
    try:
        plain = socket.create_server((str(address), port), family=family, backlog=128)
    except PermissionError as error:
        raise MayNotListen(host, port) from error
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise PortInUse(host, port) from error
        raise CannotListen(host, port, os.strerror(error.errno or 0)) from error
    # asyncio sets TCP_NODELAY only where the socket names its protocol, which `create_server` does
    # not; without it every call on a connection that is kept alive waits 40 ms for an ACK.
    return socket.socket(plain.family, plain.type, socket.IPPROTO_TCP, fileno=plain.detach())


def _loopback(host: str) -> IPv4Address | IPv6Address:
    # No other name is resolved: its address is outside our control and may change.
    if host == "localhost":
        return IPv4Address("127.0.0.1")
    try:
        address = ip_address(host)
    except ValueError:
        raise NotLoopback(host) from None
    if not address.is_loopback:
        raise NotLoopback(host)
    return address
