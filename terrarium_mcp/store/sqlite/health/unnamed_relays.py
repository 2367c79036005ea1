"""Relays that no setting names: nicks most of whose lines begin with somebody else's name."""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.relays import relayed_line
from terrarium_mcp.store.sqlite.engine.functions import as_text
from terrarium_mcp.store.sqlite.engine.index_words import nick_words
from terrarium_mcp.store.sqlite.index.fts_syntax import all_speech, one_of

FEWEST = 20
"""Lines of a nick below which nothing can be said of it."""

_NICKS = 50
"""Nicks that are looked at, those with most lines: a relay carries many people's."""

_NEWEST = 200
"""Lines of each nick that are looked at."""

_TALKERS = """
SELECT r.network, n.folded, sum(n.lines) AS lines
FROM nick_counts n JOIN rooms r ON r.id = n.room
GROUP BY 1, 2 HAVING lines >= :fewest ORDER BY lines DESC LIMIT :nicks"""

_LINES = """
SELECT m.nick, m.message FROM message_index CROSS JOIN messages m ON m.id = -message_index.rowid
WHERE message_index MATCH :match AND m.network = :network
ORDER BY message_index.rowid LIMIT :newest"""

_IS_KNOWN = """
SELECT 1 FROM rooms r CROSS JOIN nick_counts n ON n.room = r.id
WHERE r.network = :network AND n.folded = :name LIMIT 1"""


@dataclass(frozen=True, slots=True)
class UnnamedRelay:
    """A nick that looks like a relay: `relayed` of its newest `lines` begin with a name."""

    network: str
    nick: str
    relayed: int
    lines: int
    example: str


def unnamed_relays(connection: sqlite3.Connection) -> Iterator[UnnamedRelay]:
    """The nicks that look like relays, those with most lines first.

    Named relays have hardly any lines of their own left. People address each other as relays name
    people (`bo: hello`): such a name counts only if nobody here has it.
    """
    talkers = connection.execute(_TALKERS, {"fewest": FEWEST, "nicks": _NICKS}).fetchall()
    for network, folded, _ in talkers:
        lines = _lines(connection, network, folded)
        names = [name for _, text in lines if (name := _foreign_name(connection, network, text))]
        if len(lines) >= FEWEST and len(names) > len(lines) / 2 and len(set(names)) > 1:
            yield UnnamedRelay(network, lines[0][0], len(names), len(lines), names[0])


def _lines(connection: sqlite3.Connection, network: str, folded: str) -> list[tuple[str, str]]:
    """Sender and text of a nick's newest lines."""
    match = f"{one_of(nick_words(folded))} AND {all_speech()}"
    params = {"match": match, "network": network, "newest": _NEWEST}
    found = ((as_text(nick), as_text(text)) for nick, text in connection.execute(_LINES, params))
    return [(nick, text) for nick, text in found if fold(nick) == folded]


def _foreign_name(connection: sqlite3.Connection, network: str, text: str) -> str:
    """The name with which a line begins, if nobody on its network is addressed by it."""
    found = relayed_line(text)
    if not found:
        return ""
    asked = {"network": network, "name": fold(found.name)}
    is_known = not found.is_angled and connection.execute(_IS_KNOWN, asked).fetchone()
    return "" if is_known else found.name
