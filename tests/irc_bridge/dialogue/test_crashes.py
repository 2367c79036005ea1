"""A bridge that is killed in any state of a turn goes on from a valid talk, and forgets nothing."""

import json
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import pytest

from terrarium_mcp.store import open_store
from tests.cli.programs import running
from tests.irc_bridge.dialogue.test_turns import TEA, check_valid, has_stored, questions, turn
from tests.patience import PATIENCE
from tests.servers.agent import Answer, StrictAgent, calls, hangs, says, strict_agent
from tests.servers.ircd import Ircd
from tests.servers.person import Person, person

BEFORE = ("who fixed the gate?", "done")
CUT = "and who broke it?"


@dataclass(frozen=True)
class Stage:
    """A person, a model, and the file of a bridge that runs as a process."""

    ada: Person
    agent: StrictAgent
    file: Path

    async def asks(self, text: str, *expected: str) -> None:
        await self.ada.types(f"PRIVMSG #tea :!ask {text}")
        with anyio.fail_after(PATIENCE):
            await self.ada.sees(":Terra!", *expected)

    def kill(self) -> None:
        """End the bridge as a power cut would."""
        holder = json.loads(self.file.with_name(f"{self.file.name}.keeper").read_text())
        os.kill(int(holder["pid"]), signal.SIGKILL)


@asynccontextmanager
async def bridge(ircd: Ircd, stage: Stage) -> AsyncIterator[None]:
    """A bridge in #tea inside the block."""
    settings = {
        "IRC_SERVER": "127.0.0.1",
        "IRC_PORT": ircd.port,
        "IRC_USE_SSL": "off",
        "IRC_CHANNELS": "#tea",
        "AGENT_API_URL": stage.agent.url,
        "AGENT_MODEL": "glm-air-4.5",
        "DB_PATH": stage.file,
    }
    known = len(stage.ada.lines)
    async with running("terrarium-mcp bridge", at=stage.file.parent, **settings) as program:
        await program.says("recording", "#tea")
        with anyio.fail_after(PATIENCE):
            while not any("JOIN" in line and "Terra" in line for line in stage.ada.lines[known:]):
                await stage.ada.news.wait()
        yield
        await program.process.wait()


async def while_the_model_thinks(stage: Stage) -> None:
    stage.agent.will(hangs())
    await stage.ada.types(f"PRIVMSG #tea :!ask {CUT}")
    await stage.agent.asked(3)
    await has_stored(stage.file, BEFORE, (CUT, "open"))


async def in_a_tool_round(stage: Stage) -> None:
    stage.agent.will(calls("search_irc_history", query="gate broke"), hangs())
    await stage.ada.types(f"PRIVMSG #tea :!ask {CUT}")
    await stage.agent.asked(4)
    await has_stored(stage.file, BEFORE, (CUT, "open"))


async def before_the_model_is_asked(stage: Stage) -> None:
    stage.agent.will(hangs())
    await stage.ada.types(f"PRIVMSG #tea :!ask {CUT}")
    await has_stored(stage.file, BEFORE, (CUT, "open"))


@pytest.mark.parametrize(
    "reach", [before_the_model_is_asked, while_the_model_thinks, in_a_tool_round]
)
async def test_a_turn_that_a_kill_cut_off_is_marked_and_the_talk_before_it_goes_on(
    ngircd: Ircd, tmp_path: Path, reach: Callable[[Stage], Awaitable[None]]
) -> None:
    async with staged(ngircd, tmp_path) as stage:
        async with bridge(ngircd, stage):
            await first_turn(stage)
            with anyio.fail_after(PATIENCE):
                await reach(stage)
            stage.kill()
        stage.agent.release()
        known = len(stage.agent.requests)
        asked = ("what did you search for?", "done")
        request = await asked_after(ngircd, stage, "for gate", BEFORE, (CUT, "cut"), asked)
    check_valid(request)
    assert questions(request) == ["who fixed the gate?", "what did you search for?"]
    assert json.dumps(request).count('{\\"query\\": \\"gate\\"}') > 0
    assert len(stage.agent.requests) == known + 1


async def test_a_turn_that_ended_before_the_kill_is_remembered(
    ngircd: Ircd, tmp_path: Path
) -> None:
    async with staged(ngircd, tmp_path) as stage:
        async with bridge(ngircd, stage):
            await first_turn(stage)
            stage.kill()
        request = await asked_after(ngircd, stage, "for gate")
    check_valid(request)
    assert questions(request) == ["who fixed the gate?", "what did you search for?"]


async def test_a_kill_while_the_answer_is_said_leaves_the_turn_said_or_cut(
    ngircd: Ircd, tmp_path: Path
) -> None:
    async with staged(ngircd, tmp_path) as stage:
        async with bridge(ngircd, stage):
            await first_turn(stage)
            stage.agent.will("eve\n\ndid\n\nthat\n\nall")
            await stage.asks(CUT, "eve")
            stage.kill()
        request = await asked_after(ngircd, stage, "for gate")
    check_valid(request)
    said, *rest = questions(request)
    assert said == "who fixed the gate?"
    assert rest in (["what did you search for?"], [CUT, "what did you search for?"])


async def test_a_kill_during_a_summary_loses_no_turn(ngircd: Ircd, tmp_path: Path) -> None:
    def think(request: dict[str, Any]) -> Answer:
        is_notes = request["messages"][0]["content"].startswith("You keep the notes")
        if is_notes:
            summarising.set()
            return hangs(says("notes"))
        return says("so it is")

    summarising = anyio.Event()
    async with staged(ngircd, tmp_path) as stage:
        async with open_store(stage.file) as store:
            for number in range(1, 8):
                await store.dialogues.put_turn(TEA, turn(number, f"{number}?", "so it is"))
        async with bridge(ngircd, stage):
            stage.agent.thinks = think
            await stage.ada.types("PRIVMSG #tea :!compact")
            with anyio.fail_after(PATIENCE):
                await summarising.wait()
            stage.kill()
        request = await asked_after(ngircd, stage, "for nothing")
    check_valid(request)
    assert questions(request) == [
        *(f"{number}?" for number in range(1, 8)),
        "what did you search for?",
    ]


@asynccontextmanager
async def staged(ircd: Ircd, folder: Path) -> AsyncIterator[Stage]:
    async with strict_agent() as agent, person("ada", ircd.port) as ada:
        await ada.joins("#tea")
        yield Stage(ada, agent, folder / "irc_logs.db")


async def first_turn(stage: Stage) -> None:
    """A turn with a tool call that ends well."""
    stage.agent.will(calls("search_irc_history", query="gate"), "bo did")
    await stage.asks("who fixed the gate?", "bo did")
    await has_stored(stage.file, BEFORE)


async def asked_after(
    ircd: Ircd, stage: Stage, answer: str, *states: tuple[str, str]
) -> dict[str, Any]:
    """The request for a question after a restart, when these turns are stored."""
    async with bridge(ircd, stage):
        stage.agent.thinks = lambda _: says(answer)
        known = len(stage.ada.lines)
        await stage.ada.types("PRIVMSG #tea :!ask what did you search for?")
        with anyio.fail_after(PATIENCE):
            while not any(answer in line for line in stage.ada.lines[known:]):
                await stage.ada.news.wait()
        if states:
            await has_stored(stage.file, *states)
        stage.kill()
    return stage.agent.requests[-1]
