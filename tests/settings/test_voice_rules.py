"""Settings change what is known of who speaks, as far as they describe the bot."""

from terrarium_mcp.chat.relays import Relay
from terrarium_mcp.chat.voices import VoiceRules
from terrarium_mcp.settings import Settings, changed_voice_rules, voice_rules_of


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
