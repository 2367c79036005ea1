"""The SQL of voices: who speaks in a message, what they say, and whether it is evidence.

A message `m` has a row in `voices` only if it is relayed, or an aside. Where many messages are read
the table is joined once (`JOINED`); elsewhere each expression looks its row up by itself.
"""

# ruff: noqa: S608 -- every statement is made of constants

import json
from collections.abc import Mapping
from functools import lru_cache

from terrarium_mcp.chat.identity import DEFAULT_CASEMAPPING
from terrarium_mcp.chat.relays import Relay
from terrarium_mcp.chat.voices import Aside, Voice, VoiceRules, rules_on

JOINED = "messages m LEFT JOIN voices v ON v.id = m.id"
"""The messages `m`, each with its row `v`, if it has one."""

JOINED_SPEAKER = "ifnull(v.speaker, m.nick)"
"""Who said message `m`: the sender, or the person whose words a relay carried."""

JOINED_TEXT = (
    "CASE WHEN v.text_at THEN substr(CAST(m.message AS TEXT), v.text_at) ELSE m.message END"
)
"""What they said: the message, or the part of it behind the name that a relay put in front."""

CARRIED = "(SELECT speaker FROM voices WHERE id = m.id)"
"""Whose words message `m` is, if a relay carried them; else NULL."""

SPEAKER = f"ifnull({CARRIED}, m.nick)"
TEXT = (
    "ifnull((SELECT substr(CAST(m.message AS TEXT), text_at) FROM voices"
    " WHERE id = m.id AND text_at NOT NULL), m.message)"
)
"""Who speaks in message `m`, and what they said, without a join of `voices`."""

IS_ASIDE = "EXISTS (SELECT 1 FROM voices WHERE id = m.id AND aside NOT NULL)"
IS_COMMAND = f"EXISTS (SELECT 1 FROM voices WHERE id = m.id AND aside = {Aside.COMMAND})"
"""The SQL conditions that message `m` is an aside, and that it is a command to the bot."""

VOICE = "(SELECT json_array(aside, speaker, text_at) FROM voices WHERE id = m.id)"
"""The row of message `m` as one column, for `parsed_voice`; NULL for most."""

RULES = (
    "(SELECT json_group_array(json_array(network, nick, prefix, json(relays),"
    f" ifnull(casemapping, '{DEFAULT_CASEMAPPING}')))"
    " FROM voice_rules LEFT JOIN networks ON name = network)"
)
"""The voice rules of the file, for `parsed_rules`."""

VoiceRow = tuple[int | None, str | None, int | None]
"""Aside, speaker, and the place of the text, as `voices` holds them: the first place is 1."""

_PLAIN = Voice()


def voice_row(
    known: Mapping[str, VoiceRules],
    network: str,
    nick: str,
    text: str,
    *,
    is_own: bool | None,
    is_message: bool,
) -> VoiceRow | None:
    """The row of a spoken message by the rules of its network; None for most messages.

    `is_own` and `is_message` are those of `VoiceRules.voice_of`.
    """
    voice = rules_on(network, known).voice_of(nick, text, is_own=is_own, is_message=is_message)
    if voice == _PLAIN:
        return None
    return voice.aside, voice.speaker, None if voice.text_at is None else voice.text_at + 1


def parsed_voice(stored: str | None) -> VoiceRow:
    """The row of a message from a column VOICE."""
    if not stored:
        return None, None, None
    aside, speaker, text_at = json.loads(stored)
    return aside, speaker, text_at


@lru_cache(maxsize=16)  # asked for every line that is indexed
def parsed_rules(stored: str) -> Mapping[str, VoiceRules]:
    """The voice rules by network, from a column RULES."""
    return {
        network: VoiceRules(
            nick, prefix, tuple(Relay(relay, network, head) for relay, head in relays), casemapping
        )
        for network, nick, prefix, relays, casemapping in json.loads(stored)
    }
