"""The same client on real servers: what matters there, from registration to a power cut."""

from contextlib import AsyncExitStack

import anyio
import pytest

from terrarium_mcp.irc_bridge.network.errors import UntrustedCertificate
from terrarium_mcp.irc_bridge.network.transport import open_connection
from tests.irc_bridge.network.scene import PATIENT, login, staying
from tests.servers.ircd import Ircd
from tests.servers.person import person

SCRIPTS = "The quick brown fox. «naïve café» 漢字かな交じり文 🏳️‍🌈👩‍👩‍👧 שלום مرحبا. "


async def test_it_registers_joins_hears_and_answers(ircd: Ircd) -> None:
    async with person("ada", ircd.port) as ada, staying(login(ircd.port, "#tea")) as (network, ear):
        await ada.joins("#tea")
        await ear.happens("members_complete", "#tea")
        await ada.types(
            "PRIVMSG #tea :tea\x01?", "PRIVMSG #tea :\x01ACTION waves\x01", "NOTICE #tea :hm"
        )
        line = await ear.hears("hm")
        assert ear.texts() == ["tea\x01?", "\x01ACTION waves\x01"]
        assert line.source
        assert line.source.nick == "ada"
        await network.say("#tea", "tea at four")
        assert await ada.sees("PRIVMSG #tea", "tea at four")
        assert {member.nick for member in network.members("#TEA")} == {"ada", "Terra"}
        assert network.channels_of("ADA") == ["#tea"]


async def test_tls_is_verified_and_without_a_reason_to_believe_refused(ircd: Ircd) -> None:
    async with staying(
        login(ircd.tls_port, "#tea", host="localhost", tls=True, tls_cafile=ircd.cafile)
    ) as (_, ear):
        await ear.happens("members_complete", "#tea")
    with pytest.raises(UntrustedCertificate):
        async with open_connection(login(ircd.tls_port, host="localhost", tls=True), PATIENT):
            pass


async def test_five_thousand_lines_arrive_in_each_speakers_order(ircd: Ircd) -> None:
    async with AsyncExitStack() as stack:
        _, ear = await stack.enter_async_context(staying(login(ircd.port, "#tea")))
        crowd = [await stack.enter_async_context(person(f"p{n}", ircd.port)) for n in range(5)]
        for someone in crowd:
            await someone.joins("#tea")
        await ear.happens("members_complete", "#tea")
        async with anyio.create_task_group() as tasks:
            for someone in crowd:
                said = [f"PRIVMSG #tea :{someone.nick} {n}" for n in range(1000)]
                tasks.start_soon(someone.types, *said)
        await ear.until(lambda: len(ear.texts()) == 5000)
        for someone in crowd:
            mine = [text for text in ear.texts() if text.startswith(f"{someone.nick} ")]
            assert mine == [f"{someone.nick} {n}" for n in range(1000)]


async def test_long_text_in_many_scripts_arrives_whole(ircd: Ircd) -> None:
    text = (SCRIPTS * 14).strip()
    async with person("ada", ircd.port) as ada, staying(login(ircd.port, "#tea")) as (network, ear):
        await ada.joins("#tea")
        await ear.happens("members_complete", "#tea")
        await network.say("#tea", text)
        await network.say("#tea", "the end")
        await ada.sees("PRIVMSG #tea", "the end")
        came = [line for line in ada.lines if " PRIVMSG #tea " in line][:-1]
        assert "".join(line.split(" ", 3)[3][1:] for line in came).replace(" ", "") == text.replace(
            " ", ""
        )
        assert max(len(f"{line}\r\n".encode()) for line in came) <= 512


async def test_our_own_words_are_heard_exactly_once(ircd: Ircd) -> None:
    async with person("ada", ircd.port) as ada, staying(login(ircd.port, "#tea")) as (network, ear):
        await ada.joins("#tea")
        await ear.happens("members_complete", "#tea")
        await network.say("#tea", "tea at four")
        await network.notice("#tea", "a notice")
        await ada.sees("a notice")
        await ear.hears("a notice")
        await ada.types("PRIVMSG #tea :did you hear yourself?")
        await ear.hears("did you hear yourself?")
        own = [line for line in ear.lines if network.is_own(line.source) and len(line.params) > 1]
        spoken = [line for line in own if line.command in ("PRIVMSG", "NOTICE")]
        assert [line.params[-1] for line in spoken] == ["tea at four", "a notice"]
        mask = next(line for line in ada.lines if "tea at four" in line).split(" ")[0]
        assert f":{spoken[0].source}" == mask
        assert all(("msgid" in line.tags) == (ircd.kind == "inspircd") for line in spoken)


async def test_a_taken_nick_is_regained(ircd: Ircd) -> None:
    async with AsyncExitStack() as stack:
        thief = await stack.enter_async_context(person("Terra", ircd.port))
        network, ear = await stack.enter_async_context(
            staying(login(ircd.port, "#tea"), regain_nick=0.2)
        )
        await ear.happens("members_complete", "#tea")
        assert network.nick.startswith("Terra-")
        await thief.types("QUIT")
        await ear.until(lambda: network.nick == "Terra")


async def test_after_a_kick_it_comes_back(ircd: Ircd) -> None:
    async with person("ada", ircd.port) as ada, staying(login(ircd.port)) as (_, outside):
        await outside.happens("connected")
        await ada.joins("#tea")
        async with staying(login(ircd.port, "#tea", nick="Bot")) as (network, ear):
            await ear.happens("members_complete", "#tea")
            await ada.types("KICK #tea Bot :enough")
            assert await ear.happens("left") == ("left", "#tea", "kicked by ada: enough")
            await ear.happens("members_complete", "#tea", times=2)
            assert network.channels_of("ada") == ["#tea"]


async def test_a_banned_bot_waits_until_it_is_let_in(ircd: Ircd) -> None:
    async with person("ada", ircd.port) as ada:
        await ada.joins("#tea")
        await ada.types("MODE #tea +b Bot!*@*")
        await ada.sees("MODE #tea +b")
        async with staying(login(ircd.port, "#tea", nick="Bot")) as (_, ear):
            await ear.until(lambda: [line.command for line in ear.lines].count("474") >= 2)
            await ada.types("MODE #tea -b Bot!*@*")
            await ear.happens("members_complete", "#tea")


async def test_ranks_follow_the_server(ircd: Ircd) -> None:
    async with person("ada", ircd.port) as ada:
        await ada.joins("#tea")
        async with staying(login(ircd.port, "#tea")) as (network, ear):

            def ranks() -> dict[str, str]:
                return {member.nick: member.rank for member in network.members("#tea")}

            await ear.happens("members_complete", "#tea")
            assert ranks() == {"ada": "@", "Terra": ""}
            await ada.types("MODE #tea +v Terra", "MODE #tea -o ada", "PRIVMSG #tea :done")
            await ear.hears("done")
            assert ranks() == {"ada": "", "Terra": "+"}


async def test_a_forced_join_is_answered_with_a_part(inspircd: Ircd) -> None:
    async with (
        person("oper", inspircd.port) as oper,
        staying(login(inspircd.port, "#tea")) as (
            network,
            ear,
        ),
    ):
        await ear.happens("members_complete", "#tea")
        await oper.types("OPER oper operpw")
        await oper.sees(" 381 ")
        await oper.joins("#coffee")
        await oper.types("SAJOIN Terra #coffee")
        await oper.sees("Terra!", "PART", "#coffee")
        assert network.joined_channels() == ["#tea"]


async def test_the_bot_flag_and_server_time_come_with_every_line(inspircd: Ircd) -> None:
    async with (
        person("ada", inspircd.port) as ada,
        staying(login(inspircd.port, "#tea")) as (
            network,
            ear,
        ),
    ):
        await ada.joins("#tea")
        await ear.happens("members_complete", "#tea")
        await network.say("#tea", "I am a machine")
        own = await ear.hears("I am a machine")
        assert {"time", "msgid"} <= set(own.tags)
        await ada.types("WHOIS Terra")
        assert await ada.sees(" 335 ", "Terra")


async def test_replayed_lines_are_marked_and_everybody_stays(inspircd: Ircd) -> None:
    async with person("ada", inspircd.port) as ada:
        await ada.joins("#tea")
        await ada.types("MODE #tea +H 50:1h", "PRIVMSG #tea :before you came", "PRIVMSG ada :.")
        await ada.sees("PRIVMSG ada")
        async with staying(login(inspircd.port, "#tea")) as (network, ear):
            old = await ear.hears("before you came")
            await ada.types("PRIVMSG #tea :and now")
            new = await ear.hears("and now")
            assert (old.replay, new.replay) == (True, False)
            assert {member.nick for member in network.members("#tea")} == {"ada", "Terra"}


async def test_after_a_power_cut_it_is_back_and_hears(ircd: Ircd) -> None:
    async with staying(login(ircd.port, "#tea")) as (network, ear):
        await ear.happens("members_complete", "#tea")
        await anyio.to_thread.run_sync(ircd.kill)
        await ear.happens("lost")
        assert not network.connected
        await anyio.to_thread.run_sync(ircd.start)
        await ear.happens("members_complete", "#tea", times=2)
        async with person("ada", ircd.port) as ada:
            await ada.joins("#tea")
            await ada.types("PRIVMSG #tea :welcome back")
            await ear.hears("welcome back")
