"""Logs in to an account during registration: SASL PLAIN, over TLS only, or not at all.

With a SASL password in the settings, the connection ends unless the login succeeds: on a server
without SASL, on a refusal, and without TLS. (The time limit on registration ends a silent one.)
"""

import base64
from collections.abc import Callable

from terrarium_mcp.irc_bridge.network.message import IrcMessage
from terrarium_mcp.irc_bridge.network.server_config import ServerConfig

_PIECE = 400  # IRCv3 sasl-3.1: longer answers are cut; a piece of exactly 400 is not the last


class Sasl:
    """The login of one connection. Replaces pydle's, which may wait for ever for an answer."""

    def __init__(
        self, config: ServerConfig, post: Callable[..., None], end: Callable[[str], None]
    ) -> None:
        self._config = config
        self._post = post
        self._end = end
        self._logged_in = False
        self._registered = False

    def accepts(self, mechanisms: str | None) -> bool:
        """Whether to request SASL of a server that offers `mechanisms`, or does not name them."""
        return self._may_log_in and "PLAIN" in (mechanisms or "PLAIN").upper().split(",")

    def begin(self) -> bool:
        """Start the login; False if this is not the time, or nobody asked for it."""
        if self._may_log_in:
            self._post("AUTHENTICATE", "PLAIN")
        return self._may_log_in

    def on_authenticate(self, line: IrcMessage) -> None:
        """Answer the server's `+` with the account and its password."""
        if not self._may_log_in:
            return
        if line.params != ("+",):
            self._end("SASL login failed: the server sent a challenge, which PLAIN does not have")
            return
        account = self._config.sasl_username or self._config.nick
        for piece in _plain_answer(account, self._config.sasl_password):
            self._post("AUTHENTICATE", piece)

    def on_success(self, line: IrcMessage) -> None:  # noqa: ARG002 - a handler's signature
        """Remember that the login succeeded."""
        self._logged_in = True

    def on_refused(self, line: IrcMessage) -> None:
        """End: the account or its password is wrong, or the server gave up."""
        if not self._registered:
            self._end(f"SASL login failed: {line.params[-1] if line.params else ''}")

    def require_login(self, line: IrcMessage) -> None:  # noqa: ARG002 - a handler's signature
        """End if the server lets us in without the login that the settings ask for."""
        self._registered = True
        if self._required and not self._logged_in:
            why = "the server has no SASL PLAIN" if self._config.tls else "it needs TLS"
            self._end(f"SASL login failed: {why}")

    @property
    def _required(self) -> bool:
        return bool(self._config.sasl_username or self._config.sasl_password)

    @property
    def _may_log_in(self) -> bool:
        """Whether to log in now: not yet registered, and nobody can read the password."""
        return self._required and self._config.tls and not self._registered


def _plain_answer(account: str, password: str) -> list[str]:
    """The message of RFC 4616 2 in base64, in pieces."""
    answer = base64.b64encode(f"\0{account}\0{password}".encode()).decode()
    pieces = [answer[at : at + _PIECE] for at in range(0, len(answer), _PIECE)]
    return pieces if len(pieces[-1]) < _PIECE else [*pieces, "+"]
