"""Neighbours: the candidate lines themselves, and the lines around the most promising of them."""

import json
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter

from terrarium_mcp.chat.irctext import plain
from terrarium_mcp.store.search.relevance.corpus import CandidateLine, Passage
from terrarium_mcp.store.search.relevance.weights import LATER, NEAR, REPLIES_TO
from terrarium_mcp.store.search.scope import SearchScope
from terrarium_mcp.store.sqlite.engine.functions import as_text
from terrarium_mcp.store.sqlite.engine.id_lists import ids_params
from terrarium_mcp.store.sqlite.engine.reads import Reads
from terrarium_mcp.store.sqlite.engine.rooms import within
from terrarium_mcp.store.sqlite.engine.rows import IS_SPEECH
from terrarium_mcp.store.sqlite.engine.sql_expressions import BEFORE_CUTOFF, position_params
from terrarium_mcp.store.sqlite.engine.voices_sql import JOINED, JOINED_SPEAKER, JOINED_TEXT
from terrarium_mcp.store.sqlite.search.fts_query import FtsQuery

_POSITION = attrgetter("timestamp", "id")
"""`CandidateLine.position`, without calling Python."""


class Neighbours:
    """Reads lines up to the id `last_id`; those that meet the conditions of `query` may answer."""

    def __init__(self, reads: Reads, scope: SearchScope, last_id: int, query: FtsQuery) -> None:
        self._reads = reads
        may_answer = " AND ".join(["m.timestamp >= :since", *query.where])
        self._columns = (
            f"m.id, m.room, m.timestamp, {JOINED_SPEAKER} AS nick, {JOINED_TEXT} AS message,"
            f" ({may_answer}) AS may_answer"
        )
        # SQLite builds a table from a list of hundreds of rooms for each statement.
        self._is_in_rooms = "m.room NOT NULL" if scope.all_rooms else within(scope.rooms, "m.room")
        self._is_readable = (
            f"m.redacted_at IS NULL AND {IS_SPEECH}"
            f" AND m.id <= :last_id AND {BEFORE_CUTOFF}"
            f" AND NOT {query.without.condition if query.without else 'false'}"
        )
        self._params = {
            **query.params,
            "last_id": last_id,
            "since": scope.since,
            **position_params("until", scope.until),
        }

    async def lines(self, ids: Iterable[int]) -> list[CandidateLine]:
        """Those of the lines that may answer."""
        return await self._read(ids, f"{self._is_in_rooms} AND {self._is_readable} AND may_answer")

    async def around(self, lines: Sequence[CandidateLine]) -> list[Passage]:
        """The passages around these lines, in which neighbours need not answer themselves.

        The lines are some of `lines`, so their rooms are among those asked. A line of several
        windows is read once.
        """
        positions = [[line.room, *line.position] for line in lines]
        rows = await self._reads.rows(
            f"{self._windows('best', LATER)} UNION ALL {self._windows('others', NEAR)}",
            self._params
            | {
                "best": json.dumps(positions[:REPLIES_TO]),
                "others": json.dumps(positions[REPLIES_TO:]),
            },
        )
        windows: list[list[int]] = [json.loads(ids) for (ids,) in rows]
        read = await self._read({number for window in windows for number in window}, "true")
        by_id = {line.id: line for line in read}  # without those purged meanwhile
        there = ([by_id[number] for number in window if number in by_id] for window in windows)
        return list(_passages(filter(None, there)))

    async def _read(self, ids: Iterable[int], condition: str) -> list[CandidateLine]:
        """Those of the lines that meet a condition on `m`."""
        rows = await self._reads.rows(
            # CROSS JOIN keeps the order: the ids lead, whatever else an index could narrow.
            f"SELECT {self._columns} FROM json_each(:ids) found CROSS JOIN {JOINED}"  # noqa: S608 -- ids of ours, parameters
            f" WHERE m.id = found.value AND {condition}",
            self._params | ids_params(ids),
        )
        return [
            CandidateLine(
                number, room, timestamp, as_text(nick), plain(as_text(message)), bool(may_answer)
            )
            for number, room, timestamp, nick, message, may_answer in rows
        ]

    def _windows(self, positions: str, later: int) -> str:
        """For each of the positions in that parameter the ids of the lines around it, as JSON."""
        sides = (self._side("<", "DESC", NEAR), self._side(">=", "ASC", later + 1))
        ids = f"SELECT json_group_array(id) FROM ({' UNION ALL '.join(sides)})"  # noqa: S608 -- as above
        # Without the LIMIT each line that is looked at would take its position out of the JSON.
        return (
            f"SELECT ({ids}) FROM (SELECT value ->> 0 AS room, value ->> 1 AS timestamp,"  # noqa: S608 -- as above
            f" value ->> 2 AS id FROM json_each(:{positions}) LIMIT -1) p"
        )

    def _side(self, comparison: str, order: str, most: int) -> str:
        """The ids of the lines of a room on one side of a position `p`."""
        return f"""
SELECT * FROM (
  SELECT m.id FROM messages m
  WHERE m.room = p.room AND (m.timestamp, m.id) {comparison} (p.timestamp, p.id)
    AND {self._is_readable}
  ORDER BY m.timestamp {order}, m.id {order} LIMIT {most})"""  # noqa: S608 -- ids of ours


def _passages(windows: Iterable[Sequence[CandidateLine]]) -> Iterator[Passage]:
    """The windows, those that share a line joined."""
    ordered = sorted(
        (sorted(window, key=_POSITION) for window in windows),
        key=lambda window: (window[0].room, window[0].position),
    )
    passage: list[CandidateLine] = []
    for window in ordered:
        first, last = window[0], passage[-1] if passage else None
        if last and first.room == last.room and first.position <= last.position:
            passage += [line for line in window if line.position > last.position]
        else:
            if passage:
                yield passage
            passage = list(window)
    if passage:
        yield passage
