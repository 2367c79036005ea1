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
from terrarium_mcp.store.sqlite.engine.sql_expressions import BEFORE_CUTOFF
from terrarium_mcp.store.sqlite.engine.voices_sql import SPEAKER, TEXT
from terrarium_mcp.store.sqlite.search.fts_query import FtsQuery

_POSITION = attrgetter("timestamp", "id")
"""`CandidateLine.position`, without calling Python."""


class Neighbours:
    """Reads lines up to the id `last_id`; those that meet the conditions of `query` may answer."""

    def __init__(self, reads: Reads, scope: SearchScope, last_id: int, query: FtsQuery) -> None:
        self._reads = reads
        may_answer = " AND ".join(["m.timestamp >= :since", *query.where])
        self._columns = (
            f"m.id, m.room, m.timestamp, {SPEAKER} AS nick, {TEXT} AS message,"
            f" ({may_answer}) AS may_answer"
        )
        self._is_readable = (
            f"{within(scope.rooms, 'm.room')} AND m.redacted_at IS NULL AND {IS_SPEECH}"
            f" AND m.id <= :last_id AND {BEFORE_CUTOFF}"
            f" AND NOT {query.without.condition if query.without else 'false'}"
        )
        self._params = {
            **query.params,
            "last_id": last_id,
            "since": scope.since,
            "until": scope.until.timestamp,
            "until_id": scope.until.id,
        }

    async def lines(self, ids: Iterable[int]) -> list[CandidateLine]:
        """Those of the lines that may answer."""
        rows = await self._reads.rows(
            # CROSS JOIN keeps the order: the ids lead, whatever else an index could narrow.
            f"SELECT {self._columns} FROM json_each(:ids) found CROSS JOIN messages m"  # noqa: S608 -- ids of ours, parameters
            f" ON m.id = found.value WHERE {self._is_readable}"
            " AND may_answer",
            self._params | ids_params(ids),
        )
        return [_line(*row) for row in rows]

    async def around(self, lines: Sequence[CandidateLine]) -> list[Passage]:
        """The passages around these lines, in which neighbours need not answer themselves."""
        positions = [[line.room, *line.position] for line in lines]
        sides = (
            self._side("best_positions", "<", "DESC", NEAR),
            self._side("best_positions", ">=", "ASC", LATER + 1),
            self._side("other_positions", "<", "DESC", NEAR),
            self._side("other_positions", ">=", "ASC", NEAR + 1),
        )
        rows = await self._reads.rows(
            " UNION ALL ".join(sides),
            self._params
            | {
                "best_positions": json.dumps(positions[:REPLIES_TO]),
                "other_positions": json.dumps(positions[REPLIES_TO:]),
            },
        )
        windows: dict[tuple[str, int], list[CandidateLine]] = {}
        for parameter, number, *row in rows:
            windows.setdefault((parameter, number), []).append(_line(*row))
        return list(_passages(windows.values()))

    def _side(self, positions: str, comparison: str, order: str, most: int) -> str:
        """The lines of a room on one side of each of the positions in that parameter."""
        return f"""
SELECT '{positions}', p.key, {self._columns} FROM json_each(:{positions}) p CROSS JOIN messages m
WHERE m.id IN (
  SELECT m.id FROM messages m
  WHERE m.room = json_extract(p.value, '$[0]') AND (m.timestamp, m.id) {comparison}
    (json_extract(p.value, '$[1]'), json_extract(p.value, '$[2]')) AND {self._is_readable}
  ORDER BY m.timestamp {order}, m.id {order} LIMIT {most})"""  # noqa: S608 -- ids of ours


def _line(
    number: int, room: int, timestamp: str, nick: object, message: object, may_answer: int
) -> CandidateLine:
    return CandidateLine(
        number, room, timestamp, as_text(nick), plain(as_text(message)), bool(may_answer)
    )


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
