"""Commands that need no model, asked with anything, anywhere, in any state of the history."""

import os
import re
import signal
import unicodedata
from pathlib import Path

import pytest

from terrarium_mcp.irc_bridge.answer.reply import SHOWN
from terrarium_mcp.irc_bridge.toolbox import connection
from terrarium_mcp.store.sqlite import opening
from tests.irc_bridge.ask.desk import desk
from tests.irc_bridge.hostile.test_asking import Teahouse, teahouse
from tests.irc_bridge.house import NOBODY, QUICK, living, said, settings_for
from tests.irc_bridge.processes import children
from tests.servers.agent import strict_agent
from tests.servers.fake_ircd import fake_ircd

COMMANDS = ("search", "recent", "context", "stats", "who", "status", "help", "more")

HOSTILE = (
    "",
    "x" * 400,
    "\x02\x0304,05red\x0f \x1fand\x16 \x11mono",
    '"not closed',
    "%",
    "' OR 1=1; DROP TABLE messages; --",
    "\U0001f469\u200d\U0001f469\u200d\U0001f467 \U0001f1e9\U0001f1ea",
    "\u202eright to left\u202c \u05e9\u05dc\u05d5\u05dd",
    "#tea,#mate",
    "99999999999999999999 1 2",
    "user: hours: from: in: - * ( )",
    "!!ping\u2028QUIT :bye",
)


def lines_to(scene: Teahouse, target: str) -> list[str]:
    return scene.said(f"PRIVMSG {target} :")


async def ask(scene: Teahouse, nick: str, text: str, target: str) -> None:
    """Say a command, and wait for the first line of its answer."""
    await scene.say(nick, text, target=target)
    await scene.hears(f"PRIVMSG {nick} :" if target == "Terra" else f" :{nick}: ")


@pytest.mark.parametrize(
    ("prefix", "target"), [("!", "#tea"), ("|", "Terra"), ("\u00a7\u00a7", "#tea")]
)
async def test_anything_behind_a_command_is_answered_in_lines_that_fit(
    tmp_path: Path, prefix: str, target: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with teahouse(tmp_path, command_prefix=prefix) as scene:
        await scene.say("bo", "the gate is green")
        texts = [f"{prefix}{name} {rest}".rstrip() for name in COMMANDS for rest in HOSTILE]
        await scene.enter(*(f"p{number}" for number in range(len(texts))))
        for number, text in enumerate(texts):
            await ask(scene, f"p{number}", text, target)
        await scene.server.settles()
        said_lines = scene.said()
        assert len(said_lines) <= SHOWN * len(texts)
        if target == "Terra":
            assert all(len(lines_to(scene, f"p{number}")) <= SHOWN for number in range(len(texts)))
        for line in said_lines:
            body = line.partition(" :")[2]
            assert len(line.encode()) <= 510
            assert not any(unicodedata.category(char) == "Cc" for char in line), line
            assert not re.search("[\u202a-\u202e\u2028]", line)
            assert not body.startswith(prefix)
            assert "Something went wrong" not in line
        assert not scene.server.heard("QUIT")
    assert "Traceback" not in caplog.text


async def test_while_the_history_opens_every_command_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "PATIENCE", 0.01)
    said_so = "opening the history, 40 %. Try again in a little while."
    async with desk(tmp_path, [said("tea")]) as scene:
        scene.store.opening.begin()
        scene.store.opening.report(0.4)
        for text in (
            "!search tea",
            "!recent",
            "!recent bo",
            "!context 1",
            "!stats",
            "!stats x",
            "!who",
        ):
            assert await scene.asks(text) == [said_so], text
        (line,) = await scene.asks("!status")
        assert line == f"Up for 3d, connected for 2h. {said_so} No trouble with the model."
        assert await scene.asks("!ping") == ["pong"]
        assert len(await scene.asks("!help")) == 3
        scene.store.opening.succeed()
        assert len(await scene.asks("!recent")) == 1


async def test_while_the_history_is_away_every_command_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "BROKEN_SECONDS", 0.05)
    async with fake_ircd() as server:
        options = settings_for(server.port, tmp_path)
        async with (
            strict_agent() as agent,
            living(options, mcp_url=f"{NOBODY}/mcp", timeouts=QUICK) as house,
        ):
            scene = Teahouse(server, house, agent)
            await scene.enter("ada")
            for number, text in enumerate(
                ("!search tea", "!recent", "!recent bo", "!context 1", "!stats", "!who"), 1
            ):
                await scene.say("ada", text)
                await scene.hears("ada: The history is unavailable at the moment.", times=number)
            await scene.say("ada", "!status")
            await scene.hears("ada: Up for ", "The history is unavailable at the moment.")
            await scene.say("ada", "!ping")
            await scene.hears("ada: pong, but the history is unavailable at the moment")


async def test_a_server_that_falls_silent_is_told_in_words_and_logged_under_a_short_id(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    others = children()
    async with (
        strict_agent() as agent,
        fake_ircd() as server,
        living(settings_for(server.port, tmp_path), spawns=True) as house,
    ):
        scene = Teahouse(server, house, agent)
        await scene.enter("ada", "bo")
        await ask(scene, "ada", "!recent", "#tea")
        (process,) = children() - others
        os.kill(process, signal.SIGSTOP)
        monkeypatch.setattr(connection, "CALL_SECONDS", 0.2)
        await scene.say("ada", "!seen bo")
        (told,) = await scene.hears("ada: The history did not answer")
        os.kill(process, signal.SIGCONT)
    (error_id,) = re.findall(r"\(error ([0-9a-f]{6}) in the log\)\. Ask again in a moment\.$", told)
    silent = f"error {error_id}: the MCP server: lookup_nick did not answer within 0.2 s."
    assert silent in caplog.messages


@pytest.mark.parametrize("shared", [(), ("#tea",), ("#tea", "#mate")])
async def test_of_an_empty_history_every_command_says_that_there_is_nothing(
    tmp_path: Path, shared: tuple[str, ...]
) -> None:
    async with desk(tmp_path) as scene:
        for text in ("!search tea", "!recent", "!recent bo", "!stats", "!stats x", "!who"):
            for channel in ("#tea", ""):
                (line,) = await scene.asks(text, channel=channel, shared=shared)
                assert line == "Nothing is recorded here that this request may read.", text
        (line,) = await scene.asks("!context 1")
        assert line.startswith("No message 1 here.")


async def test_who_of_two_hundred_is_said_at_once(tmp_path: Path) -> None:
    async with teahouse(tmp_path) as scene:
        await scene.enter(*(f"visitor{number}" for number in range(200)))
        await scene.say("bo", "hello")
        await scene.server.settles()
        await scene.house.bridge.flush()
        await scene.seats(203)
        await scene.say("visitor7", "!who")
        (first,) = await scene.hears("visitor7: 203 in #tea: 1 operator, 202 others: @a")
        await scene.hears(" more")
        await scene.server.settles()
        lines = scene.said()
        assert lines[0] == first
        assert 3 <= len(lines) <= SHOWN
        assert all(len(line.encode()) <= 510 for line in lines)
        assert re.search(r" and \d+ more$", lines[-1])
        assert not any("!more" in line for line in lines)
