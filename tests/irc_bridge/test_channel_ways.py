"""What the bot does in a channel, who may ask there and as whom it answers, on real servers."""

import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest

from terrarium_mcp.cli.starting.bridge_runner import claimed_channels
from terrarium_mcp.irc_bridge.answer.persona import RULES
from terrarium_mcp.irc_bridge.ask import notices
from terrarium_mcp.settings import ChannelTable, Settings
from terrarium_mcp.settings.personas import Persona
from terrarium_mcp.store import AlreadyRecorded, open_store
from tests.irc_bridge.house import QUICK, House, bytes_of, living, settings_for
from tests.patience import PATIENCE
from tests.servers.agent import StrictAgent, calls, hangs, says, strict_agent
from tests.servers.fake_ircd import ISUPPORT, FakeIrcd, fake_ircd
from tests.servers.ircd import Ircd
from tests.servers.person import person

ADA, BO = ":ada!a@host.example", ":bo!b@host.example"
RECORD = ChannelTable("", "#tea", "record")
REFLEXES = replace(QUICK, burst=1000, reflex=PATIENCE)
"""No pace of the network; what other programs say within the patience counts as a reflex."""

ANSWER = ChannelTable("", "#tea", "answer")


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refusals are gathered for a moment only."""
    monkeypatch.setattr(notices, "GATHERED", 0.1)


def ways(
    ircd: Ircd | int, folder: Path, *tables: ChannelTable, agent: str = "", **more: Any
) -> Settings:
    url = {"agent_url": agent} if agent else {}
    return settings_for(ircd, folder, **url, **more).with_channel_tables(tables)


def persona(text: str) -> Persona:
    return Persona(Path("persona.txt"), text)


def rows(database: Path, table: str) -> list[tuple[Any, ...]]:
    """Everything that a table holds."""
    with closing(sqlite3.connect(database)) as connection:
        return connection.execute(f"SELECT * FROM {table}").fetchall()  # noqa: S608 -- a name of ours


async def member_lists_are_written(database: Path) -> None:
    """Wait until they are: one write follows the other, so that the first one shows them all."""
    while not rows(database, "presence"):  # noqa: ASYNC110 -- a table tells nobody
        await anyio.sleep(0.01)


def said(ircd: FakeIrcd, *words: str) -> list[str]:
    """The lines of the bot with these words."""
    lines = [line for line in ircd.lines if line.startswith(("PRIVMSG", "NOTICE"))]
    return [line for line in lines if all(word in line for word in words)]


async def asks(ircd: FakeIrcd, line: str, *expected: str) -> str:
    """Somebody says a line; returns the first new line of the bot with these words."""
    known = len(said(ircd, *expected))
    await ircd.says(line)
    with anyio.fail_after(PATIENCE):
        while len(found := said(ircd, *expected)) <= known:
            await ircd.news.wait()
    return found[known]


@asynccontextmanager
async def answering(folder: Path) -> AsyncIterator[tuple[StrictAgent, FakeIrcd, House]]:
    """A bridge with a model, on a fake server, in channels that have no ways of their own."""
    async with (
        strict_agent() as agent,
        fake_ircd() as ircd,
        living(ways(ircd.port, folder, agent=agent.url)) as house,
    ):
        yield agent, ircd, house


async def test_two_channels_answer_as_two_people_and_both_keep_our_rules_last(
    ircd: Ircd, tmp_path: Path
) -> None:
    librarian = ChannelTable("local", "#tea", persona=persona("You are {nick}, a librarian. {x}"))
    host = ChannelTable("", "#MATE", persona=persona("Du bist der Gastgeber von {channel}."))
    async with (
        strict_agent() as agent,
        person("ada", ircd.port) as ada,
        living(ways(ircd, tmp_path, librarian, host, agent=agent.url)),
    ):
        agent.will("Shelf four.", "Herzlich willkommen!", "Hello.")
        with anyio.fail_after(PATIENCE):
            for channel in ("#tea", "#mate"):
                await ada.joins(channel)
            await ada.types("PRIVMSG #tea :!ask where is the key?")
            await ada.sees("PRIVMSG #tea :ada: [LLM] Shelf four.")
            await ada.types("PRIVMSG #mate :!ask where is the key?")
            await ada.sees("PRIVMSG #mate :ada: [LLM] Herzlich willkommen!")
            await ada.types("PRIVMSG Terra :where is the key?")
            await ada.sees("PRIVMSG ada :[LLM] Hello.")
    systems = [request["messages"][0] for request in agent.requests]
    assert [one["role"] for one in systems] == ["system"] * 3
    assert [one["content"] for one in systems] == [
        f"You are Terra, a librarian. {{x}}\n\n{RULES}",
        f"Du bist der Gastgeber von the IRC channel #mate.\n\n{RULES}",
        (
            "You are Terra, a helpful member of a private chat on IRC. Answer in the language of"
            f" the question.\n{RULES}"
        ),
    ]


async def test_in_a_channel_that_is_only_recorded_nothing_is_answered(
    ircd: Ircd, tmp_path: Path
) -> None:
    async with (
        strict_agent() as agent,
        person("ada", ircd.port) as ada,
        living(ways(ircd, tmp_path, RECORD, agent=agent.url)) as house,
    ):
        with anyio.fail_after(PATIENCE):
            await ada.joins("#tea")
            for unanswered in (
                "!ask who?",
                "Terra: who?",
                "!ping",
                "!search tea",
                "!serch",
                "!stop",
            ):
                await ada.types(f"PRIVMSG #tea :{unanswered}")
            await ada.types("PRIVMSG #tea :!help")
            told = await ada.sees("PRIVMSG ada :", "I remember what is said in #tea")
            kept = await ada.sees("PRIVMSG ada :", "#tea is recorded")
            await ada.types("PRIVMSG #tea :!optout")
            await ada.sees("PRIVMSG ada :", "From now on nothing of you is recorded")
            await ada.types("PRIVMSG #tea :!optin")
            await ada.sees("PRIVMSG ada :", "What you say is recorded.")
            await house.has_heard(ada)
        lines = [line.text for line in await house.lines("#tea")]
    assert "answer nobody there: ask me here, in private. !terrarium" in told
    assert "its lines are kept" in kept
    assert lines[:3] == ["!ask who?", "Terra: who?", "!ping"]
    assert not agent.requests
    assert not [line for line in ada.lines if ":Terra!" in line and "PRIVMSG #tea" in line]


async def test_what_was_recorded_where_nothing_is_answered_is_found_in_private(
    ngircd: Ircd, tmp_path: Path
) -> None:
    async with (
        person("ada", ngircd.port) as ada,
        living(ways(ngircd, tmp_path, RECORD)) as house,
    ):
        with anyio.fail_after(PATIENCE):
            await ada.joins("#tea")
            await ada.types("PRIVMSG #tea :the greenhouse heater is broken")
            await house.has_heard(ada)
            await ada.types("PRIVMSG Terra :search greenhouse")
            assert "heater is broken" in await ada.sees("PRIVMSG ada :", "greenhouse")


async def test_where_private_chats_are_off_help_names_no_place_to_ask(tmp_path: Path) -> None:
    async with (
        fake_ircd() as ircd,
        living(ways(ircd.port, tmp_path, RECORD, private="off")),
    ):
        told = await asks(ircd, f"{ADA} PRIVMSG #tea :!help", "PRIVMSG ada :", "I remember")
        assert "I remember what is said in #tea and answer nobody there. !terrarium" in told


async def test_of_a_channel_that_is_only_answered_in_no_byte_is_written(
    ircd: Ircd, tmp_path: Path
) -> None:
    async with (
        strict_agent() as agent,
        person("ada", ircd.port) as ada,
        living(ways(ircd, tmp_path, ANSWER, agent=agent.url, say_trouble="on")) as house,
        person("zwiebelzoe", ircd.port) as zoe,
    ):
        agent.will(calls("search_irc_history", query="zwiebel"), "Only the zwiebelblume knows.")
        with anyio.fail_after(PATIENCE):
            for channel in ("#tea", "#mate"):
                await ada.joins(channel)
            await zoe.joins("#tea")
            await zoe.types(
                "PRIVMSG #tea :the zwiebel is in the shed",
                "NOTICE #tea :zwiebel again",
                "PRIVMSG #tea :\x01ACTION peels the zwiebel\x01",
                "PRIVMSG #tea :!ask where is the zwiebel?",
            )
            await zoe.sees("PRIVMSG #tea :zwiebelzoe: [LLM] Only the zwiebelblume knows.")
            await zoe.types("PRIVMSG #tea :!search zwiebel")
            await zoe.sees("zwiebelzoe: Nothing that is said here is recorded")
            await zoe.types("NICK zwiebelzoey", "PART #tea :zwiebel soup")
            await ada.sees("PART", "zwiebel soup")
            await ada.types("PRIVMSG #mate :tea is ready")
            await house.has_heard(ada, "#mate")
            await member_lists_are_written(tmp_path / "irc_logs.db")
        (mate,) = await house.store.rooms.all()
        lines = [line.text for line in await house.lines()]
    assert (mate.channel, lines) == ("#mate", ["tea is ready"])
    assert b"zwiebel" not in bytes_of(tmp_path / "irc_logs.db")
    assert len(rows(tmp_path / "irc_logs.db", "spans")) == 1
    first, second = agent.requests
    assert "the zwiebel is in the shed" not in json.dumps(agent.requests)
    assert "where is the zwiebel?" in first["messages"][1]["content"]
    assert second["messages"][-1]["role"] == "tool"
    offered = {tool["function"]["name"] for tool in first["tools"]}
    assert "search_irc_history" in offered
    assert not offered & {"create_enhancement_request", "remember"}


async def test_what_was_recorded_before_is_not_shown_where_nothing_is_recorded_now(
    tmp_path: Path,
) -> None:
    async with fake_ircd() as ircd, living(ways(ircd.port, tmp_path)) as house:
        await ircd.says(f"{ADA} PRIVMSG #tea :the old kettle leaks")
        await ircd.settles()
        await house.bridge.flush()
    async with (
        strict_agent() as agent,
        fake_ircd() as ircd,
        living(ways(ircd.port, tmp_path, ANSWER, agent=agent.url)),
    ):
        agent.will(calls("search_irc_history", query="kettle"), "I do not know.")
        await asks(ircd, f"{ADA} PRIVMSG #tea :!ask which kettle?", "I do not know.")
        for command in ("search kettle", "recent", "clear", "catchup"):
            await asks(ircd, f"{ADA} PRIVMSG #tea :!{command}", "recorded or remembered")
        status = await asks(ircd, f"{ADA} PRIVMSG #tea :!status", "ada: Up for ")
        found = await asks(ircd, f"{ADA} PRIVMSG Terra :search kettle", "PRIVMSG ada :")
    assert "old kettle leaks" not in json.dumps(agent.requests)
    assert "the old kettle leaks" in found
    assert "Nothing that is said here is recorded. No trouble with the model." in status


async def test_help_and_introduction_do_not_say_that_an_answer_only_channel_is_recorded(
    tmp_path: Path,
) -> None:
    async with (
        fake_ircd() as ircd,
        living(ways(ircd.port, tmp_path, ANSWER, introduction="on", contact="carol")),
    ):
        with anyio.fail_after(PATIENCE):
            await ircd.hears("PRIVMSG #tea :I am a bot")
            await ircd.hears("PRIVMSG #mate :I am a bot")
        await asks(ircd, f"{ADA} PRIVMSG #tea :!help", "Contact: carol.", "!optout")
        await asks(ircd, f"{ADA} PRIVMSG #mate :!help", "#mate", "Contact: carol.", "!optout")
        await asks(ircd, f"{ADA} PRIVMSG Terra :help", "PRIVMSG ada :", "!optout: nothing")
        tea, mate = said(ircd, "PRIVMSG #tea :"), said(ircd, "PRIVMSG #mate :")
        private = said(ircd, "PRIVMSG ada :")
    (hello,) = [line for line in tea if "I am a bot" in line]
    assert hello == (
        "PRIVMSG #tea :I am a bot: a language model answers questions here (!help). Nothing that is"
        " said here is recorded. Contact: carol."
    )
    purpose, kept, consent = [line for line in tea if line != hello]
    assert "ada: I answer questions here. !terrarium" in purpose
    assert "Nothing that is said in this channel is recorded." in kept
    assert "the question alone goes to a model on my own machine." in kept
    assert "!optout and !forget are for the channels where I record." in consent
    assert any("I record this channel" in line for line in mate)
    assert any("This channel is recorded;" in line for line in mate)
    assert "!help in a channel says whether that one is." in " ".join(private)


async def test_a_channel_that_is_only_recorded_is_introduced_to_without_a_promise_of_answers(
    tmp_path: Path,
) -> None:
    async with (
        fake_ircd() as ircd,
        living(ways(ircd.port, tmp_path, RECORD, introduction="on")),
    ):
        with anyio.fail_after(PATIENCE):
            await ircd.hears("PRIVMSG #tea :I am a bot")
        (hello,) = said(ircd, "PRIVMSG #tea :")
    assert "I record this channel, and do not answer here (!help)." in hello


async def test_off_record_lines_and_consent_are_as_everywhere_where_nothing_is_recorded(
    tmp_path: Path,
) -> None:
    async with (
        strict_agent() as agent,
        fake_ircd() as ircd,
        living(ways(ircd.port, tmp_path, ANSWER, agent=agent.url)) as house,
    ):
        agent.will("Yes.")
        await asks(
            ircd, f"{ADA} PRIVMSG #tea :!ask [off] who?", "PRIVMSG #tea :[off] ada: [LLM] Yes."
        )
        await asks(ircd, f"{ADA} PRIVMSG #tea :!optout", "#tea", "nothing of you is recorded")
        await ircd.says(f"{ADA} PRIVMSG #mate :the secret kettle", f"{BO} PRIVMSG #mate :hello")
        await ircd.settles()
        await house.bridge.flush()
        assert [line.text for line in await house.lines()] == ["hello"]


async def test_a_reload_begins_and_ends_the_record_of_a_channel(tmp_path: Path) -> None:
    async with fake_ircd() as ircd, living(ways(ircd.port, tmp_path)) as house:

        async def hears(text: str, *tables: ChannelTable | None) -> None:
            if tables:
                named = [one for one in tables if one]
                house.bridges.change_settings(house.settings.with_channel_tables(named))
            await ircd.says(f"{ADA} PRIVMSG #tea :{text}")
            await ircd.settles()
            await house.bridge.flush()

        await hears("one")
        await hears("two", ANSWER)
        await hears("three")
        await hears("four", RECORD)
        await hears("five", None)
        lines = [line.text for line in await house.lines("#tea")]
        (tea,) = [room for room in await house.store.rooms.all() if room.channel == "#tea"]
        spans = [row for row in rows(house.settings.db_path, "spans") if tea.id in row[:3]]
        assert not [line for line in ircd.lines if line.startswith("PART")]
        assert ircd.heard("JOIN") == ["JOIN #tea,#mate"]
    assert lines == ["one", "four", "five"]
    assert len(spans) == 2
    assert "no longer recorded, by the settings" in str(spans[0])
    assert "recorded from now on, by the settings" in str(spans[1])


async def test_an_answer_only_channel_that_is_no_longer_named_leaves_nothing(
    tmp_path: Path,
) -> None:
    async with fake_ircd() as ircd, living(ways(ircd.port, tmp_path, ANSWER)) as house:
        channels = tuple(one for one in house.settings.irc_channels if one.name != "#tea")
        fewer = house.settings.model_copy(update={"irc_channels": channels})
        house.bridges.change_settings(fewer.with_channel_tables([]))
        with anyio.fail_after(PATIENCE):
            await ircd.hears("PART #tea")
        await ircd.says(f"{ADA} PRIVMSG #tea :still here?")
        await ircd.settles()
        await house.bridge.flush()
        assert [room.channel for room in await house.store.rooms.all()] == ["#mate"]


async def test_only_people_with_a_rank_may_ask_where_the_table_says_so(
    ircd: Ircd, tmp_path: Path
) -> None:
    voiced = ChannelTable("", "#tea", askers="voiced")
    async with (
        strict_agent() as agent,
        person("ada", ircd.port) as ada,
        person("bo", ircd.port) as bo,
    ):
        agent.will("Ada.", "Bo.", "All.")
        with anyio.fail_after(PATIENCE):
            await ada.joins("#tea")  # the first, and so its operator
            await bo.joins("#tea")
            await bo.joins("#mate")
            async with living(ways(ircd, tmp_path, voiced, agent=agent.url)):
                await bo.types("PRIVMSG #tea :!ask who?", "PRIVMSG #tea :!ask who?")
                refused = await bo.sees("PRIVMSG #tea :bo: here only people with voice")
                await bo.types("PRIVMSG #tea :!ping")
                await bo.sees("PRIVMSG #tea :bo: pong")
                await ada.types("PRIVMSG #tea :!ask who?")
                await ada.sees("PRIVMSG #tea :ada: [LLM] Ada.")
                await ada.types("MODE #tea +v bo")
                await bo.sees("MODE #tea +v", "bo")
                await bo.types("PRIVMSG #tea :!ask who?")
                await bo.sees("PRIVMSG #tea :bo: [LLM] Bo.")
                await ada.types("MODE #tea -v bo")
                await bo.sees("MODE #tea -v", "bo")
                await bo.types("PRIVMSG #mate :!ask who?")  # where anyone may
                await bo.sees("PRIVMSG #mate :bo: [LLM] All.")
    assert refused.endswith("may ask me. Other commands work.")
    assert len([line for line in bo.lines if "only people" in line]) == 1


async def test_only_people_who_are_logged_in_may_ask_where_the_settings_say_so(
    tmp_path: Path,
) -> None:
    async with (
        strict_agent() as agent,
        fake_ircd(caps=("account-tag account-notify extended-join message-tags",)) as ircd,
        living(ways(ircd.port, tmp_path, agent=agent.url, askers="account")),
    ):
        agent.will("tag", "whox", "join", "notify")
        await ircd.says(f"{BO} JOIN #tea * :bo", ":cy!c@h JOIN #tea cyrus :cy")
        refused = await asks(ircd, f"{BO} PRIVMSG #tea :!compact", "logged in to services")
        await ircd.says(f"{BO} PRIVMSG #tea :!ask who?")
        await asks(ircd, f"@account=robert {BO} PRIVMSG #tea :!ask a?", "bo: [LLM] tag")
        whox = ":srv 354 Terra 542 #tea a host.example ada H@ countess"
        await asks(ircd, f"{whox}\r\n{ADA} PRIVMSG #tea :!ask b?", "ada: [LLM] whox")
        await asks(ircd, ":cy!c@h PRIVMSG #tea :!ask c?", "cy: [LLM] join")
        await ircd.says(":dee!d@h JOIN #tea * :dee", ":dee!d@h ACCOUNT dee")
        await asks(ircd, ":dee!d@h PRIVMSG #tea :!ask d?", "dee: [LLM] notify")
        await ircd.says(":dee!d@h ACCOUNT *", ":dee!d@h JOIN #mate * :dee")
        await asks(ircd, ":dee!d@h PRIVMSG #mate :!ask e?", "dee: only people who are logged in")
        assert "bo: only people who are logged in to services may ask me." in refused
    assert len(agent.requests) == 4


async def test_in_private_may_ask_who_may_in_a_channel_shared_with_the_bot(tmp_path: Path) -> None:
    tables = [ChannelTable("", channel, askers="voiced") for channel in ("#tea", "#mate")]
    async with (
        strict_agent() as agent,
        fake_ircd() as ircd,
        living(ways(ircd.port, tmp_path, *tables, agent=agent.url)),
    ):
        agent.will("Yes.", "Now.")
        await ircd.says(f"{BO} JOIN #tea", f"{BO} JOIN #mate")
        refused = await asks(ircd, f"{BO} PRIVMSG Terra :who?", "PRIVMSG bo :Here only")
        await asks(ircd, f"{BO} PRIVMSG Terra :ping", "PRIVMSG bo pong")
        await asks(ircd, f"{ADA} PRIVMSG Terra :who?", "PRIVMSG ada :[LLM] Yes.")
        await ircd.says(f"{ADA} MODE #mate +v bo")
        await asks(ircd, f"{BO} PRIVMSG Terra :and now?", "PRIVMSG bo :[LLM] Now.")
    assert refused.startswith("PRIVMSG bo :Here only people with voice, or a higher rank, may")


async def test_a_near_miss_is_answered_once_and_nothing_else_is_done(
    ircd: Ircd, tmp_path: Path
) -> None:
    async with (
        strict_agent() as agent,
        person("ada", ircd.port) as ada,
        living(ways(ircd, tmp_path, agent=agent.url)) as house,
    ):
        with anyio.fail_after(PATIENCE):
            await ada.joins("#tea")
            await ada.types("PRIVMSG #tea :!serch tea")
            told = await ada.sees("PRIVMSG #tea :ada: Did you mean")
            others = ("!serch tea", "!weather", ".serch", "~help", "!top", "hlep")
            await ada.types(*(f"PRIVMSG #tea :{other}" for other in others))
            await ada.types("PRIVMSG Terra :!serch tea", "PRIVMSG Terra :!hlep")
            await ada.sees("PRIVMSG ada :", "Did you mean !help?")
            await ada.types("PRIVMSG #tea :!ping")
            await ada.sees("PRIVMSG #tea :ada: pong")
            await house.has_heard(ada)
        lines = [line.text for line in await house.lines("#tea")]
    assert told.endswith("PRIVMSG #tea :ada: Did you mean !search?")
    assert len([line for line in ada.lines if "Did you mean" in line]) == 2
    assert lines[:2] == ["!serch tea", "ada: Did you mean !search?"]
    assert not agent.requests


async def test_a_near_miss_counts_as_what_a_program_says(tmp_path: Path) -> None:
    words = ["!serch", "!saerch", "!sarch", "!seach", "!searhc", "!earch"]
    async with (
        fake_ircd() as ircd,
        living(ways(ircd.port, tmp_path), timeouts=REFLEXES),
    ):
        for word in words[:3]:
            await asks(ircd, f"{ADA} PRIVMSG #tea :{word}", "ada: Did you mean !search?")
        await asks(ircd, f"{ADA} PRIVMSG #tea :{words[3]}", "that is faster than a person")


@pytest.mark.parametrize("prefix", ["t!", "terra ", "\u00bb"])
async def test_a_prefix_of_several_characters_serves_in_every_text(
    tmp_path: Path, prefix: str
) -> None:
    async with (
        fake_ircd() as ircd,
        living(ways(ircd.port, tmp_path, command_prefix=prefix)) as house,
    ):
        await asks(ircd, f"{ADA} PRIVMSG #tea :{prefix}ping", "#tea :ada: pong")
        await asks(ircd, f"{ADA} PRIVMSG #tea :{prefix}help", f"{prefix}help search explains")
        await asks(
            ircd, f"{ADA} PRIVMSG #tea :{prefix}help {prefix}search", f"{prefix}search WORDS:"
        )
        await asks(ircd, f"{ADA} PRIVMSG #tea :{prefix}search [off] kettle", "[off] ada: Nothing")
        await asks(ircd, f"{ADA} PRIVMSG Terra :help {prefix}search", "PRIVMSG ada :", "WORDS:")
        await asks(ircd, f"{ADA} PRIVMSG Terra :{prefix}forget", "PRIVMSG ada :")
        await house.bridge.flush()
        lines = [line.text for line in await house.lines("#tea") if not line.own]
        commands = await house.toolbox.call(
            "search_irc_history",
            {"query": "is:command", "format": "json"},
            {"network": "local", "channel": "#tea"},
        )
    assert lines == [f"{prefix}ping", f"{prefix}help", f"{prefix}help {prefix}search"]
    assert len(commands.facts["messages"]) == 3


async def test_a_reload_changes_who_answers_and_whom(tmp_path: Path) -> None:
    async with answering(tmp_path) as (agent, ircd, house):
        agent.will("One.", "Two.")
        await asks(ircd, f"{ADA} PRIVMSG #tea :!ask who are you?", "[LLM] One.")
        changed = house.settings.model_copy(update={"persona": persona("You are a kettle.")})
        house.bridges.change_settings(changed)
        await asks(ircd, f"{ADA} PRIVMSG #tea :!ask and now?", "[LLM] Two.")
        house.bridges.change_settings(changed.model_copy(update={"askers": "account"}))
        await asks(ircd, f"{ADA} PRIVMSG #tea :!ask and now?", "ada: only people who are logged in")
    one, two = (request["messages"][0]["content"] for request in agent.requests)
    assert one.startswith("You are Terra, a helpful member of")
    assert two == f"You are a kettle.\n\n{RULES}"


async def test_where_a_reload_ends_answers_none_is_given_to_what_was_asked_before(
    tmp_path: Path,
) -> None:
    async with answering(tmp_path) as (agent, ircd, house):
        agent.will(hangs(says("Too late.")), "In #mate.")
        await ircd.says(f"{ADA} PRIVMSG #tea :!ask who?", f"{BO} PRIVMSG #tea :!ask who waits?")
        waits = "PRIVMSG #tea :bo: one moment, other questions come first."
        with anyio.fail_after(PATIENCE):
            await agent.asked(1)
            await ircd.hears(waits)
        house.bridges.change_settings(house.settings.with_channel_tables([RECORD]))
        agent.release()
        await asks(ircd, f"{ADA} PRIVMSG #mate :!ask and here?", "[LLM] In #mate.")
        assert said(ircd, "PRIVMSG #tea") == [waits]


async def test_where_a_reload_ends_the_record_the_answer_in_work_leaves_nothing_there(
    tmp_path: Path,
) -> None:
    async with answering(tmp_path) as (agent, ircd, house):
        agent.will(hangs(says("It was xyzzy.")), "Nothing.")
        await ircd.says(f"{ADA} PRIVMSG #tea :!ask who?")
        with anyio.fail_after(PATIENCE):
            await agent.asked(1)
        house.bridges.change_settings(house.settings.with_channel_tables([ANSWER]))
        agent.release()
        with anyio.fail_after(PATIENCE):
            await ircd.hears("PRIVMSG #tea :ada: [LLM] It was xyzzy.")
        await asks(ircd, f"{ADA} PRIVMSG #tea :!ask so?", "#tea", "[LLM] Nothing.")
    assert b"xyzzy" not in bytes_of(tmp_path / "irc_logs.db")


async def test_only_what_is_recorded_is_claimed_for_this_process(tmp_path: Path) -> None:
    settings = ways(6667, tmp_path, ANSWER)
    async with (
        open_store(settings.db_path, settings) as store,
        claimed_channels(store, settings),
        claimed_channels(store, only(settings, "#tea")),
    ):
        with pytest.raises(AlreadyRecorded, match="#mate"):
            async with claimed_channels(store, only(settings, "#mate")):
                pytest.fail("it was claimed twice")


def only(settings: Settings, name: str) -> Settings:
    """The same settings with one of their channels, as another process may have them."""
    channels = tuple(one for one in settings.irc_channels if one.name == name)
    return settings.model_copy(update={"irc_channels": channels}).with_channel_tables([])


async def test_what_is_replayed_of_an_answer_only_channel_is_not_written_either(
    tmp_path: Path,
) -> None:
    caps = ("batch server-time message-tags draft/chathistory",)
    async with (
        fake_ircd(caps=caps, isupport=f"{ISUPPORT} CHATHISTORY=100") as ircd,
        living(ways(ircd.port, tmp_path, ANSWER)) as house,
    ):
        at = "@time=2026-01-02T03:04:05.000Z;batch=b"
        for channel in ("#tea", "#mate"):
            await ircd.says(
                f":srv BATCH +b chathistory {channel}",
                f"{at} {BO} PRIVMSG {channel} :said before",
                ":srv BATCH -b",
            )
        await ircd.settles()
        with anyio.fail_after(PATIENCE):
            await ircd.hears("CHATHISTORY")
        await house.bridge.flush()
        lines = await house.lines()
        asked_for = [line for line in ircd.lines if line.startswith("CHATHISTORY")]
        spans = rows(house.settings.db_path, "spans")
    assert [(line.room.channel, line.text) for line in lines] == [("#mate", "said before")]
    assert [line.split()[2] for line in asked_for] == ["#mate"]
    assert len(spans) == 1


async def test_that_nothing_can_be_recorded_is_said_only_where_something_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("terrarium_mcp.irc_bridge.record.trouble_notice.SAID_AFTER", 0.1)
    monkeypatch.setattr("terrarium_mcp.irc_bridge.record.trouble_notice.OVER_AFTER", 0.1)
    async with (
        fake_ircd() as ircd,
        living(ways(ircd.port, tmp_path, ANSWER, say_trouble="on")) as house,
    ):
        writer = house.store._database._writer  # noqa: SLF001 -- as a disk mounted read-only
        assert writer
        with anyio.fail_after(PATIENCE):
            await writer.execute_fetchall("PRAGMA query_only=ON")
            await ircd.says(f"{BO} PRIVMSG #mate :hello")
            await ircd.hears("PRIVMSG #mate :I cannot record at the moment.")
            await writer.execute_fetchall("PRAGMA query_only=OFF")
            await ircd.hears("PRIVMSG #mate :I am recording again")
        assert not said(ircd, "#tea")
