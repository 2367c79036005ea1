"""Retention removes what is too old from everywhere, and only where the settings say so."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import pytest

from terrarium_mcp.chat.records import MessageType, NewMessage
from terrarium_mcp.chat.times.timestamps import EVERY_LINE
from terrarium_mcp.settings import RoomDays, Settings
from terrarium_mcp.store import (
    AuditEntry,
    PurgeTarget,
    RemovalReason,
    Store,
    examine,
    open_store,
)
from terrarium_mcp.store.sqlite.keeper import Keeper
from terrarium_mcp.store.sqlite.removal import batched_delete
from terrarium_mcp.store.sqlite.removal import retention as module
from terrarium_mcp.store.sqlite.removal.retention import Retention
from terrarium_mcp.store.sqlite.trusted_time import SteadyClock
from tests.patience import PATIENCE
from tests.servers.beside import beside
from tests.store.scene import NOON, check_index, differences, find, line_of, room, texts

MONTH = Settings(network="net", retention_days=30)


def retention(store: Store, settings: Settings) -> Retention:
    """A second one beside the keeper's, of a process that was started at NOON."""
    clock = SteadyClock(NOON, 0)
    return Retention(store._database, store._indexer, settings, clock)  # noqa: SLF001


class KeptByAnother(Keeper):
    """The lock as a process sees it that does not hold it, and whether `serve` had a round."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.round_over = anyio.Event()
        self._looks = 0

    @property
    def is_us(self) -> bool:
        self._looks += 1
        if self._looks == 2:  # the first decides, the second is how long to wait
            self.round_over.set()
        return False


async def apply(store: Store, settings: Settings) -> int:
    return await retention(store, settings).apply(NOON)


def days_ago(
    days: float, text: str, channel: str = "#tea", kind: MessageType = MessageType.PRIVMSG
) -> NewMessage:
    return line_of("ada", text, NOON - timedelta(days=days), channel, kind)


async def left(store: Store) -> list[str]:
    return texts((await find(store, "from:ada")).messages)


async def test_what_is_older_goes_from_everything_and_figures_count_what_is_kept(
    store: Store, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batched_delete, "ROWS_PER_TRANSACTION", (2, 2, 2))
    old = [days_ago(40 - n / 100, f"old {n} https://old.example") for n in range(9)]
    await store.messages.append(
        [
            *old,
            days_ago(31, "an old topic", kind=MessageType.TOPIC),
            days_ago(31, "", kind=MessageType.JOIN),
            days_ago(31, "old and private", "Terra"),
            days_ago(29.9, "new and private", "Terra"),
            days_ago(29.9, "new https://new.example"),
        ]
    )
    assert await apply(store, MONTH) == 12
    assert await apply(store, MONTH) == 0
    assert await left(store) == ["new https://new.example"]
    assert (await store.removal.traces(PurgeTarget("ada"))).private == 1
    tea = await room(store)
    figures = await store.stats.for_room(tea, until=EVERY_LINE, now=NOON)
    assert (figures.lines, figures.people) == (1, 1)
    assert [link.url for link in await store.links.find([tea], 9)] == ["https://new.example/"]
    assert await store.topics.current(tea) is None
    assert await differences(store) == []
    check_index(file)
    assert await store.removal.audit() == [
        AuditEntry(
            at=NOON, why=RemovalReason.RETENTION, asked_by="TERRARIUM_RETENTION_DAYS", messages=12
        )
    ]


@pytest.mark.parametrize(
    ("by_channel", "kept"),
    [
        ({}, []),
        ({"#TEA": 90}, ["tea"]),
        ({"net/#Tea": 90, "#tea": 1}, ["tea"]),
        ({"other/#tea": 90}, []),
        ({"#mate": 0}, ["mate"]),
    ],
    ids=str,
)
async def test_a_channel_has_its_own_days(
    store: Store, by_channel: dict[str, int], kept: Sequence[str]
) -> None:
    days = tuple(RoomDays(*one) for one in by_channel.items())
    settings = Settings(retention_days=30, retention_by_channel=days)
    await store.messages.append([days_ago(60, "tea"), days_ago(60, "mate", "#mate")])
    await apply(store, settings)
    assert await left(store) == kept


async def test_days_of_a_channel_leave_all_others_alone(store: Store) -> None:
    settings = Settings(retention_by_channel=(RoomDays("#tea", 1),))
    await store.messages.append(
        [days_ago(60, "tea"), days_ago(60, "mate", "#mate"), days_ago(60, "private", "Terra")]
    )
    assert await apply(store, settings) == 1
    assert await left(store) == ["mate"]
    assert (await store.removal.traces(PurgeTarget("ada"))).private == 1


async def test_the_record_begins_where_what_is_kept_begins(store: Store) -> None:
    for began, ended in [(60, 50), (40, 20), (10, None)]:
        await store.spans.begin("net", "#tea", NOON - timedelta(days=began), "joined")
        if ended:
            await store.spans.end("net", "#tea", NOON - timedelta(days=ended), "left")
    await store.messages.append([days_ago(1, "tea")])
    await apply(store, MONTH)
    coverage = await store.spans.coverage([await room(store)], NOON)
    assert [(NOON - span.began).days for span in coverage.spans] == [30, 10]


async def test_the_keeper_removes_what_is_too_old_and_goes_on_keeping(file: Path) -> None:
    now = datetime.now(UTC)
    settings = MONTH.model_copy(update={"retention_days": 1})
    async with open_store(file, MONTH.model_copy(update={"retention_days": 0})) as store:
        await store.messages.append(
            [
                line_of("ada", "old", now - timedelta(days=2)),
                line_of("ada", "new", now - timedelta(hours=23)),
            ]
        )
    async with open_store(file, settings) as store:
        with anyio.fail_after(PATIENCE):
            while await left(store) != ["new"]:  # noqa: ASYNC110 -- no event marks it
                await anyio.sleep(0.01)
        assert store.keeper.is_us
        await store.messages.append([line_of("ada", "newer", now)])
        assert await left(store) == ["newer", "new"]
        assert await differences(store) == []


YEAR = timedelta(days=365)
HOUR = 3_600.0


async def recorded(store: Store, since: timedelta, until: timedelta) -> None:
    """A channel recorded from `since` until `until` before NOON, with a line a day."""
    await store.spans.begin("net", "#tea", NOON - since, "joined")
    days = range((since - until).days + 1)
    await store.messages.append(
        [line_of("ada", f"tea {day}", NOON - since + timedelta(days=day)) for day in days]
    )
    await store.spans.end("net", "#tea", NOON - until, "left")


async def test_a_clock_that_is_far_ahead_removes_nothing_for_a_day(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    await recorded(store, timedelta(days=20), timedelta())
    one, ahead = retention(store, MONTH), NOON + YEAR
    assert await one.apply_trusted(NOON, 0) == 0
    assert await one.apply_trusted(ahead, 60) == 0
    assert "nothing was recorded from 2026-05-01 until a day ago" in caplog.text
    # What the bridge records by the same clock proves nothing, also after a restart.
    await store.messages.append([line_of("ada", "late tea", ahead)])
    again = retention(store, MONTH)
    assert await again.apply_trusted(ahead + timedelta(hours=1), 0) == 0
    assert await again.apply_trusted(ahead + timedelta(hours=23), 22 * HOUR) == 0
    assert len(await left(store)) == 22
    assert caplog.text.count("By this machine's clock") == 2  # once for each process
    # The clock is set: everything is there.
    assert await again.apply_trusted(NOON + timedelta(hours=23), 22 * HOUR) == 0


async def test_what_was_too_old_when_last_was_recorded_goes_also_by_a_doubtful_clock(
    store: Store,
) -> None:
    await recorded(store, timedelta(days=40), timedelta())
    assert await retention(store, MONTH).apply_trusted(NOON + YEAR, 0) == 11  # 40 to 30 days old
    assert [one.at for one in await store.removal.audit()] == [NOON + YEAR]


async def test_after_a_long_absence_lines_go_once_a_day_was_recorded(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    await recorded(store, timedelta(days=120), timedelta(days=100))
    first = retention(store, MONTH)
    assert await first.apply_trusted(NOON, 0) == 0
    await store.messages.append([line_of("ada", "back again", NOON)])
    another = retention(store, MONTH)
    assert await another.apply_trusted(NOON + timedelta(hours=25), 0) == 21
    assert caplog.text.count("By this machine's clock") == 1


async def test_a_process_that_ran_for_a_day_needs_no_record(store: Store) -> None:
    await recorded(store, timedelta(days=120), timedelta(days=100))  # and nobody records any more
    one = retention(store, MONTH)
    assert await one.apply_trusted(NOON, 0) == 0
    assert await one.apply_trusted(NOON + timedelta(hours=24), 24 * HOUR) == 21


async def test_a_short_absence_and_an_empty_history_raise_no_doubt(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    assert await retention(store, MONTH).apply_trusted(NOON + YEAR, 0) == 0
    await recorded(store, timedelta(days=40), timedelta(days=7))
    assert await retention(store, MONTH).apply_trusted(NOON, 0) == 10
    assert not caplog.records


async def test_where_nothing_is_too_old_a_doubtful_clock_is_no_news(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    await recorded(store, timedelta(days=25), timedelta(days=20))
    assert await retention(store, MONTH).apply_trusted(NOON, 0) == 0
    assert not caplog.records


async def test_a_process_that_is_not_the_keeper_removes_what_its_settings_say_after_an_hour(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = datetime.now(UTC)
    keeps = MONTH.model_copy(update={"retention_days": 0})
    forgets = MONTH.model_copy(update={"retention_days": 1})
    async with open_store(file, keeps) as keeper, open_store(file, forgets) as other:
        await keeper.messages.append([line_of("ada", "old", now - timedelta(days=2))])
        assert await left(other) == ["old"]
        assert not other.keeper.is_us
        watched = KeptByAnother(file)
        async with beside(retention(other, forgets).serve, watched):
            with anyio.fail_after(PATIENCE):
                await watched.round_over.wait()
            assert await left(other) == ["old"]
        monkeypatch.setattr(module, "INTERVAL", timedelta(0))
        async with beside(retention(other, forgets).serve, other.keeper):
            with anyio.fail_after(PATIENCE):
                while await left(other):  # noqa: ASYNC110 -- as above
                    await anyio.sleep(0.01)
        assert keeper.keeper.is_us


async def test_without_days_nothing_waits_to_remove(store: Store) -> None:
    with anyio.fail_after(PATIENCE):
        await retention(store, Settings()).serve(store.keeper)


async def test_days_for_a_channel_that_nobody_knows_are_warned_of_once(
    store: Store, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await store.messages.append([days_ago(1, "new")])
    settings = Settings(network="net", retention_by_channel=(RoomDays("#tae", 30),))
    keeping = retention(store, settings)
    for _ in range(2):
        await keeping._warn_of_slips()  # noqa: SLF001 -- as it does every hour
    assert caplog.text.count("#tae of TERRARIUM_RETENTION_BY_CHANNEL is neither") == 1
    told = [
        fact.text
        for section in examine(file, NOON, settings)
        for fact in section.facts
        if fact.wrong
    ]
    assert any("Did you mean net/#tea?" in text for text in told)
