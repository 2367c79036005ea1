"""Counts refused logins: a wrong password must not be sent for ever."""

import logging

from terrarium_mcp.irc_bridge.network.session import Session
from terrarium_mcp.irc_bridge.network.timeouts import Timeouts

log = logging.getLogger(__name__)


class RefusedLogins:
    """The refused logins in a row of one network; a connection of another end does not count."""

    def __init__(self, name: str, timeouts: Timeouts) -> None:
        self._name = name
        self._timeouts = timeouts
        self._in_a_row = 0
        self.are_many = False
        """Whether the login was refused just now, and often enough before to wait longer."""

    def after(self, session: Session, why: str) -> str:
        """Count a connection that ended; returns why there is none, for people to read."""
        if session.welcomed:
            self._in_a_row = 0
        self._in_a_row += session.login_refused
        self.are_many = session.login_refused and self._in_a_row >= self._timeouts.logins
        if not self.are_many:
            return why
        trouble = (
            f"{why}. It was refused {self._timeouts.logins} times in a row and is now tried every"
            f" {self._timeouts.login_again:g} s: check TERRARIUM_SASL_USERNAME,"
            " TERRARIUM_SASL_PASSWORD and TERRARIUM_TLS_CERT"
        )
        if self._in_a_row == self._timeouts.logins:
            log.error("%s: %s", self._name, trouble)
        return trouble
