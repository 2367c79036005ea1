"""The lines that match a query: how many there are, however many, counted by the index.

A single person and a single word are counted already: `nick_counts`, `words` and `word_blocks`
answer for them, where a walk of the index would take 40 ns to 1 us a line.
"""

# ruff: noqa: S608 -- every statement is made of constants and our own ids

import json
from collections.abc import Sequence
from dataclasses import replace

from terrarium_mcp.chat.identity import fold, is_spelt_alike
from terrarium_mcp.chat.times.timestamps import BEGINNING, EVERY_LINE, Position
from terrarium_mcp.store.search.talk_counts import CountedLine
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.functions import as_text, storable
from terrarium_mcp.store.sqlite.engine.reads import Row
from terrarium_mcp.store.sqlite.engine.rooms import within
from terrarium_mcp.store.sqlite.engine.voices_sql import VOICE, parsed_voice
from terrarium_mcp.store.sqlite.index.counters import Counters
from terrarium_mcp.store.sqlite.search.exact import ExactQuery, ExactSearch
from terrarium_mcp.store.sqlite.search.index_scan import IndexScan
from terrarium_mcp.store.sqlite.search.order import NEWEST, OLDEST, Order


class MatchingLines:
    """Counts and reads the lines of a query."""

    def __init__(self, database: Database, query: ExactQuery) -> None:
        self._database = database
        self._index = IndexScan(database)
        self._exact = ExactSearch(self._index)
        self._query = query

    async def read(self, most: int) -> tuple[int, list[CountedLine] | None]:
        """How many lines match; and the lines, in no order, if these are at most `most`."""
        lines = await self._exact.all_if_few(self._query)
        if lines is None:
            total = await self._counted()
            if total is None:
                total = await self._exact.count(self._query)
            if total > most:
                return total, None
            lines = await self._exact.all_lines(self._query, LINE_COLUMNS)
        return len(lines), [counted_line(row) for row in lines]

    async def talk(self, total: int) -> None:
        """Never: to look up what each line holds takes longer than to read it."""

    async def between(self, starts: Sequence[str]) -> list[int]:
        """How many lines match in each of the periods that begin at these timestamps, ascending."""
        counts = []
        ends = [Position(start) for start in starts[1:]]
        for start, end in zip(starts, [*ends, EVERY_LINE], strict=True):
            since = max(start, self._query.scope.since)
            until = min(end, self._query.scope.until)
            counts.append(await self._exact.count(self._within(since, until)))
        return counts

    async def ends(self) -> tuple[str, str]:
        """The timestamps of the first and the last line, if there is any."""
        return await self._first(OLDEST), await self._first(NEWEST)

    async def _first(self, order: Order) -> str:
        found = await self._exact.first(self._query, 1, order)
        while not found.rows and found.reached:  # only so many lines are examined at once
            found = await self._exact.first(self._query, 1, order, found.reached)
        return str(found.rows[0]["timestamp"]) if found.rows else ""

    def _within(self, since: str, until: Position) -> ExactQuery:
        """The query within a part of its time."""
        return replace(self._query, scope=replace(self._query.scope, since=since, until=until))

    async def _counted(self) -> int | None:
        """The total that counters hold, if they hold this one."""
        scope, query = self._query.scope, self._query.scope.query
        if scope.since != BEGINNING.timestamp:
            return None
        if query.people and replace(query, people=()).is_only_timed:
            return await self._said_by(query.people)
        lines = self._query.lines_with_its_word
        return None if lines is None else lines - await self._exact.count_left_out(self._query)

    async def _said_by(self, people: Sequence[str]) -> int | None:
        """All lines of some people, less those after the end of the scope; None if uncounted."""
        until = self._query.scope.until
        later = self._within(until.timestamp, EVERY_LINE)
        is_alike = all(is_spelt_alike(nick, self._query.scope.casemappings) for nick in people)
        if not is_alike or until.id or (until != EVERY_LINE and not await self._is_short(later)):
            return None
        rows = await self._database.rows(
            f"""
SELECT count(DISTINCT d.name), total(n.lines), total(n.asides)
FROM derived d LEFT JOIN nick_counts n
  ON {within(self._query.scope.rooms, "n.room")}
    AND n.folded IN (SELECT value FROM json_each(:nicks))
WHERE d.name = '{Counters.name}' AND d.upto = :last_id""",
            {
                "nicks": json.dumps([fold(storable(nick)) for nick in people]),
                "last_id": self._query.snapshot.last_id,
            },
        )
        is_current, lines, asides = rows[0]
        if not is_current:  # more was said since the snapshot
            return None
        if asides:  # commands; or the words of the bot, which are asked for by its name
            always = self._within(BEGINNING.timestamp, EVERY_LINE)
            lines += asides - await self._exact.count_left_out(always)
        return int(lines) - (0 if until == EVERY_LINE else await self._exact.count(later))

    async def _is_short(self, part: ExactQuery) -> bool:
        """Whether a part of the time has less than half of all messages."""
        scope, snapshot = part.scope, part.snapshot
        ranges = await self._index.ids_between(snapshot, scope.since, scope.until.timestamp)
        return 2 * sum(ids.last - ids.first for ids in ranges) < snapshot.last_id


LINE_COLUMNS = f"m.timestamp, m.room, m.nick, {VOICE} AS voice"
"""The columns of a `CountedLine`."""


def counted_line(row: Row, *, counts_asides: bool = True) -> CountedLine:
    """What is counted of a row that has these columns.

    Without `counts_asides` an aside is by no person: it is a line, but nobody talks.
    """
    aside, speaker, _ = parsed_voice(row["voice"])
    is_talk = counts_asides or aside is None
    nick = speaker or as_text(row["nick"]) if is_talk else ""
    return CountedLine(row["timestamp"], row["room"], nick)
