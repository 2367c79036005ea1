"""Logs in to services before anybody can see us: SASL PLAIN, over TLS only, or not at all.

With a SASL password in the login, every road that ends without a login ends the connection: a
server without SASL, a refusal, plain text. (Silence is ended by the limit on registration.)
"""

import base64

from terrarium_mcp.irc_bridge.network.base import Base, Heard

_PIECE = 400  # IRCv3 sasl-3.1: a longer answer comes in pieces; one of exactly 400 is not the last


class Sasl(Base):
    """Takes the place of pydle's SASL, which needs another package and waits for ever."""

    _logged_in = False

    @property
    def must_log_in(self) -> bool:
        """Whether the operator gave us an account to use."""
        return bool(self.login.sasl_username or self.login.sasl_password)

    @property
    def may_log_in(self) -> bool:
        """Whether this is the moment for it: before registration, and nobody listens in."""
        return self.must_log_in and self.login.tls and not self.registered

    async def on_capability_sasl_available(self, value: str | None) -> bool:
        """Ask for SASL where it can be done safely."""
        return self.may_log_in and "PLAIN" in (value.upper().split(",") if value else ["PLAIN"])

    async def on_capability_sasl_enabled(self) -> bool | None:
        """Begin; True tells pydle that the negotiation goes on until 903."""
        if not self.may_log_in:  # an answer to a question that we never asked
            return None
        await self.rawmsg("AUTHENTICATE", "PLAIN")
        return True

    async def on_raw_authenticate(self, message: Heard) -> None:
        """Answer the server's `+` with our account and password."""
        if not self.may_log_in:
            return
        if message.params != ["+"]:
            self.end("SASL login failed: the server asked for something that PLAIN has not")
            return
        for piece in _plain_answer(
            self.login.sasl_username or self.login.nick, self.login.sasl_password
        ):
            await self.rawmsg("AUTHENTICATE", piece)

    async def on_raw_903(self, message: Heard) -> None:
        """Go on: we are logged in."""
        self._logged_in = True
        await super().on_raw_903(message)

    async def _refused(self, message: Heard) -> None:
        if not self.registered:
            self.end(f"SASL login failed: {message.params[-1] if message.params else ''}")

    on_raw_902 = on_raw_904 = on_raw_905 = on_raw_906 = on_raw_908 = _refused

    async def on_raw_001(self, message: Heard) -> None:
        """Fail closed: without the login that the operator asked for we do not come in."""
        if self.must_log_in and not self._logged_in:
            why = "the server has no SASL PLAIN" if self.login.tls else "it needs TLS"
            self.end(f"SASL login failed: {why}")
            return
        await super().on_raw_001(message)


def _plain_answer(account: str, password: str) -> list[str]:
    """RFC 4616 2 in base64, in pieces."""
    answer = base64.b64encode(f"\0{account}\0{password}".encode()).decode()
    pieces = [answer[at : at + _PIECE] for at in range(0, len(answer), _PIECE)]
    return pieces if len(pieces[-1]) < _PIECE else [*pieces, "+"]
