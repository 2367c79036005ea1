"""Crowds, floods, other bots, services: nobody silences the bot, drives it, or makes it a pest.

Time is counted in lines where it can be: at the default pace a line is two seconds.
"""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest
from aiolimiter import AsyncLimiter

from terrarium_mcp.irc_bridge.ask import limits, notices, reception
from terrarium_mcp.irc_bridge.ask.command_context import CommandContext
from terrarium_mcp.irc_bridge.ask.command_queue import DEPTH
from terrarium_mcp.irc_bridge.ask.handlers import HANDLERS
from terrarium_mcp.irc_bridge.ask.kept_replies import NothingLeft
from terrarium_mcp.irc_bridge.network.timeouts import Timeouts
from tests.irc_bridge.house import QUICK, House, bytes_of, living, locked, settings_for
from tests.passing_time import time_passes
from tests.patience import PATIENCE
from tests.servers.agent import Answer, StrictAgent, calls, hangs, says, strict_agent
from tests.servers.beside import beside
from tests.servers.fake_ircd import FakeIrcd, fake_ircd
from tests.servers.ircd import Ircd
from tests.servers.logs import until_logged
from tests.servers.person import Person, person

PACED = replace(QUICK, burst=4, per_line=0.2)
"""The default pace ten times as quick."""

REFLEXES = replace(QUICK, burst=1000, reflex=PATIENCE)
"""No pace of the network; what other programs say within the patience counts as a reflex."""


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refusals are gathered for a moment only."""
    monkeypatch.setattr(notices, "GATHERED", 0.1)


@dataclass(frozen=True)
class Teahouse:
    """A bot in #tea and #mate of a fake server, where anybody can be made to speak."""

    server: FakeIrcd
    house: House
    agent: StrictAgent

    async def enter(self, *nicks: str, channel: str = "#tea") -> None:
        await self.server.says(*(f":{mask(nick)} JOIN {channel}" for nick in nicks))
        await self.server.settles()

    async def seats(self, count: int) -> None:
        """Wait until the stored member list of #tea has so many members."""
        (tea,) = [one for one in await self.house.store.rooms.all() if one.channel == "#tea"]
        with anyio.fail_after(PATIENCE):
            while len((await self.house.store.presence.current(tea)).people) != count:  # noqa: ASYNC110 -- a table tells nobody
                await anyio.sleep(0.01)

    async def say(self, nick: str, text: str, target: str = "#tea") -> None:
        await self.server.says(f":{mask(nick)} PRIVMSG {target} :{text}")

    async def hears(self, *words: str, times: int = 1) -> list[str]:
        """Wait until that many lines of the bot hold these words."""
        with anyio.fail_after(PATIENCE):
            while len(found := self.said(*words)) < times:
                await self.server.news.wait()
        return found

    def said(self, *words: str) -> list[str]:
        """The lines of the bot that hold these words, in order."""
        lines = [line for line in self.server.lines if line.startswith(("PRIVMSG", "NOTICE"))]
        return [line for line in lines if all(word in line for word in words)]


def mask(nick: str) -> str:
    return f"{nick}!{nick}@{nick}.example"


@asynccontextmanager
async def teahouse(
    folder: Path, *, timeouts: Timeouts = QUICK, **settings: Any
) -> AsyncIterator[Teahouse]:
    async with fake_ircd() as server, strict_agent() as agent:
        options = settings_for(server.port, folder, agent.url, **settings)
        async with living(options, timeouts=timeouts) as house:
            scene = Teahouse(server, house, agent)
            await scene.enter("ada", "bo")
            yield scene


async def crowd(scene: Teahouse, *, pings: int = 8) -> list[int]:
    """60 members in private and 20 people in each of two channels ask at once.

    Somebody pings all the time. Returns how many lines of the bot left from each ping to its pong.
    """
    scene.agent.will(*(["line 1\nline 2"] * 3 * DEPTH))
    rooms = {"#tea": "t", "#mate": "m"}
    members = [f"p{n}" for n in range(60)]
    await scene.enter(*members)
    for channel, letter in rooms.items():
        await scene.enter(*(f"{letter}{n}" for n in range(20)), channel=channel)
    questions = [f":{mask(nick)} PRIVMSG Terra :why?" for nick in members]
    for n in range(20):
        questions += [
            f":{mask(f'{letter}{n}')} PRIVMSG {channel} :!ask why?"
            for channel, letter in rooms.items()
        ]
    await scene.server.says(*questions)
    return [await lines_until_pong(scene, number) for number in range(1, pings + 1)]


async def lines_until_pong(scene: Teahouse, number: int) -> int:
    """Ping for the `number`th time: how many lines have left when the pong has.

    After the pong before it, three lines (6 s at the default pace) have passed.
    """
    if number > 1:
        lines = len(scene.said()) + 3
        with anyio.fail_after(PATIENCE):
            while len(scene.said()) < lines:
                await scene.server.news.wait()
    before = len(scene.said())
    await scene.say("ada", "!ping")
    await scene.hears("ada: pong", times=number)
    return len(scene.said()) - before


async def test_a_hundred_ask_at_once_and_channels_are_answered_in_turn_and_a_ping_at_once(
    tmp_path: Path,
) -> None:
    async with teahouse(tmp_path, timeouts=PACED) as scene:
        waits = await crowd(scene)
        assert max(waits) <= 5, waits  # of 2 s each: 10 s
        await scene.hears("| [LLM] line 2", times=3 * DEPTH)
        assert len(scene.agent.requests) == 3 * DEPTH
        for channel, letter in (("#tea", "t"), ("#mate", "m")):
            answered = [line.split()[2] for line in scene.said(f"PRIVMSG {channel}", "line 1")]
            assert answered == [f":{letter}{n}:" for n in range(DEPTH)]
            (refused,) = await scene.hears(f"PRIVMSG {channel}", "Too many questions")
            everybody = ", ".join(f"{letter}{n}" for n in range(DEPTH, 19))
            assert f"{everybody} and {letter}19: Too many" in refused
            assert len(scene.said(f"PRIVMSG {channel}", "one moment")) <= 1
        await scene.hears("PRIVMSG p5 :Too many questions are waiting here.")
        told = scene.said("PRIVMSG p", "Too many questions")
        assert len(told) == len(set(told))


async def test_two_channels_with_twenty_questions_each_never_mix_and_nobody_is_without_a_word(
    tmp_path: Path,
) -> None:
    rooms = {"#tea": "t", "#mate": "m"}

    def think(request: dict[str, Any]) -> Answer:
        asked = str(request["messages"][-1]["content"])
        if 'from="t2"' in asked:
            return calls("get_current_users")
        if request["messages"][-1]["role"] == "tool":
            return hangs(says("never said"))
        return says("line 1\nline 2\nline 3")

    async with teahouse(tmp_path) as scene:
        scene.agent.thinks = think
        for channel, letter in rooms.items():
            await scene.enter(*(f"{letter}{n}" for n in range(20)), channel=channel)
        await scene.server.says(
            *(
                f":{mask(f'{letter}{n}')} PRIVMSG {channel} :!ask why?"
                for n in range(20)
                for channel, letter in rooms.items()
            )
        )
        with anyio.fail_after(PATIENCE):
            await scene.agent.asked(1, lambda one: one["messages"][-1]["role"] == "tool")
        await scene.say("t2", "!stop")
        await scene.hears("t2: Stopped.")
        scene.agent.release()
        await scene.hears("[LLM] line 3", times=2 * DEPTH - 1)
        for channel, letter in rooms.items():
            answered = [n for n in range(DEPTH) if (channel, n) != ("#tea", 2)]
            replies = [
                line.partition(" :")[2] for line in scene.said(f"PRIVMSG {channel} :", "[LLM] line")
            ]
            assert replies == [
                text
                for n in answered
                for text in (f"{letter}{n}: [LLM] line 1", "| [LLM] line 2", "| [LLM] line 3")
            ]
            (refused,) = await scene.hears(f"PRIVMSG {channel}", "Too many questions")
            everybody = ", ".join(f"{letter}{n}" for n in range(DEPTH, 19))
            assert f"{everybody} and {letter}19: Too many" in refused
        assert scene.said("never said") == []
        assert scene.agent.most_at_once == 1


async def test_places_take_turns_at_the_model(tmp_path: Path) -> None:
    async with teahouse(tmp_path) as scene:
        scene.agent.will(*([hangs(says("next"))] * 7))
        await scene.enter("p0", "p1", "p2")
        await scene.say("ada", "!ask the first")
        with anyio.fail_after(PATIENCE):
            await scene.agent.asked(1)
        for nick in ("p0", "p1", "p2"):
            await scene.say(nick, f"private {nick}", target="Terra")
        for n in range(3):
            await scene.say(f"m{n}", f"!ask mate {n}", target="#mate")
        await scene.server.settles()
        for number, flows in enumerate((3, 2, 2, 2, 2, 2, 1), start=1):
            with anyio.fail_after(PATIENCE):
                await scene.agent.asked(number)
                await scene.house.model_queue.holds(flows)  # the next question of each
            scene.agent.release()
            await scene.hears("[LLM] next", times=number)
        asked = [str(request["messages"][-1]["content"]) for request in scene.agent.requests[1:]]
        order = [re.findall(r'<question from="\w+">(\w+)', text)[0] for text in asked]
        assert order in (["private", "mate"] * 3, ["mate", "private"] * 3)


async def test_of_one_persons_sixty_questions_under_many_nicks_seven_reach_the_model(
    tmp_path: Path,
) -> None:
    every = 0.5  # a thirtieth of 15 s, and so are the 30 s
    async with teahouse(tmp_path, ask_burst=5, ask_every=every) as scene:
        scene.agent.will(*(["because"] * 20))
        began = anyio.current_time()
        for n in range(60):
            await scene.server.says(f":eve{n}!e@eve.example PRIVMSG #tea :!ask question {n}")
            await anyio.sleep(every * 2 / 60)
        await scene.server.settles()
        lasted = anyio.current_time() - began
        await scene.say("bo", "!ask the last")
        await scene.hears("bo: [LLM] because")
        assert len(scene.agent.requests) - 1 <= 5 + lasted / every + 1
        assert len(scene.agent.requests) - 1 >= 5
        scene.agent._script.clear()  # noqa: SLF001 -- what was not needed


async def test_services_bouncers_servers_and_the_ignored_get_no_answer(tmp_path: Path) -> None:
    async with teahouse(tmp_path, ignore="spam*, *!*@bad.example", private="anyone") as scene:
        for source in (
            *("*status!znc@znc.in", "*playback!znc@znc.in", "NickServ!s@services.", "irc.srv"),
            *(
                "Q!TheQBot@CServe.quakenet.org",
                "Global!services@s",
                "spammer!u@h",
                "u!v@bad.example",
            ),
        ):
            await scene.server.says(
                f":{source} PRIVMSG Terra :!ping",
                f":{source} PRIVMSG Terra :This nickname is registered.",
                f":{source} PRIVMSG #tea :Terra: hello",
                f":{source} NOTICE Terra :!ping",
            )
        await scene.say("ada", "!ping")
        await scene.hears("ada: pong")
        assert len(scene.said()) == 1
        assert scene.agent.requests == []


@pytest.mark.parametrize(
    ("private", "answered"),
    [("members", ["bo"]), ("anyone", ["stranger", "bo"]), ("off", [])],
)
async def test_in_private_only_those_are_served_whom_the_setting_names(
    tmp_path: Path, private: str, answered: list[str]
) -> None:
    async with teahouse(tmp_path, private=private) as scene:
        await scene.say("stranger", "!ping", target="Terra")
        await scene.server.settles()
        await scene.say("bo", "!ping", target="Terra")
        await scene.server.settles()
        await scene.say("ada", "!ping")
        await scene.hears("ada: pong")
        for nick in answered:
            await scene.hears(f"PRIVMSG {nick} ")
        heard = {line.split()[1] for line in scene.said() if "pong" in line}
        assert heard - {"#tea"} == {*answered}


@asynccontextmanager
async def robot(ircd: Ircd, *, lines: int = 1, private: bool = False) -> AsyncIterator[Person]:
    """Another bot, of no known make: it answers every line that is said to it, at once."""
    async with person("robo", ircd.port) as robo:
        await robo.joins("#tea")

        async def answer_everything() -> None:
            at = 0
            while True:
                while at < len(robo.lines):
                    line, at = robo.lines[at], at + 1
                    if re.match(r":Terra!\S+ PRIVMSG", line) and "robo" in line:
                        target, words = ("Terra", "") if private else ("#tea", "Terra: ")
                        talk = [f"PRIVMSG {target} :{words}how so? {at} {n}" for n in range(lines)]
                        await robo.types(*talk)
                await robo.news.wait()

        async with beside(answer_everything):
            yield robo


async def pause(scene: Teahouse, nick: str) -> None:
    """Somebody pings faster than a person could, until nothing of theirs is answered any more."""
    for number in range(1, 4):
        await scene.say(nick, "!ping")
        await scene.hears(f"{nick}: pong", times=number)
    await scene.say(nick, "!ping")
    await scene.hears(nick, "I will not answer you")


async def test_an_operator_stops_and_silences_the_bot_also_while_it_answers_them_nothing(
    tmp_path: Path,
) -> None:
    async with teahouse(tmp_path, timeouts=REFLEXES) as scene:
        await scene.server.says(":srv MODE #tea +o ada")
        await pause(scene, "ada")
        scene.agent.will(hangs(says("too late")))
        await scene.say("bo", "!ask why?")
        await scene.house.model_queue.holds(1)
        await scene.say("ada", "!stop")
        await scene.hears("ada: Stopped.")
        await scene.say("ada", "!quiet 1h")
        await scene.hears("NOTICE ada", "I say nothing in #tea")


async def test_whoever_is_answered_nothing_decides_about_their_record_once_a_minute(
    tmp_path: Path,
) -> None:
    async with teahouse(tmp_path, timeouts=REFLEXES) as scene:
        await pause(scene, "bo")
        await scene.say("bo", "!forget")
        await scene.hears("This removes")
        await scene.say("bo", "!forget yes")
        await scene.hears("Removed")
        for again in ("!forget", "!forget yes", "!forget it"):
            await scene.say("bo", again)
        await scene.say("bo", "!optout")
        await scene.say("bo", "xyzzy")
        await scene.hears("nothing of you is recorded")
        await scene.server.settles()
        assert "xyzzy" not in [line.text for line in await scene.house.lines()]
        (removed,) = scene.said("Removed")
        after = scene.server.lines[scene.server.lines.index(removed) :]
        assert [line for line in after if "remove" in line] == []
        time_passes(reception.DECIDES_AGAIN)
        await scene.say("bo", "!forget")
        await scene.hears("Nothing is recorded that is demonstrably yours")


@pytest.mark.parametrize(("private", "lines"), [(False, 1), (True, 1), (False, 3), (True, 3)])
async def test_two_bots_do_not_talk_for_ever(
    ngircd: Ircd, tmp_path: Path, private: bool, lines: int, caplog: pytest.LogCaptureFixture
) -> None:
    async with (
        strict_agent() as agent,
        person("ada", ngircd.port) as ada,
        robot(ngircd, lines=lines, private=private) as robo,
    ):
        await ada.joins("#tea")
        agent.will(*(["Tell me more."] * 30))
        settings = settings_for(ngircd, tmp_path, agent.url)
        async with living(settings, timeouts=REFLEXES) as house:
            await robo.types(f"PRIVMSG {'Terra' if private else '#tea'} :Terra: hello")
            with anyio.fail_after(PATIENCE):
                await until_logged(caplog, "is sending faster than a person could")
                await robo.types("PRIVMSG #tea :Terra: and now?")
                await house.has_heard(robo)
                await ada.types("PRIVMSG #tea :!ping")
                await ada.sees("ada: pong")
        said = [line for line in robo.lines if re.match(r":Terra!\S+ PRIVMSG", line)]
        # Of one that says three lines at a time, another waits while the first is answered.
        assert len([line for line in said if "[LLM]" in line]) <= 4 * lines
        assert len([line for line in said if "robo" in line and "[LLM]" not in line]) <= 2
        agent._script.clear()  # noqa: SLF001 -- what was not needed


async def test_replies_in_one_channel_never_interleave_and_a_ping_waits_for_one_line(
    tmp_path: Path,
) -> None:
    async with teahouse(tmp_path, timeouts=PACED) as scene:
        await scene.enter("cy", "dora")
        await scene.server.says(*[f":{mask('bo')} PRIVMSG #tea :line {n}" for n in range(9)])
        scene.agent.will("\n\n".join(f"word {n}" for n in range(9)))
        await scene.say("bo", "!ask for much")
        await scene.hears("bo: [LLM] word 0")
        for nick in ("ada", "cy", "dora"):
            await scene.say(nick, f"!recent {4 if nick == 'cy' else 9} bo")
        await scene.server.settles()
        said_before = len(scene.said())
        await scene.say("ada", "!ping")
        await scene.hears("ada: pong")
        await scene.hears("(5 more: !more)", times=3)
    lines = [line.partition(" :")[2] for line in scene.said()]
    pong = lines.index("ada: pong")
    assert pong <= said_before + 1
    del lines[pong]
    starts = [line.split(":")[0] for line in lines if not line.startswith("| ")]
    assert (starts[0], sorted(starts[1:])) == ("bo", ["ada", "cy", "dora"])
    assert [line.startswith("| ") for line in lines] == [False, True, True, True] * 4
    assert ["[LLM]" in line for line in lines] == [True] * 4 + [False] * 12


async def test_of_two_who_read_on_at_once_each_gets_a_page(tmp_path: Path) -> None:
    async with teahouse(tmp_path, timeouts=PACED) as scene:
        scene.agent.will("\n".join(f"line {n}" for n in range(12)))
        await scene.say("bo", "!ask for much")
        await scene.hears("(8 more: !more)")
        await scene.say("bo", "!more")
        await scene.say("ada", "!more")
        await scene.hears("line 11")
        lines = [line.partition(" :")[2] for line in scene.said()]
    said = [int(match[1]) for line in lines if (match := re.search(r"line (\d+)", line))]
    assert said == [*range(12)]


async def test_who_is_stopped_or_leaves_while_others_speak_leaves_the_floor_free(
    tmp_path: Path,
) -> None:
    async with teahouse(tmp_path, timeouts=PACED) as scene:
        await scene.enter("cy", "dora", "eve")
        await scene.server.says(*[f":{mask('bo')} PRIVMSG #tea :line {n}" for n in range(9)])
        scene.agent.will("\n\n".join(f"word {n}" for n in range(9)))
        await scene.say("bo", "!ask for much")
        await scene.hears("bo: [LLM] word 0")
        for nick in ("cy", "dora", "eve"):
            await scene.say(nick, "!recent 9 bo")
        await scene.say("cy", "!stop")
        await scene.server.says(f":{mask('dora')} PART #tea")
        await scene.hears("cy: Stopped.")
        await scene.say("bo", "!stop")
        await scene.hears("PRIVMSG #tea :eve: ")
        await scene.hears("(5 more: !more)")
        assert [scene.said(f"PRIVMSG #tea :{nick}: 2") for nick in ("cy", "dora")] == [[], []]
        assert scene.said("word 8") == []
        await scene.say("bo", "!more")  # of what was taken back nothing is left: eve's goes on
        await scene.hears("(1 more: !more)")


async def test_who_is_kicked_reads_no_more_of_the_channel_in_private(tmp_path: Path) -> None:
    async with teahouse(tmp_path) as scene:
        await scene.enter("bo", "cy", channel="#mate")
        looks = calls("get_recent_irc_messages", channel="#mate")
        scene.agent.will(hangs(looks), "nothing there")
        await scene.say("bo", "what is new?", target="Terra")
        with anyio.fail_after(PATIENCE):
            await scene.agent.asked(1)
        await scene.server.says(f":{mask('ada')} KICK #mate bo :out")
        await scene.say("cy", "xyzzy, now that bo is gone", target="#mate")
        await scene.server.settles()
        await scene.house.bridge.flush()
        scene.agent.release()
        await scene.hears("PRIVMSG bo :[LLM] nothing there")
    assert "No channel #mate" in str(scene.agent.requests[-1])
    assert "xyzzy" not in str(scene.agent.requests)


async def test_who_joins_meanwhile_reads_no_more_in_private_than_at_first(tmp_path: Path) -> None:
    async with teahouse(tmp_path) as scene:
        await scene.enter("cy", channel="#mate")
        await scene.say("cy", "xyzzy", target="#mate")
        await scene.server.settles()
        await scene.house.bridge.flush()
        scene.agent.will(hangs(calls("search_irc_history", query="xyzzy")), "nothing there")
        await scene.say("bo", "what is new?", target="Terra")
        with anyio.fail_after(PATIENCE):
            await scene.agent.asked(1)
        await scene.enter("bo", channel="#mate")
        scene.agent.release()
        await scene.hears("PRIVMSG bo :[LLM] nothing there")
    assert "cy> xyzzy" not in str(scene.agent.requests)


async def test_after_a_lost_connection_nobody_has_the_floor(tmp_path: Path) -> None:
    async with teahouse(tmp_path, timeouts=PACED) as scene:
        await scene.server.says(*[f":{mask('bo')} PRIVMSG #tea :line {n}" for n in range(9)])
        scene.agent.will("\n\n".join(f"word {n}" for n in range(9)))
        await scene.say("bo", "!ask for much")
        await scene.hears("bo: [LLM] word 0")
        await scene.say("ada", "!recent 9 bo")
        bridge = scene.house.bridge
        await scene.server.drops()
        with anyio.fail_after(PATIENCE):
            await bridge.is_cut_off()
            await bridge.at_home.wait()
        await scene.say("ada", "!recent 9 bo")
        await scene.hears("PRIVMSG #tea :| 2", times=3)  # each with its date
        assert scene.said("word 8") == []


async def test_what_a_lost_connection_cut_off_is_said_to_be_lost(tmp_path: Path) -> None:
    async with teahouse(tmp_path, timeouts=PACED) as scene:
        scene.agent.will("\n\n".join(f"word {n}" for n in range(9)))
        await scene.say("ada", "!ask for much")
        await scene.hears("word 0")
        bridge = scene.house.bridge
        await scene.server.drops()
        with anyio.fail_after(PATIENCE):
            await bridge.is_cut_off()
            await bridge.at_home.wait()
        await scene.say("ada", "!more")
        await scene.hears("ada: There is no more: the rest of that reply could not be said, and is")


async def test_a_later_line_that_the_channel_refuses_ends_the_answer_and_its_asker_hears_why(
    tmp_path: Path,
) -> None:
    def filtered(line: str) -> list[str] | None:
        is_refused = line.startswith("PRIVMSG #tea") and "word 2" in line
        return [":srv 404 Terra #tea :Your line holds a word"] if is_refused else None

    async with teahouse(tmp_path) as scene:
        scene.server.answer = filtered
        scene.agent.will("\n\n".join(f"word {n}" for n in range(9)), "yes")
        await scene.say("ada", "!ask for much")
        await scene.hears("NOTICE ada", "I cannot speak in #tea: Your line holds a word")
        await scene.say("ada", "!more")
        await scene.hears(
            "ada: There is no more: the rest of that reply could not be said, and is lost."
        )
        await scene.say("ada", "!ask so?")
        await scene.hears("ada: [LLM] yes")
        assert scene.said("word 3") == []
    _, question, answer, _ = scene.agent.requests[-1]["messages"]
    assert "for much" in question["content"]  # what was said of it is talked about
    assert answer["content"] == "word 0\nword 1"


async def test_an_address_without_a_question_is_told_how_to_ask_and_is_no_talk(
    tmp_path: Path,
) -> None:
    async with teahouse(tmp_path) as scene:
        for number, address in enumerate(("Terra:", "Terra\uff1a", "@Terra", "!terrarium"), 1):
            await scene.say("bo", address)
            told = "bo: Ask me something: !terrarium QUESTION"
            await scene.hears(told, times=number)
        await scene.server.settles()
        await scene.house.bridge.flush()
        said = [line for line in await scene.house.lines("#tea") if line.nick == "bo"]
    assert [line.is_command for line in said] == [True] * 4
    assert not scene.agent.requests


async def test_after_an_answer_that_was_said_whole_there_is_no_more(tmp_path: Path) -> None:
    async with teahouse(tmp_path) as scene:
        await scene.server.says(*[f":{mask('bo')} PRIVMSG #tea :line {n}" for n in range(9)])
        scene.agent.will("one line")
        await scene.say("ada", "!recent 9 bo")
        await scene.hears("(5 more: !more)")
        await scene.say("ada", "!ask x")
        await scene.hears("ada: [LLM] one line")
        await scene.say("ada", "!more")
        await scene.hears("ada: There is no more.")


async def test_who_reads_on_is_a_human_until_nothing_is_left(tmp_path: Path) -> None:
    async with teahouse(tmp_path, timeouts=REFLEXES) as scene:
        scene.agent.will("\n".join(f"line {n}" for n in range(24)))
        await scene.say("bo", "!ask for much")
        for page in range(1, 6):
            await scene.hears("more: !more)", times=page)
            await scene.say("bo", "!more")
        await scene.hears("line 23")
        for number in (1, 2):
            await scene.say("bo", "!more")
            await scene.hears("bo: There is no more.", times=number)
        await scene.say("bo", "!more")
        await scene.hears("bo: " + limits.Refusal.PAUSED.value)


async def test_who_asks_the_next_thing_when_a_slow_reply_ends_is_a_human(tmp_path: Path) -> None:
    slow = replace(QUICK, burst=1, per_line=0.1, reflex=0.15)
    async with teahouse(tmp_path, timeouts=slow) as scene:
        scene.agent.will(*(["first\nthen\nlast"] * 5))
        for number in range(1, 6):
            await scene.say("bo", "!ask why?")
            await scene.hears("| [LLM] last", times=number)


async def test_stop_takes_back_the_askers_question_and_nobody_elses(tmp_path: Path) -> None:
    async with teahouse(tmp_path) as scene:
        scene.agent.will(hangs(says("never said")), "for bo")
        await scene.say("cy", "!ask slow one")
        with anyio.fail_after(PATIENCE):
            await scene.agent.asked(1)
        await scene.say("bo", "!ask quick one")
        await scene.say("bo", "Terra: !stop now", target="#mate")  # where bo asked nothing
        await scene.say("cy", "!stop")
        await scene.hears("cy: Stopped.")
        await scene.hears("bo: [LLM] for bo")
        await scene.hears("bo: no question of yours")
        scene.agent.release()
        assert scene.said("never said") == []


async def test_stop_works_inside_a_tool_call_and_drops_lines_not_yet_said(tmp_path: Path) -> None:
    slow = replace(QUICK, burst=1, per_line=0.3)
    async with teahouse(tmp_path, timeouts=slow) as scene:
        answer = "\n".join(f"line {n}" for n in range(4))
        scene.agent.will(calls("get_channel_stats"), hangs(says(answer)), answer, "after")
        await scene.say("ada", "!ask one")
        with anyio.fail_after(PATIENCE):
            await scene.agent.asked(2)  # the result of its tool is with the model
        await scene.say("ada", "!stop")
        await scene.hears("ada: Stopped.")
        await scene.say("ada", "!ask two")
        await scene.hears("ada: [LLM] line 0")
        await scene.say("ada", "!stop")
        await scene.say("ada", "!ask three")
        await scene.hears("ada: [LLM] after")
        assert len(scene.said("line ")) < 4
        assert scene.said("line 3") == []


@pytest.mark.parametrize("where", ["#tea", "Terra"])
async def test_of_an_answer_that_is_stopped_what_was_said_is_remembered_and_the_rest_is_lost(
    tmp_path: Path, where: str
) -> None:
    held: list[str] = []

    def holding(line: str) -> list[str] | None:
        """What is said third is confirmed once the scene lets it."""
        if not line.startswith("PING terrarium-said") or not scene.said("line 2"):
            return None
        held.append(line.split()[1])
        return []

    async with teahouse(tmp_path) as scene:
        scene.server.answer = holding
        scene.agent.will("\n".join(f"line {number}" for number in range(8)), "hm")
        ask, to = ("!ask ", "bo: ") if where == "#tea" else ("", "")
        await scene.say("bo", f"{ask}for much", target=where)
        await scene.hears("[LLM] line 2")
        await scene.say("bo", "!stop", target=where)
        await scene.hears(f"{to}Stopped.")
        scene.server.answer = None
        await scene.server.says(f":srv PONG srv {held[-1]}")
        await scene.say("bo", "!more", target=where)
        await scene.hears(f":{to}{NothingLeft.STOPPED}")
        await scene.say("bo", f"{ask}go on", target=where)
        await scene.hears("[LLM] hm")
        assert scene.said("line 3") == []
    _, _, answer, _ = scene.agent.requests[-1]["messages"]
    assert answer == {"role": "assistant", "content": "line 0\nline 1\nline 2"}


async def test_an_operator_stops_anybody_in_the_channel_and_a_member_only_themselves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notices, "EVERY", 0.1)
    async with teahouse(tmp_path) as scene:  # where ada is operator
        scene.agent.will(hangs(says("never said")), "the next")
        await scene.say("bo", "!ask one")
        await scene.say("cy", "!ask two")
        with anyio.fail_after(PATIENCE):
            await scene.agent.asked(1)
        await scene.say("eve", "!stop")
        await scene.hears("eve: no question of yours")
        await scene.say("ada", "!stop")
        await scene.hears("ada: Stopped.")
        await scene.say("bo", "!ask three")
        await scene.hears("bo: [LLM] the next")
        assert len(scene.agent.requests) == 2


@pytest.mark.parametrize("how", ["PART #mate,#TEA", "QUIT :bye"])
async def test_who_has_left_is_not_told_why_they_were_refused(tmp_path: Path, how: str) -> None:
    async with teahouse(tmp_path) as scene:
        await scene.enter("cy")
        await scene.server.says(
            f":{mask('cy')} PRIVMSG #tea :!quiet 1h",
            f":{mask('bo')} PRIVMSG #tea :!quiet 1h",
            f":{mask('cy')} {how}",
        )
        assert await scene.hears("only the channel's operators") == [
            f"PRIVMSG #tea :bo: {limits.Refusal.NOT_OPERATOR.value}"
        ]


async def test_where_we_were_kicked_nobody_is_told_why_they_were_refused(tmp_path: Path) -> None:
    async with teahouse(tmp_path) as scene:
        await scene.server.says(
            f":{mask('bo')} PRIVMSG #TEA :!quiet 1h",
            f":{mask('ada')} KICK #tea Terra :enough",
            f":{mask('bo')} PRIVMSG #mate :!quiet 1h",
        )
        refused = f"bo: {limits.Refusal.NOT_OPERATOR.value}"
        await scene.hears(f"PRIVMSG #mate :{refused}")
        assert scene.said(refused) == [f"PRIVMSG #mate :{refused}"]


async def test_quiet_says_nothing_records_all_and_survives_a_restart(tmp_path: Path) -> None:
    async with teahouse(tmp_path) as scene:
        await scene.say("bo", "!quiet 1h")
        await scene.hears("bo: only the channel's operators")
        await scene.say("ada", "!quiet soon")
        await scene.hears("NOTICE ada", "!quiet 30m, !quiet 1h, !quiet 2d")
        await scene.say("ada", "!quiet 99d")
        await scene.hears(
            "NOTICE ada :I say nothing in #tea until", "UTC (30d, which is the most), "
        )
        said = len(scene.said())
        for text in ("!ping", "Terra: hello", "!stop", "!who", "!quiet 1h"):
            await scene.say("bo", text)
        await scene.say("bo", "!ping", target="#mate")
        await scene.hears("PRIVMSG #mate :bo: pong")
        assert len(scene.said()) == said + 1
        await scene.house.bridge.flush()
        assert "Terra: hello" in [line.text for line in await scene.house.lines("#tea")]
    async with teahouse(tmp_path) as scene:
        await scene.say("bo", "!ping")
        await scene.say("bo", "!ping", target="#mate")
        await scene.hears("PRIVMSG #mate :bo: pong")
        assert len(scene.said()) == 1
        await scene.say("ada", "!quiet off")
        await scene.hears("NOTICE ada :I answer in #tea again.")
        await scene.say("bo", "!ping")
        await scene.hears("PRIVMSG #tea :bo: pong")


@pytest.mark.parametrize(("typed", "hours"), [("2 hours", 2), ("an hour", 1), ("1w", 168)])
async def test_quiet_takes_a_length_in_words(tmp_path: Path, typed: str, hours: int) -> None:
    async with teahouse(tmp_path) as scene:
        asked = datetime.now(UTC)
        await scene.say("ada", f"!quiet {typed}")
        [told] = await scene.hears("NOTICE ada :I say nothing in #tea until")
        ends = (at + timedelta(hours=hours) for at in (asked, datetime.now(UTC)))
        assert any(f"until {end:%Y-%m-%d %H:%M} UTC," in told for end in ends)


async def test_quiet_in_private_is_told_where_to_say_it_and_changes_nothing(tmp_path: Path) -> None:
    async with teahouse(tmp_path, admins=("*!ada@ada.example",)) as scene:
        await scene.say("ada", "!quiet 1h", target="Terra")
        await scene.hears("PRIVMSG ada :Say that in the channel that it is about.")
        await scene.say("bo", "!ping")
        await scene.hears("PRIVMSG #tea :bo: pong")


async def test_quiet_that_cannot_be_stored_holds_and_its_operator_knows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("terrarium_mcp.store.sqlite.engine.database.BUSY_MS", 100)
    async with teahouse(tmp_path) as scene:
        async with locked(tmp_path / "irc_logs.db"):
            await scene.say("ada", "!quiet 2d")
            await scene.hears("NOTICE ada :I say nothing in #tea", "it ends when I am restarted.")
        await scene.say("bo", "!ping")
        await scene.say("bo", "!ping", target="#mate")
        await scene.hears("PRIVMSG #mate :bo: pong")
        assert scene.said("PRIVMSG #tea") == []


async def test_quiet_begins_at_once_also_for_an_answer_in_work(tmp_path: Path) -> None:
    async with teahouse(tmp_path) as scene:
        scene.agent.will(hangs(says("too loud")), "elsewhere")
        await scene.say("bo", "!ask one")
        with anyio.fail_after(PATIENCE):
            await scene.agent.asked(1)
        await scene.server.says(
            f":{mask('ada')} PRIVMSG #tea :!quiet 1h",
            f":{mask('bo')} PRIVMSG #tea :!ping",  # in the same breath
        )
        await scene.hears("NOTICE ada")
        scene.agent.release()
        await scene.say("bo", "!ask two", target="#mate")
        await scene.hears("[LLM] elsewhere")
        assert scene.said("PRIVMSG #tea") == []


@pytest.mark.parametrize(
    ("where", "how"),
    [
        ("#tea", "PART #tea"),
        ("#tea", "PART #mate,#tea :bye"),
        ("#tea", "QUIT :bye"),
        ("Terra", "PART #tea"),
        ("Terra", "QUIT :bye"),
    ],
)
async def test_an_answer_whose_asker_has_left_is_not_said(
    tmp_path: Path, where: str, how: str
) -> None:
    async with teahouse(tmp_path) as scene:
        scene.agent.will(hangs(says("for nobody")), "the next")
        await scene.enter("cy")
        await scene.say("cy", "!ask anything", target=where)
        with anyio.fail_after(PATIENCE):
            await scene.agent.asked(1)
        await scene.server.says(f":{mask('cy')} {how}")
        await scene.server.settles()
        scene.agent.release()
        asker = "ada" if where == "#tea" else "bo"
        await scene.say(asker, "!ask the next", target=where)
        await scene.hears("[LLM] the next")
        assert scene.said("for nobody") == []


async def test_another_nick_at_the_same_host_stops_nothing_and_a_new_nick_of_ones_own_does(
    tmp_path: Path,
) -> None:
    def web(nick: str, words: str) -> str:
        return f":{nick}!web@gateway.example {words}"

    async with teahouse(tmp_path) as scene:
        scene.agent.will(hangs(says("too late")))
        await scene.server.says(*(web(nick, "JOIN #tea") for nick in ("cy", "eve")))
        await scene.server.says(web("cy", "PRIVMSG #tea :!ask one"))
        with anyio.fail_after(PATIENCE):
            await scene.agent.asked(1)
        await scene.server.says(web("eve", "PRIVMSG #tea :!stop"))
        await scene.hears("eve: no question of yours")
        await scene.server.says(web("cy", "NICK cyan"), web("cyan", "PRIVMSG #tea :!stop"))
        await scene.hears("cyan: Stopped.")
        scene.agent.release()
        assert scene.said("too late") == []


async def test_who_is_kicked_or_renamed_is_followed(tmp_path: Path) -> None:
    async with teahouse(tmp_path) as scene:
        scene.agent.will(hangs(says("for nobody")), hangs(says("for bob")))
        await scene.enter("cy")
        await scene.say("cy", "!ask one")
        with anyio.fail_after(PATIENCE):
            await scene.agent.asked(1)
        await scene.server.says(f":{mask('ada')} KICK #tea CY :out")
        await scene.say("bo", "!ask two", target="Terra")
        with anyio.fail_after(PATIENCE):
            await scene.agent.asked(2)
        await scene.server.says(f":{mask('bo')} NICK bob")
        await scene.server.settles()
        scene.agent.release()
        await scene.hears("PRIVMSG bob :[LLM] for bob")
        assert scene.said("for nobody") == []


@pytest.mark.parametrize("nick", [":cy bo", ":", "::cy"])
async def test_an_asker_whom_the_server_gives_a_nick_that_no_line_can_name_is_not_answered(
    tmp_path: Path, nick: str
) -> None:
    async with teahouse(tmp_path) as scene:
        scene.agent.will(hangs(says("for nobody")), "the next")
        await scene.enter("cy")
        await scene.say("cy", "!ask anything", target="Terra")
        with anyio.fail_after(PATIENCE):
            await scene.agent.asked(1)
        await scene.server.says(f":{mask('cy')} NICK {nick}")
        await scene.server.settles()
        scene.agent.release()
        await scene.say("bo", "!ask the next", target="Terra")
        await scene.hears("[LLM] the next")
        assert scene.said("for nobody") == []


async def test_after_a_lost_connection_nobody_is_answered_late(tmp_path: Path) -> None:
    async with teahouse(tmp_path) as scene:
        scene.agent.will(hangs(says("too late")), "in time")
        await scene.say("bo", "!ask one")
        await scene.say("ada", "!ask waiting")
        with anyio.fail_after(PATIENCE):
            await scene.agent.asked(1)
        bridge = scene.house.bridge
        await scene.server.drops()
        with anyio.fail_after(PATIENCE):
            await bridge.is_cut_off()
            await bridge.at_home.wait()
        scene.agent.release()
        await scene.say("bo", "!ask two")
        await scene.hears("bo: [LLM] in time")
        assert scene.said("too late") == []
        assert len(scene.agent.requests) == 2


async def test_a_plain_more_continues_an_answer_off_the_record_for_its_asker_alone(
    tmp_path: Path,
) -> None:
    async with teahouse(tmp_path) as scene:
        scene.agent.will("\n\n".join(f"xyzzy {number}" for number in range(10)))
        await scene.say("bo", "!ask [off] what?")
        await scene.hears("PRIVMSG #tea :[off] | [LLM] xyzzy 3 (6 more: !more)")
        await scene.say("ada", "!more")
        await scene.hears("PRIVMSG #tea :ada: There is no more that I know of: ")
        for last in ("xyzzy 7 (2 more: !more)", "xyzzy 9"):
            await scene.say("bo", "!more")
            await scene.hears(f"PRIVMSG #tea :[off] | [LLM] {last}")
        await scene.server.settles()
        await scene.house.bridge.flush()
    assert b"xyzzy" not in bytes_of(tmp_path / "irc_logs.db")


async def test_in_private_more_is_for_its_asker_also_under_another_nick(tmp_path: Path) -> None:
    async with teahouse(tmp_path) as scene:
        await scene.enter("eve")
        await scene.enter("eve", "bo", channel="#mate")
        scene.agent.will("\n\n".join(f"xyzzy {number}" for number in range(9)))
        await scene.say("bo", "what?", target="Terra")
        await scene.hears("PRIVMSG bo :| [LLM] xyzzy 3 (5 more: !more)")
        await scene.server.says(f":{mask('bo')} NICK bo2", f":{mask('eve')} NICK bo")
        await scene.server.says(":bo!eve@eve.example PRIVMSG Terra :!more")
        await scene.hears(f"PRIVMSG bo :{NothingLeft.UNKNOWN}")
        await scene.server.says(":bo2!bo@bo.example PRIVMSG Terra :!more")
        await scene.hears("PRIVMSG bo2 :| [LLM] xyzzy 7 (1 more: !more)")
        await scene.server.says(":bo2!bo@bo.example QUIT :bye", ":bo!eve@eve.example NICK bo2")
        await scene.server.says(":bo2!eve@eve.example PRIVMSG Terra :!more")
        await scene.hears(f"PRIVMSG bo2 :{NothingLeft.UNKNOWN}")
        assert scene.said("xyzzy 8") == []


SLOW = replace(QUICK, burst=1, per_line=1.0)


async def only_one_line_in_15_seconds(scene: Teahouse) -> None:
    """The pace from now on: what leaves at the start, with a WHO of each channel, is quicker."""
    await scene.server.hears("WHO", times=2)
    scene.house.bridge.network._session._queue._bucket = AsyncLimiter(1, 15)  # noqa: SLF001


@pytest.mark.parametrize(("waiting", "continued"), [("!more", "line 11"), ("!search tea", "hit 7")])
async def test_a_reply_that_waits_for_the_floor_is_continued_under_a_new_nick(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, waiting: str, continued: str
) -> None:
    async def found(_: CommandContext) -> list[str]:
        return [f"hit {n}" for n in range(12)]

    monkeypatch.setitem(HANDLERS, "search", found)
    async with teahouse(tmp_path, timeouts=replace(QUICK, burst=1, per_line=0.1)) as scene:
        scene.agent.will("\n\n".join(f"line {n}" for n in range(12)))
        await scene.say("bo", "!ask for much", target="Terra")
        await scene.hears("PRIVMSG bo :[LLM] line 0")
        await scene.say("bo", waiting, target="Terra")
        await scene.server.settles()
        await scene.server.says(f":{mask('bo')} NICK bob")
        await scene.hears("PRIVMSG bob :", "more: !more)", times=2)
        await scene.server.says(":bob!bo@bo.example PRIVMSG Terra :!more")
        (line,) = await scene.hears(continued)
        assert line.startswith("PRIVMSG bob :| ")


async def test_what_waits_to_be_said_in_private_follows_a_new_nick(tmp_path: Path) -> None:
    async with teahouse(tmp_path) as scene:
        await scene.enter("eve")
        await only_one_line_in_15_seconds(scene)
        scene.agent.will("\n".join(f"line {number}" for number in range(4)))
        await scene.say("bo", "what?", target="Terra")
        await scene.hears("[LLM] line 0")
        await scene.server.settles()  # and line 1 waits for the pace
        await scene.server.says(f":{mask('bo')} NICK bo2", f":{mask('eve')} NICK bo")
        await scene.server.settles()
        for number in range(1, 4):
            time_passes(15)  # a read in work has 20
            await scene.hears(f"[LLM] line {number}")
        assert [line.split(" :")[0] for line in scene.said("line")] == [
            "PRIVMSG bo",
            *["PRIVMSG bo2"] * 3,
        ]


@pytest.mark.parametrize("how", ["QUIT :bye", "PART #tea"])
async def test_what_waits_for_somebody_who_left_is_told_to_nobody(tmp_path: Path, how: str) -> None:
    async with teahouse(tmp_path, timeouts=SLOW) as scene:
        await scene.enter("eve")
        scene.agent.will("\n".join(f"line {number}" for number in range(4)))
        await scene.say("bo", "what?", target="Terra")
        await scene.hears("[LLM] line 0")
        await scene.say("bo", "!stop", target="Terra")
        await scene.server.settles()  # its answer waits for the pace
        await scene.server.says(f":{mask('bo')} {how}", f":{mask('eve')} NICK bo")
        await scene.server.says(":bo!eve@eve.example PRIVMSG Terra :!ping")
        await scene.hears("PRIVMSG bo pong")
        assert scene.said("PRIVMSG bo")[1:] == ["PRIVMSG bo pong"]


@pytest.mark.parametrize("mine", ["@account=bo ", ""])
async def test_people_at_one_host_read_no_more_of_each_other_in_private(
    tmp_path: Path, mine: str
) -> None:
    web = "web@gateway.example"
    async with teahouse(tmp_path) as scene:
        await scene.server.says(f":cy!{web} JOIN #tea", f":eve!{web} JOIN #tea")
        scene.agent.will("\n\n".join(f"xyzzy {number}" for number in range(9)))
        await scene.server.says(f"{mine}:cy!{web} PRIVMSG Terra :what?")
        await scene.hears("PRIVMSG cy :| [LLM] xyzzy 3 (5 more: !more)")
        await scene.server.says(f"{mine}:cy!{web} NICK cyan", f":eve!{web} NICK cy")
        await scene.server.says(f":cy!{web} PRIVMSG Terra :!more")
        await scene.hears(f"PRIVMSG cy :{NothingLeft.UNKNOWN}")
        await scene.server.says(f"{mine}:cyan!{web} PRIVMSG Terra :!more")
        await scene.hears("PRIVMSG cyan :| [LLM] xyzzy 7 (1 more: !more)")


@pytest.mark.parametrize("off", ["", "[off] "])
async def test_a_longer_mask_amid_an_answer_makes_no_line_without_its_mark(
    tmp_path: Path, off: str
) -> None:
    async with teahouse(tmp_path, timeouts=PACED) as scene:
        scene.agent.will("\n\n".join(" ".join([f"!{n}xyzzy"] * 55) for n in range(5)))
        await scene.say("bo", f"!ask {off}what?")
        await scene.hears("bo: [LLM] !0xyzzy")
        await scene.server.says(f":Terra!u@host.example CHGHOST u {'h' * 120}")
        *_, last = await scene.hears("more: !more)")
        said = [line.removeprefix("PRIVMSG #tea :") for line in scene.said("xyzzy")]
        assert len(said) > 4
        assert [line for line in said[1:] if not line.startswith(f"{off}| [LLM] !")] == []
        assert len(f":Terra!u@{'h' * 120} {last}\r\n") <= 512


async def test_off_the_record_neither_question_nor_answer_is_written(tmp_path: Path) -> None:
    async with teahouse(tmp_path) as scene:
        secret = "xyzzy " * 200
        scene.agent.will(
            calls("create_enhancement_request", title="xyzzy", summary="xyzzy"), secret, "xyzzy"
        )
        await scene.say("bo", "Terra: [off] what is xyzzy?")
        first = (await scene.hears("PRIVMSG #tea :[off] bo: [LLM] xyzzy"))[0]
        await scene.hears("PRIVMSG #tea :[off] | [LLM] xyzzy")
        await scene.say("bo", "!ask [OFF] and xyzzy?", target="#mate")
        await scene.hears("PRIVMSG #mate :[off] bo: [LLM] xyzzy")
        await scene.say("bo", "Terra: [nolog] !search xyzzy", target="#mate")
        await scene.hears("PRIVMSG #mate :[off] bo: Nothing found")
        await scene.say("bo", "on the record")
        await scene.server.settles()
        await scene.house.bridge.flush()
        assert len(first.encode()) <= 510
        tools = {tool["function"]["name"] for tool in scene.agent.requests[0]["tools"]}
        assert "create_enhancement_request" not in tools
        assert "search_irc_history" in tools
        written = bytes_of(tmp_path / "irc_logs.db")
        assert b"on the record" in written
        assert b"xyzzy" not in written
        assert await scene.house.store.backlog.all() == []


async def test_names_are_defused_except_the_askers_and_links_and_code_stay(tmp_path: Path) -> None:
    text = "ada knows `ada --bo`, see https://ada.example/bo and **bo**. cy: yes\n" + "\n".join(
        f"ada {n}" for n in range(6)
    )
    async with teahouse(tmp_path) as scene:
        scene.agent.will(text)
        await scene.enter("cy")
        await scene.say("cy", "!ask who knows?")
        (first,) = await scene.hears("cy: [LLM]")
        assert first.endswith(
            "a\u200dda knows ada --bo, see https://ada.example/bo and b\u200do. cy: yes"
        )
        await scene.hears("(3 more: !more)")
        await scene.say("cy", "!more")
        lines = await scene.hears("| [LLM] a\u200dda ", times=6)
        assert lines[-1].endswith("| [LLM] a\u200dda 5")
        await scene.seats(4)
        await scene.say("cy", "!who")
        await scene.hears("4 in #tea: 1 operator, 3 others: @a\u200dda, b\u200do, cy")


async def test_commands_that_are_too_many_are_refused_as_commands_and_not_as_questions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_up = anyio.Event()

    async def slow(_: CommandContext) -> list[str]:
        await looked_up.wait()
        return ["Nothing found."]

    monkeypatch.setitem(HANDLERS, "search", slow)
    async with teahouse(tmp_path) as scene:
        for number in range(DEPTH + 2):
            await scene.say(f"p{number}", "!search tea")
        refused = f"p{DEPTH} and p{DEPTH + 1}: Too many commands are waiting here. Try again"
        await scene.hears(refused)
        looked_up.set()
        await scene.hears("Nothing found.", times=DEPTH)
    assert scene.said("question") == []


async def test_one_persons_flood_of_commands_leaves_the_others_their_turn(tmp_path: Path) -> None:
    async with teahouse(tmp_path, timeouts=PACED) as scene:
        await scene.server.says(*[f":{mask('bo')} PRIVMSG #tea :!help"] * 200)
        await scene.say("ada", "!ping")
        await scene.hears("ada: pong")
        pong = scene.said().index("PRIVMSG #tea :ada: pong")
        assert pong <= 4
        await scene.server.settles()
        await scene.hears("bo: that was quick")
        assert len(scene.said("bo: that was quick")) == 1
        assert len(scene.said("bo: I remember")) < 10


async def test_a_thousand_nicks_are_refused_in_two_lines_that_fit(tmp_path: Path) -> None:
    async with teahouse(tmp_path) as scene:
        scene.agent.will(hangs(says("one")), *(["more"] * 4))
        for batch in range(10):
            await scene.server.says(
                *(
                    f":{'n' * 60}{batch}x{n}!u@host{batch}x{n} PRIVMSG #tea :!ask me"
                    for n in range(100)
                )
            )
        await scene.server.settles()
        lines = await scene.hears("Too many questions", times=2)
        assert max(len(line.encode()) for line in lines) <= 510
        assert re.search(r" and \d+ others: Too many questions", lines[-1])
        with anyio.fail_after(PATIENCE):
            await scene.agent.asked(1)
        scene.agent.release()
        await scene.hears("[LLM] more", times=4)
        assert len(scene.said("Too many questions")) == 2
        assert len(scene.agent.requests) == DEPTH


async def test_a_channel_that_asked_its_forty_waits_and_the_other_goes_on(tmp_path: Path) -> None:
    async with teahouse(tmp_path, channel_questions=3) as scene:
        scene.agent.will(*(["because"] * 4))
        for number in range(1, 4):
            await scene.say("ada", "!ask why?")
            await scene.hears("ada: [LLM] because", times=number)
        await scene.say("ada", "!ask why?")
        await scene.hears("ada: " + limits.Refusal.CHANNEL_SPENT.value)
        await scene.say("ada", "!ask why?", target="#mate")
        await scene.hears("PRIVMSG #mate :ada: [LLM] because")


async def test_who_must_wait_hears_so_once(tmp_path: Path) -> None:
    async with teahouse(tmp_path) as scene:
        scene.agent.will(hangs(says("one")), "two", "three")
        await scene.say("ada", "!ask one")
        await scene.say("bo", "!ask two")
        await scene.hears("bo: one moment, other questions come first.")
        await scene.say("bo", "!ask too many")
        await scene.server.settles()
        with anyio.fail_after(PATIENCE):
            await scene.agent.asked(1)
        scene.agent.release()
        await scene.hears("bo: [LLM] two")
        await scene.say("bo", "!ask three")
        await scene.hears("bo: [LLM] three")
        assert len(scene.said("bo:")) == 3


async def test_a_refusal_that_leaves_late_says_what_is_true_by_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notices, "GATHERED", 3 * PATIENCE)
    async with teahouse(tmp_path, channel_questions=4) as scene:
        scene.agent.will(hangs(says("one")), "two", "three")
        for nick, text in (("bo", "one"), ("bo", "two"), ("bo", "three"), ("ada", "three")):
            await scene.say(nick, f"!ask {text}")
        await scene.server.settles()
        with anyio.fail_after(PATIENCE):
            await scene.agent.asked(1)
        await scene.say("ada", "!ask and this?")
        await scene.server.settles()
        scene.agent.release()
        await scene.hears("ada: [LLM] three")
        time_passes(3 * PATIENCE)
        late = await scene.hears("I did not take what you asked a while ago. Ask again.")
        assert late[0].startswith("PRIVMSG #tea :bo and ada: I did not")
        assert scene.said("waiting already") == []


async def test_what_is_said_while_a_question_waits_is_nothing_it_is_shown(tmp_path: Path) -> None:
    async with teahouse(tmp_path) as scene:
        for n in range(30):
            await scene.say("ada", f"the gate creaks {n}" if n < 2 else f"tea {n}")
        scene.agent.will(hangs(), says("It does."))
        await scene.say("cy", "!ask who has the key?")
        with anyio.fail_after(PATIENCE):
            await scene.agent.asked(1)
        await scene.say("bo", "!ask who oiled the gate that creaks?")
        await scene.say("ada", "the gate that creaks was oiled by dee")
        await scene.house.bridge.flush()
        await scene.say("cy", "!stop")
        await scene.hears("bo: [LLM] It does.")
        shown = str(scene.agent.requests[-1])
        assert "the gate creaks 1" in shown
        assert "oiled by dee" not in shown


@pytest.mark.parametrize(
    ("joins", "is_back"),
    [
        ([":Cy!cy@cloak.example JOIN #mate", ":Cy!cy@cloak.example JOIN #TEA"], True),
        ([":cy!cy@cloak.example JOIN #mate,#tea"], True),
        ([":cy!eve@elsewhere.example JOIN #tea"], False),
        ([":cyril!cy@cy.example JOIN #tea"], False),
        ([":cy!cy@cloak.example JOIN #mate"], False),
    ],
)
async def test_who_quits_and_is_back_at_once_with_another_host_is_answered(
    tmp_path: Path, joins: list[str], is_back: bool
) -> None:
    async with teahouse(tmp_path) as scene:
        scene.agent.will(hangs(says("too late")), "the answer")
        await scene.enter("cy")
        await scene.say("cy", "!ask anything")
        with anyio.fail_after(PATIENCE):
            await scene.agent.asked(1)
        await scene.server.says(f":{mask('cy')} QUIT :Changing host", *joins)
        await scene.server.settles()
        scene.agent.release()
        asker = joins[-1][1:].partition("!")[0]
        if not is_back:
            asker = "ada"
            await scene.say(asker, "!ask the next")
        await scene.hears(f"{asker}: [LLM] the answer")
        assert scene.said("too late") == []
        assert len(scene.said("LLM")) == 1


@pytest.mark.parametrize("account", ["countess", "thief"])
async def test_who_asked_in_private_is_back_only_by_their_account(
    tmp_path: Path, account: str
) -> None:
    async with teahouse(tmp_path) as scene:
        scene.agent.will(hangs(says("too late")), "the answer")
        await scene.enter("cy")
        await scene.server.says(f"@account=countess :{mask('cy')} PRIVMSG Terra :!ask anything")
        with anyio.fail_after(PATIENCE):
            await scene.agent.asked(1)
        back = f":cy!cy@cloak.example JOIN #tea {account} :Cy"
        await scene.server.says(f":{mask('cy')} QUIT :Registered", back)
        await scene.server.settles()
        scene.agent.release()
        asker = "cy" if account == "countess" else "ada"
        if asker == "ada":
            await scene.say("ada", "!ask the next", target="Terra")
        await scene.hears(f"PRIVMSG {asker} :[LLM] the answer")
        assert len(scene.said("LLM")) == 1
