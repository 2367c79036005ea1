"""Commands without a prefix, also those whose arguments are a number, a nick or a time."""

import pytest

from terrarium_mcp.chat.commands import COMMANDS
from terrarium_mcp.irc_bridge.ask.bare_commands import bare_command


@pytest.mark.parametrize(
    ("said", "rest"),
    [
        *[("recent", ""), ("recent 10", "10"), ("recent 10 alice", "10 alice")],
        *[("seen alice", "alice"), ("Seen [al]ice_", "[al]ice_"), ("catchup", "")],
        *[
            ("catchup 2h", "2h"),
            ("catchup 2026-05-01", "2026-05-01"),
            ("catchup Yesterday", "Yesterday"),
        ],
        *[("status", ""), ("clear", ""), ("help seen", "seen")],
        *[("recent #tea 5", "#tea 5"), ("recent #tea", "#tea"), ("catchup #mate", "#mate")],
        *[("stats #tea", "#tea"), ("who #tea", "#tea"), ("catchup 2h #mate", "2h #mate")],
    ],
)
def test_a_command_with_its_argument_is_one(said: str, rest: str) -> None:
    assert bare_command(said, COMMANDS, "!") == (said.split(maxsplit=1)[0].lower(), rest)


@pytest.mark.parametrize(
    "said",
    [
        *("recent changes to the gate", "recent news?", "recent 10 of them please", "seen it"),
        *(
            "seen alice?",
            "seen alice today",
            "seen any of them",
            "catchup with alice",
            "catchup on",
        ),
        *("recent #tea news", "clear #tea", "who in #tea", "stats for #tea", "seen #tea"),
        *("status of the gate", "clear the table", "compact it", "stats for may", "", " "),
    ],
)
def test_what_could_be_a_sentence_is_none(said: str) -> None:
    assert bare_command(said, COMMANDS, "!") is None


def test_a_command_that_needs_its_prefix_there_is_none_but_help_explains_each() -> None:
    assert bare_command("seen alice", ("search", "help"), "!") is None
    assert bare_command("help seen", ("search", "help"), "!") == ("help", "seen")
    assert bare_command("help gate", ("search", "help"), "!") is None
