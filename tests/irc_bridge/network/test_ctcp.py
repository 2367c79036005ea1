"""Which CTCP requests are answered, and with what."""

import pytest

from tests.irc_bridge.network.scene import login, staying
from tests.servers.fake_ircd import fake_ircd


async def answers(*lines: str, ctcp: float = 0) -> list[str]:
    """What the client answers to these lines."""
    async with fake_ircd() as server, staying(login(server.port), ctcp=ctcp) as (network, ear):
        await ear.happens("connected")
        await server.says(*lines)
        await server.settles()
        # A NOTICE is paced and may come after the PONG, but not after what is said later.
        await network.say("ada", "the end")
        await server.hears("PRIVMSG ada :the end")
        return server.heard("NOTICE")


@pytest.mark.parametrize(
    ("request_", "answer"),
    [
        ("VERSION", "VERSION terrarium-mcp"),
        ("version", "VERSION terrarium-mcp"),
        ("PING X 12 X", "PING X 12 X"),
        ("ping " + "x" * 70, "PING " + "x" * 64),
        ("CLIENTINFO", "CLIENTINFO ACTION CLIENTINFO PING VERSION"),
    ],
)
async def test_a_request_in_private_is_answered_by_notice(request_: str, answer: str) -> None:
    for end in ("\x01", ""):
        line = f":ada!a@h PRIVMSG terra :\x01{request_}{end}"
        assert await answers(line) == [f"NOTICE ada :\x01{answer}\x01"]


@pytest.mark.parametrize(
    "line",
    [
        ":ada!a@h PRIVMSG Terra :\x01FINGER\x01",
        ":ada!a@h PRIVMSG Terra :\x01ACTION waves\x01",
        ":ada!a@h PRIVMSG Terra :VERSION",
        ":ada!a@h PRIVMSG #tea :\x01VERSION\x01",
        ":ada!a@h NOTICE Terra :\x01VERSION\x01",
        ":TERRA!a@h PRIVMSG Terra :\x01VERSION\x01",
        "PRIVMSG Terra :\x01VERSION\x01",
        ":ada!a@h PRIVMSG :\x01VERSION\x01",
        ":ada!a@h PRIVMSG Terra",
    ],
)
async def test_everything_else_is_not_answered(line: str) -> None:
    assert await answers(line) == []


async def test_only_one_request_in_a_while_is_answered() -> None:
    requests = [f":ada!a@h PRIVMSG Terra :\x01PING {n}\x01" for n in range(3)]
    assert await answers(*requests, ctcp=3600) == ["NOTICE ada :\x01PING 0\x01"]
    assert len(await answers(*requests, ctcp=0)) == 3
