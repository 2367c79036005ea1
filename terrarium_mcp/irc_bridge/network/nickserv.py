"""Asks the network's services for our nick, where someone else, perhaps our own ghost, has it.

Only where we are logged in: the account is enough, and no password is ever sent in a message. Only
where NickServ is a service: on other networks anyone may be called so.
"""

from collections.abc import Callable

from terrarium_mcp.chat.irc_message import IrcMessage
from terrarium_mcp.irc_bridge.network.pydle_client import Post, PydleClient

NAME = "NickServ"

_REQUESTS = ("REGAIN", "GHOST", "RECOVER")
"""Atheme knows the first, ergo the second, anope the last two."""


class NickServ:
    """A few requests for each connection, one at a time."""

    def __init__(self, client: PydleClient, post: Post, logged_in: Callable[[], bool]) -> None:
        self._client = client
        self._post = post
        self._logged_in = logged_in
        self._requests = list(_REQUESTS)
        self._wanted = ""
        self._asked = False

    def ask_for(self, nick: str) -> None:
        """Have the nick freed, if NickServ turns out to be a service.

        A request that is still unanswered by then counts as lost: services may have been away.
        """
        if self._logged_in() and self._requests:
            self._wanted = nick
            self._asked = False
            self._post("WHOIS", NAME)

    def on_whois_operator(self, line: IrcMessage) -> None:
        """Ask, now that the server says what NickServ is (313): `is a Network Service`."""
        is_ours = self._client.nickname == self._wanted
        if len(line.params) < 3 or not self._wanted or is_ours or not self._requests:
            return
        if self._asked:  # this server was slow to answer an earlier WHOIS
            return
        _, who, what = line.params[:3]
        if self._client.is_same_nick(who, NAME) and "service" in what.lower():
            self._post("PRIVMSG", NAME, f"{self._requests.pop(0)} {self._wanted}")
            self._asked = True

    def on_notice(self, line: IrcMessage) -> None:
        """Take the nick once NickServ has answered, whatever its words: the server decides."""
        if not self._asked or line.source is None:
            return
        if self._client.is_same_nick(line.source.nick, NAME):
            self._asked = False
            if self._client.nickname != self._wanted:
                self._post("NICK", self._wanted)
            self._wanted = ""
