"""What servers and strangers send that no standard foresees: the client hears on."""

import logging

import pytest

from tests.irc_bridge.network.scene import Ear, login, staying
from tests.servers.fake_ircd import ISUPPORT, FakeIrcd, fake_ircd


async def still_hears(server: FakeIrcd, ear: Ear) -> None:
    """The same connection goes on delivering lines."""
    await server.says(":ada!a@h PRIVMSG #tea :still there?")
    await ear.hears("still there?")
    assert server.connections == 1


@pytest.mark.parametrize(
    "oddity",
    [
        b":foo",
        b"@a=b",
        b"\r\n\r\n ",
        b":x!u@h \xff\xfe foo",
        b"@a=b;c=d ",
        b":x!u@h PRIVMSG",
        b"KICK #tea",
        b"PART #tea",
        b"NICK",
        b":x!u@h MODE #tea +o",
        b":x!u@h TOPIC #tea",
        b":x!u@h KICK #elsewhere Terra :bye",
        b":srv 353 Terra #tea",
        b":srv 005 Terra",
        b"CAP",
        b"PING a\rb :c",
        b"BATCH",
        b"AUTHENTICATE",
        b"AUTHENTICATE +",
        b":x!u@h NICK",
        b":x!u@h PRIVMSG #tea :" + b"A" * 200_000,
    ],
)
async def test_an_odd_line_costs_only_itself(oddity: bytes) -> None:
    async with (
        fake_ircd() as server,
        staying(login(server.port, "#tea"), mishaps=True) as (_, ear),
    ):
        await ear.happens("members_complete", "#tea")
        await server.says(oddity)
        await still_hears(server, ear)


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        *((line, line) for line in (":eve!e@h JOIN", "NICK", ":x KICK #t", "353 Terra", "CAP")),
        ("@time=now MODE", "MODE"),
        ("TOPIC :a\x02b\t\u202ec", "TOPIC ab c"),
        ("PART #" + "t" * 400, "PART #" + "t" * 54 + "..."),
    ],
)
async def test_a_malformed_line_is_one_warning_that_shows_it_and_names_the_network(
    line: str, shown: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with (
        fake_ircd() as server,
        staying(login(server.port, "#tea", network="libera"), mishaps=True) as (_, ear),
    ):
        await ear.happens("members_complete", "#tea")
        await server.says(line)
        await still_hears(server, ear)
        [logged] = [one for one in caplog.records if one.levelno >= logging.WARNING]
    assert logged.getMessage() == f"libera (127.0.0.1): could not handle {shown}"
    assert (logged.levelname, logged.exc_info) == ("WARNING", None)


async def test_a_line_that_is_none_is_named_in_the_log_once_and_then_counted(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with (
        fake_ircd() as server,
        staying(login(server.port, "#tea"), mishaps=True) as (_, ear),
    ):
        await ear.happens("members_complete", "#tea")
        await server.says(*["::x!u@h JOIN #tea"] * 3, ":ada!a@h PRIVMSG #tea :in the same breath")
        await ear.hears("in the same breath")
    assert [one for one in caplog.messages if one.startswith("127.0.0.1: ")] == [
        "127.0.0.1: ignored a line: no nick in the sender of b'::x!u@h JOIN #tea\\r'",
        "127.0.0.1: malformed: 2 more lines like it",
    ]


async def test_eight_kilobytes_of_tags_are_no_trouble() -> None:
    async with fake_ircd() as server, staying(login(server.port, "#tea")) as (_, ear):
        await ear.happens("members_complete", "#tea")
        await server.says("@+x=" + "y" * 8000 + " :ada!a@h PRIVMSG #tea :big")
        assert len((await ear.hears("big")).tags["+x"]) == 8000


async def test_one_bad_byte_does_not_spoil_the_line() -> None:
    async with fake_ircd() as server, staying(login(server.port, "#tea")) as (_, ear):
        await ear.happens("members_complete", "#tea")
        await server.says(":ada!a@h PRIVMSG #tea :naïve ".encode() + b"caf\xe9")
        await ear.hears("naïve café")


@pytest.mark.parametrize("mask", ["ada!a@x@h", "ada!a!b@h", "ada", "ada@h"])
async def test_a_strange_mask_loses_no_line(mask: str) -> None:
    async with fake_ircd() as server, staying(login(server.port, "#tea")) as (_, ear):
        await ear.happens("members_complete", "#tea")
        await server.says(f":{mask} PRIVMSG #tea :hey")
        line = await ear.hears("hey")
        assert line.source
        assert line.source.nick == "ada"


@pytest.mark.parametrize(
    "text",
    ["\x01ACTION waves", "\x01ACTION is \x16not\x16 here\x01", "\x01REPLY hi there\x01", "\x01"],
)
async def test_ctcp_reaches_the_listener_exactly_as_it_was_sent(text: str) -> None:
    async with fake_ircd() as server, staying(login(server.port, "#tea")) as (_, ear):
        await ear.happens("members_complete", "#tea")
        await server.says(f":ada!a@h PRIVMSG #tea :{text}")
        await ear.hears(text)


async def test_a_line_for_operators_only_is_for_no_channel_of_ours() -> None:
    isupport = "CHANTYPES=# PREFIX=(ov)@+ STATUSMSG=@+"
    async with (
        fake_ircd(isupport=isupport) as server,
        staying(login(server.port, "#tea")) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        await server.says(":ada!a@h PRIVMSG @#tea :ops only")
        line = await ear.hears("ops only")
        assert (network.is_channel(line.params[0]), network.is_channel("#tea")) == (False, True)
        assert not network.is_configured(line.params[0])


async def test_an_unreadable_isupport_token_costs_only_itself() -> None:
    isupport = "CHANLIMIT=#: MONITOR MODES=x PREFIX=(qaohv)~&@%+ CHANMODES=b,k,l,imnt -WHOX"
    async with (
        fake_ircd(isupport=isupport) as server,
        staying(login(server.port, "#tea")) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        await server.says(":srv 353 Terra = #tea :%bo")
        await server.settles()
        assert {member.nick: member.rank for member in network.members("#tea")}["bo"] == "%"
        assert not network.isupport.whox


async def test_a_motd_asked_for_later_is_no_second_welcome() -> None:
    async with fake_ircd() as server, staying(login(server.port, "#tea")) as (_, ear):
        await ear.happens("members_complete", "#tea")
        await server.says(":srv 422 Terra :no motd", ":srv 376 Terra :end")
        await server.settles()
        assert ear.happened("connected") == [("connected", "Terra")]


async def test_the_message_of_the_day_is_not_read(caplog: pytest.LogCaptureFixture) -> None:
    async with fake_ircd() as server, staying(login(server.port)) as (_, ear):
        await ear.happens("connected")
        await server.says(":srv 372", ":srv 375 Terra", ":srv 372 Terra :no beginning")
        await server.settles()
    assert [one.message for one in caplog.records if one.levelname == "ERROR"] == []


async def test_an_end_of_motd_without_a_beginning_is_a_welcome() -> None:
    def answer(line: str) -> list[str] | None:
        hasty = [":srv 001 Terra :hi", ":srv 376 Terra :End of MOTD"]
        return hasty if line.startswith("USER ") else None

    async with fake_ircd(answer=answer) as server, staying(login(server.port)) as (_, ear):
        await ear.happens("connected", "Terra")


async def test_a_capability_list_in_several_lines_is_read_to_its_end() -> None:
    caps = ["account-tag away-notify sts=port=6697", "message-tags server-time batch setname"]
    async with fake_ircd(caps=caps) as server, staying(login(server.port)) as (_, ear):
        await ear.happens("connected")
        [request] = server.heard("CAP REQ")
        asked = set(request.removeprefix("CAP REQ :").split())
        assert asked == {*caps[0].split()[:2], *caps[1].split()}
        assert server.lines.index("CAP END") > server.lines.index(request)


async def test_a_plain_join_is_understood_where_an_extended_one_was_agreed() -> None:
    async with (
        fake_ircd(caps=["extended-join"]) as server,
        staying(login(server.port, "#tea")) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        assert network.joined_channels() == ["#tea"]


async def test_strangers_who_only_speak_are_not_remembered() -> None:
    async with fake_ircd() as server, staying(login(server.port, "#tea")) as (network, ear):
        await ear.happens("members_complete", "#tea")
        known = len(network._session.client.users)  # noqa: SLF001 - nothing shows a leak from outside
        await server.says(*(f":p{n}!u@h PRIVMSG Terra :hi" for n in range(500)))
        await server.says(":q!u@h NOTICE Terra :hi", ":r!u@h INVITE Terra #coffee")
        await server.settles()
        assert len(ear.texts()) == 500
        assert len(network._session.client.users) == known  # noqa: SLF001


async def test_names_of_two_hundred_people_cost_no_question_each() -> None:
    isupport = ISUPPORT.replace(" WHOX", "")
    async with (
        fake_ircd(isupport=isupport) as server,
        staying(login(server.port, "#tea")) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        await server.says(":srv 353 Terra = #tea :" + " ".join(f"u{n}" for n in range(200)))
        await server.says(":ada!a@h NICK :ada2")
        await server.settles()
        assert len(network.members("#tea")) == 202
        assert server.heard("WHOIS") == []
        assert server.heard("WHO ") == ["WHO #tea"]
