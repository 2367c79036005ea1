"""What people type to the bot, and what only looks like it."""

import pytest

from terrarium_mcp.chat.commands import (
    addressed_to,
    command_after,
    command_meant,
    is_command,
    similar_nick,
)

TO_TERRA = (
    "!search greenhouse heater",
    "!SEARCH tea",
    "!help",
    "!serch tea",
    "!terrarium who fixed the gate?",
    "!ask\u3000who fixed it?",
    "!search\ttea",
    "!ask\u00a0who?",
    "Terra: who has the key?",
    "terra, thanks",
    "Terra-07: are you there?",
    "Terra:",
    "Terra:   ",
    "Terra\uff1ahi",
    "Terra\uff0c\u4f60\u597d",
    "terra\u3001hi",
    "\u200fTerra: who has the key?",
    "\u202a\u2067Terra, hi",
    "\u200b@Terra hi",
    "\ufeff!search tea",
    "Terra\u060c who has the key?",
    "terra\u060chi",
    "Terra\u060c",
    "@Terra\u060c hi",
    "Terra-07\u060c hi",
    "@Terra hi",
    "@terra: hi",
    "@Terra-07 hi",
    "@Terra",
    "Terra : hi",
    "Terra :hi",
    "terra , hi",
    "Terra :",
    "Terra-07 : hi",
    "Terra \uff1a\u4f60\u597d",
    "Terra \u060c hi",
    "Terra \u060c\u0645\u0631\u062d\u0628\u0627",
    "@Terra : hi",
    "!terra hi",
    "!Terra",
    "!terra-07 hi",
)
TO_NOBODY = (
    "",
    "!",
    "! search tea",
    " !search tea",
    "!\u3000search tea",
    "!weather here",
    "!top",
    "!sreach tea",
    "!!!",
    "search !search",
    "Terra",
    "Terrapin: hello",
    "\u200fbo: Terra said so",
    "\u200f Terra: hi",
    "@Terrapin hello",
    "@Terra.example",
    "@bo Terra is away",
    "@ Terra hi",
    "@@Terra hi",
    "thanks @Terra hi",
    "bo: @Terra said so",
    "Terra\uff0dhi",
    "Terra is a bot",
    "ask Terra: who?",
    "Terra-7: hello",
    "Terra-123: hello",
    "Terra :)",
    "Terra :D hi",
    "Terra :PPP",
    "Terra :smile:",
    "Terra :-) thanks",
    "Terra \u060c)",
    "Terra \u060cD hi",
    "Terra\u061b hi",
    "Terra\u061f",
    "Terra\u066b5",
    "Terrapin\u060c hi",
    "\u060cTerra hi",
    "bo\u060c Terra said so",
    "Terra is here\u060c hi",
    "Terra ... : hi",
    "Terrapin : hi",
    "!terrapin hi",
    ".terra hi",
    "?terra hi",
    "~terra",
)


@pytest.mark.parametrize("said", TO_TERRA)
def test_a_command_begins_with_the_prefix_and_its_name_or_with_the_nick(said: str) -> None:
    assert is_command(said, nick="Terra", prefix="!")


@pytest.mark.parametrize("said", TO_NOBODY)
def test_everything_else_is_talk(said: str) -> None:
    assert not is_command(said, nick="Terra", prefix="!")


def test_prefix_and_nick_are_those_of_the_settings() -> None:
    assert is_command(".search tea", nick="Robo", prefix=".")
    assert is_command("Robo: hello", nick="Robo", prefix=".")
    assert is_command("robo search tea", nick="Robo", prefix="robo ")
    assert not is_command("robo is a bot", nick="Robo", prefix="robo ")
    assert not is_command("!search tea", nick="Robo", prefix=".")
    assert not is_command("Terra: hello", nick="Robo", prefix=".")
    assert is_command("@Robo hello", nick="Robo", prefix="@")
    assert not is_command("@Terra hello", nick="Robo", prefix="@")


def test_with_a_prefix_that_begins_sentences_no_word_is_nearly_a_command() -> None:
    assert is_command("t!serch tea", nick="Terra", prefix="t!")
    assert not is_command("terra serch tea", nick="Bot", prefix="terra ")
    assert is_command("terra search tea", nick="Bot", prefix="terra ")


def test_a_nick_with_the_characters_of_a_pattern_is_taken_as_it_is() -> None:
    assert is_command("[a|b]: hello", nick="[a|b]", prefix="!")
    assert not is_command("a: hello", nick="[a|b]", prefix="!")


@pytest.mark.parametrize(
    ("casemapping", "said", "is_ours"),
    [
        ("rfc1459", "terra{}^: hi", True),
        ("rfc1459", "TERRA[]~, hi", True),
        ("strict-rfc1459", "terra{}~: hi", True),
        ("strict-rfc1459", "terra{}^: hi", False),
        ("ascii", "TERRA[]~: hi", True),
        ("ascii", "terra{}~: hi", False),
        ("rfc7613", "terra[]~: hi", True),
        ("rfc7613", "terra{}~: hi", False),
        ("rfc1459", "terra[]: hi", False),
        ("rfc1459", "terra{-07: hi", True),
        ("ascii", "terra{-07: hi", False),
    ],
)
def test_we_are_addressed_by_every_spelling_of_our_nick_on_that_network_and_no_other(
    casemapping: str, said: str, is_ours: bool
) -> None:
    text = addressed_to("Terra[]~", said, casemapping, or_similar=True)
    assert (text is not None) is is_ours
    assert is_command(said, nick="Terra[]~", prefix="!", casemapping=casemapping) is is_ours


def test_a_nick_of_other_letters_is_compared_where_the_network_has_such() -> None:
    assert addressed_to("\u00c4da\u00df", "\u00e4da\u00df: hi", "rfc7613") == "hi"
    assert addressed_to("\u00c4da\u00df", "\u00e4da\u00df: hi", "ascii") is None


def test_the_nick_of_a_bot_whose_own_is_taken_is_one_that_people_address_it_by() -> None:
    for nick in ("Terra", "Terrarium", "T"):
        said = f"{similar_nick(nick, 3)}: hello"
        assert is_command(said, nick=nick, prefix="!")
        assert addressed_to(nick, said) is None  # now it may be somebody else's
    assert similar_nick("Terrarium", 3) == "Terrar-03"


def test_the_parts_of_a_command() -> None:
    assert command_after("!", "!Search  green tea ") == ("search", "green tea")
    assert command_after("!", "tea") is None
    assert addressed_to("Terra", "Terra:  who? ") == "who?"
    assert addressed_to("Terra", "@Terra  who? ") == "who?"
    assert (
        addressed_to("Terra", "@Terra, who?") == addressed_to("Terra", "Terra\uff0cwho?") == "who?"
    )
    assert addressed_to("Terra", "Terra\u060c who?") == "who?"
    assert addressed_to("Terra", "Terra:") == ""
    assert addressed_to("Terra", "Terra : who?") == addressed_to("Terra", "Terra :who?") == "who?"
    assert addressed_to("Terra", "@Terra : who?") == addressed_to("Terra", "@Terra :who?") == "who?"
    assert addressed_to("Terra", "Terra who?") is None


def test_the_nick_behind_the_prefix_is_nearly_the_command_that_asks() -> None:
    assert command_meant("terra", "!", "Terra") == command_meant("robo", "!", "Robo") == "terrarium"
    assert command_meant("terra{}", "!", "Terra[]") == "terrarium"
    assert command_meant("terra{}", "!", "Terra[]", "ascii") == ""
    assert command_meant("terra", "!", "Robo") == command_meant("terra", "t ", "Terra") == ""
