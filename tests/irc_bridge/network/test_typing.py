"""The sign that we are typing, where a network passes it on."""

from typing import Any

import anyio
import pytest

from terrarium_mcp.irc_bridge.network.errors import SendQueueFull
from terrarium_mcp.irc_bridge.network.isupport import Isupport
from tests.irc_bridge.network.scene import login, staying
from tests.servers.beside import beside
from tests.servers.fake_ircd import ISUPPORT, FakeIrcd, fake_ircd
from tests.servers.ircd import Ircd
from tests.servers.person import person

TYPING = "@+typing=active TAGMSG #tea"
TAGS = ["message-tags"]
OFTEN: dict[str, Any] = {"typing_after": 0.001, "typing": 0.02}


def shown(server: FakeIrcd) -> list[str]:
    """What people in the channel see, in order."""
    return [line for line in server.lines if "TAGMSG #tea" in line or "PRIVMSG #tea" in line]


async def test_it_is_shown_again_and_again_until_the_answer_comes() -> None:
    async with (
        fake_ircd(caps=TAGS) as server,
        staying(login(server.port, "#tea"), **OFTEN) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        async with beside(network.show_typing, "#tea"):
            await server.hears(TYPING, times=3)
        await network.say("#tea", "tea at four")
        await server.settles()
        assert shown(server)[-2:] == [TYPING, "PRIVMSG #tea :tea at four"]


async def test_two_signs_in_a_channel_are_apart_also_for_two_questions() -> None:
    async with (
        fake_ircd(caps=TAGS) as server,
        staying(login(server.port, "#tea"), typing_after=0, typing=0.3) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        began = anyio.current_time()
        async with beside(network.show_typing, "#tea"):
            await server.hears(TYPING)
        async with beside(network.show_typing, "#tea"):
            await server.hears(TYPING, times=2)
        assert anyio.current_time() - began >= 0.3


async def test_a_sign_in_one_channel_holds_up_none_in_another() -> None:
    async with (
        fake_ircd(caps=TAGS) as server,
        staying(login(server.port, "#tea"), typing_after=0, typing=3600) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        async with beside(network.show_typing, "#tea"):
            await server.hears(TYPING)
        async with beside(network.show_typing, "#tea"), beside(network.show_typing, "#mate"):
            await server.hears("@+typing=active TAGMSG #mate")
            await server.settles()
        assert len(server.heard(TYPING)) == 1


async def test_it_delays_nothing_that_is_said() -> None:
    async with (
        fake_ircd(caps=TAGS) as server,
        staying(login(server.port), burst=1, per_line=0.05, **OFTEN) as (network, ear),
    ):
        await ear.happens("connected")
        async with beside(network.say, "ada", "1\n2\n3\n4"):
            await server.hears("PRIVMSG ada 1")
            async with beside(network.show_typing, "#tea"):
                await server.hears(TYPING)
        left = [line for line in server.lines if line.startswith(("PRIVMSG", TYPING))]
        assert left[:5] == [*(f"PRIVMSG ada {n}" for n in range(1, 5)), TYPING]


async def test_a_sign_that_comes_too_late_is_never_sent() -> None:
    async with (
        fake_ircd(caps=TAGS) as server,
        staying(login(server.port), burst=1, per_line=3600, queue=1, typing_after=0) as (
            network,
            ear,
        ),
    ):
        await ear.happens("connected")
        await network.say("ada", "1")  # now nothing may leave for an hour
        async with beside(network.show_typing, "#tea"):
            await anyio.wait_all_tasks_blocked()
            with pytest.raises(SendQueueFull):  # the sign waits
                await network.say("ada", "2")
        async with beside(network.say, "ada", "2"):  # and no longer
            await server.settles()
        assert server.heard(TYPING) == []


@pytest.mark.parametrize(
    ("caps", "denied"),
    [([], ""), (TAGS, " CLIENTTAGDENY=*"), (TAGS, " CLIENTTAGDENY=reply,typing")],
)
async def test_where_the_network_drops_it_there_is_none(caps: list[str], denied: str) -> None:
    async with (
        fake_ircd(caps=caps, isupport=ISUPPORT + denied) as server,
        staying(login(server.port, "#tea"), **OFTEN) as (network, ear),
    ):
        await ear.happens("members_complete", "#tea")
        await network.show_typing("#tea")  # returns
        await network.say("#tea", "tea at four", reply_to="m1")
        await server.settles()
        tagged = "@+draft/reply=m1 " if "reply" in denied else ""
        assert shown(server) == [f"{tagged}PRIVMSG #tea :tea at four"]


async def test_a_full_queue_shows_no_sign_and_fails_nobody() -> None:
    async with (
        fake_ircd(caps=TAGS) as server,
        staying(login(server.port), burst=1, per_line=3600, queue=3, **OFTEN) as (network, ear),
    ):
        await ear.happens("connected")
        async with beside(network.say, "ada", "1\n2\n3"):
            await server.hears("PRIVMSG ada 1")
            async with beside(network.say, "ada", "4"):
                await anyio.wait_all_tasks_blocked()
                await network.show_typing("#tea")  # returns


async def test_a_network_that_is_away_is_shown_nothing() -> None:
    async with fake_ircd(caps=TAGS) as server, staying(login(server.port), **OFTEN) as (network, _):
        await network.stop("bye")
        await network.show_typing("#tea")  # returns
        assert server.heard(TYPING) == []


@pytest.mark.parametrize(
    ("denied", "takes"),
    [((), True), (("*",), False), (("*", "-typing"), True), (("typing",), False), (("x",), True)],
)
def test_a_server_names_the_tags_it_drops_or_those_it_does_not(
    denied: tuple[str, ...], takes: bool
) -> None:
    assert Isupport(clienttagdeny=denied).takes_client_tag("typing") is takes


async def test_others_see_it_on_a_real_server_and_which_line_is_answered(inspircd: Ircd) -> None:
    async with (
        person("ada", inspircd.port) as ada,
        staying(login(inspircd.port, "#tea"), **OFTEN) as (network, ear),
    ):
        await ada.types("CAP REQ :message-tags")
        await ada.joins("#tea")
        await ear.happens("members_complete", "#tea")
        await ada.types("PRIVMSG #tea :who?")
        msgid = (await ear.hears("who?")).tags["msgid"]
        async with beside(network.show_typing, "#tea"):
            assert "+typing=active" in await ada.sees(":Terra!", "TAGMSG", "#tea")
        await network.say("#tea", "ada did", reply_to=msgid)
        said = await ada.sees(":Terra!", "ada did")
        assert f"+reply={msgid}" in said
        assert f"+draft/reply={msgid}" in said
