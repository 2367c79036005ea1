"""Near misses of commands, and words that are nobody's."""

from string import ascii_lowercase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.commands import COMMANDS
from terrarium_mcp.chat.near_misses import _OTHER_WORDS, nearest_command

LONG = sorted(name for name in COMMANDS if len(name) >= 4)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("serch", "search"),
        ("saerch", "search"),
        ("searchh", "search"),
        ("earch", "search"),
        ("seatch", "search"),
        ("hlep", "help"),
        ("hel", "help"),
        ("help!", "help"),
        ("stat", "stats"),
        ("mroe", "more"),
        ("pign", "ping"),
        ("terrarum", "terrarium"),
        ("optuot", "optout"),
        ("forgett", "forget"),
    ],
)
def test_one_slip_is_near(typed: str, meant: str) -> None:
    assert nearest_command(typed, COMMANDS) == meant


@pytest.mark.parametrize(
    "typed",
    [
        *("weather", "karma", "seen", "quote", "tell", "8ball", "roll", "foo", "", "!", "!help"),
        *("sreach", "srch", "searching", "hlpe!", "opt"),  # two slips
        *("whoo", "wo", "ak", "asks"),  # near a short command, as are most short words
        *("top", "step", "mode", "quit", "contest", "option", "pong", "state"),  # English
        *("recent", "catchup", "status"),  # commands of a later bot
        *(".help", "-help", "\u00e4", "x" * 100_000),
    ],
)
def test_other_words_are_nobodys_slip(typed: str) -> None:
    assert nearest_command(typed, COMMANDS) == ""


@given(st.sampled_from(LONG), st.integers(0, 20), st.sampled_from(ascii_lowercase), st.data())
def test_every_single_slip_is_found(name: str, at: int, letter: str, data: st.DataObject) -> None:
    at %= len(name)
    slips = [
        name[:at] + name[at + 1 :],
        name[:at] + letter + name[at:],
        name[:at] + letter + name[at + 1 :],
        name[:at] + name[at + 1 : at + 2] + name[at] + name[at + 2 :],
    ]
    typed = data.draw(st.sampled_from(slips))
    is_word = typed == name or typed in _OTHER_WORDS
    assert nearest_command(typed, [name]) == ("" if is_word else name)


def test_every_word_of_other_bots_would_be_a_slip_otherwise() -> None:
    """Each stands in the list for a reason: it is one slip from a command."""
    for word in _OTHER_WORDS:
        slips = {word[:at] + word[at + 1 :] for at in range(len(word))}
        slips |= {
            word[:at] + letter + word[at + cut :]
            for at in range(len(word) + 1)
            for letter in ascii_lowercase
            for cut in (0, 1)
        }
        slips |= {
            word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1)
        }
        assert slips.intersection(COMMANDS), word
