"""Why text could not be sent."""

from terrarium_mcp.errors import TerrariumError


class NotConnected(TerrariumError):
    """We are not registered on the network at the moment."""

    def __init__(self, host: str) -> None:
        super().__init__(f"Not connected to {host} at the moment: nothing was sent.")


class SendQueueFull(TerrariumError):
    """Text was queued faster than the network lets us send it."""

    def __init__(self, waiting: int) -> None:
        super().__init__(f"{waiting} lines are waiting to be sent: this one was dropped.")
