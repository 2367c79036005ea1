"""People are told commands to type, never the calls of tools."""

import pytest

from terrarium_mcp.irc_bridge.ask.short_commands.typed_commands import as_typed


@pytest.mark.parametrize(
    ("note", "typed"),
    [
        ('get_channel_stats(query="from:ada") does', "!stats from:ada does"),
        ('get_channel_stats(query="\\"a (b\\" in:#tea")', '!stats "a (b" in:#tea'),
        ('get_channel_stats(channel="#tea") does', "!stats #tea does"),
        ('as a question: query="tea from:ada"', "as a question: !stats tea from:ada"),
        ('get_current_users(channel="#tea") lists them', "!who #tea lists them"),
        ("search_irc_history finds them", "!search finds them"),
        ("get_current_users() lists them", "!who lists them"),
        ("nothing to call", "nothing to call"),
        ('get_channel_stats(query="x", per="day") does', ""),
        ("weeks before 2026-01-05 are not listed", "weeks before 2026-01-05 are not listed"),
    ],
)
def test_a_call_becomes_the_command_that_does_the_same(note: str, typed: str) -> None:
    assert as_typed(note, "!") == typed
