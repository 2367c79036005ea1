"""Times that are named by a feast."""

from datetime import UTC, datetime

import pytest

from tests.chat.times.scene import days


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("what did we do on christmas 2012?", "2012-12-24", "2012-12-27"),
        ("Christmas of 2012", "2012-12-24", "2012-12-27"),
        ("over xmas", "2025-12-24", "2025-12-27"),
        ("on Christmas Eve", "2025-12-24", "2025-12-25"),
        ("on christmas  day 2020", "2020-12-25", "2020-12-26"),
        ("on Boxing Day", "2025-12-26", "2025-12-27"),
        ("on New Year's Eve in 2019", "2019-12-31", "2020-01-01"),
        ("on new years day", "2026-01-01", "2026-01-02"),
        ("on Valentine\u2019s day", "2026-02-14", "2026-02-15"),
        ("last halloween", "2025-10-31", "2025-11-01"),
        ("over easter", "2026-04-03", "2026-04-07"),
        ("at Easter 2025", "2025-04-18", "2025-04-22"),
        ("on easter monday?", "2026-04-06", "2026-04-07"),
        ("on good friday?", "2026-04-03", "2026-04-04"),
        ("easter last year", "2025-04-18", "2025-04-22"),
        ("since halloween", "2025-10-31", "2026-05-15"),
        ("over new year", "2025-12-31", "2026-01-02"),
        ("around new year's", "2025-12-31", "2026-01-02"),
        ("at New Year 2016", "2015-12-31", "2016-01-02"),
        ("between Christmas and New Year", "2025-12-24", "2026-01-02"),
        ("from christmas to new year's eve 2016", "2016-12-24", "2017-01-01"),
        ("between easter and christmas 2016", "2016-03-25", "2016-12-27"),
    ],
)
def test_a_feast_is_its_days(text: str, since: str, until: str) -> None:
    assert days(text) == [(since, until)]


def test_without_a_year_it_is_the_latest_that_has_begun() -> None:
    eve, day = (datetime(2026, 12, day, 12, tzinfo=UTC) for day in (23, 24))
    assert days("at christmas", eve) == [("2025-12-24", "2025-12-27")]
    assert days("at christmas", day) == [("2026-12-24", "2026-12-27")]


@pytest.mark.parametrize(
    "text",
    [
        "christmas lights",
        "easter eggs",
        "did you see this easter egg?",
        "on the hunt for the last Easter egg",
        "good friday?",
        "the halloween theme",
        "new years ago",
        "happy new year",
        "eve",
    ],
)
def test_a_feast_alone_is_a_topic(text: str) -> None:
    assert days(text) == []


@pytest.mark.parametrize(
    ("year", "sunday"),
    [
        (1961, "04-02"), (1981, "04-19"), (2000, "04-23"), (2008, "03-23"), (2011, "04-24"),
        (2016, "03-27"), (2019, "04-21"), (2024, "03-31"), (2038, "04-25"), (2076, "04-19"),
    ],
)  # fmt: skip
def test_easter_is_that_of_the_almanacs(year: int, sunday: str) -> None:
    ((since, _),) = days(f"on easter sunday {year}")
    assert since == f"{year}-{sunday}"
