"""Settings change what is known of who speaks, as far as they describe the bot."""

from terrarium_mcp.chat.relays import Relay
from terrarium_mcp.chat.voices import VoiceRules
from terrarium_mcp.settings import (
    Settings,
    changed_voice_rules,
    relays_with,
    voice_rules_of,
)


def test_only_settings_that_describe_the_bot_change_what_is_known_of_it() -> None:
    known = {"net": VoiceRules("Robo", ".", (Relay("bot", "net"),))}
    assert changed_voice_rules(Settings(), known) == {}
    assert changed_voice_rules(Settings(network="net"), known) == {}
    told = changed_voice_rules(Settings(network="net", command_prefix="?"), known)
    assert told == {"net": VoiceRules("Robo", "?", (Relay("bot", "net"),))}
    told = changed_voice_rules(Settings(network="net", irc_server="irc.example"), known)
    assert told == {"net": VoiceRules("Terra", "!", ())}
    assert changed_voice_rules(Settings(relays=(Relay("bot"),)), {}) == {
        "": VoiceRules(relays=(Relay("bot"),))
    }


def test_what_was_told_is_not_told_again() -> None:
    named = (Relay("a"), Relay("b", "net"), Relay("c", "other"))
    settings = Settings(network="net", irc_nick="Robo", relays=named)
    told = changed_voice_rules(settings, {})
    assert changed_voice_rules(settings, told) == {}
    assert voice_rules_of(settings) == told["net"]
    assert told == {
        "net": VoiceRules("Robo", "!", (Relay("a", "net"), Relay("b", "net"))),
        "other": VoiceRules("Terra", "!", (Relay("c", "other"),)),
    }


def test_a_relay_more_is_told_with_its_network_unless_that_is_home() -> None:
    settings = Settings(network="net", relays=(Relay("a"), Relay("b", "other")))
    assert relays_with(settings, "bot", "net") == "a,other/b,bot"
    assert relays_with(settings, "bot", "other") == "a,other/b,other/bot"
    assert relays_with(Settings(), "bot", "net") == "bot"
