"""Whoever wants to know what happens on a network."""

from typing import Protocol

from terrarium_mcp.irc_bridge.network.line import Line


class Listener(Protocol):
    """Every call is synchronous, quick and in the network's order."""

    def connected(self, nick: str) -> None:
        """We are registered and may speak."""

    def line(self, line: Line) -> None:
        """A line came, and nothing else has looked at it: membership is still as it was."""

    def joined(self, channel: str) -> None:
        """We sit in one of our channels; its member list is yet to come."""

    def present(self, channel: str) -> None:
        """The member list of `channel` is complete."""

    def left(self, channel: str, why: str) -> None:
        """We are no longer in `channel`: kicked, or made to leave."""

    def lost(self, why: str) -> None:
        """The connection is gone; called once for each that had reached `connected`."""
