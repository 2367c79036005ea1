"""Writing archived rows back exactly, in the order of their ids whatever order they come in.

Messages are indexed in the order of their ids, so they are first put aside in a temporary database
of SQLite, which is on disk once it is large and is gone when it is closed.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import islice

import anyio
from anyio import to_thread

from terrarium_mcp.chat.identity import fold, is_channel
from terrarium_mcp.store.errors import StoreFailed
from terrarium_mcp.store.records.archive import (
    ArchivedMessage,
    ArchivedPrivateMessage,
    ArchivedRoom,
    ArchivedSpan,
    ArchiveRecord,
    NotRestorable,
    RestoredTotals,
)
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.files import temporary_folder
from terrarium_mcp.store.sqlite.engine.message_ids import free_ids
from terrarium_mcp.store.sqlite.engine.reads import Row
from terrarium_mcp.store.sqlite.engine.rooms import room_id, room_ids
from terrarium_mcp.store.sqlite.engine.write_lock import PAUSE, BatchSizer, YieldingTransaction
from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.store.sqlite.index.indexer import Indexer
from terrarium_mcp.store.sqlite.ingest.bulk import LARGEST, SMALLEST, USUAL
from terrarium_mcp.store.sqlite.ingest.forgotten import all_purges, forgotten_until
from terrarium_mcp.store.sqlite.ingest.opt_out_rows import stored_opt_outs

COMPARED = 1_000
"""Messages compared at once with what is stored."""

_STAGED = 10_000
"""Records that are put aside at once."""

ReportRestored = Callable[[int], None]
"""Called with how many messages are done. May raise to stop: what was reported is stored."""

_MESSAGE = (
    "id, timestamp, network, channel, nick, user, host, message, message_type, account, msgid,"
    " reply_to, server_time, origin, relayed_by, self, bot, redacted_at"
)
_PRIVATE = "id, timestamp, network, target, nick, user, host, account, message, message_type, self"
_SPAN = "room, began, alive, ended, why_began, why_ended, source"
_STORED = f"SELECT {_MESSAGE} FROM messages WHERE id BETWEEN :first AND :last"  # noqa: S608 -- constants
_ADDED_PRIVATE = "SELECT 1 FROM import_ranges WHERE is_added AND is_private LIMIT 1"


async def restore(
    database: Database,
    indexer: Indexer,
    records: Iterable[ArchiveRecord],
    report: ReportRestored,
) -> RestoredTotals:
    """Write all records; as `Archive.restore_exactly`."""
    # "": a database of this connection alone, in a temporary file.
    with closing(sqlite3.connect("", check_same_thread=False, isolation_level=None)) as aside:
        with _naming_the_temporary_folder():
            staged = StagedRecords(aside)
            await to_thread.run_sync(staged.fill, iter(records))
        await _require_nothing_else(database, staged)
        async with database.writing() as writer:
            await _write_rooms(writer, staged.rooms)
        totals = await _write_messages(database, indexer, staged, report)
        async with database.writing() as writer:
            await _write_spans(writer, staged.spans)
            private = await _write_private(writer, staged.private_messages())
    return RestoredTotals(totals.messages, totals.known, len(staged.spans), private)


class StagedRecords:
    """All records of a restoration; the messages are in a temporary database."""

    def __init__(self, aside: sqlite3.Connection) -> None:
        self.rooms: list[ArchivedRoom] = []
        self.spans: list[ArchivedSpan] = []
        self._aside = aside
        for table, columns in (
            ("staged", len(ArchivedMessage._fields)),
            ("staged_private", len(ArchivedPrivateMessage._fields)),
        ):
            listed = ", ".join(f"c{number}" for number in range(1, columns))
            aside.execute(f"CREATE TABLE {table} (id INTEGER PRIMARY KEY, {listed})")

    def fill(self, records: Iterator[ArchiveRecord]) -> None:
        """Read and put aside all records.

        Raises:
            NotRestorable: two messages have the same id.
        """
        while group := list(islice(records, _STAGED)):
            self.rooms += [one for one in group if isinstance(one, ArchivedRoom)]
            self.spans += [one for one in group if isinstance(one, ArchivedSpan)]
            self._put("staged", [one for one in group if isinstance(one, ArchivedMessage)])
            self._put(
                "staged_private", [one for one in group if isinstance(one, ArchivedPrivateMessage)]
            )

    def _put(self, table: str, rows: Sequence[tuple[object, ...]]) -> None:
        if not rows:
            return
        marks = ", ".join("?" * len(rows[0]))
        try:
            with self._aside:  # which commits; a full disk has SQLite roll back by itself
                self._aside.execute("BEGIN")
                self._aside.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)  # noqa: S608 -- ours
        except sqlite3.IntegrityError as error:
            raise NotRestorable(
                "Two of the messages have the same id, so this is not one export: import the files"
                " one by one, and not into an empty database."
            ) from error

    def groups(self, size: Callable[[], int]) -> Iterator[list[ArchivedMessage]]:
        """The messages by id, in groups of the size that is asked for each."""
        rows = self._aside.execute("SELECT * FROM staged ORDER BY id")
        while group := rows.fetchmany(size()):
            yield [ArchivedMessage._make(row) for row in group]

    def private_messages(self) -> Iterator[ArchivedPrivateMessage]:
        """The private messages by id."""
        for row in self._aside.execute("SELECT * FROM staged_private ORDER BY id"):
            yield ArchivedPrivateMessage(*row)


@contextmanager
def _naming_the_temporary_folder() -> Iterator[None]:
    """Turn the SQLite errors of the temporary database into `StoreFailed`, with the way out."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreFailed(
            f"The export cannot be put aside in {temporary_folder()}, where SQLite has its"
            f" temporary files: {error}. Nothing was imported. Free as much space there as the"
            " export takes unpacked, or name another folder with SQLITE_TMPDIR, then run the same"
            " command again."
        ) from error


async def _require_nothing_else(database: Database, staged: StagedRecords) -> None:
    """Check that nothing but an interrupted restoration has left anything.

    Raises:
        NotRestorable: something else is.
    """
    known = 0
    async with database.writing() as writer:
        await _require_nobody_left_out(writer)
        for group in staged.groups(lambda: COMPARED):
            new = _unknown(await writer.rows(_STORED, _ids(group)), group)
            known += len(group) - len(new)
            if new:  # a restoration writes by id, so it has written none of those that follow
                if new[0].id < (await free_ids(writer)).first:
                    raise _used_ids()
                break
        stored = int(await writer.value("SELECT count(*) FROM messages", default=0))
        if await writer.rows(_ADDED_PRIVATE):
            raise _used_ids()
    if known != stored:
        raise _other_messages()
    private = await database.rows(f"SELECT {_PRIVATE} FROM private_messages")  # noqa: S608 -- constants
    if private and not {*map(tuple, private)} <= {*map(tuple, staged.private_messages())}:
        raise _other_messages()


async def _require_nobody_left_out(writer: Writer) -> None:
    """Check that nobody's lines have to stay out: nobody looks at each line of a restoration.

    Raises:
        NotRestorable: somebody opted out, or had theirs removed, or the operator did that.
    """
    if (
        await stored_opt_outs(writer)
        or await forgotten_until(writer)
        or (await all_purges(writer)).until
    ):
        raise NotRestorable(
            "The database knows people who opted out, or had their lines removed. An export can be"
            " restored as it was only into a database without such people: name a new one with"
            " --db."
        )


def _other_messages() -> NotRestorable:
    return NotRestorable(
        "The database holds messages that are not in this export. An export can be restored as it"
        " was only into a database without messages: name a new one with --db."
    )


def _used_ids() -> NotRestorable:
    """What has seen an id before, such as an index or an undone import, would mistake its line."""
    return NotRestorable(
        "The database has used ids of this export for messages that were removed. An export can be"
        " restored as it was only into a database that never held a message: name a new one with"
        " --db."
    )


async def _write_rooms(writer: Writer, rooms: Iterable[ArchivedRoom]) -> None:
    """Add rooms under their own numbers; those that are there already keep theirs."""
    for room in rooms:
        await writer.run(
            "INSERT INTO networks (name, casemapping) VALUES (:network, :casemapping)"
            " ON CONFLICT DO UPDATE SET casemapping = excluded.casemapping",
            {"network": room.network, "casemapping": room.casemapping},
        )
        await writer.run(
            "INSERT INTO rooms (id, network, folded, channel)"
            " VALUES (:id, :network, :folded, :channel) ON CONFLICT DO NOTHING",
            {
                "id": room.id,
                "network": room.network,
                "folded": fold(room.channel, room.casemapping),
                "channel": room.channel,
            },
        )


async def _write_messages(
    database: Database, indexer: Indexer, staged: StagedRecords, report: ReportRestored
) -> RestoredTotals:
    done = known = 0
    size = BatchSizer(SMALLEST, USUAL, LARGEST)
    for group in staged.groups(lambda: size.rows):
        async with database.writing() as writer:
            transaction = YieldingTransaction(database.has_waiters)
            new = _unknown(await writer.rows(_STORED, _ids(group)), group)
            await _insert(writer, new)
            transaction.step()
            is_indexed = not new or await indexer.index_appended(
                writer, new[0].id, new[-1].id, transaction
            )
        transaction.step()  # the commit takes longer the more pages were changed
        if not is_indexed:
            await indexer.catch_up()
        size.record(len(group), transaction.longest)
        done += len(group)
        known += len(group) - len(new)
        report(done)
        await anyio.sleep(PAUSE)
    return RestoredTotals(done - known, known)


def _ids(group: Sequence[ArchivedMessage]) -> dict[str, int]:
    return {"first": group[0].id, "last": group[-1].id}


def _unknown(stored: Iterable[Row], group: Sequence[ArchivedMessage]) -> list[ArchivedMessage]:
    """The messages of a group that are not among the rows stored under ids of its range.

    Raises:
        NotRestorable: another message has one of these ids.
    """
    known = {row["id"]: tuple(row) for row in stored}
    if not known.items() <= {one.id: tuple(one) for one in group}.items():
        raise _other_messages()
    return [one for one in group if one.id not in known]


async def _insert(writer: Writer, messages: Sequence[ArchivedMessage]) -> None:
    named = [(one.network or "", one.channel or "") for one in messages]
    rooms = await room_ids(writer, (place for place in named if is_channel(place[1])))
    marks = ", ".join("?" * (len(ArchivedMessage._fields) + 1))
    await writer.many(
        f"INSERT INTO messages ({_MESSAGE}, room) VALUES ({marks})",  # noqa: S608 -- question marks
        [(*one, rooms.get(place)) for one, place in zip(messages, named, strict=True)],
    )


async def _write_spans(writer: Writer, spans: Iterable[ArchivedSpan]) -> None:
    """Add spans under their own numbers; where a recorder has taken one, under another."""
    for span in spans:
        row = (await room_id(writer, span.network, span.channel), *span[3:])
        found = await writer.rows(f"SELECT {_SPAN} FROM spans WHERE id = ?", [span.id])  # noqa: S608 -- constants
        if not found or tuple(found[0]) != row:
            await writer.run(
                f"INSERT INTO spans (id, {_SPAN}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608 -- constants
                (None if found else span.id, *row),
            )


async def _write_private(writer: Writer, messages: Iterator[ArchivedPrivateMessage]) -> int:
    written = 0
    while group := list(islice(messages, _STAGED)):
        await writer.many(
            f"INSERT INTO private_messages ({_PRIVATE}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608 -- constants
            " ON CONFLICT DO NOTHING",
            group,
        )
        written += len(group)
    return written
