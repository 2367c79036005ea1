"""What the bot is in the middle of outlives silence, restarts and a failing disk; not `!clear`."""

import re
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio import to_thread

from terrarium_mcp.chat.identity import Identity
from terrarium_mcp.irc_bridge.dialogue import unwritten
from terrarium_mcp.irc_bridge.talk_log.record import Outcome, record_from_json
from terrarium_mcp.store import (
    DialoguePlace,
    DialogueTurn,
    Store,
    TurnState,
    open_store,
)
from tests.irc_bridge.house import House, bytes_of, living, settings_for
from tests.irc_bridge.test_bridge import playing
from tests.patience import PATIENCE
from tests.servers.agent import (
    Answer,
    StrictAgent,
    calls,
    calls_all,
    hangs,
    says,
    strict_agent,
)
from tests.servers.fake_ircd import FakeIrcd, fake_ircd
from tests.servers.ircd import Ircd
from tests.servers.logs import until_logged
from tests.servers.person import person
from tests.servers.search_service import search_service
from tests.store.scene import rows_of

TEA = DialoguePlace("local", "#tea")
STATES = "SELECT question, state FROM dialogue_turns ORDER BY dialogue, number"


def spoken(request: dict[str, Any]) -> list[str]:
    """The messages of a request after the system message, without those of tools."""
    return [one["content"] for one in request["messages"][1:] if one["role"] != "tool"]


def questions(request: dict[str, Any]) -> list[str]:
    """The texts of the questions in a request, the past ones first."""
    found = (re.findall(r"<question [^>]*>(.*)</question>", text) for text in spoken(request))
    return [text for each in found for text in each]


def check_valid(request: dict[str, Any]) -> None:
    """Every tool message follows its call, and every call has its result."""
    waiting: list[str] = []
    for message in request["messages"]:
        if message["role"] == "tool":
            assert message["tool_call_id"] == waiting.pop(0)
            continue
        assert not waiting
        waiting = [call["id"] for call in message.get("tool_calls", ())]
    assert not waiting


def turn(
    number: int, question: str, answer: str = "yes", *, asked_at: datetime | None = None
) -> DialogueTurn:
    """A turn of ada's that ended, just now or before."""
    ada = Identity("local", "ada", "ada", "example.org")
    at = asked_at or datetime.now(UTC)
    return DialogueTurn(number, 1, at, ada, question, answer=answer, state=TurnState.DONE)


async def has_stored(file: Path, *states: tuple[str, str]) -> None:
    """Wait until these are the turns on disk."""
    with anyio.fail_after(PATIENCE):
        while rows_of(file, STATES) != list(states):  # noqa: ASYNC110 -- the file tells nothing
            await anyio.sleep(0.02)


async def test_a_follow_up_is_sent_with_what_it_follows(ngircd: Ircd, tmp_path: Path) -> None:
    async with playing(ngircd, tmp_path) as scene:
        scene.agent.will(calls("search_irc_history", query="gate"), "bo fixed it", "on Tuesday")
        await scene.asks("!ask who fixed the gate?", "bo fixed it")
        await scene.asks("Terra: and when was that?", "on Tuesday")
    last = scene.agent.requests[-1]
    check_valid(last)
    assert questions(last) == ["who fixed the gate?", "and when was that?"]
    assert "bo fixed it" in spoken(last)
    assert sum("bo fixed it" in text for text in spoken(last)) == 1


async def test_what_was_looked_up_is_known_after_a_restart(ngircd: Ircd, tmp_path: Path) -> None:
    async with playing(ngircd, tmp_path) as scene:
        wanted = ("search_irc_history", '{"query": "gate"}'), ("get_current_users", "{}")
        scene.agent.will(calls_all(*wanted), "bo fixed it")
        await scene.asks("!ask who fixed the gate?", "bo fixed it")
        await has_stored(tmp_path / "irc_logs.db", ("who fixed the gate?", "done"))
    async with playing(ngircd, tmp_path) as scene:
        scene.agent.will("for gate")
        await scene.asks("!ask what did you just search for?", "for gate")
    (request,) = scene.agent.requests
    check_valid(request)
    assert questions(request) == ["who fixed the gate?", "what did you just search for?"]
    called = [call["function"] for one in request["messages"] for call in one.get("tool_calls", ())]
    assert [one["name"] for one in called] == ["search_irc_history", "get_current_users"]
    assert called[0]["arguments"] == '{"query": "gate"}'


async def test_what_was_cleared_stays_cleared_after_a_restart(ngircd: Ircd, tmp_path: Path) -> None:
    async with playing(ngircd, tmp_path) as scene:
        scene.agent.will("bo did", "eve did")
        await scene.asks("!ask who fixed the gate?", "bo did")
        await scene.asks("!ask who broke it?", "eve did")
        assert await scene.asks("!clear", "Cleared: 2 turns of our talk here.")
        assert await scene.asks("!clear", "There is nothing to clear")
    async with playing(ngircd, tmp_path) as scene:
        assert await scene.asks("!clear", "There is nothing to clear")
        scene.agent.will("hm")
        await scene.asks("!ask so?", "hm")
    (request,) = scene.agent.requests
    assert questions(request) == ["so?"]
    assert len(rows_of(tmp_path / "irc_logs.db", STATES)) == 3  # the rows stay


async def test_clear_right_after_a_restart_clears_what_was_before_it(
    ngircd: Ircd, tmp_path: Path
) -> None:
    async with playing(ngircd, tmp_path) as scene:
        scene.agent.will("bo did")
        await scene.asks("!ask who fixed the gate?", "bo did")
        await has_stored(tmp_path / "irc_logs.db", ("who fixed the gate?", "done"))
    async with playing(ngircd, tmp_path) as scene:
        assert await scene.asks("!clear", "Cleared: 1 turn of our talk here.")
        scene.agent.will("hm")
        await scene.asks("!ask so?", "hm")
    assert questions(scene.agent.requests[-1]) == ["so?"]


async def test_after_a_long_silence_the_talk_begins_anew_and_the_rows_stay(
    ngircd: Ircd, tmp_path: Path
) -> None:
    async with playing(ngircd, tmp_path) as scene:
        ago = datetime.now(UTC) - timedelta(hours=2, minutes=1)
        await scene.house.store.dialogues.put_turn(TEA, turn(1, "old?", asked_at=ago))
        scene.agent.will("a", "b")
        await scene.asks("!ask new?", "ada: [LLM] a")
        await scene.asks("!ask newer?", "ada: [LLM] b")
        await has_stored(
            tmp_path / "irc_logs.db", ("old?", "done"), ("new?", "done"), ("newer?", "done")
        )
    assert [questions(request) for request in scene.agent.requests] == [
        ["new?"],
        ["new?", "newer?"],
    ]


async def test_each_channel_and_each_private_chat_has_a_dialogue_of_its_own(
    ngircd: Ircd, tmp_path: Path
) -> None:
    async with playing(ngircd, tmp_path) as scene, person("eve", ngircd.port) as eve:
        await scene.ada.joins("#mate")
        await eve.joins("#tea")
        for number, (channel, heard) in enumerate(
            [("#tea", "#tea"), ("#mate", "#mate"), ("Terra", "ada")]
        ):
            scene.agent.will(f"answer {number}")
            ask = "" if channel == "Terra" else "!ask "
            await scene.asks(f"{ask}question {number}?", heard, f"answer {number}", channel=channel)
        scene.agent.will("answer 3")
        await eve.types("PRIVMSG Terra :question 3?")
        with anyio.fail_after(PATIENCE):
            await eve.sees("PRIVMSG eve", "answer 3")
        scene.agent.will("answer 4")
        await scene.asks("question 4?", "answer 4", channel="Terra")
    assert [questions(request) for request in scene.agent.requests] == [
        ["question 0?"],
        ["question 1?"],
        ["question 2?"],
        ["question 3?"],
        ["question 2?", "question 4?"],
    ]


async def test_a_question_in_the_same_breath_as_clear_begins_a_new_talk(tmp_path: Path) -> None:
    ada = ":ada!ada@example.org PRIVMSG #tea :"
    async with (
        fake_ircd() as server,
        strict_agent() as agent,
        living(settings_for(server.port, tmp_path, agent.url)),
    ):
        agent.will("under the pot", "on Tuesday", "who knows", "nobody")
        for first, then in (("where is the key?", "and the pot?"), ("when?", "who says so?")):
            await server.says(f"{ada}!ask {first}")
            with anyio.fail_after(PATIENCE):
                await server.hears("PRIVMSG #tea :ada: [LLM]", len(agent.requests) + 1)
            await server.settles()
            await server.says(f"{ada}!clear", f"{ada}!ask {then}")
            with anyio.fail_after(PATIENCE):
                await server.hears("PRIVMSG #tea :ada: [LLM]", len(agent.requests) + 1)
            assert questions(agent.requests[-1]) == [then]


async def test_two_people_at_one_host_have_private_dialogues_of_their_own(tmp_path: Path) -> None:
    async with (
        fake_ircd() as server,
        strict_agent() as agent,
        living(settings_for(server.port, tmp_path, agent.url)),
    ):
        agent.will("under the pot", "who knows")
        for nick, reply in (("ada", "under the pot"), ("eve", "who knows")):
            await server.says(f":{nick}!web@gateway.example JOIN #tea")
            await server.settles()
            await server.says(f":{nick}!web@gateway.example PRIVMSG Terra :where is the key?")
            with anyio.fail_after(PATIENCE):
                await server.hears(f"PRIVMSG {nick} :[LLM] {reply}")
    assert questions(agent.requests[-1]) == ["where is the key?"]


async def test_a_private_dialogue_belongs_to_the_channels_that_are_shared(tmp_path: Path) -> None:
    """What was looked up in a channel is not sent once the asker was kicked from it."""
    async with (
        fake_ircd() as server,
        strict_agent() as agent,
        living(settings_for(server.port, tmp_path, agent.url)) as house,
    ):
        ada = ":ada!ada@example.org"
        await server.says(f"{ada} JOIN #tea", f"{ada} JOIN #mate")
        await server.says(":bo!bo@example.org PRIVMSG #mate :the gate code is xyzzy")
        await server.settles()
        await house.bridge.flush()
        agent.will(calls("search_irc_history", query="gate code"), "I found it", "no idea", "xyzzy")
        for before, question, reply in (
            ("", "what is the gate code?", "I found it"),
            (":op!op@example.org KICK #mate ada :out", "what did you find?", "no idea"),
            (f"{ada} JOIN #mate", "what was it?", "xyzzy"),
        ):
            await server.says(*filter(None, [before]))
            await server.settles()
            await server.says(f"{ada} PRIVMSG Terra :{question}")
            with anyio.fail_after(PATIENCE):
                await server.hears(f"PRIVMSG ada :[LLM] {reply}")
    _, found, kicked, back = agent.requests
    assert "the gate code is xyzzy" in str(found)
    assert questions(kicked) == ["what did you find?"]
    assert "xyzzy" not in str(kicked)
    assert questions(back) == ["what is the gate code?", "what was it?"]
    assert "the gate code is xyzzy" in str(back)


async def test_of_a_question_off_the_record_nothing_is_kept(ngircd: Ircd, tmp_path: Path) -> None:
    async with playing(ngircd, tmp_path) as scene:
        scene.agent.will("secretly yes", "hm")
        await scene.asks("!ask [off] is it xyzzy?", "secretly yes")
        await scene.asks("!ask so?", "ada: [LLM] hm")
    assert questions(scene.agent.requests[-1]) == ["so?"]
    assert b"xyzzy" not in bytes_of(tmp_path / "irc_logs.db")
    assert b"secretly yes" not in bytes_of(tmp_path / "irc_logs.db")


async def test_a_turn_that_was_taken_back_is_marked_and_not_replayed(
    ngircd: Ircd, tmp_path: Path
) -> None:
    async with playing(ngircd, tmp_path) as scene:
        scene.agent.will(calls("get_current_users"), hangs(), "hm")
        await scene.ada.types("PRIVMSG #tea :!ask who is here?")
        with anyio.fail_after(PATIENCE):
            await scene.agent.asked(2)
        await has_stored(tmp_path / "irc_logs.db", ("who is here?", "open"))
        await scene.ada.types("PRIVMSG #tea :!stop")
        await has_stored(tmp_path / "irc_logs.db", ("who is here?", "stopped"))
        scene.agent.release()
        await scene.asks("!ask so?", "ada: [LLM] hm")
    assert questions(scene.agent.requests[-1]) == ["so?"]
    check_valid(scene.agent.requests[-1])


async def test_an_answer_that_the_channel_refuses_is_as_if_it_had_not_been_asked(
    ircd: Ircd, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file, talk_log = tmp_path / "irc_logs.db", tmp_path / "talk.jsonl"
    async with playing(ircd, tmp_path, talk_log=talk_log) as scene:
        await scene.ada.types("MODE #tea +m")
        await scene.house.has_heard(scene.ada)
        scene.agent.will("\n\n".join(f"line {number} of {'words ' * 60}" for number in range(9)))
        await scene.ada.types("PRIVMSG #tea :!ask who fixed the gate?")
        await has_stored(file, ("who fixed the gate?", "stopped"))
        told = await scene.ada.sees("NOTICE ada", "I cannot speak in #tea: ")
        assert told.endswith(". Ask me in private: /msg Terra QUESTION")
        scene.agent.will("bo")
        await scene.ada.types("PRIVMSG #tea :!ask who?")
        refused = ("who fixed the gate?", "stopped"), ("who?", "stopped")
        await has_stored(file, *refused)
        await scene.ada.types("MODE #tea -m")
        await scene.asks("!more", "ada: There is no more: the rest of that reply could not be said")
        scene.agent.will("hm")
        await scene.asks("!ask so?", "ada: [LLM] hm")
        assert not [line for line in scene.of_terra() if "line 1" in line]
        assert len([line for line in scene.ada.lines if "I cannot speak" in line]) == 1
        await has_stored(file, *refused, ("so?", "done"))
    assert questions(scene.agent.requests[-1]) == ["so?"]
    assert [record_from_json(line).outcome for line in talk_log.read_bytes().splitlines()] == [
        Outcome.CUT,
        Outcome.CUT,
        Outcome.ANSWERED,
    ]
    assert caplog.text.count("no answer for local/ada: local/#tea does not take our lines: ") == 2


async def test_a_disk_that_fails_delays_no_answer_and_forgets_no_turn(
    ngircd: Ircd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unwritten, "AGAIN_AFTER", 0.05)
    monkeypatch.setattr(unwritten, "TRIES", 1_000)
    file = tmp_path / "irc_logs.db"
    async with playing(ngircd, tmp_path) as scene:
        async with refused_turns(file):
            scene.agent.will("bo did", "on Tuesday")
            await scene.asks("!ask who fixed the gate?", "bo did")
            await scene.asks("!ask when?", "on Tuesday")
            assert questions(scene.agent.requests[-1]) == ["who fixed the gate?", "when?"]
            assert not rows_of(file, STATES)
        await has_stored(file, ("who fixed the gate?", "done"), ("when?", "done"))


async def test_what_somebody_had_removed_is_not_in_the_next_request(
    ngircd: Ircd, tmp_path: Path
) -> None:
    async with playing(ngircd, tmp_path) as scene:
        scene.agent.will("the key is under the pot", "hm")
        await scene.asks("!ask where is the xyzzy key?", "under the pot")
        await scene.asks("!forget", "Say !forget yes")
        await scene.asks("!forget yes", "Removed 1 message of yours")
        await scene.asks("!ask so?", "ada: [LLM] hm")
    assert questions(scene.agent.requests[-1]) == ["so?"]
    assert rows_of(tmp_path / "irc_logs.db", STATES) == [("so?", "done")]


async def test_the_best_lines_said_for_want_of_a_model_are_part_of_the_talk(
    ngircd: Ircd, tmp_path: Path
) -> None:
    async with playing(ngircd, tmp_path) as scene:
        await scene.ada.types("PRIVMSG #tea :the gate is green")
        await scene.house.has_heard(scene.ada)
        scene.agent.will(says(""), "it is green")
        await scene.asks("!ask which colour has the gate?", "the gate is green")
        await scene.asks("!ask who said so?", "it is green")
    assert "the gate is green" in spoken(scene.agent.requests[-1])[1]


async def test_a_turn_that_cannot_be_stored_is_given_up_after_three_tries(
    ngircd: Ircd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(unwritten, "AGAIN_AFTER", 0.05)
    async with playing(ngircd, tmp_path) as scene:
        async with refused_turns(tmp_path / "irc_logs.db"):
            scene.agent.will("bo did")
            await scene.asks("!ask who fixed the gate?", "bo did")
            with anyio.fail_after(PATIENCE):
                await until_logged(caplog, "will be forgotten")
        scene.agent.will("hm")
        await scene.asks("!ask so?", "ada: [LLM] hm")
    assert questions(scene.agent.requests[-1]) == ["so?"]


@asynccontextmanager
async def refused_turns(file: Path) -> AsyncIterator[None]:
    """A database that takes no turn of a dialogue inside the block, and all else."""
    await to_thread.run_sync(
        execute_in,
        file,
        "CREATE TRIGGER no_turns BEFORE INSERT ON dialogue_turns"
        " BEGIN SELECT RAISE(ABORT, 'no room for turns'); END",
    )
    yield
    await to_thread.run_sync(execute_in, file, "DROP TRIGGER no_turns")


def execute_in(file: Path, sql: str) -> None:
    with closing(sqlite3.connect(file)) as other:
        other.execute(sql)
        other.commit()


async def test_while_the_model_hangs_lines_are_recorded_and_commands_are_answered(
    ngircd: Ircd, tmp_path: Path
) -> None:
    async with playing(ngircd, tmp_path) as scene:
        scene.agent.will(hangs())
        await scene.ada.types("PRIVMSG #tea :!ask who fixed the gate?")
        with anyio.fail_after(PATIENCE):
            await scene.agent.asked(1)
        await scene.ada.types("PRIVMSG #tea :meanwhile")
        await scene.asks("!ping", "ada: pong")
        await scene.house.has_heard(scene.ada)
        lines = [line.text for line in await scene.house.lines("#tea")]
        scene.agent.release()
        await scene.hears("too late")
    assert "meanwhile" in lines
    assert "!ping" in lines


async def turns_of(store: Store) -> list[str]:
    return [turn.question for turn in (await store.dialogues.load(TEA)).turns]


async def is_remembered(house: House, server: FakeIrcd, agent: StrictAgent, look: Answer) -> None:
    """A turn in which a tool was called is stored, and is part of the talk."""
    agent.will(look, "alice does", "hm")
    await server.says(":ada!ada@example.org PRIVMSG #tea :!ask who wants a gate?")
    with anyio.fail_after(PATIENCE):
        await server.hears("PRIVMSG #tea :ada: [LLM] alice does")
    await has_stored(house.settings.db_path, ("who wants a gate?", "done"))
    await server.says(":ada!ada@example.org PRIVMSG #tea :!ask so?")
    with anyio.fail_after(PATIENCE):
        await server.hears("PRIVMSG #tea :ada: [LLM] hm")
    assert questions(agent.requests[-1]) == ["who wants a gate?", "so?"]


async def test_a_turn_that_read_in_the_backlog_of_lines_that_are_gone_is_remembered(
    tmp_path: Path,
) -> None:
    async with (
        fake_ircd() as server,
        strict_agent() as agent,
        living(settings_for(server.port, tmp_path, agent.url)) as house,
    ):
        about = {"network": "local", "channel": "#tea"}
        gone = "184213 14:23 <alice> a gate would be nice"
        idea, _ = await house.store.backlog.create("A gate", "why", about=about, lines=[gone])
        look = calls("read_enhancement_request", filename=idea.filename)
        await is_remembered(house, server, agent, look)
    assert gone in str(agent.requests[1])


async def test_so_is_one_that_read_numbers_like_ours_in_the_web(tmp_path: Path) -> None:
    async with (
        search_service() as web,
        fake_ircd() as server,
        strict_agent() as agent,
        living(settings_for(server.port, tmp_path, agent.url, search_api_url=web.url)) as house,
    ):
        snippet = "2026-01-01 10:00 <alice> a gate (184213)"
        web.finds({"results": [{"title": "A", "url": "http://a.example/", "snippet": snippet}]})
        await is_remembered(house, server, agent, calls("search_web", query="gate"))
    assert snippet in str(agent.requests[1])


async def test_a_turn_left_open_by_a_dead_process_is_marked_at_the_next_start(
    ngircd: Ircd, tmp_path: Path
) -> None:
    file = tmp_path / "irc_logs.db"
    async with open_store(file) as store:
        left = replace(turn(1, "left?", ""), state=TurnState.OPEN)
        await store.dialogues.put_turn(TEA, left)
    async with playing(ngircd, tmp_path) as scene:
        await has_stored(file, ("left?", "cut"))
        scene.agent.will("hm")
        await scene.asks("!ask so?", "ada: [LLM] hm")
        assert await turns_of(scene.house.store) in ([], ["so?"])
    assert questions(scene.agent.requests[-1]) == ["so?"]
