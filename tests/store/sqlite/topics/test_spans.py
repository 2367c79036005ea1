"""When each room was recorded, and what a crash leaves of it."""

from datetime import UTC, timedelta

import pytest

from terrarium_mcp.chat.coverage import EVENT_PLAYBACK, PLAYBACK, Gap
from terrarium_mcp.chat.records import MessageType, Origin
from terrarium_mcp.store import Store
from terrarium_mcp.store.sqlite.topics.spans import SILENT
from tests.store.scene import NOON, line_of, room

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)


async def test_a_gap_is_what_lies_between_two_spans(store: Store) -> None:
    await store.spans.begin("net", "#tea", NOON, "joined")
    await store.spans.end("net", "#tea", NOON + 10 * MINUTE, "lost the server")
    await store.spans.begin("net", "#TEA", NOON + 41 * MINUTE, "joined")
    coverage = await store.spans.coverage([await room(store)], now=NOON + 41 * MINUTE)
    assert coverage.gaps() == [Gap(NOON + 10 * MINUTE, NOON + 41 * MINUTE)]
    assert [(span.going_on, span.why_ended) for span in coverage.spans] == [
        (False, "lost the server"),
        (True, ""),
    ]
    assert coverage.sentence(UTC) == "recorded 2026-05-01 to now; 1 gap (2026-05-01 31m)"


async def test_a_crash_leaves_a_span_that_ends_where_it_fell_silent(store: Store) -> None:
    await store.spans.begin("net", "#tea", NOON, "joined")
    await store.heartbeats.beat("net", ["#tea"], NOON + 5 * MINUTE, None)
    await store.messages.append([line_of("ada", "the last words", NOON + 7 * MINUTE)])
    coverage = await store.spans.coverage([await room(store)], now=NOON + 60 * MINUTE)
    (span,) = coverage.spans
    assert (span.ended, span.going_on) == (NOON + 7 * MINUTE, False)
    await store.spans.begin("net", "#tea", NOON + 60 * MINUTE, "joined")
    coverage = await store.spans.coverage([await room(store)], now=NOON + 60 * MINUTE)
    assert coverage.gaps() == [Gap(NOON + 7 * MINUTE, NOON + 60 * MINUTE)]


async def test_our_own_join_does_not_say_that_the_span_before_it_lasted(store: Store) -> None:
    await store.spans.begin("net", "#tea", NOON, "joined")
    await store.messages.append([line_of("ada", "the last words", NOON + 7 * MINUTE)])
    back = line_of("Terra", "", NOON + 60 * MINUTE, kind=MessageType.JOIN)
    await store.messages.append([back._replace(own=True)])
    await store.spans.begin("net", "#tea", NOON + 60 * MINUTE, "joined")
    coverage = await store.spans.coverage([await room(store)], now=NOON + 60 * MINUTE)
    assert coverage.gaps() == [Gap(NOON + 7 * MINUTE, NOON + 60 * MINUTE)]


@pytest.mark.parametrize("behind", [15 * MINUTE, timedelta(days=20_000)])
async def test_what_a_clock_that_is_behind_records_does_not_cover_what_was_missed(
    store: Store, behind: timedelta
) -> None:
    """As on a machine without a clock of its own, which starts in the past until NTP sets it."""
    first, last, back = NOON - 20 * MINUTE, NOON + 7 * MINUTE, NOON + 60 * MINUTE
    await store.spans.begin("net", "#tea", first, "joined")
    await store.spans.end("net", "#tea", first + MINUTE, "the recorder was stopped")
    await store.spans.begin("net", "#tea", NOON, "joined")
    await store.messages.append([line_of("ada", "the last words", last)])
    await store.spans.end("net", "#tea", last, "the recorder was stopped")
    await store.spans.begin("net", "#tea", NOON - behind, "joined")
    await store.messages.append([line_of("ada", "are you back?", NOON - behind)])
    await store.spans.end("net", "#tea", NOON - behind + MINUTE, "the clock was set")
    await store.spans.begin("net", "#tea", back, "the clock was set")
    coverage = await store.spans.coverage([await room(store)], now=back)
    assert coverage.gaps() == [Gap(first + MINUTE, NOON), Gap(last, back)]
    assert coverage.sentence(UTC).startswith("recorded 2026-05-01 to now; 2 gaps")


async def test_a_span_goes_on_as_long_as_it_says_so(store: Store) -> None:
    await store.spans.begin("net", "#tea", NOON, "joined")
    rooms = [await room(store)]
    just = await store.spans.coverage(rooms, now=NOON + SILENT)
    late = await store.spans.coverage(rooms, now=NOON + SILENT + timedelta(seconds=1))
    assert (just.spans[0].going_on, late.spans[0].going_on) == (True, False)


async def test_playback_and_imports_keep_no_span_alive(store: Store) -> None:
    await store.spans.begin("net", "#tea", NOON, "joined")
    later = NOON + 30 * MINUTE
    await store.messages.append([line_of("ada", "hi", later, origin=Origin.IMPORT)])
    await store.messages.append([line_of("ada", "ho", later, origin=Origin.PLAYBACK)])
    coverage = await store.spans.coverage([await room(store)], now=later)
    assert coverage.spans[0].ended == NOON


async def test_another_rooms_lines_keep_no_span_alive(store: Store) -> None:
    await store.spans.begin("net", "#tea", NOON, "joined")
    await store.messages.append([line_of("ada", "hi", NOON + 9 * MINUTE, "#mate")])
    coverage = await store.spans.coverage([await room(store)], now=NOON)
    assert coverage.spans[0].ended == NOON


async def test_what_was_never_recorded_is_not_covered(store: Store) -> None:
    await store.messages.append([line_of("ada", "hi", origin=Origin.IMPORT)])
    coverage = await store.spans.coverage(await store.rooms.all(), now=NOON)
    assert coverage.sentence(UTC) == "nothing recorded yet"
    assert (await store.spans.coverage([], now=NOON)).spans == []


async def test_what_was_replayed_closes_the_gap_and_its_pages_are_one_span(store: Store) -> None:
    await store.spans.begin("net", "#tea", NOON, "joined")
    await store.spans.end("net", "#tea", NOON + HOUR, "lost")
    await store.spans.begin("net", "#tea", NOON + 3 * HOUR, "joined")
    for first, last in ((1, 2), (2, 3), (2, 3)):
        await store.spans.filled("net", "#TEA", NOON + first * HOUR, NOON + last * HOUR, PLAYBACK)
    coverage = await store.spans.coverage(await store.rooms.all())
    assert coverage.gaps() == []
    (filled,) = [span for span in coverage.spans if span.source]
    assert (filled.began, filled.ended) == (NOON + HOUR, NOON + 3 * HOUR)
    assert "gap" not in coverage.sentence(UTC)


async def test_a_replay_with_events_is_no_part_of_one_without(store: Store) -> None:
    await store.spans.filled("net", "#tea", NOON, NOON + HOUR, PLAYBACK)
    await store.spans.filled("net", "#tea", NOON + HOUR, NOON + 2 * HOUR, EVENT_PLAYBACK)
    coverage = await store.spans.coverage(await store.rooms.all())
    assert [span.source for span in coverage.spans] == [PLAYBACK, EVENT_PLAYBACK]
    assert coverage.sentence(UTC) == "recorded 2026-05-01 to 2026-05-01"
    assert coverage.event_gaps() == [Gap(NOON, NOON + HOUR)]


async def test_what_the_replay_did_not_reach_remains_a_gap(store: Store) -> None:
    await store.spans.begin("net", "#tea", NOON, "joined")
    await store.spans.end("net", "#tea", NOON + HOUR, "lost")
    await store.spans.begin("net", "#tea", NOON + 9 * HOUR, "joined")
    await store.spans.filled("net", "#tea", NOON + 3 * HOUR, NOON + 4 * HOUR, PLAYBACK)
    await store.spans.filled("net", "#tea", NOON + 6 * HOUR, NOON + 9 * HOUR, PLAYBACK)
    coverage = await store.spans.coverage(await store.rooms.all())
    assert [gap.length for gap in coverage.gaps()] == [2 * HOUR, 2 * HOUR]
