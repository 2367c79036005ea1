"""No password or key of ours is left in what a server says for people to read."""

import pytest

from terrarium_mcp.chat.irc_message import parse_line
from terrarium_mcp.irc_bridge.network.server_words import without_our_secrets
from tests.irc_bridge.network.scene import login, staying
from tests.servers.fake_ircd import fake_ircd

SECRETS = ("hunter2secret", "hunter2", "s3cretkey")


def is_terra(nick: str) -> bool:
    return nick == "Terra"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("ERROR :Closing link: bad password hunter2secret", "Closing link: bad password ***"),
        (
            ":irc 475 Terra #k :Cannot join (+k): s3cretkey is wrong",
            "Cannot join (+k): *** is wrong",
        ),
        (":irc 464 Terra :hunter2 hunter2secret", "*** ***"),
        (":irc 904 Terra :no hunter2secret", "no ***"),
        (":bo!b@h KICK #tea Terra :the key is s3cretkey", "the key is ***"),
        (":irc NOTICE #tea :the key is s3cretkey now", "the key is *** now"),
        (":oper!o@h KILL Terra :s3cretkey is shared", "*** is shared"),
        (":irc 502 Terra :not with hunter2", "not with ***"),
        (":irc FAIL JOIN WRONG_KEY #k :s3cretkey is wrong", "*** is wrong"),
        (":irc WARN JOIN OLD_KEY #k :s3cretkey is old", "*** is old"),
        (":NickServ!s@services. NOTICE Terra :hunter2 is no password", "*** is no password"),
    ],
)
def test_a_reason_does_not_show_them(line: str, reason: str) -> None:
    parsed = parse_line(line.encode())
    shown = without_our_secrets(parsed, SECRETS, is_terra)
    assert shown.params == (*parsed.params[:-1], reason)


@pytest.mark.parametrize(
    "line",
    [
        ":bo!b@h PRIVMSG #tea :the key is s3cretkey",  # talk is recorded as it was said
        ":bo!b@h NOTICE #tea :guess alpha bravo s3cretkey delta",
        ":bo!b@h KICK #tea ada :the key is s3cretkey",
        ":irc 353 Terra = #tea :hunter2 bo",
        ":irc 005 Terra NETWORK=hunter2 :are supported",
        ":hunter2!h@h NICK :hunter2secret",
        ":irc LIST #k :s3cretkey",
        "ERROR",
    ],
)
def test_talk_and_names_stay_as_they_are(line: str) -> None:
    parsed = parse_line(line.encode())
    assert without_our_secrets(parsed, SECRETS, is_terra) == parsed


def test_what_is_too_short_to_be_told_from_a_word_stays() -> None:
    line = parse_line(b":bo!b@h KICK #tea Terra :no tea here")
    assert without_our_secrets(line, ("tea", ""), is_terra) == line


async def test_a_notice_with_a_key_of_ours_is_heard_as_said_and_no_line_brings_it_into_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with (
        fake_ircd() as server,
        staying(login(server.port, "#tea s3cretkey"), mishaps=True) as (_, ear),
    ):
        await ear.happens("joined", "#tea")
        await server.says(":bo!b@h NOTICE #tea :guess bravo s3cretkey delta")
        await ear.hears("guess bravo s3cretkey delta")
        await server.says(":bo!b@h KICK s3cretkey")  # has no nick, and cannot be handled
        await server.settles()
    assert "KICK ***" in caplog.text
    assert "s3cretkey" not in caplog.text
