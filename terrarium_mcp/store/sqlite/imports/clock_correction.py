"""Clock correction: lines of a log whose clock was wrong get the times of the room's own lines.

Only messages count that were stored before the log was first read. So a log that is read again,
after an interruption, is corrected from the same line on by as much.
"""

# ruff: noqa: S608 -- every statement is made of constants

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from itertools import compress
from typing import NamedTuple

from terrarium_mcp.chat.identity import DEFAULT_CASEMAPPING, fold, is_channel
from terrarium_mcp.chat.records import NewMessage
from terrarium_mcp.chat.times.timestamps import from_text, to_text
from terrarium_mcp.store.recognition.clock_offset import (
    FARTHEST,
    LONG,
    NO_OFFSET,
    ClockOffset,
    distinctive,
    offset_between,
)
from terrarium_mcp.store.recognition.comparison import (
    ComparableLine,
    comparable,
    milliseconds,
    moment_of,
)
from terrarium_mcp.store.records import LogSource
from terrarium_mcp.store.sqlite.engine.database import Database, Row
from terrarium_mcp.store.sqlite.engine.functions import storable
from terrarium_mcp.store.sqlite.imports.stored_lines import columns, compared
from terrarium_mcp.store.sqlite.ingest.prepared_lines import PreparedLines

SAMPLE = 100
"""Lines of a block, at least half and at most this many, that are looked for in the room."""

PATIENCE = 60.0
"""Seconds that one comparison may take: a block of a quiet channel may span years of it."""


class UnsavedLines(NamedTuple):
    """The lines of an earlier log that are not in the tables yet: at least one."""

    log: LogSource
    messages: PreparedLines


class ClockCorrection:
    """Corrects the times of one log.

    Attributes:
        found: the offset; that of no line as long as nothing showed one.
        newest_before: the newest message when the log was first read; None before it is read.
    """

    def __init__(
        self, database: Database, log: LogSource, earlier: Callable[[], Iterable[UnsavedLines]]
    ) -> None:
        """Start without an offset; `earlier` returns the unsaved lines of the logs before it."""
        self.found = NO_OFFSET
        self.newest_before: int | None = None
        self._database = database
        self._log = log
        self._earlier = earlier

    @property
    def offset(self) -> timedelta:
        """By how much the clock of the log was fast."""
        return timedelta(milliseconds=self.found.milliseconds)

    async def corrected(self, block: PreparedLines) -> PreparedLines:
        """The next block, with corrected times once one of the blocks shows the offset."""
        if not self.found.lines:
            self.found = await self._look(block) or NO_OFFSET
        return block.earlier_by(self.offset) if self.offset else block

    async def _look(self, block: PreparedLines) -> ClockOffset | None:
        """Compare a block with what the room had before the log; None if that shows nothing."""
        log = self._log
        had_nothing = self.newest_before == 0 and not any(self._earlier())
        if had_nothing or not is_channel(log.channel):
            return None
        network = {"network": storable(log.network)}
        casemapping = str(await self._database.value(_CASEMAPPING, network, DEFAULT_CASEMAPPING))
        channel = fold(storable(log.channel), casemapping)
        names = {name: fold(name, casemapping) for name in {*block.columns.channel}}
        sample = _sample(block, [names[name] == channel for name in block.columns.channel])
        if not sample:
            return None
        moments = [milliseconds(line.said_at) for line in sample]
        since = to_text(moment_of(min(moments) - FARTHEST))
        until = to_text(moment_of(max(moments) + FARTHEST))
        near = network | {
            "folded": channel,
            "newest": self.newest_before,
            "since": since,
            "until": until,
        }
        ((first, last),) = await self._rows(_COVERED, near)
        unsaved = [
            earlier
            for earlier in self._earlier()
            if since <= earlier.messages.columns.timestamp[-1]
            and earlier.messages.columns.timestamp[0] <= until
            and storable(earlier.log.network) == network["network"]
            and fold(earlier.log.channel, casemapping) == channel
        ]
        covered = [milliseconds(from_text(moment)) for moment in (first, last) if moment]
        covered += [milliseconds(one.messages[end].said_at) for one in unsaved for end in (0, -1)]
        if not covered:
            return None
        lines = distinctive(_comparable(line, log, casemapping) for line in sample)
        texts = {line.text for line in lines}
        rows = await self._rows(_SAME_TEXTS, near | {"texts": json.dumps([*texts])})
        stored = [compared(row, casemapping) for row in rows]
        stored += [
            _comparable(message, earlier.log, casemapping)
            for earlier in unsaved
            for at, text in enumerate(earlier.messages.columns.message)
            if text in texts
            for message in [earlier.messages[at]]
        ]
        return offset_between(lines, stored, (min(covered), max(covered)))

    async def _rows(self, sql: str, params: Mapping[str, object]) -> list[Row]:
        return await self._database.rows(sql, params, deadline=PATIENCE)


def _comparable(message: NewMessage, log: LogSource, casemapping: str) -> ComparableLine:
    return comparable(
        milliseconds(message.said_at),
        log.resolution // timedelta(milliseconds=1),
        message.nick,
        message.kind,
        message.text,
        casemapping,
    )


def _sample(lines: PreparedLines, is_here: Iterable[bool]) -> list[NewMessage]:
    """Some long lines of those that `is_here` selects, which occur once, from beginning to end."""
    texts = list(compress(enumerate(lines.columns.message), is_here))
    times = Counter(text for _, text in texts if len(text) >= LONG)
    once = [at for at, text in texts if times[text] == 1]
    return [lines[at] for at in once[:: len(once) // SAMPLE + 1]]


_CASEMAPPING = "SELECT casemapping FROM networks WHERE name = :network"

_NEAR = """
m.room = (SELECT id FROM rooms WHERE network = :network AND folded = :folded)
AND m.timestamp BETWEEN :since AND :until AND (:newest IS NULL OR m.id <= :newest)"""

_COVERED = f"SELECT min(m.timestamp), max(m.timestamp) FROM messages m WHERE {_NEAR}"

_SAME_TEXTS = f"""
SELECT {columns()} FROM messages m
WHERE {_NEAR} AND m.message IN (SELECT value FROM json_each(:texts))"""
