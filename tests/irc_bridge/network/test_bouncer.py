"""What ZNC says of itself is believed of ZNC alone."""

import pytest

from terrarium_mcp.chat.irc_message import IrcMessage, parse_line
from terrarium_mcp.irc_bridge.network.bouncer import lost_server
from tests.irc_bridge.network.scene import login, staying
from tests.servers.fake_ircd import fake_ircd


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


async def test_only_the_joins_before_its_pong_are_made_up() -> None:
    def answer(line: str) -> list[str] | None:
        """It is in these channels already; behind all that it makes up it answers our PING."""
        if line != "PING terrarium-attached":
            return [] if line.startswith("JOIN") else None
        return [
            ":Terra!u@host.example JOIN #tea",
            ":srv PONG srv another",
            ":Terra!u@host.example JOIN #mate",
            ":srv PONG srv terrarium-attached",
        ]

    async with (
        fake_ircd(caps=["znc.in/self-message"], answer=answer) as server,
        staying(login(server.port, "#tea", "#mate", "#cafe")) as (_, ear),
    ):
        await ear.happens("joined", "#mate")
        await server.says(":Terra!u@host.example JOIN #cafe")
        await ear.hears("#cafe")
    assert [line.params for line in ear.lines if line.command == "JOIN"] == [("#cafe",)]
