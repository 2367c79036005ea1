"""Where an introduction was not said, it is due again."""

from pathlib import Path

import pytest

from terrarium_mcp.irc_bridge.ask import introduction
from terrarium_mcp.irc_bridge.ask.introduction import Introducer
from terrarium_mcp.irc_bridge.network.errors import NotConnected
from terrarium_mcp.settings import ChannelWays, Settings
from terrarium_mcp.store import open_store


async def test_one_that_could_not_be_said_before_we_left_is_due_when_we_return(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(introduction, "AGAIN", (0.01,))
    joined, said = {"#tea"}, []
    settings = Settings(introduction="on")

    async def say(channel: str, text: str) -> None:
        if channel not in said:
            said.append(channel)
            joined.discard(channel)
            raise NotConnected("irc.example")
        said.append(text)

    async with open_store(tmp_path / "irc_logs.db") as store:
        introducer = Introducer(store, lambda: settings, say, joined.__contains__, str)
        assert introducer.take_due("#tea")
        await introducer.introduce("#tea", ChannelWays)
        assert len(said) == 1
        joined.add("#tea")
        assert introducer.take_due("#tea")
        await introducer.introduce("#tea", ChannelWays)
        assert "I record this channel" in said[1]
        assert not introducer.take_due("#tea")


async def test_a_bug_costs_one_introduction_and_ends_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = Settings(introduction="on")

    async def say(_channel: str, _text: str) -> None:
        raise KeyError("a bug of ours")

    async with open_store(tmp_path / "irc_logs.db") as store:
        introducer = Introducer(store, lambda: settings, say, {"#tea"}.__contains__, str)
        assert introducer.take_due("#tea")
        await introducer.introduce("#tea", ChannelWays)
    assert "the introduction in #tea failed" in caplog.text
    assert "KeyError: 'a bug of ours'" in caplog.text
