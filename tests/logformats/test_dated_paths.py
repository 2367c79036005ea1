"""Dates in paths: none of the place, and the day of the first line where they are certain."""

from datetime import date

import pytest

from terrarium_mcp.logformats.dated_paths import without_dates

A_DAY = date(2026, 10, 24)


@pytest.mark.parametrize(
    "path",
    [
        "net/#tea.2026-10-24.log",
        "net/#tea-20261024.log",
        "net/#tea_2026.10.24.log",
        "net/2026-10-24_#tea.log",
        "net/#tea/2026-10-24.log",
        "2026/net/#tea.10-24.log",
        "2026/10/net/#tea/24.log",
        "2026/10/net/#tea.24.log",
        "2026/10/24/net/#tea.log",
        "net/2026/10/24/#tea.log",
        "2026-10-24/net/#tea.log",
    ],
)
def test_a_day_may_be_anywhere(path: str) -> None:
    assert without_dates(path) == ("net/#tea.log", A_DAY)


@pytest.mark.parametrize(
    "path",
    [
        "net/#tea.log",
        "net/#tea.2026-10.log",
        "net/#tea.202610.log",
        "2026/net/#tea.log",
        "2026/10/net/#tea.log",
        "net/26-10-24_#tea.log",
        "net/#tea/2026.log",
        "net/#tea/2026-10.log",
    ],
)
def test_what_is_not_certain_is_no_day(path: str) -> None:
    assert without_dates(path) == ("net/#tea.log", None)


@pytest.mark.parametrize("sep", [".", "-", "_"])
def test_a_year_behind_the_name_of_the_folder_is_none_of_the_name(sep: str) -> None:
    assert without_dates(f"net/#tea/#tea{sep}2026.log") == ("net/#tea/#tea.log", None)
    assert without_dates(f"net/bob/bob{sep}2026.log") == ("net/bob/bob.log", None)
    assert without_dates(f"net/#te/#tea{sep}2026.log").path == f"net/#te/#tea{sep}2026.log"


@pytest.mark.parametrize("date_of", ["-20261024", ".2026-10-24"])
def test_the_day_of_a_rotation_is_not_that_of_the_first_line(date_of: str) -> None:
    assert without_dates(f"net/#tea.log{date_of}") == ("net/#tea.log", None)


@pytest.mark.parametrize(
    "path", ["net/#2026.log", "net/#fosdem-2026.log", "net/#24-7.log", "net/#a-20269999.log"]
)
def test_a_number_of_a_channel_is_no_date(path: str) -> None:
    assert without_dates(path) == (path, None)


@pytest.mark.parametrize(
    "path", ["net/talk of 2026-10-24 in part.txt", "2025/net/part-2026-10-24.2.txt"]
)
def test_a_day_within_a_name_is_known_and_stays_in_the_name(path: str) -> None:
    undated, day = without_dates(path)
    assert day == A_DAY
    assert undated == path.removeprefix("2025/")
