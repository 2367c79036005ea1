"""!help explains every command that there is."""

from terrarium_mcp.irc_bridge.ask.commands import NAMES
from terrarium_mcp.irc_bridge.ask.help import WORDS


def test_every_command_has_its_line() -> None:
    assert set(WORDS) == set(NAMES)
    assert all(meaning and not meaning.endswith(".") for _, meaning in WORDS.values())
