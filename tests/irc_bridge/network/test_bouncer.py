"""What ZNC says of itself is believed of ZNC alone."""

import pytest

from terrarium_mcp.chat.irc_message import IrcMessage, parse_line
from terrarium_mcp.irc_bridge.network.bouncer import lost_server


def heard(line: str) -> IrcMessage:
    return parse_line(line.encode())


@pytest.mark.parametrize(
    ("line", "lost"),
    [
        (":*status!znc@znc.in PRIVMSG Terra :Disconnected from IRC. Reconnecting...", True),
        (":*status!znc@znc.in PRIVMSG Terra :Disconnected from IRC (reset). Reconnecting...", True),
        (":*status!znc@znc.in NOTICE Terra :You are currently disconnected from IRC.", True),
        (":*status!znc@znc.in PRIVMSG Terra :IRC connection timed out.  Reconnecting...", True),
        (":*status!znc@znc.in PRIVMSG Terra :Connected!", False),
        (":*status!znc@znc.in PRIVMSG Terra :Connection Refused.  Reconnecting...", False),
        (":*controlpanel!znc@znc.in PRIVMSG Terra :Disconnected from IRC.", False),
        (":status!znc@znc.in PRIVMSG Terra :Disconnected from IRC. Reconnecting...", False),
        ("PRIVMSG Terra :Disconnected from IRC. Reconnecting...", False),
        (":*status!znc@znc.in PRIVMSG", False),
    ],
)
def test_only_its_status_says_that_it_lost_its_server(line: str, lost: bool) -> None:
    assert lost_server(heard(line)) is lost
