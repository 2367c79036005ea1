"""After a clock was ahead, lines get a wrong time: that is said, and can be set right."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from terrarium_mcp.chat.coverage import Gap
from terrarium_mcp.chat.records import Member
from terrarium_mcp.chat.times.timestamps import to_text
from terrarium_mcp.store import Fact, Sort, Store, examine
from terrarium_mcp.store.sqlite.index.clock_ahead import ClockAheadWatch
from tests.store.scene import NOON, check_index, differences, find, line_of, room, rows_of, texts

HOUR = timedelta(hours=1)
TIMES = "SELECT message, timestamp FROM messages ORDER BY id"


async def say(store: Store, text: str, at: datetime, channel: str = "#tea") -> None:
    await store.messages.append([line_of("ada", text, at, channel)])


def clock(file: Path, now: datetime) -> list[Fact]:
    facts = [one for section in examine(file, now) for one in section.facts]
    return [one for one in facts if one.name == "clock"]


@pytest.mark.parametrize("indexed", [False, True])
async def test_a_line_ahead_of_the_clock_is_named_once_and_by_the_doctor(
    store: Store, file: Path, caplog: pytest.LogCaptureFixture, indexed: bool
) -> None:
    now = NOON
    watch = ClockAheadWatch(store._database, lambda: now)  # noqa: SLF001 -- a second one beside the keeper's
    await say(store, "of the right time", NOON, "#mate")
    await say(store, "of a wrong clock", NOON + 3 * HOUR)
    if indexed:
        await differences(store)
    for _ in range(2):
        await watch.look()
    [warning] = [one for one in caplog.messages if "ahead of this machine's clock" in one]
    assert "The newest line of net/#tea is dated 2026-05-01 15:00:00 UTC" in warning
    assert "terrarium-mcp doctor --rebuild" in warning
    [fact] = clock(file, NOON)
    assert (fact.text, fact.wrong) == (warning, True)
    now = NOON + 3 * HOUR
    await watch.look()
    assert clock(file, now) == []
    now = NOON
    await watch.look()
    assert caplog.messages.count(warning) == 2


async def test_a_server_s_clock_that_is_a_little_ahead_is_no_news(
    store: Store, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await say(store, "a little early", NOON + timedelta(seconds=59))
    await ClockAheadWatch(store._database, lambda: NOON).look()  # noqa: SLF001 -- as above
    assert not [one for one in caplog.messages if "ahead" in one]
    assert clock(file, NOON) == []
    assert await store.messages.set_clock_back(NOON) == []


@pytest.mark.parametrize("indexed", [False, True])
async def test_set_back_the_next_lines_have_their_own_time_and_everything_fits(
    store: Store, file: Path, indexed: bool
) -> None:
    wrong = NOON + 30 * HOUR
    await say(store, "before", NOON)
    await say(store, "of a wrong clock", wrong)
    await say(store, "late", NOON + HOUR)
    if indexed:
        await differences(store)
    assert await store.messages.set_clock_back(NOON + 2 * HOUR) == ["net/#tea"]
    await say(store, "right again", NOON + 3 * HOUR)
    await say(store, "and on", NOON + 4 * HOUR)
    assert rows_of(file, TIMES) == [
        ("before", to_text(NOON)),
        ("of a wrong clock", to_text(wrong)),
        ("late", to_text(wrong)),
        ("right again", to_text(NOON + 3 * HOUR)),
        ("and on", to_text(NOON + 4 * HOUR)),
    ]
    assert await differences(store) == []
    check_index(file)
    page = await find(store, "from:ada", sort=Sort.OLDEST)
    assert texts(page.messages) == ["before", "right again", "and on", "of a wrong clock", "late"]


async def test_set_back_the_record_goes_on_from_then(store: Store) -> None:
    now = NOON + 2 * HOUR
    await store.spans.begin("net", "#tea", NOON, "joined")
    await store.spans.end("net", "#tea", NOON + HOUR, "the clock was set")
    await store.spans.begin("net", "#tea", NOON + 30 * HOUR, "the clock was set")
    await say(store, "of a wrong clock", NOON + 31 * HOUR)
    await store.presence.replace("net", "#tea", [Member("ada")], NOON + HOUR)
    await store.messages.set_clock_back(now)
    assert (await store.presence.current(await room(store))).as_of == now
    await say(store, "right again", now + HOUR)
    coverage = await store.spans.coverage([await room(store)], now=now + HOUR)
    assert coverage.gaps() == [Gap(NOON + HOUR, now)]
    late = await store.spans.coverage([await room(store)], now=now + 2 * HOUR)
    assert [span.going_on for span in late.spans] == [False, False]
