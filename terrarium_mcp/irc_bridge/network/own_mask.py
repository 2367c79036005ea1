"""Our own `nick!user@host`, as other users see it: it takes room in every line we send."""

from terrarium_mcp.chat.irc_message import IrcMessage, Source
from terrarium_mcp.irc_bridge.network.pydle_client import PydleClient

_LONGEST_USER, _LONGEST_HOST = 11, 63  # the most that servers allow, assumed until we know ours
_LONGEST_NICK = 66
"""Bytes of a nick with its `!` and `@`, whatever a server calls us."""
_BELIEVED = 150
"""Bytes of user and host that are believed: more would leave our lines no room for words."""


class OwnMask:
    """Learnt from our own lines, and from the server's announcements."""

    def __init__(self, client: PydleClient) -> None:
        self._client = client
        self._user = ""
        self._host = ""

    @property
    def source(self) -> Source:
        """The source of our own lines, as far as it is known."""
        return Source(self._client.nick, self._user, self._host)

    @property
    def length(self) -> int:
        """Bytes of `nick!user@host`, or the most that it can have."""
        user = len(self._user.encode()) or _LONGEST_USER
        host = len(self._host.encode()) or _LONGEST_HOST
        return min(len(f"{self._client.nick}!@".encode()), _LONGEST_NICK) + user + host

    def learn(self, line: IrcMessage) -> None:
        """Note our user and host, which the server adds to whatever we do."""
        if line.source and line.source.host and self._client.is_own(line.source):
            self._note(line.source.user, line.source.host)

    def on_new_host(self, line: IrcMessage) -> None:
        """Note our new host: `me [user@]host :is now your displayed host`."""
        if len(line.params) > 1:
            user, _, host = line.params[1].rpartition("@")
            self._note(user or self._user, host)

    def on_chghost(self, line: IrcMessage) -> None:
        """Note a new user and host of ours: `user host`."""
        if self._client.is_own(line.source) and len(line.params) > 1:
            self._note(*line.params[:2])

    def _note(self, user: str, host: str) -> None:
        if len(f"{user}{host}".encode()) <= _BELIEVED:
            self._user, self._host = user, host
