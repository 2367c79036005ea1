"""!help explains every command that there is."""

from pathlib import Path

import pytest

from terrarium_mcp.chat.commands import COMMANDS
from terrarium_mcp.irc_bridge.ask.command_traits import TRAITS
from tests.irc_bridge.answer.replies import replied
from tests.irc_bridge.ask.desk import TEXT_BYTES, desk
from tests.irc_bridge.house import said


def test_every_command_has_its_line() -> None:
    assert set(TRAITS) == set(COMMANDS)
    assert all(one.meaning and not one.meaning.endswith(".") for one in TRAITS.values())


def test_every_command_with_arguments_has_an_example() -> None:
    assert all(bool(one.arguments) is bool(one.example) for one in TRAITS.values())


@pytest.mark.parametrize(("prefix", "channel"), [("!", "#tea"), ("terra", ""), ("!", "")])
async def test_the_list_is_said_at_once(tmp_path: Path, prefix: str, channel: str) -> None:
    contact = "ada@example.org on this network"
    async with desk(tmp_path, command_prefix=prefix, contact=contact, retention_days=365) as scene:
        lines = await scene.asks(f"{prefix}help", channel=channel)
        assert all(f"{prefix}{name}" in lines[0] for name in COMMANDS)
        assert "In private just ask" in lines[1]
        to = "a" * 30 if channel else ""
        reply = replied(lines, to=to, mark="", line_bytes=TEXT_BYTES + 32, prefix=prefix)
        assert not reply.more


async def test_one_command_is_explained_with_its_form_and_an_example(tmp_path: Path) -> None:
    async with desk(tmp_path) as scene:
        for asked in ("!help search", "!help !SEARCH"):
            (line,) = await scene.asks(asked)
            assert line.startswith("!search WORDS: the best lines with these words; also ")
            assert line.endswith(" For example: !search user:alice hours:48 gate")
        assert await scene.asks("!help who") == ["!who: who is here."]


async def test_every_example_of_a_look_up_finds_something(tmp_path: Path) -> None:
    async with desk(tmp_path, [said("the gate is green", nick="alice")]) as scene:
        for name in ("search", "recent", "stats"):
            (line,) = await scene.asks(f"!{name} {TRAITS[name].example}")
            assert "<alice> the gate is green" in line or line.startswith("alice: 1 line")
