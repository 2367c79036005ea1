"""What ZNC says of itself, and what it makes up for us when we come.

A bouncer keeps our connection open while its own to the network is lost, and says so in private:
`:*status!znc@znc.in PRIVMSG Terra :Disconnected from IRC. Reconnecting...` (ZNC 1.8). No nick of a
network begins with `*`, so that nobody can pass for it.
"""

from terrarium_mcp.chat.irc_message import IrcMessage
from terrarium_mcp.irc_bridge.network.pydle_client import Post, PydleClient

_STATUS = "*status"
_ATTACHED = "terrarium-attached"
_LOST = ("Disconnected from IRC", "IRC connection timed out", "You are currently disconnected")


def lost_server(line: IrcMessage) -> bool:
    """Whether ZNC says in this PRIVMSG or NOTICE that it is no longer on the network."""
    if line.source is None or line.source.nick != _STATUS:
        return False
    return line.params[-1].startswith(_LOST) if line.params else False


class Attachment:
    """The lines by which a bouncer brings us up to date, directly behind its welcome.

    For each channel that it is in, ZNC makes up a JOIN of ours that nobody else saw: we have been
    there all along. It answers our PING by itself, and so does behind all of them.
    """

    def __init__(self, client: PydleClient, post: Post) -> None:
        self._client = client
        self._post = post
        self._goes_on = False

    def begin(self) -> None:
        """We were welcomed: if it was by a bouncer, what it makes up follows."""
        if self._client.is_behind_bouncer:
            self._goes_on = True
            self._post("PING", _ATTACHED)

    def on_pong(self, line: IrcMessage) -> None:
        """Whatever comes from here on has happened on the network."""
        if line.params[-1:] == (_ATTACHED,):
            self._goes_on = False

    def made_up(self, line: IrcMessage) -> bool:
        """Whether a line is a JOIN of ours that the bouncer made up."""
        return self._goes_on and line.command == "JOIN" and self._client.is_own(line.source)
