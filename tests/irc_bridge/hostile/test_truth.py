"""The record is true: whatever the network replays, refuses, takes back or loses."""

import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest

from terrarium_mcp.chat.coverage import Coverage, Span
from terrarium_mcp.chat.records import Message, MessageType
from terrarium_mcp.chat.times.timestamps import from_iso, to_iso
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import open_store
from tests.irc_bridge.behind_znc import weathered
from tests.irc_bridge.house import QUICK, House, lines_of, living, settings_for
from tests.patience import PATIENCE
from tests.servers.agent import StrictAgent, strict_agent
from tests.servers.atheme import services_of
from tests.servers.fake_ircd import FakeIrcd, fake_ircd
from tests.servers.history import CAPS, ChannelHistory, ago
from tests.servers.ircd import Ircd
from tests.servers.logs import until_logged
from tests.servers.person import Person, person
from tests.servers.znc import LOGIN, Znc, has_kept_for_us, znc_before


@dataclass(frozen=True)
class Scene:
    """A bridge on a server that keeps the history of #tea."""

    server: FakeIrcd
    history: ChannelHistory
    house: House

    async def hears(self, *lines: str) -> None:
        """The server sends these, and they are on disk."""
        await self.server.says(*lines)
        await self.server.settles()
        await self.house.bridge.flush()

    async def is_cut_off(self) -> None:
        """The connection is lost, and the span has ended."""
        bridge = self.house.bridge
        losses = bridge.losses
        with anyio.fail_after(PATIENCE):
            await self.server.drops()
            await bridge.is_cut_off(losses + 1)

    async def returns(self) -> None:
        with anyio.fail_after(PATIENCE):
            await self.house.bridge.at_home.wait()

    async def texts(self) -> list[str]:
        return [line.text for line in await lines_of(self.house.store)]

    async def gaps(self) -> list[timedelta]:
        """The gaps in the coverage, if one of a few milliseconds is one already."""
        return [gap.length for gap in Coverage(await self.spans()).gaps()]

    async def spans(self) -> Sequence[Span]:
        await self.house.bridge.flush()
        return (await self.house.store.spans.coverage(await self.house.store.rooms.all())).spans

    def said(self) -> list[str]:
        return [line for line in self.server.lines if "PRIVMSG" in line]


@asynccontextmanager
async def on_a_server_with(
    history: ChannelHistory, folder: Path, *, caps: str = CAPS, **more: Any
) -> AsyncIterator[Scene]:
    settings = {"irc_channels": ("#tea",), **more}
    async with (
        fake_ircd(caps=[caps], isupport=history.isupport, answer=history.answer) as server,
        living(settings_for(server.port, folder, **settings)) as house,
    ):
        yield Scene(server, history, house)


@pytest.fixture
def every_gap_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("terrarium_mcp.chat.coverage.NOTABLE_GAP", timedelta(microseconds=1))


@pytest.mark.usefixtures("every_gap_counts")
@pytest.mark.parametrize(
    "kept",
    [
        {"msgids": True},
        {"msgids": True, "by": "timestamp"},
        {"msgids": False, "by": "timestamp"},
    ],
)
async def test_what_was_said_while_we_were_cut_off_is_there_once_and_the_gap_is_closed(
    tmp_path: Path, kept: dict[str, Any]
) -> None:
    history = ChannelHistory(most=50, **kept)
    async with on_a_server_with(history, tmp_path) as scene:
        await scene.house.bridge.has_pages(1)
        await scene.hears(history.say("before", at=ago(10)))
        await scene.is_cut_off()
        assert await scene.gaps() == []
        for n in range(120):
            history.say(f"!ping {n}", at=ago(5 - n / 100))
        await scene.returns()
        await scene.house.bridge.has_pages(4)
        await scene.hears(history.say("after"))
        wanted = ["before", *(f"!ping {n}" for n in range(120)), "after"]
        assert sorted(await scene.texts()) == sorted(wanted)
        assert await scene.gaps() == []
        assert scene.said() == []
        assert len(history.requests) == 4


@pytest.mark.usefixtures("every_gap_counts")
@pytest.mark.parametrize("replays_events", [True, False])
async def test_an_answer_about_events_says_where_only_lines_were_played_back(
    tmp_path: Path, replays_events: bool
) -> None:
    history = ChannelHistory()
    caps = CAPS if replays_events else CAPS.replace("draft/event-playback", "")
    async with on_a_server_with(history, tmp_path, caps=caps) as scene:
        await scene.house.bridge.has_pages(1)
        await scene.hears(*(history.say("before", nick) for nick in ("ada", "bob", "eve")))
        await scene.is_cut_off()
        history.say("while we are away", at=ago(0.01))
        await scene.returns()
        await scene.house.bridge.has_pages(2)

        async def answer(tool: str, **arguments: object) -> str:
            view = {"network": "local", "channel": "#tea"}
            return (await scene.house.toolbox.call(tool, arguments, view)).text

        queries = ("type:kick", "who kicked eve?", "when did bob leave?")
        about_events = [await answer("search_irc_history", query=query) for query in queries]
        about_events.append(await answer("get_recent_irc_messages", include_events=True))
        for text in about_events:
            said = "unknown: only lines were played back" in text
            assert said is not replays_events
        assert "played back" not in await answer("search_irc_history", query="away")
        assert "played back" not in await answer("get_recent_irc_messages")


@pytest.mark.usefixtures("every_gap_counts")
async def test_without_history_the_gap_shows(tmp_path: Path) -> None:
    history = ChannelHistory()
    async with on_a_server_with(history, tmp_path, caps="batch server-time") as scene:
        await scene.hears(history.say("before"))
        await scene.is_cut_off()
        history.say("unheard")
        await scene.returns()
        await scene.hears(history.say("after"))
        assert await scene.texts() == ["before", "after"]
        assert len(await scene.gaps()) == 1
        assert history.requests == []


@pytest.mark.usefixtures("every_gap_counts")
async def test_a_history_that_does_not_reach_back_closes_the_gap_only_as_far_as_it_goes(
    tmp_path: Path,
) -> None:
    history = ChannelHistory(most=20, keeps=30)
    async with on_a_server_with(history, tmp_path) as scene:
        await scene.house.bridge.has_pages(1)
        await scene.hears(history.say("before", at=ago(50)))
        await scene.is_cut_off()
        times = [ago(40 - n / 2) for n in range(60)]
        for n, at in enumerate(times):
            history.say(f"line {n}", at=at)
        await scene.returns()
        await scene.house.bridge.has_pages(3)
        kept = [f"line {n}" for n in range(30, 60)]
        assert sorted(await scene.texts()) == ["before", *kept]
        assert [span.began for span in await scene.spans() if span.source] == [times[30]]


@pytest.mark.parametrize(
    ("tags", "by"),
    [
        (r"msgid=a\sb", "msgid,timestamp"),
        (r"msgid=a\nb", "msgid,timestamp"),
        ("time=0001-01-01T00:00:00.000Z", "timestamp"),
    ],
)
async def test_an_odd_msgid_or_time_of_the_newest_line_costs_nothing_of_what_follows(
    tmp_path: Path, tags: str, by: str
) -> None:
    history = ChannelHistory(by=by)
    async with on_a_server_with(history, tmp_path) as scene:
        await scene.house.bridge.has_pages(1)
        await scene.hears(f"@{tags} :ada!u@h PRIVMSG #tea :odd")
        await scene.is_cut_off()
        history.say("unheard")
        await scene.returns()
        await scene.house.bridge.has_pages(2)
        assert "CHATHISTORY AFTER #tea timestamp=20" in history.requests[-1]
        await scene.hears(history.say("after"))
        assert await scene.texts() == ["odd", "unheard", "after"]


async def test_after_a_return_the_members_are_not_live_until_they_have_been_read(
    tmp_path: Path,
) -> None:
    is_silent = False

    def answer(line: str) -> list[str] | None:
        return [] if is_silent and line.startswith("WHO ") else None

    async with (
        fake_ircd(answer=answer) as server,
        living(settings_for(server.port, tmp_path, irc_channels=("#tea",))) as house,
    ):

        async def members() -> dict[str, Any]:
            view = {"network": "local", "channel": "#tea"}
            return dict((await house.toolbox.call("get_current_users", {}, view)).facts)

        async def until_live() -> None:
            while True:
                if (await members()).get("live"):
                    return
                await anyio.sleep(0.01)

        with anyio.fail_after(PATIENCE):
            await until_live()
            is_silent = True
            await server.drops()
            await house.bridge.is_cut_off()
            await server.hears("WHO", times=2)
            await server.settles()
            await house.bridge.flush()
            there = await members()
            why = "#tea: the members have not been read since the bot came back"
            assert (there["live"], there["why_stale"]) == (False, why)
            assert [user["nick"] for user in there["users"]] == ["ada", "Terra"]
            await server.says(":srv 315 Terra #tea :End")
            await until_live()


@dataclass(frozen=True)
class BehindZnc:
    """A bridge behind a real bouncer on a real server, and somebody on that server."""

    ircd: Ircd
    znc: Znc
    house: House
    agent: StrictAgent

    async def has_heard(self, someone: Person) -> None:
        with anyio.fail_after(PATIENCE):
            await self.house.has_heard(someone)


@asynccontextmanager
async def behind_znc(ircd: Ircd, folder: Path, *, clears: bool = True) -> AsyncIterator[BehindZnc]:
    """A bridge that has come in through ZNC."""
    with znc_before(ircd.port, clears=clears) as znc:
        async with strict_agent() as agent:
            settings = settings_for(
                znc.port, folder, agent.url, irc_channels=("#tea",), server_password=LOGIN
            )
            async with living(settings) as house:
                yield BehindZnc(ircd, znc, house, agent)


async def test_behind_znc_the_spans_follow_its_server_and_nobody_answers_its_chatter(
    ngircd: Ircd, tmp_path: Path
) -> None:
    async with behind_znc(ngircd, tmp_path) as scene:
        house = scene.house
        async with person("ada", ngircd.port) as ada:
            await ada.joins("#tea")
            await ada.types("PRIVMSG #tea :before the crash")
            await scene.has_heard(ada)
        ngircd.kill()
        with anyio.fail_after(PATIENCE):
            await house.bridge.hears("Disconnected from IRC. Reconnecting...")
            assert house.bridge.network.connected
            assert house.bridge.network.joined_channels() == []
        house.bridge.at_home = anyio.Event()
        ngircd.start()
        with anyio.fail_after(PATIENCE):
            await house.bridge.at_home.wait()
        async with person("ada", ngircd.port) as ada:
            await ada.joins("#tea")
            await ada.types("PRIVMSG #tea :after the crash", "PRIVMSG #tea :!ping")
            with anyio.fail_after(PATIENCE):
                await ada.sees("PRIVMSG #tea", "ada: pong")
            await scene.has_heard(ada)
        coverage = await house.store.spans.coverage(await house.store.rooms.all())
        first, second = coverage.spans
        assert first.why_ended == "the bouncer says: Disconnected from IRC. Reconnecting..."
        assert (first.going_on, second.going_on) == (False, True)
        texts = [line.text for line in await house.lines() if "crash" in line.text]
        assert texts == ["before the crash", "after the crash"]
        assert scene.agent.requests == []


async def test_behind_znc_we_join_when_people_see_it_and_not_whenever_we_attach(
    ngircd: Ircd, tmp_path: Path
) -> None:
    async with person("ada", ngircd.port) as ada:
        await ada.joins("#tea")
        with znc_before(ngircd.port) as znc:
            settings = settings_for(
                znc.port, tmp_path, irc_channels=("#tea",), server_password=LOGIN
            )
            with anyio.fail_after(PATIENCE):
                await ada.sees(":Terra!", "JOIN", "#tea")
            for _ in range(2):
                async with living(settings) as house:
                    with anyio.fail_after(PATIENCE):
                        await house.has_heard(ada)
                    assert await house.lines(events=True) == []
                    (room,) = await house.store.rooms.all()
                    assert (await house.store.spans.coverage([room])).spans[-1].going_on
            async with living(settings) as house:
                ngircd.kill()
                with anyio.fail_after(PATIENCE):
                    await house.bridge.hears("Disconnected from IRC. Reconnecting...")
                    house.bridge.at_home = anyio.Event()
                    ngircd.start()
                    await house.bridge.at_home.wait()
                    await house.bridge.flush()
                events = await house.lines(events=True)
    joins = [line for line in events if line.kind is MessageType.JOIN and line.nick == "Terra"]
    assert len(joins) == 1


@pytest.mark.parametrize("clears", [True, False])
async def test_what_znc_replays_is_there_once_however_often_and_is_never_answered(
    ngircd: Ircd, tmp_path: Path, clears: bool
) -> None:
    away = ["hi", "hi", "hi", "!ping", "Terra: who is there?", "the end"]
    with znc_before(ngircd.port, clears=clears) as znc:
        async with strict_agent() as agent, person("ada", ngircd.port) as ada:
            settings = settings_for(
                znc.port, tmp_path, agent.url, irc_channels=("#tea",), server_password=LOGIN
            )
            async with living(settings) as house:
                await ada.joins("#tea")
                await ada.types("PRIVMSG #tea :live")
                await house.has_heard(ada)
            await ada.types(*(f"PRIVMSG #tea :{text}" for text in away))
            await ada.types("PRIVMSG #tea :\x01ACTION waves\x01")
            with anyio.fail_after(PATIENCE):
                await has_kept_for_us(ada)
            for _ in range(3):
                async with living(settings) as house:
                    with anyio.fail_after(PATIENCE):
                        await house.has_heard(ada)
            lines = await _stored(settings)
            assert [line.text for line in lines] == ["live", *away, "waves"]
            assert [line.kind for line in lines][-1] == "ACTION"
            assert agent.requests == []
            assert not [line for line in ada.lines if line.startswith(":Terra!") and "pong" in line]


async def test_behind_znc_every_line_is_there_once_whatever_is_lost(
    ngircd: Ircd, tmp_path: Path
) -> None:
    (await weathered(ngircd, tmp_path, 6)).check()


async def _stored(settings: Settings) -> list[Message]:
    async with open_store(settings.db_path, settings) as store:
        return await lines_of(store)


@pytest.mark.usefixtures("every_gap_counts")
async def test_what_inspircd_replays_by_itself_is_there_once_and_closes_the_gap(
    inspircd: Ircd, tmp_path: Path
) -> None:
    async with person("ada", inspircd.port) as ada, strict_agent() as agent:
        await ada.joins("#tea")
        await ada.types("OPER oper operpw", "MODE #tea +H 200:1h")
        settings = settings_for(inspircd, tmp_path, agent.url, irc_channels=("#tea",))
        async with living(settings) as house:
            await ada.types("PRIVMSG #tea :before")
            await house.has_heard(ada)
            house.bridge.at_home = anyio.Event()
            with anyio.fail_after(PATIENCE):
                lines = (f"PRIVMSG #tea :!ping {n}" for n in range(120))
                await ada.types("KILL Terra :out", *lines)
                await house.bridge.has_pages(1)
                await house.has_heard(ada)
            wanted = ["before", *(f"!ping {n}" for n in range(120))]
            assert sorted(line.text for line in await house.lines()) == sorted(wanted)
            coverage = await house.store.spans.coverage(await house.store.rooms.all())
            assert coverage.gaps() == []
            assert len([span for span in coverage.spans if span.source == ""]) == 2
            assert not [line for line in ada.lines if line.startswith(":Terra!") and "pong" in line]


@pytest.mark.usefixtures("every_gap_counts")
async def test_on_ngircd_the_gap_shows_in_the_coverage(ngircd: Ircd, tmp_path: Path) -> None:
    async with person("ada", ngircd.port) as ada:
        await ada.joins("#tea")
        await ada.types("OPER oper operpw")
        async with living(settings_for(ngircd, tmp_path, irc_channels=("#tea",))) as house:
            house.bridge.at_home = anyio.Event()
            with anyio.fail_after(PATIENCE):
                await ada.types("KILL Terra :out", "PRIVMSG #tea :unheard")
                await house.bridge.is_cut_off()
                await house.bridge.at_home.wait()
                await house.has_heard(ada)
                known = len(ada.lines)
                await ada.types("PRIVMSG #tea :!search unheard")
                while not [line for line in ada.lines[known:] if "Nothing found" in line]:
                    await ada.news.wait()
                (reply,) = [line for line in ada.lines[known:] if "Nothing found" in line]
            assert "1 gap" in reply


async def test_a_line_of_ours_that_the_channel_refuses_is_no_history(
    ircd: Ircd, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with person("ada", ircd.port) as ada:
        await ada.joins("#tea")
        async with living(settings_for(ircd, tmp_path, irc_channels=("#tea",))) as house:

            async def says(text: str) -> None:
                await house.bridge.network.say("#tea", text)

            with anyio.fail_after(PATIENCE):
                await says("allowed")
                await ada.sees("PRIVMSG #tea", "allowed")
                await ada.types("MODE #tea +m")
                await house.has_heard(ada)
                await says("refused one")
                await says("refused two")
                await until_logged(caplog, "does not take our lines")
                await ada.types("MODE #tea -m")
                await house.has_heard(ada)
                await says("allowed again")
                await ada.sees("PRIVMSG #tea", "allowed again")
                await house.bridge.hears("allowed again")
                await house.bridge.flush()
            own = [line.text for line in await house.lines() if line.own]
            assert own == ["allowed", "allowed again"]
            assert caplog.text.count("local/#tea does not take our lines: ") == 1


async def test_behind_znc_too_only_what_the_network_took_of_us_is_history(
    ngircd: Ircd, tmp_path: Path
) -> None:
    async with person("ada", ngircd.port) as ada:
        await ada.joins("#tea")  # and so operates it
        async with behind_znc(ngircd, tmp_path) as scene:
            network = scene.house.bridge.network
            with anyio.fail_after(PATIENCE):
                await network.say("#tea", "allowed")
                await scene.house.bridge.hears("allowed")
                await ada.types("MODE #tea +m")
                await scene.has_heard(ada)
                await network.say("#tea", "refused")
                await scene.has_heard(ada)
                ngircd.kill()
                await scene.house.bridge.hears("Disconnected from IRC. Reconnecting...")
                await network.say("#tea", "to nobody")
                scene.house.bridge.at_home = anyio.Event()
                ngircd.start()
                await scene.house.bridge.at_home.wait()
                await network.say("#tea", "allowed again")
                await scene.house.bridge.hears("allowed again")
                await scene.house.bridge.flush()
            assert [line.text for line in await scene.house.lines() if line.own] == [
                "allowed",
                "allowed again",
            ]


async def test_our_lines_wait_for_one_ping_at_a_time_and_stand_where_the_network_took_them(
    tmp_path: Path,
) -> None:
    held: list[str] = []

    def answer(line: str) -> list[str] | None:
        if line.startswith("PING terrarium-said"):
            held.append(line.removeprefix("PING "))
            return []
        return None

    async with (
        fake_ircd(answer=answer) as server,
        living(settings_for(server.port, tmp_path, irc_channels=("#tea",))) as house,
    ):
        network = house.bridge.network
        with anyio.fail_after(PATIENCE):
            await network.say("#tea", "one\ntwo\nthree\nfour")
            await server.hears("PRIVMSG", times=4)
            await server.hears("PING terrarium-said")
            await server.settles()
            assert len(held) == 1
            await server.says(
                ":ada!a@h PRIVMSG #tea :earlier",
                ":srv PONG srv something-else",
                f":srv PONG srv {held[0]}",
                ":ada!a@h PRIVMSG #tea :between",
            )
            await server.hears("PING terrarium-said", times=2)
            await server.settles()
            await server.says(
                ":srv 404 Terra #TEA :Cannot send to channel",
                ":srv FAIL PRIVMSG BLOCKED #tea :Not in this channel",
                ":srv 404 Terra #elsewhere :Cannot send to channel",
                f":srv PONG srv {held[1]}",
                ":ada!a@h PRIVMSG #tea :later",
            )
            await server.settles()
            await house.bridge.flush()
        texts = [line.text for line in await house.lines()]
        assert texts == ["earlier", "one", "between", "four", "later"]
        assert len(held) == 2


async def test_what_nobody_may_have_heard_when_the_connection_ended_is_not_recorded(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def answer(line: str) -> list[str] | None:
        return [] if line.startswith("PING terrarium-said") else None

    async with (
        fake_ircd(answer=answer) as server,
        living(settings_for(server.port, tmp_path, irc_channels=("#tea",))) as house,
    ):
        with anyio.fail_after(PATIENCE):
            await house.bridge.network.say("#tea", "did you hear?")
            await server.hears("PRIVMSG")
            await server.drops()
            await house.bridge.is_cut_off()
            await house.bridge.at_home.wait()
            await house.bridge.flush()
        assert await house.lines() == []
        assert "local (127.0.0.1): 1 line that we sent may not have arrived" in caplog.text


async def test_a_redacted_line_is_gone_from_every_place_also_if_it_still_waits_to_be_saved(
    tmp_path: Path,
) -> None:
    async with on_a_server_with(ChannelHistory(), tmp_path) as scene:
        await scene.hears(
            "@msgid=a :ada!a@h PRIVMSG #tea :xyzzy saved", "@msgid=b :ada!a@h PRIVMSG #tea :stays"
        )
        await scene.hears(
            "@msgid=c :ada!a@h PRIVMSG #tea :xyzzy queued",
            ":op!o@h REDACT #TEA c :mistake",
            ":op!o@h REDACT #tea a",
            ":op!o@h REDACT #tea",
            ":op!o@h REDACT",
            ":op!o@h REDACT #elsewhere b",
            ":op!o@h REDACT Terra b",
            ":op!o@h REDACT #tea unknown :x",
        )
        lines = await lines_of(scene.house.store)
        assert [(line.text, line.removed) for line in lines] == [
            ("", True),
            ("stays", False),
            ("", True),
        ]
        assert b"xyzzy" not in _rows_of(tmp_path)
        await scene.hears(
            "BATCH +h chathistory #tea",
            "@batch=h;msgid=a :ada!a@h PRIVMSG #tea :xyzzy saved",
            "@batch=h :op!o@h REDACT #tea b",
            "BATCH -h",
        )
        assert await scene.texts() == ["", "", ""]


def _rows_of(folder: Path) -> bytes:
    with closing(sqlite3.connect(folder / "irc_logs.db")) as reader:
        return repr(reader.execute("SELECT * FROM messages").fetchall()).encode()


async def test_a_reply_names_the_message_that_it_answers(tmp_path: Path) -> None:
    async with on_a_server_with(ChannelHistory(), tmp_path) as scene:
        await scene.hears(
            r"@msgid=q\:1\s\\ :ada!a@h PRIVMSG #tea :!ping", ":ada!a@h PRIVMSG #tea :!ping"
        )
        with anyio.fail_after(PATIENCE):
            await scene.server.hears("PRIVMSG #tea")
            tagged = await scene.server.hears("@+draft/reply")
    assert tagged == [r"@+draft/reply=q\:1\s\\;+reply=q\:1\s\\ PRIVMSG #tea :ada: pong"]


async def test_where_there_are_no_tags_a_reply_has_none(tmp_path: Path) -> None:
    async with on_a_server_with(ChannelHistory(), tmp_path, caps="batch") as scene:
        await scene.hears("@msgid=q1 :ada!a@h PRIVMSG #tea :!ping")
        with anyio.fail_after(PATIENCE):
            assert await scene.server.hears("PRIVMSG") == ["PRIVMSG #tea :ada: pong"]


async def test_account_away_and_host_follow_whoever_they_belong_to(tmp_path: Path) -> None:
    caps = (
        "account-notify account-tag away-notify chghost extended-join setname message-tags"
        " server-time batch"
    )
    async with on_a_server_with(ChannelHistory(), tmp_path, caps=caps) as scene:
        await scene.hears(
            ":bo!b@h JOIN #tea bo_acc :Bo",
            ":ada!a@h AWAY :tea",
            ":ada!a@h SETNAME :Ada Lovelace",
            "@account=ada_acc :ada!a@h PRIVMSG #tea :one",
            ":ada!a@h CHGHOST a2 cloak.example",
            ":bo!b@h ACCOUNT *",
            ":ada!a2@cloak.example PRIVMSG #tea :two",
        )
        members = {one.nick: one for one in scene.house.bridge.network.members("#tea")}
        assert (members["ada"].away, members["ada"].account) == (True, "ada_acc")
        assert members["bo"].account == ""
        one, two = await lines_of(scene.house.store)
        assert (one.account, two.account) == ("ada_acc", "")
        with closing(sqlite3.connect(tmp_path / "irc_logs.db")) as reader:
            rows = reader.execute("SELECT nick, user, host, account FROM messages").fetchall()
        assert ("bo", "b", "h", "bo_acc") in rows
        assert ("ada", "a2", "cloak.example", None) in rows


@pytest.mark.parametrize(
    ("caps", "hours", "taken"),
    [
        (CAPS, 24, True),
        (CAPS, 0, False),
        ("server-time draft/chathistory draft/event-playback", 24, False),
        ("batch draft/chathistory draft/event-playback", 24, False),
        ("batch server-time draft/event-playback", 24, False),
        ("batch server-time chathistory event-playback", 24, True),
    ],
)
async def test_history_is_taken_only_where_it_is_asked_for_and_can_be_told_from_new_lines(
    tmp_path: Path, caps: str, hours: int, taken: bool
) -> None:
    history = ChannelHistory()
    async with on_a_server_with(history, tmp_path, caps=caps, history_hours=hours) as scene:
        await scene.hears()
        await scene.server.settles()
        requested = " ".join(scene.server.heard("CAP REQ"))
        assert ("chathistory" in requested) is taken
        assert ("event-playback" in requested) is taken
        assert bool(history.requests) is taken


async def test_nothing_older_than_the_setting_is_asked_for(tmp_path: Path) -> None:
    history = ChannelHistory(by="timestamp")
    async with on_a_server_with(history, tmp_path, history_hours=2) as scene:
        await scene.house.bridge.has_pages(1)
        (request,) = history.requests
        asked_for = from_iso(request.split("timestamp=")[1].split(" ")[0])
        assert timedelta(minutes=119) < datetime.now(UTC) - asked_for < timedelta(minutes=121)


async def test_equal_words_are_kept_as_often_as_they_were_said_and_a_second_replay_adds_none(
    tmp_path: Path,
) -> None:
    history = ChannelHistory(msgids=False, by="timestamp")
    async with on_a_server_with(history, tmp_path) as scene:
        await scene.house.bridge.has_pages(1)
        second = ago(30).replace(microsecond=0)
        await scene.hears(history.say("hi", at=second + timedelta(milliseconds=142)))
        for milliseconds in (300, 600):
            history.say("hi", at=second + timedelta(milliseconds=milliseconds))
        history.say("hi", nick="bo", at=second + timedelta(milliseconds=700))
        for cuts in (1, 2):
            await scene.is_cut_off()
            await scene.returns()
            await scene.house.bridge.has_pages(1 + cuts)
            assert await scene.texts() == ["hi"] * 4
        whole_seconds = f"time={to_iso(second)}"
        await scene.hears(
            "BATCH +h chathistory #tea",
            *[f"@batch=h;{whole_seconds} :ada!u@h PRIVMSG #tea :hi"] * 4,
            "BATCH -h",
        )
        assert await scene.texts() == ["hi"] * 5


async def test_a_fetch_that_the_next_cut_interrupts_goes_on_where_it_was(tmp_path: Path) -> None:
    history = ChannelHistory(most=10)
    async with on_a_server_with(history, tmp_path) as scene:
        await scene.house.bridge.has_pages(1)
        await scene.hears(history.say("before", at=ago(50)))
        await scene.is_cut_off()
        for n in range(30):
            history.say(f"line {n}", at=ago(40 - n))

        def only_one_page(line: str) -> Sequence[str | bytes] | None:
            if "CHATHISTORY" in line and len(history.requests) == 2:
                return []  # silent after one page
            return history.answer(line)

        scene.server.answer = only_one_page
        await scene.returns()
        await scene.house.bridge.has_pages(2)
        await scene.hears(history.say("live again"))
        scene.server.answer = history.answer
        await scene.is_cut_off()
        await scene.returns()
        await scene.house.bridge.has_pages(5)
        assert sorted(await scene.texts()) == sorted(
            ["before", "live again", *(f"line {n}" for n in range(30))]
        )


@pytest.mark.parametrize(
    ("answers", "complaint"),
    [
        (["FAIL CHATHISTORY INVALID_TARGET AFTER #tea :No such channel"], "INVALID_TARGET No such"),
        (["FAIL CHATHISTORY MESSAGE_ERROR AFTER #tea :Database down"], "MESSAGE_ERROR Database"),
        (["FAIL CHATHISTORY"], "no history of local/#tea: CHATHISTORY"),
        (["421 Terra CHATHISTORY :Unknown command"], "UNKNOWN_COMMAND Unknown command"),
        (["FAIL CHATHISTORY X #tea :y"] * 9, "X y"),
    ],
)
async def test_a_server_that_refuses_its_history_is_named_once_and_not_asked_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, answers: list[str], complaint: str
) -> None:
    asked: list[str] = []

    def answer(line: str) -> list[str] | None:
        if "CHATHISTORY" not in line:
            return None
        asked.append(line)
        return [f":srv {told}" for told in answers]

    async with (
        fake_ircd(caps=[CAPS.replace("labeled-response", "")], answer=answer) as server,
        living(settings_for(server.port, tmp_path, irc_channels=("#tea",))) as house,
    ):
        await server.says(":ada!a@h PRIVMSG #tea :still here")
        with anyio.fail_after(PATIENCE):
            await until_logged(caplog, complaint)
            await server.settles()
            await house.bridge.flush()
        assert [line.text for line in await house.lines()] == ["still here"]
        assert caplog.text.count("no history of local/#tea") == 1
        assert len(asked) == 1


async def test_a_server_that_forgot_a_msgid_is_asked_by_time(tmp_path: Path) -> None:
    history = ChannelHistory(keeps=2)
    async with on_a_server_with(history, tmp_path) as scene:
        await scene.house.bridge.has_pages(1)
        await scene.hears(history.say("before", at=ago(50)))
        await scene.is_cut_off()
        for n in range(4):
            history.say(f"line {n}", at=ago(40 - n))
        await scene.returns()
        await scene.house.bridge.has_pages(2)
        assert sorted(await scene.texts()) == ["before", "line 2", "line 3"]
        assert ["msgid" in request for request in history.requests] == [False, True, False]


async def test_a_server_that_never_answers_keeps_no_other_channel_waiting(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def answer(line: str) -> list[str] | None:
        return [] if "CHATHISTORY" in line else None

    timeouts = replace(QUICK, history=0.05)
    async with (
        fake_ircd(caps=[CAPS], answer=answer) as server,
        living(settings_for(server.port, tmp_path), timeouts=timeouts),
    ):
        with anyio.fail_after(PATIENCE):
            await until_logged(caplog, "no answer within 0.05 s", times=2)
        asked = [line.split(" ")[3] for line in server.lines if " CHATHISTORY " in line]
        assert sorted(asked) == ["#mate", "#tea"]


async def test_a_history_without_end_is_left_after_a_number_of_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("terrarium_mcp.irc_bridge.network.chathistory.MOST_PAGES", 5)
    asked: list[str] = []

    def answer(line: str) -> list[str] | None:
        if "CHATHISTORY" not in line:
            return None
        asked.append(line)
        at = to_iso(ago(3600 - len(asked)))
        told = [
            f"@batch=b;time={at};msgid=x{len(asked)}-{n} :a!a@h PRIVMSG #tea :{n}" for n in "12"
        ]
        return [":srv BATCH +b chathistory #tea", *told, ":srv BATCH -b"]

    async with (
        fake_ircd(caps=[CAPS], isupport="CHANTYPES=# CHATHISTORY=2", answer=answer) as server,
        living(settings_for(server.port, tmp_path, irc_channels=("#tea",))) as house,
    ):
        await house.bridge.has_pages(5)
        await server.settles()
        await server.settles()
        assert len(asked) == 5
        assert len(await house.lines()) == 10
        coverage = await house.store.spans.coverage(await house.store.rooms.all())
        (filled,) = [span for span in coverage.spans if span.source]
        assert filled.ended < datetime.now(UTC) - timedelta(minutes=50)


async def test_history_with_absurd_times_and_batches_harms_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with on_a_server_with(ChannelHistory(), tmp_path) as scene:
        await scene.house.bridge.has_pages(1)
        await scene.hears(
            "BATCH +a chathistory #tea",
            "@batch=a;time=0001-01-01T00:00:00.000Z :ada!a@h PRIVMSG #tea :first year",
            "@batch=a;time=9999-12-31T23:59:59.999Z :ada!a@h PRIVMSG #tea :last year",
            "@batch=a;time=nonsense :ada!a@h PRIVMSG #tea :no time",
            "@batch=a :ada!a@h PRIVMSG #tea :[off] not for the record",
            "@batch=a :ada!a@h PRIVMSG",
            "@batch=a PING",
            "BATCH -a",
            "BATCH -a",
            "BATCH +b chathistory",
            "@batch=b :ada!a@h PRIVMSG #tea :of no channel",
            "BATCH -b",
            "BATCH +c chathistory #secret",
            "@batch=c :ada!a@h PRIVMSG #secret :not ours",
            "BATCH -c",
            "BATCH +d chathistory #tea",
            "@batch=d :ada!a@h PRIVMSG #tea :never ends",
            ":ada!a@h PRIVMSG #tea :!ping",
        )
        with anyio.fail_after(PATIENCE):
            await scene.server.hears("PRIVMSG #tea")
        assert {"first year", "last year", "no time", "never ends"} <= set(await scene.texts())
        assert not {"[off] not for the record", "not ours"} & set(await scene.texts())
        assert all(span.ended <= datetime.now(UTC) for span in await scene.spans())
        assert not [span for span in await scene.spans() if span.began.year < 1988]
        assert "Traceback" not in caplog.text


async def test_events_that_are_replayed_are_of_that_channel_and_move_nobody(tmp_path: Path) -> None:
    async with on_a_server_with(ChannelHistory(), tmp_path) as scene:
        await scene.hears(":bo!b@h JOIN #tea * :Bo")
        before = scene.house.bridge.network.members("#tea")
        await scene.hears(
            "BATCH +h chathistory #tea",
            "@batch=h;msgid=e1 :bo!b@h QUIT :gone",
            "@batch=h;msgid=e2 :eve!e@h NICK mallory",
            "@batch=h;msgid=e3 :Terra!u@host.example QUIT :old connection",
            "@batch=h;msgid=e4 :op!o@h KICK #tea Terra :enough",
            "@batch=h;msgid=e5 :op!o@h MODE #tea +o bo",
            "@batch=h;msgid=e6 :bo!b@h AWAY :tea",
            "BATCH -h",
        )
        assert scene.house.bridge.network.members("#tea") == before
        assert scene.house.bridge.network.connected
        lines = await lines_of(scene.house.store, events=True)
        told = [(line.kind.value, line.nick) for line in lines if line.room.channel == "#tea"]
        for event in (("QUIT", "bo"), ("NICK", "eve"), ("QUIT", "Terra"), ("KICK", "op")):
            assert event in told


async def test_real_services_are_recorded_for_what_they_do_and_never_answered(
    inspircd: Ircd, tmp_path: Path
) -> None:
    with services_of(inspircd):
        async with person("ada", inspircd.port) as ada, strict_agent() as agent:
            with anyio.fail_after(PATIENCE):
                while not any("NickServ!" in line for line in ada.lines):  # until they are linked
                    await ada.types("PRIVMSG NickServ :HELP", "PRIVMSG ada :.")
                    await ada.news.wait()
                await ada.types("PRIVMSG NickServ :REGISTER secretpw ada@test.example")
                await ada.sees("You are now logged in as")
                await ada.joins("#tea")
                await ada.types(
                    "PRIVMSG ChanServ :REGISTER #tea", "PRIVMSG ChanServ :SET #tea ENTRYMSG !ping"
                )
                await ada.sees("The entry message for")
                settings = settings_for(inspircd, tmp_path, agent.url, irc_channels=("#tea",))
                async with living(settings) as house:
                    await house.bridge.hears("[#tea] !ping")
                    await ada.types("PRIVMSG ChanServ :SET #tea GUARD ON")
                    await ada.sees("JOIN", "#tea", "ChanServ!")
                    await ada.types("PRIVMSG #tea :I am known to services")
                    await house.has_heard(ada)
                    members = {one.nick: one for one in house.bridge.network.members("#tea")}
                    lines = await house.lines("#tea", events=True)
                    said = await house.lines()
        assert (members["ChanServ"].rank, members["ada"].account) == ("@", "ada")
        assert [(line.nick, line.text, line.account) for line in said] == [
            ("ada", "I am known to services", "ada")
        ]
        events = [(line.kind.value, line.nick, line.text) for line in lines]
        assert ("JOIN", "ChanServ", "") in events
        assert ("MODE", "services.test.local", "+o ChanServ") in events
        assert agent.requests == []
        assert b"secretpw" not in _rows_of(tmp_path)


async def test_a_late_answer_is_recorded_and_closes_no_gap_that_it_does_not_reach(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def answer(line: str) -> list[str] | None:
        return [] if "CHATHISTORY" in line else None

    timeouts = replace(QUICK, history=0.01)
    async with (
        fake_ircd(caps=[CAPS], answer=answer) as server,
        living(
            settings_for(server.port, tmp_path, irc_channels=("#tea",)), timeouts=timeouts
        ) as house,
    ):
        with anyio.fail_after(PATIENCE):
            await until_logged(caplog, "no answer within")
            await server.says(
                ":srv BATCH +b chathistory #tea",
                f"@batch=b;time={to_iso(ago(600))};msgid=a :ada!a@h PRIVMSG #tea :one",
                f"@batch=b;time={to_iso(ago(500))};msgid=b :ada!a@h PRIVMSG #tea :two",
                ":srv BATCH -b",
            )
            await house.bridge.has_pages(1)
        assert [line.text for line in await house.lines()] == ["one", "two"]
        coverage = await house.store.spans.coverage(await house.store.rooms.all())
        (filled,) = [span for span in coverage.spans if span.source]
        assert filled.ended < datetime.now(UTC) - timedelta(minutes=8)
