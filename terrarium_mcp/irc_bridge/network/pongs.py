"""Which PONG answers which of our PINGs: a server may send no token back (RFC 1459 4.6.3)."""

from terrarium_mcp.chat.irc_message import IrcMessage

OURS = "terrarium"
"""What begins the token of every PING of ours."""


class Pongs:
    """The answers to our PINGs of one connection.

    Until one of them has a token of ours, any without one answers whatever was asked.
    """

    def __init__(self) -> None:
        self._have_tokens = False

    def answers(self, line: IrcMessage, token: str) -> bool:
        """Whether a PONG answers the PING with this token."""
        self._have_tokens |= any(param.startswith(OURS) for param in line.params)
        return token in line.params if self._have_tokens else True
