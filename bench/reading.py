"""Reading the log itself: the newest lines, those around one, a page anywhere, figures."""

import random
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import anyio

from bench import piece
from bench.bed import SETTINGS, Bed
from bench.measure import Passes, timed
from bench.piece import Piece
from bench.questions import enough
from bench.table import Row, Within
from terrarium_mcp.chat.query.parsed_query import Query
from terrarium_mcp.chat.query.parser import parse_query
from terrarium_mcp.chat.records import SPEECH, Message, Room
from terrarium_mcp.chat.times.timestamps import EVERY_LINE
from terrarium_mcp.policy import View
from terrarium_mcp.request import AppContext, Request, request_for
from terrarium_mcp.store import Store
from terrarium_mcp.store.errors import TookTooLong
from terrarium_mcp.store.search import Search
from terrarium_mcp.store.sqlite.index.talk_counts import TalkCounter
from terrarium_mcp.store.sqlite.index.word_blocks import WordBlockCounter
from terrarium_mcp.tools.digest import catch_up

LINES = Within(0.4, 1.5)
FIGURES = Within(0.5, 2)
COUNTED = Within(p99=20)
CONVERSATION = Within(8, 20)
DIGEST = Within(p99=60)
BESIDE_A_SCAN = Within(p99=5)

SCAN = 10.0
"""Seconds that a scan may take beside which somebody reads."""


async def rows(bed: Bed) -> list[Row]:
    """All that is measured here."""
    async with bed.store() as store:
        for duty in (WordBlockCounter, TalkCounter):
            await duty(store._database).count()  # noqa: SLF001 -- the keeper would, meanwhile
        log = await Log.of(store, bed)
        found = await piece.rows(log.pieces())
        found.append(await _beside("recent 50 beside a scan of all lines (wall)", log, log.scan))
        found.append(await _beside("recent 50 beside a search for emoji (wall)", log, log.emoji))
        return found


class Log:
    """The log as it is read: its rooms, the busiest one, and lines to read around."""

    def __init__(self, store: Store, rooms: Sequence[Room], rounds: int) -> None:
        self.anywhere: list[Message] = []
        self.imported: list[Message] = []
        self.recorded: list[Message] = []
        self._store = store
        self._rooms = rooms
        self._busiest = next(room for room in rooms if room.channel == "#chan0")
        self._rounds = rounds
        self._common: Sequence[str] = ()
        self._very_common: Sequence[str] = ()
        self._now = datetime.now(UTC)

    @classmethod
    async def of(cls, store: Store, bed: Bed) -> "Log":
        """The log of a bed; the same lines every time."""
        log = cls(store, await store.rooms.all(), bed.rounds)
        rng = random.Random(2)  # noqa: S311 -- made-up questions
        log.anywhere = await log._lines(rng.sample(range(1, bed.lines + 1), bed.rounds))
        log._common = enough(bed.questions.words["common"], bed.rounds)
        log._very_common = enough(bed.questions.words["very common"], bed.rounds)
        log.imported, log.recorded = [await log._lines(ids) for ids in bed.seam]
        return log

    def pieces(self) -> list[Piece]:
        """Every kind of reading."""
        seam = [*self.imported, *self.recorded]
        said = [one for one in self.anywhere if one.kind in SPEECH]
        again = range(self._rounds)
        return [
            Piece("recent 50", self.recent, [one.room for one in self.anywhere], [LINES]),
            Piece("context of 21 lines", self.around, self.anywhere, [LINES]),
            Piece("a page anywhere", self.back, self.anywhere, [LINES]),
            Piece("context of 21 lines at the seam", self.around, seam, [LINES]),
            Piece("a page back over the seam", self.back, self.recorded, [LINES]),
            Piece("a page onward over the seam", self.onward, self.imported, [LINES]),
            Piece(
                "the conversation around a line",
                self.conversation,
                said,
                [CONVERSATION],
                thinks=True,
            ),
            Piece("catch_up since one's absence", self.absence, said, [DIGEST], thinks=True),
            Piece("catch_up of all time", self.digest, said, [DIGEST], thinks=True),
            Piece("stats of the biggest channel", self.stats, again, [FIGURES]),
            Piece(f"overview of {len(self._rooms)} channels", self.overview, again, [FIGURES]),
            Piece("figures of a person", self.person, said, [COUNTED]),
            Piece("figures of a common word", self.word, self._common, [COUNTED]),
            Piece(
                "figures of a very common word in the biggest channel",
                self.word_in_busiest,
                self._very_common,
                [COUNTED],
            ),
            Piece("figures of a channel in a month", self.month, said, [COUNTED]),
            Piece("figures of a word in a month", self.word_in_month, said, [COUNTED]),
        ]

    async def recent(self, room: Room) -> object:
        """The newest lines of a room."""
        return await self._store.messages.newest([room], 50)

    async def around(self, message: Message) -> object:
        """The lines around one, itself included."""
        return await self._store.messages.around(message, 10, 10)

    async def back(self, message: Message) -> object:
        """The page that ends before a line."""
        return await self._store.messages.newest([message.room], 50, before=message.position)

    async def onward(self, message: Message) -> object:
        """The page that begins after a line."""
        return await self._store.messages.onward([message.room], 50, after=message.position)

    async def conversation(self, message: Message) -> object:
        """The lines that belong to one."""
        return await self._store.conversations.around(message)

    async def absence(self, message: Message) -> object:
        """What the speaker of a line had missed."""
        return await catch_up(await self._request_of(message))

    async def digest(self, message: Message) -> object:
        """The same from the beginning, so that as much is read as ever is."""
        return await catch_up(await self._request_of(message), since="1990-01-01")

    async def _request_of(self, message: Message) -> Request:
        """Whoever said a line asks in its room, a second later."""
        room, now = message.room, message.said_at + timedelta(seconds=1)
        view = View(rooms=((room.network, room.channel),), as_of=now, asker=message.nick)
        return await request_for(AppContext(self._store, SETTINGS), view)

    async def stats(self, _: int) -> object:
        """The figures of the biggest channel."""
        return await self._store.stats.for_room(self._busiest, until=EVERY_LINE, now=self._now)

    async def overview(self, _: int) -> object:
        """The totals of every channel."""
        return await self._store.stats.overview(self._rooms, until=EVERY_LINE, now=self._now)

    async def person(self, message: Message) -> object:
        """The figures of whoever said a line, in all channels."""
        return await self._count(Query(people=(message.nick,)))

    async def word(self, word: str) -> object:
        """The figures of a word, in all channels."""
        return await self._count(parse_query(word))

    async def word_in_busiest(self, word: str) -> object:
        """The figures of a word in the biggest channel."""
        return await self._count(parse_query(word), [self._busiest])

    async def month(self, message: Message) -> object:
        """The figures of a line's channel in the line's month, day by day."""
        return await self._count(_month_of(message), [message.room], "day")

    async def word_in_month(self, message: Message) -> object:
        """The figures of a line's first word in the line's month, in all channels."""
        words = parse_query(message.text.split()[0]).clauses
        return await self._count(replace(_month_of(message), clauses=words))

    async def _count(self, query: Query, rooms: Sequence[Room] = (), per: str = "") -> object:
        return await self._store.scope_stats(
            Search(query=query, rooms=rooms or self._rooms, limit=1), per
        )

    async def scan(self) -> object:
        """Read every line, as SQLite does it."""
        # No public call goes on for so long. What counts is that one of the connections that
        # answer public calls is busy.
        return await self._store._database.rows(  # noqa: SLF001
            "SELECT count(*) FROM messages WHERE message LIKE '%nobody says this%'", deadline=SCAN
        )

    async def emoji(self) -> object:
        """Search for what no index holds: our own function reads the newest lines."""
        asked = Search(query=parse_query("\N{TEACUP WITHOUT HANDLE}"), rooms=self._rooms, limit=20)
        return await self._store.search(asked, "bench")

    async def _lines(self, ids: Sequence[int]) -> list[Message]:
        found = [await self._store.messages.get(number, self._rooms) for number in ids]
        return [message for message in found if message]


def _month_of(message: Message) -> Query:
    """Everything said in the month of a line."""
    return parse_query(f"on:{message.said_at:%Y-%m}")


async def _beside(name: str, log: Log, scan: Callable[[], Awaitable[object]]) -> Row:
    """Read while somebody else scans, again and again."""

    async def scans() -> None:
        while True:
            with suppress(TookTooLong):
                await scan()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(scans)
        [spent] = await timed(Passes(log.recent, [one.room for one in log.anywhere]))
        tasks.cancel_scope.cancel()
    return Row(name, "ms", spent.wall, goals=[BESIDE_A_SCAN])
