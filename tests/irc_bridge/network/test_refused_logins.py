"""A login that is refused again and again is tried more rarely, and the operator is told."""

import logging
from dataclasses import dataclass
from typing import cast

import pytest

from terrarium_mcp.irc_bridge.network.refused_logins import RefusedLogins
from terrarium_mcp.irc_bridge.network.session import Session
from terrarium_mcp.irc_bridge.network.timeouts import Timeouts

WHY = "SASL login failed: wrong password"
TROUBLE = (
    f"{WHY}. It was refused 2 times in a row and is now tried every 600 s: check"
    " TERRARIUM_SASL_USERNAME, TERRARIUM_SASL_PASSWORD and TERRARIUM_TLS_CERT"
)


@dataclass
class Ended:
    """How a session ended."""

    welcomed: bool = False
    login_refused: bool = False


def told(logins: RefusedLogins, *, welcomed: bool = False, refused: bool = False) -> str:
    return logins.after(cast("Session", Ended(welcomed, refused)), WHY)


def test_the_operator_is_told_once_what_to_check(caplog: pytest.LogCaptureFixture) -> None:
    logins = RefusedLogins("labnet", Timeouts(logins=2, login_again=600))
    assert not logins.are_many
    assert told(logins, refused=True) == WHY
    assert not caplog.records
    for _ in range(2):
        assert told(logins, refused=True) == TROUBLE
        assert logins.are_many
        assert [(one.levelno, one.getMessage()) for one in caplog.records] == [
            (logging.ERROR, f"labnet: {TROUBLE}")
        ]


def test_another_end_between_does_not_count_and_a_welcome_starts_again() -> None:
    logins = RefusedLogins("labnet", Timeouts(logins=2, login_again=600))
    told(logins, refused=True)
    assert told(logins) == WHY
    assert not logins.are_many
    assert told(logins, refused=True) == TROUBLE
    assert told(logins) == WHY
    assert not logins.are_many
    assert told(logins, welcomed=True) == WHY
    assert told(logins, refused=True) == WHY
    assert told(logins, refused=True) == TROUBLE
