"""Every command is served by something, and once; `test_help` requires its row of traits."""

from terrarium_mcp.chat.commands import COMMANDS, QUESTIONS
from terrarium_mcp.irc_bridge.ask.command_traits import NEAR_MISS
from terrarium_mcp.irc_bridge.ask.handlers import HANDLERS

WITHOUT_HANDLER = {*QUESTIONS, "more", "quiet", "stop"}
"""Those that question_service, speech and moderation serve."""


def test_every_command_is_served_in_one_place() -> None:
    assert set(HANDLERS) == {*COMMANDS, NEAR_MISS} - WITHOUT_HANDLER
