"""People who do not want to be recorded, and others who would speak for them, over real sockets.

Somebody is `zwiebel!~onion@rare.example`: words that occur nowhere else, so that a byte of them in
the file is a byte too many.
"""

import re
import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest

from terrarium_mcp.chat.identity import Identity
from terrarium_mcp.chat.times.timestamps import to_iso
from terrarium_mcp.irc_bridge.ask import command_views, consent, introduction, notices
from terrarium_mcp.irc_bridge.ask.kept_replies import NothingLeft
from terrarium_mcp.settings import ChannelTable
from terrarium_mcp.store import DialoguePlace, DialogueTurn, TurnState, open_store
from tests.irc_bridge.house import NOBODY, House, bytes_of, living, locked, said, settings_for
from tests.patience import PATIENCE
from tests.servers.agent import StrictAgent, calls, fails, hangs, says, strict_agent
from tests.servers.fake_ircd import Answer, FakeIrcd, fake_ircd
from tests.servers.logs import until_logged

TAGS = ("message-tags account-tag server-time batch chghost account-notify extended-join",)
ZWIEBEL = ":zwiebel!~onion@rare.example"
THIEF = ":zwiebel!~thief@elsewhere.example"
BO = ":bo!~bo@host.example"
ONION = Identity("local", "zwiebel", "~onion", "rare.example")
TRACES = (b"zwiebel", b"onion", b"rare.example", b"countess")


@dataclass(frozen=True)
class Scene:
    """A bridge on a server whose every line the scene writes."""

    ircd: FakeIrcd
    house: House
    agent: StrictAgent

    async def hears(self, *lines: str) -> None:
        """The network says this, and the bridge has written what it writes of it."""
        await self.ircd.says(*lines)
        await self.ircd.settles()
        await self.house.bridge.flush()

    async def asks(self, line: str, *expected: str) -> str:
        """Somebody says a line; returns the bot's answer that holds all of these words."""
        known = len(self.ircd.lines)
        await self.ircd.says(line)
        return await self.answers(*expected, after=known)

    async def answers(self, *expected: str, after: int = 0) -> str:
        with anyio.fail_after(PATIENCE):
            while True:
                for line in self.ircd.lines[after:]:
                    if line.startswith("PRIVMSG") and all(word in line for word in expected):
                        return line
                await self.ircd.news.wait()

    async def texts(self) -> list[str]:
        """All that is recorded, as `nick text`; the bot's own joining apart."""
        await self.ircd.settles()
        await self.house.bridge.flush()
        lines = await self.house.lines("#tea", events=True)
        shown = [one for one in lines if one.text or one.nick != "Terra"]
        return [f"{one.nick} {one.text}".strip() for one in shown]

    async def sees(self, nick: str, account: str = "", channel: str = "#tea") -> list[str]:
        """Wait until the stored member list holds somebody; returns the whole list."""
        with anyio.fail_after(PATIENCE):
            while True:
                for room in await self.house.store.rooms.all():
                    people = (await self.house.store.presence.current(room)).people
                    here = {one.nick: one.account for one in people}
                    if room.channel == channel and here.get(nick) == account:
                        return sorted(here)


@asynccontextmanager
async def playing(
    folder: Path,
    *,
    caps: Sequence[str] = TAGS,
    answer: Answer | None = None,
    out: Sequence[Identity] = (),
    tables: Sequence[ChannelTable] = (),
    **more: Any,
) -> AsyncIterator[Scene]:
    """A scene in #tea; those in `out` have opted out before."""
    more = {"irc_channels": ("#tea",), **more}
    async with strict_agent() as agent, fake_ircd(caps=caps, answer=answer) as ircd:
        url = more.pop("agent_url", agent.url)
        settings = settings_for(ircd.port, folder, url, **more).with_channel_tables(tables)
        async with open_store(settings.db_path, settings) as store:
            for who in out:
                await store.opt_outs.add(who, said("").said_at)
        async with living(settings) as house:
            yield Scene(ircd, house, agent)


def ago(seconds: float) -> str:
    """The tags of a line in the batch `b` that was said so long ago."""
    return f"@batch=b;time={to_iso(datetime.now(UTC) - timedelta(seconds=seconds))}"


def rows_with(database: Path, words: Sequence[bytes] = TRACES) -> list[tuple[str, object]]:
    """Every row of any table but that of opt-outs that holds one of these words, in any case."""
    with closing(sqlite3.connect(database)) as db:
        db.text_factory = bytes
        listed = db.execute("SELECT name FROM pragma_table_list WHERE type IN ('table', 'shadow')")
        tables = [name.decode() for (name,) in listed if name != b"opt_outs"]
        return [
            (table, row)
            for table in tables
            for row in db.execute(f'SELECT * FROM "{table}"')  # noqa: S608 -- names of tables
            if any(word in str(row).lower().encode() for word in words)
        ]


def assert_no_byte(database: Path, *words: bytes) -> None:
    """That no byte of the file holds these words, once the signs of who opted out are removed."""
    assert rows_with(database, (*TRACES, *words)) == []
    with closing(sqlite3.connect(database, isolation_level=None)) as db:
        db.execute("PRAGMA secure_delete = ON")
        db.execute("DELETE FROM opt_outs")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    written = bytes_of(database).lower()
    assert [word for word in (*TRACES, *words) if word in written] == []


async def test_whatever_somebody_does_who_opted_out_no_byte_of_it_is_written(
    tmp_path: Path,
) -> None:
    async with playing(tmp_path, out=[ONION], relays="tele") as scene:
        scene.agent.will(says("xyzzy is a word of magic.\n\nxyzzy again\n\nxyzzy a third time"))
        await scene.hears(
            f"{ZWIEBEL} JOIN #tea * :an onion",
            f"{ZWIEBEL} PRIVMSG #tea :xyzzy one https://xyzzy.example",
            f"{ZWIEBEL} PRIVMSG #tea :\x01ACTION waves xyzzy\x01",
            f"{ZWIEBEL} NOTICE #tea :xyzzy two",
            f"{ZWIEBEL} TOPIC #tea :xyzzy",
            f"{ZWIEBEL} MODE #tea +v bo",
            ":op!o@h MODE #tea +ob zwiebel *!*@rare.example",
            ":op!o@h KICK #tea zwiebel :enough",
            f"{ZWIEBEL} JOIN #tea * :an onion",
            ":tele!t@h PRIVMSG #tea :<zwiebel> xyzzy three",
            f"{ZWIEBEL} NICK :zwiebel_",
            ":zwiebel_!~onion@rare.example PRIVMSG #tea :xyzzy four",
        )
        await scene.asks(":zwiebel_!~onion@rare.example PRIVMSG #tea :!ask xyzzy?", "third time")
        await scene.asks(":zwiebel_!~onion@rare.example PRIVMSG #tea :!help", "!optout: nothing")
        await scene.hears(f"{BO} JOIN #tea * :bo", f"{BO} PRIVMSG #tea :tea")
        assert await scene.sees("bo") == ["Terra", "ada", "bo"]
        await scene.hears(":zwiebel_!~onion@rare.example QUIT :xyzzy five")
        assert await scene.texts() == ["op +ob * *", "bo", "bo tea"]
        assert rows_with(tmp_path / "irc_logs.db", (*TRACES, b"xyzzy")) == []
    assert_no_byte(tmp_path / "irc_logs.db", b"xyzzy")


async def test_who_kicks_the_bot_is_not_named_as_the_reason_of_the_gap(tmp_path: Path) -> None:
    async with playing(tmp_path, out=[ONION]) as scene:
        await scene.hears(f"{ZWIEBEL} KICK #tea Terra :enough of you")
        (tea,) = await scene.house.store.rooms.all()
        coverage = await scene.house.store.spans.coverage([tea])
        assert [span.why_ended for span in coverage.spans][:1] == ["the channel was left"]
        assert rows_with(tmp_path / "irc_logs.db") == []


async def test_who_opted_out_by_nick_and_logged_in_meanwhile_is_in_no_member_list(
    tmp_path: Path,
) -> None:
    async with playing(tmp_path, out=[ONION]) as scene:
        await scene.hears(
            ":srv 353 Terra = #tea :zwiebel bo",
            ":srv 366 Terra #tea :End",
            ":srv 354 Terra 542 #tea ~onion rare.example zwiebel H countess",
            ":srv 354 Terra 542 #tea ~bo host.example bo H bo_",
            ":srv 315 Terra #tea :End",
        )
        assert await scene.sees("bo", "bo_") == ["Terra", "ada", "bo"]
        await scene.hears(
            f"{ZWIEBEL} QUIT :bye",
            f"{THIEF} JOIN #tea * :a namesake",
            f"{BO} ACCOUNT *",
        )
        assert await scene.sees("bo") == ["Terra", "ada", "bo", "zwiebel"]


async def test_who_opted_out_logged_in_is_in_no_member_list_before_their_account_is_known(
    tmp_path: Path,
) -> None:
    countess = ONION._replace(account="countess")
    async with playing(tmp_path, out=[countess], irc_channels=("#tea", "#mate")) as scene:
        with anyio.fail_after(PATIENCE):
            await scene.ircd.hears("WHO #tea")
            scene.ircd.answer = lambda line: [] if line.startswith("WHO #tea") else None
            await scene.hears(":op!o@h KICK #tea Terra :enough")
            await scene.ircd.hears("WHO #tea", times=2)
        await scene.hears(":srv 353 Terra = #tea :schalotte bo", f"{BO} JOIN #mate bo_ :bo")
        await scene.sees("bo", "bo_", channel="#mate")  # a round in which #tea was not written
        await scene.hears(
            ":srv 354 Terra 542 #tea ~s far.example schalotte H countess",
            ":srv 354 Terra 542 #tea ~bo host.example bo H bo_",
            ":srv 315 Terra #tea :End",
        )
        assert await scene.sees("bo", "bo_") == ["Terra", "ada", "bo"]
        assert b"schalotte" not in bytes_of(tmp_path / "irc_logs.db")


async def test_it_takes_effect_behind_the_command_even_within_one_packet(tmp_path: Path) -> None:
    async with playing(tmp_path) as scene:
        await scene.hears(
            f"{ZWIEBEL} PRIVMSG #tea :before",
            f"{ZWIEBEL} PRIVMSG #tea :!optout",
            f"{ZWIEBEL} PRIVMSG #tea :behind",
        )
        assert "nick with this user@host" in await scene.answers("From now on nothing of you")
        await scene.answers("!forget", "!optin")
        assert await scene.texts() == ["zwiebel before"]
        await scene.asks(f"{ZWIEBEL} PRIVMSG #tea :!optin", "What you say is recorded.")
        await scene.hears(f"{ZWIEBEL} PRIVMSG #tea :again")
        assert await scene.texts() == ["zwiebel before", "zwiebel again"]


@pytest.mark.parametrize("held_back", ["ignored", "crowded"])
async def test_it_takes_effect_also_where_the_bot_says_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, held_back: str
) -> None:
    if held_back == "crowded":
        monkeypatch.setattr("terrarium_mcp.irc_bridge.ask.command_queue.DEPTH", 0)
    async with playing(tmp_path, ignore=("zwiebel*",) if held_back == "ignored" else ()) as scene:
        await scene.hears(
            f"{ZWIEBEL} PRIVMSG #tea :before",
            f"{ZWIEBEL} PRIVMSG #tea :!optout",
            f"{ZWIEBEL} PRIVMSG #tea :xyzzy",
        )
        texts = await scene.texts()
        assert "zwiebel before" in texts
        assert "zwiebel xyzzy" not in texts
        assert not [line for line in scene.ircd.lines if "nothing of you is recorded" in line]


async def test_a_question_right_behind_the_opt_out_is_answered_off_the_record(
    tmp_path: Path,
) -> None:
    async with playing(tmp_path) as scene:
        scene.agent.will(says("xyzzy"))
        async with locked(tmp_path / "irc_logs.db"):
            await scene.ircd.says(
                f"{ZWIEBEL} PRIVMSG #tea :!optout", f"{ZWIEBEL} PRIVMSG #tea :!ask what?"
            )
            await scene.ircd.settles()
        assert "PRIVMSG #tea :[off] " in await scene.answers("xyzzy")
        assert await scene.texts() == []


async def test_a_question_in_work_at_the_opt_out_is_answered_off_the_record(
    tmp_path: Path,
) -> None:
    async with playing(tmp_path) as scene:
        keeps = calls("create_enhancement_request", title="xyzzy", summary="xyzzy")
        scene.agent.will(hangs(keeps), says("xyzzy one\n\nxyzzy two"), says("plugh"))
        await scene.ircd.says(f"{ZWIEBEL} PRIVMSG #tea :!ask what?")
        with anyio.fail_after(PATIENCE):
            await scene.agent.asked(1)
        await scene.asks(f"{ZWIEBEL} PRIVMSG #tea :!optout", "!optin lets you")
        scene.agent.release()
        assert "PRIVMSG #tea :[off] " in await scene.answers("xyzzy one")
        assert "PRIVMSG #tea :[off] " in await scene.answers("xyzzy two")
        assert await scene.house.store.backlog.all() == []
        assert "and this question is off the record." in str(scene.agent.requests[-1])
        await scene.asks(f"{BO} PRIVMSG #tea :!ask what?", "plugh")
        assert "xyzzy" not in str(scene.agent.requests[-1])
        texts = await scene.texts()
        assert texts == ["zwiebel !ask what?", "bo !ask what?", "Terra bo: [LLM] plugh"]


async def test_whoever_only_speaks_of_opting_in_stays_opted_out(tmp_path: Path) -> None:
    async with playing(tmp_path, out=[ONION]) as scene:
        for sentence in ("!optin would undo that", "Terra: !optin ?", "!optin please do not"):
            told = await scene.asks(f"{ZWIEBEL} PRIVMSG #tea :{sentence}", "say just !optin")
            assert "Nothing has changed" in told
        await scene.hears(f"{ZWIEBEL} PRIVMSG #tea :xyzzy")
        assert await scene.texts() == []
        await scene.asks(f"{ZWIEBEL} PRIVMSG #tea :!optin please!", "What you say is recorded.")
        await scene.hears(f"{ZWIEBEL} PRIVMSG #tea :abracadabra")
        assert await scene.texts() == ["zwiebel abracadabra"]


async def test_who_takes_the_nick_is_recorded_and_cannot_undo_it(tmp_path: Path) -> None:
    async with playing(tmp_path, out=[ONION]) as scene:
        await scene.asks(f"{THIEF} PRIVMSG #tea :!optin", "What you say is recorded.")
        await scene.hears(f"{THIEF} PRIVMSG #tea :mine", f"{ZWIEBEL} PRIVMSG #tea :hers")
        assert await scene.texts() == ["zwiebel mine"]


async def test_a_stolen_nick_does_not_undo_what_an_account_decided(tmp_path: Path) -> None:
    async with playing(tmp_path) as scene:
        told = await scene.asks(f"@account=countess {ZWIEBEL} PRIVMSG #tea :!optout", "From now on")
        assert "services account" in told
        logged_out = await scene.asks(f"{ZWIEBEL} PRIVMSG #tea :!optin", "You opted out while")
        assert "Log in again" in logged_out
        await scene.asks(f"@account=thief {THIEF} PRIVMSG #tea :!optin", "What you say is recorded")
        await scene.hears(
            "@account=countess :zoe!~z@far.example PRIVMSG #tea :from afar",
            ":zoe!~z@far.example PRIVMSG #tea :logged out there",
            f"{ZWIEBEL} PRIVMSG #tea :logged out here",
        )
        assert await scene.texts() == []
        await scene.asks("@account=Countess :zoe!~z@far.example PRIVMSG #tea :!optin", "recorded")
        await scene.hears(f"{ZWIEBEL} PRIVMSG #tea :back")
        assert await scene.texts() == ["zwiebel back"]


async def test_a_new_host_and_a_login_are_followed_without_a_word_of_theirs(
    tmp_path: Path,
) -> None:
    async with playing(tmp_path, out=[ONION]) as scene:
        await scene.hears(
            f"{ZWIEBEL} ACCOUNT countess",
            f"{ZWIEBEL} CHGHOST ~onion cloak.example",
            ":zwiebel!~onion@cloak.example PRIVMSG #tea :cloaked",
            "@account=countess :zoe!~z@far.example PRIVMSG #tea :from afar",
            f"{BO} ACCOUNT bo",
            "@account=bo :bo!~bo@host.example PRIVMSG #tea :tea",
        )
        assert await scene.texts() == ["bo tea"]


NO_ACCOUNT_TAG = ("extended-join account-notify chghost",)


async def test_who_opted_out_logged_in_may_opt_in_where_only_joins_show_accounts(
    tmp_path: Path,
) -> None:
    async with playing(tmp_path, caps=NO_ACCOUNT_TAG) as scene:
        await scene.hears(f"{ZWIEBEL} JOIN #tea countess :Onion")
        told = await scene.asks(f"{ZWIEBEL} PRIVMSG #tea :!optout", "From now on nothing")
        assert "I know you by your services account" in told
        await scene.hears(
            f"{ZWIEBEL} PART #tea :bye",
            f"{ZWIEBEL} JOIN #tea countess :Onion",
            f"{ZWIEBEL} PRIVMSG #tea :xyzzy",
            f"{ZWIEBEL} ACCOUNT *",
        )
        await scene.asks(f"{ZWIEBEL} PRIVMSG #tea :!optin", "You opted out while logged in")
        await scene.hears(f"{ZWIEBEL} ACCOUNT countess")
        await scene.asks(f"{ZWIEBEL} PRIVMSG #tea :!optin", "What you say is recorded.")
        await scene.hears(f"{ZWIEBEL} PRIVMSG #tea :back")
        assert (await scene.texts())[1:] == ["zwiebel back"]


async def test_all_lines_of_somebody_are_forgotten_where_only_joins_show_accounts(
    tmp_path: Path,
) -> None:
    async with playing(tmp_path, caps=NO_ACCOUNT_TAG) as scene:
        await scene.hears(
            f"{ZWIEBEL} JOIN #tea countess :Onion",
            f"{ZWIEBEL} PRIVMSG #tea :xyzzy",
            f"{ZWIEBEL} NICK :zoe",
            ":zoe!~onion@rare.example PART #tea :bye",
            f"{ZWIEBEL} JOIN #tea countess :Onion",
        )
        await scene.asks(f"{ZWIEBEL} PRIVMSG #tea :!forget", "This removes 5 messages of yours")
        await scene.asks(f"{ZWIEBEL} PRIVMSG #tea :!forget yes", "Removed 5 messages of yours")
        assert await scene.texts() == []


async def test_who_takes_the_nick_while_our_bouncer_is_away_has_not_the_account(
    tmp_path: Path,
) -> None:
    async with playing(tmp_path, caps=NO_ACCOUNT_TAG) as scene:
        await scene.hears(
            f"{ZWIEBEL} JOIN #tea countess :Onion",
            ":*status!znc@znc.in PRIVMSG Terra :Disconnected from IRC. Reconnecting...",
        )
        by_nick = "From now on nothing of you", "I know you by your nick"
        await scene.asks(f"{THIEF} PRIVMSG Terra :!optout", *by_nick)
        await scene.hears(
            ":Terra!u@host.example JOIN #tea * :a bot",
            ":srv 353 Terra = #tea :Terra zwiebel",
            ":srv 366 Terra #tea :End",
        )
        await scene.asks(f"{THIEF} PRIVMSG #tea :!optout", *by_nick)


async def test_a_new_nick_that_no_recorded_line_shows_is_followed(tmp_path: Path) -> None:
    only_answers = (ChannelTable("", "#mate", "answer"),)
    async with playing(
        tmp_path, out=[ONION], irc_channels=("#tea", "#mate"), tables=only_answers
    ) as scene:
        await scene.hears(
            f"{ZWIEBEL} JOIN #mate * :an onion",
            f"{ZWIEBEL} NICK :zwiebel_",
            ":zwiebel_!~onion@rare.example JOIN #tea * :an onion",
            ":zwiebel_!~onion@rare.example PRIVMSG #tea :xyzzy",
            f"{BO} NICK :bo_",
            ":bo_!~bo@host.example PRIVMSG #tea :tea",
        )
        assert await scene.texts() == ["bo_ tea"]
    assert_no_byte(tmp_path / "irc_logs.db", b"xyzzy")


async def test_history_that_is_played_back_leaves_them_out_as_well(tmp_path: Path) -> None:
    async with playing(tmp_path, out=[ONION]) as scene:
        for kind in ("chathistory", "znc.in/playback"):
            tag = "@batch=b;time=2026-01-02T03:04:05.000Z"
            await scene.hears(
                f":srv BATCH +b {kind} #tea",
                f"{tag} {ZWIEBEL} PRIVMSG #tea :xyzzy {kind}",
                f"{tag} {ZWIEBEL} JOIN #tea",
                f"{tag} {BO} PRIVMSG #tea :tea {kind}",
                ":srv BATCH -b",
            )
        assert await scene.texts() == ["bo tea chathistory", "bo tea znc.in/playback"]
    assert_no_byte(tmp_path / "irc_logs.db", b"xyzzy")


@pytest.mark.parametrize("kind", ["chathistory", "znc.in/playback"])
async def test_an_opt_out_said_while_the_bot_was_away_counts_from_its_place_in_the_playback(
    tmp_path: Path, kind: str
) -> None:
    async with playing(tmp_path) as scene:
        await scene.hears(
            f":srv BATCH +b {kind} #tea",
            f"{ago(50)} {ZWIEBEL} PRIVMSG #tea :before",
            f"{ago(40)} {ZWIEBEL} PRIVMSG #tea :!optout",
            f"{ago(30)} {ZWIEBEL} PRIVMSG #tea :xyzzy one",
            f"{ago(20)} {BO} PRIVMSG #tea :!optin",
            f"{ago(10)} {BO} PRIVMSG #tea :!forget yes",
            f"{ago(5)} {BO} PRIVMSG #tea :tea",
            ":srv BATCH -b",
            f"{ZWIEBEL} PRIVMSG #tea :xyzzy two",
        )
        assert await scene.texts() == ["zwiebel before", "bo tea"]
        assert scene.ircd.heard("PRIVMSG") == []


async def test_an_opt_out_said_in_private_while_the_bot_was_away_counts(tmp_path: Path) -> None:
    async with playing(tmp_path) as scene:
        await scene.hears(
            ":srv BATCH +b znc.in/playback zwiebel",
            f"{ago(40)} {ZWIEBEL} PRIVMSG Terra :!optout",
            ":srv BATCH -b",
            f"{ZWIEBEL} PRIVMSG #tea :xyzzy",
        )
        assert await scene.texts() == []


async def test_an_opt_out_too_late_to_be_answered_counts_and_is_not_recorded(
    tmp_path: Path,
) -> None:
    async with playing(tmp_path) as scene:
        late = ago(40).replace("batch=b;", "")
        await scene.hears(
            f"{late} {ZWIEBEL} PRIVMSG #tea :before",
            f"{late} {ZWIEBEL} PRIVMSG #tea :!optout",
            f"{late} {ZWIEBEL} PRIVMSG #tea :xyzzy",
            f"{late} {BO} PRIVMSG #tea :!forget",
        )
        assert await scene.texts() == ["zwiebel before"]
        assert scene.ircd.heard("PRIVMSG") == []


async def test_an_opt_out_played_back_does_not_undo_what_was_decided_since(
    tmp_path: Path,
) -> None:
    said_at = ago(20)
    replay = (
        ":srv BATCH +b znc.in/playback #tea",
        f"{said_at} {ZWIEBEL} PRIVMSG #tea :!optout",
        ":srv BATCH -b",
    )
    async with playing(tmp_path) as scene:
        await scene.hears(f"{said_at.replace('batch=b;', '')} {ZWIEBEL} PRIVMSG #tea :!optout")
        await scene.asks(f"@account=countess {ZWIEBEL} PRIVMSG Terra :!optin", "is recorded")
        await scene.hears(*replay, f"{ZWIEBEL} PRIVMSG #tea :back")
        assert await scene.texts() == ["zwiebel back"]
    async with playing(tmp_path) as scene:
        await scene.hears(*replay, f"{ZWIEBEL} PRIVMSG #tea :still here")
        assert await scene.texts() == ["zwiebel back", "zwiebel still here"]


async def test_what_they_said_in_between_is_not_recorded_when_it_is_played_back_after_the_opt_in(
    tmp_path: Path,
) -> None:
    async with playing(tmp_path) as scene:
        live = ago(20).replace("batch=b;", "")
        await scene.hears(f"{live} {ZWIEBEL} PRIVMSG #tea :!optout")
        await scene.asks(f"@account=countess {ZWIEBEL} PRIVMSG Terra :!optin", "is recorded")
    async with playing(tmp_path) as scene:
        await scene.hears(
            ":srv BATCH +b znc.in/playback #tea",
            f"{ago(10)} {ZWIEBEL} PRIVMSG #tea :xyzzy",
            f"{ago(10)} {BO} PRIVMSG #tea :tea",
            ":srv BATCH -b",
            f"{ZWIEBEL} PRIVMSG #tea :back",
        )
        assert await scene.texts() == ["bo tea", "zwiebel back"]
    assert rows_with(tmp_path / "irc_logs.db", [b"xyzzy"]) == []


@pytest.mark.parametrize("echoes", [False, True])
async def test_no_line_of_an_answer_to_them_is_recorded(tmp_path: Path, echoes: bool) -> None:
    def echo(line: str) -> list[str] | None:
        return [f":Terra!u@host.example {line}"] if line.startswith("PRIVMSG #tea") else None

    caps = (f"{TAGS[0]} echo-message",) if echoes else TAGS
    async with playing(tmp_path, out=[ONION], caps=caps) as scene:
        scene.ircd.answer = echo if echoes else None
        scene.agent.will(says("xyzzy one\n\nxyzzy two\n\nxyzzy three"), says("plugh"))
        await scene.asks(f"{ZWIEBEL} PRIVMSG #tea :!ask what?", "[off]", "xyzzy three")
        await scene.asks(f"{BO} PRIVMSG #tea :!ask what?", "plugh")
        said_to_her = [line for line in scene.ircd.lines if "xyzzy" in line]
        await scene.hears(  # which a bouncer may play back later
            ":srv BATCH +b znc.in/playback #tea",
            *(f"@batch=b :Terra!u@host.example {line}" for line in said_to_her),
            ":srv BATCH -b",
        )
        assert await scene.texts() == ["bo !ask what?", "Terra bo: [LLM] plugh"]


async def test_who_must_wait_or_stops_a_question_is_told_so_off_the_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notices, "GATHERED", 0.1)
    async with playing(tmp_path, out=[ONION]) as scene:
        scene.agent.will(hangs(says("too late")))
        await scene.hears(f"{BO} PRIVMSG #tea :!ask what?")
        with anyio.fail_after(PATIENCE):
            await scene.agent.asked(1)
        await scene.hears(
            f"{ZWIEBEL} PRIVMSG #tea :!ask xyzzy?",
            ":tom!~tom@host.example PRIVMSG #tea :!ask what else?",
        )
        await scene.answers("PRIVMSG #tea :tom: one moment, other questions come first.")
        await scene.answers("PRIVMSG #tea :[off] zwiebel: one moment, other questions come first.")
        await scene.asks(f"{ZWIEBEL} PRIVMSG #tea :!stop", "#tea :[off] zwiebel: Stopped.")
        await scene.asks(":tom!~tom@host.example PRIVMSG #tea :!stop", "#tea :tom: Stopped.")
        said = [text for text in await scene.texts() if text.startswith("Terra")]
        assert said == [
            "Terra tom: one moment, other questions come first.",
            "Terra tom: Stopped.",
        ]
        await scene.asks(f"{BO} PRIVMSG #tea :!stop", "bo: Stopped.")
        assert rows_with(tmp_path / "irc_logs.db") == []


async def test_nobody_else_is_given_the_rest_of_their_answer(tmp_path: Path) -> None:
    async with playing(tmp_path, out=[ONION]) as scene:
        scene.agent.will(says("\n\n".join(f"xyzzy {number}" for number in range(6))))
        await scene.asks(f"{ZWIEBEL} PRIVMSG #tea :!ask what?", "more: !more")
        await scene.asks(f"{BO} PRIVMSG #tea :!more", "There is no more that I know of")
        await scene.asks(f"{ZWIEBEL} PRIVMSG #tea :!more", "xyzzy 5")
        assert await scene.texts() == ["bo !more", f"Terra bo: {NothingLeft.UNKNOWN}"]


async def test_their_question_is_in_nobody_s_context_and_gets_no_tool_that_keeps_it(
    tmp_path: Path,
) -> None:
    async with playing(tmp_path, out=[ONION]) as scene:
        scene.agent.will(
            calls("create_enhancement_request", title="xyzzy", summary="xyzzy"),
            says("done"),
            says("tea"),
        )
        await scene.asks(f"{ZWIEBEL} PRIVMSG #tea :!ask for xyzzy", "done")
        offered, *_ = scene.agent.requests
        names = {tool["function"]["name"] for tool in offered["tools"]}
        assert "search_irc_history" in names
        assert "create_enhancement_request" not in names
        await scene.asks(f"{BO} PRIVMSG #tea :!ask what?", "tea")
        assert "xyzzy" not in str(scene.agent.requests[-1])
        assert await scene.house.store.backlog.all() == []


async def test_what_another_process_writes_down_counts_at_once(tmp_path: Path) -> None:
    async with playing(tmp_path) as scene:
        settings = scene.house.settings
        async with open_store(settings.db_path, settings) as other:
            await other.opt_outs.add(ONION, said("").said_at)
        await scene.hears(f"{ZWIEBEL} PRIVMSG #tea :xyzzy")
        assert await scene.texts() == []


async def test_it_outlives_the_program(tmp_path: Path) -> None:
    async with playing(tmp_path) as scene:
        await scene.asks(f"{ZWIEBEL} PRIVMSG #tea :!optout", "From now on")
    async with playing(tmp_path) as scene:
        await scene.hears(f"{ZWIEBEL} PRIVMSG #tea :xyzzy", f"{BO} PRIVMSG #tea :tea")
        assert await scene.texts() == ["bo tea"]
    assert_no_byte(tmp_path / "irc_logs.db", b"xyzzy")


async def test_while_the_disk_cannot_be_written_nothing_of_them_slips_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with playing(tmp_path) as scene:
        async with locked(tmp_path / "irc_logs.db"):
            monkeypatch.setattr(consent, "SETTLED_WITHIN", 0.1)
            monkeypatch.setattr(command_views, "FLUSH_WITHIN", 0.1)
            told = await scene.asks(f"{ZWIEBEL} PRIVMSG #tea :!optout", "cannot be written")
            assert "Ask again to be sure" in told
            assert "kept in memory until it can" in told
            await scene.ircd.says(f"{ZWIEBEL} PRIVMSG #tea :xyzzy")
            forget = await scene.asks(f"{BO} PRIVMSG #tea :!forget", "cannot be written")
            assert "so nothing was removed. Say !forget again" in forget
            await scene.asks(f"{BO} PRIVMSG #tea :!ping", "PRIVMSG #tea :bo: pong")
            await scene.asks(f"{ZWIEBEL} PRIVMSG #tea :!ping", "PRIVMSG #tea :[off] zwiebel: pong")
            await scene.ircd.settles()
        monkeypatch.setattr(consent, "SETTLED_WITHIN", PATIENCE)
        await scene.asks(f"{ZWIEBEL} PRIVMSG #tea :!optout", "From now on nothing")
        assert await scene.texts() == ["bo !ping", "Terra bo: pong"]


async def test_who_takes_the_nick_can_have_nothing_forgotten(tmp_path: Path) -> None:
    async with playing(tmp_path, contact="carol on this network") as scene:
        await scene.hears(
            f"{ZWIEBEL} PRIVMSG #tea :xyzzy one", f"{ZWIEBEL} PRIVMSG #tea :xyzzy two"
        )
        told = await scene.asks(f"{THIEF} PRIVMSG #tea :!forget", "Nothing is recorded that is")
        assert "carol on this network, who can run: terrarium-mcp purge --nick NICK" in told
        await scene.asks(f"{THIEF} PRIVMSG #tea :!forget yes", "Say !forget first")
        await scene.asks(f"{THIEF} PRIVMSG #tea :!forget bo", "nobody else's")
        assert await scene.texts() == ["zwiebel xyzzy one", "zwiebel xyzzy two"]


async def test_nobody_confirms_for_another(tmp_path: Path) -> None:
    async with playing(tmp_path) as scene:
        await scene.hears(f"{ZWIEBEL} PRIVMSG #tea :xyzzy", f"{BO} PRIVMSG #tea :tea")
        asked = await scene.asks(
            f"{ZWIEBEL} PRIVMSG #tea :!forget",
            "This removes 1 message of yours (what you said, did, and",
        )
        assert "Say !forget yes within 2 minutes" in asked
        for other in (BO, THIEF, f"@account=thief {ZWIEBEL}"):
            await scene.asks(f"{other} PRIVMSG #tea :!forget yes", "Say !forget first")
        assert await scene.texts() == ["zwiebel xyzzy", "bo tea"]
        await scene.asks(f"{ZWIEBEL} PRIVMSG #tea :!forget yes", "Removed 1 message of yours")
        told = [line for line in scene.ircd.lines if "Not reached: what you said under" in line]
        assert len(told) == 1
        assert await scene.texts() == ["bo tea"]
        (entry,) = await scene.house.store.removal.audit()
        assert (entry.asked_by, entry.messages) == ("!forget", 1)
        assert "zwiebel" not in entry.nick


@pytest.mark.parametrize("yes", ["yes.", "Yes!", "yes please", "yes, please."])
async def test_a_removal_is_also_confirmed_politely(tmp_path: Path, yes: str) -> None:
    async with playing(tmp_path) as scene:
        await scene.hears(f"{ZWIEBEL} PRIVMSG #tea :xyzzy")
        await scene.asks(f"{ZWIEBEL} PRIVMSG #tea :!forget", "Say !forget yes")
        await scene.asks(f"{ZWIEBEL} PRIVMSG #tea :!forget yes?", "nobody else's")
        await scene.asks(f"{ZWIEBEL} PRIVMSG #tea :!forget {yes}", "Removed 1 message of yours")
        assert await scene.texts() == []


async def test_what_was_said_logged_out_under_another_nick_stays_and_is_said_to(
    tmp_path: Path,
) -> None:
    async with playing(tmp_path) as scene:
        await scene.hears(
            f"{ZWIEBEL} PRIVMSG #tea :xyzzy logged out",
            "@account=countess :zoe!~z@far.example PRIVMSG #tea :xyzzy logged in",
        )
        await scene.asks(
            "@account=countess :zoe!~z@far.example PRIVMSG #tea :!forget",
            "Not reached: what you said under another nick without your account (take it, and ask",
        )
        await scene.asks(
            "@account=countess :zoe!~z@far.example PRIVMSG #tea :!forget yes", "Removed 1 message"
        )
        assert await scene.texts() == ["zwiebel xyzzy logged out"]


async def test_what_was_asked_and_answered_is_forgotten_too(tmp_path: Path) -> None:
    async with playing(tmp_path) as scene:
        await scene.hears(f"{ZWIEBEL} PRIVMSG #tea :xyzzy", f"{BO} PRIVMSG #tea :tea")
        place, at = DialoguePlace("local", "#tea"), datetime.now(UTC)
        asked = DialogueTurn(1, 1, at, ONION, "where is xyzzy?")
        read = DialogueTurn(2, 1, at, Identity("local", "bo"), "who?", sources=frozenset((1, 2)))
        others = replace(read, number=3, sources=frozenset())
        for turn in (asked, read, others):
            done = replace(turn, state=TurnState.DONE)
            assert await scene.house.store.dialogues.put_turn(place, done)
        also = "and 2 questions to me with what I answered"
        await scene.asks(f"{ZWIEBEL} PRIVMSG #tea :!forget", "This removes 1 message ", also)
        told = await scene.asks(f"{ZWIEBEL} PRIVMSG #tea :!forget yes", "Removed 1 message of")
        assert also in told
        left = await scene.house.store.dialogues.load(place)
        assert [turn.number for turn in left.turns] == [3]


async def talks(scene: Scene) -> None:
    """Bo says many lines: what was said before is not among the newest any more."""
    await scene.hears(*(f"{BO} PRIVMSG #tea :tea {number}" for number in range(25)))


async def forgets(scene: Scene, *removed: str) -> None:
    """Zwiebel has it all removed."""
    await talks(scene)
    await scene.asks(f"{ZWIEBEL} PRIVMSG #tea :!forget", "Say !forget yes")
    await scene.asks(f"{ZWIEBEL} PRIVMSG #tea :!forget yes", "Removed", *removed)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search_irc_history", {"query": "xyzzy42"}),
        ("lookup_nick", {"nick": "zwiebel"}),
        ("catch_up", {"nick": "bo", "since": "1h"}),
    ],
)
async def test_a_turn_goes_with_each_line_that_a_tool_quoted_in_it(
    tmp_path: Path, tool: str, arguments: dict[str, str]
) -> None:
    async with playing(tmp_path, bridge_tools="all") as scene:
        await scene.hears(f"{ZWIEBEL} PRIVMSG #tea :bo: my secret word is xyzzy42")
        await talks(scene)
        scene.agent.will(calls(tool, **arguments), says("the word is xyzzy42"), says("hm"))
        await scene.asks(f"{BO} PRIVMSG #tea :!ask what is it?", "xyzzy42")
        assert "my secret word is xyzzy42" in str(scene.agent.requests[-1])
        await forgets(scene, "1 message", "1 question to me")
        await scene.asks(f"{BO} PRIVMSG #tea :!ask so?", "[LLM] hm")
        assert "secret word" not in str(scene.agent.requests[-1])
        assert not rows_with(tmp_path / "irc_logs.db", [b"secret word"])


async def test_a_turn_goes_with_a_line_that_it_read_in_the_backlog(tmp_path: Path) -> None:
    async with playing(tmp_path) as scene:
        await scene.hears(f"{ZWIEBEL} PRIVMSG #tea :my secret word is xyzzy42")
        store = scene.house.store
        (hers,) = [line for line in await scene.house.lines("#tea") if "xyzzy42" in line.text]
        about = {"network": "local", "channel": "#tea"}
        quote = f"{hers.id} 14:23 <zwiebel> {hers.text}"
        idea, _ = await store.backlog.create("Words", "more", about=about, lines=[quote])
        await talks(scene)
        looks = calls("read_enhancement_request", filename=idea.filename)
        scene.agent.will(looks, says("the word is xyzzy42"), says("hm"))
        await scene.asks(f"{BO} PRIVMSG #tea :!ask what is it?", "xyzzy42")
        assert "my secret word is xyzzy42" in str(scene.agent.requests[-1])
        await forgets(scene, "1 message", "1 question to me")
        await scene.asks(f"{BO} PRIVMSG #tea :!ask so?", "[LLM] hm")
        assert "secret word" not in str(scene.agent.requests[-1])
        assert "xyzzy42" not in await store.backlog.text(idea)


async def test_a_turn_goes_with_the_best_lines_that_were_said_for_want_of_an_answer(
    tmp_path: Path,
) -> None:
    async with playing(tmp_path) as scene:
        await scene.hears(f"{ZWIEBEL} PRIVMSG #tea :my teapot is called xyzzy42")
        await talks(scene)
        scene.agent.will(fails(500), says("hm"))
        weak = "how do I configure the quantum flux of a teapot with kubernetes in production?"
        await scene.asks(f"{BO} PRIVMSG #tea :!ask {weak}", "my teapot is called xyzzy42")
        assert "xyzzy42" not in str(scene.agent.requests)
        await forgets(scene, "1 message", "1 question to me")
        await scene.asks(f"{BO} PRIVMSG #tea :!ask so?", "[LLM] hm")
        assert "quantum flux" not in str(scene.agent.requests[-1])


async def test_a_turn_goes_with_the_lines_of_each_turn_that_it_was_sent_with(
    tmp_path: Path,
) -> None:
    async with playing(tmp_path) as scene:
        await scene.hears(f"{ZWIEBEL} PRIVMSG #tea :my secret word is xyzzy42")
        await talks(scene)
        looks = calls("search_irc_history", query="secret word")
        scene.agent.will(looks, says("the word is xyzzy42"), says("xyzzy42, still"), says("hm"))
        await scene.asks(f"{BO} PRIVMSG #tea :!ask what is the word?", "the word is xyzzy42")
        await talks(scene)
        await scene.asks(f"{BO} PRIVMSG #tea :!ask say it again please", "xyzzy42, still")
        assert "my secret word" not in scene.agent.requests[-1]["messages"][-1]["content"]
        await forgets(scene, "1 message", "2 questions to me")
        await scene.asks(f"{BO} PRIVMSG #tea :!ask so?", "[LLM] hm")
        assert "say it again" not in str(scene.agent.requests[-1])


async def test_a_bouncer_does_not_bring_back_what_was_forgotten(tmp_path: Path) -> None:
    async with playing(tmp_path) as scene:
        await scene.hears(f"{ZWIEBEL} PRIVMSG #tea :xyzzy", f"{BO} PRIVMSG #tea :tea")
        await scene.asks(f"{ZWIEBEL} PRIVMSG #tea :!forget", "This removes 1 message ")
        await scene.asks(f"{ZWIEBEL} PRIVMSG #tea :!forget yes", "Removed 1 message of yours")
        tag = "@batch=b;time=2026-01-02T03:04:05.000Z"
        await scene.hears(
            ":srv BATCH +b znc.in/playback #tea",
            f"{tag} {ZWIEBEL} PRIVMSG #tea :xyzzy",
            f"{tag} {THIEF} PRIVMSG #tea :not hers",
            ":srv BATCH -b",
            f"{ZWIEBEL} PRIVMSG #tea :said since",
        )
        assert sorted(await scene.texts()) == ["bo tea", "zwiebel not hers", "zwiebel said since"]


async def test_a_confirmation_that_comes_too_late_removes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consent, "CONFIRMED_WITHIN", 0.0)
    async with playing(tmp_path) as scene:
        await scene.hears(f"{ZWIEBEL} PRIVMSG #tea :xyzzy")
        await scene.asks(f"{ZWIEBEL} PRIVMSG #tea :!forget", "This removes 1 message ")
        await scene.asks(f"{ZWIEBEL} PRIVMSG #tea :!forget yes", "Say !forget first")
        assert await scene.texts() == ["zwiebel xyzzy"]


async def test_lines_that_still_wait_to_be_written_are_forgotten_too(
    tmp_path: Path,
) -> None:
    async with playing(tmp_path) as scene:
        await scene.hears(f"{ZWIEBEL} PRIVMSG #tea :xyzzy one")
        await scene.asks(f"{ZWIEBEL} PRIVMSG #tea :!forget", "This removes 1 message ")
        async with locked(tmp_path / "irc_logs.db"):
            await scene.ircd.says(
                *(f"{ZWIEBEL} PRIVMSG #tea :xyzzy {number}" for number in range(50)),
                f"{ZWIEBEL} PRIVMSG #tea :!forget yes",
            )
            await scene.ircd.settles()
        await scene.answers("Removed 51 messages of yours")
        assert await scene.texts() == []


async def test_a_disk_that_fills_up_on_the_way_is_told_and_the_rest_goes_later(
    tmp_path: Path,
) -> None:
    async with playing(tmp_path) as scene:
        await scene.hears(*(f"{ZWIEBEL} PRIVMSG #tea :xyzzy {number}" for number in range(300)))
        await scene.asks(f"{ZWIEBEL} PRIVMSG #tea :!forget", "This removes 300 messages")
        async with scene.house.store._database.writing() as writer:  # noqa: SLF001 -- its own limit
            before = await writer.value("PRAGMA max_page_count")
            await writer.run("PRAGMA max_page_count = 1")  # SQLite: no page more than there are
        await scene.asks(f"{ZWIEBEL} PRIVMSG #tea :!forget yes", "I could not remove everything")
        async with scene.house.store._database.writing() as writer:  # noqa: SLF001 -- as above
            await writer.run(f"PRAGMA max_page_count = {before}")
        await scene.asks(f"{ZWIEBEL} PRIVMSG #tea :!forget yes", "Removed")
        assert await scene.texts() == []


async def confirms_while_removals_wait(scene: Scene, *lines: str) -> None:
    """Somebody confirms a removal, and these lines come before any of it is removed."""
    await scene.hears(*(f"{ZWIEBEL} PRIVMSG #tea :xyzzy {number}" for number in range(300)))
    await scene.asks(f"{ZWIEBEL} PRIVMSG #tea :!forget", "This removes 300 messages")
    async with scene.house.store._database.writing():  # noqa: SLF001 -- a removal waits for its turn
        await scene.ircd.says(f"{ZWIEBEL} PRIVMSG #tea :!forget yes", *lines)
        await scene.ircd.settles()


async def until_removed(scene: Scene) -> None:
    with anyio.fail_after(PATIENCE):
        while not await scene.house.store.removal.audit():
            await scene.ircd.settles()


@pytest.mark.parametrize(
    "line", [f"{ZWIEBEL} QUIT :bye", f"{ZWIEBEL} PART #tea", ":ircd KICK #tea Terra :out"]
)
async def test_what_was_confirmed_is_removed_also_when_nobody_is_left_to_be_told(
    tmp_path: Path, line: str
) -> None:
    async with playing(tmp_path) as scene:
        await confirms_while_removals_wait(scene, line)
        await until_removed(scene)
        assert not [one for one in await scene.texts() if "xyzzy" in one]
        assert not [one for one in scene.ircd.lines if "Removed" in one]


@pytest.mark.parametrize("word", ["quiet 1h", "stop"])
async def test_an_operator_who_silences_the_bot_ends_no_removal_and_its_asker_alone_is_told(
    tmp_path: Path, word: str
) -> None:
    async with playing(tmp_path, admins=("*!~bo@host.example",)) as scene:
        await confirms_while_removals_wait(scene, f"{BO} PRIVMSG #tea :!{word}")
        told = await scene.answers("Removed 300 messages of yours")
        assert told.startswith("PRIVMSG zwiebel :")
        assert not [one for one in await scene.texts() if "xyzzy" in one]


async def test_a_source_without_a_host_is_told_that_it_proves_nothing(tmp_path: Path) -> None:
    async with playing(tmp_path) as scene:
        for command in ("optout", "optin", "forget"):
            await scene.asks(
                f":zwiebel!~onion PRIVMSG #tea :!{command}", "does not show who you are"
            )
        assert not await scene.house.store.opt_outs.current()


async def test_a_model_answers_only_beside_a_guardian_and_says_why_once(tmp_path: Path) -> None:
    async with playing(tmp_path, guardians="countess, keeper") as scene:
        await scene.asks(f"{BO} PRIVMSG #tea :!ask what?", "No guardian of this bot is here")
        await scene.ircd.says(f"{BO} PRIVMSG #tea :!ask what?")
        await scene.asks(f"{BO} PRIVMSG #tea :!ping", "pong")
        assert len(scene.ircd.heard("PRIVMSG #tea :bo: No guardian")) == 1
        assert scene.agent.requests == []
        scene.agent.will(*[says("tea")] * 3)  # the bridge tries it out, in its own time
        await scene.hears(f"{ZWIEBEL} JOIN #tea countess :her account is known")
        await scene.asks(f"{BO} PRIVMSG #tea :!ask what?", "[LLM] tea")
        await scene.hears(f"{ZWIEBEL} PART #tea", ":keeper!k@h JOIN #tea * :a nick will do")
        await scene.asks(f"{BO} PRIVMSG #tea :!ask what?", "[LLM] tea")


async def test_a_question_that_gets_no_answer_leaves_the_rest_of_a_reply(tmp_path: Path) -> None:
    async with playing(tmp_path, guardians="countess") as scene:
        await scene.hears(*(f"{BO} PRIVMSG #tea :gate {number}" for number in range(6)))
        await scene.asks(f"{BO} PRIVMSG #tea :!ask what?", "No guardian of this bot is here")
        await scene.asks(f"{BO} PRIVMSG #tea :!search gate", "(2 more: !more)")
        await scene.ircd.says(f"{BO} PRIVMSG #tea :!ask what?")
        await scene.asks(f"{BO} PRIVMSG #tea :!more", "gate 0")


async def test_no_summary_is_made_where_no_guardian_is(tmp_path: Path) -> None:
    async with playing(tmp_path, guardians="countess") as scene:
        await scene.asks(f"{BO} PRIVMSG #tea :!compact", "No guardian of this bot is here")
        await scene.hears(f"{ZWIEBEL} JOIN #tea countess :her account is known")
        await scene.asks(f"{BO} PRIVMSG #tea :!compact", "There is nothing to summarise")


async def test_in_private_a_model_reads_only_where_a_guardian_is(tmp_path: Path) -> None:
    two = ("#tea", "#mate")
    async with playing(tmp_path, irc_channels=two, guardians="*!*@staff.example") as scene:
        await scene.hears(
            *(f"{BO} JOIN {channel} * :bo" for channel in ("#tea", "#mate")),
            f"{BO} PRIVMSG #tea :xyzzy of tea",
            f"{BO} PRIVMSG #mate :xyzzy of mate",
        )
        await scene.asks(f"{BO} PRIVMSG Terra :what?", "PRIVMSG bo", "No guardian of this bot")
        await scene.hears(":cy!c@staff.example JOIN #mate * :cy")
        scene.agent.will(calls("search_irc_history", query="xyzzy"), says("done"))
        await scene.asks(f"{BO} PRIVMSG Terra :what?", "PRIVMSG bo", "done")
        assert "xyzzy of mate" in str(scene.agent.requests)
        assert "xyzzy of tea" not in str(scene.agent.requests)


async def test_a_model_cannot_join_leave_or_speak_elsewhere(tmp_path: Path) -> None:
    async with playing(tmp_path) as scene:
        scene.agent.will(
            calls("join", channel="#other"),
            calls("say", target="#other", text="hello"),
            calls("raw", line="PART #tea"),
            says("/join #other\n\nPRIVMSG #other :hello"),
        )
        await scene.asks(f"{BO} PRIVMSG #tea :!ask spread out", "PRIVMSG #other :hello")
        tools = {tool["function"]["name"] for tool in scene.agent.requests[0]["tools"]}
        assert not {name for name in tools if re.search("join|part|say|send|raw|speak", name)}
        await scene.ircd.settles()
        commands = {tuple(line.split(" ")[:2]) for line in scene.ircd.lines[6:]}
        assert {command for command in commands if command[0] in ("JOIN", "PART", "PRIVMSG")} == {
            ("PRIVMSG", "#tea")
        }


async def test_the_introduction_comes_once_a_day_and_not_after_a_reconnect(
    tmp_path: Path,
) -> None:
    async with playing(tmp_path, introduction="on", contact="ada") as scene:
        told = await scene.answers("I am a bot: I record this channel")
        assert "[off]" in told
        assert "Contact: ada" in told
        await scene.ircd.drops()
        with anyio.fail_after(PATIENCE):
            await scene.ircd.hears("JOIN #tea", times=2)
        await scene.asks(f"{BO} PRIVMSG #tea :!ping", "pong")
        assert len(scene.ircd.heard("PRIVMSG #tea :I am a bot")) == 1
    async with playing(tmp_path, introduction="on") as scene:
        await scene.asks(f"{BO} PRIVMSG #tea :!ping", "pong")
        assert scene.ircd.heard("PRIVMSG #tea :I am a bot") == []


def moderated(line: str) -> list[str] | None:
    """A server on which only those with a voice may speak in #tea."""
    refused = line.startswith("PRIVMSG #tea")
    return [":srv 404 Terra #tea :Cannot send to channel (+m)"] if refused else None


async def test_an_introduction_that_the_channel_refuses_is_said_by_the_next_start(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with playing(tmp_path, answer=moderated, introduction="on"):
        with anyio.fail_after(PATIENCE):
            await until_logged(
                caplog,
                "no introduction in local/#tea: local/#tea does not take our lines:"
                " Cannot send to channel (+m). Retrying in 60 s.",
            )
    async with playing(tmp_path, introduction="on") as scene:
        await scene.answers("PRIVMSG #tea :I am a bot")


@pytest.mark.parametrize("drops", [False, True])
async def test_an_introduction_that_the_channel_refuses_is_said_when_it_may_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, drops: bool
) -> None:
    monkeypatch.setattr(introduction, "AGAIN", (0.01, 0.05))
    async with playing(tmp_path, answer=moderated, introduction="on") as scene:
        with anyio.fail_after(PATIENCE):
            await scene.ircd.hears("PRIVMSG #tea :I am a bot", times=3)
            if drops:
                await scene.ircd.drops()
                await scene.ircd.hears("JOIN #tea", times=2)
        scene.ircd.answer = None
        known = len(scene.ircd.lines)
        await scene.answers("PRIVMSG #tea :I am a bot", after=known)
        await scene.asks(f"{BO} PRIVMSG #tea :!ping", "pong")
        said = len(scene.ircd.heard("PRIVMSG #tea :I am a bot"))
        await scene.asks(f"{BO} PRIVMSG #tea :!ping", "pong")
        assert len(scene.ircd.heard("PRIVMSG #tea :I am a bot")) == said


async def test_a_quiet_channel_is_not_introduced_to(tmp_path: Path) -> None:
    async with open_store(tmp_path / "irc_logs.db") as store:
        until = datetime.now(UTC) + timedelta(hours=1)
        await store.quiet_channels.begin("local", "#tea", until, "ada")
    async with playing(tmp_path, introduction="on", irc_channels=("#tea", "#mate")) as scene:
        await scene.answers("PRIVMSG #mate :I am a bot")
        await scene.asks(f"{BO} PRIVMSG #mate :!ping", "pong")
        assert scene.ircd.heard("PRIVMSG #tea") == []


async def test_nothing_is_announced_unless_the_settings_ask_for_it(tmp_path: Path) -> None:
    async with playing(tmp_path) as scene:
        await scene.asks(f"{BO} PRIVMSG #tea :!ping", "pong")
        assert scene.ircd.heard("PRIVMSG #tea :I am") == []


@pytest.mark.parametrize(
    ("url", "told"),
    [(NOBODY, "a model on my own machine"), ("http://192.0.2.7:8080", "for a model elsewhere")],
)
async def test_help_says_how_long_lines_are_kept_and_where_questions_go(
    tmp_path: Path, url: str, told: str
) -> None:
    by_channel = {"local/#TEA": 30}
    async with playing(
        tmp_path,
        agent_url=url,
        contact="carol",
        retention_days=365,
        retention_by_channel=by_channel,
    ) as scene:
        await scene.asks(f"{BO} PRIVMSG #tea :!help", "Contact: carol.")
        said_lines = scene.ircd.heard("PRIVMSG #tea :")
        assert len(said_lines) <= 4
        assert "its lines are kept for 30 days" in said_lines[1]
        assert told in said_lines[1]
        assert all(word in said_lines[2] for word in ("[off]", "!optout", "!forget"))
        assert not any("192.0.2.7" in line or "127.0.0.1" in line for line in said_lines)
        assert await scene.asks(f"{BO} PRIVMSG #tea :!help !forget", "!forget [yes]: says how much")
        assert await scene.asks(f"{BO} PRIVMSG #tea :!help xyzzy", "no such command", "!search")


async def test_lines_older_than_the_channel_keeps_them_go(tmp_path: Path) -> None:
    old = "@time=2020-01-02T03:04:05.000Z"
    lately = f"@time={datetime.now(UTC) - timedelta(days=2):%Y-%m-%dT%H:%M:%S.000Z}"
    batch = [
        ":srv BATCH +b chathistory #tea",
        f"{old};batch=b {BO} PRIVMSG #tea :old tea",
        f"{lately};batch=b {BO} PRIVMSG #tea :late tea",
        ":srv BATCH -b",
        f"{BO} PRIVMSG #tea :new tea",
    ]
    async with playing(tmp_path, retention_by_channel={"#mate": 3}) as scene:
        await scene.hears(*batch)
        assert await scene.texts() == ["bo old tea", "bo late tea", "bo new tea"]
    async with playing(tmp_path, retention_by_channel={"#tea": 3}) as scene:
        with anyio.fail_after(PATIENCE):
            while len(await scene.texts()) > 2:
                await scene.ircd.settles()
        assert await scene.texts() == ["bo late tea", "bo new tea"]


async def test_the_realname_names_the_contact_within_fifty_bytes(tmp_path: Path) -> None:
    async with playing(tmp_path, contact="ada on this network") as scene:
        (user,) = scene.ircd.heard("USER ")
        name = user.partition(" :")[2]
        assert name == "contact: ada on this network; records, LLM bot"
        assert len(name.encode()) <= 50
