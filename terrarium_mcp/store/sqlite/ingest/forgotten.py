"""What people had removed does not come back when a bouncer plays it back, or a log is imported.

The audit of such a removal holds no name, only fingerprints of who asked for it.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import blake2b

from terrarium_mcp.chat.identity import Identity, fold
from terrarium_mcp.chat.opt_outs import author
from terrarium_mcp.chat.records import NewMessage, Origin
from terrarium_mcp.chat.times.timestamps import to_text
from terrarium_mcp.store.sqlite.engine.functions import as_text, storable
from terrarium_mcp.store.sqlite.engine.writes import Writer

MARK = "="
"""Begins a fingerprint; no nick has it (RFC 2812 2.3.1)."""


def fingerprints(who: Identity) -> tuple[str, ...]:
    """One for the account, then one for the nick with user@host, as far as they are known."""
    signs = (
        ("account", who.account),
        ("user@host", who.host and f"{fold(who.nick)} {who.user_host}"),
    )
    return tuple(_fingerprint(who.network, kind, sign) for kind, sign in signs if sign)


async def without_forgotten(
    writer: Writer, messages: Sequence[NewMessage | None]
) -> Sequence[NewMessage | None]:
    """The messages, with None for each from before its author had theirs removed."""
    if all(message is None or message.origin is Origin.LIVE for message in messages):
        return messages
    until = await forgotten_until(writer)
    return [None if message and _is_forgotten(message, until) else message for message in messages]


async def had_removed(writer: Writer, who: Identity, said_at: datetime) -> bool:
    """Whether what somebody said at a moment was removed since, for them or with their nick."""
    if _is_covered(who, said_at, await forgotten_until(writer)):
        return True
    return is_purged(who.network, who.nick, said_at, await purged_until(writer))


PurgedUntil = Mapping[tuple[str, str], str]
"""Until when lines were purged by nick, by network ("" for all) and folded nick."""


async def purged_until(writer: Writer) -> PurgedUntil:
    """Until when the lines of which nicks were purged."""
    rows = await writer.rows(_PURGES)
    return {(as_text(network), fold(as_text(nick))): as_text(at) for network, nick, at in rows}


def is_purged(network: str, nick: str, said_at: datetime, until: PurgedUntil) -> bool:
    """Whether something that this nick said is older than a purge of it."""
    said, folded = to_text(said_at), fold(storable(nick))
    return any(said <= until.get((home, folded), "") for home in ("", storable(network)))


async def forgotten_until(writer: Writer) -> Mapping[str, str]:
    """Until when messages were removed, by fingerprint."""
    sql = f"SELECT nick, at FROM removals WHERE substr(nick, 1, 1) = '{MARK}' ORDER BY at"  # noqa: S608 -- a constant
    rows = await writer.rows(sql)
    return {one: as_text(at) for nick, at in rows for one in as_text(nick).split()}


def _is_forgotten(message: NewMessage, until: Mapping[str, str]) -> bool:
    if message.origin is Origin.LIVE or not until:
        return False
    return _is_covered(author(message), message.said_at, until)


def _is_covered(who: Identity, said_at: datetime, until: Mapping[str, str]) -> bool:
    surest = fingerprints(who)[:1]  # user@host counts only without an account
    return any(to_text(said_at) <= until.get(one, "") for one in surest)


_PURGES = (
    "SELECT network, nick, max(at) FROM removals WHERE kind = 'purge' AND nick != ''"
    " GROUP BY network, nick ORDER BY max(at)"
)


def _fingerprint(network: str, kind: str, sign: str) -> str:
    hashed = blake2b(f"{network} {kind} {fold(sign)}".encode("utf-8", "replace"), digest_size=12)
    return MARK + hashed.hexdigest()
