"""Logs for the tests of imports: who wrote one down, and when its clock said it was."""

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from terrarium_mcp.chat.recorded_times import RecordedTime
from terrarium_mcp.chat.records import NewMessage, Origin
from terrarium_mcp.store import (
    ImportTotals,
    LogEnd,
    LogSource,
    PreparedLines,
    PreparedLog,
    Store,
    prepared,
)
from terrarium_mcp.store.sqlite.imports.log_blocks import LogLines
from tests.store.scene import NOON, rows_of

SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)


def log_of(
    path: str = "tea.log",
    program: str = "WeeChat",
    channel: str = "#tea",
    resolution: timedelta = SECOND,
    contents: str = "",
) -> LogSource:
    return LogSource(
        path=path,
        format=program,
        network="net",
        channel=channel,
        zone="UTC",
        sha256=contents or path,
        size=100,
        resolution=resolution,
    )


def logged(
    lines: Iterable[NewMessage],
    resolution: timedelta = SECOND,
    fast: timedelta = timedelta(),
) -> list[NewMessage]:
    """The lines as a log has them whose clock was fast, and names seconds or minutes."""
    return [
        line._replace(said_at=_cut(line.said_at + fast, resolution), origin=Origin.IMPORT)
        for line in lines
    ]


def opened(
    lines: Sequence[NewMessage],
    hours: Iterable[float],
    length: timedelta = timedelta(hours=8),
    pause: timedelta = timedelta(),
) -> PreparedLog:
    """The lines as a log has them that was opened some hours after noon, for this long each."""
    began = [NOON + timedelta(hours=hour) for hour in hours]
    end = LogEnd(times=[RecordedTime(at, at + length) for at in began], pause=pause)

    async def blocks() -> AsyncIterator[PreparedLines]:
        yield prepared(logged(lines))

    return PreparedLog(blocks(), lambda: end)


async def bring(
    store: Store,
    lines: Iterable[NewMessage],
    log: LogSource | None = None,
    report: Callable[[int], None] = lambda _: None,
) -> ImportTotals:
    """Import one log by a command of its own."""
    log = log or log_of()
    number = await store.imports.begin(f"terrarium-mcp import {log.path}")
    totals = await add(store, number, log, lines, report)
    await store.imports.finish(number)
    return totals


async def add(
    store: Store,
    import_id: int,
    log: LogSource,
    lines: LogLines,
    report: Callable[[int], None] = lambda _: None,
) -> ImportTotals:
    """Import one log as a part of a command."""
    (totals,) = await store.imports.add_all(import_id, [(log, lines)], report)
    return totals


def messages_in(file: Path) -> list[tuple[object, ...]]:
    """All that is stored of the messages, in the order of their ids."""
    return rows_of(file, "SELECT * FROM messages ORDER BY id")


def said_in(file: Path) -> list[tuple[object, ...]]:
    """When who said what, in the order of time."""
    return rows_of(file, "SELECT timestamp, nick, message FROM messages ORDER BY timestamp, id")


def words(lines: Sequence[NewMessage]) -> list[tuple[str, str]]:
    """Who said what, sorted."""
    return sorted((line.nick, line.text) for line in lines)


def words_in(file: Path) -> list[tuple[object, ...]]:
    """Who said what according to the database, sorted."""
    return sorted(rows_of(file, "SELECT nick, message FROM messages"))


def _cut(moment: datetime, resolution: timedelta) -> datetime:
    return moment - (moment - datetime.min.replace(tzinfo=moment.tzinfo)) % resolution
