"""Seasons and parts of a year."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.times.seasons import (
    SEASONS,
    latest_season,
    part_of_year,
    past_season,
    season,
    seasons_called,
)


@pytest.mark.parametrize(
    ("name", "first", "after"),
    [
        ("spring", date(2021, 3, 1), date(2021, 6, 1)),
        ("summer", date(2021, 6, 1), date(2021, 9, 1)),
        ("autumn", date(2021, 9, 1), date(2021, 12, 1)),
        ("fall", date(2021, 9, 1), date(2021, 12, 1)),
        ("winter", date(2021, 12, 1), date(2022, 3, 1)),
    ],
)
def test_a_season_has_three_months(name: str, first: date, after: date) -> None:
    assert season(name, 2021) == (first, after)


def test_of_the_two_winters_of_a_year_the_one_that_begins_in_it_leads() -> None:
    assert seasons_called("winter", 2021) == [season("winter", 2021), season("winter", 2020)]
    assert seasons_called("summer", 2021) == [season("summer", 2021)]


@pytest.mark.parametrize(
    ("name", "first", "after"),
    [
        ("early", date(2021, 1, 1), date(2021, 5, 1)),
        ("mid", date(2021, 5, 1), date(2021, 9, 1)),
        ("late", date(2021, 9, 1), date(2022, 1, 1)),
        ("beginning", date(2021, 1, 1), date(2021, 5, 1)),
        ("end", date(2021, 9, 1), date(2022, 1, 1)),
    ],
)
def test_a_year_has_three_parts(name: str, first: date, after: date) -> None:
    assert part_of_year(name, 2021) == (first, after)


@given(st.sampled_from(sorted(SEASONS)), st.dates(date(3, 1, 1), date(9990, 1, 1)))
def test_the_latest_season_has_begun_and_the_past_one_is_over(name: str, today: date) -> None:
    first, after = latest_season(name, today)
    assert first <= today < season(name, first.year + 1)[0]
    begun, over = past_season(name, today)
    assert begun < over <= today
    assert (begun, over) in ((first, after), season(name, first.year - 1))
