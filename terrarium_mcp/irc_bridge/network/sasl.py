"""Logs in to an account during registration: by SASL, over TLS only, or not at all.

With a client certificate EXTERNAL is tried first, then PLAIN if there is a password. With either in
the settings, the connection ends unless the login succeeds: on a server without SASL, on a refusal,
and without TLS. (The time limit on registration ends a silent one.)
"""

import base64
import logging
from collections.abc import Callable, Iterable, Iterator
from types import MappingProxyType

from terrarium_mcp.chat.irc_message import IrcMessage
from terrarium_mcp.irc_bridge.network.server_config import ServerConfig

log = logging.getLogger(__name__)

_PIECE = 400  # IRCv3 sasl-3.1: longer answers are cut; a piece of exactly 400 is not the last
_EXTERNAL, _PLAIN = "EXTERNAL", "PLAIN"

_ASKED_BY = MappingProxyType(
    {
        _EXTERNAL: "TERRARIUM_TLS_CERT",
        _PLAIN: "TERRARIUM_SASL_USERNAME, TERRARIUM_SASL_PASSWORD",
    }
)
"""The settings that ask for each way of logging in."""


class Sasl:
    """The login of one connection. Replaces pydle's, which may wait for ever for an answer."""

    def __init__(
        self, config: ServerConfig, post: Callable[..., None], end: Callable[[str], None]
    ) -> None:
        self.logged_in = False
        self.refused = False
        """Whether the server refused the account, by every way that both sides have."""
        self._config = config
        self._post = post
        self._end = end
        self._ours = tuple(_mechanisms(config))
        self._untried = list(self._ours) if config.tls else []
        self._trying = ""
        self._answered = False
        self._registered = False
        self._has_told = False

    def accepts(self, mechanisms: str | None) -> bool:
        """Whether to request SASL of a server that offers `mechanisms`, or does not name them."""
        if mechanisms:
            self._keep(mechanisms)
        return bool(self._untried) and not self._registered

    def begin(self) -> bool:
        """Start the login; False if this is not the time, or nobody asked for it."""
        if self._registered or not self._untried:
            return False
        self._trying, self._answered = self._untried.pop(0), False
        self._post("AUTHENTICATE", self._trying)
        return True

    def on_authenticate(self, line: IrcMessage) -> None:
        """Answer the server's `+`: with the account and its password, or just our certificate."""
        if not self._trying or self._registered:
            return
        if line.params != ("+",):
            self._fail(f"the server sent a challenge, which {self._trying} does not have")
            return
        self._answered = True
        for piece in self._answer():
            self._post("AUTHENTICATE", piece)

    def on_success(self, line: IrcMessage) -> None:  # noqa: ARG002 - a handler's signature
        """Remember that the login succeeded; one that the server never asked for is none."""
        if not self._ours or self._registered:
            return
        if not self._answered:
            self._fail("the server accepted it without having asked for our account")
            return
        self.logged_in = True

    def on_logged_in(self, line: IrcMessage) -> None:  # noqa: ARG002 - a handler's signature
        """Note that services logged us in again (900) after they had logged us out."""
        if self._registered and self._ours:
            self.logged_in = True

    def on_logged_out(self, line: IrcMessage) -> None:  # noqa: ARG002 - a handler's signature
        """Warn that services logged us out while connected (901), as of a frozen account."""
        if not (self._registered and self.logged_in):
            return
        self.logged_in = False
        if not self._has_told:
            self._has_told = True
            log.warning(
                "%s: services logged us out of our account. Ask them why (NickServ INFO);"
                " the next connection logs in again, so restart the bridge then.",
                self._config.display_name,
            )

    def on_mechanisms(self, line: IrcMessage) -> None:
        """Leave out what the server does not have (908), which refuses what we are trying (904)."""
        if self._registered or len(line.params) < 2:
            return
        self._keep(line.params[1])
        if not self._untried:
            self.on_refused(line)

    def on_refused(self, line: IrcMessage) -> None:
        """Try another way, or end: the account or its password is wrong, or the server gave up."""
        if self._registered or not self._ours or self.begin():
            return
        self.refused = True
        self._fail(line.params[-1] if line.params else "")

    def require_login(self, line: IrcMessage) -> None:  # noqa: ARG002 - a handler's signature
        """End if the server lets us in without the login that the settings ask for."""
        self._registered = True
        if self._ours and not self.logged_in:
            self._fail(self._has_none() if self._config.tls else "it needs TLS")

    def _has_none(self) -> str:
        """That the server lacks our ways of logging in, and what to do."""
        settings = ", ".join(_ASKED_BY[one] for one in self._ours)
        return (
            f"the server has no SASL {' or '.join(self._ours)}."
            f" Are its services away? If it never has it, remove {settings}"
        )

    def _keep(self, mechanisms: str) -> None:
        """Keep those of the untried mechanisms that the server has, in a list with commas."""
        offered = mechanisms.upper().split(",")
        self._untried = [one for one in self._untried if one in offered]

    def _answer(self) -> Iterable[str]:
        if self._trying == _EXTERNAL:
            return ["+"]  # the account is the one that the certificate belongs to
        account = self._config.sasl_username or self._config.nick
        return _plain_answer(account, self._config.sasl_password)

    def _fail(self, why: str) -> None:
        self._end(f"SASL login failed: {why}")


def _mechanisms(config: ServerConfig) -> Iterator[str]:
    """The ways in which the settings let us log in, the best first."""
    if config.tls_certfile:
        yield _EXTERNAL
    if config.sasl_password or (config.sasl_username and not config.tls_certfile):
        yield _PLAIN


def _plain_answer(account: str, password: str) -> list[str]:
    """The message of RFC 4616 2 in base64, in pieces."""
    answer = base64.b64encode(f"\0{account}\0{password}".encode()).decode()
    pieces = [answer[at : at + _PIECE] for at in range(0, len(answer), _PIECE)]
    return pieces if len(pieces[-1]) < _PIECE else [*pieces, "+"]
