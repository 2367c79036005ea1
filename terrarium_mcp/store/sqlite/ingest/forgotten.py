"""What people had removed does not come back when a bouncer plays it back, or a log is imported.

The audit names a nick that the operator purged. Of somebody who asked for it themselves it holds no
name, only fingerprints. These are hashes that begin with the network as it was spelt then. Where it
is spelt otherwise now, the row has the old spelling; where it got its name later, the row has that,
and the fingerprint is compared under both.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from typing import TypeAlias

from terrarium_mcp.chat.identity import (
    DEFAULT_CASEMAPPING,
    UNICODE_CASEMAPPING,
    Identity,
    fold,
    is_channel,
    network_key,
)
from terrarium_mcp.chat.opt_outs import author
from terrarium_mcp.chat.records import MessageType, NewMessage, Origin
from terrarium_mcp.chat.times.timestamps import to_text
from terrarium_mcp.chat.voices import VoiceRules, rules_on
from terrarium_mcp.store.sqlite.engine.functions import as_text, storable
from terrarium_mcp.store.sqlite.engine.networks import FOLD_AS_UNICODE
from terrarium_mcp.store.sqlite.engine.rooms import UNNAMED_NETWORK
from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.store.sqlite.index.voice_rules import stored_rules

MARK = "="
"""Begins a fingerprint; no nick has it (RFC 2812 2.3.1)."""

_MAPPINGS = (DEFAULT_CASEMAPPING, UNICODE_CASEMAPPING)
"""By which a purge compares nicks: by the first everywhere, by the other where Unicode folds."""

ForgottenUntil: TypeAlias = Mapping[str, Mapping[str, Mapping[str, str]]]
"""Until when messages were removed: by network in lower case, as spelt then, and fingerprint."""


def fingerprints(who: Identity) -> tuple[str, ...]:
    """One for the account, then those for the nick with user@host, as far as they are known.

    These are two where the nick has other letters than ASCII's: one by each of _MAPPINGS.
    """
    nicks = [fold(who.nick, mapping) for mapping in _MAPPINGS] if who.host else []
    signs = [("user@host", f"{nick} {who.user_host}") for nick in nicks]
    if who.account:
        signs.insert(0, ("account", who.account))
    return tuple(dict.fromkeys(_fingerprint(who.network, kind, sign) for kind, sign in signs))


@dataclass(frozen=True)
class Purges:
    """Purges of nicks, which concern what was said before them.

    Attributes:
        until: when the last was, by network ("" for all), casemapping and nick folded by it.
        rules: the relays of each network, as `rules_on` reads them.
        unicode_networks: those on which nicks compare by Unicode, and not by ASCII alone.
    """

    until: Mapping[tuple[str, str, str], str]
    rules: Mapping[str, VoiceRules]
    unicode_networks: frozenset[str]

    def cover(self, message: NewMessage) -> bool:
        """Whether they had removed a message, had it been stored."""
        return bool(self.until) and any(
            self.cover_nick(message.network, nick, message.said_at) for nick in self._nicks(message)
        )

    def cover_any(self, messages: Iterable[NewMessage]) -> bool:
        """Whether they had removed one of some messages."""
        return bool(self.until) and any(map(self.cover, messages))

    def cover_nick(self, network: str, nick: str, said_at: datetime) -> bool:
        """Whether something that this nick said is older than a purge of it."""
        stored, home = storable(nick), storable(network)
        mappings = _MAPPINGS if home in self.unicode_networks else _MAPPINGS[:1]
        last = max(
            self.until.get((where, mapping, fold(stored, mapping)), "")
            for where in ("", home)
            for mapping in mappings
        )
        return bool(last) and to_text(said_at) <= last

    def _nicks(self, message: NewMessage) -> Iterator[str]:
        """The nicks with whose lines a message goes."""
        yield message.nick
        if message.kind is MessageType.NICK:
            yield message.text
        if not is_channel(message.channel):
            yield message.channel
        rules = rules_on(message.network, self.rules)
        if rules.relays:
            voice = rules.voice_of(message.nick, message.text, is_own=message.own, is_message=False)
            if voice.speaker:
                yield voice.speaker


async def without_forgotten(
    writer: Writer, messages: Sequence[NewMessage | None]
) -> Sequence[NewMessage | None]:
    """The messages, with None for each from before its author had theirs removed, or was purged."""
    if all(message is None or message.origin is Origin.LIVE for message in messages):
        return messages
    until, purges = await forgotten_until(writer), await all_purges(writer)

    def is_forgotten(message: NewMessage) -> bool:
        return message.origin is not Origin.LIVE and (
            any(_is_covered(who, message.said_at, until) for who in _shown_by(message))
            or purges.cover(message)
        )

    return [None if message and is_forgotten(message) else message for message in messages]


def _shown_by(message: NewMessage) -> Iterator[Identity]:
    """Whose a message is: its author's, and a NICK also theirs under the new nick."""
    yield author(message)
    if message.kind is MessageType.NICK:
        yield author(message)._replace(nick=message.text)


async def had_removed(writer: Writer, who: Identity, said_at: datetime) -> bool:
    """Whether what a person said at a moment was removed since, for them or with their nick."""
    if _is_covered(who, said_at, await forgotten_until(writer)):
        return True
    return (await all_purges(writer)).cover_nick(who.network, who.nick, said_at)


async def all_purges(writer: Writer) -> Purges:
    """The purges of nicks so far."""
    rows = await writer.rows(_PURGES)
    if not rows:
        return Purges({}, {}, frozenset())
    until = {
        (as_text(network), mapping, fold(as_text(nick), mapping)): as_text(at)
        for network, nick, at in rows
        for mapping in _MAPPINGS
    }
    unicode_networks = frozenset(row[0] for row in await writer.rows(FOLD_AS_UNICODE))
    return Purges(until, await stored_rules(writer), unicode_networks)


async def forgotten_until(writer: Writer) -> ForgottenUntil:
    """Until when messages of those who asked for it were removed."""
    sql = f"SELECT network, nick, at FROM removals WHERE substr(nick, 1, 1) = '{MARK}' ORDER BY at"  # noqa: S608 -- a constant
    until: dict[str, dict[str, dict[str, str]]] = {}
    for network, nicks, at in await writer.rows(sql):
        spelt = as_text(network)
        removed = until.setdefault(network_key(spelt), {}).setdefault(spelt, {})
        removed |= dict.fromkeys(as_text(nicks).split(), as_text(at))
    return until


def surest(who: Identity) -> Identity:
    """What proves a message to be somebody's: user@host counts only without an account."""
    return who._replace(user="", host="") if who.account else who


def known_by(who: Identity) -> tuple[str, ...]:
    """The fingerprints of an identity, also those of the time before its network had a name."""
    return (*fingerprints(who), *fingerprints(who._replace(network=UNNAMED_NETWORK)))


def _is_covered(who: Identity, said_at: datetime, until: ForgottenUntil) -> bool:
    return any(
        to_text(said_at) <= removed.get(one, "")
        for spelt, removed in until.get(network_key(storable(who.network)), {}).items()
        for one in known_by(surest(who)._replace(network=spelt))
    )


_PURGES = (
    "SELECT network, nick, max(at) FROM removals WHERE kind = 'purge'"  # noqa: S608 -- a constant
    f" AND substr(nick, 1, 1) NOT IN ('', '{MARK}') GROUP BY network, nick ORDER BY max(at)"
)


def _fingerprint(network: str, kind: str, sign: str) -> str:
    hashed = blake2b(f"{network} {kind} {fold(sign)}".encode("utf-8", "replace"), digest_size=12)
    return MARK + hashed.hexdigest()
