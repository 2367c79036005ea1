"""Newest and oldest find exactly what reading every line finds, whatever the query and the log.

LOGS in the environment sets how many random logs are asked: 500 in `make soak`.
"""

import os
import sqlite3
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.mentions import mentions
from terrarium_mcp.chat.query.parser import parse_query
from terrarium_mcp.chat.records import SPEECH, MessageType, Origin
from terrarium_mcp.chat.terms import contains_term
from terrarium_mcp.chat.times.timestamps import EVERY_LINE, Position, to_text
from terrarium_mcp.chat.urls import urls_in
from terrarium_mcp.store import Store, open_store
from terrarium_mcp.store.search import COUNTED, Rung, Search, Sort
from terrarium_mcp.store.sqlite.search import exact, index_scan, term_stats
from tests.store.scene import NOON, SETTINGS, line_of, redact, rows_of

SAID = [
    *["tea", "Tea!", "teapot", "Caf\u00e9", "c++", "c", "green-tea", "green", "\u559d\u8336", "--"],
    *[
        "\U0001f375",
        "foo_bar",
        "https://example.org/x",
        "ada:",
        "bo_",
        "1.2",
        "\x02tea\x02",
        "tea" * 20,
        "\u8336",
    ],
]
NICKS = ["ada", "Ada", "bo[]", "BO{}", "cy", "\u212aim", "kIM", "\u00c4nn"]
CASEMAPPINGS = ["rfc1459", "rfc1459", "ascii", "rfc7613"]
CHANNELS = ["#tea", "#mate", "#milk"]
ASKED = [
    *["tea", "cafe", "te*", '"green tea"', "c++", "c", "green-tea", "\u8336", "\u559d\u8336", "--"],
    *["\U0001f375", "foo_bar", "1.2", "tea OR c++", "-- OR cafe", "\u8336 OR te* OR bo", "1.*"],
    *["zebra", "zeb*", "zebra OR tea", "-zebra", "zeb* OR te*"],
    *["te* green", f"{'tea' * 14}*", "t*", "caf\u00e9*", "GR* OR 1*"],
    *['"tea green tea"', '"tea c++ tea" green', '"tea tea"', '"caf\u00e9 tea"'],
    *["-tea", "-c++", "-te*", '-"green tea"', "-from:ada", "from:ada", "from:BO[]", "from:nobody"],
    *["from:kim", "from:\u212aim", "from:\u00e4nn", "from:kim OR from:ada"],
    *["mentions:ada", "mentions:bo_", "has:link", "type:privmsg", "type:action", "type:join"],
    *["type:topic", "on:2026-05-01", "after:2026-05-01T12:00:20Z", "before:2026-05-02T12:00:40Z"],
    *["example.org", "https://example.org/x", "ada"],
]
SPEECH_MOSTLY = [
    *SPEECH,
    MessageType.PRIVMSG,
    MessageType.PRIVMSG,
    MessageType.JOIN,
    MessageType.TOPIC,
]

LINES = st.lists(
    st.tuples(
        st.lists(st.sampled_from(SAID), max_size=3).map(" ".join),
        st.sampled_from(NICKS),
        st.sampled_from(CHANNELS),
        st.sampled_from(SPEECH_MOSTLY),
        st.integers(0, 60).map(lambda second: NOON + timedelta(seconds=second)),
    ),
    min_size=1,
    max_size=25,
)
GROUPS = st.lists(
    st.tuples(st.sampled_from(list(Origin)), st.integers(-2, 2), LINES), min_size=1, max_size=4
)
"""A log: what is recorded, played back and imported in turn, of some day, in any order."""

QUESTIONS = st.lists(
    st.tuples(
        st.lists(st.sampled_from(ASKED), max_size=4).map(" ".join),
        st.sampled_from([CHANNELS, CHANNELS, CHANNELS[:1], CHANNELS[1:]]),
        st.none() | st.integers(0, 60),
        st.integers(1, 9),
    ),
    min_size=6,
    max_size=12,
)
"""What is asked, of which channels, up to which second, and how many lines a page."""

Said = tuple[str, str, str, MessageType, datetime]


@dataclass(frozen=True)
class Line:
    """A row as any program reads it."""

    id: int
    timestamp: str
    room: int
    nick: str
    kind: str
    text: str

    @property
    def position(self) -> Position:
        return Position(self.timestamp, self.id)


A_LOG = (
    GROUPS,
    LINES,
    st.sets(st.integers(1, 60), max_size=3),
    QUESTIONS,
    st.sampled_from([0, 6]),
    st.sampled_from(CASEMAPPINGS),
)
"""What a log holds, what is asked of it, and how few lines are read at once."""

LOGS = int(os.environ.get("LOGS", "10"))


@given(*A_LOG)
@settings(
    max_examples=LOGS,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # to shrink a log takes minutes
)
async def test_what_is_found_is_what_reading_every_line_finds(
    groups: list[tuple[Origin, int, list[Said]]],
    strange: list[Said],
    redacted: set[int],
    questions: list[tuple[str, list[str], int | None, int]],
    few: int,
    casemapping: str,
) -> None:
    async with a_log(groups, strange, redacted, casemapping) as (store, file):
        await finds_what_reading_finds(store, file, questions, few, casemapping)


@pytest.mark.parametrize(
    ("few", "casemapping"), [(0, "rfc1459"), (6, "ascii"), (6, "rfc7613"), (400, "rfc1459")]
)
async def test_every_operator_finds_what_reading_every_line_finds(
    few: int, casemapping: str
) -> None:
    """Each of ASKED by itself and beside a word, of one log that has lines for and against it."""
    groups = [
        (Origin.IMPORT, -1, said_in_turn(0)),
        (Origin.LIVE, 0, said_in_turn(1)),
        (Origin.PLAYBACK, 0, said_in_turn(2)),
    ]
    questions = [
        (f"{atom}{besides}", channels, cutoff, 25)
        for n, atom in enumerate(ASKED)
        for besides, channels, cutoff in (("", CHANNELS, None), (" tea", CHANNELS[n % 2 :], n))
    ]
    async with a_log(groups, said_in_turn(3), {5, 50}, casemapping) as (store, file):
        await finds_what_reading_finds(store, file, questions, few, casemapping)


def said_in_turn(turn: int) -> list[Said]:
    """Two words a line, and some phrases, by each nick in each channel in some turn."""
    kinds = [*SPEECH, MessageType.PRIVMSG, MessageType.PRIVMSG, MessageType.JOIN, MessageType.TOPIC]
    pairs = [f"{one} {SAID[(n * 7 + turn) % len(SAID)]}" for n, one in enumerate(SAID)]
    phrases = [
        "tea green tea",
        "tea c++ tea",
        "green tea c++ tea",
        "Caf\u00e9 tea",
        "tea tea",
    ]
    return [
        (
            text,
            NICKS[(n + 3 * turn) % len(NICKS)],
            CHANNELS[(n + turn) % 3],
            kinds[(n + 2 * turn) % len(kinds)],
            NOON + timedelta(seconds=(n * 11 + turn) % 60),
        )
        for n, text in enumerate([*pairs, *phrases])
    ]


async def finds_what_reading_finds(
    store: Store,
    file: Path,
    questions: Sequence[tuple[str, list[str], int | None, int]],
    few: int,
    casemapping: str,
) -> None:
    """Ask, newest and oldest first, and hold every page against a plain loop."""
    with pytest.MonkeyPatch.context() as patch:  # the log of a test is too short for the real ones
        patch.setattr(exact, "_FEW", few)
        patch.setattr(exact, "_FEW_OF_A_PHRASE", few)
        patch.setattr(term_stats, "_FEW", few)
        patch.setattr(exact, "_LOOKED_AT", 4)
        patch.setattr(exact, "_RAREST", 1)
        patch.setattr(index_scan, "_EXTRA", 1)
        rooms = await store.rooms.all()
        lines = every_line(file)
        for query, channels, cutoff, limit in questions:
            until = NOON + timedelta(seconds=cutoff) if cutoff else None
            asked = Search(
                query=parse_query(query),
                rooms=[room for room in rooms if room.channel in channels],
                limit=limit,
                until=Position.at(until) if until else EVERY_LINE,
            )
            expected = [one.id for one in lines if is_wanted(one, asked, casemapping)]
            for sort, ids in ((Sort.OLDEST, expected), (Sort.NEWEST, expected[::-1])):
                assert await every_page(store, replace(asked, sort=sort)) == ids, query


@asynccontextmanager
async def a_log(
    groups: list[tuple[Origin, int, list[Said]]],
    strange: list[Said],
    redacted: set[int],
    casemapping: str,
) -> AsyncIterator[tuple[Store, Path]]:
    """A store with such a log; another program has appended the `strange` lines last."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "irc.db"
        async with open_store(file, SETTINGS) as store:
            for origin, day, lines in groups:
                await store.messages.append(
                    [
                        line_of(nick, text, at + timedelta(days=day), channel, kind, origin)
                        for text, nick, channel, kind, at in lines
                    ]
                )
            for number in redacted:
                await redact(store, number)
            with closing(sqlite3.connect(file)) as db, db:
                db.execute("UPDATE networks SET casemapping = ?", (casemapping,))
                db.executemany(
                    "INSERT INTO messages (timestamp, channel, nick, message, message_type)"
                    " VALUES (?, ?, ?, ?, ?)",
                    [
                        (f"{at:%Y-%m-%d %H:%M:%S}", channel, nick, text, kind.value)
                        for text, nick, channel, kind, at in strange
                    ],
                )
            await store.messages.get(1, [])  # they belong to rooms now, and are not indexed yet
            yield store, file


def every_line(file: Path) -> list[Line]:
    """All lines that may be shown, oldest first."""
    sql = "SELECT id, timestamp, room, nick, message_type, message FROM messages"
    rows = rows_of(file, f"{sql} WHERE room NOT NULL AND redacted_at IS NULL")
    return sorted((Line(*row) for row in rows), key=lambda line: line.position)


def is_wanted(line: Line, asked: Search, casemapping: str) -> bool:
    query, text = asked.query, line.text.replace("\x02", "")
    nick = fold(line.nick, casemapping)
    people, others = (
        [fold(name, casemapping) for name in named]
        for named in (query.people, query.excluded_people)
    )
    checks: list[bool] = [
        line.room in [room.id for room in asked.rooms],
        line.kind in (query.kinds or SPEECH),
        all(any(contains_term(text, term) for term in clause) for clause in query.clauses),
        not any(contains_term(text, term) for term in query.excluded),
        not people or nick in people,
        nick not in others,
        all(mentions(text, name, casemapping) for name in query.mentions),
        not query.has_link or bool(urls_in(text)),
        query.since is None or line.timestamp >= to_text(query.since),
        query.until is None or line.timestamp < to_text(query.until),
        line.position < asked.until,
    ]
    return all(checks)


async def every_page(store: Store, asked: Search) -> list[int]:
    """The ids of all hits, page by page; where nothing was found, not those of like words."""
    hits = await store.search(asked, "question")
    if hits.rung in (Rung.ANY_WORD, Rung.SIMILAR):
        return []
    total, ids = hits.total, [message.id for message in hits.messages]
    while hits.next:
        hits = await store.search(replace(asked, cursor=hits.next), "question")
        ids += [message.id for message in hits.messages]
        assert len(ids) == len(set(ids))
    assert total == min(len(ids), COUNTED + 1) or not hits.total_is_exact
    return ids


@pytest.mark.parametrize("sort", [Sort.NEWEST, Sort.OLDEST])
async def test_pages_go_on_beyond_what_is_counted_in_lines_of_one_moment(
    store: Store, sort: Sort
) -> None:
    many = COUNTED + 200
    await store.messages.append([line_of("ada", "tea", NOON) for _ in range(many)])
    asked = Search(query=parse_query("tea"), rooms=await store.rooms.all(), limit=100, sort=sort)
    found = await every_page(store, asked)
    assert sorted(found) == [*range(1, many + 1)]
