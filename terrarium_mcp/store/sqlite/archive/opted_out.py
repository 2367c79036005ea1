"""Whose messages an export leaves out: those of people who opted out, whenever they were said."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from terrarium_mcp.chat.identity import DEFAULT_CASEMAPPING, fold
from terrarium_mcp.store.archive import ArchivedMessage, ArchivedPrivateMessage
from terrarium_mcp.store.sqlite.engine.database import Database


@dataclass(frozen=True)
class OptedOut:
    """The signs by which people who opted out are recognised, each with its network.

    Attributes:
        accounts: their services accounts, folded.
        sightings: their nicks, folded, with user@host.
        casemappings: the CASEMAPPING of each network.
    """

    accounts: frozenset[tuple[str, str]]
    sightings: frozenset[tuple[str, str, str]]
    casemappings: Mapping[str, str]

    def sent(self, message: ArchivedMessage | ArchivedPrivateMessage) -> bool:
        """Whether one of them sent a message. Where it shows no host, the nick alone decides."""
        if not (self.accounts or self.sightings):
            return False
        network = message.network or ""
        if message.account and (network, self._fold(network, message.account)) in self.accounts:
            return True
        nick = self._fold(network, message.nick or "")
        if message.host:
            return (network, nick, f"{message.user or ''}@{message.host}") in self.sightings
        return not message.account and (network, nick) in self._nicks

    @cached_property
    def _nicks(self) -> frozenset[tuple[str, str]]:
        return frozenset((network, nick) for network, nick, _ in self.sightings)

    def _fold(self, network: str, name: str) -> str:
        return fold(name, self.casemappings.get(network, DEFAULT_CASEMAPPING))


async def people_who_opted_out(database: Database) -> OptedOut:
    """Everybody who opted out, on all networks."""
    rows = await database.rows("SELECT network, account, folded, user_host FROM opt_outs")
    named = await database.rows("SELECT name, casemapping FROM networks")
    mappings = {row[0]: row[1] for row in named}
    return OptedOut(
        frozenset(
            (network, fold(account, mappings.get(network, DEFAULT_CASEMAPPING)))
            for network, account, *_ in rows
            if account
        ),
        frozenset((network, folded, user_host) for network, _, folded, user_host in rows),
        mappings,
    )
