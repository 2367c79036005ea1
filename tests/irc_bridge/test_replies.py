"""Answers as people on a network receive them: whole, in lines that fit, and announced."""

import re
from dataclasses import replace
from pathlib import Path

import anyio
import pytest
import regex

from terrarium_mcp.irc_bridge.ask import question_service
from tests.irc_bridge.house import QUICK, living, settings_for
from tests.patience import PATIENCE
from tests.servers.agent import hangs, strict_agent
from tests.servers.ircd import Ircd
from tests.servers.person import Person, person

TYPING = replace(QUICK, typing_after=0.001, typing=0.05)
CHANNEL = "#" + "t" * 49  # the longest name on ngircd
NICK, BOT = "a" * 30, "Terra" + "t" * 25
NOTE = re.compile(r" \((\d+) more: !more\)$")

LINK = "https://example.org/" + "path/" * 60
CODE = "\n".join(f"{'    ' * (n % 4)}if tea[{n}] == 'green':  # 茶 {n}" for n in range(60))
ANSWERS = {
    "cjk": "日本語の長い答えです。とても長い。" * 90,
    "korean": "안녕하세요 여러분, 차를 마십시다. " * 90,
    "cyrillic": "Съешь же ещё этих мягких французских булок, да выпей чаю. " * 70,
    "hindi": "क्षत्रिय चाय पीते हैं। " * 80,
    "emoji": "👩‍👩‍👧‍👦👍🏽🇩🇪🏳️‍🌈 e\u0301\u0323" * 80,
    "links": f"See {LINK} and <{LINK}x>, or {LINK * 6} there. " * 3,
    "code": f"So:\n```py\n{CODE}\n```\nThat is all.",
}


def text_of(line: str) -> str:
    """The text of a line of ours, without what surrounds the answer in it."""
    text = line.split(" ", 3)[3].removeprefix(":")
    text = NOTE.sub("", text).removeprefix(f"{NICK}:").removeprefix("|")
    return text.removeprefix(" [LLM]").removeprefix(" ").removesuffix(" …")


def characters(text: str) -> list[str]:
    """What a reader sees as characters, without blanks."""
    return [one for one in regex.findall(r"\X", text) if one.strip()]


async def pages(ada: Person) -> list[str]:
    """All lines of the answer that is coming, with as many `!more` as it takes."""
    said: list[str] = []

    def new() -> list[str]:
        ours = [line for line in ada.lines if re.match(r":Terrat*!\S+ PRIVMSG ", line)]
        return ours[len(said) :]

    page = 4
    with anyio.fail_after(PATIENCE):
        while True:
            while len(new()) < page:
                await ada.news.wait()
            said += new()
            if not (note := NOTE.search(said[-1])):
                return said
            page = min(4, int(note[1]))
            await ada.types(f"PRIVMSG {CHANNEL} :!more")


@pytest.mark.parametrize("script", ANSWERS)
async def test_an_answer_arrives_whole_in_lines_that_fit(
    ircd: Ircd, tmp_path: Path, script: str
) -> None:
    answer = ANSWERS[script]
    async with strict_agent() as agent, person(NICK, ircd.port) as ada:
        await ada.joins(CHANNEL)
        async with living(
            settings_for(ircd, tmp_path, agent.url, irc_channels=(CHANNEL,), irc_nick=BOT)
        ):
            agent.will(answer)
            await ada.types(f"PRIVMSG {CHANNEL} :!ask what?")
            said = await pages(ada)
    assert max(len(f"{line}\r\n".encode()) for line in said) <= 512
    assert all("[LLM]" in line and "\ufffd" not in line for line in said)
    written = re.sub(r"```(py)?|[<>]", "", answer)
    assert [one for line in said for one in characters(text_of(line))] == characters(written)


async def test_while_a_question_is_in_work_the_bot_types_and_after_a_while_says_so(
    inspircd: Ircd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(question_service, "THINKING_AFTER", 0.3)
    async with strict_agent() as agent, person("ada", inspircd.port) as ada:
        await ada.types("CAP REQ :message-tags")
        await ada.joins("#tea")
        async with living(settings_for(inspircd, tmp_path, agent.url), timeouts=TYPING):
            agent.will(hangs())
            await ada.types("PRIVMSG #tea :!ask who?", "PRIVMSG #tea :!ping")
            with anyio.fail_after(PATIENCE):
                await ada.sees(":Terra!", "ada: pong")
                await ada.sees("+typing=active", ":Terra!", "TAGMSG", "#tea")
                await ada.sees(":Terra!", "ada: Thinking...")
                agent.release()
                await ada.sees(":Terra!", "[LLM] too late")
                known = len(ada.lines)
                await ada.types("PRIVMSG #tea :!ping")
                while not any("ada: pong" in line for line in ada.lines[known:]):
                    await ada.news.wait()
    assert not [line for line in ada.lines[known:] if "TAGMSG" in line]


async def test_where_typing_cannot_be_shown_nothing_is_sent(
    ngircd: Ircd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(question_service, "THINKING_AFTER", 0.3)
    async with strict_agent() as agent, person("ada", ngircd.port) as ada:
        await ada.joins("#tea")
        async with living(settings_for(ngircd, tmp_path, agent.url), timeouts=TYPING):
            agent.will(hangs())
            await ada.types("PRIVMSG #tea :!ask who?")
            with anyio.fail_after(PATIENCE):
                await ada.sees(":Terra!", "ada: Thinking...")
                agent.release()
                await ada.sees(":Terra!", "[LLM] too late")
    assert [line.split()[1] for line in ada.lines if line.startswith(":Terra!")] == [
        *("JOIN", "PRIVMSG", "PRIVMSG"),
        *["QUIT"] * (" QUIT " in ada.lines[-1]),
    ]


async def test_a_flood_from_the_model_is_cut_and_commands_nobody(
    ngircd: Ircd, tmp_path: Path
) -> None:
    hostile = "Hi bo.\r\nQUIT :bye\r\n\x01ACTION waves\x01 \x0304red\u202e\n!kick bo\n/quit\n"
    async with (
        strict_agent() as agent,
        person("ada", ngircd.port) as ada,
        person("bo", ngircd.port) as bo,
    ):
        await ada.joins("#tea")
        await bo.joins("#tea")
        async with living(settings_for(ngircd, tmp_path, agent.url), timeouts=TYPING):
            agent.will("<think>" + "hm " * 30_000 + "</think>" + hostile + "tea at four. " * 15_000)
            await ada.types("PRIVMSG #tea :!ask what?")
            with anyio.fail_after(PATIENCE):
                await bo.sees(":Terra!", "more: !more)")
    said = [line.split(" ", 3)[3] for line in bo.lines if re.match(":Terra!.* PRIVMSG", line)]
    assert said[:3] == [
        ":ada: [LLM] Hi b\u200do.",
        ":| [LLM] QUIT :bye",
        ":| [LLM] ACTION waves red",
    ]
    assert re.fullmatch(r":\| \[LLM\] !kick b\u200do \(\d+ more: !more\)", said[3])
