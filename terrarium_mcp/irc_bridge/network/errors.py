"""Why there is no connection, or why text could not be sent."""

from terrarium_mcp.errors import TerrariumError


class TlsFailed(ConnectionError):
    """No TLS handshake came about; perhaps the port does not speak TLS."""


class UntrustedCertificate(ConnectionError):
    """The server's certificate is not accepted."""


class NotConnected(TerrariumError):
    """We are not registered on the network at the moment."""

    def __init__(self, host: str) -> None:
        super().__init__(f"Not connected to {host} at the moment: not everything was sent.")


class SendQueueFull(TerrariumError):
    """Text was queued faster than the network lets us send it."""

    def __init__(self, waiting: int) -> None:
        super().__init__(f"{waiting} lines are waiting to be sent: this one was dropped.")
