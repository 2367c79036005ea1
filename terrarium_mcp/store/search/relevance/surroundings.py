"""Looking round: the lines themselves, and those around the most promising of them."""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.irctext import plain
from terrarium_mcp.store.database import Database
from terrarium_mcp.store.functions import as_text
from terrarium_mcp.store.rooms import within
from terrarium_mcp.store.rows import IS_SPEECH, moment
from terrarium_mcp.store.search.relevance.asked import Asked
from terrarium_mcp.store.search.relevance.weights import NEAR


class Line(NamedTuple):
    """A line as the ranking sees it; `may_answer` tells whether it is one of those asked for.

    There are thousands, which is why it is a tuple: the garbage collector need not go through it.
    """

    id: int
    room: int
    timestamp: str
    said_by: str
    text: str
    may_answer: bool

    @property
    def place(self) -> tuple[str, int]:
        """Where it stands in the order of all lines: (timestamp, id)."""
        return self.timestamp, self.id

    @property
    def at(self) -> float:
        """When it was said, in seconds since 1970."""
        return moment(self.timestamp).timestamp()

    @property
    def nick(self) -> str:
        """Who said it, folded."""
        return fold(self.said_by)


_PLACE = attrgetter("timestamp", "id")
"""`Line.place`, without calling Python."""


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
        return [_line(*row) for row in rows]

    async def around(self, lines: Collection[Line], asked: Asked) -> list[list[Line]]:
        """The talks in which these lines stand: each a run of a room's lines in their order."""
        places = json.dumps([[line.room, *line.place] for line in lines])
        rows = await self._database.rows(
            f"{_side(asked, '<', 'DESC', NEAR)} UNION ALL {_side(asked, '>=', 'ASC', NEAR + 1)}",
            _params(asked) | {"places": places},
        )
        windows: dict[int, list[Line]] = {}
        for row in rows:
            windows.setdefault(row[0], []).append(_line(*row[1:]))
        return list(_talks(windows.values()))


def _line(
    number: int, room: int, timestamp: str, nick: object, message: object, may_answer: int
) -> Line:
    return Line(number, room, timestamp, as_text(nick), plain(as_text(message)), bool(may_answer))


def _talks(windows: Iterable[Sequence[Line]]) -> Iterator[list[Line]]:
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
