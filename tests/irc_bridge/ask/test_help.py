"""!help explains every command that there is."""

from terrarium_mcp.irc_bridge.ask.commands import NAMES
from terrarium_mcp.irc_bridge.ask.help import WORDS


def test_every_command_has_its_line() -> None:
    assert set(WORDS) == set(NAMES)
    assert all(word.meaning and not word.meaning.endswith(".") for word in WORDS.values())


def test_every_command_with_arguments_has_an_example() -> None:
    assert all(bool(word.arguments) is bool(word.example) for word in WORDS.values())
