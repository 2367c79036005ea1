"""Rows that carry local time without saying so are read back into the moments they were."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.times.legacy_times import SLACK, parsed, utc_times

NEW_YORK = ZoneInfo("America/New_York")
MIDNIGHT = datetime(2025, 11, 2, 4, tzinfo=UTC)  # in New York; two hours later its clock goes back
ZONES = st.sampled_from(
    ["America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kolkata", "UTC"]
).map(ZoneInfo)


def local(moment: datetime, zone: ZoneInfo = NEW_YORK) -> str:
    return moment.astimezone(zone).replace(tzinfo=None).isoformat(" ", "microseconds")


def whole(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S}"


def read(texts: Sequence[str | None], zone: ZoneInfo = NEW_YORK) -> list[datetime]:
    pairs = list(utc_times(enumerate(texts), zone))
    assert [row for row, _ in pairs] == list(range(len(texts)))
    return [moment for _, moment in pairs]


def rising(began: datetime, steps: Sequence[timedelta]) -> list[datetime]:
    moments = [began]
    for step in steps:
        moments.append(moments[-1] + step)
    return moments


STEPS = st.lists(st.timedeltas(timedelta(0), timedelta(minutes=25)), max_size=60)


@given(ZONES, st.integers(0, 365), STEPS)
def test_rising_local_times_are_read_back_all_through_the_year(
    zone: ZoneInfo, days: int, steps: list[timedelta]
) -> None:
    # It begins at noon, so in no hour that is repeated; no silence is as long as half an hour.
    noon = datetime(2025, 1, 1, 12, 0, 0, 1, tzinfo=zone) + timedelta(days=days)
    moments = rising(noon.astimezone(UTC), steps)
    assert read([local(moment, zone) for moment in moments], zone) == moments


@given(STEPS, st.integers(0, 100))
def test_the_repeated_hour_is_told_by_the_order_of_the_rows(
    steps: list[timedelta], microseconds: int
) -> None:
    began = MIDNIGHT + timedelta(hours=1, minutes=30, microseconds=microseconds)
    moments = rising(began, steps)
    assert read([local(moment) for moment in moments]) == moments


@given(
    STEPS,
    st.lists(st.sampled_from(["local", "whole second", "null", "junk"]), min_size=61, max_size=61),
)
def test_rows_in_utc_and_rows_without_a_time_between_them_change_nothing(
    steps: list[timedelta], kinds: list[str]
) -> None:
    moments = [
        moment.replace(microsecond=max(1, moment.microsecond))
        for moment in rising(MIDNIGHT - timedelta(hours=2), steps)
    ]
    kinds = ["local", *kinds]
    write: dict[str, Callable[[datetime], str | None]] = {
        "local": local,
        "whole second": whole,
        "null": lambda _: None,
        "junk": lambda _: "noon",
    }
    texts = [write[kind](moment) for kind, moment in zip(kinds, moments, strict=False)]
    found = read(texts)
    # A stretch without local times may be as long as the hour; then it cannot be determined.
    latest_local = moments[0]
    for n, (kind, moment) in enumerate(zip(kinds, moments, strict=False)):
        if kind in ("null", "junk"):
            assert found[n] == found[n - 1]
        elif moment - latest_local > timedelta(minutes=29):
            return
        elif kind == "whole second":
            assert found[n] == moment.replace(microsecond=0)
        else:
            assert found[n] == moment
            latest_local = moment


def test_a_clock_set_back_a_second_is_no_repeated_hour() -> None:
    moment = MIDNIGHT + timedelta(hours=1, minutes=30, microseconds=5)
    back = moment - SLACK
    assert read([local(moment), local(back), local(moment)]) == [moment, back, moment]


def test_a_time_the_clock_never_showed_is_read_all_the_same() -> None:
    assert read(["2025-03-09 02:30:00.5"]) == [datetime(2025, 3, 9, 7, 30, 0, 500_000, tzinfo=UTC)]


def test_a_microsecond_of_exactly_zero_is_told_by_the_neighbours() -> None:
    before = datetime(2025, 11, 5, 19, 22, 58, 5, tzinfo=UTC)
    after = before + timedelta(seconds=4)
    middle = datetime(2025, 11, 5, 19, 23, tzinfo=UTC)
    as_python_writes_it = "2025-11-05 14:23:00"
    assert read([local(before), as_python_writes_it, local(after)]) == [before, middle, after]
    assert read([local(before), as_python_writes_it]) == [before, middle]
    assert read([as_python_writes_it])[0].hour == 14  # nobody tells: it is UTC
    assert read([local(before), whole(middle), local(after)]) == [before, middle, after]


@pytest.mark.parametrize(
    "nothing", [None, "", "noon", "2025-13-01 00:00:00.5", "0001-01-01", "9999-12-31 00:00:00.1"]
)
def test_a_row_without_a_time_takes_its_neighbours(nothing: str | None) -> None:
    moment = MIDNIGHT + timedelta(microseconds=1)
    whole_second = MIDNIGHT + timedelta(hours=9)
    assert read([nothing, local(moment), nothing]) == [moment] * 3
    assert read([nothing, whole(whole_second), nothing]) == [whole_second] * 3
    assert read([local(moment), nothing, whole(whole_second)]) == [moment, moment, whole_second]


@pytest.mark.parametrize("stated", ["2025-06-01T10:00:00+05:00", "2025-06-01 10:00:00.5+05:00"])
def test_a_time_with_an_offset_is_that_moment_whatever_is_beside_it(stated: str) -> None:
    moment = datetime.fromisoformat(stated)
    beside = datetime(2025, 6, 1, 15, 0, 0, 5, tzinfo=UTC)
    assert read([stated]) == [moment]
    assert read([local(beside), stated, local(beside)]) == [beside, moment, beside]


def test_where_no_row_has_a_time_all_stand_at_the_beginning_of_time() -> None:
    assert read([None, "noon"]) == [datetime(1970, 1, 1, tzinfo=UTC)] * 2
    assert read([]) == []


def test_years_from_1970_to_8999_are_believed() -> None:
    assert [parsed(f"{year}-06-01 12:00:00") is not None for year in (1969, 1970, 8999, 9000)] == (
        [False, True, True, False]
    )
