"""Figures count what was said, by whom, and when."""

from datetime import timedelta
from pathlib import Path

from terrarium_mcp.chat.records import Kind
from terrarium_mcp.chat.when import Position
from terrarium_mcp.store import Store
from terrarium_mcp.store.messages import EVERY_LINE
from tests.store.scene import NOON, chat, line_of, room, write

HOUR = timedelta(hours=1)


async def test_figures_of_a_room(store: Store) -> None:
    await store.messages.append(
        [
            line_of("ada", "long ago", NOON - timedelta(days=9)),
            line_of("bo", "days ago", NOON - timedelta(days=3)),
            line_of("Ada", "spelt otherwise", NOON - HOUR),
            line_of("cy", "", NOON - HOUR, kind=Kind.JOIN),
            line_of("ada", "waves", NOON, kind=Kind.ACTION),
            line_of("bo", "elsewhere", NOON, "#mate"),
        ]
    )
    figures = await store.stats.of(await room(store), until=EVERY_LINE, now=NOON)
    assert (figures.lines, figures.people) == (4, 2)
    assert (figures.last_day, figures.last_week) == (2, 3)
    assert (figures.first, figures.last) == (NOON - timedelta(days=9), NOON)
    assert figures.talkers == [("ada", 3), ("bo", 1)]
    assert figures.hours[11:13] == [1, 3]
    assert sum(figures.hours) == 4


async def test_figures_end_at_the_cutoff(store: Store) -> None:
    await store.messages.append(chat("<ada> one\n<bo> two\n<cy> three"))
    until = Position.at(NOON + timedelta(minutes=1))
    figures = await store.stats.of(await room(store), until=until, now=NOON)
    assert (figures.lines, figures.people, figures.talkers) == (1, 1, [("ada", 1)])


async def test_an_empty_room_has_figures_too(store: Store) -> None:
    await store.spans.begin("net", "#tea", NOON, "joined")
    figures = await store.stats.of(await room(store), until=EVERY_LINE, now=NOON)
    assert (figures.lines, figures.first, figures.last, figures.talkers) == (0, None, None, [])


async def test_an_overview_has_every_room_asked_for(store: Store, file: Path) -> None:
    await store.messages.append(chat("<ada> one") + chat("<ada> a\n<bo> b", channel="#mate"))
    write(file, "INSERT INTO messages (channel, nick, message) VALUES ('#tea', NULL, 'appended')")
    rooms = await store.rooms.all()
    figures = await store.stats.overview(rooms, until=EVERY_LINE, now=NOON)
    assert [(one.room.channel, one.lines, one.people) for one in figures] == [
        ("#mate", 2, 2),
        ("#tea", 2, 1),
    ]
    assert await store.stats.overview([], until=EVERY_LINE, now=NOON) == []
