"""What settings say about voices: the bot's nick and prefix, and the relays of each network."""

from collections.abc import Mapping
from dataclasses import replace

from terrarium_mcp.chat.relays import Relay
from terrarium_mcp.chat.voices import VoiceRules, rules_on
from terrarium_mcp.settings.declarations import Settings


def voice_rules_of(settings: Settings) -> VoiceRules:
    """How lines of the network of these settings are told apart."""
    relays = _relays_on(settings, settings.network_name, is_home=True)
    return VoiceRules(settings.irc_nick, settings.command_prefix, relays)


def changed_voice_rules(
    settings: Settings, known: Mapping[str, VoiceRules]
) -> dict[str, VoiceRules]:
    """The voice rules by network that these settings change, given those that are `known`.

    Settings that name an IRC server describe the bot, so all of theirs count. Others, such as those
    of a server that a chat client starts, change only what they name themselves; without a network
    this holds for all (""). Each of several networks tells its own.
    """
    homes = {_home(one): one for one in settings.networks}
    others = {
        relay.network: one for one in settings.networks for relay in one.relays if relay.network
    }
    rules = {
        network: _rules_after(one, network, rules_on(network, known))
        for network, one in (others | homes).items()
    }
    return {name: told for name, told in rules.items() if told != rules_on(name, known)}


def relays_with(settings: Settings, nick: str, network: str) -> str:
    """TERRARIUM_RELAYS with one relay more."""
    is_home = _home(settings) in ("", network)
    return ",".join(map(str, [*settings.relays, Relay(nick, "" if is_home else network)]))


def _rules_after(settings: Settings, network: str, rules: VoiceRules) -> VoiceRules:
    """The voice rules of a network, after what these settings say about it."""
    is_home = network == _home(settings)
    if is_home and _describes_bot(settings, "irc_nick"):
        rules = replace(rules, nick=settings.irc_nick)
    if is_home and _describes_bot(settings, "command_prefix"):
        rules = replace(rules, prefix=settings.command_prefix)
    if _describes_bot(settings, "relays"):
        rules = replace(rules, relays=_relays_on(settings, network, is_home=is_home))
    return rules


def _home(settings: Settings) -> str:
    """The network of what is named without one; "" means all, where none is described."""
    return settings.network_name if settings.network or settings.irc_server else ""


def _describes_bot(settings: Settings, field: str) -> bool:
    return bool(settings.irc_server) or field in settings.model_fields_set


def _relays_on(settings: Settings, network: str, *, is_home: bool) -> tuple[Relay, ...]:
    """The relays of a network; those named without one are on the home network."""
    named = (network, "") if is_home else (network,)
    return tuple(replace(one, network=network) for one in settings.relays if one.network in named)
