"""Looking round: the lines themselves, and those around the most promising of them."""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.irctext import plain
from terrarium_mcp.store.database import Database, Row
from terrarium_mcp.store.functions import as_text
from terrarium_mcp.store.rooms import within
from terrarium_mcp.store.rows import IS_SPEECH, moment
from terrarium_mcp.store.search.relevance.asked import Asked
from terrarium_mcp.store.search.relevance.weights import NEAR


@dataclass(slots=True, eq=False)
class Line:
    """A line as the ranking sees it; `may_answer` tells whether it is one of those asked for.

    `place` is (timestamp, id), `nick` folded, `at` in seconds since 1970. Made by the thousand, so
    it is not frozen: that would cost four times as much.
    """

    id: int
    room: int
    place: tuple[str, int]
    at: float
    nick: str
    text: str
    may_answer: bool


_PLACE = attrgetter("place")
"""Where a line stands in the order of all lines."""


class Surroundings:
    """Reads lines, and what was said around them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def lines(self, ids: Iterable[int], asked: Asked) -> list[Line]:
        """Those of the lines that may answer."""
        rows = await self._database.rows(
            # CROSS JOIN keeps the order: the ids lead, whatever else an index could narrow.
            f"SELECT {_columns(asked)} FROM json_each(:ids) found CROSS JOIN messages m"  # noqa: S608 -- ids of ours, parameters
            f" ON m.id = found.value WHERE {_readable(asked)}"
            " AND may_answer",
            _params(asked) | {"ids": json.dumps(list(ids))},
        )
        return [_line(row) for row in rows]

    async def around(self, lines: Collection[Line], asked: Asked) -> list[list[Line]]:
        """The talks in which these lines stand: each a run of a room's lines in their order."""
        places = json.dumps([[line.room, *line.place] for line in lines])
        rows = await self._database.rows(
            f"{_side(asked, '<', 'DESC', NEAR)} UNION ALL {_side(asked, '>=', 'ASC', NEAR + 1)}",
            _params(asked) | {"places": places},
        )
        windows: dict[int, list[int]] = {}
        known: dict[int, Line] = {}
        for hit, *row in rows:
            if row[0] not in known:
                known[row[0]] = _line(row)
            windows.setdefault(hit, []).append(row[0])
        return list(_talks([[known[number] for number in ids] for ids in windows.values()]))


def _talks(windows: Sequence[Sequence[Line]]) -> Iterator[list[Line]]:
    """Windows that share a line, as one."""
    ordered = sorted(
        (sorted(window, key=_PLACE) for window in windows),
        key=lambda window: (window[0].room, window[0].place),
    )
    talk: list[Line] = []
    for window in ordered:
        if talk and window[0].room == talk[0].room and window[0].place <= talk[-1].place:
            talk += [line for line in window if line.place > talk[-1].place]
        else:
            if talk:
                yield talk
            talk = list(window)
    if talk:
        yield talk


def _columns(asked: Asked) -> str:
    may_answer = " AND ".join(["m.timestamp >= :since", *asked.where])
    return f"m.id, m.room, m.timestamp, m.nick, m.message, ({may_answer}) AS may_answer"


def _readable(asked: Asked) -> str:
    """The conditions under which a line may be seen at all."""
    return (
        f"{within(asked.rooms, 'm.room')} AND m.redacted_at IS NULL AND {IS_SPEECH}"
        " AND m.id <= :snapshot AND (m.timestamp, m.id) < (:until, :until_id)"
    )


def _params(asked: Asked) -> dict[str, object]:
    return {
        **asked.params,
        "snapshot": asked.history.snapshot,
        "since": asked.since,
        "until": asked.until.timestamp,
        "until_id": asked.until.id,
    }


def _side(asked: Asked, comparison: str, order: str, most: int) -> str:
    """The lines of a room on one side of each of `:places`."""
    return f"""
SELECT p.key, {_columns(asked)} FROM json_each(:places) p CROSS JOIN messages m
WHERE m.id IN (
  SELECT m.id FROM messages m
  WHERE m.room = json_extract(p.value, '$[0]') AND (m.timestamp, m.id) {comparison}
    (json_extract(p.value, '$[1]'), json_extract(p.value, '$[2]')) AND {_readable(asked)}
  ORDER BY m.timestamp {order}, m.id {order} LIMIT {most})"""  # noqa: S608 -- ids of ours


def _line(row: Row | Sequence[Any]) -> Line:
    number, room, timestamp, nick, text, may_answer = row
    return Line(
        number,
        room,
        (timestamp, number),
        moment(timestamp).timestamp(),
        fold(as_text(nick)),
        plain(as_text(text)),
        bool(may_answer),
    )
