"""What ZNC says of itself. Pure.

A bouncer keeps our connection open while its own to the network is lost, and says so in private:
`:*status!znc@znc.in PRIVMSG Terra :Disconnected from IRC. Reconnecting...` (ZNC 1.8). No nick of a
network begins with `*`, so that nobody can pass for it.
"""

from terrarium_mcp.chat.irc_message import IrcMessage

_STATUS = "*status"
_LOST = ("Disconnected from IRC", "IRC connection timed out", "You are currently disconnected")


def lost_server(line: IrcMessage) -> bool:
    """Whether ZNC says in this PRIVMSG or NOTICE that it is no longer on the network."""
    if line.source is None or line.source.nick != _STATUS:
        return False
    return line.params[-1].startswith(_LOST) if line.params else False
