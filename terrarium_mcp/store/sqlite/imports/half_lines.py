"""Half lines: the end of a log that its program was still writing when it was imported.

When the log is imported again, having grown, it has the whole line there, and the half goes.
"""

from itertools import takewhile
from typing import NamedTuple

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.index.indexer import Indexer
from terrarium_mcp.store.sqlite.ingest.bulk import PATIENCE
from terrarium_mcp.store.sqlite.removal.batched_delete import delete_messages

_WITH_NICK_LAST = (MessageType.KICK, MessageType.MODE, MessageType.TOPIC)
"""What some programs write with its author behind it, who may be cut: `carol was kicked by a`."""


async def remove_half_lines(database: Database, indexer: Indexer, import_id: int) -> None:
    """Remove the half lines of which an import has brought the whole ones."""
    found = [
        number
        for grown in await database.rows(_GROWN, [import_id], deadline=PATIENCE)
        for number, *both in await database.rows(_PAIRS, dict(grown), deadline=PATIENCE)
        if is_half_line(StoredText(*both[:3]), StoredText(*both[3:]))
    ]
    if not found:
        return
    await indexer.catch_up()
    async with database.writing() as writer:
        await delete_messages(writer, list(dict.fromkeys(found)))


class StoredText(NamedTuple):
    """What a stored line is, who said it, and its text."""

    kind: str
    nick: str
    text: str


def is_half_line(half: StoredText, whole: StoredText) -> bool:
    """Whether a line that the log ended with, and has no more, was the beginning of another.

    What happens may begin as what somebody does: `* ada sets m`. Until its last words it is read as
    that, and of a kick by whom it is about. The texts of the two then have nothing in common. One
    that was cut within its nick, `* dan|aw`, was read as an action without a text.
    """
    if half.kind == whole.kind and half.nick == whole.nick:
        return is_half_of(half.text, whole.text)
    if half.kind == whole.kind in _WITH_NICK_LAST:
        return whole.nick.startswith(half.nick) and whole.text.startswith(half.text)
    if half.kind != MessageType.ACTION or whole.kind in (MessageType.PRIVMSG, MessageType.NOTICE):
        return False
    end = "" if not half.text else " "  # without a text it was cut within the nick, or behind it
    is_about = whole.kind == MessageType.KICK and f"{whole.text} ".startswith(f"{half.nick}{end}")
    return is_about or f"{whole.nick} ".startswith(f"{half.nick}{end}")


def is_half_of(half: str, whole: str) -> bool:
    """Whether a text is the beginning of a longer one, which may have been cut within a character.

    A line whose first character beyond ASCII was cut is no UTF-8. What is left of the character, up
    to three bytes, was read as as many letters of another encoding: `caf\u00c3` of `caf\u00e9`.
    """
    if whole.startswith(half):
        return len(whole) > len(half)
    left = len(list(takewhile(lambda letter: not letter.isascii(), reversed(half))))
    begin, cut = half[: len(half) - left], whole[len(half) - left :][:1]
    return begin.isascii() and whole.startswith(begin) and 0 < left < len(cut.encode())


# A log is known by its path and place. A folder may have 5,000: no two are compared. The half is at
# the end of the last smaller reading that was whole, or of one that was interrupted just behind it.
_GROWN = """
SELECT id AS source, whole, interrupted FROM (
  SELECT s.id, s.import, s.is_whole,
    max(s.id) FILTER (WHERE s.is_whole) OVER smaller AS whole,
    max(s.id) FILTER (WHERE NOT s.is_whole) OVER smaller AS interrupted
  FROM import_sources s JOIN imports i ON i.id = s.import
  WHERE i.undone IS NULL
  WINDOW smaller AS (
    PARTITION BY s.path, s.network, s.channel
    ORDER BY s.size RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING))
WHERE import = ? AND is_whole AND coalesce(whole, interrupted) NOT NULL"""

_PAIRS = """
SELECT half.id, half.message_type, half.nick, half.message,
  whole.message_type, whole.nick, whole.message
FROM messages half CROSS JOIN messages whole
  ON whole.room = half.room AND whole.timestamp = half.timestamp AND whole.id <> half.id
WHERE half.id IN (
    SELECT max(last) FROM import_ranges
    WHERE source IN (:whole, :interrupted) AND is_added AND NOT is_private GROUP BY source)
  AND EXISTS (
    SELECT 1 FROM import_ranges r
    WHERE r.source = :source AND NOT r.is_private AND whole.id BETWEEN r.first AND r.last)
  AND NOT EXISTS (
    SELECT 1 FROM import_ranges r
      JOIN import_sources s ON s.id = r.source JOIN imports i ON i.id = s.import
    WHERE r.source NOT IN (ifnull(:whole, 0), ifnull(:interrupted, 0))
      AND NOT r.is_private AND half.id BETWEEN r.first AND r.last AND i.undone IS NULL)"""
"""The last line that the earlier reading added, if no log has it now, with each line of the longer
log of the same moment."""
