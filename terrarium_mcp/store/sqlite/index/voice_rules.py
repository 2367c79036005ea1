"""The voice rules of the file: they say who speaks in a line, and which lines are asides.

They come from the settings of the process that knows the bot, and are kept in the file, so that
every process goes by the same rules. While a network is recorded, only the process that records it
changes them: an MCP server beside it may have been started with settings from before a reload.
When they change, the lines are looked at again.
"""

import json
import logging
from collections.abc import Collection, Mapping

from terrarium_mcp.chat.voices import VoiceRules
from terrarium_mcp.settings import Settings, changed_voice_rules
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.functions import storable
from terrarium_mcp.store.sqlite.engine.reads import Reads
from terrarium_mcp.store.sqlite.engine.voices_sql import RULES, parsed_rules
from terrarium_mcp.store.sqlite.index.voices import Voices

_STORED = f"SELECT {RULES}"

log = logging.getLogger(__name__)


async def stored_rules(reads: Reads) -> Mapping[str, VoiceRules]:
    """The rules of the file, by network, as `rules_on` reads them.

    Raises:
        StoreFailed: the file cannot be read.
    """
    return parsed_rules(await reads.value(_STORED))


async def are_news(database: Database, settings: Settings) -> bool:
    """Whether the settings name rules that are not those of the file.

    Raises:
        StoreFailed: the file cannot be read.
    """
    return bool(_told(settings, await database.value(_STORED)))


async def adopt_rules(
    database: Database, settings: Settings, *, but_of: Collection[str] = ()
) -> None:
    """Store the rules that the settings name, and have the lines looked at again if they changed.

    Those of the networks `but_of` remain as they are.

    Raises:
        StoreFailed: the file cannot be written.
    """
    async with database.writing() as writer:
        told = _told(settings, await writer.value(_STORED))
        told = {network: rules for network, rules in told.items() if network not in but_of}
        if not told:
            return
        await writer.many(
            "REPLACE INTO voice_rules (network, nick, prefix, relays) VALUES (?, ?, ?, ?)",
            [_row(network, rules) for network, rules in told.items()],
        )
        await writer.run(
            "UPDATE derived SET upto = 0 WHERE name = :name AND upto > 0", {"name": Voices.name}
        )
        has_lines = await writer.value("SELECT EXISTS (SELECT 1 FROM messages)")
    if has_lines:
        log.info("the nick, the prefix or the relays changed: re-examining every line")


def _told(settings: Settings, stored: str) -> Mapping[str, VoiceRules]:
    return changed_voice_rules(settings, parsed_rules(stored))


def _row(network: str, rules: VoiceRules) -> tuple[str, ...]:
    relays = json.dumps([[storable(one.nick), storable(one.head)] for one in rules.relays])
    return storable(network), storable(rules.nick), storable(rules.prefix), relays
