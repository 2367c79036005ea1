"""What can go wrong when somebody wants to speak."""

from terrarium_mcp.errors import TerrariumError


class NotConnected(TerrariumError):
    """There is no network to speak to at the moment."""

    def __init__(self, host: str) -> None:
        super().__init__(f"Not connected to {host} at the moment: nothing was sent.")


class SendQueueFull(TerrariumError):
    """More was said than the network lets through."""

    def __init__(self, waiting: int) -> None:
        super().__init__(f"{waiting} lines are waiting to be sent: this one was dropped.")
