"""What a network reports, and to whom."""

from typing import Protocol

from terrarium_mcp.chat.irc_message import IrcMessage
from terrarium_mcp.irc_bridge.network.chathistory import HistoryPage


class Listener(Protocol):
    """Receives events in the order of the network. Every method must return quickly."""

    def on_casemapping(self, casemapping: str) -> None:
        """How nicks and channels compare: before each `on_connected`, and when it changes later."""

    def on_connected(self, nick: str) -> None:
        """We are registered and may speak."""

    def on_line(self, message: IrcMessage) -> None:
        """A line arrived. Nothing has been done with it yet: membership is as it was before."""

    def on_joined(self, channel: str) -> None:
        """We joined a configured channel; its member list follows."""

    def on_arriving(self, channel: str) -> None:
        """After `on_joined`, where lines have no times: what follows may be history."""

    def on_arrived(self, channel: str) -> None:
        """All that came with our JOIN of `channel` has come: what follows is no history."""

    def on_members_complete(self, channel: str) -> None:
        """The member list of `channel` is complete, with the accounts if the server has WHOX."""

    def on_history_page(self, page: HistoryPage) -> None:
        """A page of history has arrived; its lines came before this, one by one."""

    def on_left(self, channel: str, why: str) -> None:
        """We were kicked from `channel`, or made to part."""

    def on_lost(self, why: str) -> None:
        """The connection ended. Called once for each that reached `on_connected`."""
