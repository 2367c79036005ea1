"""What people had removed does not come back when a bouncer plays it back, or a log is imported.

The audit of such a removal holds no name, only fingerprints of who asked for it.
"""

from collections.abc import Mapping, Sequence
from hashlib import blake2b

from terrarium_mcp.chat.identity import Identity, fold
from terrarium_mcp.chat.opt_outs import author
from terrarium_mcp.chat.records import NewMessage, Origin
from terrarium_mcp.chat.times.timestamps import to_text
from terrarium_mcp.store.sqlite.engine.database import Writer
from terrarium_mcp.store.sqlite.engine.functions import as_text

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
    until = await _forgotten_until(writer)
    return [None if message and _is_forgotten(message, until) else message for message in messages]


async def _forgotten_until(writer: Writer) -> Mapping[str, str]:
    """Until when messages were removed, by fingerprint."""
    sql = f"SELECT nick, at FROM removals WHERE substr(nick, 1, 1) = '{MARK}' ORDER BY at"  # noqa: S608 -- a constant
    rows = await writer.rows(sql)
    return {one: as_text(at) for nick, at in rows for one in as_text(nick).split()}


def _is_forgotten(message: NewMessage, until: Mapping[str, str]) -> bool:
    if message.origin is Origin.LIVE or not until:
        return False
    surest = fingerprints(author(message))[:1]  # user@host counts only without an account
    return any(to_text(message.said_at) <= until.get(one, "") for one in surest)


def _fingerprint(network: str, kind: str, sign: str) -> str:
    hashed = blake2b(f"{network} {kind} {fold(sign)}".encode("utf-8", "replace"), digest_size=12)
    return MARK + hashed.hexdigest()
