"""A network gets another name: in every table, also where some rows know it by that name already.

So does one that had none once a setting names it, and one that a log or an earlier setting spelled
otherwise.
"""

# ruff: noqa: S608 -- every statement is made of constants

from collections.abc import Mapping

from terrarium_mcp.chat.identity import network_key
from terrarium_mcp.store.sqlite.engine.refolding import join_networks
from terrarium_mcp.store.sqlite.engine.writes import Writer

_OF_KNOWN_NETWORKS = (
    "rooms",
    "messages",
    "private_messages",
    "evidence",
    "import_sources",
    "dialogues",
)
"""Tables of which no row is of a network that `networks` does not hold too."""

_PERHAPS_KNOWN = (
    "opt_outs",
    "past_opt_outs",
    "voice_rules",
    "quiet_channels",
    "introductions",
    "heartbeats",
)
"""Tables that may know the network by its new name before any line was recorded there: from
settings, or from a person who opted out."""


async def rename_network(writer: Writer, old: str, new: str) -> None:
    """Give a network a new name in every table. What is known of it by that name stays."""
    both = {"old": old, "network": new}
    if await writer.value("SELECT 1 FROM networks WHERE name = :network", both):
        await join_networks(writer, old, new)
        await _join_evidence(writer, both)
    await writer.run("UPDATE networks SET name = :network WHERE name = :old", both)
    for table in (*_OF_KNOWN_NETWORKS, *_PERHAPS_KNOWN):
        await writer.run(
            f"UPDATE OR IGNORE {table} SET network = :network WHERE network = :old", both
        )
    is_respelt = network_key(old) == network_key(new)
    await writer.run(_RESPELL_REMOVALS if is_respelt else _RENAME_REMOVALS, both)
    for table in _PERHAPS_KNOWN:
        await writer.run(f"DELETE FROM {table} WHERE network = :old", both)
    # The lines are now subject to the rules of the network by its name.
    await writer.run("UPDATE derived SET upto = 0 WHERE name = 'voices'")


async def _join_evidence(writer: Writer, both: Mapping[str, str]) -> None:
    await writer.run(_JOIN_EVIDENCE, both)
    await writer.run("DELETE FROM evidence WHERE network = :old", both)


_RENAME_REMOVALS = "UPDATE removals SET network = :network WHERE network = :old"
# Fingerprints were made of the network as it was spelt (ingest/forgotten.py).
_RESPELL_REMOVALS = f"{_RENAME_REMOVALS} AND substr(nick, 1, 1) != '='"

_JOIN_EVIDENCE = """
INSERT INTO evidence (network, kind, sign, nick, first, last, messages)
SELECT :network, kind, sign, nick, first, last, messages FROM evidence WHERE network = :old
ON CONFLICT DO UPDATE SET first = min(first, excluded.first), last = max(last, excluded.last),
  messages = messages + excluded.messages"""
