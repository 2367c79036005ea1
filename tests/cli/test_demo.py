"""The demo: what it prints for pasting is pasted, and what it keeps running rests."""

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import anyio
import pytest
from mcp import StdioServerParameters
from mcp.client.client import Client
from mcp.types import TextContent

from terrarium_mcp.demo.history import WORTH_ASKING, sample_messages
from tests.cli.programs import environment, quick_words, ran, words
from tests.patience import PATIENCE
from tests.servers.person import person
from tests.servers.terminal import Terminal, terminal

SIGNALS = pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
SCENE = 120
"""Seconds for a client to start, connect and be answered."""


def shows_the_round_trip(said: str) -> bool:
    """Whether the lines of the demo stand there, in their order."""
    question = said.index("<wren> !terrarium who fixed the garden gate?")
    called = said.index("calls search_irc_history(query=")
    answer = said.index("<Terra> wren: [LLM]")
    return question < called < answer and "I fixed the garden gate" in said[answer:]


class Demo:
    """A running demo and what it printed up to its last line."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.printed = ""
        assert process.stdout is not None
        while "Ctrl-C ends the demo" not in self.printed:
            line = process.stdout.readline()
            assert line, f"the demo ended by itself: {self.printed}"
            self.printed += line

    @property
    def port(self) -> int:
        """The port of its IRC server."""
        return int(self.find(r"IRC server listens on 127\.0\.0\.1:(\d+)"))

    def find(self, pattern: str) -> str:
        """The group of a pattern in what was printed."""
        found = re.search(pattern, self.printed, re.MULTILINE | re.DOTALL)
        assert found, self.printed
        return found[1]

    def cpu(self) -> float:
        """Seconds of CPU that it has used."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    """A demo that runs for all scenes of this page."""
    with subprocess.Popen(
        words("terrarium-mcp demo"),
        cwd=tmp_path_factory.mktemp("demo"),
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            yield Demo(process)
        finally:
            process.terminate()  # it removes its folder
            with suppress(subprocess.TimeoutExpired):
                process.wait(PATIENCE)
            process.kill()


def test_demo_once_shows_a_question_being_answered(tmp_path: Path) -> None:
    done = ran("terrarium-mcp demo --once", at=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert shows_the_round_trip(done.stdout)
    assert "stand-in" in done.stdout


@SIGNALS
def test_demo_serves_on_until_it_is_told_to_stop(tmp_path: Path, how: signal.Signals) -> None:
    with subprocess.Popen(
        quick_words("terrarium-mcp demo"),
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            demo = Demo(process)
            assert shows_the_round_trip(demo.printed)
            assert process.poll() is None
            process.send_signal(how)
            assert process.wait(PATIENCE) == 0
            assert process.stderr is not None
            assert "Traceback" not in process.stderr.read()
        finally:
            process.kill()


def test_the_demo_takes_less_than_2_percent_of_a_core_while_nobody_speaks(demo: Demo) -> None:
    # The end of a question, or the keeper's round, may fall into one or two of three times.
    assert any(share_of_a_core(demo, seconds=5) < 0.02 for _ in range(3))


def share_of_a_core(demo: Demo, seconds: float) -> float:
    """The share of a core that it uses during these seconds."""
    began, since = demo.cpu(), time.monotonic()
    with pytest.raises(subprocess.TimeoutExpired):
        demo.process.wait(seconds)
    return (demo.cpu() - began) / (time.monotonic() - since)


ANSWERS = (
    "certificate renewed, and the timer is enabled now",
    "decision: we keep the logs for a year",
    "200 g butter, 200 g sugar",
)


async def test_the_questions_to_try_are_answered(demo: Demo) -> None:
    async with person("otto", demo.port) as otto:
        with anyio.fail_after(SCENE):
            await otto.joins("#terrarium")
            for question, answer in zip(WORTH_ASKING, ANSWERS, strict=True):
                assert question in demo.printed
                await otto.types(f"PRIVMSG #terrarium :{question}")
                # The reply begins with it, not with `nothing with all these words`.
                said = await otto.sees(":Terra!", "PRIVMSG #terrarium :otto: ", answer)
                assert "nothing" not in said


async def is_answered(client: Terminal) -> None:
    """A question typed into the client is answered on its screen."""
    with anyio.fail_after(SCENE):
        await client.sees("Terra")
        await client.types("!terrarium who fixed the garden gate?")
        await client.sees("Terra", "[LLM]", "bo said: ", "I fixed the garden gate")


async def test_the_lines_for_irssi_join_the_channel(demo: Demo, tmp_path: Path) -> None:
    lines = re.findall(r"/network add .*|/connect -notls .*", demo.printed)
    async with terminal(["irssi", f"--home={tmp_path}", "-n", "otto"], os.environ) as irssi:
        with anyio.fail_after(SCENE):
            await irssi.sees("[(status)]")
            await irssi.types("\r".join(lines))
        await is_answered(irssi)


async def test_the_line_for_weechat_joins_the_channel(demo: Demo, tmp_path: Path) -> None:
    lines = re.findall(r"/set irc\.look.*|/connect irc:.*", demo.printed)
    async with terminal(["weechat", "--dir", str(tmp_path)], os.environ) as weechat:
        with anyio.fail_after(SCENE):
            await weechat.sees("weechat")
            await weechat.types(lines[0])
            await weechat.sees("Option changed")
            await weechat.types(lines[1])
        await is_answered(weechat)


async def test_the_entry_for_claude_desktop_starts_a_server_that_knows_the_history(
    demo: Demo,
) -> None:
    entry = json.loads(demo.find(r"^(\{$.*?^\})$"))["mcpServers"]["terrarium"]
    started = StdioServerParameters(command=entry["command"], args=entry["args"], cwd="/")
    async with Client(started) as client:
        await finds_the_gate(client)


async def test_the_address_for_claude_code_answers(demo: Demo) -> None:
    address = demo.find(r"claude mcp add --transport http terrarium (\S+)")
    async with Client(address) as client:
        await finds_the_gate(client)


async def finds_the_gate(client: Client) -> None:
    with anyio.fail_after(SCENE):
        answer = await client.call_tool("search_irc_history", {"query": "garden gate latch"})
    (content,) = answer.content
    assert isinstance(content, TextContent)
    assert "I fixed the garden gate" in content.text


def test_the_sample_is_a_few_hundred_lines_of_a_fortnight_in_order() -> None:
    now = datetime.now(UTC)
    lines = list(sample_messages("demo", "#terrarium", now))
    assert 200 <= len(lines) <= 500
    assert all(a.said_at <= b.said_at for a, b in pairwise(lines))
    assert lines[-1].said_at < now
    assert len({line.nick for line in lines}) >= 5
