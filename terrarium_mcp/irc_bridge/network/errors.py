"""Why there is no connection, or why text could not be sent."""

from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.wording import shown


class TlsFailed(ConnectionError):
    """No TLS handshake came about; perhaps the port does not speak TLS."""


class UntrustedCertificate(ConnectionError):
    """The server's certificate is not accepted."""


class NotSaid(TerrariumError):
    """The network does not take what was to be said; not all of it was sent."""


class NotConnected(NotSaid):
    """We are not registered on `network` at the moment, which is named as people read it."""

    def __init__(self, network: str) -> None:
        super().__init__(f"Not connected to {network} at the moment: not everything was sent.")


class NotTaken(NotSaid):
    """The network refused what was said: a moderated channel, a ban, a nick that is gone.

    `target` is named with its network: `libera/#tea`.
    """

    def __init__(self, target: str, why: str) -> None:
        super().__init__(f"{shown(target)} does not take our lines: {shown(why, 200)}")
        self.why = shown(why, 200)


class SendQueueFull(NotSaid):
    """Text was queued faster than the network lets us send it."""

    def __init__(self, waiting: int) -> None:
        super().__init__(f"{waiting} lines are waiting to be sent: this one was dropped.")
