"""The bridge in its channels: commands, manners, and what it never writes or says."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.irc_bridge.ask import command_views, handlers, question_service
from terrarium_mcp.irc_bridge.bridge import Bridge
from terrarium_mcp.irc_bridge.bridges import Bridges
from terrarium_mcp.irc_bridge.model.client import LLM
from terrarium_mcp.irc_bridge.network.server_config import server_config
from terrarium_mcp.irc_bridge.network.timeouts import Timeouts
from terrarium_mcp.irc_bridge.record import recorder
from terrarium_mcp.irc_bridge.toolbox import Toolbox
from terrarium_mcp.settings import BadSetting, ConfiguredChannel, Settings
from terrarium_mcp.store import Store, open_store
from tests.irc_bridge.house import (
    QUICK,
    House,
    bytes_of,
    lines_of,
    living,
    locked,
    model_of,
    said,
    settings_for,
)
from tests.irc_bridge.processes import children
from tests.patience import PATIENCE
from tests.servers.agent import StrictAgent, calls, hangs, says, strict_agent
from tests.servers.fake_ircd import fake_ircd
from tests.servers.ircd import Ircd
from tests.servers.person import Person, person


@dataclass(frozen=True)
class Scene:
    """A house, its model, and somebody in #tea."""

    house: House
    agent: StrictAgent
    ada: Person

    async def asks(self, text: str, *expected: str, channel: str = "#tea") -> str:
        """Say something in the channel; returns the line of the bot that answers."""
        known = len(self.ada.lines)
        await self.ada.types(f"PRIVMSG {channel} :{text}")
        return await self.hears(*expected, after=known)

    async def hears(self, *expected: str, after: int = 0) -> str:
        with anyio.fail_after(PATIENCE):
            while True:
                for line in self.ada.lines[after:]:
                    if line.startswith(":Terra!") and all(word in line for word in expected):
                        return line
                await self.ada.news.wait()

    def of_terra(self) -> list[str]:
        """All that the bot said so far."""
        return [line for line in self.ada.lines if re.match(r":Terra![^ ]+ (PRIVMSG|NOTICE)", line)]


@asynccontextmanager
async def playing(ircd: Ircd, folder: Path, **more: Any) -> AsyncIterator[Scene]:
    timeouts = more.pop("timeouts", None)
    async with strict_agent() as agent, person("ada", ircd.port) as ada:
        await ada.joins("#tea")
        options = {"timeouts": timeouts} if timeouts else {}
        async with living(settings_for(ircd, folder, agent.url, **more), **options) as house:
            yield Scene(house, agent, ada)


async def test_ping_help_and_what_is_none_of_our_commands(ngircd: Ircd, tmp_path: Path) -> None:
    async with playing(ngircd, tmp_path, contact="ada on this network") as scene:
        assert await scene.asks("!ping", "PRIVMSG #tea :ada: pong")
        await scene.ada.types("PRIVMSG #tea :!foo", "NOTICE #tea :!ping", "PRIVMSG #tea : !ping")
        assert "!search, !recent" in await scene.asks("!help", "ada: I remember")
        assert "recorded" in await scene.hears("Contact: ada on this network")
        assert len(scene.of_terra()) == 4
        await scene.ada.types("WHOIS Terra")
        with anyio.fail_after(PATIENCE):
            assert "contact: ada on this network" in await scene.ada.sees(" 311 ", "Terra")
        assert len(scene.of_terra()) == 4


async def test_search_finds_says_so_or_tells_what_is_covered(ngircd: Ircd, tmp_path: Path) -> None:
    async with playing(ngircd, tmp_path) as scene:
        await scene.ada.types("PRIVMSG #tea :the deploy script wants migrations")
        found = await scene.asks("!search deploy script", "ada: ", "deploy script wants")
        quoted = re.search(r"ada: \d{4}-\d\d-\d\d \d\d:\d\d <ada> the deploy .* \((\d+)\)$", found)
        assert quoted
        assert await scene.asks(f"!context {quoted[1]}", "the deploy script wants migrations")
        for typed in ("({})", "[{}]", "#{}", "{}."):
            said, asked = len(scene.ada.lines), f"!context {typed.format(quoted[1])}"
            assert await scene.asks(asked, "the deploy script wants migrations")
            # The whole reply: whose commands wait behind one that is still said is too quick.
            await scene.hears("more: !more)", after=said)
        for unknown in ("999999999", "abc"):
            assert await scene.asks(
                f"!context {unknown}",
                f"ada: No message {unknown} here. The id is the number in brackets at the end",
                "that !search or !recent quotes.",
            )
        assert await scene.asks("!context", "The lines around which one?")
        assert await scene.asks("!search xyzzy", "ada: Nothing found. Recorded ", " to now")
        assert await scene.asks("!search", "Search for what?")
        assert await scene.asks("!search in:#nowhere x", "No channel #nowhere")


async def test_without_a_model_questions_get_lines_of_the_record_and_nothing_is_sent(
    ngircd: Ircd, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    async with playing(ngircd, tmp_path, agent_api_url="None", introduction="on") as scene:
        assert "and I answer questions from the record" in await scene.hears("I am a bot")
        await scene.ada.types("PRIVMSG #tea :the gate is green")
        await scene.house.has_heard(scene.ada)
        await scene.asks("!ask which colour has the gate?", "No language model answers here.")
        await scene.hears("the gate is green")
        await scene.asks("!help", "No language model answers: questions get lines of the record.")
        await scene.asks("!status", "No language model answers questions.")
        assert not scene.agent.requests
    assert "no model is set: questions are answered with search results" in caplog.text
    assert "in the log" not in caplog.text


async def test_a_quote_ends_with_its_permalink_and_every_line_fits(
    inspircd: Ircd, tmp_path: Path
) -> None:
    viewer = "https://logs.example/" + "v" * 100
    async with playing(inspircd, tmp_path, viewer_url=viewer) as scene:
        await scene.ada.types(f"PRIVMSG #tea :the deploy script {'漢' * 130}")
        await scene.asks("!search deploy script", "<ada> the deploy script 漢")
        link = re.search(rf" {viewer}/message/(\d+)$", await scene.hears(viewer))
        assert link
        assert await scene.hears(f"漢 ({link[1]})")
        known = len(scene.ada.lines)
        await scene.asks(f"!context {link[1]}", "<ada> the deploy script 漢")
        assert (await scene.hears(viewer, after=known)).endswith(link[0])
        assert max(len(f"{line}\r\n".encode()) for line in scene.ada.lines) <= 512


async def test_search_says_which_quotes_need_not_hold_all_words(
    ngircd: Ircd, tmp_path: Path
) -> None:
    async with playing(ngircd, tmp_path) as scene:
        await scene.ada.types(
            "PRIVMSG #tea :the kettle is broken", "PRIVMSG #tea :a new kettle came by post"
        )
        nearest = "nothing with all these words; the nearest: "
        assert await scene.asks("!search kettel", f"ada: {nearest}", "kettle")
        assert await scene.asks("!search kettle invoice", f"ada: {nearest}", "kettle")
        assert await scene.asks("!search kettle post", "ada: 20", "a new kettle came by post")
        assert await scene.hears("| nothing else with all these words; the nearest: ", "broken")
        assert nearest not in await scene.asks("!search kettle", "PRIVMSG #tea :ada: ")


async def test_stats_and_who_tell_of_this_channel(ngircd: Ircd, tmp_path: Path) -> None:
    async with playing(ngircd, tmp_path) as scene:
        await scene.ada.types("PRIVMSG #tea :one", "PRIVMSG #tea :two")
        said = "ada: #tea: 3 lines, 1 of them commands or mine, by 1 person"
        assert await scene.asks("!stats", said)
        assert await scene.hears("Most talkative: ada 2")  # who asks the bot does not talk
        with anyio.fail_after(PATIENCE):
            while "2 in #tea: 1 operator, 1 other: @ada, Terra" not in await scene.asks(
                "!who", "PRIVMSG #tea"
            ):
                await scene.house.has_heard(scene.ada)


async def test_the_newest_lines_of_all_of_one_person_and_in_private(
    ngircd: Ircd, tmp_path: Path
) -> None:
    async with playing(ngircd, tmp_path) as scene, person("bo", ngircd.port) as bo:
        await scene.ada.types("PRIVMSG #tea :the gate is green")
        await bo.joins("#tea")
        await bo.types("PRIVMSG #tea :hello")
        await scene.house.has_heard(bo)
        first = await scene.asks("!recent 3", "PRIVMSG #tea :ada: ", "<ada> the gate is green")
        assert re.search(r"ada: \d{4}-\d\d-\d\d \d\d:\d\d <ada> .* \(\d+\)$", first)
        await scene.hears("| ", "* b\u200do joined")
        assert await scene.asks("!recent 1 BO", "ada: ", "<b\u200do> hello")
        assert await scene.asks("!search user:ADA hours:1 GATE", "ada: ", "the gate is green")
        assert await scene.asks("!stats Bo", "ada: B\u200do: 1 line, first ")
        assert await scene.asks('!stats "gate"', 'ada: "gate": 1 line, ', "by 1 person: ada 1")
        for typed in ("!recent #TEA 20", "!recent 20", "!search in:#tea gate"):
            known = len(scene.ada.lines)
            await scene.ada.types(f"PRIVMSG Terra :{typed}")
            await scene.hears("PRIVMSG ada :", "#tea <ada> the gate is green", after=known)
        known = len(scene.ada.lines)
        await scene.ada.types("PRIVMSG Terra :!recent #mate")
        assert await scene.hears("PRIVMSG ada :", "No channel #mate. Known", after=known)


async def test_status_tells_an_operator_more(ngircd: Ircd, tmp_path: Path) -> None:
    async with (
        playing(ngircd, tmp_path, admins=("*!~ada@127.0.0.1",)) as scene,
        person("bo", ngircd.port) as bo,
    ):
        line = await scene.asks("!status", "ada: Up for ")
        assert re.search(r"connected for \d+s\. #tea: recorded \d{4}-.* to now\. Times UTC\.", line)
        assert line.endswith(" No trouble with the model.")
        assert await scene.hears("| Model: scripted. Recording: 0 lines not on disk yet.")
        await bo.joins("#tea")
        await bo.types("PRIVMSG #tea :!status")
        with anyio.fail_after(PATIENCE):
            assert "Model:" not in await bo.sees("bo: Up for ")
        assert await scene.asks("!ping", "pong")
        assert len([told for told in scene.of_terra() if "Model: " in told]) == 1


async def test_stats_of_many_say_how_many_lines_are_commands(ngircd: Ircd, tmp_path: Path) -> None:
    async with playing(ngircd, tmp_path, relays=("ada",)) as scene:
        await scene.ada.types(*(f"PRIVMSG #tea :<cy{n}> hello" for n in range(11)))
        assert await scene.asks(
            "!stats", "#tea: 12 lines, 1 of them commands or mine, by 11 people"
        )


async def test_four_lines_at_once_and_the_rest_under_more(ngircd: Ircd, tmp_path: Path) -> None:
    async with playing(ngircd, tmp_path) as scene:
        await scene.ada.types(*(f"PRIVMSG #tea :tea number {n}" for n in range(9)))
        assert "(5 more: !more)" in await scene.asks("!search number", "more: !more")
        assert len(scene.of_terra()) == 4
        assert "(1 more: !more)" in await scene.asks("!more", "more: !more")
        assert await scene.asks("!more", "tea number")
        assert await scene.asks("!more", "There is no more.")


async def test_our_name_and_a_private_word_ask_the_model(ngircd: Ircd, tmp_path: Path) -> None:
    async with playing(ngircd, tmp_path) as scene:
        scene.agent.will(says("Hello Ada."), says("Hello again."))
        assert await scene.asks("Terra: hello", "PRIVMSG #tea :ada: [LLM] Hello Ada.")
        await scene.ada.types("PRIVMSG Terra :hello")
        assert await scene.hears("PRIVMSG ada :[LLM] Hello again.")
        assert await scene.asks("!ask", "Ask me something: !ask QUESTION")


async def test_a_private_question_sees_only_the_channels_we_share(
    ngircd: Ircd, tmp_path: Path
) -> None:
    async with playing(ngircd, tmp_path) as scene:
        house = scene.house
        await house.store.messages.append([said("open tea"), said("secret mate", channel="#mate")])
        for tool, more in (
            ("search_irc_history", {"query": "mate OR tea"}),
            ("get_recent_irc_messages", {}),
        ):
            scene.agent.will(calls(tool, **more), says("done"))
            known = len(scene.ada.lines)
            await scene.ada.types("PRIVMSG Terra :what is said?")
            await scene.hears("PRIVMSG ada :[LLM] done", after=known)
            assert "open tea" in str(scene.agent.requests[-1])
            assert "secret mate" not in str(scene.agent.requests)
        async with person("eve", ngircd.port) as eve:
            await eve.types("PRIVMSG Terra :!search mate")
            with anyio.fail_after(PATIENCE):
                await house.bridge.hears("!search mate")
                assert await scene.asks("!ping", "pong")
            assert [line for line in eve.lines if ":Terra!" in line] == []


async def test_the_sixth_question_is_turned_away_once_and_commands_go_on(
    ngircd: Ircd, tmp_path: Path
) -> None:
    async with playing(ngircd, tmp_path) as scene, AsyncExitStack() as stack:
        scene.agent.will(hangs(says("answer")), *(says("answer") for _ in range(4)))
        people = [await stack.enter_async_context(person(f"p{n}", ngircd.port)) for n in range(8)]
        for number, one in enumerate(people):
            await one.joins("#tea")
            await one.types(f"PRIVMSG #tea :!ask question {number}")
            await scene.house.has_heard(one)
        assert await scene.hears("p5, p6 and p7: Too many questions are waiting")
        assert await scene.asks("!ping", "pong")
        scene.agent.release()
        with anyio.fail_after(PATIENCE):
            while len([line for line in scene.of_terra() if "[LLM] answer" in line]) < 5:
                await scene.ada.news.wait()
        assert await scene.asks("!ping", "pong")
        assert len([line for line in scene.of_terra() if "Too many" in line]) == 1
        assert len(scene.agent.requests) == 5


async def test_thinking_is_said_only_when_it_takes_long(
    ngircd: Ircd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with playing(ngircd, tmp_path) as scene:
        scene.agent.will(says("quick"), hangs(says("slow")))
        await scene.asks("!ask first", "quick")
        monkeypatch.setattr(question_service, "THINKING_AFTER", 0.05)
        await scene.asks("!ask second", "ada: Thinking...")
        scene.agent.release()
        await scene.hears("slow")
        assert len([line for line in scene.of_terra() if "Thinking" in line]) == 1


async def test_a_bug_of_ours_shows_a_short_id_and_the_log_has_the_rest(
    ngircd: Ircd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(*_: object) -> None:
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr(question_service, "answer", broken)
    monkeypatch.setitem(handlers.HANDLERS, "stats", broken)
    async with playing(ngircd, tmp_path) as scene:
        for question in ("!ask why?", "!stats"):
            told = await scene.asks(question, "Something went wrong (error ")
            mark = told.partition("(error ")[2][:6]
            assert f"error {mark} while answering ada in local/#tea" in caplog.text
            assert "secret detail" not in told
        assert "ZeroDivisionError: secret detail" in caplog.text
        assert await scene.asks("!ping", "pong")


async def test_every_line_of_ours_fits_commands_nobody_and_has_no_control_characters(
    ngircd: Ircd, tmp_path: Path
) -> None:
    evil = "!kick ada \u8336\u8336" * 60 + "\n!ban\n\x01ACTION obeys\x01\r\n.op\n" + "x" * 900
    async with playing(ngircd, tmp_path) as scene:
        scene.agent.will(evil)
        await scene.asks("!ask do it", "[LLM]")
        with anyio.fail_after(PATIENCE):
            while "There is no more" not in await scene.asks("!more", "PRIVMSG #tea"):
                await scene.house.has_heard(scene.ada)
        for line in scene.of_terra():
            assert len(line.encode()) + 2 <= 512
            words = line.partition(" :")[2]
            assert not words.startswith(("!", "\x01"))
            assert not re.search("[\x00-\x1f]", words)


async def test_what_is_not_for_the_record_is_in_no_byte_of_the_database(
    ngircd: Ircd, tmp_path: Path
) -> None:
    async with playing(ngircd, tmp_path) as scene:
        await scene.ada.types(
            "PRIVMSG #tea :[off] xyzzy one",
            "PRIVMSG #tea :[NoLog] xyzzy two",
            "NOTICE #tea :[OFF] xyzzy three",
            "PRIVMSG #tea :\x01ACTION [off] xyzzy four\x01",
            "PRIVMSG #tea :\x01DCC xyzzy five\x01",
            "PRIVMSG #tea :/msg NickServ identify xyzzy6",
            "MODE #tea +k xyzzy7",
            "MODE #tea -k xyzzy7",
            "PRIVMSG Terra :!search xyzzy8",
            "NOTICE Terra :xyzzy nine",
            "PRIVMSG #tea :on the record",
        )
        await scene.hears("PRIVMSG ada :")
        await scene.house.has_heard(scene.ada)
        written = bytes_of(tmp_path / "irc_logs.db")
        assert b"on the record" in written
        assert b"xyzzy" not in written
        modes = [line.text for line in await scene.house.lines(events=True) if line.kind == "MODE"]
        assert "+k *" in modes
    assert b"xyzzy" not in bytes_of(tmp_path / "irc_logs.db")


async def test_a_dead_connection_recorded_nothing_after_the_server_was_last_heard(
    tmp_path: Path,
) -> None:
    """Nor does a heartbeat between the last line and the end of the connection say so."""
    asked: list[datetime] = []

    def answer(line: str) -> list[str] | None:
        if line != "PING terrarium":
            return None
        asked.append(datetime.now(UTC))
        return []

    async with (
        fake_ircd(answer=answer) as ircd,
        living(settings_for(ircd.port, tmp_path), timeouts=replace(QUICK, silence=0.3)) as house,
    ):
        while not asked:
            await ircd.news.wait()
        house.bridge._recorder._queue_beat()  # noqa: SLF001 -- every 20 s
        await house.bridge.is_cut_off()
        await house.bridge.flush()
        spans = (await house.store.spans.coverage(await house.store.rooms.all())).spans
    ended = [one.ended for one in spans if "stopped responding" in one.why_ended]
    assert ended
    assert ended[0] <= asked[0]


async def test_bad_bytes_and_control_characters_are_recorded_and_harm_nobody(
    tmp_path: Path,
) -> None:
    async with fake_ircd() as ircd, living(settings_for(ircd.port, tmp_path)) as house:
        await ircd.says(
            b":e\x02ve!u@h PRIVMSG #tea :caf\xe9 \xff\xfe \x03\x07 \xe2\x80\xa8 end",
            ":ada!u@h PRIVMSG #elsewhere :not a channel of ours",
            ":ada!u@h PRIVMSG #TEA :in another case",
            "@time=2999-01-01T00:00:00.000Z :ada!u@h PRIVMSG #tea :from the future",
            "@time=2020-01-01T00:00:00.000Z :ada!u@h PRIVMSG #tea :!ping",
            "@bot :robo!u@h PRIVMSG #tea :!ping",
            ":ada!u@h NOTICE #tea :!ping",
            ":ada!u@h PRIVMSG @#tea :!ping for operators",
            ":ada!u@h QUIT",
        )
        await ircd.settles()
        await house.bridge.flush()
        lines = await lines_of(house.store, events=True)
        texts = [line.text for line in lines]
        assert "caf\xe9 \xff\xfe \x03\x07 \u2028 end".replace("\xff\xfe", "\xff\xfe") in texts
        assert "in another case" in texts
        assert "not a channel of ours" not in texts
        assert "!ping for operators" not in texts
        assert {line.room.channel for line in lines} == {"#tea", "#mate"}
        (future,) = [line for line in lines if line.text == "from the future"]
        assert future.said_at.year < 2999
        assert MessageType.QUIT in {line.kind for line in lines}
        assert ircd.heard("PRIVMSG") == []


async def test_a_locked_database_costs_no_line_and_commands_are_still_answered(
    ngircd: Ircd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("terrarium_mcp.store.sqlite.engine.database.BUSY_MS", 100)
    monkeypatch.setattr(recorder, "TRY_AGAIN", 0.1)
    monkeypatch.setattr(command_views, "FLUSH_WITHIN", 0.1)
    async with playing(ngircd, tmp_path) as scene:
        async with locked(tmp_path / "irc_logs.db"):
            locked_out = [f"PRIVMSG #tea :locked {n}" for n in range(100)]
            await scene.ada.types(*locked_out, "MODE #tea +t")
            for _ in range(5):  # each waits a while for the disk
                await scene.asks("!ping", "pong")
        with anyio.fail_after(PATIENCE):
            await scene.house.has_heard(scene.ada)
        kept = [line.text for line in await scene.house.lines("#tea") if "locked" in line.text]
        assert kept == [f"locked {n}" for n in range(100)]


def hasty(store: Store, toolbox: Toolbox, llm: LLM, settings: Settings) -> Bridge:
    """A bridge that waits for no farewell."""
    quick = Timeouts(farewell=0.1)
    return Bridge(store, settings, toolbox, llm, timeouts=quick)


def tasks_beside_the_store() -> set[asyncio.Task[Any]]:
    """All but those of the store, which begin and end in their own time."""
    return {task for task in asyncio.all_tasks() if "_mcp.store." not in task.get_name()}


async def test_cancelling_at_any_moment_leaves_nothing_running_and_nothing_unwritten(
    ngircd: Ircd, tmp_path: Path
) -> None:
    settings = settings_for(ngircd, tmp_path)
    async with open_store(settings.db_path, settings) as store:
        tasks, processes = tasks_beside_the_store(), children()
        for pause in (0.0, 0.01, 0.1, 0.5):
            llm = model_of(settings)
            toolbox = Toolbox(lambda: "http://127.0.0.1:9/mcp")
            bridges = Bridges([settings], partial(hasty, store, toolbox, llm), toolbox, llm)
            with anyio.move_on_after(pause):
                await bridges.run()
            await llm.aclose()
            assert tasks_beside_the_store() == tasks
            assert children() == processes
            assert bridges.bridges[0]._recorder.waiting == 0  # noqa: SLF001
        coverage = await store.spans.coverage(await store.rooms.all())
        assert not any(span.going_on for span in coverage.spans)


async def test_a_line_heard_just_before_the_end_is_on_disk(ngircd: Ircd, tmp_path: Path) -> None:
    async with person("ada", ngircd.port) as ada:
        await ada.joins("#tea")
        settings = settings_for(ngircd, tmp_path)
        async with living(settings) as house:
            await ada.types(*(f"PRIVMSG #tea :{n}" for n in range(200)), "PRIVMSG #tea :last words")
            with anyio.fail_after(PATIENCE):
                await house.bridge.hears("last words")
        async with open_store(settings.db_path, settings) as store:
            assert (await lines_of(store))[-1].text == "last words"


@pytest.mark.parametrize(
    ("setting", "complaint"),
    [
        ({"irc_server": ""}, "IRC_SERVER is not set"),
        ({"irc_channels": ()}, "IRC_CHANNELS is not set"),
        ({"irc_server": "irc.libera.chat"}, "TERRARIUM_CONTACT is not set"),
        ({"irc_server": "192.0.2.1"}, "TERRARIUM_CONTACT is not set"),
    ],
)
def test_what_is_missing_is_named(setting: dict[str, Any], complaint: str) -> None:
    usual = {"irc_server": "localhost", "irc_channels": ("#tea",)}
    with pytest.raises(BadSetting, match=complaint):
        server_config(Settings.model_validate(usual | setting))


def test_on_loopback_nobody_needs_a_contact_and_elsewhere_it_is_in_the_realname() -> None:
    tea = (ConfiguredChannel("#tea"),)
    assert server_config(Settings(irc_server="127.0.0.1", irc_channels=tea))
    there = server_config(Settings(irc_server="irc.libera.chat", irc_channels=tea, contact="ada"))
    assert "contact: ada" in there.realname


async def test_a_search_asked_six_times_quotes_the_original_line_first_each_time(
    ngircd: Ircd, tmp_path: Path
) -> None:
    async with playing(ngircd, tmp_path) as scene:
        await scene.ada.types("PRIVMSG #tea :the greenhouse heater was moved to the shed")
        for _ in range(6):
            reply = await scene.asks("!search greenhouse heater", "PRIVMSG #tea :ada: ")
            assert "<ada> the greenhouse heater was moved to the shed (" in reply
        await scene.house.has_heard(scene.ada)
        arguments = {"query": "greenhouse heater", "format": "json"}
        with anyio.fail_after(PATIENCE):
            found = await scene.house.toolbox.call("search_irc_history", arguments, {})
    first, *others = found.facts["messages"]
    assert first["text"] == "the greenhouse heater was moved to the shed"
    assert not others
    assert found.facts["asides_left_out"] == 12


async def test_what_a_relay_carries_is_the_persons_and_off_the_record_if_they_say_so(
    ngircd: Ircd, tmp_path: Path
) -> None:
    async with (
        playing(ngircd, tmp_path, relays=("relaybot",)) as scene,
        person("relaybot", ngircd.port) as relay,
    ):
        await relay.joins("#tea")
        with anyio.fail_after(PATIENCE):
            await relay.types("PRIVMSG #tea :<Jane#1234> [off] my secret")
            await relay.types("PRIVMSG #tea :<Jane#1234> the gate is green")
            await relay.types("PRIVMSG #tea :<Jane#1234> !search gate")
            await scene.house.has_heard(relay)
        reply = await scene.asks("!search gate from:jane", "PRIVMSG #tea :ada: ")
        lines = await scene.house.lines("#tea")
    assert "<Jane via r\u200delaybot> the gate is green (" in reply
    assert [(line.nick, line.text) for line in lines if line.via] == [
        ("Jane", "the gate is green"),
        ("Jane", "!search gate"),
    ]
