"""How far a clock is trusted: by what was recorded, and by how long this process has run."""

from datetime import datetime, timedelta

import pytest

from terrarium_mcp.store.sqlite.trusted_time import (
    LONGEST_GAP,
    ONE_DAY_OF_RECORD,
    SteadyClock,
    clock_warning,
    trusted_time,
)
from tests.store.scene import NOON

DAY = 86_400.0
A_LITTLE = timedelta(seconds=1)
BELIEVED = ONE_DAY_OF_RECORD + LONGEST_GAP


@pytest.mark.parametrize("last", [None, NOON, NOON - BELIEVED])
def test_a_clock_is_trusted_after_a_short_gap_and_where_nothing_was_recorded(
    last: datetime | None,
) -> None:
    assert trusted_time(NOON, last) == NOON


def test_after_a_longer_gap_it_is_trusted_up_to_a_day_after_the_last_record() -> None:
    last = NOON - BELIEVED - A_LITTLE
    assert trusted_time(NOON, last) == last + ONE_DAY_OF_RECORD


def test_the_warning_names_the_time_of_the_clock_and_the_last_record() -> None:
    said = clock_warning(NOON, NOON - timedelta(days=30))
    assert "it is 2026-05-01 12:00 UTC" in said
    assert "nothing was recorded from 2026-04-01 until" in said


def test_a_process_has_run_since_its_start_or_since_the_clock_was_set_far() -> None:
    clock = SteadyClock(NOON, 100.0)
    a_day_on = NOON + timedelta(days=1)
    assert clock.running_for(a_day_on, 100.0 + DAY) == timedelta(days=1)
    assert clock.running_for(a_day_on + LONGEST_GAP, 100.0 + DAY) == timedelta(days=1)
    far = a_day_on + LONGEST_GAP + A_LITTLE
    assert clock.running_for(far, 100.0 + DAY) == timedelta()
    assert clock.running_for(far + timedelta(hours=1), 3_700.0 + DAY) == timedelta(hours=1)


def test_a_clock_that_was_set_far_back_begins_again_too() -> None:
    clock = SteadyClock(NOON, 0.0)
    assert clock.running_for(NOON - LONGEST_GAP - A_LITTLE, 5.0) == timedelta()
    assert clock.running_for(NOON - LONGEST_GAP, 6.0) == timedelta(seconds=1)
