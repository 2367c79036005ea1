"""Who opted out, as the transaction sees it that writes messages."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from terrarium_mcp.chat.followed_nicks import FollowedNicks
from terrarium_mcp.chat.identity import DEFAULT_CASEMAPPING, Identity, fold
from terrarium_mcp.chat.opt_outs import NO_OPT_OUTS, Decision, OptOuts, author
from terrarium_mcp.chat.records import NewMessage
from terrarium_mcp.store.sqlite.engine.functions import storable
from terrarium_mcp.store.sqlite.engine.networks import casemapping_of
from terrarium_mcp.store.sqlite.engine.reads import Reads
from terrarium_mcp.store.sqlite.engine.voices_sql import RULES, parsed_rules
from terrarium_mcp.store.sqlite.engine.writes import Writer

MOST_IDENTITIES = 200
"""Identities kept of one person. Somebody who changes nick without end must not fill the disk."""

_PEOPLE = f"""
SELECT o.*, n.casemapping, {RULES} AS rules FROM (
  SELECT network, account, folded, user_host, since, nick, '' AS until FROM opt_outs
  UNION ALL
  SELECT network, account, folded, user_host, since, nick, until FROM past_opt_outs
) o LEFT JOIN networks n ON n.name = o.network"""  # noqa: S608 -- a constant
"""Every identity of those who opted out, with what it takes to compare names."""


async def stored_opt_outs(reads: Reads) -> OptOuts:
    """Who opted out, and who had opted out and is recorded again.

    Raises:
        StoreFailed: the file cannot be read.
    """
    rows = await reads.rows(_PEOPLE)
    if not rows:
        return NO_OPT_OUTS
    people, past = dict[Identity, Decision](), list[tuple[Identity, Decision]]()
    casemappings = dict[str, str]()
    for network, account, folded, user_host, since, nick, until, casemapping, _ in rows:
        user, _, host = user_host.rpartition("@")
        casemappings[network] = casemapping or DEFAULT_CASEMAPPING
        for its_nick in _nicks(folded, nick, casemappings[network]):
            who = Identity(network, its_nick, user, host, account)
            if until:
                past.append((who, Decision(since, nick, until)))
            else:
                people[who] = Decision(since, nick)
    return OptOuts(people, casemappings, parsed_rules(rows[0]["rules"]), past)


def _nicks(folded: str, declared: str, casemapping: str) -> list[str]:
    """The nicks that a row may be of, given that under which its person opted out.

    A nick that compares as the declared one by the default alone is both: the row may be from
    before the network told its CASEMAPPING, or of a nick that the person took later.
    """
    if folded == fold(declared, casemapping):
        return [declared]
    return [declared, folded] if folded == fold(declared) else [folded]


class OptOutReader:
    """Who opted out, as of a transaction. They are read again once anything may have changed.

    The writing connection's `data_version` changes with every commit of another connection, thus of
    another process; `changed()` stands for those of our own.
    """

    def __init__(self) -> None:
        self._version: int | None = None
        self._known = NO_OPT_OUTS
        self._carried = NO_OPT_OUTS
        self._members: dict[tuple[str, str], Collection[str]] = {}

    async def current(self, writer: Writer) -> OptOuts:
        """Who opted out."""
        version = await writer.value("PRAGMA data_version")
        if version != self._version:
            self._known = self._with_members(await stored_opt_outs(writer))
            self._version = version
        if self._carried:
            await self._carry_over(writer)
        return self._known

    def changed(self) -> None:
        """Read them again next time."""
        self._version = None

    def set_members(self, network: str, channel: str, nicks: Collection[str]) -> None:
        """Note the nicks of those who opted out and are in a channel. They are not stored."""
        if nicks != self._members.get((network, channel), ()):
            self._members[network, channel] = nicks
            self._known = self._with_members(self._known)

    def _with_members(self, known: OptOuts) -> OptOuts:
        members = [(home, one) for (home, _), nicks in self._members.items() for one in nicks]
        return replace(known, members=members)

    def carry_to_other_file(self) -> None:
        """Another file is opened, a new one or a backup: those known so far join its own."""
        self._carried = self._known
        self.changed()

    async def _carry_over(self, writer: Writer) -> None:
        missing = {
            who: decision
            for who, decision in self._carried.people.items()
            if not self._known.covers(who)
        }
        for who, decision in missing.items():
            await add_identity(writer, who, decision)
        known = {(who.network, decision) for who, decision in self._known.past}
        missing_past = [
            (who, decision)
            for who, decision in self._carried.past
            if (who.network, decision) not in known
        ]
        for who, decision in missing_past:
            await _add_past_identity(writer, who, decision)
        if missing or missing_past:  # carried until a later transaction sees them: this may fail
            self._known = self._with_members(await stored_opt_outs(writer))
            self.changed()
        else:
            self._carried = NO_OPT_OUTS


async def add_identity(writer: Writer, who: Identity, decision: Decision) -> None:
    """Store an identity of a person who opted out."""
    row = await _row(writer, who, decision) | {"most": MOST_IDENTITIES}
    await writer.run(
        "REPLACE INTO opt_outs (network, account, folded, user_host, nick, since)"
        " VALUES (:network, :account, :folded, :user_host, :nick, :since)",
        row,
    )
    await writer.run(
        "DELETE FROM opt_outs WHERE network = :network AND since = :since"
        " AND (account, folded, user_host) NOT IN ("
        "  SELECT account, folded, user_host FROM opt_outs"
        "  WHERE network = :network AND since = :since"
        "  ORDER BY (account, folded, user_host) IS NOT (:account, :folded, :user_host) LIMIT :most"
        " )",
        row,
    )
    await writer.run(
        "DELETE FROM presence WHERE folded = :folded"
        " AND room IN (SELECT id FROM rooms WHERE network = :network)",
        row,
    )


async def _add_past_identity(writer: Writer, who: Identity, decision: Decision) -> None:
    """Store an identity of a person who opted out, and in again."""
    await writer.run(
        "REPLACE INTO past_opt_outs (network, account, folded, user_host, nick, since, until)"
        " VALUES (:network, :account, :folded, :user_host, :nick, :since, :until)",
        await _row(writer, who, decision),
    )


async def _row(writer: Writer, who: Identity, decision: Decision) -> dict[str, object]:
    casemapping = await casemapping_of(writer, who.network)
    return {
        "network": storable(who.network),
        "account": storable(fold(who.account, casemapping)),
        "folded": storable(fold(who.nick, casemapping)),
        "user_host": storable(who.user_host),
        "nick": storable(decision.nick),
        "since": decision.since,
        "until": decision.until,
    }


async def permitted_messages(
    writer: Writer,
    opt_out_reader: OptOutReader,
    messages: Sequence[NewMessage],
    followed: FollowedNicks | None = None,
) -> Sequence[NewMessage | None]:
    """What may be written of each message.

    New identities of people who opted out are stored on the way: they stay opted out after a change
    of nick, a login, or from a new host. Those who are `followed` through a log need no host.
    """
    opt_outs = await opt_out_reader.current(writer)
    if not opt_outs:
        return messages
    kept = []
    for message in messages:
        allowed = followed.permitted(message, opt_outs) if followed else opt_outs.permitted(message)
        decision = opt_outs.decision(author(message)) if allowed is None else None
        if decision and (who := opt_outs.new_identity(message)):
            await add_identity(writer, who, decision)
            opt_out_reader.changed()
            opt_outs = opt_outs.with_identity(who, decision)
        kept.append(allowed)
    return kept
