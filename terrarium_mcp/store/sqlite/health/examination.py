"""The examination: what can be seen of a database quickly, without changing anything."""

import os
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.chat.times.timestamps import from_text, to_text
from terrarium_mcp.chat.voices import VoiceRules
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.settings import Settings, relays_with, rooms_without_lines
from terrarium_mcp.store.records.health import DatabaseSize, Fact, Section
from terrarium_mcp.store.sqlite.engine.checkpoints import LARGE
from terrarium_mcp.store.sqlite.engine.file_lock import is_held
from terrarium_mcp.store.sqlite.engine.files import bytes_for_backup, bytes_of, free_bytes, wal_of
from terrarium_mcp.store.sqlite.engine.folder_access import check_permissions, is_file_found
from terrarium_mcp.store.sqlite.engine.fts_merge import NEARLY_COMPLETE
from terrarium_mcp.store.sqlite.engine.refolding import IS_LEFT, ROOM_MOVES
from terrarium_mcp.store.sqlite.engine.rows import IS_SPEECH
from terrarium_mcp.store.sqlite.engine.voices_sql import RULES, parsed_rules
from terrarium_mcp.store.sqlite.engine.wal_reset_bug import has_wal_reset_bug, other_writers_advice
from terrarium_mcp.store.sqlite.health.readonly import is_wal, untouched
from terrarium_mcp.store.sqlite.health.size import database_size
from terrarium_mcp.store.sqlite.health.unnamed_relays import unnamed_relays
from terrarium_mcp.store.sqlite.imports.undo import UNFINISHED
from terrarium_mcp.store.sqlite.index.all_structures import EVERYTHING
from terrarium_mcp.store.sqlite.index.clock_ahead import ROOMS_AHEAD, ahead, latest_tolerated
from terrarium_mcp.store.sqlite.index.counter_sql import IS_COUNTED
from terrarium_mcp.store.sqlite.index.counters import Counters
from terrarium_mcp.store.sqlite.index.structure import TO_BE_EMPTIED, watermark_sql
from terrarium_mcp.store.sqlite.keeper import KeeperRecord, lock_file, unusable_lock
from terrarium_mcp.store.sqlite.older_keeper import older_keeper
from terrarium_mcp.store.sqlite.own_files import unfinished_copies
from terrarium_mcp.store.sqlite.schema import (
    APPLICATION_ID,
    CURRENT,
    NotOurs,
    check_names,
    terrarium_irc,
    usable_version,
)
from terrarium_mcp.store.sqlite.schema.adoption import ADOPTION, adoption_in
from terrarium_mcp.store.sqlite.schema.backup import copies_of
from terrarium_mcp.store.sqlite.trusted_time import (
    LAST_RECORD,
    ONE_DAY_OF_RECORD,
    clock_warning,
    trusted_time,
)
from terrarium_mcp.wording import quantity


def examine(path: Path, now: datetime, settings: Settings | None = None) -> list[Section]:
    """Everything about the database at `path`; whatever is wrong with it is one of the facts.

    Args:
        path: the database, which is not changed.
        now: the present, from which the growth of a year is estimated.
        settings: those in use; the defaults if None.
    """
    settings = settings or Settings()
    sections = [Section("database", [Fact("file", f"{path}"), _sqlite(), *_beside(path)])]
    try:
        if not (is_file_found(path) and bytes_of(path)):
            return [_with(sections[0], [_missing()]), _keeper(path)]
        check_permissions(path)
    except (TerrariumError, OSError) as error:
        sections[0] = _with(sections[0], [Fact("access", str(error), wrong=True)])
    if not os.path.isfile(path):  # noqa: PTH113 -- Path.is_file raises before Python 3.14
        return [*sections, _keeper(path)]
    try:
        with untouched(path) as connection:
            version = usable_version(connection, path)
            facts = [_version(connection, path, version), *_in_the_way(connection, path, version)]
            facts.append(_journal(path, version))
            if version == CURRENT:
                facts += _adopted(connection, settings.source_timezone)
                facts += [*_contents(connection), *_clock(connection, now)]
                facts += [*_unfinished_undos(connection), *_size(connection, path, now)]
                facts += _retention(connection, path, now, settings)
                sections += [_index(connection), _others(connection)]
                sections += _speakers(connection, settings)
            sections[0] = _with(sections[0], facts)
    except (TerrariumError, OSError) as error:
        sections[0] = _with(sections[0], [Fact("contents", str(error), wrong=True)])
    return [*sections, _keeper(path)]


def _with(section: Section, facts: list[Fact]) -> Section:
    return Section(section.title, [*section.facts, *facts])


def _missing() -> Fact:
    return Fact(
        "contents",
        "no database yet. The first start creates it; if it is elsewhere, name it with DB_PATH or"
        " --db.",
        wrong=True,
    )


def _beside(path: Path) -> Iterator[Fact]:
    """Copies made by migrations, and files left by an interrupted migration or deep check."""
    try:
        copies, left = copies_of(path), unfinished_copies(path)
    except OSError:
        return
    for copy in copies:
        yield Fact("copy", f"{copy}, made before a migration, {megabytes(copy.stat().st_size)}")
    for file in left:
        text = f"{file}: delete it unless the process that made it is still running"
        yield Fact("left over", text, wrong=True)


def _version(connection: sqlite3.Connection, path: Path, version: int) -> Fact:
    if version == CURRENT:
        return Fact("version", f"{version}, application id {APPLICATION_ID:#x}")
    if not version and not terrarium_irc.is_present(connection):
        return Fact("version", "0, empty; the next start makes the tables")
    if not version:
        return Fact(
            "version", "terrarium-irc's, not adopted: serve, bridge and up copy and adopt it"
        )
    if problem := older_keeper(path, version):
        return Fact("version", problem, wrong=True)
    return Fact("version", f"{version}; the next start copies it, then migrates it to {CURRENT}")


def _in_the_way(connection: sqlite3.Connection, path: Path, version: int) -> Iterator[Fact]:
    """What keeps the next start from migrating or adopting it."""
    try:
        check_names(connection, path, version)
    except NotOurs as error:
        yield Fact("in the way", str(error), wrong=True)


def _adopted(connection: sqlite3.Connection, source_zone: str) -> Iterator[Fact]:
    """How the database was read, if it was another program's."""
    if adoption := adoption_in(connection.execute(ADOPTION).fetchall()):
        yield Fact("adopted", f"{adoption}")
        if complaint := adoption.complaint(source_zone):
            yield Fact("source zone", complaint, wrong=True)


def _sqlite() -> Fact:
    found = sqlite3.sqlite_version_info
    bug = (
        "has the WAL-reset bug (3.7.0 to 3.51.2): it needs two processes checkpointing at once; in"
        " terrarium-mcp only the keeper does"
        if has_wal_reset_bug(found)
        else "without the WAL-reset bug (3.7.0 to 3.51.2)"
    )
    return Fact("SQLite", f"{sqlite3.sqlite_version}, {bug}")


def _journal(path: Path, version: int) -> Fact:
    if is_wal(path):
        return Fact("journal", "WAL")
    changed = version == CURRENT
    text = "rollback; another program changed it, and the next start sets WAL again"
    return Fact("journal", text if changed else "rollback", wrong=changed)


# Lines that wait for their group are counted too, unless the counters are about to be rebuilt.
_TOTALS = f"""
WITH counted (upto) AS (
  SELECT {watermark_sql(Counters.name)}
)
SELECT ifnull(sum(lines), 0), ifnull(sum(events), 0), count(DISTINCT room), min(first), max(last)
FROM (
  SELECT room, lines, events, first, last FROM room_counts
  UNION ALL
  SELECT m.room, sum({IS_SPEECH}), sum(NOT {IS_SPEECH}),
    min(iif({IS_SPEECH}, m.timestamp, NULL)), max(iif({IS_SPEECH}, m.timestamp, NULL))
  FROM counted CROSS JOIN messages m NOT INDEXED
  WHERE m.id > upto AND upto != {TO_BE_EMPTIED} AND {IS_COUNTED} GROUP BY m.room
)"""  # noqa: S608 -- our names


def _contents(connection: sqlite3.Connection) -> Iterator[Fact]:
    lines, events, rooms, first, last = connection.execute(_TOTALS).fetchone()
    networks = [row[0] for row in connection.execute("SELECT name FROM networks ORDER BY name")]
    of = f" of {', '.join(networks)}" if networks else ""
    yield Fact(
        "lines", f"{lines:,} and {quantity(events, 'event')} in {quantity(rooms, 'room')}{of}"
    )
    if first:
        yield Fact("first, last", f"{first}, {last} UTC")
    still, alive = connection.execute(
        "SELECT count(*), max(alive) FROM spans WHERE ended IS NULL"
    ).fetchone()
    yield Fact(
        "recording",
        f"{quantity(still, 'span')} open, last alive {alive} UTC" if still else "nothing",
    )


def _clock(connection: sqlite3.Connection, now: datetime) -> Iterator[Fact]:
    """Whether lines get a wrong time."""
    rooms = connection.execute(ROOMS_AHEAD, {"until": latest_tolerated(now)}).fetchall()
    if rooms:
        yield Fact("clock", ahead(rooms, now), wrong=True)


def _unfinished_undos(connection: sqlite3.Connection) -> Iterator[Fact]:
    """Imports whose undo was interrupted; it may be running at this moment."""
    for (number,) in connection.execute(UNFINISHED):
        text = f"not finished, unless it runs now: run terrarium-mcp import --undo {number} again"
        yield Fact(f"undo of import {number}", text, wrong=True)


def _size(connection: sqlite3.Connection, path: Path, now: datetime) -> Iterator[Fact]:
    size = database_size(connection, path, now)
    yield Fact("size", f"{megabytes(size.file)}, and {megabytes(size.wal)} of WAL")
    if growth := size.growth:
        a_year = megabytes(growth.bytes_a_year)
        yield Fact("growth", f"{growth.messages_a_day:,.0f} messages a day, {a_year} a year")
    yield _free(path, size)


def _retention(
    connection: sqlite3.Connection, path: Path, now: datetime, settings: Settings
) -> Iterator[Fact]:
    """Settings that are of no room, and whether a clock that may be wrong is to remove lines."""
    if not (settings.retention_days or settings.retention_by_channel):
        return
    rooms = connection.execute(f"SELECT network, channel FROM rooms WHERE NOT {IS_LEFT}").fetchall()  # noqa: S608 -- a constant
    for sentence in rooms_without_lines(settings, rooms):
        yield Fact("retention", sentence, wrong=True)
    until = to_text(now - ONE_DAY_OF_RECORD)
    [found] = connection.execute(LAST_RECORD, {"until": until}).fetchone()
    last = from_text(found) if found else None
    if last and trusted_time(now, last) < now:
        keeper = KeeperRecord.read(lock_file(path)) if is_held(lock_file(path)) else None
        started = datetime.fromisoformat(keeper.since) if keeper else now - ONE_DAY_OF_RECORD
        is_new = now - started < ONE_DAY_OF_RECORD
        yield Fact("retention", clock_warning(now, last), wrong=is_new)


def _free(path: Path, size: DatabaseSize) -> Fact:
    """The free space beside the database. A backup may well be elsewhere: that alone is not wrong.

    Recording needs the room of a WAL even where little is said.
    """
    free = free_bytes(wal_of(path).parent)
    a_day = size.growth.bytes_a_year / 365 if size.growth else 0
    if free < max(a_day, LARGE):
        text = "too little to record for a day: free some space, or lines will wait in memory"
        return Fact("disk", f"{megabytes(free)} free, {text}", wrong=True)
    if free < (needed := bytes_for_backup(path)):
        text = f"too little for a backup here, which may need {megabytes(needed)}"
        return Fact("disk", f"{megabytes(free)} free, {text}")
    return Fact("disk", f"{megabytes(free)} free")


def _index(connection: sqlite3.Connection) -> Section:
    newest = connection.execute("SELECT ifnull(max(id), 0) FROM messages").fetchone()[0]
    upto = dict(connection.execute("SELECT name, upto FROM derived").fetchall())
    names = [*EVERYTHING, *({ROOM_MOVES} & upto.keys())]
    return Section("index", [_progress(name, upto.get(name, 0), newest) for name in names])


def _progress(name: str, upto: int, newest: int) -> Fact:
    if upto == TO_BE_EMPTIED:
        text = "to be rebuilt; the keeper does it, or the next process that opens the file"
        return Fact(name, text, unfilled=True)
    behind = newest - upto
    if behind <= 0:
        return Fact(name, f"up to {upto}, complete")
    if behind < NEARLY_COMPLETE:
        return Fact(name, f"up to {upto}, {behind:,} to follow")
    return Fact(name, f"up to {upto}, {behind:,} behind", unfilled=True)


def _others(connection: sqlite3.Connection) -> Section:
    rows, last = connection.execute("SELECT sum(rows), max(noticed) FROM foreign_rows").fetchone()
    if not rows:
        return Section("other programs", [Fact("wrote", "nothing noticed")])
    text = f"{quantity(rows, 'line')}, the last noticed {last} UTC. "
    text += other_writers_advice(sqlite3.sqlite_version_info)
    return Section("other programs", [Fact("wrote", text)])


def _speakers(connection: sqlite3.Connection, settings: Settings) -> Iterator[Section]:
    """By which rules it is known who speaks, and the nicks that look like relays nobody named."""
    stored = connection.execute(f"SELECT {RULES}").fetchone()[0]
    facts = [
        Fact(harmless(network) or "elsewhere", _told_apart(rules))
        for network, rules in parsed_rules(stored).items()
    ]
    for one in unnamed_relays(connection):
        setting = harmless(relays_with(settings, one.nick, one.network))
        text = (
            f"{harmless(one.nick)} on {harmless(one.network)}: {one.relayed} of its newest"
            f" {one.lines} lines begin with a name, such as {harmless(one.example)}. If it carries"
            f" talk from elsewhere, set TERRARIUM_RELAYS={setting}"
        )
        facts.append(Fact("a relay?", text))
    if facts:
        yield Section("speakers", facts)


def _told_apart(rules: VoiceRules) -> str:
    relays = ", ".join(str(replace(relay, network="")) for relay in rules.relays)
    text = f"bot {rules.nick}, prefix {rules.prefix}, relays {relays or 'none'}"
    return harmless(text)


def _keeper(path: Path) -> Section:
    lock = lock_file(path)
    try:
        lock.open("r+b").close()  # as who would become the keeper
    except PermissionError as error:
        if not os.path.exists(lock):  # noqa: PTH110 -- its folder is closed, which has been said
            return Section("keeper", [Fact("process", "unknown")])
        unknown = f"unknown: {unusable_lock(lock, path, error)}"
        return Section("keeper", [Fact("process", unknown, wrong=True)])
    except OSError:  # there is none, or nobody can write one
        pass
    keeper = KeeperRecord.read(lock)
    if is_held(lock):
        process = f"{keeper.pid} ({keeper.command})" if keeper else "unknown"
        since = [Fact("since", keeper.since)] if keeper else []
        return Section("keeper", [Fact("process", process), *since])
    last = f"; the last was {keeper.pid} ({keeper.command})" if keeper else ""
    return Section("keeper", [Fact("process", f"none{last}")])


def megabytes(size: float) -> str:
    """A size in MB or GB."""
    return f"{size / 1e9:,.1f} GB" if size >= 1e9 else f"{size / 1e6:,.1f} MB"
