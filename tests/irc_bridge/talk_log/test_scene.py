"""What the bridge notes of questions asked on a real network, of a model over real HTTP."""

import json
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import pytest

from terrarium_mcp.irc_bridge.ask import question_service
from terrarium_mcp.irc_bridge.talk_log.record import Outcome, TalkRecord, record_from_json
from terrarium_mcp.irc_bridge.talk_log.timeline import OTHER, timeline
from tests.irc_bridge.house import House, living, settings_for
from tests.patience import PATIENCE
from tests.servers.agent import StrictAgent, calls, calls_all, hangs, says, strict_agent
from tests.servers.fake_ircd import fake_ircd
from tests.servers.ircd import Ircd
from tests.servers.person import Person, person

MODEL_TAKES = 0.5
"""Seconds; what lies between the parts must be a small share of it on a busy machine too."""


@dataclass(frozen=True)
class Scene:
    """A person, a bot with a talk log, and a scripted model."""

    house: House
    agent: StrictAgent
    ada: Person
    path: Path

    async def asks(self, question: str, *reply: str) -> None:
        """Ask in #tea, and wait for the last words of the reply."""
        await self.ada.types(f"PRIVMSG #tea :{question}")
        await self.ada.sees("PRIVMSG #tea :", *reply)

    async def notes(self) -> list[TalkRecord]:
        """Wait until a question is in the log; returns all."""
        return await notes_in(self.path)


async def notes_in(path: Path) -> list[TalkRecord]:
    while not (found := read(path)):
        await anyio.lowlevel.checkpoint()
    return found


def read(path: Path) -> list[TalkRecord]:
    lines = path.read_bytes().splitlines() if path.exists() else []
    return [record_from_json(line) for line in lines]


@asynccontextmanager
async def playing(ircd: Ircd, folder: Path, **more: Any) -> AsyncIterator[Scene]:
    path = folder / "talk.jsonl"
    async with strict_agent() as agent, person("ada", ircd.port) as ada:
        await ada.joins("#tea")
        settings = settings_for(ircd, folder, agent.url, talk_log=path, **more)
        async with living(settings) as house:
            with anyio.fail_after(PATIENCE):
                yield Scene(house, agent, ada, path)


def names(record: TalkRecord) -> list[str]:
    return [part.name for part in record.parts]


def calls_in(record: TalkRecord, name: str) -> list[tuple[str, str]]:
    """The calls within all parts of that name, each with its outcome."""
    inner = [call for part in record.parts if part.name == name for call in part.parts]
    return [(call.name, call.outcome) for call in inner]


async def test_the_parts_of_a_question_add_up_to_its_wall_time(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    # No ngircd here: it would add its own 40 ms to what is seen of two lines in a row.
    async with strict_agent() as agent, fake_ircd() as server:
        settings = settings_for(server.port, tmp_path, agent.url, talk_log=path)
        async with living(settings) as house:
            with anyio.fail_after(PATIENCE):
                agent.will(
                    hangs(calls("search_irc_history", query="gate")),
                    says("bo fixed it\n\non Tuesday, with a plank"),
                )
                await server.settles()
                began = time.perf_counter()
                await server.says(":ada!u@h.example PRIVMSG #tea :!ask who fixed the gate?")
                await agent.asked(1)
                asked = time.perf_counter()
                while (held := time.perf_counter() - asked) < MODEL_TAKES:
                    await server.says(":bo!u@h.example PRIVMSG #tea :meanwhile others talk")
                    await server.settles()
                    await house.bridge.flush()
                agent.release()
                await server.hears("PRIVMSG #tea :| [LLM] on Tuesday")
                (record,) = await notes_in(path)
                wall = (time.perf_counter() - began) * 1000
    assert names(record) == [
        *("queue", "consent", "context", "model queue"),
        *("model request", "tool calls", "model request"),
        *("cleaning", "splitting", "floor", "first line", "confirmation", "next line"),
        "confirmation",
    ]
    rows = timeline(record)
    named = sum(row.ms for row in rows if row.share is not None and row.name != OTHER)
    assert named == pytest.approx(record.ms, rel=0.05)
    assert held * 1000 < record.ms < wall
    requests = [part.ms for part in record.parts if part.name == "model request"]
    assert max(requests) > held * 1000
    assert sorted(set(calls_in(record, "context"))) == [
        ("dialogue", ""),
        ("flush", ""),
        ("get_recent_irc_messages", "ok"),
        ("search_irc_history", "ok"),
    ]
    assert calls_in(record, "tool calls") == [("search_irc_history", "ok")]
    assert (record.network, record.channel, record.model) == ("local", "#tea", "scripted")
    assert (record.outcome, record.rounds, record.lines) == (Outcome.ANSWERED, 1, 2)
    assert record.tokens.estimated
    assert record.tokens.prompt > record.tokens.completion > 0


async def test_calls_side_by_side_count_once(ngircd: Ircd, tmp_path: Path) -> None:
    async with playing(ngircd, tmp_path) as scene:
        wanted = [("search_irc_history", json.dumps({"query": f"gate {n}"})) for n in range(8)]
        scene.agent.will(calls_all(*wanted), says("nobody knows"))
        await scene.asks("!ask who fixed the gate?", "nobody knows")
        (record,) = await scene.notes()
    (round_,) = [part for part in record.parts if part.name == "tool calls"]
    assert len(round_.parts) == 8
    last_began = max(call.at for call in round_.parts)
    first_ended = min(call.at + call.ms for call in round_.parts)
    assert last_began < first_ended  # they did run side by side
    assert sum(call.ms for call in round_.parts) > round_.ms
    rows = timeline(record)
    assert sum(row.ms for row in rows if row.share is not None) == pytest.approx(record.ms)
    assert {row.share for row in rows if row.name == "search_irc_history"} == {None}


async def test_what_a_model_calls_wrongly_is_named_but_not_repeated(
    ngircd: Ircd, tmp_path: Path
) -> None:
    async with playing(ngircd, tmp_path) as scene:
        again = ("search_chat_logs", '{"query": "secret gate"}')
        scene.agent.will(
            calls_all(("secret_tool", "{}"), ("search_irc_history", "{secret"), again),
            calls_all(again, ("get_message_context", '{"message_id": "999999"}')),
            says("it is a secret"),
        )
        await scene.asks("!ask where is the secret?", "it is a secret")
        (record,) = await scene.notes()
        text = scene.path.read_text("utf-8")
    assert calls_in(record, "tool calls") == [
        ("unknown tool", "not offered"),
        ("search_irc_history", "bad arguments"),
        ("search_irc_history", "ok"),
        ("search_irc_history", "repeated"),
        ("get_message_context", "failed"),
    ]
    for word in ("secret", "999999", "ada", "where"):
        assert word not in text


async def test_private_questions_are_noted_without_the_nick_and_off_the_record_none(
    ngircd: Ircd, tmp_path: Path
) -> None:
    async with playing(ngircd, tmp_path) as scene:
        scene.agent.will("a", "b", "c", "d")
        await scene.asks("!ask [off] who?", "[off] ada: [LLM] a")
        await scene.asks("Terra: [off] who?", "[off] ada: [LLM] b")
        await scene.ada.types("PRIVMSG Terra :who?")
        await scene.ada.sees("PRIVMSG ada :[LLM] c")
        noted = await scene.notes()  # what is in work when somebody opts out is not noted
        await scene.ada.types("PRIVMSG #tea :!optout")
        await scene.ada.sees("nothing of you is recorded")
        await scene.asks("!ask who?", "[LLM] d")
        await scene.asks("!ping", "pong")
        await scene.house.bridges.stop()
        assert await scene.notes() == noted
        (record,) = noted
        assert "ada" not in scene.path.read_text("utf-8")
    assert (record.channel, record.outcome) == ("private", Outcome.ANSWERED)
    assert ("flush", "") in calls_in(record, "context")


async def test_without_the_model_the_best_lines_are_the_outcome(
    ngircd: Ircd, tmp_path: Path
) -> None:
    async with playing(ngircd, tmp_path, agent_api_url="http://127.0.0.1:9") as scene:
        await scene.asks("!ask who fixed the gate?", "I found no line")
        (record,) = await scene.notes()
    assert record.outcome is Outcome.BEST_LINES
    assert ("search_irc_history", "ok") in calls_in(record, "context")


@pytest.mark.parametrize(
    ("guardians", "question", "reply"),
    [("keeper", "!ask who?", "No guardian"), ("", "!ask", "Ask me something")],
)
async def test_a_question_that_nobody_may_ask_or_that_is_empty_is_refused(
    ngircd: Ircd, tmp_path: Path, guardians: str, question: str, reply: str
) -> None:
    async with playing(ngircd, tmp_path, guardians=guardians) as scene:
        await scene.asks(question, reply)
        (record,) = await scene.notes()
    assert (record.outcome, record.lines) == (Outcome.REFUSED, 1)
    assert "model request" not in names(record)


async def test_a_question_that_is_taken_back_was_stopped(ngircd: Ircd, tmp_path: Path) -> None:
    async with playing(ngircd, tmp_path) as scene:
        scene.agent.will(hangs())
        await scene.ada.types("PRIVMSG #tea :!ask who fixed the gate?")
        await scene.agent.asked(1)
        await scene.ada.types("PRIVMSG #tea :!stop")
        (record,) = await scene.notes()
    assert (record.outcome, record.lines) == (Outcome.STOPPED, 0)
    assert names(record)[-1] == "model request"


async def test_an_error_has_one_id_in_the_channel_the_log_and_the_talk_log(
    ngircd: Ircd,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def bursts(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(question_service, "answer", bursts)
    async with playing(ngircd, tmp_path) as scene:
        with caplog.at_level(logging.ERROR):
            await scene.asks("!ask who fixed the gate?", "Something went wrong")
        (record,) = await scene.notes()
        told = await scene.ada.sees("Something went wrong")
    assert record.outcome is Outcome.FAILED
    assert f"(error {record.id} in the log)" in told
    assert f"error {record.id} while answering ada in local/#tea" in caplog.text


async def test_an_answer_that_a_lost_connection_cuts_off_was_cut(
    ngircd: Ircd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with playing(ngircd, tmp_path) as scene:
        monkeypatch.setattr(scene.house.bridge._reception, "on_lost", lambda: None)  # noqa: SLF001 -- else it is stopped
        scene.agent.will(hangs(says("too late")))
        await scene.ada.types("PRIVMSG #tea :!ask who fixed the gate?")
        await scene.agent.asked(1)
        ngircd.kill()
        await scene.house.bridge.is_cut_off()
        scene.agent.release()
        (record,) = await scene.notes()
    assert (record.outcome, record.lines) == (Outcome.CUT, 0)


async def test_thinking_is_no_line_of_the_answer(
    ngircd: Ircd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(question_service, "THINKING_AFTER", 0.01)
    async with playing(ngircd, tmp_path) as scene:
        scene.agent.will(hangs(says("at last")))
        await scene.asks("!ask who fixed the gate?", "Thinking...")
        await scene.agent.asked(1)
        scene.agent.release()
        await scene.ada.sees("at last")
        (record,) = await scene.notes()
    assert (record.lines, record.bytes) == (1, len("ada: [LLM] at last"))
    assert names(record).count("first line") == 1


async def test_a_log_that_cannot_be_written_changes_no_answer(
    ngircd: Ircd, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "talk.jsonl").mkdir()
    async with playing(ngircd, tmp_path) as scene:
        scene.agent.will("one", "two")
        await scene.asks("!ask who?", "[LLM] one")
        await scene.asks("!ask who?", "[LLM] two")
    assert caplog.text.count("cannot be written") == 1
