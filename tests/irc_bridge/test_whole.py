"""The whole tendril, on real servers: a line said is recorded, found, and an answer."""

import os
import signal
from contextlib import AsyncExitStack
from pathlib import Path

import anyio

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.store import open_store
from tests.irc_bridge.house import living, settings_for
from tests.irc_bridge.processes import children
from tests.patience import PATIENCE
from tests.servers.agent import calls, says, strict_agent
from tests.servers.ircd import Ircd
from tests.servers.person import Person, person


async def test_a_question_is_answered_with_what_a_tool_found(ircd: Ircd, tmp_path: Path) -> None:
    question = "who fixed the gate?"
    async with strict_agent() as agent, person("ada", ircd.port) as ada:
        agent.will(
            calls("search_irc_history", query="gate fixed"),
            calls("search_irc_history", query="gate in:#mate"),
            says("bo fixed the garden gate on Tuesday."),
        )
        await ada.joins("#tea")
        await ada.joins("#mate")
        settings = settings_for(ircd, tmp_path, agent.url)
        async with living(settings, spawns=True) as house:
            with anyio.fail_after(PATIENCE):
                await ada.types("PRIVMSG #mate :the gate is not your business")
                await ada.types("PRIVMSG #tea :bo fixed the garden gate, I saw it")
                await ada.types(f"PRIVMSG #tea :!terrarium {question}")
                reply = await ada.sees("PRIVMSG #tea :ada: [LLM] bo fixed the garden gate")
                await house.has_heard(ada)
                lines = await house.lines("#tea")
    assert "Tuesday" in reply
    for request in agent.requests:
        asked = [one["content"] for one in request["messages"]]
        assert "\n".join(asked).count(question) == 1
        assert f'<question from="ada">{question}</question>' in asked[1]
    found = [one["content"] for one in agent.requests[2]["messages"] if one["role"] == "tool"]
    assert "I saw it" in found[0]
    assert "No channel #mate" in found[1]
    assert "not your business" not in str(agent.requests)
    own = [line for line in lines if line.own]
    assert [line.text for line in own] == ["ada: [LLM] bo fixed the garden gate on Tuesday."]


async def test_what_happens_in_a_channel_is_recorded_as_what_it_is(
    ircd: Ircd, tmp_path: Path
) -> None:
    async with person("ada", ircd.port) as ada:
        await ada.joins("#tea")
        async with living(settings_for(ircd, tmp_path)) as house, person("bo", ircd.port) as bo:
            with anyio.fail_after(PATIENCE):
                await bo.joins("#tea")
                await bo.joins("#mate")
                await bo.types("PRIVMSG #tea :\x01ACTION waves\x01", "NICK bob")
                await bo.sees("NICK", "bob")
                await ada.types("TOPIC #tea :Green today", "MODE #tea +o bob")
                await ada.types("KICK #tea bob :out of leaves")
                await bo.sees("KICK")
                await bo.types("QUIT :gone")
                await ada.types("PRIVMSG #tea :!ping")
                await ada.sees("pong")
                await house.has_heard(ada)
                tea = await house.lines("#tea", events=True)
                while not any(
                    one.kind is MessageType.QUIT for one in await house.lines(events=True)
                ):
                    await house.has_heard(ada)
                mate = await house.lines("#mate", events=True)
    by_bo = [(one.kind, one.text) for one in tea if one.nick in ("bo", "bob")]
    assert by_bo == [
        (MessageType.JOIN, ""),
        (MessageType.ACTION, "waves"),
        (MessageType.NICK, "bob"),
    ]
    by_ada = [(one.kind, one.text) for one in tea if one.nick == "ada"]
    assert (MessageType.TOPIC, "Green today") in by_ada
    assert (MessageType.MODE, "+o bob") in by_ada
    assert (MessageType.KICK, "bob out of leaves") in by_ada
    by_bo = [(one.kind, one.text) for one in mate if one.nick in ("bo", "bob")]
    assert by_bo[:2] == [(MessageType.JOIN, ""), (MessageType.NICK, "bob")]
    assert by_bo[2][0] is MessageType.QUIT
    assert [one.text for one in tea if one.own and one.kind is MessageType.PRIVMSG] == ["ada: pong"]


async def test_five_thousand_lines_of_five_speakers_are_all_there_in_their_order(
    ircd: Ircd, tmp_path: Path
) -> None:
    each = 1_000
    async with living(settings_for(ircd, tmp_path)) as house, AsyncExitStack() as stack:
        names = [f"speaker{n}" for n in range(5)]
        speakers = [await stack.enter_async_context(person(name, ircd.port)) for name in names]
        for speaker in speakers:
            await speaker.joins("#tea")
        with anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as tasks:
                for speaker in speakers:
                    tasks.start_soon(_speaks, speaker, each)
            for speaker in speakers:
                await house.has_heard(speaker)
        lines = await house.lines("#tea")
    assert len(lines) == 5 * each
    for name in names:
        assert [line.text for line in lines if line.nick == name] == [str(n) for n in range(each)]


async def _speaks(speaker: Person, lines: int) -> None:
    for start in range(0, lines, 100):
        await speaker.types(*(f"PRIVMSG #tea :{n}" for n in range(start, start + 100)))


async def test_after_a_power_cut_of_the_network_we_are_back_and_the_gap_is_known(
    ircd: Ircd, tmp_path: Path
) -> None:
    async with living(settings_for(ircd, tmp_path)) as house:
        async with person("ada", ircd.port) as ada:
            await ada.joins("#tea")
            await ada.types("PRIVMSG #tea :before")
            with anyio.fail_after(PATIENCE):
                await house.has_heard(ada)
        ircd.kill()
        with anyio.fail_after(PATIENCE):
            await house.bridge.is_cut_off()
            ircd.start()
            await house.bridge.at_home.wait()
            async with person("ada", ircd.port) as ada:
                await ada.joins("#tea")
                await ada.types("PRIVMSG #tea :after")
                await house.has_heard(ada)
        assert [line.text for line in await house.lines("#tea")] == ["before", "after"]
        (tea,) = [room for room in await house.store.rooms.all() if room.channel == "#tea"]
        coverage = await house.store.spans.coverage([tea])
        first, second = sorted(coverage.spans, key=lambda span: span.began)
    assert first.why_ended.startswith("connection lost")
    assert second.going_on
    assert first.ended < second.began


async def test_an_ordinary_stop_is_no_lost_connection(ircd: Ircd, tmp_path: Path) -> None:
    settings = settings_for(ircd, tmp_path)
    async with living(settings) as house:
        await house.bridges.stop("until later")
    async with open_store(settings.db_path, settings) as store:
        (tea,) = [room for room in await store.rooms.all() if room.channel == "#tea"]
        coverage = await store.spans.coverage([tea])
    assert [span.why_ended for span in coverage.spans] == ["the recorder was stopped"]


async def test_while_the_mcp_server_is_away_we_record_answer_and_get_it_back(
    ngircd: Ircd, tmp_path: Path
) -> None:
    async with strict_agent() as agent, person("ada", ngircd.port) as ada:
        await ada.joins("#tea")
        others = children()
        settings = settings_for(ngircd, tmp_path, agent.url)
        async with living(settings, spawns=True) as house:
            with anyio.fail_after(PATIENCE):
                await ada.types("PRIVMSG #tea :the gate is green", "PRIVMSG #tea :!search gate")
                await ada.sees(":ada: ", "the gate is green")
                (server,) = children() - others
                os.kill(server, signal.SIGKILL)
                agent.will(says("I cannot look it up now."))
                await ada.types("PRIVMSG #tea :meanwhile", "PRIVMSG #tea :!ask of what colour?")
                await ada.sees("[LLM] I cannot look it up now.")
                await house.has_heard(ada)
                assert "meanwhile" in [line.text for line in await house.lines("#tea")]
                while house.toolbox.trouble:
                    await anyio.lowlevel.checkpoint()
                await ada.types("PRIVMSG #tea :!search meanwhile")
                await ada.sees(":ada: ", "<ada> meanwhile")
        assert children() == others


async def test_while_the_model_is_away_the_best_lines_are_the_answer(
    ngircd: Ircd, tmp_path: Path
) -> None:
    async with person("ada", ngircd.port) as ada, living(settings_for(ngircd, tmp_path)):
        await ada.joins("#tea")
        with anyio.fail_after(PATIENCE):
            await ada.types("PRIVMSG #tea :bo fixed the garden gate", "PRIVMSG #tea :!ping")
            await ada.sees("pong")
            await ada.types("PRIVMSG #tea :!terrarium who fixed the garden gate?")
            await ada.sees("PRIVMSG #tea :ada: The model is not answering (error")
            await ada.sees(":Terra", "PRIVMSG #tea :| ", "<ada> bo fixed the garden gate")
