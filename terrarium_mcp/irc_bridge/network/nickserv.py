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
        self._host = ""
        self._wanted = ""
        self._asked = False

    def ask_for(self, nick: str) -> None:
        """Have the nick freed, if NickServ turns out to be a service.

        A request that is still unanswered by then counts as lost: services may have been away.
        """
        if self._logged_in() and self._requests:
            self._wanted = nick
            self._asked = False
            self._host = ""
            self._post("WHOIS", NAME)

    def on_whois_user(self, line: IrcMessage) -> None:
        """Note the host of NickServ (311): `me NickServ user host * :real name`."""
        if self._is_of_nickserv(line, 4):
            self._host = line.params[3]

    def on_whois_server(self, line: IrcMessage) -> None:
        """Ask, if NickServ's host is the server that it is on (312), as those of services are.

        Of atheme's services inspircd 3 says no more. It might be a user of the server's machine.
        Nothing secret is said to them, and where accounts exist, their services hold the name.
        """
        if self._is_of_nickserv(line, 3) and line.params[2] == self._host != "":
            self._ask()

    def on_whois_operator(self, line: IrcMessage) -> None:
        """Ask, now that the server says what NickServ is (313): `is a Network Service`."""
        if self._is_of_nickserv(line, 3) and "service" in line.params[2].lower():
            self._ask()

    def _is_of_nickserv(self, line: IrcMessage, params: int) -> bool:
        """Whether a line of a WHOIS is about NickServ, and has so many parameters at least."""
        return len(line.params) >= params and self._client.is_same_nick(line.params[1], NAME)

    def _ask(self) -> None:
        """Send the next request, if we still lack the nick."""
        is_ours = self._client.nickname == self._wanted
        if not self._wanted or is_ours or not self._requests:
            return
        if self._asked:  # this server was slow to answer an earlier WHOIS, or said it twice
            return
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
