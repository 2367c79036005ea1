"""Which time a replay covers: as much as it proves, and no more."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from terrarium_mcp.irc_bridge.network.chathistory import HistoryLine, HistoryPage, HistoryPoint
from terrarium_mcp.irc_bridge.record.backfill import Backfill, covered
from terrarium_mcp.store import KnownLine, open_store
from tests.irc_bridge.house import said
from tests.servers.history import ago

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
JOINED = NOON + timedelta(hours=1)
KNOWN = KnownLine(NOON + timedelta(milliseconds=142), "m0", "ada", "waves")


def line(minutes: float, msgid: str = "m9", text: str = "tea") -> HistoryLine:
    return HistoryLine(NOON + timedelta(minutes=minutes), msgid, "ada", text)


LATER = [line(30), line(40)]


@pytest.mark.parametrize(
    ("lines", "began"),
    [
        (LATER, LATER[0].at),
        ([line(-5), *LATER], KNOWN.said_at),
        ([line(0, "m0"), *LATER], KNOWN.said_at),
        ([line(0, "", "\x01ACTION waves\x01"), *LATER], KNOWN.said_at),
        ([line(0, "other", "waves"), *LATER], NOON),
        ([line(0, "", "other words"), *LATER], NOON),
    ],
)
def test_a_replay_covers_the_gap_only_if_it_goes_back_to_what_we_know(
    lines: list[HistoryLine], began: datetime
) -> None:
    assert covered(HistoryPage("#tea", lines), KNOWN, JOINED) == (began, JOINED)


def test_a_page_that_continues_another_covers_what_lies_between() -> None:
    page = HistoryPage("#tea", LATER, HistoryPoint(NOON, "m0"), is_last=False)
    assert covered(page, None, JOINED) == (NOON, LATER[-1].at)
    assert covered(HistoryPage("#tea", [], HistoryPoint(NOON)), None, JOINED) == (NOON, JOINED)


def test_a_page_that_proves_nothing_covers_nothing() -> None:
    assert covered(HistoryPage("#tea", []), KNOWN, JOINED) is None
    assert (
        covered(HistoryPage("#tea", [], HistoryPoint(NOON), is_last=False), KNOWN, JOINED) is None
    )
    assert covered(HistoryPage("#tea", [line(90)]), None, JOINED) is None
    one = HistoryPage("#tea", [line(30)], is_last=False)
    assert covered(one, None, JOINED) is None


def test_no_page_covers_the_future() -> None:
    page = HistoryPage("#tea", [line(30), line(9_000)], is_last=False)
    assert covered(page, None, JOINED) == (line(30).at, JOINED)


async def test_a_line_is_unheard_if_it_follows_what_we_know_or_where_a_fetch_was_cut_off(
    tmp_path: Path,
) -> None:
    async with open_store(tmp_path / "irc_logs.db") as store:
        backfill = Backfill(store, "local", lambda *_: None, timedelta(hours=1))
        assert backfill.is_unheard("#tea", ago(90))
        await store.messages.append([said("tea")._replace(said_at=ago(60))])
        await backfill.begin("#tea")
        for place in ("#tea", ""):
            assert backfill.is_unheard(place, ago(50))
            assert backfill.is_unheard(place, ago(60).replace(microsecond=0))
            assert not backfill.is_unheard(place, ago(70))
        page = HistoryPage("#tea", [HistoryLine(ago(40), "m1", "ada", "tea")], is_last=False)
        await backfill.add(page, ago(0))
        await store.messages.append([said("live")._replace(said_at=ago(20))])
        await backfill.begin("#tea")
        assert backfill.is_unheard("#tea", ago(30))
        assert not backfill.is_unheard("#tea", ago(50))
        await backfill.add(HistoryPage("#tea", []), ago(0))
        assert not backfill.is_unheard("#tea", ago(30))
