"""Who speaks in a line, and which lines are asides."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.identity import CASEMAPPINGS
from terrarium_mcp.chat.relays import Relay
from terrarium_mcp.chat.voices import Aside, Voice, VoiceRules, rules_on

RULES = VoiceRules("Terra", "!", (Relay("Rel[ay]"),))


def voice(nick: str, text: str, *, is_own: bool | None = False, is_message: bool = True) -> Voice:
    return RULES.voice_of(nick, text, is_own=is_own, is_message=is_message)


def test_most_lines_are_said_by_who_sent_them() -> None:
    assert voice("ada", "the greenhouse heater is broken") == Voice()
    assert voice("ada", "<bo> is what he is called") == Voice()


def test_what_the_bot_recorded_as_its_own_is() -> None:
    assert voice("Terra-07", "pong", is_own=True) == Voice(Aside.OWN)
    assert voice("Terra", "I am a person here", is_own=False) == Voice()


def test_where_it_was_not_recorded_the_nick_tells() -> None:
    assert voice("terra", "pong", is_own=None) == Voice(Aside.OWN)
    assert voice("ada", "pong", is_own=None) == Voice()


def test_a_command_is_a_message_and_no_notice() -> None:
    assert voice("ada", "!search tea") == Voice(Aside.COMMAND)
    assert voice("ada", "\x02!search\x02 tea") == Voice(Aside.COMMAND)
    assert voice("ada", "!search tea", is_message=False) == Voice()


def test_of_a_relay_the_speaker_is_the_person_under_every_spelling_of_its_nick() -> None:
    for nick in ("Rel[ay]", "rel{AY}"):
        assert voice(nick, "<Jane> hello") == Voice(None, "Jane", 7)
    assert voice("ada", "<Jane> hello") == Voice()
    assert voice("Rel[ay]", "reconnected") == Voice()


def test_a_command_that_a_relay_carries_is_one() -> None:
    assert voice("Rel[ay]", "<Jane> !search tea") == Voice(Aside.COMMAND, "Jane", 7)


def test_what_is_said_is_without_the_name_of_a_relay() -> None:
    assert RULES.said("Rel[ay]", "<Jane> [off] secret") == "[off] secret"
    assert RULES.said("ada", "<Jane> [off] secret") == "<Jane> [off] secret"


@pytest.mark.parametrize(("network", "prefix"), [("net", "."), ("other", "?")])
def test_a_network_has_its_own_rules_or_those_of_all_others(network: str, prefix: str) -> None:
    known = {"net": VoiceRules(prefix="."), "": VoiceRules(prefix="?")}
    assert rules_on(network, known).prefix == prefix
    assert rules_on(network, {}) == VoiceRules()


@pytest.mark.parametrize(
    ("casemapping", "own", "command", "speaker"),
    [("rfc1459", Aside.OWN, Aside.COMMAND, "Jane"), ("ascii", None, None, None)],
)
def test_nicks_compare_as_on_their_network(
    casemapping: str, own: Aside | None, command: Aside | None, speaker: str | None
) -> None:
    rules = VoiceRules("Terra[]", "!", (Relay("Rel[ay]"),), casemapping)
    said = rules.voice_of("TERRA{}", "hi", is_own=None, is_message=True)
    asked = rules.voice_of("ada", "terra{}: hi", is_own=False, is_message=True)
    relayed = rules.voice_of("rel{ay}", "<Jane> hi", is_own=False, is_message=True)
    assert (said.aside, asked.aside, relayed.speaker) == (own, command, speaker)


NICKS = st.text("aT[\\~7", min_size=1, max_size=3)
SAID = st.text("!.aAtT{[|^~: \x02\x03\u200f\ufeff", max_size=6)


@given(NICKS, NICKS, st.sampled_from("!."), NICKS, SAID, st.sampled_from(CASEMAPPINGS))
def test_a_line_with_a_voice_begins_with_a_character_that_says_so(
    bot: str, relay: str, prefix: str, nick: str, said: str, casemapping: str
) -> None:
    rules = VoiceRules(bot, prefix, (Relay(relay),), casemapping)
    coded = f"{bot[:1]}\x02{bot[1:]}: {said}"
    meant = (f"{prefix}search {said}", f"{bot}: {said}", f"\u2067{bot}: {said}", coded)
    for text in (said, *meant, f"<Jane> {said}"):
        found = rules.voice_of(nick, text, is_own=None, is_message=True)
        may_have_one = nick[0] in rules.nick_starts or not text[:2].isprintable()
        may_have_one |= not rules.line_starts.isdisjoint((text[:1], text[:2]))
        assert found == Voice() or may_have_one
