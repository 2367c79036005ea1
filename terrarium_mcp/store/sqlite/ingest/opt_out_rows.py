"""The rows of who opted out: of those who still do, and of those who opted in again."""

from terrarium_mcp.chat.identity import DEFAULT_CASEMAPPING, Identity, fold
from terrarium_mcp.chat.opt_outs import NO_OPT_OUTS, Decision, OptOuts
from terrarium_mcp.store.sqlite.engine.functions import storable
from terrarium_mcp.store.sqlite.engine.networks import casemapping_of
from terrarium_mcp.store.sqlite.engine.reads import Reads
from terrarium_mcp.store.sqlite.engine.voices_sql import RULES, parsed_rules
from terrarium_mcp.store.sqlite.engine.writes import Writer

MOST_IDENTITIES = 200
"""Identities kept of one person. Somebody who changes nick without end must not fill the disk."""

ADD = """
REPLACE INTO opt_outs (network, account, folded, user_host, nick, since)
VALUES (:network, :account, :folded, :user_host, :nick, :since)"""
"""Adds an identity of a person who opted out."""

REMOVE_PRESENCE = """
DELETE FROM presence WHERE folded = :folded
AND room IN (SELECT id FROM rooms WHERE network = :network)"""
"""Removes such a person from the lists of who is where."""

ADD_PAST = """
REPLACE INTO past_opt_outs (network, account, folded, user_host, nick, since, until)
VALUES (:network, :account, :folded, :user_host, :nick, :since, :until)"""
"""Adds an identity of a person who opted out, and in again."""

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


async def add_identity(writer: Writer, who: Identity, decision: Decision) -> None:
    """Store an identity of a person who opted out."""
    row = await _row(writer, who, decision) | {"most": MOST_IDENTITIES}
    await writer.run(ADD, row)
    await writer.run(
        "DELETE FROM opt_outs WHERE network = :network AND since = :since"
        " AND (account, folded, user_host) NOT IN ("
        "  SELECT account, folded, user_host FROM opt_outs"
        "  WHERE network = :network AND since = :since"
        "  ORDER BY (account, folded, user_host) IS NOT (:account, :folded, :user_host) LIMIT :most"
        " )",
        row,
    )
    await writer.run(REMOVE_PRESENCE, row)


async def add_past_identity(writer: Writer, who: Identity, decision: Decision) -> None:
    """Store an identity of a person who opted out, and in again."""
    await writer.run(ADD_PAST, await _row(writer, who, decision))


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
